//! Direct sums at a few receivers, as the host reads them.

use super::super::EACH;
use crate::device::Vec4;
use std::vec;
use std::vec::Vec;

/// Direct sums at some receivers.
#[derive(Clone, Debug, PartialEq)]
pub struct DirectSums {
    /// Gradient and potential (gx, gy, gz, Φ) at each.
    pub sums: Vec<[f64; 4]>,
    /// Magnitudes of the terms at every [`EACH`]-th: Σ|q|/√(r² + ε²), and the lengths of the pulls within a third, in which sums over
    /// all directions are right.
    pub magnitudes: Vec<[f64; 2]>,
}

impl DirectSums {
    /// Sums of nothing at `n` receivers.
    pub fn zeros(n: usize) -> Self {
        Self { sums: vec![[0.0; 4]; n], magnitudes: vec![[0.0; 2]; n.div_ceil(EACH)] }
    }

    /// Sums at `n` receivers from the [`columns`](crate::check::columns) of a [`FewSum`](super::FewSum).
    pub fn of_columns(n: usize, columns: &[Vec4<f64>]) -> Self {
        let (sums, magnitudes) = columns.split_at(n);
        let magnitude = |Vec4([potential, pull, ..]): &Vec4<f64>| [*potential, pull / 1.5];
        Self {
            sums: sums.iter().map(|Vec4(sum)| *sum).collect(),
            magnitudes: magnitudes.iter().map(magnitude).collect(),
        }
    }

    /// Adds those over other sources.
    pub fn add(&mut self, other: &Self) {
        let add = |sums: &mut [f64], parts: &[f64]| {
            sums.iter_mut().zip(parts).for_each(|(sum, part)| *sum += part);
        };
        add(self.sums.as_flattened_mut(), other.sums.as_flattened());
        add(self.magnitudes.as_flattened_mut(), other.magnitudes.as_flattened());
    }

    /// The same in another unit, to which `unit` brings gradient and potential.
    #[must_use]
    pub fn map(self, unit: impl Fn([f64; 4]) -> [f64; 4]) -> Self {
        let magnitude = |[potential, pull]: [f64; 2]| {
            let [pull, _, _, potential] = unit([pull, 0.0, 0.0, potential]);
            [potential, pull]
        };
        Self {
            sums: self.sums.into_iter().map(&unit).collect(),
            magnitudes: self.magnitudes.into_iter().map(magnitude).collect(),
        }
    }
}
