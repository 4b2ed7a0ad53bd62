//! The points of one box, in the box's own coordinates.

use alloc::vec::Vec;

use lanes::{ROW_ALIGNMENT, Real};

/// Points relative to the centre of a box in units of its side, as three arrays, padded with the
/// centre so that whole vectors can be read.
///
/// Buffers are reused: the points of another box allocate only when there are more of them.
#[derive(Clone, Debug, Default)]
pub struct BoxPoints<T> {
    len: usize,
    side: f64,
    coordinates: [Vec<T>; 3],
}

impl<T: Real> BoxPoints<T> {
    /// Set without points.
    pub fn new() -> Self {
        Self::default()
    }

    /// Copies points given by coordinate. The difference to `center` is taken in f64, so that a
    /// small box far from the origin loses no digits.
    pub fn set(&mut self, center: [f64; 3], side: f64, points: [&[T]; 3]) {
        self.len = points[0].len();
        self.side = side;
        let scale = side.recip();
        for ((to, from), center) in self.coordinates.iter_mut().zip(points).zip(center) {
            to.clear();
            to.extend(from.iter().map(|x| T::narrow((x.widen() - center) * scale)));
            to.resize(self.len.next_multiple_of(ROW_ALIGNMENT), T::ZERO);
        }
    }

    /// Side of the box, the unit of its points; 0 before points are set.
    pub fn side(&self) -> f64 {
        self.side
    }

    /// Number of points, padding not counted.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The three padded arrays.
    pub(crate) fn coordinates(&self) -> [&[T]; 3] {
        self.coordinates.each_ref().map(Vec::as_slice)
    }
}
