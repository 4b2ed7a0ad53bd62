//! Morton codes on the device: those of [`octree::morton`], which it shares. What the kernels call a key is a code.

pub use octree::morton::{
    LEVELS, adjacent, ancestor_of, code_of, common_level, common_level_of, coordinates_of,
    level_begun_at, octant_of, precedes,
};

/// The deepest level.
pub const MAX_LEVEL: u32 = octree::morton::MAX_LEVEL as u32;

/// Number of slots: one for each octant of each level.
pub const SLOTS: usize = 8 * LEVELS;
