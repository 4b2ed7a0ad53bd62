//! The upward pass: one value for each box, from its points or from its children's values.

use std::ops::Range;

use crate::tree::octree::Octree;

/// Boxes that one task takes.
const TASK: usize = 64;

/// Values of all boxes, by box number, made from the deepest level to the root.
///
/// `summary(b, children)` is called once for each box; `children` holds the values of
/// [`tree.children(b)`](Octree::children) in their order, and nothing for a leaf. A level is done in parallel.
/// O(boxes) calls.
///
/// ```
/// use octree::{Depth, Octree, upward};
///
/// # fn main() -> Result<(), octree::Error> {
/// let points = [[0.0, 0.0, 0.0], [0.2, 0.1, 0.0], [1.0, 1.0, 1.0]];
/// let tree = Octree::build(&points, Depth::Adaptive { leaf_capacity: 1 })?;
/// let counts = upward(&tree, |b, below: &[usize]| match tree.is_leaf(b) {
///     true => tree.sources(b).len(),
///     false => below.iter().sum(),
/// });
/// assert_eq!(counts[0], 3);
/// # Ok(())
/// # }
/// ```
pub fn upward<T, F>(tree: &Octree, summary: F) -> Vec<T>
where
    T: Send + Sync,
    F: Fn(usize, &[T]) -> T + Sync,
{
    let mut levels: Vec<Vec<T>> = Vec::with_capacity(tree.n_levels());
    for level in (0..tree.n_levels()).rev() {
        let boxes = tree.level(level);
        let below = levels.last().map_or(&[][..], Vec::as_slice);
        let first = boxes.end;
        let of_box = |b: usize| {
            let children = tree.children(b);
            let values = match children.is_empty() {
                true => &[][..],
                false => &below[children.start - first..children.end - first],
            };
            summary(b, values)
        };
        let of_task = |boxes: Range<usize>| -> Vec<T> { boxes.map(of_box).collect() };
        let tasks = parallel::map_ranges(boxes, TASK, of_task);
        levels.push(tasks.into_iter().flatten().collect());
    }
    let mut values = Vec::with_capacity(tree.n_boxes());
    levels.iter_mut().rev().for_each(|level| values.append(level));
    values
}
