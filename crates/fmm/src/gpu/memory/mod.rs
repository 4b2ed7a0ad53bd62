//! Memory of a plan on a device: estimated before it is made, reserved when the tree is known.
//!
//! | file | what |
//! |---|---|
//! | `demand.rs` | the size of a plan, and the memory that it takes |
//! | `phases.rs` | bytes of each phase |
//! | `keeping.rs` | what is kept from one phase to the next |
//! | `check.rs`, `expected.rs`, `heavy.rs`, `together.rs` | arrays of checks, of errors to expect, of heavy charges, of several vectors |

pub(super) mod check;
mod demand;
pub(super) mod expected;
pub(super) mod heavy;
pub(super) mod keeping;
mod phases;
pub(super) mod together;

#[cfg(test)]
mod tests;

pub(super) use demand::{Before, Demand, demand_of, least, likely_scheme, shares};
