//! Schemes, and the stepper that runs one.

use std::fmt;

use super::block::{Blocks, Rule};
use super::on_host::OnHost;
use super::together::{Together, steps_of};
use super::{Force, Motion, Steps};
use crate::System;

/// Integration scheme with the parameters of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Scheme {
    /// Kick, drift, kick, in equal steps.
    #[default]
    Leapfrog,
    /// The leapfrog with one step for all particles, from the accelerations at its beginning: accuracy · √(length/|a|) of
    /// the particle with the largest |a|, the stepper's step at most, and at least that halved
    /// [`MOST_LEVELS`](super::MOST_LEVELS) times.
    Adaptive {
        /// Share of the time in which an acceleration crosses `length`.
        accuracy: f64,
        /// Length to resolve, such as the softening.
        length: f64,
    },
    /// The leapfrog with a step for each particle by the rule of [`Scheme::Adaptive`], rounded down to the stepper's step
    /// over a power of two. The change ȧ of the acceleration in the last step bounds the next by accuracy/2 · (length/|ȧ|)^⅓,
    /// but not below the shortest step by accelerations: those vanish in the middle of a core, and what crosses it would
    /// take too long a step there.
    Block {
        /// Share of the time in which an acceleration crosses `length`.
        accuracy: f64,
        /// Length to resolve, such as the softening.
        length: f64,
    },
    /// The fourth-order scheme of Omelyan, Mryglod and Folk, in equal steps.
    FourthOrder,
}

/// Parameters of a [`Stepper`] that are positive numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StepParameter {
    /// The step itself.
    Step,
    /// The accuracy of [`Scheme::Adaptive`] and [`Scheme::Block`].
    Accuracy,
    /// The length that these resolve.
    Length,
}

impl fmt::Display for StepParameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Step => "a step",
            Self::Accuracy => "an accuracy",
            Self::Length => "a length",
        })
    }
}

/// Refusal of a step or of a parameter.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StepError {
    /// A number is not positive and finite.
    #[error("{parameter} of {value:?} makes no step; give a positive number")]
    NotPositive {
        /// The parameter.
        parameter: StepParameter,
        /// Value of the parameter.
        value: f64,
    },
    /// Particles whose memory moves all of them at once have no steps of their own.
    #[error(
        "block steps take particles one by one, and these move all at once; choose leapfrog, adaptive or fourth order"
    )]
    Blocks,
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
        let positive = |parameter, value: f64| match value > 0.0 && value.is_finite() {
            true => Ok(()),
            false => Err(StepError::NotPositive { parameter, value }),
        };
        positive(StepParameter::Step, step)?;
        if let Scheme::Adaptive { accuracy, length } | Scheme::Block { accuracy, length } = scheme {
            positive(StepParameter::Accuracy, accuracy)?;
            positive(StepParameter::Length, length)?;
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
        self.blocks.forget();
        // A force that looks at the memory left, before it takes some, leaves room for these.
        self.accelerations.reserve(system.len().saturating_sub(self.accelerations.len()));
        self.potentials.reserve(system.len().saturating_sub(self.potentials.len()));
        force.potentials(&system.positions, &mut self.accelerations, &mut self.potentials)?;
        Ok(&self.potentials)
    }

    /// Advances the system by a duration, in equal steps that are the stepper's or a little shorter. `after_step` is told
    /// the time passed after each. A negative duration goes back in time; one that is NaN or infinite takes no step.
    ///
    /// The first kick is by the accelerations of [`Self::start`] or of the last advance, so call `start` again after any change of
    /// positions or masses. It is called here where the number of particles is another than it was.
    ///
    /// # Errors
    ///
    /// The force's. The system is then somewhere within a step.
    pub fn advance<F: Force>(
        &mut self,
        system: &mut System,
        force: &mut F,
        duration: f64,
        after_step: impl FnMut(f64),
    ) -> Result<Steps, F::Error> {
        if self.accelerations.len() != system.len() {
            self.start(system, force)?;
        }
        match self.scheme.steps() {
            Rhythm::Together(scheme) => {
                let accelerations = &mut self.accelerations;
                let mut motion = OnHost { system, force, accelerations };
                scheme.advance(&mut motion, self.step, duration, after_step)
            }
            Rhythm::Blocks { accuracy, length } => {
                self.advance_blocks(system, force, (accuracy, length, duration), after_step)
            }
        }
    }

    /// Advances particles in any memory by a duration, as [`Self::advance`] does a system. Their accelerations are those of
    /// the positions, before and after; the stepper keeps none.
    ///
    /// # Errors
    ///
    /// The motion's, and [`StepError::Blocks`] for [`Scheme::Block`]. The particles are then somewhere within a step.
    pub fn advance_motion<M>(
        &self,
        motion: &mut M,
        duration: f64,
        after_step: impl FnMut(f64),
    ) -> Result<Steps, M::Error>
    where
        M: Motion,
        M::Error: From<StepError>,
    {
        match self.scheme.steps() {
            Rhythm::Together(scheme) => scheme.advance(motion, self.step, duration, after_step),
            Rhythm::Blocks { .. } => Err(StepError::Blocks.into()),
        }
    }

    /// Steps of particles' own, in equal longest steps.
    fn advance_blocks<F: Force>(
        &mut self,
        system: &mut System,
        force: &mut F,
        (accuracy, length, duration): (f64, f64, f64),
        mut after_step: impl FnMut(f64),
    ) -> Result<Steps, F::Error> {
        let count = steps_of(duration, self.step);
        let step = duration / count as f64;
        let rule = Rule { accuracy, length, longest: step.abs() };
        let mut done = Steps::default();
        // Steps back in time are those forwards of particles that go the other way.
        reverse_if(duration < 0.0, system);
        let result = (1..=count).try_for_each(|i| {
            done.accelerations += self.blocks.step(system, force, &mut self.accelerations, rule)?;
            done.steps += 1;
            after_step(i as f64 * step);
            Ok(())
        });
        reverse_if(duration < 0.0, system);
        result.map(|()| done)
    }
}

fn reverse_if(backwards: bool, system: &mut System) {
    if backwards {
        system.velocities.iter_mut().flatten().for_each(|v| *v = -*v);
    }
}

/// Steps of a scheme.
enum Rhythm {
    Together(Together),
    Blocks { accuracy: f64, length: f64 },
}

impl Scheme {
    fn steps(self) -> Rhythm {
        match self {
            Self::Leapfrog => Rhythm::Together(Together::Leapfrog),
            Self::Adaptive { accuracy, length } => {
                Rhythm::Together(Together::Adaptive { accuracy, length })
            }
            Self::FourthOrder => Rhythm::Together(Together::FourthOrder),
            Self::Block { accuracy, length } => Rhythm::Blocks { accuracy, length },
        }
    }
}
