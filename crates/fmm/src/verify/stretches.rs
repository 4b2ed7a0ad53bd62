//! Stretches of the cumulated probability of receivers, of which each has one pick.

use std::ops::Range;

use expansions::numerics::importance::{Probability, Weights};

use crate::engine::random_bits;

/// Stretches of the cumulated probability, and the picks of those that are done.
pub(super) struct Stretches {
    probability: Probability,
    count: usize,
    done: usize,
    pub(super) places: Vec<usize>,
    pub(super) factors: Vec<f64>,
}

impl Stretches {
    /// The stretches whose picks are not below a cumulated probability.
    pub(super) fn after(start: f64, count: usize, probability: Probability) -> Self {
        let (places, factors) = (Vec::new(), Vec::new());
        let mut stretches = Self { probability, count, done: 0, places, factors };
        while stretches.next() <= start && start > 0.0 {
            stretches.done += 1;
        }
        stretches
    }

    /// Cumulated probability of the next pick; infinite after the last.
    pub(super) fn next(&self) -> f64 {
        match self.done < self.count {
            true => target(self.done, self.count),
            false => f64::INFINITY,
        }
    }

    /// Picks among places whose cumulated probability begins at `start`.
    pub(super) fn pick(
        &mut self,
        places: Range<usize>,
        mut start: f64,
        of: impl Fn(usize) -> Weights,
    ) {
        for place in places {
            let weights = of(place);
            let probability = self.probability.of(1, weights);
            let before = self.done;
            while self.next() <= start + probability {
                self.done += 1;
            }
            if self.done > before {
                self.places.push(place);
                // A receiver may be the pick of several stretches.
                let hits = self.done - before;
                self.factors.push(self.probability.factor(hits, self.count, weights));
            }
            start += probability;
        }
    }
}

/// Cumulated probability of a pick of `count`: at random in its stretch.
pub(super) fn target(pick: usize, count: usize) -> f64 {
    (pick as f64 + random(pick as u64)) / count as f64
}

/// A number in 0 … 1 by a counter.
fn random(counter: u64) -> f64 {
    (random_bits(counter) >> 11) as f64 * 2f64.powi(-53)
}
