//! Errors to expect at each receiver, by which receivers are picked for a check.
//!
//! The last two degrees of an expansion tell its error, since the first degree that is left out is not much smaller. They fall
//! with a high power of the distance, so that few expansions have nearly all of the error at a receiver.
//!
//! | file | what |
//! |---|---|
//! | `boxes.rs` | multipoles and local expansions of the FMM's boxes |
//! | `cells.rs` | cells of a walk |

mod boxes;
mod cells;

pub(super) use boxes::BoxErrors;
pub(super) use cells::CellErrors;

/// Sizes of the last degrees of the expansions that act on a receiver: of the local expansion of its leaf; of the far multipole
/// of the leaf's level that has the largest error, where the leaf is nearest to it; and of all others that have large errors, at
/// the receiver itself. In a unit that all receivers share, see
/// [`importance::last_degrees`](expansions::numerics::importance::last_degrees).
pub(crate) type LastDegrees = [f32; 3];

/// Expansions whose last degrees one task reads at least: some 10 µs of work, ten times the start of a task.
const TASK: usize = 256;

/// Share of the square of a multipole's last degrees that is left at a squared distance from its centre, in sides: between
/// that of their potential, which has a power of −1 of the length, and that of their gradient, of −2.
fn left_at(distance2: f64, order: usize) -> f64 {
    distance2.powi(-(order as i32)) / (distance2 * distance2.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_is_left_of_a_high_degree_far_away() {
        // (3/2)^(−2p − 3)
        assert!((left_at(2.25, 4) / 1.5_f64.powi(-11) - 1.0).abs() < 1e-14);
    }
}
