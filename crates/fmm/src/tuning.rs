//! Choices that make an evaluation fast: method, leaf capacity, list options, chunks.

use expansions::layout::n_coefficients;
use expansions::operators::PairAccuracy;
use octree::{Depth, ListOptions, MAX_LEVEL};

use crate::hierarchy::Shape;
use crate::spread::{Spread, VOLUME};

/// Seconds that the parts of an evaluation take on one core with AVX-512, in f64; in f32 all take
/// about half. Only ratios matter. They are those of whole evaluations, whose expansions are not in the cache.
mod cost {
    use expansions::operators::PairAccuracy;

    use super::{Pairs, far_boxes};

    /// What one more source gives a receiver for each charge vector, with gradient.
    pub(super) fn pair(pairs: Pairs) -> f64 {
        let one_way = match pairs.accuracy {
            PairAccuracy::Digits4 => 0.32e-9,
            PairAccuracy::Digits8 => 0.42e-9,
            PairAccuracy::Digits12 => 0.44e-9,
            PairAccuracy::Full => 0.48e-9,
        };
        match pairs.vectors {
            0 | 1 if pairs.mutual => 0.62 * one_way,
            0 | 1 => one_way,
            // A distance serves up to 16 vectors; a product is left for each of potential and gradient.
            n => one_way / n.min(16) as f64 + if pairs.gradient { 0.08e-9 } else { 0.02e-9 },
        }
    }

    /// An M2L translation at order p.
    pub(super) fn m2l(order: usize) -> f64 {
        let p = order as f64;
        p * p * (1e-9 + 0.004e-9 * p * p)
    }

    /// All far pairs of boxes at order p by plane waves. Half of the cost is that of families, the children of a box,
    /// however few they are.
    pub(super) fn waves(order: usize, boxes: f64, families: f64) -> f64 {
        let p = order as f64;
        p * (0.5e-6 + 0.0255e-6 * p) * (0.5 * boxes + 4.0 * families)
    }

    /// Far pairs between `boxes` boxes, the children of `families`, by the faster way; by M2L where a bound has to be
    /// proven.
    pub(super) fn far(order: usize, proven: bool, pairs: f64, boxes: f64, families: f64) -> f64 {
        let translations = pairs * m2l(order);
        if proven { translations } else { translations.min(waves(order, boxes, families)) }
    }

    /// The far boxes of a box among points of a dimension.
    pub(super) fn far_of_box(order: usize, proven: bool, dimension: f64) -> f64 {
        far(order, proven, far_boxes(dimension), 1.0, 0.5f64.powf(dimension))
    }

    /// What a box takes besides: M2M, L2L, lists, its share of P2M and L2P.
    pub(super) fn one_box(order: usize) -> f64 {
        let p = order as f64;
        1e-6 + 0.016e-6 * p * p
    }

    /// The tables of order p.
    pub(super) fn tables(order: usize) -> f64 {
        let p = order as f64;
        1e-4 + 0.32e-6 * p * p * p
    }

    /// What an evaluation costs a point besides pairs and M2L.
    pub(super) fn point(order: usize) -> f64 {
        let p = order as f64;
        0.2e-6 + 0.4e-9 * p * p
    }
}

/// Seconds a pair on a GPU, times the cores of its host, as [`cost`] counts them: an H100 with 16 virtual cores, which
/// do the work of 8, sums 6 to 8 · 10¹¹ pairs a second in f64; in f32 both sides take half.
const GPU_PAIR: f64 = 1.1e-11;

/// How pairs of points are summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pairs {
    pub(crate) accuracy: PairAccuracy,
    /// Whether the receivers are the sources, so that a pair serves both.
    pub(crate) mutual: bool,
    /// Whether the gradient is wanted. Counts where there are several vectors.
    pub(crate) gradient: bool,
    /// Charge vectors that are evaluated at once.
    pub(crate) vectors: usize,
}

/// What decides between pairs and expansions of an order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Prices {
    order: usize,
    /// Seconds a pair, on one core or as its share of a GPU.
    pair: f64,
    /// Whether a bound has to be proven.
    proven: bool,
    /// What the points of a leaf should be on average, if they are spread evenly.
    leaf: f64,
    /// Of the points.
    dimension: f64,
    /// What M2P or P2L costs, in pairs.
    expansion: f64,
}

impl Prices {
    /// Where the cores do everything: work is least. `proven` is whether a bound has to be proven.
    pub(crate) fn of_cores(order: usize, pairs: Pairs, proven: bool, dimension: f64) -> Self {
        let (pair, far) = (cost::pair(pairs), cost::far_of_box(order, proven, dimension));
        // With n points a leaf the n near_boxes pairs of a point cost as much as its share of boxes, of which there
        // are 1 + 2^−d + 4^−d … a leaf.
        let boxes = (far + cost::one_box(order)) / (1.0 - 0.5f64.powf(dimension));
        let leaf = (boxes / (near_boxes(dimension) * pair)).sqrt();
        // A coefficient of M2P or P2L costs about half a pair of one vector, and a leaf's share of making them
        // ready 50.
        let of_one = cost::pair(Pairs { vectors: 1, ..pairs });
        let expansion = (50.0 + 0.5 * n_coefficients(order) as f64) * (of_one / pair);
        Self { order, pair, proven, leaf, dimension, expansion }
    }

    /// Where a GPU sums the near pairs meanwhile: both end at once. With n points a leaf that is so where
    /// 27 n pairs a point take as long as 189/n translations and the other work on a point.
    pub(crate) fn of_hybrid(order: usize, pairs: Pairs, proven: bool, dimension: f64) -> Self {
        let cores = Self::of_cores(order, pairs, proven, dimension);
        let point = cost::point(order);
        let (near, far) =
            (near_boxes(dimension) * GPU_PAIR, cost::far_of_box(order, proven, dimension));
        Self {
            pair: GPU_PAIR,
            leaf: (point + (point * point + 4.0 * near * far).sqrt()) / (2.0 * near),
            expansion: cores.expansion * cores.pair / GPU_PAIR,
            ..cores
        }
    }

    /// A box with more points than this is split: where the pairs that a split saves cost more than the translations
    /// that it adds, which is at √8 times the best leaf of a volume. On clustered points, where boxes are unevenly
    /// filled, a seventh less was measured to be best.
    pub(crate) fn leaf_capacity(&self) -> usize {
        (0.87 * 2f64.powf(0.5 * self.dimension) * self.leaf).round() as usize
    }
}

/// Boxes that touch a box, itself included: 27 in a volume and, as they are cut anyhow, 13.5 on a surface.
fn near_boxes(dimension: f64) -> f64 {
    27.0 * 2f64.powf(dimension - VOLUME)
}

/// Far boxes of a box, the children of the boxes near its parent that are not near: 189 in a volume, 40 on a surface.
fn far_boxes(dimension: f64) -> f64 {
    near_boxes(dimension) * (2f64.powf(dimension) - 1.0)
}

/// Whether plane waves between `boxes` boxes, the children of `families`, beat M2L of `far_pairs` pairs.
pub(crate) fn waves_win(order: usize, far_pairs: usize, boxes: usize, families: usize) -> bool {
    cost::waves(order, boxes as f64, families as f64) < far_pairs as f64 * cost::m2l(order)
}

/// Whether summing all pairs beats the FMM.
pub(crate) fn direct_wins(prices: &Prices, n_sources: usize, n_receivers: usize) -> bool {
    let order = prices.order;
    let all_pairs = n_sources as f64 * n_receivers as f64 * prices.pair;
    let points = 0.5 * (n_sources + n_receivers) as f64;
    // A cube full of boxes, of which those at its faces have fewer neighbours.
    let boxes = |level: i32| 8f64.powi(level);
    let near = |level: i32| (3.0 - 2.0 * 0.5f64.powi(level)).powi(3);
    let far = |level: i32| {
        let pairs = boxes(level) * (8.0 * near(level - 1) - near(level));
        cost::far(order, prices.proven, pairs, boxes(level), boxes(level - 1))
    };
    let at_depth =
        |level: i32| all_pairs * near(level) / boxes(level) + (2..=level).map(far).sum::<f64>();
    let far_and_near = (2..=8).map(at_depth).fold(f64::INFINITY, f64::min);
    // One thread makes the tables, while others would sum pairs.
    all_pairs < 2.0 * cost::tables(order) + points * cost::point(order) + far_and_near
}

/// Bytes of local expansions that one chunk of M2L keeps in the second-level cache.
const CHUNK_BYTES: usize = 1 << 18;

/// The distance from which on softening changes a pair's gradient by less than half of `tolerance`:
/// the change is 3/2 (ε/r)².
pub(crate) fn unsoftened_distance(softening: f64, tolerance: f64) -> f64 {
    softening * (3.0 / tolerance).sqrt()
}

/// The depth that keeps the far pairs' error from not being softened below half of `tolerance`, in
/// a domain of side `side`: two points of far boxes are at least a box's side apart.
pub(crate) fn softened_depth(
    leaf_capacity: usize,
    softening: f64,
    tolerance: f64,
    side: f64,
) -> Depth {
    let smallest_side = unsoftened_distance(softening, tolerance);
    let max_level = (side / smallest_side).log2().floor().clamp(0.0, f64::from(MAX_LEVEL)) as u8;
    Depth::AdaptiveTo { leaf_capacity, max_level }
}

/// The shape of the tree for expansions of a float of `float_bytes`.
pub(crate) fn shape(
    prices: &Prices,
    depth: Option<Depth>,
    spread: &Spread,
    float_bytes: usize,
) -> Shape {
    let row_bytes = n_coefficients(prices.order).max(1) * float_bytes;
    let worth = prices.expansion as usize;
    Shape {
        depth: depth.unwrap_or(Depth::Adaptive { leaf_capacity: prices.leaf_capacity() }),
        enlarged: match depth {
            None | Some(Depth::AdaptiveTo { .. }) => spread.enlargement(prices.leaf),
            Some(_) => 1.0,
        },
        list_options: ListOptions { min_sources_for_m2p: worth, min_receivers_for_p2l: worth },
        far_chunk: (CHUNK_BYTES / row_bytes).clamp(64, 512),
        walk_group: None,
    }
}

/// Points in a leaf of a walked tree, and receivers that walk together, at most: more make fewer
/// and shorter walks of more pairs.
const WALK_LEAF: usize = 32;
const WALK_GROUP: usize = 64;

/// The shape of a tree that is walked.
pub(crate) fn walk_shape(depth: Option<Depth>, group: Option<usize>) -> Shape {
    Shape {
        depth: depth.unwrap_or(Depth::Adaptive { leaf_capacity: WALK_LEAF }),
        enlarged: 1.0,
        list_options: ListOptions::default(),
        far_chunk: 1,
        walk_group: Some(group.unwrap_or(WALK_GROUP).max(1)),
    }
}

/// A shape for lists without local expansions: list X is summed directly.
pub(crate) fn without_locals(shape: Shape) -> Shape {
    let list_options = ListOptions { min_receivers_for_p2l: usize::MAX, ..shape.list_options };
    Shape { list_options, ..shape }
}
