//! The treecode's upward pass: centres of charge and multipoles about them.

use expansions::layout::n_coefficients;
use expansions::operators::{Cells, p2m};
use expansions::{BoxPoints, Gradient, Harmonics};
use octree::upward;
use rayon::prelude::*;

use super::opening::{Cell, CellShape, Opening};
use crate::Scalar;
use crate::hierarchy::Hierarchy;

/// All cells of a tree, by box number.
#[derive(Clone, Debug, Default)]
pub(crate) struct CellData<T> {
    pub(crate) shapes: Vec<CellShape>,
    /// Σ q, for the monopole.
    pub(crate) charges: Vec<T>,
    /// Centres of charge by coordinate, for the monopole.
    pub(crate) centers: [Vec<T>; 3],
    /// For orders above 1.
    pub(crate) multipoles: Cells<T>,
}

/// Σ |q|, Σ |q| x and Σ q.
#[derive(Clone, Copy, Default)]
struct Moments {
    weight: f64,
    weighted: [f64; 3],
    charge: f64,
}

impl Moments {
    fn with(mut self, charge: f64, at: [f64; 3]) -> Self {
        let weight = charge.abs();
        self.weight += weight;
        self.charge += charge;
        for (sum, x) in self.weighted.iter_mut().zip(at) {
            *sum += weight * x;
        }
        self
    }

    fn and(mut self, other: &Self) -> Self {
        self.weight += other.weight;
        self.charge += other.charge;
        for (sum, x) in self.weighted.iter_mut().zip(other.weighted) {
            *sum += x;
        }
        self
    }
}

/// The tables that making multipoles takes.
pub(crate) struct Tables<'a, T> {
    pub(crate) harmonics: &'a Harmonics<T>,
    /// Of one order more.
    pub(crate) gradient: &'a Gradient<T>,
}

/// Boxes that one task takes at least.
const TASK: usize = 32;

impl<T: Scalar> CellData<T> {
    /// Centres, shapes and multipoles from charges in tree order. Every cell's multipole is made from
    /// its points: O(N · levels), little beside the walk.
    pub(crate) fn update(
        &mut self,
        hierarchy: &Hierarchy<T>,
        charges: &[T],
        opening: Opening,
        least: f64,
        tables: &Tables<'_, T>,
    ) {
        let tree = &hierarchy.tree;
        let moments = upward(tree, |b, children: &[Moments]| {
            if !tree.is_leaf(b) {
                return children.iter().fold(Moments::default(), Moments::and);
            }
            let [x, y, z] = hierarchy.sources().slices(tree.sources(b));
            let points = charges[tree.sources(b)].iter().zip(x).zip(y).zip(z);
            points.fold(Moments::default(), |moments, (((q, x), y), z)| {
                moments.with(q.widen(), [x.widen(), y.widen(), z.widen()])
            })
        });
        let cell = |(b, moments): (usize, &Moments)| {
            let (middle, side) = hierarchy.frame(b);
            let weight = moments.weight;
            let center =
                if weight > 0.0 { moments.weighted.map(|sum| sum / weight) } else { middle };
            // The multipole is made about the centre as T has it.
            let center = center.map(|c| T::narrow(c).widen());
            CellShape::new(opening, &Cell { center, middle, side, weight }, least)
        };
        moments.par_iter().enumerate().map(cell).collect_into_vec(&mut self.shapes);
        self.charges.clear();
        self.charges.extend(moments.iter().map(|moments| T::narrow(moments.charge)));
        for (axis, centers) in self.centers.iter_mut().enumerate() {
            centers.clear();
            centers.extend(self.shapes.iter().map(|shape| T::narrow(shape.center[axis])));
        }
        if tables.harmonics.order() > 1 {
            self.expand(hierarchy, charges, tables);
        }
    }

    fn expand(&mut self, hierarchy: &Hierarchy<T>, charges: &[T], tables: &Tables<'_, T>) {
        let (tree, order) = (&hierarchy.tree, tables.harmonics.order());
        self.multipoles.reset(order, tree.n_boxes());
        let blocks = self.multipoles.blocks_mut().par_chunks_mut(Cells::<T>::block_length(order));
        let blocks = blocks.enumerate().with_min_len(TASK);
        let start = || (BoxPoints::new(), vec![T::ZERO; n_coefficients(order)]);
        blocks.for_each_init(start, |(points, multipole), (b, block)| {
            let sources = tree.sources(b);
            // A cell of one source is never accepted: the walk takes the source itself.
            if sources.len() < 2 {
                return;
            }
            let (_, side) = hierarchy.frame(b);
            let center = self.shapes[b].center;
            points.set(center, side, hierarchy.sources().slices(sources.clone()));
            multipole.fill(T::ZERO);
            p2m(tables.harmonics, points, &charges[sources], multipole);
            Cells::fill_block(block, order, tables.gradient, center, side, multipole);
        });
    }

    /// Takes over multipoles about the boxes' centres, rows of `row_length` numbers.
    pub(crate) fn take(
        &mut self,
        hierarchy: &Hierarchy<T>,
        multipoles: &[T],
        row_length: usize,
        tables: &Tables<'_, T>,
    ) {
        let order = tables.harmonics.order();
        self.multipoles.reset(order, hierarchy.tree.n_boxes());
        let blocks = self.multipoles.blocks_mut().par_chunks_mut(Cells::<T>::block_length(order));
        let blocks = blocks.zip(multipoles.par_chunks(row_length)).enumerate().with_min_len(TASK);
        blocks.for_each(|(b, (block, multipole))| {
            let (center, side) = hierarchy.frame(b);
            Cells::fill_block(block, order, tables.gradient, center, side, multipole);
        });
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.shapes.len() * (size_of::<CellShape>() + 4 * size_of::<T>()) + self.multipoles.bytes()
    }
}
