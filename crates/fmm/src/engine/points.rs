//! Sources and receivers in the caller's order, and their numbers.

use octree::PointSet;

use crate::api::{Error, Request};

/// Numbers of points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PointCounts {
    pub(crate) n_sources: usize,
    pub(crate) n_receivers: usize,
    /// Whether the receivers are the sources.
    pub(crate) one_set: bool,
}

impl PointCounts {
    /// Number of points of both sets, each once.
    pub(crate) fn n_points(&self) -> usize {
        match self.one_set {
            true => self.n_sources,
            false => self.n_sources.saturating_add(self.n_receivers),
        }
    }

    /// Whether an engine counts the receivers whose leaves have no source: the relative error of two sets is harder to keep
    /// there.
    pub(crate) fn ask_for_alone(&self, request: &Request) -> bool {
        request.is_relative() && !self.one_set
    }

    /// Whether a report has the net force: sources that are receivers have gradients.
    pub(crate) fn have_net_force(&self, request: &Request) -> bool {
        self.one_set && request.outputs.has_gradient()
    }
}

/// Positions of a plan, one array of three coordinates a point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PointSets<'a, T> {
    pub(crate) sources: &'a [[T; 3]],
    /// `None`: the receivers are the sources.
    pub(crate) receivers: Option<&'a [[T; 3]]>,
}

impl<T> PointSets<'_, T> {
    pub(crate) fn n_receivers(&self) -> usize {
        self.receivers.map_or(self.sources.len(), <[_]>::len)
    }

    /// Numbers of points.
    pub(crate) fn counts(&self) -> PointCounts {
        PointCounts {
            n_sources: self.sources.len(),
            n_receivers: self.n_receivers(),
            one_set: self.receivers.is_none(),
        }
    }

    /// Refuses positions of another number or kind than those of `n_sources` sources and `n_receivers` receivers.
    pub(crate) fn check_counts(
        &self,
        n_sources: usize,
        n_receivers: usize,
        one_set: bool,
    ) -> Result<(), Error> {
        match (one_set, self.receivers.is_none()) {
            (true, false) => return Err(Error::ReceiversUnexpected),
            (false, true) => return Err(Error::ReceiversMissing),
            _ => {}
        }
        let expect = |set, found, expected| match found == expected {
            true => Ok(()),
            false => Err(Error::PositionCount { set, found, expected }),
        };
        expect(PointSet::Sources, self.sources.len(), n_sources)?;
        expect(PointSet::Receivers, self.n_receivers(), n_receivers)
    }
}
