//! Numbers of outcomes and failures.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use testbed::fuzz::Kind;

/// Numbers of executions by outcome, and of failures by kind.
#[derive(Default)]
pub(crate) struct Tally {
    outcomes: BTreeMap<String, u64>,
    failures: BTreeMap<Kind, usize>,
    /// Longest execution with its iteration.
    slowest: (Duration, u64),
}

impl Tally {
    pub(crate) fn add(&mut self, outcome: String) {
        *self.outcomes.entry(outcome).or_default() += 1;
    }

    /// Counts a failure; the number of all failures.
    pub(crate) fn fail(&mut self, kind: Kind) -> usize {
        *self.failures.entry(kind).or_default() += 1;
        self.failures()
    }

    /// Notes how long an iteration took, with the time for making a failure small.
    pub(crate) fn timed(&mut self, iteration: u64, time: Duration) {
        self.slowest = self.slowest.max((time, iteration));
    }

    pub(crate) fn failures(&self) -> usize {
        self.failures.values().sum()
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let failures = self.failures();
        let executions = self.outcomes.values().sum::<u64>() + failures as u64;
        write!(f, "{executions} executions, {failures} failures")?;
        self.failures.iter().try_for_each(|(kind, count)| write!(f, ", {kind:?} {count}"))?;
        self.outcomes.iter().try_for_each(|(word, count)| write!(f, ", {word} {count}"))?;
        let (time, iteration) = self.slowest;
        write!(f, "; the slowest was {iteration} with {:.2} s", time.as_secs_f64())
    }
}
