//! The conformance suite: every engine, in every precision, keeps what the documentation promises.
//!
//! Checks are generic over `testbed::conformance::{Engine, Precision}`; each file is one promise.

mod bits;
mod choices;
mod degenerate;
mod errors;
mod openings;
mod promise;
mod properties;
mod report;
mod scales;
mod single_walks;
mod softening;
