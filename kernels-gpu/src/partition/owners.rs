//! Points by owner, each owner's in the order in which they were.
//!
//! Blocks count the owners of a tile of points, a scan of these counts gives the first place of each owner of each tile, and
//! blocks put points there. Points are read twice and written once. Tiles are put in their places piece by piece, so that one
//! piece travels while the next one is made.

use crate::device::shared::{Arena, Shared};
use crate::device::{Real, Vec4, View, ViewMut, thread, warp};
use crate::sort::pass::rank;
use crate::tree::morton::precedes;
use crate::tree::points::Lattice;
use crate::{float_kernels, kernel};

/// Number of threads of a block.
pub const THREADS: u32 = 256;
/// Number of points of a tile.
pub const TILE: usize = ITEMS * THREADS as usize;

const ITEMS: usize = 8;
const WARPS: usize = THREADS as usize / 32;

/// Shared memory of a block in bytes, for this number of owners.
pub const fn shared_bytes(n_owners: usize) -> usize {
    4 * WARPS * (n_owners + 1)
}

/// Points, and who owns them.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct OwnedPoints<T> {
    /// Points (x, y, z, any), n.
    pub points: View<Vec4<T>>,
    /// Lattice of the deepest level.
    pub lattice: Lattice,
    /// Coordinates of the first box of [`MAX_LEVEL`](crate::tree::morton::MAX_LEVEL) of the second owner and those after it, along the curve, and anything.
    pub cuts: View<Vec4<u32>>,
    /// Tile of the first block.
    pub first_tile: u32,
}

impl<T: Real> OwnedPoints<T> {
    #[inline(always)]
    fn n_owners(self) -> usize {
        self.cuts.len() + 1
    }

    #[inline(always)]
    fn n_tiles(self) -> usize {
        self.points.len().div_ceil(TILE)
    }

    #[inline(always)]
    fn owner(self, point: Vec4<T>) -> u32 {
        let place = self.lattice.place(point);
        let mut owner = 0;
        for cut in 0..self.cuts.len() {
            let Vec4([x, y, z, _]) = self.cuts.get(cut);
            owner += u32::from(!precedes(place, [x, y, z]));
        }
        owner
    }

    /// Tile of the block.
    #[inline(always)]
    fn tile(self) -> usize {
        (self.first_tile + thread::block_idx_x()) as usize
    }
}

/// Tile of a block: the points of a thread, 32 apart, and their owners.
struct Tile<T> {
    /// Index of the thread's first point.
    start: usize,
    points: [Vec4<T>; ITEMS],
    /// Owner of each point; one more than the last for places beyond the last point.
    owners: [u32; ITEMS],
    /// Number of points of the same owner that the warp has before each.
    ranks: [u32; ITEMS],
    /// Number of points by warp and owner.
    counts: Shared<u32>,
    /// Counts of one warp.
    stride: usize,
}

impl<T: Real> Tile<T> {
    /// Loads a tile and counts owners. All threads call it, and find all counts when it returns.
    #[inline(always)]
    fn load(of: OwnedPoints<T>) -> Self {
        let (t, lane) = (thread::thread_idx_x() as usize, warp::lane_id() as usize);
        let stride = of.n_owners() + 1;
        let counts = Arena::new().array::<u32>(WARPS * stride);
        let own = counts.part(t / 32 * stride, stride);
        let mut owner = lane;
        while owner < stride {
            own.set(owner, 0);
            owner += 32;
        }
        warp::sync_warp();
        let start = of.tile() * TILE + t / 32 * (32 * ITEMS) + lane;
        let mut points = [Vec4([T::ZERO; 4]); ITEMS];
        for (j, point) in points.iter_mut().enumerate() {
            if start + 32 * j < of.points.len() {
                *point = of.points.get(start + 32 * j);
            }
        }
        let bits = usize::BITS - of.n_owners().leading_zeros();
        let (mut owners, mut ranks) = ([of.n_owners() as u32; ITEMS], [0; ITEMS]);
        for j in 0..ITEMS {
            if start + 32 * j < of.points.len() {
                owners[j] = of.owner(points[j]);
            }
            ranks[j] = rank(own, owners[j], bits);
        }
        thread::sync_threads();
        Self { start, points, owners, ranks, counts, stride }
    }
}

/// Arguments of [`COUNT_OWNERS`]: a block is a tile.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CountOwners<T> {
    /// The points.
    pub of: OwnedPoints<T>,
    /// Output, owner by owner: number of points in each tile; the last item is left alone.
    pub counts: ViewMut<u32>,
}

#[inline(always)]
fn count_owners<T: Real>(args: CountOwners<T>) {
    let tile = Tile::load(args.of);
    let mut owner = thread::thread_idx_x() as usize;
    while owner < args.of.n_owners() {
        let mut count = 0;
        for w in 0..WARPS {
            count += tile.counts.get(w * tile.stride + owner);
        }
        args.counts.set(owner * args.of.n_tiles() + args.of.tile(), count);
        owner += THREADS as usize;
    }
}

/// Arguments of [`OWNER_STARTS`]: a thread is a piece of an owner, and one more.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct OwnerStarts {
    /// Number of points before each owner of each tile, owner by owner, then of all.
    pub before: View<u32>,
    /// Number of tiles.
    pub n_tiles: u32,
    /// Number of pieces of the tiles: those of a piece follow each other.
    pub n_pieces: u32,
    /// Output, owner by owner: first place of each piece, then the number of points.
    pub starts: ViewMut<u32>,
}

/// First tile of a piece.
pub(super) const fn first_tile(piece: usize, n_tiles: usize, n_pieces: usize) -> usize {
    piece * n_tiles / n_pieces
}

fn owner_starts(args: OwnerStarts) {
    let at = thread::index();
    if at < args.starts.len() {
        let [n_tiles, n_pieces] = [args.n_tiles, args.n_pieces].map(|n| n as usize);
        let (owner, piece) = (at / n_pieces, at % n_pieces);
        let before = owner * n_tiles + first_tile(piece, n_tiles, n_pieces);
        args.starts.set(at, args.before.get(before));
    }
}

/// Arguments of [`PART_POINTS`]: a block is a tile.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PartPoints<T> {
    /// The points.
    pub of: OwnedPoints<T>,
    /// Number of points before each owner of each tile, owner by owner, then of all.
    pub before: View<u32>,
    /// Owner whose points are not with the others.
    pub own: u32,
    /// Output: index of each point in the order of owners.
    pub permutation: ViewMut<u32>,
    /// Output: points (x, y, z) of the other owners, at their places in the order of owners: three numbers a point.
    pub leaving: ViewMut<T>,
    /// Output: points of `own`, one after the other.
    pub staying: ViewMut<Vec4<T>>,
}

#[inline(always)]
fn part_points<T: Real>(args: PartPoints<T>) {
    let Tile { start, points, owners, ranks, counts, stride } = Tile::load(args.of);
    let (t, n_tiles) = (thread::thread_idx_x() as usize, args.of.n_tiles());
    let mut owner = t;
    while owner < args.of.n_owners() {
        let mut place = args.before.get(owner * n_tiles + args.of.tile());
        for w in 0..WARPS {
            let count = counts.get(w * stride + owner);
            counts.set(w * stride + owner, place);
            place += count;
        }
        owner += THREADS as usize;
    }
    thread::sync_threads();
    let first_of_own = args.before.get(args.own as usize * n_tiles);
    for j in 0..ITEMS {
        if start + 32 * j < args.of.points.len() {
            let place = counts.get(t / 32 * stride + owners[j] as usize) + ranks[j];
            args.permutation.set(place as usize, (start + 32 * j) as u32);
            if owners[j] == args.own {
                args.staying.set((place - first_of_own) as usize, points[j]);
            } else {
                let Vec4([x, y, z, _]) = points[j];
                for (axis, coordinate) in [x, y, z].into_iter().enumerate() {
                    args.leaving.set(3 * place as usize + axis, coordinate);
                }
            }
        }
    }
}

kernel! {
    /// First place of each piece of each owner: one thread each, and one more.
    pub OWNER_STARTS = owner_starts, (OwnerStarts);
}

float_kernels! {
    /// Owners of points by tile: one block a tile.
    pub COUNT_OWNERS<T: Real> = count_owners, CountOwners;
    /// Points in the order of their owners: one block a tile of a piece.
    pub PART_POINTS<T: Real> = part_points, PartPoints;
}
