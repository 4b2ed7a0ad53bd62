//! Right results of a case at some of its receivers, and errors against them.

use std::sync::OnceLock;

use crate::hostile::Case;
use crate::{norms, sample};
use reference::twofold;

/// Right results in a unit of length in which neither they nor their squares over- or underflow.
#[derive(Clone, Debug)]
pub struct Oracle {
    /// Indices of the receivers that are checked, ascending: shape (k).
    pub receivers: Vec<usize>,
    potential: Vec<f64>,
    gradient: Vec<[f64; 3]>,
    /// The unit, a power of two, in the case's unit.
    unit: f64,
    /// The results at all receivers, if they were needed.
    everywhere: OnceLock<Box<Self>>,
}

impl Oracle {
    /// The compensated sums of a case at `count` random receivers.
    pub fn new(case: &Case, count: usize) -> Self {
        let all = case.receivers();
        let receivers = sample(all.len(), count, 991);
        let numbers = case.sources.iter().chain(all).flatten();
        let largest = numbers.fold(0.0, |largest: f64, x| largest.max(x.abs()));
        let unit = 2.0_f64.powi(largest.log2().floor() as i32);
        let shrink = |point: &[f64; 3]| point.map(|x| x / unit);
        let sources: Vec<[f64; 3]> = case.sources.iter().map(shrink).collect();
        let at: Vec<[f64; 3]> = receivers.iter().map(|i| shrink(&all[*i])).collect();
        let softening = case.softening / unit;
        let (potential, gradient) = sums(&sources, &case.charges, &at, softening);
        Self { receivers, potential, gradient, unit, everywhere: OnceLock::new() }
    }

    /// The sums of the same case at all receivers, made when first needed.
    pub fn everywhere(&self, case: &Case) -> &Self {
        self.everywhere.get_or_init(|| Box::new(Self::new(case, case.receivers().len())))
    }

    /// The relative L2 errors of potential and gradient at the oracle's receivers.
    pub fn errors(&self, potential: &[f64], gradient: &[[f64; 3]]) -> [f64; 2] {
        let potential: Vec<f64> = potential.iter().map(|x| x * self.unit).collect();
        let gradient: Vec<[f64; 3]> =
            gradient.iter().map(|g| g.map(|x| x * self.unit * self.unit)).collect();
        [norms::scalar(&potential, &self.potential).l2, norms::vector(&gradient, &self.gradient).l2]
    }
}

/// Ratio of the terms to the sum above which rounding of the terms would show at a tolerance of 1e-12.
const CANCELLATION: f64 = 30.0;

/// The compensated sums in f64, or in double-double arithmetic where the terms of either cancel.
fn sums(
    sources: &[[f64; 3]],
    charges: &[f64],
    at: &[[f64; 3]],
    softening: f64,
) -> (Vec<f64>, Vec<[f64; 3]>) {
    let (potential, gradient) = reference::direct(sources, charges, at, softening);
    let magnitudes: Vec<f64> = charges.iter().map(|charge| charge.abs()).collect();
    let (terms, _) = reference::direct(sources, &magnitudes, at, softening);
    let pulls = reference::pulls(sources, charges, at, softening);
    let length = |values: &[f64]| values.iter().map(|x| x * x).sum::<f64>().sqrt();
    let cancels = |terms: &[f64], sums: &[f64]| length(terms) > CANCELLATION * length(sums);
    match cancels(&terms, &potential) || cancels(&pulls, gradient.as_flattened()) {
        true => twofold::direct(sources, charges, at, softening),
        false => (potential, gradient),
    }
}
