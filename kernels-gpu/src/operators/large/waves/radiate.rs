//! Modes to waves, merged about the centres of families. A lane is a family, the children of a box.
//!
//! Waves of single boxes are never in memory: those of a child are made in registers, four directions and their mirror
//! images at a time, and added to the family's set with the child's phase.

use crate::device::{Array, Real, Vec4, View, ViewMut, thread, warp};
use crate::operators::large::blocks::{NO_ROW, Tables, each_column};
use crate::operators::{Boxes, NONE};
use expansions::numerics::waves::{N_NUMBERS, number, set_of};

/// Directions of a block.
const ROWS: usize = 4;

/// Arguments of `radiate`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Radiate<T> {
    /// Tables.
    pub tables: Tables<T>,
    /// Blocks of the real parts, and of the imaginary parts with the same rows.
    pub blocks: [View<Vec4<u32>>; 2],
    /// The numbers of wave after wave.
    pub numbers: View<T>,
    /// The tree.
    pub boxes: Boxes<T>,
    /// Octant of the tree by that of the frame.
    pub octants: View<u32>,
    /// Modes up and down: number c of box i at c `count` + i.
    pub modes: [View<T>; 2],
    /// Box of number 0.
    pub first: u32,
    /// Number of boxes.
    pub count: u32,
    /// Boxes whose children the families are, [`NONE`] behind the last.
    pub families: View<u32>,
    /// Axes across the waves along which sets are apart.
    pub bounded: u32,
    /// Complex waves of one way.
    pub waves: u32,
    /// Way, set, part, wave, then family.
    pub sets: ViewMut<T>,
}

/// Real or imaginary parts at α and at π − α.
type Parts<T> = [Array<T, ROWS>; 2];

/// Merges the waves of children about their parent's centre, into sets: see `expansions`, `Shifts::merge`.
///
/// Cost: about M F/2 multiply-adds a child and node of M directions and F azimuthal indices.
#[inline(always)]
pub(crate) fn radiate<T: Real>(args: Radiate<T>) {
    let warps = thread::block_dim_x() / warp::SIZE;
    let block = thread::block_idx_y() * warps + thread::thread_idx_x() / warp::SIZE;
    let family = (thread::block_idx_x() * warp::SIZE + warp::lane_id()) as usize;
    let (way, number) = ((block & 1) as usize, (block >> 1) as usize);
    if family >= args.families.len() || number >= args.blocks[0].len() {
        return;
    }
    let parent = args.families.get(family);
    if parent == NONE {
        return;
    }
    for set in 0..2usize << args.bounded {
        let mut sums = [[Array::<T, ROWS>::filled(T::ZERO); 2]; 2];
        for octant in 0..8 {
            if set_of(args.bounded as usize, octant) != set {
                continue;
            }
            let child = args.boxes.child.get(
                args.octants.get(octant) as usize * args.boxes.count as usize + parent as usize,
            );
            if child != NONE {
                let i = (child - args.first) as usize;
                let parts = [0, 1].map(|part| args.parts(part, number, way, i));
                args.add(number, octant & 3, &parts, &mut sums);
            }
        }
        args.put([number, way, set ^ way], family, &sums);
    }
}

impl<T: Real> Radiate<T> {
    /// Real (`part` 0) or imaginary parts of a block of the waves of box `i`.
    #[inline(always)]
    fn parts(&self, part: usize, number: usize, way: usize, i: usize) -> Parts<T> {
        let Vec4([entry, column, _, sizes]) = self.blocks[part].get(number);
        let [a, b] = [(sizes & 0xfff) as usize, (sizes >> 12 & 0xfff) as usize];
        let modes = if way == 0 { self.modes[0] } else { self.modes[1] };
        let product = |columns: core::ops::Range<usize>| {
            let mut sums = Array::<T, ROWS>::filled(T::ZERO);
            let number = |k: usize| {
                let place = self.tables.columns.get(column as usize + k) as usize;
                modes.get(place * self.count as usize + i)
            };
            let add = |k: usize, x: T| {
                let Vec4(entries) = self.tables.entries.get(entry as usize + k);
                for row in 0..ROWS {
                    sums[row] = entries[row].mul_add(x, sums[row]);
                }
            };
            each_column(columns, number, add);
            sums
        };
        let (same, different) = (product(0..a), product(a..a + b));
        let mut parts = [same; 2];
        for row in 0..ROWS {
            parts[0][row] = same[row] + different[row];
            parts[1][row] = same[row] - different[row];
        }
        parts
    }

    /// First of the numbers of a row's wave, and whether there is one.
    #[inline(always)]
    fn wave(&self, number: usize, row: usize, mirrored: usize) -> Option<usize> {
        let Vec4([_, _, rows, _]) = self.blocks[0].get(number);
        let row = self.tables.rows.get(rows as usize + row);
        let half = self.waves as usize / 2;
        (row != NO_ROW).then_some(mirrored * half + row as usize)
    }

    /// Adds the waves of the child at `place` across, times the conjugate of its phase.
    #[inline(always)]
    fn add(&self, block: usize, place: usize, parts: &[Parts<T>; 2], sums: &mut [Parts<T>; 2]) {
        // λ(cos α + sin α)/2 for the corners on the diagonal, λ(cos α − sin α)/2 for the others.
        let phase = number::CHILD + if place == 0 || place == 3 { 0 } else { 2 };
        for mirrored in 0..2 {
            for row in 0..ROWS {
                let Some(wave) = self.wave(block, row, mirrored) else { continue };
                let cosine = self.numbers.get(wave * N_NUMBERS + phase);
                let sine = self.numbers.get(wave * N_NUMBERS + phase + 1);
                let sine = if place & 1 == 0 { sine } else { -sine };
                let [re, im] = [parts[0][mirrored][row], parts[1][mirrored][row]];
                let [to_re, to_im] = [sums[0][mirrored][row], sums[1][mirrored][row]];
                sums[0][mirrored][row] = re.mul_add(cosine, (-im).mul_add(sine, to_re));
                sums[1][mirrored][row] = im.mul_add(cosine, re.mul_add(sine, to_im));
            }
        }
    }

    /// Writes a block of a set of a way.
    #[expect(
        clippy::needless_range_loop,
        reason = "loops over constants keep the arrays in registers"
    )]
    #[inline(always)]
    fn put(&self, [block, way, set]: [usize; 3], family: usize, sums: &[Parts<T>; 2]) {
        let (scale, waves) =
            (if set & 1 == 1 { number::RISE } else { number::FALL }, self.waves as usize);
        let sets = 2usize << self.bounded;
        for mirrored in 0..2 {
            for row in 0..ROWS {
                let Some(wave) = self.wave(block, row, mirrored) else { continue };
                let scale = self.numbers.get(wave * N_NUMBERS + scale);
                for part in 0..2 {
                    let place = ((way * sets + set) * 2 + part) * waves + wave;
                    let at = place * self.families.len() + family;
                    self.sets.set(at, sums[part][mirrored][row] * scale);
                }
            }
        }
    }
}
