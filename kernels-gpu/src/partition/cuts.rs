//! Cuts of the Morton curve: boxes with a cut strictly inside are split.

use crate::tree::morton::common_level;

/// A cut, in codes of some level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct Cut {
    /// First code after the cut.
    pub code: u64,
    /// Level of the largest box that begins at the cut; 0 at the ends of the curve, where no box is cut.
    pub level: u32,
}

impl Cut {
    /// No cut.
    pub const NONE: Self = Self { code: 0, level: 0 };

    /// Number of levels, from the root on, at which the box that holds `code` has this cut strictly inside. Codes of both
    /// are of level `deepest`.
    #[inline(always)]
    pub fn levels_inside(self, code: u64, deepest: u32) -> u32 {
        if self.level == 0 {
            return 0;
        }
        (common_level(code, self.code, deepest) + 1).min(self.level)
    }
}

#[cfg(not(target_arch = "nvptx64"))]
impl Cut {
    /// The cut before `code`, a code of the deepest level of all, as codes of level `deepest` have it; the level of the cut
    /// is `deepest` or above.
    pub fn before(code: u64, deepest: u32) -> Self {
        use crate::tree::morton::{MAX_LEVEL, level_begun_at};
        let level = u32::from(level_begun_at(code));
        if level == 0 {
            return Self::NONE;
        }
        Self { code: code >> (3 * (MAX_LEVEL - deepest)), level }
    }
}
