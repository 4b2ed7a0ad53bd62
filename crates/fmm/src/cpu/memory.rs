//! Memory of a plan and an evaluation on the cores: estimated from counts, checked against the limit.
//!
//! The check is made three times: before the tree is built, with the size of a tree of evenly spread points; when tree
//! and lists stand, with their real size, since those of clusters are larger; and before an evaluation, with the number
//! of charge vectors and the order for their kind.

use expansions::Harmonics;
use expansions::layout::row_length;
use expansions::operators::{Cells, L2l, M2lForm, M2m, M2pTables, Waves};

use super::geometry::Geometry;
use crate::api::{Error, M2l, MemoryEstimate, Outputs, Request};
use crate::choose::{
    Algorithm, Chooser, Known, PointStatistics, Scheme, TreeStatistics, sent_numbers,
};
use crate::cpu::buffers::SENT_SLABS;
use crate::cpu::cells::CELL_BYTES;
use crate::cpu::expected::Expected;
use crate::cpu::geometry::BOX_BYTES;
use crate::cpu::geometry::families::FAMILY_BYTES;
use crate::engine::{ChargeKind, PointCounts, Scalar, TreeSize, available_memory};

/// Bytes below which the system is not asked for its available memory, which takes 50 µs.
pub(crate) const UNCHECKED_BYTES: usize = 16 << 20;

/// The size of a tree that stands.
pub(super) fn size_of_tree<T: Scalar>(geometry: &Geometry<T>) -> TreeSize {
    let boxes = geometry.tree.n_boxes();
    let families = boxes - geometry.tree.leaves().len();
    TreeSize { boxes: boxes as f64, families: families as f64 }
}

/// A sum whose memory is asked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Demand {
    pub(super) counts: PointCounts,
    pub(super) outputs: Outputs,
    pub(super) n_vectors: usize,
    pub(super) scheme: Scheme,
    pub(super) size: TreeSize,
}

impl Demand {
    /// All parts.
    pub(super) fn estimate<T: Scalar>(&self) -> MemoryEstimate {
        let Self { counts, scheme, size, .. } = self;
        let n_sources = counts.n_sources as f64;
        let n_receivers = counts.n_receivers as f64;
        let other = if counts.one_set { 0.0 } else { n_receivers };
        let points = 3.0 * (n_sources + other) * size_of::<T>() as f64;
        let tree = 4.0 * (n_sources + 2.0 * n_receivers) + size.boxes * BOX_BYTES as f64;
        let lists = match scheme.algorithm {
            Algorithm::TreecodeWalk(_) => 0.0,
            algorithm => {
                let [near, far] = size.list_lengths();
                // Of a pair of boxes the source box and the offset; by rotation or dense matrices, both boxes again.
                let pair = match algorithm.m2l() {
                    Some(M2l::Dense | M2l::Rotation) => 14.0,
                    _ => 6.0,
                };
                let families = size.families * FAMILY_BYTES as f64;
                size.leaves() * 4.0 * near + size.boxes * (32.0 + pair * far) + families
            }
        };
        let [points, tree, lists] = [points, tree, lists].map(|bytes| bytes as usize);
        MemoryEstimate { points, tree, lists, ..self.of_evaluation::<T>() }
    }

    /// Parts that an evaluation adds to the plan.
    pub(super) fn of_evaluation<T: Scalar>(&self) -> MemoryEstimate {
        let Self { counts, outputs, n_vectors, scheme, .. } = self;
        let [n_sources, n_receivers] = [counts.n_sources, counts.n_receivers].map(|n| n as f64);
        let vectors = *n_vectors as f64;
        let number = size_of::<T>() as f64;
        let (of_potential, of_gradient) = match outputs {
            Outputs::Potential => (1.0, 0.0),
            Outputs::Gradient => (0.0, 3.0),
            Outputs::PotentialAndGradient => (1.0, 3.0),
        };
        let outputs = 1.0 + of_gradient;
        // Compensation terms of the symmetric P2P, and results side by side on their way to the caller.
        let walks = scheme.algorithm.walks();
        let compensated = if counts.one_set && *n_vectors < 2 && !walks { outputs } else { 0.0 };
        let scattered = if of_gradient > 0.0 { 4.0 } else { 0.0 };
        let sums =
            vectors * (n_sources + outputs * n_receivers) + (compensated + scattered) * n_receivers;
        let fields = vectors * (of_potential + of_gradient) * n_receivers;
        let expected = match scheme.algorithm {
            Algorithm::Direct => 0.0,
            _ => size_of::<Expected>() as f64 * vectors * n_receivers,
        };
        let sums = (number * sums + expected) as usize;
        let fields = (number * fields) as usize;
        let expansions = self.expansions::<T>() as usize;
        MemoryEstimate {
            expansions,
            sums,
            fields,
            tables: self.tables::<T>() as usize,
            ..MemoryEstimate::default()
        }
    }

    /// Bytes of expansions, cells and waves, which one charge vector after the other uses.
    fn expansions<T: Scalar>(&self) -> f64 {
        let (number, boxes) = (size_of::<T>(), self.size.boxes);
        let row = |order: usize| boxes * (row_length(order) * number) as f64;
        let cell = |order: usize, number: usize| {
            boxes * (CELL_BYTES + Cells::<T>::block_length(order) * number) as f64
        };
        match self.scheme.algorithm {
            Algorithm::Direct => 0.0,
            Algorithm::Fmm { .. } if self.size.list_lengths()[1] == 0.0 => 0.0,
            Algorithm::Fmm { order, m2l } => {
                let waves = match m2l {
                    M2l::PlaneWaves => self.sent_families() * sent_numbers(order) as f64,
                    M2l::Dense | M2l::Rotation => 0.0,
                };
                2.0 * row(order) + SENT_SLABS as f64 * waves * number as f64
            }
            Algorithm::TreecodeLists { order } => row(order) + cell(order, number),
            Algorithm::TreecodeWalk(walk) if walk.order == 1 => cell(0, 0),
            Algorithm::TreecodeWalk(walk) => {
                cell(walk.order, if walk.f32_cells { size_of::<f32>() } else { number })
            }
        }
    }

    /// Families of a slab of the deepest level: whole planes of families.
    fn sent_families(&self) -> f64 {
        let deepest = 0.875 * self.size.families;
        let plane = deepest.powf(2.0 / 3.0).max(1.0);
        (plane * (self.scheme.shape.wave_slab as f64 / plane).ceil()).min(deepest.max(1.0))
    }

    /// Bytes of tables.
    fn tables<T: Scalar>(&self) -> f64 {
        let Some(order) = self.scheme.algorithm.order() else { return 0.0 };
        let at_points = Harmonics::<T>::table_numbers(order) + M2pTables::<T>::table_numbers(order);
        let of_boxes = self.scheme.algorithm.m2l().map_or(0, |m2l| {
            let of_m2l = match m2l {
                M2l::PlaneWaves => Waves::<T>::table_numbers(order),
                M2l::Rotation => M2lForm::Rotation.table_numbers(order),
                M2l::Dense => M2lForm::Dense.table_numbers(order),
            };
            of_m2l + M2m::<T>::table_numbers(order) + L2l::<T>::table_numbers(order)
        });
        (at_points + of_boxes) as f64 * size_of::<T>() as f64
    }
}

/// The sum of a request for points without a tree. The order is that for charges of one sign: an evaluation of other
/// charges is checked again.
pub(super) fn expected(
    request: &Request,
    chooser: &Chooser,
    points: &PointStatistics<'_>,
) -> Result<Demand, Error> {
    let counts = points.counts;
    let scheme = chooser.choose(Known::Points(points), Some(ChargeKind::Alike))?;
    // The memory that cores take was counted: it follows the tree of the smallest cube, without enlargement.
    let size = TreeSize::expected(scheme.shape.depth, 1.0, counts.n_points());
    // The tree decides on the form of M2L.
    let tree = TreeStatistics::of_size(&size, counts, scheme, points.dimension());
    let scheme = chooser.choose(Known::Tree(&tree), Some(ChargeKind::Alike))?;
    let (outputs, n_vectors) = (request.outputs, request.vectors);
    Ok(Demand { counts, outputs, n_vectors, scheme, size })
}

/// Memory that a call takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Need {
    /// Bytes in all.
    pub(crate) needed: usize,
    /// Bytes of them that are in use already.
    pub(crate) held: usize,
}

impl Need {
    /// The need of an evaluation on a geometry, with a workspace of `workspace` bytes.
    pub(crate) fn of_evaluation<T: Scalar>(
        request: &Request,
        geometry: &Geometry<T>,
        counts: PointCounts,
        scheme: Scheme,
        n_vectors: usize,
        workspace: usize,
    ) -> Self {
        let (size, outputs) = (size_of_tree(geometry), request.outputs);
        let demand = Demand { counts, outputs, n_vectors, scheme, size };
        let plan = geometry.bytes();
        let needed = plan.saturating_add(demand.of_evaluation::<T>().total());
        Self { needed, held: plan + workspace }
    }

    /// Bytes that are still to be taken.
    pub(crate) fn more(self) -> usize {
        self.needed.saturating_sub(self.held)
    }

    /// Refuses what takes more than the request's limit, or than the system has available besides what is held.
    pub(crate) fn check(self, request: &Request) -> Result<(), Error> {
        let Self { needed, held } = self;
        let limit = match request.memory_limit {
            Some(limit) => limit,
            None if self.more() < UNCHECKED_BYTES => return Ok(()),
            None => available_memory().map_or(usize::MAX, |free| free.saturating_add(held)),
        };
        if needed > limit { Err(Error::MemoryLimit { needed, limit }) } else { Ok(()) }
    }
}
