//! What happens to numbers that stand where an operator writes.

/// Whether an operator replaces what is there or adds to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accumulation {
    /// It is replaced.
    Overwrite,
    /// It is added to.
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
