//! A set of points on the host, in Morton order, and its parts.

use std::ops::Range;

use octree::Cube;

use crate::engine::Scalar;
use crate::gpu::order::places_of;

/// Points that one task takes.
const TASK: usize = 1 << 13;

/// Points in Morton order. Takes 16 bytes a point in f32, and as many more while it is made.
#[derive(Debug)]
pub(super) struct SortedSet<T> {
    pub(super) points: Vec<[T; 3]>,
    /// The caller's index of each point.
    order: Vec<u32>,
}

impl<T: Scalar> SortedSet<T> {
    /// Sorts points that lie in `cube`, of which there are fewer than 2³².
    pub(super) fn new(points: &[[T; 3]], cube: &Cube) -> Self {
        let codes = parallel::collect(points.len(), TASK, |i| cube.key(&points[i]).code());
        let order = octree::sort::pseudo_sort(&codes).permutation;
        let points = in_order(points, &order);
        Self { points, order }
    }

    pub(super) fn len(&self) -> usize {
        self.points.len()
    }

    /// Part `k` of `count`, which are equal but for one point.
    pub(super) fn part(&self, k: usize, count: usize) -> Range<usize> {
        let start = |k: usize| (self.len() as u128 * k as u128 / count as u128) as usize;
        start(k)..start(k + 1)
    }

    /// Values of the caller's order in Morton order.
    pub(super) fn sorted<V: Copy + Default + Send + Sync>(&self, values: &[V]) -> Vec<V> {
        in_order(values, &self.order)
    }

    /// Values of Morton order in the caller's.
    pub(super) fn ordered<V: Copy + Default>(&self, values: &[V]) -> Vec<V> {
        let mut ordered = vec![V::default(); values.len()];
        self.order.iter().zip(values).for_each(|(index, value)| ordered[*index as usize] = *value);
        ordered
    }

    /// Points with these indices in the caller's order.
    pub(super) fn at(&self, which: &[u32]) -> Vec<[T; 3]> {
        let places = places_of(&self.order, which);
        places.into_iter().map(|place| self.points[place as usize]).collect()
    }
}

/// Values in an order of their places.
fn in_order<V: Copy + Default + Send + Sync>(values: &[V], order: &[u32]) -> Vec<V> {
    parallel::collect(order.len(), TASK, |i| values[order[i] as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_inverse_and_parts_are_whole() {
        let points: Vec<[f64; 3]> =
            (0..100).map(|i| [0.37, 0.59, 0.83].map(|c| (c * f64::from(i)).fract())).collect();
        let cube = Cube::bounding(points.iter().copied()).unwrap();
        let set = SortedSet::new(&points, &cube);
        assert_eq!(set.sorted(&points), set.points);
        assert_eq!(set.ordered(&set.points), points);
        let keys: Vec<_> = set.points.iter().map(|point| cube.key(point)).collect();
        assert!(keys.is_sorted());
        let parts: Vec<usize> = (0..7).flat_map(|k| set.part(k, 7)).collect();
        assert_eq!(parts, (0..100).collect::<Vec<_>>());
        assert_eq!(set.at(&[7, 93, 0]), [points[7], points[93], points[0]]);
    }
}
