//! Schemes, and the stepper that runs one.

use super::block::{Blocks, Rule};
use super::criterion::smallest_step;
use super::{Force, fourth_order, leapfrog};
use crate::System;

/// Integration scheme with the parameters of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Scheme {
    /// Kick, drift, kick, in equal steps.
    #[default]
    Leapfrog,
    /// The leapfrog with one step for all particles, from the accelerations at its beginning: accuracy · √(length/|a|) of
    /// the particle with the largest |a|, and the stepper's step at most.
    Adaptive {
        /// Share of the time in which an acceleration crosses `length`.
        accuracy: f64,
        /// Length to resolve, such as the softening.
        length: f64,
    },
    /// The leapfrog with a step for each particle by the rule of [`Scheme::Adaptive`], rounded down to the stepper's step
    /// over a power of two.
    Block {
        /// Share of the time in which an acceleration crosses `length`.
        accuracy: f64,
        /// Length to resolve, such as the softening.
        length: f64,
    },
    /// The fourth-order scheme of Omelyan, Mryglod and Folk, in equal steps.
    FourthOrder,
}

/// Refusal of a step or of a parameter.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// A number is not positive and finite.
    #[error("{what} of {value:?} makes no step; give a positive number")]
    NotPositive {
        /// The parameter.
        what: &'static str,
        /// Value of the parameter.
        value: f64,
    },
}

/// Account of an advance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Steps {
    /// Steps; of block steps, the longest ones.
    pub steps: u64,
    /// Accelerations evaluated, of one particle each.
    pub accelerations: u64,
}

/// The integrator of a [`System`]: a scheme with its step and its memory.
///
/// [`Self::start`] evaluates the accelerations; after it, [`Self::advance`] goes on from wherever the last advance ended.
/// Steps after a start depend on the system alone, so a run that starts anew at each output goes on with the same bits
/// from an output that was saved.
///
/// ```
/// use nbody::{DirectSum, Scheme, Stepper, System};
///
/// // The Earth's orbit in astronomical units and years: a year in 400 steps.
/// let gravity = 4.0 * std::f64::consts::PI.powi(2);
/// let mut system = System {
///     positions: vec![[0.0; 3], [1.0, 0.0, 0.0]],
///     velocities: vec![[0.0; 3], [0.0, gravity.sqrt(), 0.0]],
///     masses: vec![1.0, 0.0],
/// };
/// let mut force = DirectSum::new(&system.masses).gravity(gravity);
/// let mut stepper = Stepper::new(Scheme::FourthOrder, 0.0025)?;
/// stepper.start(&system, &mut force)?;
/// stepper.advance(&mut system, &mut force, 1.0, |_| ())?;
/// assert!((system.positions[1][0] - 1.0).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Stepper {
    scheme: Scheme,
    step: f64,
    accelerations: Vec<[f64; 3]>,
    potentials: Vec<f64>,
    blocks: Blocks,
}

impl Stepper {
    /// A stepper of a scheme with a step, the longest one where steps differ.
    ///
    /// # Errors
    ///
    /// [`StepError`]: a step, an accuracy or a length that is not positive and finite.
    pub fn new(scheme: Scheme, step: f64) -> Result<Self, StepError> {
        let positive = |what, value: f64| match value > 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(StepError::NotPositive { what, value }),
        };
        positive("a step", step)?;
        if let Scheme::Adaptive { accuracy, length } | Scheme::Block { accuracy, length } = scheme {
            positive("an accuracy", accuracy)?;
            positive("a length", length)?;
        }
        let (accelerations, potentials) = (Vec::new(), Vec::new());
        Ok(Self { scheme, step, accelerations, potentials, blocks: Blocks::default() })
    }

    /// Evaluates accelerations and potentials of a system, and returns the potentials: shape (n).
    ///
    /// # Errors
    ///
    /// The force's.
    pub fn start<F: Force>(&mut self, system: &System, force: &mut F) -> Result<&[f64], F::Error> {
        force.potentials(&system.positions, &mut self.accelerations, &mut self.potentials)?;
        Ok(&self.potentials)
    }

    /// Advances the system by a duration, in equal steps that are the stepper's or a little shorter. `after_step` is told
    /// the time passed after each. Starts first where [`Self::start`] was not called for as many particles.
    ///
    /// # Errors
    ///
    /// The force's. The system is then somewhere within a step.
    pub fn advance<F: Force>(
        &mut self,
        system: &mut System,
        force: &mut F,
        duration: f64,
        mut after_step: impl FnMut(f64),
    ) -> Result<Steps, F::Error> {
        if self.accelerations.len() != system.len() {
            self.start(system, force)?;
        }
        if let Scheme::Adaptive { accuracy, length } = self.scheme {
            return self.advance_adaptive(system, force, (accuracy, length, duration), after_step);
        }
        let count = steps_of(duration, self.step);
        let step = duration / count as f64;
        let mut done = Steps::default();
        for i in 1..=count {
            done.accelerations += self.step(system, force, step)?;
            done.steps += 1;
            after_step(i as f64 * step);
        }
        Ok(done)
    }

    /// One step; returns the number of accelerations evaluated.
    fn step<F: Force>(
        &mut self,
        system: &mut System,
        force: &mut F,
        step: f64,
    ) -> Result<u64, F::Error> {
        let (accelerations, n) = (&mut self.accelerations, system.len() as u64);
        match self.scheme {
            Scheme::Leapfrog | Scheme::Adaptive { .. } => {
                leapfrog::step(system, force, accelerations, step).map(|()| n)
            }
            Scheme::FourthOrder => {
                fourth_order::step(system, force, accelerations, step).map(|()| 4 * n)
            }
            Scheme::Block { accuracy, length } => {
                let rule = Rule { accuracy, length, longest: step };
                self.blocks.step(system, force, accelerations, rule)
            }
        }
    }

    /// Steps from the accelerations at their beginnings, each a share of the time left, so that the last ends in time.
    fn advance_adaptive<F: Force>(
        &mut self,
        system: &mut System,
        force: &mut F,
        (accuracy, length, duration): (f64, f64, f64),
        mut after_step: impl FnMut(f64),
    ) -> Result<Steps, F::Error> {
        let (mut passed, mut done) = (0.0, Steps::default());
        loop {
            let left = duration - passed;
            let longest = smallest_step(accuracy, length, &self.accelerations, self.step);
            let count = steps_of(left, longest);
            let step = left / count as f64;
            done.accelerations += self.step(system, force, step)?;
            done.steps += 1;
            passed += step;
            after_step(passed);
            if count == 1 {
                return Ok(done);
            }
        }
    }
}

/// Number of equal steps of at most `longest`, or a rounding error more, that make up a duration.
fn steps_of(duration: f64, longest: f64) -> u64 {
    ((duration / longest) * (1.0 - 1e-12)).ceil().max(1.0) as u64
}
