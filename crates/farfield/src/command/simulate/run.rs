//! The loop over outputs.

use std::time::Instant;

use fmm::Fmm;
use formats::{Snapshot, one_line};
use nbody::{Diagnostics, System};

use super::diagnostics::Table;
use super::folder::Folder;
use super::mover::Mover;
use super::settings::Settings;
use super::writer::{Output, Writer};
use crate::command::error::Error;
use crate::command::progress::TimeLeft;
use crate::command::report;
use farfield::DeviceScalar;

/// Beginning and end of a run.
pub(super) struct Start {
    /// Request of the accelerations, but for their outputs and softening.
    pub(super) fmm: Fmm,
    pub(super) state: Snapshot,
    /// Whether the state is one of a run that is resumed.
    pub(super) resumed: bool,
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
}

/// Runs from a state to the last output.
pub(super) fn run<T: DeviceScalar>(
    settings: &Settings,
    folder: &Folder,
    start: Start,
) -> Result<(), Error> {
    let Start { fmm, state, resumed, outputs } = start;
    let Snapshot { time, step, positions, velocities, masses, ids } = state;
    let done = ((time - settings.begin) / settings.interval).round() as u64;
    let (table, steps) = match resumed {
        true => (folder.table(done + 1)?, step),
        false => (Table::new(), 0),
    };
    let system = System { positions, velocities, masses };
    let mover = Mover::<T>::new(settings, fmm, &system)?;
    let writer = Writer::new(folder, settings.format.extension());
    let mut run = Run { settings, folder, system, ids, steps, mover, table, writer };
    report::print(run.introduction(done, outputs))?;
    let progress = TimeLeft::new(outputs.saturating_sub(done) as f64);
    let (clock, before) = (Instant::now(), run.steps);
    // Each interval begins with the accelerations of its first state alone, here as after an output.
    let sums = run.diagnostics()?;
    match resumed {
        true => run.folder.check_state(run.table.ends_at(&sums, settings.tolerance))?,
        false => run.output(0, &sums)?,
    }
    for output in done..outputs {
        run.advance(|share| progress.set((output - done) as f64 + share))?;
        let sums = run.diagnostics()?;
        run.output(output + 1, &sums)?;
    }
    run.writer.finish()?;
    drop(progress);
    run.conclude(run.steps - before, clock.elapsed().as_secs_f64())
}

impl<T: DeviceScalar> Run<'_, T> {
    /// Sums of the state, with its accelerations and potentials evaluated.
    fn diagnostics(&mut self) -> Result<Diagnostics, Error> {
        self.mover.diagnostics(&self.system)
    }

    /// Advances to the next output; `progress` is told the share of the interval.
    fn advance(&mut self, progress: impl Fn(f64)) -> Result<(), Error> {
        let interval = self.settings.interval;
        let after_step = |time: f64| progress(time / interval);
        self.steps += self.mover.advance(&mut self.system, interval, after_step)?;
        Ok(())
    }

    /// Hands an output to the writer, as a copy in the memory of one that was written.
    fn output(&mut self, number: u64, sums: &Diagnostics) -> Result<(), Error> {
        let time = self.settings.begin + number as f64 * self.settings.interval;
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
        self.writer.begin(Output { number, table, state, on_device })
    }

    fn introduction(&self, done: u64, outputs: u64) -> String {
        let Settings { softening, gravity, begin, interval, .. } = self.settings;
        let time = |output: u64| begin + output as f64 * interval;
        format!(
            "{} particles from time {:.6} to {:.6}: {}, softening {softening:.4}, G = {gravity}",
            self.system.len(),
            time(done),
            time(outputs),
            self.settings.steps(),
        )
    }

    /// Tells what was done, and warns where the tolerance was not reached.
    fn conclude(&self, steps: u64, seconds: f64) -> Result<(), Error> {
        if let Some(excess) = self.mover.excess() {
            report::warn_of_excess(excess);
        }
        let folder = self.folder.path().display().to_string();
        report::print(one_line(
            &format!(
                "{steps} steps in {seconds:.2} s, energy changed by {:.1e} of itself; wrote {folder}",
                self.table.energy_change()
            ),
            usize::MAX,
        ))
    }
}
