//! Block steps: each particle has a step of its own, the longest one divided by a power of two.
//!
//! L. Hernquist and N. Katz, Astrophys. J. Suppl. 70, 419, 1989, with kicks and drifts. Time within a longest step is
//! counted in ticks of the shortest. Positions of all particles drift; the force is evaluated for particles whose step ends.

use super::Force;
use super::criterion::own_step;
use super::on_host::drift;
use crate::System;

/// Largest number of halvings of the longest step.
pub const MOST_LEVELS: u32 = 20;

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
    /// The level of a particle: the number of halvings of the longest step.
    fn level(&self, acceleration: [f64; 3]) -> u32 {
        let own = own_step(self.accuracy, self.length, acceleration);
        (0..MOST_LEVELS).find(|&level| self.time(TICKS >> level) <= own).unwrap_or(MOST_LEVELS)
    }

    fn time(&self, ticks: u64) -> f64 {
        self.longest * (ticks as f64 / TICKS as f64)
    }
}

/// Buffers of block steps, and the level of each particle.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    levels: Vec<u32>,
    active: Vec<usize>,
    found: Vec<[f64; 3]>,
}

impl Blocks {
    /// One longest step, after which all particles are at the same time. `accelerations` are those of the positions, before
    /// and after. Returns the number of accelerations evaluated.
    pub(super) fn step<F: Force>(
        &mut self,
        system: &mut System,
        force: &mut F,
        accelerations: &mut [[f64; 3]],
        rule: Rule,
    ) -> Result<u64, F::Error> {
        self.levels.clear();
        self.levels.extend(accelerations.iter().map(|&a| rule.level(a)));
        for (i, &level) in self.levels.iter().enumerate() {
            kick_one(system, i, accelerations[i], 0.5 * rule.time(TICKS >> level));
        }
        let (mut now, mut evaluated) = (0, 0);
        while now < TICKS {
            let finest = self.levels.iter().max().copied().unwrap_or(0);
            let next = now + (TICKS >> finest);
            drift(system, rule.time(next - now));
            now = next;
            let ends = |level: u32| now.is_multiple_of(TICKS >> level);
            let levels = self.levels.iter().enumerate();
            self.active.clear();
            self.active.extend(levels.filter(|&(_, &level)| ends(level)).map(|(i, _)| i));
            force.active_accelerations(&system.positions, &self.active, &mut self.found)?;
            evaluated += self.active.len() as u64;
            for (&i, &acceleration) in self.active.iter().zip(&self.found) {
                kick_one(system, i, acceleration, 0.5 * rule.time(TICKS >> self.levels[i]));
                accelerations[i] = acceleration;
                if now == TICKS {
                    continue;
                }
                // A longer step begins only where it would have begun anyway.
                let wanted = rule.level(acceleration);
                let level = (wanted..=MOST_LEVELS).find(|&level| ends(level));
                self.levels[i] = level.unwrap_or(MOST_LEVELS);
                kick_one(system, i, acceleration, 0.5 * rule.time(TICKS >> self.levels[i]));
            }
        }
        Ok(evaluated)
    }
}

fn kick_one(system: &mut System, i: usize, acceleration: [f64; 3], time: f64) {
    (0..3).for_each(|axis| system.velocities[i][axis] += time * acceleration[axis]);
}
