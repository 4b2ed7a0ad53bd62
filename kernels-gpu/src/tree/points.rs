//! Kernels with one thread a point: keys, and the separation of sources and receivers.

use super::morton::{MAX_LEVEL, code_of};
use crate::device::{Real, Vec4, View, ViewMut, thread, truncated};
use crate::{float_kernels, kernel};

/// Lattice of boxes: the cube, and the level of the keys.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Lattice {
    /// Lower corner of the cube.
    pub corner: [f64; 3],
    /// Number of boxes of [`MAX_LEVEL`] per unit of length.
    pub scale: f64,
    /// Level of the keys.
    pub level: u32,
}

impl Lattice {
    /// Key of the box that holds a point, equal to `octree::Cube::key` bit by bit for all types of points.
    #[inline(always)]
    pub fn key<T: Real>(self, point: Vec4<T>) -> u64 {
        code_of(self.place(point)) >> (3 * (MAX_LEVEL - self.level))
    }

    /// Coordinates of the box of [`MAX_LEVEL`] that holds a point.
    #[inline(always)]
    pub fn place<T: Real>(self, Vec4([x, y, z, _]): Vec4<T>) -> [u32; 3] {
        let point = [x.to_f64(), y.to_f64(), z.to_f64()];
        let mut place = [0; 3];
        for d in 0..3 {
            // No coordinate leaves the lattice, whatever the point is.
            let at = truncated((point[d] - self.corner[d]) * self.scale);
            place[d] = at.min((1 << MAX_LEVEL) - 1);
        }
        place
    }
}

#[cfg(not(target_arch = "nvptx64"))]
impl Lattice {
    /// Lattice of the boxes of `level` in `cube`.
    pub fn new(cube: &octree::Cube, level: u32) -> Self {
        let scale = f64::from(1 << MAX_LEVEL) / cube.side();
        Self { corner: cube.corner(), scale, level }
    }
}

/// Arguments of [`KEYS`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Keys<T> {
    /// Points, n: x, y, z and anything.
    pub points: View<Vec4<T>>,
    /// Output: n keys.
    pub keys: ViewMut<u64>,
    /// Flag of the kernels that follow, set to 0.
    pub is_crowded: ViewMut<u32>,
    /// Lattice of boxes.
    pub lattice: Lattice,
}

#[inline(always)]
fn keys<T: Real>(args: Keys<T>) {
    let i = thread::index();
    if i < args.points.len() {
        args.keys.set(i, args.lattice.key(args.points.get(i)));
    }
    if i == 0 {
        args.is_crowded.set(0, 0);
    }
}

/// Arguments of [`MARK_SOURCES`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct MarkSources {
    /// Permutation: sorted place → the caller's index, sources first; n items.
    pub permutation: View<u32>,
    /// Output, n items: 1 for a source, 0 for a receiver.
    pub is_source: ViewMut<u32>,
    /// Number of sources.
    pub n_sources: u32,
}

fn mark_sources(args: MarkSources) {
    let i = thread::index();
    if i < args.permutation.len() {
        args.is_source.set(i, u32::from(args.permutation.get(i) < args.n_sources));
    }
}

/// Arguments of [`PART_SETS`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PartSets {
    /// Keys in sorted order, n.
    pub keys: View<u64>,
    /// Permutation: sorted place → the caller's index, sources first; n items.
    pub permutation: View<u32>,
    /// Number of sources before each sorted place; n + 1 items.
    pub sources_before: View<u32>,
    /// Output: keys of the sources.
    pub source_keys: ViewMut<u64>,
    /// Output: permutation of the sources, sorted place → the caller's index among the sources.
    pub source_permutation: ViewMut<u32>,
    /// Output: keys of the receivers.
    pub receiver_keys: ViewMut<u64>,
    /// Output: permutation of the receivers, sorted place → the caller's index among the receivers.
    pub receiver_permutation: ViewMut<u32>,
}

fn part_sets(args: PartSets) {
    let i = thread::index();
    if i >= args.permutation.len() {
        return;
    }
    let n_sources = args.source_keys.len() as u32;
    let (key, from) = (args.keys.get(i), args.permutation.get(i));
    let before = args.sources_before.get(i);
    if from < n_sources {
        args.source_keys.set(before as usize, key);
        args.source_permutation.set(before as usize, from);
    } else {
        let place = i - before as usize;
        args.receiver_keys.set(place, key);
        args.receiver_permutation.set(place, from - n_sources);
    }
}

kernel! {
    /// Marks sources: one thread a point.
    pub MARK_SOURCES = mark_sources, (MarkSources);
    /// Separates sources and receivers: one thread a point.
    pub PART_SETS = part_sets, (PartSets);
}

float_kernels! {
    /// Keys of points: one thread a point.
    pub KEYS<T: Real> = keys, Keys;
}
