//! Reference sums, with which every method is compared.
//!
//! The crate shares no arithmetic with the crates under test: sums are written from the formula alone, so that a mistake of the
//! library cannot hide in its own reference. Of [`lanes`] it takes the choice of the processor's instructions, by which the
//! compiler makes vectors of plain loops; none of them joins a product and a sum, so that the bits are the same by all. It is a
//! crate of its own because it computes: the rest of the test bed is built unoptimised for tests.
//!
//! ```
//! let (potential, gradient) = reference::direct(&[[2.0, 0.0, 0.0]], &[6.0], &[[0.0; 3]], 0.0);
//! assert_eq!((potential, gradient), (vec![3.0], vec![[1.5, 0.0, 0.0]]));
//! ```
//!
//! | file | what |
//! |---|---|
//! | `blocks.rs` | direct sums at blocks of receivers, whatever the arithmetic |
//! | `compensated.rs` | the direct sum in f64 with compensated accumulation |
//! | `pulls.rs` | lengths of the terms of a gradient, beside which it may be small |
//! | `twofold.rs` | the direct sum in double-double arithmetic |

mod blocks;
mod compensated;
mod pulls;
pub mod twofold;

pub use compensated::direct;
pub use pulls::pulls;
