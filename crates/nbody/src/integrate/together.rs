//! Steps that all particles take together, in whatever memory they are.

use super::criterion::smallest_step;
use super::{Motion, fourth_order, leapfrog};

/// Account of an advance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// Steps; of block steps, the longest ones.
    pub steps: u64,
    /// Accelerations evaluated, of one particle each.
    pub accelerations: u64,
}

/// Schemes whose steps all particles take together.
#[derive(Clone, Copy, Debug)]
pub(super) enum Together {
    Leapfrog,
    Adaptive { accuracy: f64, length: f64 },
    FourthOrder,
}

impl Together {
    /// Advances particles by a duration in steps of at most `longest`, from the accelerations at its beginning to those at its
    /// end.
    pub(super) fn advance<M: Motion>(
        self,
        motion: &mut M,
        longest: f64,
        duration: f64,
        mut after_step: impl FnMut(f64),
    ) -> Result<Steps, M::Error> {
        if let Self::Adaptive { accuracy, length } = self {
            return self.adaptive(motion, (accuracy, length, longest), duration, after_step);
        }
        let count = steps_of(duration, longest);
        let step = duration / count as f64;
        let mut done = Steps::default();
        for i in 1..=count {
            done.accelerations += self.step(motion, step)?;
            done.steps += 1;
            after_step(i as f64 * step);
        }
        Ok(done)
    }

    /// One step; returns the number of accelerations evaluated.
    fn step<M: Motion>(self, motion: &mut M, step: f64) -> Result<u64, M::Error> {
        let n = motion.count() as u64;
        match self {
            Self::Leapfrog | Self::Adaptive { .. } => leapfrog::step(motion, step).map(|()| n),
            Self::FourthOrder => fourth_order::step(motion, step).map(|()| 4 * n),
        }
    }

    /// Steps from the accelerations at their beginnings, each a share of the time left, so that the last ends in time.
    fn adaptive<M: Motion>(
        self,
        motion: &mut M,
        (accuracy, length, longest): (f64, f64, f64),
        duration: f64,
        mut after_step: impl FnMut(f64),
    ) -> Result<Steps, M::Error> {
        let (mut passed, mut done) = (0.0, Steps::default());
        loop {
            let left = duration - passed;
            let largest = motion.largest_acceleration()?;
            let count = steps_of(left, smallest_step(accuracy, length, largest, longest));
            if count == 0 {
                return Ok(done);
            }
            let step = left / count as f64;
            done.accelerations += self.step(motion, step)?;
            done.steps += 1;
            passed += step;
            after_step(passed);
            if count == 1 {
                return Ok(done);
            }
        }
    }
}

/// Number of equal steps of at most `longest`, or a rounding error more, that make up a duration forwards or backwards; none for a
/// duration that is not finite.
pub(super) fn steps_of(duration: f64, longest: f64) -> u64 {
    if !duration.is_finite() {
        return 0;
    }
    ((duration.abs() / longest) * (1.0 - 1e-12)).ceil().max(1.0) as u64
}
