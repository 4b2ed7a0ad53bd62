//! Cells of the treecode: centres of charge and multipoles about them, made by its upward pass.

mod opening;

use std::ops::Range;

use expansions::layout::n_coefficients;
use expansions::operators::{CellMaker, Cells, p2m};
use expansions::{BoxPoints, Gradient, Harmonics};
use octree::upward;

use crate::choose::Walk;
use crate::cpu::geometry::Geometry;
use crate::engine::{Scalar, make_room};
pub(crate) use opening::{CellShape, TestedCell};

/// Bytes of a cell besides its multipole: shape and monopole.
pub(crate) const CELL_BYTES: usize = size_of::<CellShape>() + size_of::<f64>();

/// All cells of a tree, by box number.
#[derive(Clone, Debug, Default)]
pub(crate) struct CellData<T> {
    pub(crate) shapes: Vec<CellShape>,
    /// Monopoles Σ q.
    pub(crate) charges: Vec<f64>,
    /// Multipoles of orders above 1, where cells act in the points' precision.
    pub(crate) multipoles: Cells<T>,
    /// Multipoles where cells act in f32.
    pub(crate) short: Cells<f32>,
}

/// Moments Σ |q|, Σ |q| x and Σ q of a box.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Moments {
    weight: f64,
    weighted: [f64; 3],
    pub(crate) charge: f64,
}

/// Moments of all boxes of a tree, from charges in tree order.
pub(crate) fn moments<T: Scalar>(geometry: &Geometry<T>, charges: &[T]) -> Vec<Moments> {
    let tree = &geometry.tree;
    upward(tree, |b, children: &[Moments]| {
        if !tree.is_leaf(b) {
            return Moments::of_children(children);
        }
        let [x, y, z] = geometry.sources().slices(tree.sources(b));
        let points = charges[tree.sources(b)].iter().zip(x).zip(y).zip(z);
        points.fold(Moments::default(), |moments, (((q, x), y), z)| {
            moments.with(q.widen(), [x.widen(), y.widen(), z.widen()])
        })
    })
}

impl Moments {
    /// The moments of a box with these children.
    pub(crate) fn of_children(children: &[Self]) -> Self {
        children.iter().fold(Self::default(), Self::and)
    }

    pub(crate) fn to_array(self) -> [f64; 5] {
        let [x, y, z] = self.weighted;
        [self.weight, x, y, z, self.charge]
    }

    pub(crate) fn from_array([weight, x, y, z, charge]: [f64; 5]) -> Self {
        Self { weight, weighted: [x, y, z], charge }
    }

    /// The cell of a box in this frame.
    pub(crate) fn cell(
        &self,
        (middle, side): ([f64; 3], f64),
        children: Range<usize>,
        sources: Range<usize>,
    ) -> TestedCell {
        let weight = self.weight;
        let center = if weight > 0.0 { self.weighted.map(|sum| sum / weight) } else { middle };
        TestedCell { center, middle, side, weight, children, sources }
    }

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

/// Tables for making multipoles of cells.
#[derive(Clone, Copy)]
pub(crate) struct CellTables<'a, T> {
    pub(crate) harmonics: &'a Harmonics<T>,
    /// Gradient factors of one order more.
    pub(crate) gradient: &'a Gradient<T>,
}

/// Boxes that one task takes at least: with leaves of 32 points, some 100 µs of work.
const TASK: usize = 32;

impl<T: Scalar> CellData<T> {
    /// Centres and shapes from charges in tree order.
    pub(crate) fn update(
        &mut self,
        geometry: &Geometry<T>,
        charges: &[T],
        walk: &Walk,
        least: f64,
    ) {
        self.take_moments(geometry, &moments(geometry, charges), walk, least);
    }

    /// Centres and shapes from the moments of all boxes.
    pub(crate) fn take_moments(
        &mut self,
        geometry: &Geometry<T>,
        moments: &[Moments],
        walk: &Walk,
        least: f64,
    ) {
        let tree = &geometry.tree;
        let shape = |b: usize| {
            let cell = moments[b].cell(geometry.frame(b), tree.children(b), tree.sources(b));
            CellShape::new(walk, &cell, least)
        };
        make_room(&mut self.shapes, moments.len());
        parallel::fill(&mut self.shapes, TASK, shape);
        self.charges.clear();
        self.charges.extend(moments.iter().map(|moments| moments.charge));
    }

    /// Multipoles about the centres, in blocks of which there are `n_blocks`: those behind the tree's boxes are for others.
    /// Every cell's is made from its points: O(N · levels), little beside the walk.
    pub(crate) fn expand(
        &mut self,
        walk: &Walk,
        geometry: &Geometry<T>,
        charges: &[T],
        tables: &CellTables<'_, T>,
        n_blocks: usize,
    ) {
        let Self { shapes, multipoles, short: short_multipoles, .. } = self;
        if walk.f32_cells {
            short_multipoles.reset(tables.harmonics.order(), n_blocks);
            expand(shapes, geometry, charges, tables, short_multipoles);
        } else {
            multipoles.reset(tables.harmonics.order(), n_blocks);
            expand(shapes, geometry, charges, tables, multipoles);
        }
    }

    /// Makes cells of multipoles about the boxes' centres, rows of `row_length` numbers.
    pub(crate) fn take(
        &mut self,
        geometry: &Geometry<T>,
        multipoles: &[T],
        row_length: usize,
        tables: &CellTables<'_, T>,
    ) {
        let order = tables.harmonics.order();
        let n_boxes = geometry.tree.n_boxes();
        self.shapes.clear();
        self.shapes.extend((0..n_boxes).map(|b| CellShape::at(geometry.frame(b).0)));
        self.multipoles.reset(order, n_boxes);
        let (form, blocks) = self.multipoles.parts_mut();
        let length = Cells::<T>::block_length(order);
        let tasks = blocks.chunks_mut(TASK * length).zip(multipoles.chunks(TASK * row_length));
        parallel::for_parts(tasks, |task, (blocks, multipoles)| {
            let mut maker = CellMaker::new(tables.harmonics, tables.gradient);
            let blocks = blocks.chunks_mut(length).zip(multipoles.chunks(row_length));
            for (b, (block, multipole)) in (task * TASK..).zip(blocks) {
                let (_, side) = geometry.frame(b);
                maker.from_multipole(side, multipole, form, block);
            }
        });
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.shapes.len() * CELL_BYTES + self.multipoles.bytes() + self.short.bytes()
    }
}

fn expand<T: Scalar, F: Scalar>(
    shapes: &[CellShape],
    geometry: &Geometry<T>,
    charges: &[T],
    tables: &CellTables<'_, T>,
    cells: &mut Cells<F>,
) {
    let order = tables.harmonics.order();
    let (form, blocks) = cells.parts_mut();
    let length = Cells::<F>::block_length(order);
    let tasks = blocks.chunks_mut(TASK * length).zip(shapes.chunks(TASK));
    parallel::for_parts(tasks, |task, (blocks, shapes)| {
        let mut maker = CellMaker::new(tables.harmonics, tables.gradient);
        let cells = blocks.chunks_mut(length).zip(shapes);
        for (b, (block, shape)) in (task * TASK..).zip(cells).filter(|cell| cell.1.1.acts()) {
            let sources = geometry.tree.sources(b);
            let (_, side) = geometry.frame(b);
            if sources.len() > MANY {
                let multipole =
                    multipole_of(geometry, shape.center, side, sources, charges, tables);
                maker.from_multipole(side, &multipole, form, block);
                continue;
            }
            let points = geometry.sources().slices(sources.clone());
            maker.from_charges(shape.center, side, points, &charges[sources], form, block);
        }
    });
}

/// Sources of a cell that one task takes, at most: the cells at the root have as much work as all leaves.
const MANY: usize = 1 << 13;

/// The multipole of many sources about a centre, in lengths of `side`. They are taken in parts of a fixed length: the same
/// bits for any number of threads.
pub(crate) fn multipole_of<T: Scalar>(
    geometry: &Geometry<T>,
    center: [f64; 3],
    side: f64,
    sources: Range<usize>,
    charges: &[T],
    tables: &CellTables<'_, T>,
) -> Vec<T> {
    let n = n_coefficients(tables.harmonics.order());
    let parts = parallel::map_ranges(sources, MANY, |part| {
        let mut points = BoxPoints::new();
        points.set(center, side, geometry.sources().slices(part.clone()));
        let mut multipole = vec![T::ZERO; n];
        p2m(tables.harmonics, &points, &charges[part], &mut multipole);
        multipole
    });
    let mut multipole = vec![T::ZERO; n];
    for part in parts {
        multipole.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
    }
    multipole
}
