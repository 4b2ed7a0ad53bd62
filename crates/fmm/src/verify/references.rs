//! Reference sums at a few receivers: in f64, or with far parts in f32 where that is enough.

use std::ops::Range;

use super::far_parts::FewReceivers;
use crate::api::Error;
use crate::engine::{Compensated, participation};

/// Sources of a part: with 48 receivers they are 100 µs of work, and their copies stay in the second-level cache.
const PART: usize = 1 << 12;

/// Tasks, at most: their partial sums stay small.
const TASKS: usize = 1 << 9;

/// Sources of a sample, at most, and of each of its stretches, which are at even distances: with 16 receivers they are 30 µs of
/// work.
const SAMPLED: usize = 1 << 10;
const STRETCH: usize = 1 << 3;

/// Coordinates and charges of some sources, in f64.
pub(crate) type Wide = [Vec<f64>; 4];

/// Sums over all processes that have a part of the sources.
pub(crate) trait Totals: Sync {
    /// Adds up what each process has, element by element, for all of them.
    fn add_up(&self, sums: &mut [f64]) -> Result<(), Error>;
}

/// The one process that has all sources.
pub(crate) struct Alone;

impl Totals for Alone {
    fn add_up(&self, _: &mut [f64]) -> Result<(), Error> {
        Ok(())
    }
}

/// Sums over a sample of the sources.
pub(super) struct Sample {
    /// Σ |q| r / (r² + ε²)^(3/2) at each receiver.
    pub(super) pulls: Vec<f64>,
    /// See [`Direct::participation`].
    pub(super) participation: f64,
}

/// Points of a direct sum in f64: sources by range, and a few receivers by axis.
#[derive(Clone, Copy)]
pub(crate) struct Direct<'a> {
    /// Sources of this process.
    pub(crate) n_sources: usize,
    /// Copies a range of the sources.
    pub(crate) sources: &'a (dyn Fn(Range<usize>) -> Wide + Sync),
    /// Receivers, the same for all processes.
    pub(crate) at: &'a [Vec<f64>; 3],
    pub(crate) softening: f64,
    pub(crate) totals: &'a dyn Totals,
}

impl Direct<'_> {
    /// Participation (Σ|q|)² / Σq²: the number of the charges, were they of equal size.
    pub(super) fn participation(&self) -> Result<f64, Error> {
        let part = |range: Range<usize>| {
            let [.., charges] = (self.sources)(range);
            charges.iter().fold([0.0; 2], |[sum, squares], q| [sum + q.abs(), squares + q * q])
        };
        let parts = parallel::map_ranges(0..self.n_sources, PART, part);
        let mut sums = parts.iter().fold([0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
        self.totals.add_up(&mut sums)?;
        Ok(participation(sums))
    }

    /// Lengths of pulls and participation, from a sample of the sources; from all if they are few.
    pub(super) fn sampled_pulls(&self) -> Result<Sample, Error> {
        let stretches = self.n_sources.min(SAMPLED).div_ceil(STRETCH);
        let start = |k: usize| (k as u128 * self.n_sources as u128 / stretches as u128) as usize;
        let stretch = |k: usize| start(k)..start(k + 1).min(start(k) + STRETCH);
        let n_sampled: usize = (0..stretches).map(|k| stretch(k).len()).sum();
        let share = self.n_sources as f64 / n_sampled.max(1) as f64;
        let mut sums = vec![0.0; self.at[0].len() + 2];
        for k in 0..stretches {
            let [x, y, z, charges] = (self.sources)(stretch(k));
            for (i, charge) in charges.iter().map(|q| q.abs()).enumerate() {
                for (place, pulls) in sums[2..].iter_mut().enumerate() {
                    let at = self.at.each_ref().map(|axis| axis[place]);
                    let d = [x[i] - at[0], y[i] - at[1], z[i] - at[2]];
                    let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                    let soft = square + self.softening * self.softening;
                    if square > 0.0 {
                        *pulls += share * charge / soft * (square / soft).sqrt();
                    }
                }
                sums[0] += share * charge;
                sums[1] += share * charge * charge;
            }
        }
        self.totals.add_up(&mut sums)?;
        let pulls = sums.split_off(2);
        Ok(Sample { pulls, participation: participation([sums[0], sums[1]]) })
    }

    /// Gradient and potential (gx, gy, gz, Φ) at each receiver, with blocks of sources added by compensation. Cost: a
    /// pair at full accuracy for each source and receiver. Bits do not depend on the number of threads.
    pub(crate) fn sums(&self) -> Result<Vec<[f64; 4]>, Error> {
        self.sums_of(|q| q, FewReceivers::add)
    }

    /// Sums with some seven digits of each term, by half of the work where sources that follow each other are neighbours.
    pub(super) fn sums_of_seven_digits(&self) -> Result<Vec<[f64; 4]>, Error> {
        self.sums_of(|q| q, FewReceivers::add_far_in_f32)
    }

    /// Σ |q| / r and the length of its gradient at each receiver to a few digits, by which rounding is judged.
    pub(super) fn magnitudes(&self) -> Result<Vec<[f64; 2]>, Error> {
        let lengths = |[x, y, z, potential]: [f64; 4]| [potential, x.hypot(y).hypot(z)];
        Ok(self.sums_of(f64::abs, FewReceivers::add_far_in_f32)?.into_iter().map(lengths).collect())
    }

    /// Sums of charges that are functions of the sources', which `add` makes part by part.
    fn sums_of<'s>(
        &'s self,
        charge: impl Fn(f64) -> f64 + Sync,
        add: impl Fn(FewReceivers<'s>, [&[f64]; 3], &[f64], &mut [Vec<f64>; 4]) + Sync,
    ) -> Result<Vec<[f64; 4]>, Error> {
        let n = self.at[0].len();
        let receivers = FewReceivers { at: self.at, softening: self.softening };
        let mut sums =
            self.over_parts([1, 2, 3, 0], |[x, y, z, charges], sums: &mut [Vec<f64>; 4]| {
                sums.iter_mut().for_each(|sum| sum.resize(n, 0.0));
                let charges: Vec<f64> = charges.iter().map(|q| charge(*q)).collect();
                add(receivers, [x, y, z], &charges, sums);
            });
        self.totals.add_up(sums.as_flattened_mut())?;
        Ok(sums)
    }

    /// For each receiver, totals of K sums that `add` makes part by part, in an order.
    fn over_parts<const K: usize>(
        &self,
        order: [usize; K],
        add: impl Fn([&[f64]; 4], &mut [Vec<f64>; K]) + Sync,
    ) -> Vec<[f64; K]> {
        let share = self.n_sources.div_ceil(TASKS).next_multiple_of(PART);
        let task = |k: usize| {
            let mut sums = [(); K].map(|()| Vec::new());
            let end = self.n_sources.min((k + 1) * share);
            for start in (k * share..end).step_by(PART) {
                let part = (self.sources)(start..end.min(start + PART));
                add(part.each_ref().map(Vec::as_slice), &mut sums);
            }
            sums
        };
        let n_tasks = self.n_sources.div_ceil(share.max(1));
        let tasks = parallel::map(n_tasks, task);
        let total = |of: usize, i: usize| {
            let terms = tasks.iter().map(|sums| sums[of][i]);
            terms.fold(Compensated::default(), Compensated::with).total()
        };
        (0..self.at[0].len()).map(|i| order.map(|of| total(of, i))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_over_several_tasks_are_those_of_a_plain_loop() {
        let n = 3 * PART + 17;
        let point = |i: usize| [0.731, 0.577, 0.839].map(|c: f64| (c * i as f64).fract());
        let charge = |i: usize| if i.is_multiple_of(3) { -1.0 } else { 0.7 };
        let sources = |range: Range<usize>| {
            let axis = |axis: usize| range.clone().map(|i| point(i)[axis]).collect();
            [axis(0), axis(1), axis(2), range.clone().map(charge).collect()]
        };
        let at = [vec![0.5, point(40)[0]], vec![-2.0, point(40)[1]], vec![0.1, point(40)[2]]];
        let direct =
            Direct { n_sources: n, sources: &sources, at: &at, softening: 0.0, totals: &Alone };
        let (sums, magnitudes) = (direct.sums().unwrap(), direct.magnitudes().unwrap());
        for (k, sum) in sums.iter().enumerate() {
            let x = [0, 1, 2].map(|axis| at[axis][k]);
            let mut expected = [0.0; 5];
            for i in 0..n {
                let d = [0, 1, 2].map(|axis| point(i)[axis] - x[axis]);
                let r = d.iter().map(|d| d * d).sum::<f64>().sqrt();
                if r > 0.0 {
                    let terms =
                        [d[0] / (r * r * r), d[1] / (r * r * r), d[2] / (r * r * r), 1.0 / r];
                    for (sum, term) in expected.iter_mut().zip(terms) {
                        *sum += charge(i) * term;
                    }
                    expected[4] += charge(i).abs() / r;
                }
            }
            for (sum, expected) in sum.iter().zip(&expected) {
                assert!(
                    (sum - expected).abs() < 1e-12 * expected.abs().max(1.0),
                    "{sum} {expected}"
                );
            }
            assert!((magnitudes[k][0] / expected[4] - 1.0).abs() < 1e-13);
        }
    }

    /// Sources on a line at whole distances, with charges of 1 and −1 in turn: pulls are sums of inverse squares.
    #[test]
    fn a_sample_of_few_sources_has_each_once() {
        let sources = |range: Range<usize>| {
            let x = range.clone().map(|i| (i + 1) as f64).collect();
            let zeros = vec![0.0; range.len()];
            [x, zeros.clone(), zeros, range.map(|i| 1.0 - 2.0 * (i % 2) as f64).collect()]
        };
        let at = [vec![0.0], vec![0.0], vec![0.0]];
        for n in [1, 7, 8, 9, 1000, SAMPLED] {
            let direct =
                Direct { n_sources: n, sources: &sources, at: &at, softening: 0.0, totals: &Alone };
            let Sample { pulls, participation } = direct.sampled_pulls().unwrap();
            let expected: f64 = (1..=n).map(|i| (i as f64).powi(-2)).sum();
            assert!((pulls[0] / expected - 1.0).abs() < 1e-12, "{n}: {} {expected}", pulls[0]);
            assert!((participation / n as f64 - 1.0).abs() < 1e-12, "{n}: {participation}");
        }
    }

    #[test]
    fn no_sources_give_zeros() {
        let none = |_: Range<usize>| [vec![], vec![], vec![], vec![]];
        let at = [vec![1.0], vec![2.0], vec![3.0]];
        let direct =
            Direct { n_sources: 0, sources: &none, at: &at, softening: 0.0, totals: &Alone };
        assert_eq!(direct.sums().unwrap(), [[0.0; 4]]);
        assert_eq!(direct.magnitudes().unwrap(), [[0.0; 2]]);
    }

    fn square([x, y, z]: [f64; 3]) -> f64 {
        x * x + y * y + z * z
    }

    /// Points along a curve through the unit cube, far from the origin, so that those that follow each other are neighbours.
    fn curve(n: usize) -> [Vec<f64>; 3] {
        let axis = |turns: f64| {
            let place = move |i: usize| 1e3 + (turns * i as f64 / n as f64).cos();
            (0..n).map(place).collect()
        };
        [axis(5.0), axis(8.0), axis(13.0)]
    }

    #[test]
    fn terms_have_seven_digits_in_any_unit() {
        let n = 20_000;
        for unit in [1.0, 1e-40, 1e40] {
            let [x, y, z] = curve(n).map(|axis| axis.iter().map(|x| unit * x).collect::<Vec<_>>());
            let charges: Vec<f64> = (0..n).map(|i| unit * (1.0 + (i % 7) as f64)).collect();
            let sources = |range: std::ops::Range<usize>| {
                [&x, &y, &z, &charges].map(|axis| axis[range.clone()].to_vec())
            };
            // Receivers among the sources and, the last, away from all.
            let at = [&x, &y, &z].map(|axis| {
                let among = axis.iter().copied().step_by(n / 31);
                among.chain([axis[0] + 50.0 * unit]).collect()
            });
            let softening = 0.01 * unit;
            let direct =
                Direct { n_sources: n, sources: &sources, at: &at, softening, totals: &Alone };
            let (found, exact) = (direct.sums_of_seven_digits().unwrap(), direct.sums().unwrap());
            assert_ne!(found, exact, "no part was far");
            let magnitudes = direct.magnitudes().unwrap();
            for (k, ((found, exact), magnitudes)) in
                found.iter().zip(&exact).zip(&magnitudes).enumerate()
            {
                let potential = (found[3] - exact[3]).abs();
                let gradient = square([0, 1, 2].map(|i| found[i] - exact[i])).sqrt();
                let term = |i: usize| {
                    let r2 = square([x[i] - at[0][k], y[i] - at[1][k], z[i] - at[2][k]]);
                    charges[i] / (r2 + softening * softening)
                };
                let terms: f64 = (0..n).map(term).sum();
                // Twice and four times the rounding of a term, were all parts wrong alike.
                let rounding = f64::from(f32::EPSILON);
                assert!(potential <= 2.0 * rounding * exact[3], "{potential} of {}", exact[3]);
                assert!(gradient <= 4.0 * rounding * terms, "{gradient} of {terms}");
                assert!((magnitudes[0] / exact[3] - 1.0).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn parts_without_charge_or_without_far_receivers_are_summed() {
        let zeros = |range: std::ops::Range<usize>| [(); 4].map(|()| vec![0.0; range.len()]);
        let at = [vec![1.0; 9], vec![2.0; 9], vec![3.0; 9]];
        let direct =
            Direct { n_sources: 700, sources: &zeros, at: &at, softening: 0.0, totals: &Alone };
        assert_eq!(direct.sums_of_seven_digits().unwrap(), [[0.0; 4]; 9]);
        let few = [vec![1.0], vec![2.0], vec![3.0]];
        let direct = Direct { at: &few, ..direct };
        assert_eq!(direct.sums_of_seven_digits().unwrap(), direct.sums().unwrap());
    }
}
