//! Tests of all layers together: the conformance suite, plans over ranks, bounded fuzzing.
//!
//! A package of its own, because integration tests make cargo build all programs of their package, and the test bed has many.

mod conformance;
mod fuzz;
mod ranks;
