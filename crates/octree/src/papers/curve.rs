//! Permutations of points: along the Morton curve, along the Peano–Hilbert curve, or as given (Nakasato
//! 2012, tables 2–4).
//!
//! A tree numbers its points along the Morton curve. [`Links::permuted`](crate::papers::walk::Links::permuted)
//! numbers them along any other, and receivers may be walked in any sequence: the distance between successive
//! points decides how often a walk finds its cells in cache.

use crate::boxes::coordinate::Coordinate;
use crate::boxes::cube::Cube;
use crate::boxes::key::Key;
use crate::error::{Error, PointSet};
use crate::morton::{MAX_LEVEL, spread};
use crate::sort::pseudo_sort;
use crate::tree::points;

/// A curve through all boxes of a level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Curve {
    /// The curve of [`Key::code`]: the order of the tree.
    #[default]
    Morton,
    /// The curve of [`hilbert`]: steps go to a box that shares a face.
    Hilbert,
    /// No curve: the caller's order.
    Given,
}

/// The points in the order of `curve`: place → the caller's index. Points of one key at [`MAX_LEVEL`] keep the
/// caller's order. O(N).
///
/// # Errors
/// [`Error::NotFinite`], [`Error::TooLarge`], [`Error::TooManyPoints`]: points that no tree holds.
pub fn permutation<C: Coordinate>(points: &[[C; 3]], curve: Curve) -> Result<Vec<u32>, Error> {
    let cube = Cube::around(points::bounds(points, PointSet::Sources)?)?;
    let codes: Vec<u64> = match curve {
        Curve::Given => return Ok((0..points.len() as u32).collect()),
        Curve::Morton => points::codes(&cube, points, MAX_LEVEL),
        Curve::Hilbert => {
            parallel::collect(points.len(), 1 << 12, |i| hilbert(cube.key(&points[i])))
        }
    };
    Ok(pseudo_sort(&codes).permutation)
}

/// The place of a box along the Peano–Hilbert curve through the boxes of its level: a bijection onto
/// 0..8^level, by Skilling's transform (AIP Conf. Proc. 707, 381, 2004).
///
/// Boxes that follow each other share a face, and `hilbert(key) >> 3` is the place of the parent, so the boxes
/// below any box stay together.
pub fn hilbert(key: Key) -> u64 {
    let mut x = key.coordinates();
    // From the highest bit down, undo the turns that the curve makes inside each octant.
    for bit in (1..key.level()).rev() {
        let below = (1u32 << bit) - 1;
        for d in 0..3 {
            if x[d] >> bit & 1 == 1 {
                x[0] ^= below;
            } else {
                let swapped = (x[0] ^ x[d]) & below;
                x[0] ^= swapped;
                x[d] ^= swapped;
            }
        }
    }
    // Gray code, first along the axes, then along the bits.
    x[1] ^= x[0];
    x[2] ^= x[1];
    let flips = (1..key.level()).filter(|&bit| x[2] >> bit & 1 == 1);
    let flipped = flips.fold(0, |bits, bit| bits ^ ((1 << bit) - 1));
    let [x, y, z] = x.map(|x| x ^ flipped);
    spread(x) << 2 | spread(y) << 1 | spread(z)
}
