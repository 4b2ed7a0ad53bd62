//! Reference sums, with which every method is compared.
//!
//! The crate shares no code with the crates under test: sums are written from the formula alone, so that a mistake of the
//! library cannot hide in its own reference. It is a crate of its own because it computes: the rest of the test bed is built
//! unoptimised for tests.
//!
//! ```
//! let (potential, gradient) = reference::direct(&[[2.0, 0.0, 0.0]], &[6.0], &[[0.0; 3]], 0.0);
//! assert_eq!((potential, gradient), (vec![3.0], vec![[1.5, 0.0, 0.0]]));
//! ```
//!
//! | file | what |
//! |---|---|
//! | `compensated.rs` | the direct sum in f64 with compensated accumulation |
//! | `pulls.rs` | lengths of the terms of a gradient, beside which it may be small |
//! | `twofold.rs` | the direct sum in double-double arithmetic |
//! | `widest.rs` | work by the widest vectors of the processor |

mod compensated;
mod pulls;
pub mod twofold;
mod widest;

pub use compensated::direct;
pub use pulls::pulls;
