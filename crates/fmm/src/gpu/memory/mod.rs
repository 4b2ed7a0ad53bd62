//! Memory of a plan on a device: estimated before it is made, reserved when the tree is known.
//!
//! | file | what |
//! |---|---|
//! | `demand.rs` | the size of a plan, and the memory that it takes |
//! | `phases.rs` | bytes of each phase |
//! | `build_state.rs` | whether points have a tree, and the memory that was found for them |
//! | `keeping.rs` | what is kept from one phase to the next |
//! | `check.rs`, `expected.rs`, `heavy.rs`, `together.rs` | arrays of checks, of errors to expect, of heavy charges, of several vectors |

mod build_state;
pub(super) mod check;
mod demand;
pub(super) mod expected;
pub(super) mod heavy;
pub(super) mod keeping;
mod phases;
pub(super) mod together;

#[cfg(test)]
mod tests;

pub(super) use build_state::{BuildState, Room};
pub(super) use demand::{Demand, demand_of, least, likely_scheme, shares};
