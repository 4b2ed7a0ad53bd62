//! Block steps: each particle has a step of its own, the longest one divided by a power of two.
//!
//! L. Hernquist and N. Katz, Astrophys. J. Suppl. 70, 419, 1989, with kicks and drifts. Time within a longest step is
//! counted in ticks of the shortest. Positions of all particles drift; the force is evaluated for particles whose step ends.
//! The change of a particle's acceleration in its last step bounds its next step, too.

use super::Force;
use super::criterion::{MOST_LEVELS, crossing_step, own_step};
use super::on_host::drift;
use crate::System;

/// Ticks of the longest step.
const TICKS: u64 = 1 << MOST_LEVELS;

/// Rule by which steps follow from accelerations.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    pub(super) accuracy: f64,
    pub(super) length: f64,
    pub(super) longest: f64,
}

impl Rule {
    /// The level of a particle by its acceleration: the number of halvings of the longest step.
    fn level(&self, acceleration: [f64; 3]) -> u32 {
        self.halvings(own_step(self.accuracy, self.length, acceleration))
    }

    /// The level by the change of the acceleration with time, too, which asks for no level beyond `finest`: two particles that
    /// meet have large changes for a short time.
    fn level_within(&self, finest: u32, acceleration: [f64; 3], jerk: f64) -> u32 {
        let crossing = self.halvings(crossing_step(self.accuracy, self.length, jerk));
        self.level(acceleration).max(crossing.min(finest))
    }

    fn halvings(&self, step: f64) -> u32 {
        (0..MOST_LEVELS).find(|&level| self.time(TICKS >> level) <= step).unwrap_or(MOST_LEVELS)
    }

    fn time(&self, ticks: u64) -> f64 {
        self.longest * (ticks as f64 / TICKS as f64)
    }
}

/// Buffers of block steps, and the level of each particle.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    levels: Vec<u32>,
    /// Magnitude of the change of each particle's acceleration in its last step, over the step; 0 before the first.
    jerks: Vec<f64>,
    active: Vec<usize>,
    found: Vec<[f64; 3]>,
}

impl Blocks {
    /// Forgets the steps before, so that those after depend on the system alone.
    pub(super) fn forget(&mut self) {
        self.jerks.clear();
    }

    /// One longest step, after which all particles are at the same time. `accelerations` are those of the positions, before
    /// and after. Returns the number of accelerations evaluated.
    pub(super) fn step<F: Force>(
        &mut self,
        system: &mut System,
        force: &mut F,
        accelerations: &mut [[f64; 3]],
        rule: Rule,
    ) -> Result<u64, F::Error> {
        self.jerks.resize(system.len(), 0.0);
        let finest = accelerations.iter().map(|&a| rule.level(a)).max().unwrap_or(0);
        self.levels.clear();
        let rates = accelerations.iter().zip(&self.jerks);
        self.levels.extend(rates.map(|(&a, &jerk)| rule.level_within(finest, a, jerk)));
        for (i, &level) in self.levels.iter().enumerate() {
            kick_one(system, i, accelerations[i], 0.5 * rule.time(TICKS >> level));
        }
        let (mut now, mut evaluated) = (0, 0);
        while now < TICKS {
            let deepest = self.levels.iter().max().copied().unwrap_or(0);
            let next = now + (TICKS >> deepest);
            drift(system, rule.time(next - now));
            now = next;
            let ends = |level: u32| now.is_multiple_of(TICKS >> level);
            let levels = self.levels.iter().enumerate();
            self.active.clear();
            self.active.extend(levels.filter(|&(_, &level)| ends(level)).map(|(i, _)| i));
            force.active_accelerations(&system.positions, &self.active, &mut self.found)?;
            evaluated += self.active.len() as u64;
            for (&i, &acceleration) in self.active.iter().zip(&self.found) {
                let step = rule.time(TICKS >> self.levels[i]);
                kick_one(system, i, acceleration, 0.5 * step);
                self.jerks[i] = distance(acceleration, accelerations[i]) / step;
                accelerations[i] = acceleration;
                if now == TICKS {
                    continue;
                }
                // A longer step begins only where it would have begun anyway.
                let wanted = rule.level_within(finest, acceleration, self.jerks[i]);
                let level = (wanted..=MOST_LEVELS).find(|&level| ends(level));
                self.levels[i] = level.unwrap_or(MOST_LEVELS);
                kick_one(system, i, acceleration, 0.5 * rule.time(TICKS >> self.levels[i]));
            }
        }
        Ok(evaluated)
    }
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|axis| (a[axis] - b[axis]).powi(2)).sum::<f64>().sqrt()
}

fn kick_one(system: &mut System, i: usize, acceleration: [f64; 3], time: f64) {
    (0..3).for_each(|axis| system.velocities[i][axis] += time * acceleration[axis]);
}
