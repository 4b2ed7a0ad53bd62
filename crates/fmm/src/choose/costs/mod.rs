//! Cost tables: the seconds of each part of an evaluation, one file a machine class.
//!
//! Choices compare costs of one machine, so ratios matter more than seconds. `cargo xtask calibrate costs` measures the
//! machine it runs on and writes the file of its class.
//!
//! | file | machine |
//! |---|---|
//! | `cpu_avx512.rs` | cores with AVX-512; cores of other classes take the same table |
//! | `gpu_hopper.rs` | NVIDIA H100 and H200 in f32; other GPUs take the same table |
//! | `gpu_hopper_f64.rs` | the same in f64, whose plane waves and large orders f32 does not have |
//!
//! How to add a class: run `cargo xtask calibrate costs` on such cores, which writes `cpu_avx2.rs` on cores with AVX2,
//! and add the file's `mod` here and its row to [`CORES`].

mod cpu_avx512;
#[cfg(any(feature = "gpu", test))]
mod gpu_hopper;
#[cfg(any(feature = "gpu", test))]
mod gpu_hopper_f64;

use expansions::layout::n_coefficients;
use expansions::operators::PairAccuracy;

use super::errors::interactions;
use super::scheme::Walk;
#[cfg(any(feature = "gpu", test))]
use crate::api::Precision;
use crate::engine::ChargeKind;

/// Far boxes of a box at most, and the offsets that each tries where M2L has no lists of pairs.
const MOST_FAR: f64 = 189.0;

/// Costs by vector instructions, as [`lanes::Arch::name`] has them. The first row serves cores of classes without one.
const CORES: [(&str, Costs); 1] = [("AVX-512", cpu_avx512::COSTS)];

/// Costs on the cores of the host, in f64 and on one core; in f32 all parts take about half.
pub(crate) fn of_cores() -> Costs {
    of_class(class_of_cores())
}

/// Class of the cores of the host: a row of [`CORES`].
pub(crate) fn class_of_cores() -> usize {
    let class = lanes::Arch::best().name();
    CORES.iter().position(|(name, _)| *name == class).unwrap_or(0)
}

/// Costs on cores of a class.
pub(crate) fn of_class(class: usize) -> Costs {
    CORES.get(class).unwrap_or(&CORES[0]).1
}

/// Costs on a GPU in a precision.
#[cfg(any(feature = "gpu", test))]
pub(crate) fn of_gpu(precision: Precision) -> Costs {
    match precision {
        Precision::F32 => gpu_hopper::COSTS,
        Precision::F64 => gpu_hopper_f64::COSTS,
    }
}

/// Costs where such cores build and translate expansions while a GPU sums the near pairs.
#[cfg(any(feature = "gpu", test))]
pub(crate) fn of_hybrid(cores: Costs) -> Costs {
    Costs { near_pair: Some(gpu_hopper_f64::NEAR_PAIR), ..cores }
}

/// Seconds of the parts of an evaluation, as polynomials in the order p.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Costs {
    /// A source at a receiver with gradient, summed to 4, 8 and 12 digits and in full. Entries of accuracies that are not among
    /// the `Abilities::pairs` of an engine, such as 12 digits on cores and 8 in f64 on a GPU, are not read.
    pub(crate) pair: [f64; 4],
    /// The share of that where a pair serves both its points.
    pub(crate) symmetric: f64,
    /// A source at a receiver in the direct sums that check evaluations, over a pair in full. On a GPU, from what the checks of
    /// sets take that look at 43 and 344 receivers.
    pub(crate) checked: f64,
    /// A product with one more charge vector, without and with gradient.
    pub(crate) vector: [f64; 2],
    /// Charge vectors among which a near pair shares its distance, at most. Leaf sizes follow from it; the direct sum of a GPU takes
    /// one vector after the other.
    pub(crate) sharers: usize,
    /// A near pair that another device sums meanwhile.
    pub(crate) near_pair: Option<f64>,
    /// An M2L translation of one pair of boxes: p², p³, p⁴.
    pub(crate) m2l: [f64; 3],
    /// An offset without a source box, over one with: 0 where M2L has lists of pairs, more where each box tries all
    /// offsets.
    pub(crate) empty_offset: f64,
    /// M2L of pairs between few boxes, each a lane's work that lasts however few there are: p⁴. 0 on cores.
    pub(crate) few_boxes: f64,
    /// Boxes up to which that holds: more take longer in proportion. A warp of lanes on each multiprocessor.
    pub(crate) boxes_at_once: f64,
    /// Plane waves of a box: p, p²; 0 where M2L has no such form.
    pub(crate) waves: [f64; 2],
    /// Plane waves between few boxes, the time of their launches: p.
    pub(crate) wave_launches: f64,
    /// The other work on a box, M2M, L2L, lists, its share of P2M and L2P: 1, p².
    pub(crate) one_box: [f64; 2],
    /// The work on a point besides pairs and M2L: 1, p².
    pub(crate) point: [f64; 2],
    /// The work of an evaluation whatever the points, such as launches: 1, p³. Tables are made once in a process, and
    /// left out.
    pub(crate) fixed: [f64; 2],
    /// M2P of one box at a point, in pairs of one vector: 1, coefficient.
    pub(crate) m2p: [f64; 2],
    /// P2L of one point in a box, in pairs of one vector: 1, coefficient.
    pub(crate) p2l: [f64; 2],
    /// Best average number of points in a leaf: no fewer than this.
    pub(crate) smallest_leaf: f64,
    /// Leaf capacity over 2^(d/2) times the best average, in d dimensions.
    pub(crate) capacity: f64,
    /// Leaf capacity: no less than this.
    pub(crate) smallest_capacity: f64,
    /// Kind of the charges for which trees are shaped before any charges are known.
    pub(crate) usual_charges: ChargeKind,
    /// Walks of the treecode.
    pub(crate) walk: WalkCosts,
}

/// Seconds of the parts of the treecode's walks, for one receiver or one source.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WalkCosts {
    /// Points in a leaf, at most.
    pub(crate) leaf_capacity: usize,
    /// Receivers in a group, at most: more make fewer and shorter walks of more pairs.
    pub(crate) group_capacity: usize,
    /// Listing of a cell.
    pub(crate) listed: f64,
    /// A cell of one of the orders that have kernels of their own: 1, p².
    pub(crate) cell: [f64; 2],
    /// The largest such order.
    pub(crate) largest_unrolled: usize,
    /// A cell of a higher order: 1, p².
    pub(crate) large_cell: [f64; 2],
    /// The share of it where cells act in f32.
    pub(crate) f32_cell: f64,
    /// The smallest rounding error for which cells may act in f32.
    pub(crate) f32_cells_from: f64,
    /// Share of a cell's cost up to which its sources act in its place: on a GPU less than all, because lanes wait while
    /// sources are staged.
    pub(crate) in_place: f64,
    /// A source's share of making multipoles, of order 1.
    pub(crate) centres: f64,
    /// A source's share of making multipoles of higher orders: 1, p².
    pub(crate) multipoles: [f64; 2],
}

/// Kind of a sum over pairs of points, on which its cost depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PairKind {
    pub(crate) accuracy: PairAccuracy,
    /// Whether the receivers are the sources, so that a pair serves both.
    pub(crate) symmetric: bool,
    /// Whether the gradient is wanted. Counts where there are several vectors.
    pub(crate) gradient: bool,
    /// Charge vectors that are evaluated at once.
    pub(crate) vectors: usize,
}

/// M2P at the receivers of a leaf over that at a full group of a walk, at which more receivers share the reading of cells. With it 10⁵
/// points of a cube, of a sphere and of a cusp have about the best of nine capacities of leaves at orders 5 to 28 on cores.
const LEAF_AS_GROUP: f64 = 2.0;

impl PairKind {
    /// A pair of one vector whose distance serves one receiver alone.
    pub(crate) fn one_way(self) -> Self {
        Self { symmetric: false, vectors: 1, ..self }
    }
}

/// a + b p^k
fn polynomial([a, b]: [f64; 2], p: usize, k: i32) -> f64 {
    a + b * (p as f64).powi(k)
}

impl Costs {
    /// A source at a receiver for each charge vector.
    pub(crate) fn pair(&self, kind: PairKind) -> f64 {
        let one_way = self.one_way(kind.accuracy);
        match kind.vectors {
            1 if kind.symmetric => self.symmetric * one_way,
            1 => one_way,
            // A distance serves several vectors; a product is left for each of potential and gradient.
            n => one_way / n.min(self.sharers) as f64 + self.vector[usize::from(kind.gradient)],
        }
    }

    /// A source at a receiver, where a pair serves the receiver alone.
    pub(crate) fn one_way(&self, accuracy: PairAccuracy) -> f64 {
        self.pair[match accuracy {
            PairAccuracy::Digits4 => 0,
            PairAccuracy::Digits8 => 1,
            PairAccuracy::Digits12 => 2,
            PairAccuracy::Full => 3,
        }]
    }

    /// A source at a receiver in the direct sums that check evaluations.
    pub(crate) fn checked_pair(&self) -> f64 {
        self.checked * self.one_way(PairAccuracy::Full)
    }

    /// An M2L translation at order p.
    pub(crate) fn m2l(&self, order: usize) -> f64 {
        let p = order as f64;
        let [square, cube, fourth] = self.m2l;
        p * p * (square + p * (cube + p * fourth))
    }

    /// M2L of far pairs between boxes of a tree, pair by pair.
    pub(crate) fn translations_of_tree(&self, order: usize, pairs: f64, boxes: f64) -> f64 {
        let in_turn = (boxes / self.boxes_at_once).max(1.0);
        let of_lanes = in_turn * self.few_boxes * (order as f64).powi(4);
        of_lanes.max(self.tried(pairs, boxes) * self.m2l(order))
    }

    /// Pairs of far boxes, and what boxes try in vain to find them, in pairs.
    pub(crate) fn tried(&self, pairs: f64, boxes: f64) -> f64 {
        pairs + self.empty_offset * (MOST_FAR * boxes - pairs).max(0.0)
    }

    /// M2L of a tree by plane waves.
    pub(crate) fn waves_of_tree(&self, order: usize, boxes: f64, families: f64) -> f64 {
        self.wave_launches * order as f64 + self.waves(order, boxes, families)
    }

    /// All far pairs of boxes by plane waves, which fill the machine. Half of the cost is that of families, the children of a box,
    /// however few they are.
    pub(crate) fn waves(&self, order: usize, boxes: f64, families: f64) -> f64 {
        let p = order as f64;
        p * polynomial(self.waves, order, 1) * (0.5 * boxes + 4.0 * families)
    }

    /// The work on a box besides M2L.
    pub(crate) fn one_box(&self, order: usize) -> f64 {
        polynomial(self.one_box, order, 2)
    }

    /// The work on a point besides pairs and M2L.
    pub(crate) fn point(&self, order: usize) -> f64 {
        polynomial(self.point, order, 2)
    }

    /// The work of an evaluation whatever the points.
    pub(crate) fn fixed(&self, order: usize) -> f64 {
        polynomial(self.fixed, order, 3)
    }

    /// M2P of one box at a point, and P2L of one point in a box, in pairs of one vector.
    pub(crate) fn single_expansions(&self, order: usize) -> [f64; 2] {
        [self.m2p, self.p2l].map(|cost| polynomial(cost, n_coefficients(order), 1))
    }

    /// The treecode between evenly spread points. Sorting is left out. Crowded points take two to three times as long.
    pub(crate) fn walk(
        &self,
        walk: Walk,
        accuracy: PairAccuracy,
        n_sources: f64,
        n_receivers: f64,
    ) -> f64 {
        let costs = &self.walk;
        let [cells, sources] = interactions(walk.criterion, n_sources);
        let receiver =
            cells * (costs.listed + self.cell(walk, accuracy)) + sources * self.one_way(accuracy);
        let source = match walk.order {
            1 => costs.centres,
            order => polynomial(costs.multipoles, order, 2),
        };
        n_receivers * receiver + n_sources * source
    }

    /// A cell that acts on a receiver as a whole.
    fn cell(&self, walk: Walk, accuracy: PairAccuracy) -> f64 {
        let short = if walk.f32_cells { self.walk.f32_cell } else { 1.0 };
        short
            * match walk.order {
                // Monopoles are summed as pairs.
                1 => self.one_way(accuracy),
                order => self.multipole(order),
            }
    }

    /// M2P of one multipole at a receiver of a group.
    fn multipole(&self, order: usize) -> f64 {
        let costs = &self.walk;
        let cost = if order <= costs.largest_unrolled { costs.cell } else { costs.large_cell };
        polynomial(cost, order, 2)
    }

    /// A far box that acts on a receiver by the treecode on lists.
    pub(crate) fn listed_box(&self, order: usize) -> f64 {
        LEAF_AS_GROUP * (self.walk.listed + self.multipole(order))
    }

    /// Sources from which on a cell acts as a whole: fewer take less time than it does.
    pub(crate) fn fewest_sources(&self, walk: Walk, accuracy: PairAccuracy) -> usize {
        let sources = self.walk.in_place * self.cell(walk, accuracy) / self.one_way(accuracy);
        (sources.ceil() as usize).max(Walk::FEWEST_SOURCES)
    }
}

#[cfg(test)]
mod tests {
    use octree::walk::Criterion;

    use super::*;

    const WALK: Walk = Walk {
        criterion: Criterion::Nakasato { theta: 0.6 },
        order: 1,
        unsoftened_from: 0.0,
        rounding: 0.0,
        f32_cells: false,
        fewest_sources: Walk::FEWEST_SOURCES,
        asked: false,
    };

    /// Sources that a cell replaces are as many as it costs pairs: more at higher orders, fewer where cells act in f32.
    #[test]
    fn costly_cells_need_many_sources() {
        for costs in [of_cores(), of_gpu(Precision::F32), of_gpu(Precision::F64)] {
            let fewest = |order, f32_cells| {
                let walk = Walk { order, f32_cells, ..WALK };
                costs.fewest_sources(walk, PairAccuracy::Digits8)
            };
            assert_eq!(fewest(1, false), Walk::FEWEST_SOURCES);
            for order in 2..30 {
                assert!(fewest(order + 1, false) >= fewest(order, false));
                assert!(fewest(order, true) <= fewest(order, false));
            }
            assert!(fewest(20, false) > 2 * fewest(10, false));
        }
    }

    #[test]
    fn more_work_costs_more() {
        for costs in [of_cores(), of_gpu(Precision::F32), of_gpu(Precision::F64)] {
            let seconds = |theta, order, digits, n: f64| {
                let walk = Walk { criterion: Criterion::Nakasato { theta }, order, ..WALK };
                costs.walk(walk, digits, n, 1e5)
            };
            let base = seconds(0.6, 4, PairAccuracy::Digits4, 1e5);
            assert!(base > 0.0 && base < 10.0);
            assert!(seconds(0.5, 4, PairAccuracy::Digits4, 1e5) > base);
            assert!(seconds(0.6, 5, PairAccuracy::Digits4, 1e5) > base);
            assert!(seconds(0.6, 4, PairAccuracy::Digits8, 1e5) >= base);
            assert!(seconds(0.6, 4, PairAccuracy::Digits4, 1e6) > base);
            assert!(seconds(0.6, 4, PairAccuracy::Digits4, 1.0) > 0.0);
            for order in 2..50 {
                assert!(costs.m2l(order + 1) > costs.m2l(order));
                assert!(costs.point(order + 1) >= costs.point(order));
            }
        }
    }
}
