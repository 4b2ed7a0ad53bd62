//! Tables of far boxes by direction and octants, which the host makes for the kernels of both sets.

use super::far::entry;
use expansions::numerics::expected::{left_at, nearest};
use octree::far_offset_index;
use octree::geometry::{DIRECTIONS, direction_offset};
use std::vec::Vec;

/// Octants of a box.
pub(crate) const N_OCTANTS: usize = 8;

/// Numbers of [`left`].
pub(crate) const LEFT: usize = DIRECTIONS * N_OCTANTS * N_OCTANTS;

/// Offset of the child in octant `source` of the box in a direction from that in octant `target`.
fn offset_of_children(direction: usize, [source, target]: [usize; 2]) -> [i8; 3] {
    let bit = |octant: usize, d: usize| (octant >> d & 1) as i8;
    let steps = direction_offset(direction);
    [0, 1, 2].map(|d| 2 * steps[d] as i8 + bit(source, d) - bit(target, d))
}

/// Share of the size of a multipole's last degrees that is left in the nearest corner or face of a far box, or 0 for boxes that
/// touch, by direction, octant of the source and octant of the target.
pub(crate) fn left(order: usize) -> Vec<f32> {
    let left = |i: usize| {
        let offset = offset_of_children(i / 64, [i / 8 % 8, i % 8]);
        let left = left_at(nearest(offset.map(i32::from)), order as u32);
        if far_offset_index(offset).is_some() { left.sqrt() as f32 } else { 0.0 }
    };
    (0..LEFT).map(left).collect()
}

/// For each octant, the entries of its 189 far boxes, by the octant of the source.
pub(crate) fn far_entries() -> Vec<u32> {
    let mut entries = Vec::new();
    for target in 0..N_OCTANTS {
        for source in 0..N_OCTANTS {
            for direction in 0..DIRECTIONS {
                let offset = offset_of_children(direction, [source, target]);
                if let Some(way) = far_offset_index(offset) {
                    entries.push(entry(direction as u32, source as u32, way as u32));
                }
            }
        }
    }
    entries
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operators::far::FAR;

    #[test]
    fn every_octant_has_189_far_boxes() {
        assert_eq!(far_entries().len(), 8 * FAR);
    }
}
