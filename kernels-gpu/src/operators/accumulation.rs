//! Numbers that stand where an operator writes: replaced or added to.

/// Whether an operator replaces the numbers that it finds, or adds to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accumulation {
    /// Numbers are replaced.
    Overwrite,
    /// Numbers are added to.
    Add,
}

impl Accumulation {
    /// The argument `add` of kernels: 0 or 1.
    #[cfg(not(target_arch = "nvptx64"))]
    pub(crate) const fn flag(self) -> u32 {
        match self {
            Self::Overwrite => 0,
            Self::Add => 1,
        }
    }
}
