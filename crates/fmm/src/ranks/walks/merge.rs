//! The merge: cells of this rank, cells at the top of the tree, and cells of others, in one array for the walks.

use std::ops::Range;

use octree::partition::TopTree;
use octree::walk::WalkCell;

use crate::api::Error;
use crate::cpu::{CellData, CellShape, Moments};
use crate::engine::Scalar;

/// Words of the cells that come from each rank, by rank; see [`Export`](super::exports::Export).
pub(super) type Coming = Vec<Vec<[u64; 8]>>;

/// Numbers of cells: first the boxes of this rank's part, then those at the top, then those that come from others and are
/// not at the top, rank after rank. Cell 0 is the root: that of the part, which the one of the top replaces.
pub(super) struct Numbering {
    /// Boxes of this rank's part.
    pub(super) n_part: usize,
    /// Cells in all.
    pub(super) n: usize,
    /// Boxes at the top that each rank owns, by rank.
    owned: Vec<Vec<usize>>,
    /// Number of the first cell of each rank that is not at the top.
    bases: Vec<usize>,
    /// Place of the first source of each rank among all.
    pub(super) sources: Vec<usize>,
    rank: usize,
}

impl Numbering {
    /// The numbers of cells that came, beside a part of `n_part` boxes and `n_sources` sources. Refuses cells that do not
    /// fit each other.
    pub(super) fn new(
        (rank, n_part, n_sources): (usize, usize, usize),
        top: &TopTree,
        coming: &Coming,
    ) -> Result<Self, Error> {
        let n_ranks = coming.len();
        let owned: Vec<Vec<usize>> =
            (0..n_ranks).map(|rank| top.owned_by(rank).collect()).collect();
        let (mut n, mut n_before) = (n_part + top.boxes().len(), 0);
        let (mut bases, mut sources) = (Vec::new(), Vec::new());
        for (of, (cells, owned)) in coming.iter().zip(&owned).enumerate() {
            let below: u64 = cells.iter().map(|words| words[6]).sum();
            if !cells.is_empty() && owned.len() as u64 + below != cells.len() as u64 {
                return Err(distributed::Error::Unreadable { rank: of }.into());
            }
            bases.push(n);
            sources.push(n_before);
            n += below as usize;
            n_before += if of == rank { n_sources } else { n_coming(cells) };
        }
        // Numbers and places are 32 bits wide.
        match u32::try_from(n.max(n_before)) {
            Ok(_) => Ok(Self { n_part, n, owned, bases, sources, rank }),
            Err(_) => Err(octree::Error::TooManyEntries { count: n.max(n_before) }.into()),
        }
    }

    /// The number of a box at the top.
    pub(super) fn of_top(&self, at: usize) -> usize {
        self.n_part + at
    }

    /// The number of cell `i` of those that come from a rank.
    pub(super) fn of_coming(&self, rank: usize, i: usize) -> usize {
        match self.owned[rank].get(i) {
            Some(at) => self.of_top(*at),
            None => self.bases[rank] + i - self.owned[rank].len(),
        }
    }

    /// Boxes at the top that this rank owns.
    pub(super) fn own_top(&self) -> &[usize] {
        &self.owned[self.rank]
    }
}

/// Sources that come with cells.
pub(super) fn n_coming(cells: &[[u64; 8]]) -> usize {
    cells.iter().map(|words| words[7] as u32).max().unwrap_or(0) as usize
}

/// Whether a cell that comes acts as a whole on some receivers.
pub(super) fn acts(words: &[u64; 8]) -> bool {
    shape(words).acts()
}

fn shape(&[x, y, z, floor2, reach2, ..]: &[u64; 8]) -> CellShape {
    CellShape::from_words([x, y, z, floor2, reach2])
}

/// Cells at the top of the tree.
pub(super) struct TopCells<'a> {
    pub(super) tree: &'a TopTree,
    pub(super) moments: &'a [Moments],
    pub(super) shapes: &'a [CellShape],
}

/// Puts the shapes and monopoles of all cells behind those of this rank's part, and links them.
pub(super) fn merge<T: Scalar>(
    numbering: &Numbering,
    top: &TopCells<'_>,
    coming: &Coming,
    cells: &mut CellData<T>,
) {
    let CellData { shapes, charges, .. } = cells;
    let before = numbering.sources[numbering.rank];
    for shape in shapes.iter_mut() {
        let ([start, end], sources) = (shape.children().map(|b| b as usize), ends(shape));
        *shape = shape.with_content(start..end, sources.start + before..sources.end + before);
    }
    shapes.resize(numbering.n, CellShape::default());
    charges.resize(numbering.n, 0.0);
    for (rank, cells) in coming.iter().enumerate() {
        let mut next = numbering.owned[rank].len();
        for (i, words) in cells.iter().enumerate() {
            let number = numbering.of_coming(rank, i);
            let first = numbering.of_coming(rank, next);
            let (n_children, places) = (words[6] as usize, words[7]);
            let [start, end] = [places >> 32, places & 0xffff_ffff]
                .map(|at| numbering.sources[rank] + at as usize);
            shapes[number] = shape(words).with_content(first..first + n_children, start..end);
            charges[number] = f64::from_bits(words[5]);
            next += n_children;
        }
    }
    for (at, of_top) in top.tree.boxes().iter().enumerate().rev() {
        let number = numbering.of_top(at);
        if of_top.owner.is_none() {
            let children = of_top.children.clone().map(|child| numbering.of_top(child));
            let of_children = children.clone().map(|child| ends(&shapes[child]));
            let sources = of_children.reduce(|all, next| all.start..next.end).unwrap_or(0..0);
            let first = numbering.of_top(of_top.children.start);
            let children = first..first + of_top.children.len();
            shapes[number] = top.shapes[at].with_content(children, sources);
            charges[number] = top.moments[at].charge;
        } else if let (true, Some(b)) = (of_top.owner == Some(numbering.rank), of_top.in_part) {
            (shapes[number], charges[number]) = (shapes[b], charges[b]);
        }
    }
    if !top.tree.boxes().is_empty() {
        let root = numbering.of_top(0);
        (shapes[0], charges[0]) = (shapes[root], charges[root]);
    }
}

fn ends(shape: &CellShape) -> Range<usize> {
    let [start, end] = shape.sources().map(|at| at as usize);
    start..end
}
