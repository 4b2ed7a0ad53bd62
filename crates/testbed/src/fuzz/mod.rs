//! Fuzzing: random inputs for the readers of files, for plans and evaluations, and for misuse of the library.
//!
//! An input follows from a [`Dice`], which throws by seed and iteration, so each failure can be run again alone, or by
//! bytes, as a coverage-guided fuzzer gives them. `cargo xtask fuzz` and the targets in `fuzz/` call the same functions.
//! Inputs that failed once are in `corpus/`, and a test runs them again.
//!
//! | module | input | promise |
//! |---|---|---|
//! | [`readers`] | damaged files of every format | points or a typed error, in bounded time and memory |
//! | [`problems`] | point sets, charges and settings | the tolerance, a typed error, or a report that admits the excess |
//! | [`misuse`] | wrong calls of a plan | a typed error that leaves plan and field as they were |

mod dice;
mod failure;
pub mod misuse;
pub mod problems;
pub mod readers;

pub use dice::Dice;
pub use failure::{Failure, Kind, guarded};
