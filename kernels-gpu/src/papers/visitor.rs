//! General walk of Nakasato (2012), figs 4 and 6: along `next` and `more`, one thread a receiver. A visitor says what
//! is done at particles and cells.

use crate::device::{Vec4, View, ViewMut, thread};
use crate::direct::pair::Pair;
use crate::float_kernels;

/// End of a walk: −1 as a signed number.
pub const END: u32 = u32::MAX;

/// Visitor of particles and cells: the paper's three procedures.
pub trait Visitor {
    /// Whether a cell is too near to act as a whole: the paper's distance_test, negated.
    fn opens(&self, cell: u32) -> bool;
    /// Visits a particle that acts by itself: the paper's proc_particle.
    fn particle(&mut self, i: u32);
    /// Visits a cell that acts as a whole: the paper's proc_cell.
    fn cell(&mut self, cell: u32);
}

/// Links of a tree over n particles, then the cells, as in `octree::papers::walk::Links`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct LinkViews {
    /// Entry that follows when an entry is done.
    pub next: View<u32>,
    /// Entry that follows when a cell is opened.
    pub more: View<u32>,
    /// First entry; [`END`] without particles.
    pub root: u32,
    /// Number of particles n; entry n + b is cell b.
    pub n_particles: u32,
}

impl LinkViews {
    /// Walks from the root. Particles are called by their entry, cells by their number b.
    #[inline(always)]
    pub fn walk<V: Visitor>(self, visitor: &mut V) {
        let mut at = self.root;
        while at != END {
            let entry = at as usize;
            if at < self.n_particles {
                visitor.particle(at);
                at = self.next.get(entry);
            } else if visitor.opens(at - self.n_particles) {
                at = self.more.get(entry);
            } else {
                visitor.cell(at - self.n_particles);
                at = self.next.get(entry);
            }
        }
    }
}

/// Arguments of [`COUNT_WITHIN`]: a thread is a receiver.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CountWithin<T> {
    /// Links of the tree.
    pub links: LinkViews,
    /// Particles (x, y, z, any) in the links' order.
    pub particles: View<Vec4<T>>,
    /// Centre and half the side of each cell.
    pub cells: View<Vec4<T>>,
    /// Number of particles in each cell.
    pub counts: View<u32>,
    /// Receivers (x, y, z, any).
    pub receivers: View<Vec4<T>>,
    /// Squared radius.
    pub radius2: T,
    /// Output: number of particles within the radius of each receiver, which counts itself if it is a particle.
    pub within: ViewMut<u32>,
}

struct Counter<T> {
    args: CountWithin<T>,
    at: [T; 3],
    found: u32,
}

impl<T: Pair> Counter<T> {
    /// Squared distances of the nearest and the farthest point of a cell.
    #[inline(always)]
    fn nearest_and_farthest(&self, cell: u32) -> [T; 2] {
        let Vec4([x, y, z, half]) = self.args.cells.get(cell as usize);
        let d = [x - self.at[0], y - self.at[1], z - self.at[2]].map(|d| d.max(-d));
        [d.map(|d| (d - half).max(T::ZERO)), d.map(|d| d + half)].map(square)
    }
}

#[inline(always)]
fn square<T: Pair>([x, y, z]: [T; 3]) -> T {
    x.mul_add(x, y.mul_add(y, z * z))
}

impl<T: Pair> Visitor for Counter<T> {
    /// Opens cells that the surface of the sphere crosses, or nearly.
    #[inline(always)]
    fn opens(&self, cell: u32) -> bool {
        let [nearest, farthest] = self.nearest_and_farthest(cell);
        let margin = self.args.radius2 * T::from_f64(1e-5);
        nearest <= self.args.radius2 + margin && farthest >= self.args.radius2 - margin
    }

    #[inline(always)]
    fn particle(&mut self, i: u32) {
        let Vec4([x, y, z, _]) = self.args.particles.get(i as usize);
        let r2 = square([x - self.at[0], y - self.at[1], z - self.at[2]]);
        self.found += u32::from(r2 <= self.args.radius2);
    }

    #[inline(always)]
    fn cell(&mut self, cell: u32) {
        let [_, farthest] = self.nearest_and_farthest(cell);
        if farthest < self.args.radius2 {
            self.found += self.args.counts.get(cell as usize);
        }
    }
}

#[inline(always)]
fn count_within<T: Pair>(args: CountWithin<T>) {
    let i = thread::index();
    if i >= args.receivers.len() {
        return;
    }
    let Vec4([x, y, z, _]) = args.receivers.get(i);
    let mut counter = Counter { args, at: [x, y, z], found: 0 };
    args.links.walk(&mut counter);
    args.within.set(i, counter.found);
}

float_kernels! {
    /// Counts neighbours within a radius.
    pub COUNT_WITHIN<T: Pair> = count_within, CountWithin;
}
