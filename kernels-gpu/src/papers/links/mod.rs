//! Links `next` and `more` of Nakasato (2012), fig. 5: the tree as two flat arrays that a walk follows without a stack. The
//! twin on the host is `octree::papers::walk::Links`.
//!
//! Entries are the n particles (sources in sorted order), then the cells: entry n + b is box b of the tree. A cell of one
//! source is replaced by that particle wherever an entry points to it; cells without a source are not linked.

#[cfg(not(target_arch = "nvptx64"))]
mod driver;

#[cfg(not(target_arch = "nvptx64"))]
pub use driver::Links;

use crate::device::{Vec4, View, ViewMut, thread};
use crate::kernel;

/// End of a walk; −1 where links are read as signed numbers.
pub const END: u32 = u32::MAX;

/// Arguments of [`LINK_PARTICLES`] and [`LINK_CELLS`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct LinkEntries {
    /// Points of each box: source begin and end, and two more numbers.
    pub range: View<Vec4<u32>>,
    /// Parent of each box, B items.
    pub parent: View<u32>,
    /// Children, 8 B items.
    pub child: View<u32>,
    /// Octants with children of each box, B items.
    pub children: View<u32>,
    /// Key of each box, B items.
    pub key: View<u64>,
    /// Output, n + B items: entry that follows when an entry and all below it is done.
    pub next: ViewMut<u32>,
    /// Output, n + B items: entry that follows when a cell is opened.
    pub more: ViewMut<u32>,
    /// Number of particles n.
    pub n_particles: u32,
    /// First box of the level.
    pub begin: u32,
    /// One after the last box of the level.
    pub end: u32,
}

/// Links each particle to the next one; the last particle of each leaf is linked again later.
fn link_particles(args: LinkEntries) {
    let i = thread::index();
    if i < args.n_particles as usize {
        args.next.set(i, i as u32 + 1);
        args.more.set(i, END);
    }
}

/// Links the boxes of a level, after the level above, and the last particle of each leaf.
fn link_cells(args: LinkEntries) {
    let b = args.begin + thread::index() as u32;
    if b >= args.end {
        return;
    }
    let cell = (args.n_particles + b) as usize;
    let Vec4([begin, end, ..]) = args.range.get(b as usize);
    let (mut next, mut more) = (END, END);
    if begin < end {
        if b > 0 {
            let parent = args.parent.get(b as usize);
            let octant = (args.key.get(b as usize) % 8) as u32;
            next = match args.first_child(parent, octant + 1) {
                END => args.next.get((args.n_particles + parent) as usize),
                sibling => sibling,
            };
        }
        more = match args.first_child(b, 0) {
            END => begin,
            child => child,
        };
        if args.children.get(b as usize) == 0 {
            args.next.set(end as usize - 1, next);
        }
    }
    args.next.set(cell, next);
    args.more.set(cell, more);
}

impl LinkEntries {
    /// Entry of the first child of box `b` from octant `octant` on that holds a source.
    #[inline(always)]
    fn first_child(self, b: u32, octant: u32) -> u32 {
        let mut rest = self.children.get(b as usize) >> octant << octant;
        while rest != 0 {
            let octant = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let child = self.child.get(octant * self.parent.len() + b as usize);
            let Vec4([begin, end, ..]) = self.range.get(child as usize);
            match end - begin {
                0 => {}
                1 => return begin,
                _ => return self.n_particles + child,
            }
        }
        END
    }
}

kernel! {
    /// Links particles: one thread a particle.
    pub LINK_PARTICLES = link_particles, (LinkEntries);
    /// Links cells: one thread a box of a level.
    pub LINK_CELLS = link_cells, (LinkEntries);
}
