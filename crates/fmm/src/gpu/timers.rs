//! Seconds per stage on a device, without waiting for each.

use kernels_gpu::machine::{Machine, MachineError};

use crate::api::{Seconds, Stage};

/// Marks between stages.
pub(super) struct Timers<'m, M: Machine> {
    machine: &'m M,
    start: M::Mark,
    ends: Vec<(Stage, M::Mark)>,
}

impl<'m, M: Machine> Timers<'m, M> {
    /// The first stage begins.
    pub(super) fn start(machine: &'m M) -> Result<Self, MachineError> {
        Ok(Self { machine, start: machine.mark()?, ends: Vec::new() })
    }

    /// Ends `stage`: all launches since the last mark.
    pub(super) fn end(&mut self, stage: Stage) -> Result<(), MachineError> {
        self.ends.push((stage, self.machine.mark()?));
        Ok(())
    }

    /// Adds all timers to `seconds`. Waits for the last.
    pub(super) fn count(&self, seconds: &mut Seconds) -> Result<(), MachineError> {
        let mut from = &self.start;
        for (stage, to) in &self.ends {
            seconds.add(*stage, self.machine.seconds_between(from, to)?);
            from = to;
        }
        Ok(())
    }

    /// Adds to `seconds` all timers of `side`, which ran beside this machine, and for `stage` what this took longer, until `last`
    /// began.
    pub(super) fn count_beside(
        &self,
        stage: Stage,
        side: &Self,
        last: &Self,
        seconds: &mut Seconds,
    ) -> Result<(), MachineError> {
        let mut beside = Seconds::default();
        side.count(&mut beside)?;
        let whole = self.machine.seconds_between(&self.start, &last.start)?;
        seconds.add(stage, (whole - beside.total()).max(0.0));
        *seconds = *seconds + beside;
        Ok(())
    }
}
