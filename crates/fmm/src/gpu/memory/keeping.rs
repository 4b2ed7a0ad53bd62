//! Memory of a device that is kept from one phase to the next, or given back.

/// Memory that a plan keeps. What is given back comes from the machine's pool the next time, which takes some microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Keeping {
    /// All, so that points that move allocate nothing.
    All,
    /// The memory of the phase: the sort gives its memory back to the lists, and those to the expansions.
    Phase,
    /// The same; in addition, sums take the place of the points as they came, those through expansions are added to those over
    /// near pairs, after them instead of beside them, and the field takes the place of the expansions.
    Least,
}
