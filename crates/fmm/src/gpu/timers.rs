//! Seconds per stage on a device, without waiting for each.

use kernels_gpu::machine::{Launcher, MachineError};

use crate::api::{Seconds, Stage};

/// Marks between stages.
#[derive(Debug)]
pub(crate) struct Timers<M: Launcher> {
    machine: M,
    start: M::Mark,
    ends: Vec<(Stage, M::Mark)>,
}

/// Launches of an evaluation or of a plan, which may not have ended.
pub(crate) struct Launched<M: Launcher> {
    /// Everything in the order of the machine, or what followed the launches of `beside`.
    last: Timers<M>,
    beside: Option<Beside<M>>,
}

/// Launches of two orders beside each other.
struct Beside<M: Launcher> {
    /// Stage of the machine's own launches, and their start.
    own: (Stage, Timers<M>),
    /// Launches of the other order.
    side: Timers<M>,
}

impl<M: Launcher + Clone> Timers<M> {
    /// The first stage begins.
    pub(super) fn start(machine: &M) -> Result<Self, MachineError> {
        Ok(Self { machine: machine.clone(), start: machine.mark()?, ends: Vec::new() })
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
}

impl<M: Launcher + Clone> Launched<M> {
    /// Launches in one order.
    pub(super) fn alone(timers: Timers<M>) -> Self {
        Self { last: timers, beside: None }
    }

    /// Launches of `own` for a stage and, in another order that was joined, of `side`; then those of `last`.
    pub(super) fn beside(own: (Stage, Timers<M>), side: Timers<M>, last: Timers<M>) -> Self {
        Self { last, beside: Some(Beside { own, side }) }
    }

    /// Seconds of each stage; for launches that had others beside them, the time beyond those. Waits for the last launch.
    pub(super) fn seconds(&self) -> Result<Seconds, MachineError> {
        let mut seconds = Seconds::default();
        if let Some(Beside { own: (stage, own), side }) = &self.beside {
            side.count(&mut seconds)?;
            let whole = own.machine.seconds_between(&own.start, &self.last.start)?;
            seconds.add(*stage, (whole - seconds.total()).max(0.0));
        }
        self.last.count(&mut seconds)?;
        Ok(seconds)
    }
}
