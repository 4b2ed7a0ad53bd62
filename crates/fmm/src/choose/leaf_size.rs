//! Leaf size: where near pairs cost as much as far boxes.

use super::costs::{Costs, PairKind};
use super::dimension::VOLUME;
use super::errors::FarField;

/// Costs of pairs and expansions of one order, among points of one dimension.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeafSize {
    /// Average number of points in a leaf that costs least, if they are spread evenly.
    pub(crate) best: f64,
    /// Number of points above which a box is split.
    pub(crate) capacity: usize,
    /// Cost of M2P of one box at a point and of P2L of one point in a box, in pairs.
    pub(crate) expansions: [usize; 2],
}

impl LeafSize {
    pub(crate) fn new(
        costs: &Costs,
        order: usize,
        kind: PairKind,
        usual: FarField,
        dimension: f64,
    ) -> Self {
        let pair = costs.near_pair.unwrap_or(costs.pair(kind));
        let far = far_of_box(costs, order, usual, dimension);
        let near = near_boxes(dimension) * pair;
        let best = match costs.near_pair {
            // With n points a leaf the n near_boxes pairs of a point cost as much as its share of boxes, of which
            // there are 1 + 2^−d + 4^−d … a leaf.
            None => {
                let boxes = (far + costs.one_box(order)) / (1.0 - 0.5f64.powf(dimension));
                (boxes / near).sqrt()
            }
            // Where another device sums the near pairs meanwhile, both end at once: near pairs of a point take as
            // long as its share of translations and the other work on it.
            Some(_) => {
                let point = costs.point(order);
                (point + (point * point + 4.0 * near * far).sqrt()) / (2.0 * near)
            }
        };
        let best = best.max(costs.smallest_leaf);
        // A split saves pairs and adds translations: it pays above √8 times the best leaf of a volume. On
        // clustered points, where boxes are unevenly filled, a little less was measured to be best.
        let capacity = costs.capacity * 2f64.powf(0.5 * dimension) * best;
        let of_one = costs.pair(PairKind { vectors: 1, ..kind });
        let expansions = costs.single_expansions(order);
        Self {
            best,
            capacity: capacity.round().max(costs.smallest_capacity) as usize,
            expansions: expansions.map(|pairs| (pairs * of_one / pair) as usize),
        }
    }

    /// The leaf size of the treecode on lists, whose far boxes act on each receiver. A split replaces all but a 2^d-th of the
    /// near pairs of a receiver by the far boxes of one level more, of which there are 2^d − 1 for each near one.
    pub(crate) fn of_treecode(costs: &Costs, order: usize, kind: PairKind, dimension: f64) -> Self {
        let pair = costs.pair(kind.one_way());
        let boxes = costs.listed_box(order) / pair;
        let children = 2f64.powf(dimension);
        let capacity = (children * boxes).max(costs.smallest_capacity);
        let best = (capacity / children.sqrt()).max(costs.smallest_leaf);
        Self { best, capacity: capacity.round() as usize, expansions: [boxes as usize; 2] }
    }
}

/// Seconds of the treecode on lists between points that fill a cube, at the best depth.
pub(crate) fn treecode_seconds(
    costs: &Costs,
    order: usize,
    kind: PairKind,
    [n_sources, n_receivers]: [f64; 2],
) -> f64 {
    let pair = costs.pair(kind.one_way());
    let far = |level: i32| {
        n_receivers
            * costs.listed_box(order)
            * (8.0 * near_in_cube(level - 1) - near_in_cube(level))
    };
    let near = |level: i32| n_sources * n_receivers * pair * near_in_cube(level) / boxes(level);
    let vectors = kind.vectors as f64;
    0.5 * (n_sources + n_receivers) * costs.point(order) + vectors * at_best_depth(near, far)
}

/// Boxes of a level of a cube that is full of them.
fn boxes(level: i32) -> f64 {
    8f64.powi(level)
}

/// Boxes that touch one, itself included: those at the faces of the cube have fewer.
fn near_in_cube(level: i32) -> f64 {
    (3.0 - 2.0 * 0.5f64.powi(level)).powi(3)
}

/// Seconds of near pairs at a level and of far boxes down to it, at the level where they are the least. Level 2 is the coarsest with
/// far pairs; 8⁸ leaves of level 8 suit 10⁹ points.
fn at_best_depth(near: impl Fn(i32) -> f64, far: impl Fn(i32) -> f64) -> f64 {
    let at_depth = |level: i32| near(level) + (2..=level).map(&far).sum::<f64>();
    (2..=8).map(at_depth).fold(f64::INFINITY, f64::min)
}

/// Boxes that touch a box, itself included: 27 in a volume and half as many on a surface, which cuts boxes anyhow.
fn near_boxes(dimension: f64) -> f64 {
    27.0 * 2f64.powf(dimension - VOLUME)
}

/// Far boxes of a box, the children of the boxes near its parent that are not near: 189 in a volume, 40 on a surface.
fn far_boxes(dimension: f64) -> f64 {
    near_boxes(dimension) * (2f64.powf(dimension) - 1.0)
}

/// M2L of the far boxes of a box.
fn far_of_box(costs: &Costs, order: usize, usual: FarField, dimension: f64) -> f64 {
    let pairs = costs.tried(far_boxes(dimension), 1.0);
    far_field(costs, order, usual, pairs, 1.0, 0.5f64.powf(dimension))
}

/// M2L of far pairs between `boxes` boxes, the children of `families`: by the faster form where that is usually by plane waves,
/// else pair by pair.
fn far_field(
    costs: &Costs,
    order: usize,
    usual: FarField,
    pairs: f64,
    boxes: f64,
    families: f64,
) -> f64 {
    let translations = pairs * costs.m2l(order);
    match usual {
        FarField::Translations => translations,
        FarField::Waves => translations.min(costs.waves(order, boxes, families)),
    }
}

/// Seconds of the FMM between points that fill a cube, at the best depth: without the work that no number of points
/// changes.
pub(crate) fn fmm_seconds(
    costs: &Costs,
    order: usize,
    kind: PairKind,
    usual: FarField,
    [n_sources, n_receivers]: [f64; 2],
) -> f64 {
    let all_pairs = n_sources * n_receivers * costs.near_pair.unwrap_or(costs.pair(kind));
    let far = |level: i32| {
        let pairs = boxes(level) * (8.0 * near_in_cube(level - 1) - near_in_cube(level));
        far_field(costs, order, usual, pairs, boxes(level), boxes(level - 1))
    };
    let near = |level: i32| all_pairs * near_in_cube(level) / boxes(level);
    0.5 * (n_sources + n_receivers) * costs.point(order) + at_best_depth(near, far)
}

#[cfg(test)]
mod tests {
    use expansions::operators::PairAccuracy;

    use super::super::costs::{of_cores, of_gpu, of_hybrid};
    use super::*;
    use crate::api::Precision;

    const KIND: PairKind =
        PairKind { accuracy: PairAccuracy::Digits8, symmetric: true, gradient: true, vectors: 1 };

    #[test]
    fn leaves_grow_with_the_order() {
        let of_waves = [of_cores(), of_gpu(Precision::F64), of_hybrid(of_cores())];
        let of_waves = of_waves.map(|costs| (costs, FarField::Waves));
        for (costs, usual) in
            of_waves.into_iter().chain([(of_gpu(Precision::F32), FarField::Translations)])
        {
            for (order, dimension) in (4..30).flat_map(|order| [(order, VOLUME), (order, 2.0)]) {
                let size = |order| LeafSize::new(&costs, order, KIND, usual, dimension);
                assert!(size(order).capacity as f64 > size(order).best);
                assert!(size(order + 1).capacity >= size(order).capacity);
            }
        }
    }

    /// On a device whose boxes try all offsets, a surface saves near pairs more than far ones.
    #[test]
    fn empty_offsets_make_leaves_of_surfaces_larger() {
        let size = |empty_offset| {
            let costs = Costs { empty_offset, ..of_gpu(Precision::F32) };
            LeafSize::new(&costs, 12, KIND, FarField::Translations, 2.0).capacity
        };
        assert!(size(1.0) > size(0.5) && size(0.5) > size(0.0));
    }

    /// A level more costs more where far boxes act on each receiver than where they act on a box.
    #[test]
    fn leaves_of_the_treecode_are_larger() {
        for order in [7, 15, 28] {
            let costs = of_cores();
            let of_fmm = LeafSize::new(&costs, order, KIND, FarField::Waves, VOLUME);
            let of_treecode = LeafSize::of_treecode(&costs, order, KIND, VOLUME);
            assert!(of_treecode.capacity > 2 * of_fmm.capacity, "{order}");
            assert!((of_treecode.capacity as f64) > of_treecode.best);
        }
    }

    /// Leaves of several vectors are larger, since pairs cost less a vector.
    #[test]
    fn vectors_share_pairs() {
        let size = |vectors| {
            let kind = PairKind { vectors, symmetric: false, ..KIND };
            LeafSize::new(&of_cores(), 12, kind, FarField::Waves, VOLUME).capacity
        };
        assert!(size(1) < size(4) && size(4) < size(16));
        assert_eq!(size(16), size(64));
        for precision in [Precision::F32, Precision::F64] {
            let size = |vectors| {
                let kind = PairKind { vectors, symmetric: false, ..KIND };
                LeafSize::new(&of_gpu(precision), 12, kind, FarField::Translations, VOLUME).capacity
            };
            assert!(size(1) < size(4), "{precision}");
            assert_eq!(size(4), size(64), "{precision}");
        }
    }
}
