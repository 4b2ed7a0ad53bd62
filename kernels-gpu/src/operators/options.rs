//! Choices that a launch makes, in place of booleans.

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

/// Whether M2P takes the far boxes (list V) of a leaf and of the boxes above it, beside list W.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FarBoxes {
    /// List W alone: M2P of the FMM.
    Excluded,
    /// Lists W and V: a treecode on the lists of the FMM, without local expansions (Yokota & Barba, section 2).
    Included,
}

/// A translation between a box and its parent.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Translation {
    /// To the parent.
    M2m,
    /// To the child.
    L2l,
}
