//! The conformance suite: every engine, in every precision, keeps what the documentation promises.
//!
//! Checks are generic over `testbed::conformance::{Engine, Precision}`; each file is one promise.

mod bits;
mod choices;
mod degenerate;
mod errors;
mod promise;
mod properties;
mod report;
mod scales;
mod softening;
