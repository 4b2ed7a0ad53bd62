//! The loop over outputs.

use std::time::Instant;

use fmm::Fmm;
use formats::{Snapshot, one_line};
use nbody::{Diagnostics, System};

use super::account::Account;
use super::diagnostics::Table;
use super::folder::{Folder, NewRun};
use super::mover::Mover;
use super::settings::Settings;
use super::writer::{Output, Writer};
use crate::command::arguments::precision::Precision;
use crate::command::error::Error;
use crate::command::narrow::room;
use crate::command::report::progress::TimeLeft;
use crate::command::significant::significant;
use crate::command::{report, signals};
use farfield::DeviceScalar;

/// Numbers of a particle that a mover takes before its plan, which is checked by what is left: of a charge, a source, an
/// acceleration and a potential.
const BESIDE_PLAN: usize = 1 + 3 + 3 + 1;

/// Relative change of the energy beyond which a run has lost it.
const ENERGY_LOST: f64 = 1e-2;

/// Beginning and end of a run.
pub(super) struct Start<'a> {
    /// Request of the accelerations, but for their outputs and softening.
    pub(super) fmm: Fmm,
    pub(super) state: Snapshot,
    /// The run that begins here; `None` where one is resumed.
    pub(super) new: Option<NewRun<'a>>,
    /// Number of the output that the state is.
    pub(super) done: u64,
    /// Number of outputs after the first.
    pub(super) outputs: u64,
}

/// A run at an output or between two.
struct Run<'a, T> {
    settings: &'a Settings,
    folder: &'a Folder,
    /// The particles, as they began where a GPU moves them.
    system: System,
    ids: Vec<u64>,
    /// Steps since the beginning.
    steps: u64,
    mover: Mover<T>,
    table: Table,
    writer: Writer,
    account: Account,
}

/// Runs from a state to the last output.
pub(super) fn run<T: DeviceScalar>(
    settings: &Settings,
    folder: &mut Folder,
    start: Start<'_>,
) -> Result<(), Error> {
    let Start { fmm, state, new, done, outputs } = start;
    let Snapshot { step, positions, velocities, masses, ids, .. } = state;
    let system = System { positions, velocities, masses };
    let (table, steps) = match new {
        Some(_) => (Table::new(&system), 0),
        None => (folder.table(done + 1)?, step),
    };
    let writer = Writer::new(folder, settings.format.extension(), system.len())?;
    drop(room::<[f64; BESIDE_PLAN]>(system.len())?);
    let mut mover = Mover::<T>::new(settings, fmm, &system)?;
    let clock = Instant::now();
    // Each interval begins with the accelerations of its first state alone, here as after an output.
    let sums = mover.diagnostics(&system)?;
    match &new {
        // A plan that stands is what a run begins with.
        Some(new) => folder.begin(new)?,
        None => folder.check_state(table.ends_at(&sums, settings.tolerance))?,
    }
    let written = new.is_none().then_some(done);
    let account = Account::new(folder.path(), steps, settings.time_of(done), written);
    let mut run = Run { settings, folder, system, ids, steps, mover, table, writer, account };
    report::print(run.introduction(done, outputs))?;
    let progress = TimeLeft::new(outputs.saturating_sub(done) as f64);
    if new.is_some() {
        run.output(0, &sums)?;
    }
    for output in done..outputs {
        run.advance(output, |share| progress.set((output - done) as f64 + share))?;
        let sums = run.diagnostics()?;
        run.output(output + 1, &sums)?;
    }
    run.writer.finish()?;
    signals::tell(None);
    drop(progress);
    run.conclude(run.steps - steps, clock.elapsed().as_secs_f64())
}

impl<T: DeviceScalar> Run<'_, T> {
    /// Sums of the state, with its accelerations and potentials evaluated.
    fn diagnostics(&mut self) -> Result<Diagnostics, Error> {
        self.mover.diagnostics(&self.system)
    }

    /// Advances from an output to the next; `progress` is told the share of the interval.
    fn advance(&mut self, output: u64, progress: impl Fn(f64)) -> Result<(), Error> {
        let (begin, interval) = (self.settings.time_of(output), self.settings.interval);
        let account = &self.account;
        let after_step = |time: f64| {
            account.step(begin + time);
            progress(time / interval);
        };
        self.steps += self.mover.advance(&mut self.system, interval, after_step)?;
        Ok(())
    }

    /// Hands an output to the writer, as a copy in the memory of one that was written.
    fn output(&mut self, number: u64, sums: &Diagnostics) -> Result<(), Error> {
        let time = self.settings.time_of(number);
        self.table.push(time, self.steps, sums);
        let mut state = self.writer.memory()?;
        (state.time, state.step) = (time, self.steps);
        let on_device = self.mover.copy(&self.system, &mut state)?;
        if state.masses.is_empty() {
            // These never change.
            state.masses.clone_from(&self.system.masses);
            state.ids.clone_from(&self.ids);
        }
        let table = self.table.text().to_owned();
        let account = self.account.clone();
        self.writer.begin(Output { number, table, state, on_device, account })
    }

    fn introduction(&self, done: u64, outputs: u64) -> String {
        let time = |output: u64| significant(self.settings.time_of(output), 7);
        format!(
            "{} particles from time {} to {}: {}{}",
            self.system.len(),
            time(done),
            time(outputs),
            self.settings.summary(),
            if are_at_rest(&self.system.velocities) { ", at rest" } else { "" },
        )
    }

    /// Tells what was done, and warns where the tolerance was not reached or the energy is lost.
    fn conclude(&self, steps: u64, seconds: f64) -> Result<(), Error> {
        if let Some(excess) = self.mover.excess() {
            report::warn_of_excess(excess, self.settings.precision == Precision::F32);
        }
        let folder = self.folder.path().display().to_string();
        let energy = match self.table.energy_change() {
            None => String::new(),
            Some(change) if change.is_nan() => ", the energy is not a number".to_owned(),
            Some(change) => {
                if change.abs() > ENERGY_LOST {
                    report::warn_line(&self.settings.of_energy_lost(change));
                }
                format!(", energy changed by {change:.1e} of itself")
            }
        };
        let line = format!("{steps} steps in {seconds:.2} s{energy}; wrote {folder}");
        report::print(one_line(&line, usize::MAX))
    }
}

/// Whether no particle moves.
pub(super) fn are_at_rest(velocities: &[[f64; 3]]) -> bool {
    velocities.as_flattened().iter().all(|v| *v == 0.0)
}
