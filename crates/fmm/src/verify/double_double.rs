//! Direct sums in double-double arithmetic, where a sum cancels so far that f64 is in doubt.

use std::ops::Range;

use expansions::operators::{add_double_doubles, p2p_double_double};

use super::references::Direct;
use crate::api::Error;

/// Sources of a task: at some 10 ns a pair and 16 receivers, 0.7 ms of work.
const TASK: usize = 1 << 12;

/// High and low parts of gradient and potential (gx, gy, gz, Φ) at each receiver.
type Doubles = [[Vec<f64>; 4]; 2];

/// Gradient and potential (gx, gy, gz, Φ) at each receiver, rounded to f64 at the end. Pairs at distance 0 are left out.
/// Bits do not depend on the number of threads.
pub(crate) fn exact_sums(direct: &Direct<'_>) -> Result<Vec<[f64; 4]>, Error> {
    let n = direct.at[0].len();
    let tasks = parallel::map_ranges(0..direct.n_sources, TASK, |range| part(direct, range));
    let [mut high, mut low] = [0, 1].map(|_| vec![0.0; 4 * n]);
    for [task_high, task_low] in &tasks {
        for (k, (high, low)) in high.iter_mut().zip(&mut low).enumerate() {
            let [of, i] = [k % 4, k / 4];
            [*high, *low] = add_double_doubles([*high, *low], [task_high[of][i], task_low[of][i]]);
        }
    }
    // Parts of other processes cancel this one's high parts, and low parts count then.
    direct.totals.add_up(&mut high)?;
    direct.totals.add_up(&mut low)?;
    let sum = |of: usize| high[of] + low[of];
    Ok((0..n).map(|i| [0, 1, 2, 3].map(|of| sum(4 * i + of))).collect())
}

/// Sums over some sources at all receivers.
fn part(direct: &Direct<'_>, range: Range<usize>) -> Doubles {
    let [x, y, z, charges] = (direct.sources)(range);
    let n = direct.at[0].len();
    let mut sums: Doubles = [(); 2].map(|()| [(); 4].map(|()| vec![0.0; n]));
    let [high, low] = sums.each_mut().map(|part| part.each_mut().map(Vec::as_mut_slice));
    let at = direct.at.each_ref().map(Vec::as_slice);
    p2p_double_double(([&x, &y, &z], &charges), at, direct.softening, [high, low]);
    sums
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
