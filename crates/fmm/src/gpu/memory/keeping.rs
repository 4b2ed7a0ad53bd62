//! Memory of a device that is kept from one phase to the next, or given back.

/// Memory that a plan keeps. What is given back comes from the machine's pool the next time, which takes some microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Keeping {
    /// All, so that points that move allocate nothing.
    All,
    /// The memory of the phase: the sort gives its memory back to the lists, and those to the expansions.
    Phase,
    /// The memory of the phase, with arrays used again: near sums overwrite the points as they came, far sums are added afterwards
    /// instead of at the same time, and the field overwrites the expansions.
    Least,
}
