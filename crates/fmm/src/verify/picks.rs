//! Importance sampling of receivers: a few of them tell the error of all.
//!
//! The relative L2 error needs Σ e² over all receivers. Receivers are picked with probabilities that five reasons share
//! evenly ([`importance`], which device code shares): all receivers alike, the square of the potential, that of the gradient,
//! and the errors to expect, of the place in its box or of rounded positions. Where a few receivers have most of the norm,
//! as in a cusp, or most of the error, as in the corners of boxes, those are among the picked. Picks are stratified: one at
//! random from each of `count` equal stretches of the cumulated probability, so that they are spread over the tree, and no
//! lattice has the same place in all its boxes picked.
//!
//! A norm may be that of very few receivers: in a line of equal masses forces cancel but at both ends. So the error is also
//! taken without the [`Limits`], the receivers whose outputs are above all of a thousand others, and the larger one counts.

use std::ops::Range;

use expansions::numerics::importance::{self, BLOCK, Limits, Probability, Sums, Weights, within};

use super::cancellation::Picked;
use super::stretches::Stretches;
#[cfg(feature = "gpu")]
use super::stretches::target;
use crate::api::Outputs;
use crate::api::worse;

/// Blocks of a task.
const TASK: usize = parallel::min_length(650.0);

/// Receivers whose largest outputs are the limits.
const LIMITING: usize = 1000;

/// Picked receivers, and the norms of the outputs over all receivers.
#[derive(Clone, Debug)]
pub(crate) struct Picks {
    /// Places of the receivers, ascending and distinct.
    pub(crate) places: Vec<usize>,
    /// Factor of each receiver's squared error in the sum over all.
    factors: Vec<f64>,
    /// Whether the outputs of each receiver are within the limits.
    within: Vec<[bool; 2]>,
    /// Sums of the squares of potential and gradient over all receivers.
    squares: [f64; 2],
    /// Sums of the squares over the receivers within the limits.
    squares_within: [f64; 2],
}

/// Squares of potential and gradient of a value (gx, gy, gz, Φ); 0 for an output that does not count.
pub(crate) fn squares(value: [f64; 4], outputs: Outputs) -> [f64; 2] {
    let kept = |kept: bool| f64::from(u8::from(kept));
    importance::squares(value, [kept(outputs.has_gradient()), kept(outputs.has_potential())])
}

/// The receivers of `n` that tell the limits.
#[cfg(feature = "gpu")]
pub(crate) fn limiting(n: usize) -> Vec<u32> {
    super::sample(n, LIMITING).into_iter().map(|place| place as u32).collect()
}

/// Cumulated probabilities of `count` picks, ascending.
#[cfg(feature = "gpu")]
pub(crate) fn targets(count: usize) -> Vec<f64> {
    (0..count).map(|pick| target(pick, count)).collect()
}

/// The limits of the outputs of `n` receivers.
fn limits(n: usize, weights: impl Fn(usize) -> Weights) -> Limits {
    local_limits(n, 0..n, weights)
}

/// The limits as far as receivers `here` of `n` tell, which count from 0 in `weights`.
pub(crate) fn local_limits(
    n: usize,
    here: Range<usize>,
    weights: impl Fn(usize) -> Weights,
) -> Limits {
    let places = super::sample(n, LIMITING).into_iter().filter(|place| here.contains(place));
    places
        .map(|place| weights(place - here.start))
        .fold([0.0; 2], |[a, b], [potential, gradient, ..]| {
            [f64::max(a, potential), f64::max(b, gradient)]
        })
}

/// Receivers that are here, among those of all processes, which follow each other in the order of the processes.
#[derive(Clone, Debug)]
pub(crate) struct PickPart {
    /// Receivers of all processes.
    pub(crate) n: usize,
    /// Receivers that are here.
    pub(crate) here: Range<usize>,
    /// Sums over the receivers before, and over all.
    pub(crate) sums_before: Sums,
    pub(crate) sums: Sums,
}

impl PickPart {
    /// All receivers.
    fn whole(n: usize, blocks: &[Sums]) -> Self {
        Self { n, here: 0..n, sums_before: [0.0; 6], sums: total(blocks) }
    }

    /// The cumulated probability of the receivers before, and those of the picks of `count` that are among the receivers here,
    /// which have `own` sums. Each pick is that of one process. As many picks as receivers have no targets: they are any numbers,
    /// one for each receiver here.
    #[cfg(feature = "gpu")]
    pub(crate) fn targets(&self, own: Sums, count: usize) -> (f64, Vec<f64>) {
        if count >= self.n {
            return (0.0, vec![0.0; self.here.len()]);
        }
        let probability = Probability::new(self.n, self.sums);
        let up_to = |n, [a, b, c, d, ..]: Sums| probability.of(n, [a, b, c, d]);
        let start = up_to(self.here.start, self.sums_before);
        let end = match self.here.end < self.n {
            true => up_to(self.here.end, importance::add(self.sums_before, own)),
            false => f64::INFINITY,
        };
        let is_here = |target: &f64| !self.here.is_empty() && (start..end).contains(target);
        (start, (0..count).map(|pick| target(pick, count)).filter(is_here).collect())
    }

    /// Places and factors of the picks of `count` that are among the receivers here.
    fn picked(
        &self,
        count: usize,
        blocks: &[Sums],
        weights: impl Fn(usize) -> Weights,
    ) -> (Vec<usize>, Vec<f64>) {
        let probability = Probability::new(self.n, self.sums);
        let [a, b, c, d, ..] = self.sums_before;
        let mut start = probability.of(self.here.start, [a, b, c, d]);
        let mut stretches = Stretches::after(start, count, probability);
        for (block, [a, b, c, d, ..]) in blocks.iter().enumerate() {
            let places = range(self.here.len(), block);
            let end = start + probability.of(places.len(), [*a, *b, *c, *d]);
            if stretches.next() <= end {
                stretches.pick(places, start, &weights);
            }
            start = end;
        }
        (stretches.places, stretches.factors)
    }
}

impl Picks {
    /// The receivers as those of sums that may cancel.
    pub(super) fn picked(&self) -> Picked<'_> {
        let squares = [self.squares, self.squares_within];
        Picked { factors: &self.factors, within: &self.within, squares }
    }

    /// Sums of the squares of potential and gradient over all receivers.
    pub(crate) fn squares(&self) -> [f64; 2] {
        self.squares
    }

    /// At most `count` of `n` receivers, by their weights; all of them if they are no more. Cost: n. The same picks for any number
    /// of threads.
    pub(crate) fn new(n: usize, count: usize, weights: impl Fn(usize) -> Weights + Sync) -> Self {
        let limits = limits(n, &weights);
        let blocks = block_sums(n, limits, &weights);
        Self::of_part(&PickPart::whole(n, &blocks), count, &blocks, limits, weights)
    }

    /// Picks that a device made: factors, whether the outputs are within the limits, and sums over all receivers. Their
    /// places stay on the device.
    #[cfg(feature = "gpu")]
    pub(crate) fn of_device(
        factors: Vec<f64>,
        within: Vec<[bool; 2]>,
        [potential, gradient, _, _, squares_within @ ..]: Sums,
    ) -> Self {
        Self { places: Vec::new(), factors, within, squares: [potential, gradient], squares_within }
    }

    /// Picks among the receivers that are here, of at most `count` of all. Weights and places are those of receivers here.
    pub(crate) fn of_part(
        part: &PickPart,
        count: usize,
        blocks: &[Sums],
        limits: Limits,
        weights: impl Fn(usize) -> Weights,
    ) -> Self {
        let [potential, gradient, _, _, squares_within @ ..] = part.sums;
        let n_here = part.here.len();
        let (places, factors) = match count >= part.n {
            true => ((0..n_here).collect(), vec![1.0; n_here]),
            false => part.picked(count, blocks, &weights),
        };
        let is_within = |place: &usize| {
            let [potential, gradient, ..] = weights(*place);
            [potential <= limits[0], gradient <= limits[1]]
        };
        Self {
            within: places.iter().map(is_within).collect(),
            places,
            factors,
            squares: [potential, gradient],
            squares_within,
        }
    }

    /// The picks of all processes, by a function that joins rows of each. Places stay those of this one.
    pub(crate) fn joined<E>(
        self,
        gather: impl FnOnce(&[[f64; 3]]) -> Result<Vec<[f64; 3]>, E>,
    ) -> Result<Self, E> {
        let bit = |within: bool| f64::from(u8::from(within));
        let row = |(factor, within): (&f64, &[bool; 2])| [*factor, bit(within[0]), bit(within[1])];
        let rows: Vec<[f64; 3]> = self.factors.iter().zip(&self.within).map(row).collect();
        let rows = gather(&rows)?;
        let factors = rows.iter().map(|row| row[0]).collect();
        let within = rows.iter().map(|row| [row[1] > 0.0, row[2] > 0.0]).collect();
        Ok(Self { factors, within, ..self })
    }

    /// The relative L2 error of the worse output over all receivers, from values (gx, gy, gz, Φ) at the picked ones and
    /// their references, in one unit.
    pub(crate) fn worse_error(
        &self,
        values: &[[f64; 4]],
        references: &[[f64; 4]],
        outputs: Outputs,
    ) -> f64 {
        let errors = values.iter().zip(references).map(|(value, reference)| {
            squares([0, 1, 2, 3].map(|of| value[of] - reference[of]), outputs)
        });
        let [potential, gradient] = self.relative_errors(errors);
        of_exact_norm(worse(potential, gradient))
    }

    /// Relative L2 errors over all receivers, of potential and gradient, from squared errors at the picked ones: the
    /// larger of those with and without outliers.
    fn relative_errors(&self, errors: impl Iterator<Item = [f64; 2]>) -> [f64; 2] {
        let mut sums = [[0.0; 2]; 2];
        for ((errors, factor), within) in errors.zip(&self.factors).zip(&self.within) {
            for output in 0..2 {
                let error = errors[output] * factor;
                sums[0][output] += error;
                sums[1][output] += if within[output] { error } else { 0.0 };
            }
        }
        let relative = |sum: f64, square: f64| if sum == 0.0 { 0.0 } else { (sum / square).sqrt() };
        [0, 1].map(|output| {
            let all = relative(sums[0][output], self.squares[output]);
            worse(all, relative(sums[1][output], self.squares_within[output]))
        })
    }
}

/// An error relative to the exact field, at most, from one relative to the field that has it: its norm may be larger than the exact one
/// by all of the error.
fn of_exact_norm(error: f64) -> f64 {
    if error < 1.0 { error / (1.0 - error) } else { error }
}

/// Sums over each [`BLOCK`] of `n` receivers.
pub(crate) fn block_sums(
    n: usize,
    limits: Limits,
    weights: impl Fn(usize) -> Weights + Sync,
) -> Vec<Sums> {
    let add = |sums: Sums, place| importance::add(sums, within(weights(place), limits));
    let sums = |block: usize| range(n, block).fold([0.0; 6], add);
    parallel::collect(n.div_ceil(BLOCK), TASK, sums)
}

/// Sums over all blocks.
pub(crate) fn total(blocks: &[Sums]) -> Sums {
    blocks.iter().copied().fold([0.0; 6], importance::add)
}

/// Places of a block.
fn range(n: usize, block: usize) -> Range<usize> {
    block * BLOCK..n.min((block + 1) * BLOCK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_receivers_alike_have_their_mean_error() {
        for (n, count) in [(1, 1), (5, 64), (1000, 32), (100_000, 48)] {
            let picks = Picks::new(n, count, |_| [4.0, 0.25, 1.0, 0.5]);
            assert!(picks.places.len() <= count.min(n) && !picks.places.is_empty());
            assert!(picks.places.windows(2).all(|w| w[0] < w[1]));
            let [potential, gradient] =
                picks.relative_errors(picks.places.iter().map(|_| [4e-6, 1e-6]));
            assert!((potential / 1e-3 - 1.0).abs() < 0.6, "{n}: {potential}");
            assert!((gradient / 2e-3 - 1.0).abs() < 0.6, "{n}: {gradient}");
        }
    }

    #[test]
    fn all_receivers_are_picked_once_where_they_are_no_more_than_asked_for() {
        let error = |place: usize| if place == 17 { [1e-6, 4e-6] } else { [0.0; 2] };
        for count in [300, 1024] {
            let picks = Picks::new(300, count, |_| [1.0, 1.0, 0.0, 0.0]);
            assert_eq!(picks.places, (0..300).collect::<Vec<_>>());
            let [potential, gradient] =
                picks.relative_errors(picks.places.iter().map(|place| error(*place)));
            let expected = (1e-6_f64 / 300.0).sqrt();
            assert!((potential / expected - 1.0).abs() < 1e-12, "{potential}");
            assert!((gradient / expected - 2.0).abs() < 1e-12, "{gradient}");
        }
    }

    #[test]
    fn a_receiver_with_most_of_the_norm_and_of_the_error_is_seen() {
        let n = 100_000;
        let outputs = |place: usize| {
            if place == 71_003 { [1e8, 1e12, 0.0, 0.0] } else { [1.0, 1.0, 0.0, 0.0] }
        };
        let error = |place: usize| if place == 71_003 { [1e2, 1e4] } else { [1e-8, 1e-8] };
        let picks = Picks::new(n, 32, outputs);
        let [potential, gradient] =
            picks.relative_errors(picks.places.iter().map(|place| error(*place)));
        assert!((potential / 1e-3 - 1.0).abs() < 0.2, "{potential}");
        assert!((gradient / 1e-4 - 1.0).abs() < 0.2, "{gradient}");
    }

    #[test]
    fn errors_of_most_receivers_are_seen_beside_the_norm_of_few() {
        let weights = |place: usize| {
            if place % 50_000 == 17 { [1.0, 1e6, 0.0, 0.0] } else { [1.0, 1e-6, 0.0, 0.0] }
        };
        let picks = Picks::new(100_000, 64, weights);
        let [potential, gradient] =
            picks.relative_errors(picks.places.iter().map(|_| [1e-6, 1e-10]));
        assert!((potential / 1e-3 - 1.0).abs() < 0.3, "{potential}");
        assert!((gradient / 1e-2 - 1.0).abs() < 0.3, "{gradient}");
    }

    /// Ranks, some without receivers, share the targets of one process: each has its own, and none is left out.
    #[cfg(feature = "gpu")]
    #[test]
    fn each_target_is_that_of_one_rank() {
        for cuts in [vec![0, 0, 700, 700, 1000], vec![0, 1, 999, 1000, 1000], vec![0, 1000]] {
            let weight = |place: usize| [1.0 + (place % 13) as f64, 0.0, (place % 7) as f64, 0.5];
            let sums_of = |end: usize| {
                (0..end)
                    .map(|place| within(weight(place), [9.0; 2]))
                    .fold([0.0; 6], importance::add)
            };
            let mut found = Vec::new();
            for cut in cuts.windows(2) {
                let (here, sums_before) = (cut[0]..cut[1], sums_of(cut[0]));
                let own = [0, 1, 2, 3, 4, 5].map(|k| sums_of(cut[1])[k] - sums_before[k]);
                let part = PickPart { n: 1000, here, sums_before, sums: sums_of(1000) };
                found.extend(part.targets(own, 64).1);
            }
            assert_eq!(found, targets(64), "{cuts:?}");
        }
    }

    #[test]
    fn zeros_and_no_receivers_have_no_error() {
        for n in [0, 3000] {
            let picks = Picks::new(n, 16, |_| [0.0; 4]);
            assert_eq!(picks.relative_errors(picks.places.iter().map(|_| [0.0; 2])), [0.0; 2]);
        }
        let wrong = Picks::new(10, 16, |_| [0.0; 4]);
        assert_eq!(
            wrong.relative_errors(wrong.places.iter().map(|_| [1.0, 0.0])),
            [f64::INFINITY, 0.0]
        );
    }
}
