//! Cancellation of sums: the errors of terms beside those of the sums.
//!
//! Charges of both signs cancel, and so do the pulls of charges of one sign: inside a shell of equal masses there is no field.

use super::references::Direct;
use crate::api::{Error, Outputs};
use crate::engine::ChargeKind;

/// Receivers at which cancellation is found, a fourth of the picked ones within these bounds: it is known to a factor of 2, which is enough,
/// and takes a small share of the check.
const RECEIVERS: [usize; 2] = [8, 16];

/// Relative error of f64.
pub(super) const ROUNDING: f64 = 0.5 * f64::EPSILON;

/// Ratio of the rounding of sums to an estimate that takes the errors of their terms as independent: partial sums are larger than
/// terms, and lengths that are alike are rounded alike. Measured on concentric spheres and mirror images of opposite charges: up to 7.
const PARTIAL_SUMS: f64 = 8.0;

/// Share of the tolerance above which rounding in f64 is in doubt: where charges are sorted by their signs, partial sums are so
/// large that rounding was measured to be up to 20 times what is expected.
const DOUBT: f64 = 0.04;

/// Tolerance from which references of seven digits are tried, over the cancellation: 16 times the relative error of f32, which a
/// sum over many parts has a small share of.
const SEVEN_DIGITS: f64 = 8.0 * f32::EPSILON as f64;

/// Receivers that stand for all.
#[derive(Clone, Copy, Debug)]
pub(super) struct Picked<'a> {
    /// Number of receivers that each stands for.
    pub(super) factors: &'a [f64],
    /// Whether potential and gradient of each are no outliers.
    pub(super) within: &'a [[bool; 2]],
    /// Sums of squares of potential and gradient over all receivers, and over those without outliers.
    pub(super) squares: [[f64; 2]; 2],
}

/// Receivers whose sums may cancel.
pub(super) struct PickedSums<'a> {
    /// The direct sum at these receivers.
    pub(super) direct: Direct<'a>,
    pub(super) picked: Picked<'a>,
    pub(super) outputs: Outputs,
    /// Kind of the charges.
    pub(super) kind: ChargeKind,
}

/// Factors from relative errors of terms to the relative L2 error of the worse output.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Cancellation {
    /// Errors that are independent of each other, which add up in squares.
    pub(super) independent: f64,
    /// Errors that are alike.
    alike: f64,
}

/// Terms of sums at some of the picked receivers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms<'a> {
    /// Σ|q|/r and the sum of the lengths of the pulls at every `step`-th, in the unit of the picks' squares.
    pub(crate) magnitudes: &'a [[f64; 2]],
    pub(crate) step: usize,
    /// Participation (Σ|q|)² / Σq²: the number of the charges, were they of equal size.
    pub(crate) participation: f64,
}

impl Cancellation {
    /// The cancellation of picked sums, from their terms.
    pub(super) fn of(terms: Terms<'_>, picked: Picked<'_>, outputs: Outputs) -> Self {
        let Picked { factors, within, squares } = picked;
        // Means over all receivers: those with large sums are among the picked far more often than others. With outliers and without.
        let (mut sums, mut all) = ([[0.0; 2]; 2], 0.0);
        let picked = factors.iter().zip(within).step_by(terms.step);
        for (magnitudes, (factor, within)) in terms.magnitudes.iter().zip(picked) {
            for output in 0..2 {
                let square = factor * magnitudes[output] * magnitudes[output];
                sums[0][output] += square;
                sums[1][output] += if within[output] { square } else { 0.0 };
            }
            all += factor;
        }
        let n: f64 = factors.iter().sum();
        let of_terms = |terms: f64, square: f64| match terms {
            0.0 => 0.0,
            terms => (terms / all * n / square).sqrt(),
        };
        let factor = |output: usize| {
            let of = |set: usize| of_terms(sums[set][output], squares[set][output]);
            of(0).max(of(1))
        };
        let potential = if outputs.has_potential() { factor(0) } else { 0.0 };
        let gradient = if outputs.has_gradient() { factor(1) } else { 0.0 };
        let alike = potential.max(gradient);
        Self { independent: alike / terms.participation.sqrt(), alike }
    }

    /// The relative L2 error to expect of sums in f64.
    pub(super) fn rounding(self) -> f64 {
        ROUNDING * self.alike.min(PARTIAL_SUMS * self.independent)
    }

    /// Whether sums whose terms have seven digits may be references for a tolerance.
    pub(super) fn leaves_seven_digits(self, tolerance: f64) -> bool {
        tolerance >= SEVEN_DIGITS * self.independent.max(1.0)
    }

    /// Whether sums in f64 are no references for a tolerance.
    pub(super) fn is_in_doubt(self, tolerance: f64) -> bool {
        self.rounding() > DOUBT * tolerance
    }
}

impl PickedSums<'_> {
    /// Cost: a pair for each source and some of the receivers for unlike charges, else a few thousand pairs.
    pub(super) fn cancellation(&self) -> Result<Cancellation, Error> {
        let [fewest, most] = RECEIVERS;
        let n_receivers = self.picked.factors.len();
        let step = n_receivers.div_ceil((n_receivers / 4).clamp(fewest, most)).max(1);
        let at = self.direct.at.each_ref().map(|axis| axis.iter().copied().step_by(step).collect());
        let direct = Direct { at: &at, ..self.direct };
        let sample = direct.sampled_pulls()?;
        let mut magnitudes: Vec<[f64; 2]> = sample.pulls.iter().map(|pull| [0.0, *pull]).collect();
        let mut participation = sample.participation;
        if self.kind == ChargeKind::Unlike {
            participation = direct.participation()?;
            for (all, [potential, pull]) in magnitudes.iter_mut().zip(direct.magnitudes()?) {
                *all = [potential, all[1].max(pull)];
            }
        }
        let terms = Terms { magnitudes: &magnitudes, step, participation };
        Ok(Cancellation::of(terms, self.picked, self.outputs))
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::super::references::Alone;
    use super::*;

    /// The images of a point in the octants, each with a charge of 1: their pulls cancel in the middle.
    fn images(range: Range<usize>) -> [Vec<f64>; 4] {
        let axis = |axis: usize, at: f64| {
            range.clone().map(|k| if k >> axis & 1 == 0 { at } else { -at }).collect()
        };
        [axis(0, 0.6), axis(1, 0.64), axis(2, 0.48), vec![1.0; range.len()]]
    }

    #[test]
    fn pulls_of_charges_of_one_sign_cancel_in_their_middle() {
        let at = [vec![1e-3], vec![0.0], vec![0.0]];
        let sources = images;
        let direct =
            Direct { n_sources: 8, sources: &sources, at: &at, softening: 0.0, totals: &Alone };
        let [[x, y, z, potential]] = direct.sums().unwrap()[..] else { panic!("one receiver") };
        let squares = [potential * potential, x * x + y * y + z * z];
        let outputs = Outputs::PotentialAndGradient;
        let picked = Picked { factors: &[1.0], within: &[[true; 2]], squares: [squares; 2] };
        let sums = PickedSums { direct, picked, outputs, kind: ChargeKind::Alike };
        let found = sums.cancellation().unwrap();
        // The eight pulls have length 1, to three digits.
        let expected = 8.0 / squares[1].sqrt();
        assert!((found.alike / expected - 1.0).abs() < 1e-2, "{} {expected}", found.alike);
        assert!((found.independent / expected * 8.0_f64.sqrt() - 1.0).abs() < 1e-2);
        assert_eq!(found.rounding(), ROUNDING * found.alike);
        // Those of unlike charges have as large terms.
        let unlike = PickedSums { kind: ChargeKind::Unlike, ..sums }.cancellation().unwrap();
        assert!(unlike.alike >= found.alike);
    }
    /// Two heavy charges that are close have most of the norm, and rounding of all others beside it.
    #[test]
    fn sums_cancel_beside_the_norm_without_outliers() {
        let sources = |range: Range<usize>| {
            let all = [vec![0.0, 1e-9], vec![0.0; 2], vec![0.0; 2], vec![1e9, -1e9]];
            all.map(|axis| axis[range.clone()].to_vec())
        };
        let at = [vec![0.0, 0.5], vec![0.0; 2], vec![0.0; 2]];
        let direct =
            Direct { n_sources: 2, sources: &sources, at: &at, softening: 0.0, totals: &Alone };
        let squares = direct
            .sums()
            .unwrap()
            .into_iter()
            .map(|[x, y, z, potential]| [potential * potential, x * x + y * y + z * z]);
        let [heavy, light] = squares.collect::<Vec<_>>()[..] else { panic!("two receivers") };
        let all = [heavy[0] + light[0], heavy[1] + light[1]];
        let outputs = Outputs::PotentialAndGradient;
        let alike = |within: [bool; 2], squares| {
            let within = [within, [true; 2]];
            let picked = Picked { factors: &[1.0; 2], within: &within, squares: [all, squares] };
            let sums = PickedSums { direct, picked, outputs, kind: ChargeKind::Unlike };
            sums.cancellation().unwrap().alike
        };
        assert!((0.5..2.0).contains(&alike([true; 2], all)));
        // Two terms of 2·10⁹ leave a dipole's 4.
        assert!((1e8..2e9).contains(&alike([false; 2], light)));
    }
}
