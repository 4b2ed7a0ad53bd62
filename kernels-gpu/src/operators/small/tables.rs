//! Tables that the host makes for the kernels once an order: constants, and records of ways.

use super::constants::{CONSTANTS, MAX_ORDER};
use super::translate::record_length;
use crate::device::{Real, Vec4};
use crate::operators::far_tables::N_OCTANTS;
use crate::operators::options::Translation;
use octree::{FAR_OFFSETS, far_offset};
use std::vec::Vec;

/// The factors by degree before and after a coaxial translation of length d whose factors are those of length 1.
#[derive(Clone, Copy, Debug)]
enum Scaling {
    /// d^{j−n} 2^{-n}
    Gathered,
    /// d^{-n-j-1}
    Far,
    /// d^{n−j} 2^{-j-1}
    Spread,
}

impl Scaling {
    fn factors(self, d: f64, n: i32) -> [f64; 2] {
        match self {
            Self::Gathered => [(2.0 * d).powi(-n), d.powi(n)],
            Self::Far => [d.powi(-n), d.powi(-n - 1)],
            Self::Spread => [d.powi(n), 0.5 * (2.0 * d).powi(-n)],
        }
    }
}

/// The constants, as kernels of any order read them.
pub(crate) fn constants<T: Real>() -> Vec<T> {
    CONSTANTS.as_slice().iter().map(|&x| T::from_f64(x)).collect()
}

/// Records of the ways from a box to its eight children.
pub(crate) fn octants<T: Real>(order: usize, translation: Translation) -> Vec<Vec4<T>> {
    let scaling = match translation {
        Translation::M2m => Scaling::Gathered,
        Translation::L2l => Scaling::Spread,
    };
    let mut records = Vec::new();
    for octant in 0..N_OCTANTS {
        let way = [0, 1, 2].map(|d| if octant >> d & 1 == 1 { 0.25 } else { -0.25 });
        push_record(order, scaling, way, &mut records);
    }
    records
}

/// Records of the ways from the far boxes, in the order of [`far_offset`].
pub(crate) fn ways<T: Real>(order: usize) -> Vec<Vec4<T>> {
    let mut records = Vec::new();
    for offset in (0..FAR_OFFSETS).map(far_offset) {
        push_record(order, Scaling::Far, offset.map(|c| -f64::from(c)), &mut records);
    }
    records
}

/// The record of the translation along `way`, see [`Way`](super::translate::Way).
fn push_record<T: Real>(
    order: usize,
    scaling: Scaling,
    [x, y, z]: [f64; 3],
    records: &mut Vec<Vec4<T>>,
) {
    let across = x.hypot(y);
    let (azimuth, polar) = (y.atan2(x), across.atan2(z));
    let length = across.hypot(z);
    let mut numbers = Vec::with_capacity(4 * record_length(order));
    for angle in [azimuth, polar] {
        for m in 1..order {
            let (sine, cosine) = (m as f64 * angle).sin_cos();
            numbers.extend([cosine, sine]);
        }
        numbers.resize(numbers.len().next_multiple_of(4), 0.0);
    }
    for part in 0..2 {
        numbers.extend((0..order).map(|n| scaling.factors(length, n as i32)[part]));
        numbers.resize(numbers.len().next_multiple_of(4), 0.0);
    }
    debug_assert!(order <= MAX_ORDER && numbers.len() == 4 * record_length(order));
    records.extend(
        numbers
            .chunks_exact(4)
            .map(|group| Vec4([group[0], group[1], group[2], group[3]].map(T::from_f64))),
    );
}
