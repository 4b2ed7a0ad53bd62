//! Kernels with one thread a point: keys, the parting of sources from receivers.

use super::morton::{MAX_LEVEL, code_of};
use crate::device::{Real, Vec4, View, ViewMut, thread};
use crate::kernel;

/// Where boxes are: the cube, and the level of keys.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Lattice {
    /// The cube's lower corner.
    pub corner: [f64; 3],
    /// Boxes of [`MAX_LEVEL`] per unit of length.
    pub scale: f64,
    /// The level of the keys.
    pub level: u32,
}

impl Lattice {
    /// The key of the box that holds a point: that of `octree::Cube::key`, bit by bit, whatever the type of the point.
    #[inline(always)]
    pub fn key<T: Real>(self, Vec4([x, y, z, _]): Vec4<T>) -> u64 {
        let point = [x.to_f64(), y.to_f64(), z.to_f64()];
        let mut place = [0; 3];
        for d in 0..3 {
            // The conversion saturates, so no coordinate leaves the lattice.
            let at = ((point[d] - self.corner[d]) * self.scale) as u32;
            place[d] = at.min((1 << MAX_LEVEL) - 1);
        }
        code_of(place) >> (3 * (MAX_LEVEL - self.level))
    }
}

#[cfg(not(target_arch = "nvptx64"))]
impl Lattice {
    /// Boxes of `level` in `cube`.
    pub fn new(cube: &octree::Cube, level: u32) -> Self {
        let scale = f64::from(1 << MAX_LEVEL) / cube.side();
        Self { corner: cube.corner(), scale, level }
    }
}

/// Arguments of [`KEYS_F32`] and [`KEYS_F64`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Keys<T> {
    /// n points: x, y, z and anything.
    pub points: View<Vec4<T>>,
    /// n keys.
    pub keys: ViewMut<u64>,
    /// One word, set to 0 for the kernels that follow.
    pub is_crowded: ViewMut<u32>,
    /// Where boxes are.
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
    /// Sorted place → the caller's index, sources first; n items.
    pub permutation: View<u32>,
    /// n items: 1 for a source, 0 for a receiver.
    pub is_source: ViewMut<u32>,
    /// How many sources there are.
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
    /// n keys in sorted order.
    pub keys: View<u64>,
    /// Sorted place → the caller's index, sources first; n items.
    pub permutation: View<u32>,
    /// Sorted place → how many sources are before it; n + 1 items.
    pub sources_before: View<u32>,
    /// Keys of the sources.
    pub source_keys: ViewMut<u64>,
    /// Source's sorted place → the caller's index among the sources.
    pub source_permutation: ViewMut<u32>,
    /// Keys of the receivers.
    pub receiver_keys: ViewMut<u64>,
    /// Receiver's sorted place → the caller's index among the receivers.
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
    /// One thread a point.
    pub KEYS_F32 = keys, (Keys<f32>);
    /// One thread a point.
    pub KEYS_F64 = keys, (Keys<f64>);
    /// One thread a point.
    pub MARK_SOURCES = mark_sources, (MarkSources);
    /// One thread a point.
    pub PART_SETS = part_sets, (PartSets);
}
