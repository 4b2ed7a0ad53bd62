//! Errors to expect at each receiver, by which receivers are picked for a check. The formulas are those of
//! [`expansions::numerics::expected`].
//!
//! | file | what |
//! |---|---|
//! | `boxes.rs` | multipoles and local expansions of the FMM's boxes |
//! | `cells.rs` | cells of a walk |

mod boxes;
mod cells;

/// Errors to expect at a receiver, of its leaf's local expansion and of all others, in a unit that all share. In f32, so that they
/// take little memory.
pub(crate) type Expected = [f32; 2];

pub(super) use boxes::BoxErrors;
pub(super) use cells::CellErrors;

/// Expansions whose last degrees one task reads.
const TASK: usize = parallel::min_length(40.0);
