//! The links `next` and `more`: the tree as two flat arrays that a walk follows without a stack.

use super::visitor::Visitor;
use crate::error::Error;
use crate::tree::csr::concat;
use crate::tree::octree::Octree;

/// The end of a walk; −1 where links are read as signed numbers, as Nakasato's kernel does.
pub const END: u32 = u32::MAX;

/// Items that one task takes at least.
const TASK: usize = 1 << 10;

/// Nakasato's links over one array of entries: the n particles (sources), then the cells (boxes).
///
/// Entry i < n is a particle, entry n + b is the cell with box number b. These arrays are what the
/// paper's appendix calls `next` and `more`, and go to a device as they are. The arrays that the caller adds
/// have the same n + n_boxes entries: position and mass of particles and cells, softening of particles and
/// squared effective size of cells.
///
/// | entry | `more` | `next` |
/// |---|---|---|
/// | particle | [`END`] | the next particle of its leaf, then what follows the leaf |
/// | cell with children | its first child | its next sibling, or else what follows its parent |
/// | leaf | its first particle | the same |
///
/// Children come in Morton order. A cell of one source is replaced by that particle wherever an entry
/// points to it, so with leaves of one particle the leaves are the particles, as in the paper. Cells without a
/// source are not linked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Links {
    n_particles: usize,
    root: u32,
    next: Vec<u32>,
    more: Vec<u32>,
    /// Particle → the caller's index.
    permutation: Vec<u32>,
}

impl Links {
    /// The links of a tree's sources, in tree (Morton) order. O(N), level by level in parallel.
    ///
    /// # Errors
    /// [`Error::TooManyEntries`].
    pub fn build(tree: &Octree) -> Result<Links, Error> {
        let n = tree.n_sources();
        let count = n + tree.n_boxes();
        if count >= END as usize {
            return Err(Error::TooManyEntries { count });
        }
        let next_cells = next_of_cells(tree);
        let next_particles = next_of_particles(tree, &next_cells);
        let more_cells = parallel::collect(tree.n_boxes(), TASK, |b| more(tree, b));
        Ok(Links {
            n_particles: n,
            root: if n == 0 { END } else { entry(tree, 0) },
            next: concat(&[&next_particles, &next_cells]),
            more: concat(&[&vec![END; n], &more_cells]),
            permutation: tree.source_permutation().to_vec(),
        })
    }

    /// Links with the particles numbered along another curve. The walk visits the same particles in the
    /// same sequence; only their numbers, and so the places of their data, differ.
    ///
    /// `permutation`: number → the caller's index; a permutation, such as
    /// [`curve::permutation`](crate::papers::curve::permutation) gives. The identity leaves the caller's arrays as
    /// they are: Nakasato's unsorted particles.
    ///
    /// # Errors
    /// [`Error::WrongLength`], [`Error::NotAPermutation`].
    pub fn permuted(&self, permutation: &[u32]) -> Result<Links, Error> {
        let n = self.n_particles;
        if permutation.len() != n {
            return Err(Error::WrongLength {
                what: "permutation",
                expected: n,
                found: permutation.len(),
            });
        }
        // The caller's index → its number, then tree position → its number.
        let mut numbers = vec![END; n];
        for (number, &caller) in permutation.iter().enumerate() {
            match numbers.get_mut(caller as usize) {
                Some(free) if *free == END => *free = number as u32,
                _ => return Err(Error::NotAPermutation { index: number, value: caller }),
            }
        }
        let mut positions = vec![0; n];
        for (position, &caller) in self.permutation.iter().enumerate() {
            positions[numbers[caller as usize] as usize] = position;
        }
        let renumber = |entry: u32| match self.permutation.get(entry as usize) {
            Some(&caller) => numbers[caller as usize],
            None => entry,
        };
        let next = |entry: usize| renumber(self.next[positions.get(entry).map_or(entry, |&at| at)]);
        Ok(Links {
            n_particles: n,
            root: renumber(self.root),
            next: parallel::collect(self.next.len(), TASK, next),
            more: parallel::collect(self.more.len(), TASK, |entry| renumber(self.more[entry])),
            permutation: permutation.to_vec(),
        })
    }

    /// Walks the tree from the root (Nakasato, fig. 6).
    #[inline]
    pub fn walk<V: Visitor + ?Sized>(&self, visitor: &mut V) {
        self.follow(self.root, END, visitor);
    }

    /// Walks `cell` and what is below it.
    #[inline]
    pub fn walk_below<V: Visitor + ?Sized>(&self, cell: usize, visitor: &mut V) {
        let start = self.entry(cell);
        if start != END {
            self.follow(start, self.next[start as usize], visitor);
        }
    }

    /// Number of particles, which are the entries below it.
    pub fn n_particles(&self) -> usize {
        self.n_particles
    }

    /// Number of cells, which are the boxes of the tree, linked or not.
    pub fn n_cells(&self) -> usize {
        self.next.len() - self.n_particles
    }

    /// The entry at which a walk begins; [`END`] without a source.
    pub fn root(&self) -> u32 {
        self.root
    }

    /// The entry that follows when an entry and all below it is done. Length n_particles + n_cells.
    pub fn next(&self) -> &[u32] {
        &self.next
    }

    /// The entry that follows when a cell is opened. Length n_particles + n_cells.
    pub fn more(&self) -> &[u32] {
        &self.more
    }

    /// Particle → the caller's index of the source. Length n_particles.
    pub fn permutation(&self) -> &[u32] {
        &self.permutation
    }

    #[inline]
    fn follow<V: Visitor + ?Sized>(&self, start: u32, end: u32, visitor: &mut V) {
        let mut at = start;
        while at != end {
            let entry = at as usize;
            if entry < self.n_particles {
                visitor.particle(entry);
                at = self.next[entry];
                continue;
            }
            let cell = entry - self.n_particles;
            if visitor.opens(cell) {
                at = self.more[entry];
            } else {
                visitor.cell(cell);
                at = self.next[entry];
            }
        }
    }

    /// The entry that stands for a cell: itself, its only particle, or none.
    fn entry(&self, cell: usize) -> u32 {
        let at = self.n_particles + cell;
        let first = self.more[at];
        let is_only =
            (first as usize) < self.n_particles && self.next[first as usize] == self.next[at];
        if first == END || is_only { first } else { at as u32 }
    }
}

/// The entry that stands for box `b`, which holds a source.
fn entry(tree: &Octree, b: usize) -> u32 {
    let sources = tree.sources(b);
    let cell = tree.n_sources() + b;
    if sources.len() == 1 { sources.start as u32 } else { cell as u32 }
}

fn more(tree: &Octree, b: usize) -> u32 {
    let sources = tree.sources(b);
    if sources.is_empty() {
        return END;
    }
    let mut children = tree.children(b);
    match children.find(|&child| !tree.sources(child).is_empty()) {
        Some(child) => entry(tree, child),
        None => sources.start as u32,
    }
}

/// `next` of each box, from the root down.
fn next_of_cells(tree: &Octree) -> Vec<u32> {
    let mut next = vec![END; tree.n_boxes()];
    for level in 1..tree.n_levels() {
        let boxes = tree.level(level);
        let (above, rest) = next.split_at_mut(boxes.start);
        parallel::for_chunks(&mut rest[..boxes.len()], TASK, |first, links| {
            for (b, next) in (boxes.start + first..).zip(links) {
                if let (false, Some(parent)) = (tree.sources(b).is_empty(), tree.parent(b)) {
                    let mut siblings = b + 1..tree.children(parent).end;
                    let sibling = siblings.find(|&sibling| !tree.sources(sibling).is_empty());
                    *next = sibling.map_or(above[parent], |sibling| entry(tree, sibling));
                }
            }
        });
    }
    next
}

/// `next` of each particle in tree order: leaves in Morton order hold them one after the other.
fn next_of_particles(tree: &Octree, next_of_cells: &[u32]) -> Vec<u32> {
    let of_leaves = |_, leaves: &[u32]| {
        let mut next = Vec::new();
        for &leaf in leaves {
            let sources = tree.sources(leaf as usize);
            if let Some(last) = sources.end.checked_sub(1).filter(|_| !sources.is_empty()) {
                next.extend((sources.start + 1..=last).map(|i| i as u32));
                next.push(next_of_cells[leaf as usize]);
            }
        }
        next
    };
    let parts = parallel::map_parts(tree.leaves().chunks(TASK), of_leaves);
    concat(&parts.iter().map(Vec::as_slice).collect::<Vec<_>>())
}
