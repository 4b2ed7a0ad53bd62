//! Direct sums in double-double arithmetic, where a sum cancels so far that f64 is in doubt.
//!
//! A number is an unevaluated sum of two f64 with 106 bits (Dekker, Numer. Math. 18, 1971). Products split their factors,
//! since fused operations are not on every processor. Cost: some 150 operations a pair.

use std::ops::Range;

use super::references::Direct;
use crate::api::Error;

/// Sources of a task: at 50 ns a pair and 16 receivers, 1 ms of work.
const TASK: usize = 1 << 10;

/// A number of 106 bits: high and low part.
type Double = [f64; 2];

fn two_sum(a: f64, b: f64) -> Double {
    let sum = a + b;
    let part = sum - a;
    [sum, (a - (sum - part)) + (b - part)]
}

/// [`two_sum`] for |a| ≥ |b|.
fn quick_two_sum(a: f64, b: f64) -> Double {
    let sum = a + b;
    [sum, b - (sum - a)]
}

/// High and low half of the bits.
fn split(a: f64) -> Double {
    let shifted = 134_217_729.0 * a;
    let high = shifted - (shifted - a);
    [high, a - high]
}

fn two_product(a: f64, b: f64) -> Double {
    let product = a * b;
    let ([a_high, a_low], [b_high, b_low]) = (split(a), split(b));
    let error = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low;
    [product, error]
}

fn add([a, a_low]: Double, [b, b_low]: Double) -> Double {
    let [sum, error] = two_sum(a, b);
    quick_two_sum(sum, error + (a_low + b_low))
}

fn multiply([a, a_low]: Double, [b, b_low]: Double) -> Double {
    let [product, error] = two_product(a, b);
    quick_two_sum(product, error + (a * b_low + a_low * b))
}

/// 1/√x by one step of Newton's method, which doubles the 53 bits of the start.
fn inverse_root(x: Double) -> Double {
    let start = 1.0 / x[0].sqrt();
    let [residual, _] = add([1.0, 0.0], multiply(x, two_product(-start, start)));
    quick_two_sum(start, 0.5 * start * residual)
}

/// Gradient and potential (gx, gy, gz, Φ) at each receiver, rounded to f64 at the end. Pairs at distance 0 are left out.
/// The same bits for any number of threads.
pub(crate) fn exact_sums(direct: &Direct<'_>) -> Result<Vec<[f64; 4]>, Error> {
    let n = direct.at[0].len();
    let tasks = parallel::map_ranges(0..direct.n_sources, TASK, |range| part(direct, range));
    let total =
        |i: usize, of: usize| tasks.iter().fold([0.0; 2], |sum, sums| add(sum, sums[i][of]));
    let totals: Vec<[Double; 4]> = (0..n).map(|i| [0, 1, 2, 3].map(|of| total(i, of))).collect();
    // Parts of other processes cancel this one's high parts, and low parts count then.
    let [mut high, mut low] =
        [0, 1].map(|part| totals.as_flattened().iter().map(|sum| sum[part]).collect::<Vec<f64>>());
    direct.totals.add_up(&mut high)?;
    direct.totals.add_up(&mut low)?;
    let sum = |of: usize| high[of] + low[of];
    Ok((0..n).map(|i| [0, 1, 2, 3].map(|of| sum(4 * i + of))).collect())
}

/// Sums over some sources at all receivers.
fn part(direct: &Direct<'_>, range: Range<usize>) -> Vec<[Double; 4]> {
    let [x, y, z, charges] = (direct.sources)(range);
    let softening2 = two_product(direct.softening, direct.softening);
    let receiver = |i: usize| {
        let mut sums = [[0.0; 2]; 4];
        for (k, charge) in charges.iter().enumerate() {
            let distance =
                [(&x, 0), (&y, 1), (&z, 2)].map(|(c, axis)| two_sum(c[k], -direct.at[axis][i]));
            let squares = distance.map(|d| multiply(d, d));
            let square = add(add(squares[0], squares[1]), squares[2]);
            if square[0] == 0.0 {
                continue;
            }
            let inverse = inverse_root(add(square, softening2));
            let potential = multiply([*charge, 0.0], inverse);
            let pull = multiply(potential, multiply(inverse, inverse));
            for (sum, d) in sums.iter_mut().zip(distance) {
                *sum = add(*sum, multiply(pull, d));
            }
            sums[3] = add(sums[3], potential);
        }
        sums
    };
    (0..direct.at[0].len()).map(receiver).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verify::Alone;

    #[test]
    fn charges_that_cancel_keep_their_digits() {
        // A quadrupole seen along its axis from a distance of 1: in f64 it has four digits.
        let h = 1e-6;
        let sources =
            |_: Range<usize>| [vec![-h, 0.0, h], vec![0.0; 3], vec![0.0; 3], vec![1.0, -2.0, 1.0]];
        let at = [vec![1.0], vec![0.0], vec![0.0]];
        let direct =
            Direct { n_sources: 3, sources: &sources, at: &at, softening: 0.0, totals: &Alone };
        let [[gx, _, _, potential]] = exact_sums(&direct).unwrap()[..] else {
            panic!("one receiver")
        };
        // 1/(1−h) + 1/(1+h) − 2 = 2h²/(1−h²), and its derivative by the distance.
        let expected = 2.0 * h * h / (1.0 - h * h);
        assert!((potential / expected - 1.0).abs() < 1e-14, "{potential} {expected}");
        // 1/(1−h)² + 1/(1+h)² − 2
        let slope = h * h * (6.0 - 2.0 * h * h) / (1.0 - h * h).powi(2);
        assert!((gx / -slope - 1.0).abs() < 1e-14, "{gx} {slope}");
        let in_f64 = direct.sums().unwrap()[0];
        assert!((in_f64[3] / expected - 1.0).abs() > 1e-6, "{}", in_f64[3]);
    }
}
