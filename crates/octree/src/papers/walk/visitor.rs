//! The procedures of the caller that a walk for one receiver calls.

/// Nakasato's three procedures (fig. 4), which a walk calls.
///
/// The visitor keeps the receiver and the sums. One visitor may walk many times.
pub trait Visitor {
    /// Whether `cell` is too near to act as a whole; the paper's `distance_test`, negated. `cell` is a box
    /// number; it holds two sources at least.
    fn opens(&self, cell: usize) -> bool;

    /// Source `i` acts by itself; the paper's `proc_particle`. `i` is the number of the source in the walk:
    /// the position in tree order, unless [`Links::permuted`](super::Links::permuted) numbered it otherwise. The receiver itself,
    /// if it is a source too, is not left out.
    fn particle(&mut self, i: usize);

    /// All sources in `cell` act together; the paper's `proc_cell`.
    fn cell(&mut self, cell: usize);
}
