//! The report of ranks: sums over all of them, and what each one did.

use super::clumps::InnerPart;
use super::group::Group;
use super::layout::Layout;
use crate::api::{Error, RankReport, RanksReport, Report, Request, Seconds};
use crate::choose::{FarBy, Scheme};
use crate::cpu::{self, WalkCounts};
use crate::engine::Scalar;
use crate::verify::{self, Totals};

/// Subject of the report of a plan.
pub(super) struct Planned<'a, T> {
    pub(super) layout: &'a Layout<T>,
    pub(super) inner: &'a [InnerPart<T>],
    pub(super) scheme: &'a Scheme,
}

impl<T: Scalar> Planned<'_, T> {
    /// The report of the plan. Collective.
    pub(super) fn report(
        &self,
        group: &Group,
        request: &Request,
        seconds: Seconds,
    ) -> Result<Report, Error> {
        let Self { layout, inner, scheme } = *self;
        let report =
            cpu::plan_report(request, &layout.geometry, (scheme, layout.tree.expands), seconds);
        let counts = layout.counts;
        let report = of_ranks(group, report)?;
        let m2l_pairs = match scheme.algorithm.far_by() {
            FarBy::M2l => counts.far_pairs as u64,
            FarBy::M2p => 0,
        };
        let n_sources = group.gather(&[layout.geometry.own_sources().len() as u64])?;
        let mut report = Report {
            n_sources: n_sources.iter().sum::<u64>() as usize,
            levels: counts.levels,
            boxes: counts.boxes,
            leaves: counts.leaves,
            m2l_pairs,
            ..report
        };
        inner.iter().for_each(|inner| report.add_inner(inner.report()));
        let bytes = report.bytes;
        let ranks = RanksReport {
            imbalance: layout.imbalance,
            imbalance_of_points: layout.cuts.of_points,
            cuts: layout.cuts.kind,
            ..RanksReport::default()
        };
        complete(group, Report { ranks: Some(ranks), ..report }, Seconds::default(), bytes)
    }
}

/// A rank's report with receivers and pairs of all ranks. Collective.
pub(crate) fn of_ranks(group: &Group, report: Report) -> Result<Report, Error> {
    let Report { n_receivers, p2p_pairs, m2l_pairs, m2p_pairs, p2l_pairs, .. } = report;
    let mut sums = [n_receivers as u64, p2p_pairs, m2l_pairs, m2p_pairs, p2l_pairs];
    group.sum(&mut sums)?;
    let [n_receivers, p2p_pairs, m2l_pairs, m2p_pairs, p2l_pairs] = sums;
    let n_receivers = n_receivers as usize;
    Ok(Report { n_receivers, p2p_pairs, m2l_pairs, m2p_pairs, p2l_pairs, ..report })
}

/// Writes the pairs that the walks of all ranks counted to a report. Collective.
pub(super) fn walk_counts(
    group: &Group,
    counts: WalkCounts,
    report: &mut Report,
) -> Result<(), Error> {
    let mut sums = [counts.m2p_pairs, counts.p2p_pairs];
    group.sum(&mut sums)?;
    [report.m2p_pairs, report.p2p_pairs] = sums;
    Ok(())
}

/// A report with the seconds, the memory and the traffic of each rank; its own seconds are this rank's. Collective.
pub(crate) fn complete(
    group: &Group,
    report: Report,
    seconds: Seconds,
    bytes: usize,
) -> Result<Report, Error> {
    let seconds = report.seconds + seconds;
    let traffic = group.communicator().traffic();
    let row = [traffic.sent.messages, traffic.sent.bytes, traffic.received.bytes, bytes as u64];
    let counts = group.gather(&row)?;
    let all_seconds = group.gather_by_rank(&seconds.to_array())?;
    let of_rank = |(counts, seconds): (&[u64; 4], Vec<f64>)| RankReport {
        seconds: Seconds::from_slice(&seconds),
        messages: counts[0],
        bytes_sent: counts[1],
        bytes_received: counts[2],
        bytes: counts[3] as usize,
    };
    let ranks: Vec<RankReport> =
        counts.as_chunks().0.iter().zip(all_seconds).map(of_rank).collect();
    let of_plan = report.ranks.clone().unwrap_or_default();
    let ranks = RanksReport { rank: group.rank(), ranks, ..of_plan };
    Ok(Report { seconds, bytes, ranks: Some(ranks), ..report })
}

/// The net force on the points of all ranks, from the sums of the forces on those of this one. Collective.
pub(crate) fn net_force(group: &Group, mut sums: [f64; 4]) -> Result<f64, Error> {
    group.add_up(&mut sums)?;
    Ok(verify::net_force_of(sums))
}
