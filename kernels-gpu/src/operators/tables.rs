//! Tables that the host makes for the kernels once an order: records of ways, and the table of far boxes.

use super::constants::{CONSTANTS, MAX_ORDER};
use super::far::entry;
use super::translate::record_length;
use crate::device::{Real, Vec4};
use expansions::numerics::expected::{left_at, nearest};
use octree::geometry::{DIRECTIONS, direction_offset};
use octree::{FAR_OFFSETS, far_offset, far_offset_index};
use std::vec::Vec;

/// A translation between a box and its parent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Translation {
    /// To the parent.
    M2m,
    /// To the child.
    L2l,
}

/// The factors by degree before and after a coaxial translation of length d whose factors are those of length 1.
#[derive(Clone, Copy, Debug)]
enum Scaling {
    /// d^{j−n} 2^{-n}
    Gathered,
    /// d^{-n-j-1}
    Far,
    /// d^{n−j} 2^{-j-1}
    Spread,
}

impl Scaling {
    fn factors(self, d: f64, n: i32) -> [f64; 2] {
        match self {
            Self::Gathered => [(2.0 * d).powi(-n), d.powi(n)],
            Self::Far => [d.powi(-n), d.powi(-n - 1)],
            Self::Spread => [d.powi(n), 0.5 * (2.0 * d).powi(-n)],
        }
    }
}

/// Octants of a box.
pub(super) const N_OCTANTS: usize = 8;

/// Numbers of [`left`].
pub(super) const LEFT: usize = DIRECTIONS * N_OCTANTS * N_OCTANTS;

/// The constants, as kernels of any order read them.
pub(super) fn constants<T: Real>() -> Vec<T> {
    CONSTANTS.as_slice().iter().map(|&x| T::from_f64(x)).collect()
}

/// Records of the ways from a box to its eight children.
pub(super) fn octants<T: Real>(order: usize, translation: Translation) -> Vec<Vec4<T>> {
    let scaling = match translation {
        Translation::M2m => Scaling::Gathered,
        Translation::L2l => Scaling::Spread,
    };
    let mut records = Vec::new();
    for octant in 0..N_OCTANTS {
        let way = [0, 1, 2].map(|d| if octant >> d & 1 == 1 { 0.25 } else { -0.25 });
        push_record(order, scaling, way, &mut records);
    }
    records
}

/// Records of the ways from the far boxes, in the order of [`far_offset`].
pub(super) fn ways<T: Real>(order: usize) -> Vec<Vec4<T>> {
    let mut records = Vec::new();
    for offset in (0..FAR_OFFSETS).map(far_offset) {
        push_record(order, Scaling::Far, offset.map(|c| -f64::from(c)), &mut records);
    }
    records
}

/// Offset of the child in octant `source` of the box in a direction from that in octant `target`.
fn offset_of_children(direction: usize, [source, target]: [usize; 2]) -> [i8; 3] {
    let bit = |octant: usize, d: usize| (octant >> d & 1) as i8;
    let steps = direction_offset(direction);
    [0, 1, 2].map(|d| 2 * steps[d] as i8 + bit(source, d) - bit(target, d))
}

/// Share of the size of a multipole's last degrees that is left in the nearest corner or face of a far box, or 0 for boxes that
/// touch, by direction, octant of the source and octant of the target.
pub(super) fn left(order: usize) -> Vec<f32> {
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

/// The record of the translation along `way`, see [`Way`](super::translate::Way).
fn push_record<T: Real>(
    order: usize,
    scaling: Scaling,
    [x, y, z]: [f64; 3],
    records: &mut Vec<Vec4<T>>,
) {
    let across = x.hypot(y);
    let (azimuth, polar) = (y.atan2(x), across.atan2(z));
    let length = across.hypot(z);
    let mut numbers = Vec::with_capacity(4 * record_length(order));
    for angle in [azimuth, polar] {
        for m in 1..order {
            let (sine, cosine) = (m as f64 * angle).sin_cos();
            numbers.extend([cosine, sine]);
        }
        numbers.resize(numbers.len().next_multiple_of(4), 0.0);
    }
    for part in 0..2 {
        numbers.extend((0..order).map(|n| scaling.factors(length, n as i32)[part]));
        numbers.resize(numbers.len().next_multiple_of(4), 0.0);
    }
    debug_assert!(order <= MAX_ORDER && numbers.len() == 4 * record_length(order));
    records.extend(
        numbers
            .chunks_exact(4)
            .map(|group| Vec4([group[0], group[1], group[2], group[3]].map(T::from_f64))),
    );
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
