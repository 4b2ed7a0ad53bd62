//! Fewer points with the same failure.

use super::super::Failure;
use super::{Problem, judge};

/// Evaluations that are spent on one problem.
const TRIALS: usize = 300;

/// The problem with as many points left out as its kind of failure allows: parts of halving size, one after the other.
pub fn shrunk(problem: &Problem, failure: &Failure) -> Problem {
    let mut smallest = problem.clone();
    let mut trials = 0;
    let mut part = problem.sources.len().max(problem.receivers().len()).div_ceil(2);
    while part > 0 {
        let mut start = 0;
        while start < smallest.sources.len().max(smallest.receivers().len()) && trials < TRIALS {
            let candidates = [
                without_sources(&smallest, start, part),
                without_receivers(&smallest, start, part),
            ];
            let mut found = false;
            for candidate in candidates.into_iter().flatten() {
                trials += 1;
                if matches!(judge(&candidate), Err(other) if other.kind == failure.kind) {
                    smallest = candidate;
                    found = true;
                }
            }
            start += if found { 0 } else { part };
        }
        part /= 2;
    }
    smallest
}

fn without_sources(problem: &Problem, start: usize, part: usize) -> Option<Problem> {
    let range = start..problem.sources.len().min(start + part);
    (!range.is_empty()).then(|| {
        let mut less = problem.clone();
        drop(less.sources.drain(range.clone()));
        drop(less.charges.drain(range));
        less
    })
}

fn without_receivers(problem: &Problem, start: usize, part: usize) -> Option<Problem> {
    let n = problem.receivers.as_ref()?.len();
    let range = start..n.min(start + part);
    (!range.is_empty()).then(|| {
        let mut receivers = problem.receivers().to_vec();
        drop(receivers.drain(range));
        Problem { receivers: Some(receivers), ..problem.clone() }
    })
}
