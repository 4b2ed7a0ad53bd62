//! Settings of a run: numbers and names as the arguments gave them or as defaults made them, kept in the run's folder.

use std::path::Path;
use std::str::FromStr;

use clap::ValueEnum;
use fmm::{Device, Method};
use formats::Snapshot;
use nbody::{Scheme, System};

use super::Error;
use super::arguments::{Arguments, Format, Integrator};
use super::defaults::Defaults;
use crate::command::arguments::precision::Precision;
use crate::command::narrow::room;
use crate::command::significant::significant;

/// Settings of a run.
#[derive(Clone, Debug)]
pub(super) struct Settings {
    pub(super) step: f64,
    pub(super) integrator: Integrator,
    pub(super) accuracy: f64,
    pub(super) softening: f64,
    pub(super) gravity: f64,
    pub(super) tolerance: f64,
    pub(super) method: Method,
    pub(super) device: Device,
    pub(super) precision: Precision,
    pub(super) format: Format,
    /// Time between outputs.
    pub(super) interval: f64,
    /// Time of the initial state.
    pub(super) begin: f64,
}

/// Share of the time in which an acceleration crosses the softening.
const ACCURACY: f64 = 0.2;
/// Error of the accelerations.
const TOLERANCE: f64 = 1e-3;
/// The smallest tolerance that f32 is taken for.
const NARROW: f64 = 1e-5;
/// Longest step of adaptive and block steps, in the step of the other integrators.
const LONGEST: f64 = 8.0;
/// Outputs after the first.
const OUTPUTS: f64 = 20.0;
/// Outputs and steps of a run at most: larger numbers are mistakes, because such a run does not end.
const MOST_OUTPUTS: f64 = 1e9;
const MOST_STEPS: f64 = 1e12;

impl Settings {
    /// Settings of a new run.
    pub(super) fn new(
        arguments: &Arguments,
        initial: &Snapshot,
    ) -> Result<Self, crate::command::error::Error> {
        let system = system(initial)?;
        let refused = |source| Error::System { path: arguments.input.clone(), source };
        system.check().map_err(refused)?;
        let gravity = arguments.gravity.unwrap_or(1.0);
        let defaults = Defaults::new(&system, gravity);
        let softening = arguments.softening.unwrap_or(defaults.softening);
        let collapses = defaults.collapses && softening > 0.0 && arguments.step.is_none();
        let usual = if collapses { Integrator::Adaptive } else { Integrator::Leapfrog };
        let integrator = arguments.integrator.unwrap_or(usual);
        let has_own_steps = integrator.has_own_steps();
        if arguments.accuracy.is_some() && !has_own_steps {
            return Err(Error::NoAccuracy { integrator: name(&integrator) }.into());
        }
        if has_own_steps && softening == 0.0 {
            return Err(Error::NoLength { integrator: name(&integrator) }.into());
        }
        let tolerance = arguments.tolerance.unwrap_or(TOLERANCE);
        let precision = if tolerance >= NARROW { Precision::F32 } else { Precision::F64 };
        let interval =
            arguments.time / arguments.outputs.map_or(OUTPUTS, |count| count.get() as f64);
        let longest = if has_own_steps { LONGEST } else { 1.0 };
        let step = arguments.step.or(defaults.step.map(|step| longest * step));
        Ok(Self {
            step: step.map_or(interval, |step| step.min(interval)),
            integrator,
            accuracy: arguments.accuracy.unwrap_or(ACCURACY),
            softening,
            gravity,
            tolerance,
            method: arguments.method.unwrap_or(Method::Auto),
            device: arguments.device.unwrap_or(Device::Cpu),
            precision: arguments.precision.unwrap_or(precision),
            format: arguments.format.unwrap_or(Format::Npz),
            interval,
            begin: initial.time,
        })
    }

    /// The integrator with its parameters.
    pub(super) fn scheme(&self) -> Scheme {
        let (accuracy, length) = (self.accuracy, self.softening);
        match self.integrator {
            Integrator::Leapfrog => Scheme::Leapfrog,
            Integrator::Adaptive => Scheme::Adaptive { accuracy, length },
            Integrator::Block => Scheme::Block { accuracy, length },
            Integrator::FourthOrder => Scheme::FourthOrder,
        }
    }

    /// The settings for a reader.
    pub(super) fn summary(&self) -> String {
        let [step, softening, tolerance, gravity] =
            [self.step, self.softening, self.tolerance, self.gravity].map(|x| significant(x, 3));
        let (integrator, precision) = (name(&self.integrator), name(&self.precision));
        // Own steps are shorter where accelerations are large.
        let of = if self.integrator.has_own_steps() { "of at most" } else { "of" };
        format!(
            "{integrator} steps {of} {step}, softening {softening}, tolerance {tolerance} in {precision}, G = {gravity}"
        )
    }

    /// The line of a run that changed its energy by this share, with the settings that keep it better.
    pub(super) fn of_energy_lost(&self, change: f64) -> String {
        let percent = significant(100.0 * change.abs(), 3);
        let has_own_steps = self.integrator.has_own_steps();
        let shorter = match has_own_steps {
            true => format!("a smaller --accuracy (now {})", significant(self.accuracy, 3)),
            false => format!("a shorter --step (now {})", significant(self.step, 3)),
        };
        let other = match self.softening > 0.0 {
            // Adaptive steps follow from the softening.
            false => ", a --softening, or --integrator adaptive with one",
            true if has_own_steps => "",
            true => " or --integrator adaptive",
        };
        format!("energy changed by {percent} % of itself; take {shorter}{other}")
    }

    /// Options with their values, which parse back to the same bits.
    fn rows(&self) -> [(&'static str, String); 12] {
        let number = |value: f64| format!("{value:?}");
        [
            ("--step", number(self.step)),
            ("--integrator", name(&self.integrator)),
            ("--accuracy", number(self.accuracy)),
            ("--softening", number(self.softening)),
            ("--gravity", number(self.gravity)),
            ("--tolerance", number(self.tolerance)),
            ("--method", self.method.to_string()),
            ("--device", self.device.to_string()),
            ("--precision", name(&self.precision)),
            ("--format", name(&self.format)),
            ("interval", number(self.interval)),
            ("begin", number(self.begin)),
        ]
    }

    /// The text of the file of settings.
    pub(super) fn text(&self) -> String {
        self.rows().map(|(option, value)| format!("{option} {value}\n")).concat()
    }

    /// Settings from the text of their file.
    pub(super) fn parse(path: &Path, text: &str) -> Result<Self, Error> {
        let damaged = |option: &str| Error::Damaged {
            path: path.to_owned(),
            what: format!("no sound line {option}"),
        };
        let value = |option: &str| {
            let mut rows = text.lines().filter_map(|line| line.split_once(' '));
            rows.find(|row| row.0 == option).map(|row| row.1).ok_or_else(|| damaged(option))
        };
        let number = |option: &str| parsed::<f64>(value(option)?).ok_or_else(|| damaged(option));
        let settings = Self {
            step: number("--step")?,
            integrator: named(value("--integrator")?).ok_or_else(|| damaged("--integrator"))?,
            accuracy: number("--accuracy")?,
            softening: number("--softening")?,
            gravity: number("--gravity")?,
            tolerance: number("--tolerance")?,
            method: parsed(value("--method")?).ok_or_else(|| damaged("--method"))?,
            device: parsed(value("--device")?).ok_or_else(|| damaged("--device"))?,
            precision: named(value("--precision")?).ok_or_else(|| damaged("--precision"))?,
            format: named(value("--format")?).ok_or_else(|| damaged("--format"))?,
            interval: number("interval")?,
            begin: number("begin")?,
        };
        Ok(settings)
    }

    /// Refuses arguments that are given and differ from the settings of the run.
    pub(super) fn check_equal(&self, arguments: &Arguments) -> Result<(), Error> {
        let number = |value: Option<f64>| value.map(|value| format!("{value:?}"));
        let outputs = |count: std::num::NonZeroU64| arguments.time / count.get() as f64;
        let given = [
            // As the run took it.
            number(arguments.step.map(|step| step.min(self.interval))),
            arguments.integrator.as_ref().map(name),
            number(arguments.accuracy),
            number(arguments.softening),
            number(arguments.gravity),
            number(arguments.tolerance),
            arguments.method.map(|value| value.to_string()),
            arguments.device.map(|value| value.to_string()),
            arguments.precision.as_ref().map(name),
            arguments.format.as_ref().map(name),
        ];
        let folder = || arguments.snapshots.clone();
        for ((option, kept), given) in self.rows().into_iter().zip(given) {
            match given {
                Some(given) if given != kept => {
                    return Err(Error::Changed { folder: folder(), option, kept, given });
                }
                _ => (),
            }
        }
        match arguments.outputs.map(outputs) {
            Some(interval) if (interval / self.interval - 1.0).abs() > 1e-9 => {
                let [kept, given] = [self.interval, interval]
                    .map(|value| format!("{}", (arguments.time / value).round()));
                Err(Error::Changed { folder: folder(), option: "--outputs", kept, given })
            }
            _ => self.outputs(arguments).map(drop),
        }
    }

    /// Number of outputs after the first, in the time asked for.
    pub(super) fn outputs(&self, arguments: &Arguments) -> Result<u64, Error> {
        let (time, interval) = (arguments.time, self.interval);
        let count = (time / interval).round();
        self.check_length(time, count)?;
        if count < 1.0 || (count * interval / time - 1.0).abs() > 1e-9 {
            let (folder, nearest) = (arguments.snapshots.clone(), count.max(1.0) * interval);
            return Err(Error::Interval { folder, time, interval, nearest });
        }
        Ok(count as u64)
    }

    /// Refuses runs that do not end.
    fn check_length(&self, time: f64, outputs: f64) -> Result<(), Error> {
        let (step, end) = (self.step, self.begin + time);
        if outputs > MOST_OUTPUTS {
            return Err(Error::ManyOutputs { outputs });
        }
        if end + step == end {
            return Err(Error::LostStep { step, time: end });
        }
        match time / step {
            steps if steps > MOST_STEPS => Err(Error::ManySteps { steps, step }),
            _ => Ok(()),
        }
    }

    /// Refuses an end before what the run has reached.
    pub(super) fn check_end(
        &self,
        arguments: &Arguments,
        outputs: u64,
        done: u64,
    ) -> Result<(), Error> {
        if outputs >= done {
            return Ok(());
        }
        let (folder, time) = (arguments.snapshots.clone(), arguments.time);
        Err(Error::Past { folder, time, reached: done as f64 * self.interval })
    }

    /// Time of an output.
    pub(super) fn time_of(&self, output: u64) -> f64 {
        self.begin + output as f64 * self.interval
    }

    /// Number of the output with a state of this time.
    pub(super) fn output_at(&self, time: f64) -> u64 {
        ((time - self.begin) / self.interval).round() as u64
    }
}

/// Particles of a snapshot.
fn system(snapshot: &Snapshot) -> Result<System, crate::command::error::Error> {
    let Snapshot { positions, velocities, masses, .. } = snapshot;
    let [positions, velocities] = [copy(positions)?, copy(velocities)?];
    Ok(System { positions, velocities, masses: copy(masses)? })
}

/// A copy, if memory holds it.
fn copy<T: Copy>(values: &[T]) -> Result<Vec<T>, crate::command::error::Error> {
    let mut copy = room(values.len())?;
    copy.extend_from_slice(values);
    Ok(copy)
}

/// The name of a value on the command line.
fn name<V: ValueEnum>(value: &V) -> String {
    // Every value has a name: none is hidden.
    value.to_possible_value().map_or_else(String::new, |possible| possible.get_name().to_owned())
}

fn named<V: ValueEnum>(text: &str) -> Option<V> {
    V::from_str(text, false).ok()
}

fn parsed<V: FromStr>(text: &str) -> Option<V> {
    text.parse().ok()
}
