//! The direct sum over ranks: every rank has all sources, and sums at the receivers that it brought.

use std::sync::Arc;

use octree::partition::imbalance;

use super::account;
use super::group::Group;
use super::memory::Sharers;
use super::{Devices, Near};
use crate::api::{
    Error, Field, Method, Outputs, RanksReport, Report, Request, SampledError, Seconds, Stage,
};
use crate::choose::of_cores;
use crate::cpu::{self, CpuEngine, Need, abilities};
use crate::engine::{Charges, Engine, PointCounts, PointSets, Scalar, Workspace};
use crate::verify::{self, force_sums};

/// All sources and the rank's own receivers.
#[derive(Clone, Debug)]
pub(super) struct Everywhere<T> {
    engine: Arc<CpuEngine<T>>,
    /// The device that sums the pairs, if it is not the cores.
    near: Near<T>,
    /// Whether there is a net force: the receivers of all ranks are the sources, and there is a gradient.
    has_force: bool,
    outputs: Outputs,
}

impl<T: Scalar> Everywhere<T> {
    /// Brings all sources to every rank. Collective.
    pub(super) fn new(
        request: Request,
        group: &Group,
        (sharers, devices): (&Sharers, Devices<T>),
        points: &PointSets<'_, T>,
    ) -> Result<(Self, Report), Error> {
        let direct = Request { method: Method::Direct, m2l: None, ..request };
        let n_sources = group.gather(&[points.sources.len() as u64])?.iter().sum::<u64>() as usize;
        let n_receivers = points.n_receivers();
        let counts = PointCounts { n_sources, n_receivers, one_set: false };
        let estimate = cpu::estimate::<T>(&direct, abilities::<T>(), of_cores(), counts)?;
        sharers.check(group, &request, Need { needed: estimate.total(), held: 0 })?;
        let mut seconds = Seconds::default();
        let sources: Vec<[T; 3]> =
            seconds.time(Stage::Exchange, || group.gather(points.sources))?;
        let receivers = points.receivers.unwrap_or(points.sources);
        let sets = PointSets { sources: &sources, receivers: Some(receivers) };
        let engine = CpuEngine::new(direct, abilities::<T>(), of_cores(), &sets)?;
        let near = seconds.time(Stage::Transfer, || {
            (devices.near)(request.device, engine.geometry(), request.softening)
        })?;
        let n_receivers: Vec<f64> = group.gather(&[receivers.len() as f64])?;
        let uneven = imbalance(n_receivers.into_iter());
        let ranks = RanksReport {
            imbalance: uneven,
            imbalance_of_points: uneven,
            ..RanksReport::default()
        };
        let report = account::of_ranks(group, engine.report().clone())?;
        let report = Report { ranks: Some(ranks), ..report };
        let bytes = report.bytes + near.as_ref().map_or(0, |near| near.bytes());
        let report = account::complete(group, report, seconds, bytes)?;
        let has_force = points.receivers.is_none() && request.outputs.has_gradient();
        Ok((Self { engine: Arc::new(engine), near, has_force, outputs: request.outputs }, report))
    }

    /// The fields of the rank's receivers. Collective.
    pub(super) fn evaluate(
        &self,
        group: &Group,
        plan: &Report,
        charges: &Charges<'_, T>,
        workspace: &mut Workspace,
    ) -> Result<Vec<Field<T>>, Error> {
        let mut seconds = Seconds::of_stage(Stage::Other, charges.seconds);
        let all: Vec<Vec<T>> = seconds.time(Stage::Exchange, || {
            charges.vectors.iter().map(|vector| group.gather(vector)).collect::<Result<_, _>>()
        })?;
        let vectors: Vec<&[T]> = all.iter().map(Vec::as_slice).collect();
        let n_sources = vectors.first().map_or(0, |vector| vector.len());
        let here = Charges::new(&vectors, n_sources, None)?;
        let mut fields: Vec<Field<T>> = vectors.iter().map(|_| Field::default()).collect();
        self.engine.evaluate_beside(self.near.as_deref(), &here, &mut fields, workspace)?;
        for (field, charges) in fields.iter_mut().zip(charges.vectors) {
            let report = account::of_ranks(group, field.report.clone())?;
            let report = Report { ranks: plan.ranks.clone(), ..report };
            let bytes = report.bytes;
            let mut report = account::complete(group, report, seconds, bytes)?;
            if let Some(error) = &mut report.estimated_error {
                // Each rank estimates at its own receivers.
                group.largest(std::slice::from_mut(error))?;
            }
            if self.has_force {
                report.net_force =
                    Some(account::net_force(group, force_sums(charges, &field.gradient))?);
            }
            field.report = report;
        }
        Ok(fields)
    }

    /// Errors of a field of these charges at about `count` receivers of all ranks. Collective.
    pub(super) fn sample_error(
        &self,
        group: &Group,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> Result<SampledError, Error> {
        let all = group.gather(charges)?;
        let n_here = self.engine.report().n_receivers;
        let n = group.gather(&[n_here as u64])?.iter().sum::<u64>() as usize;
        // Each rank checks its share.
        let share = (count as f64 * n_here as f64 / n.max(1) as f64).ceil() as usize;
        let here = self.engine.sampled(&all, field, share)?;
        let pairs = group.gather(here.as_flattened())?;
        let pairs = pairs.as_chunks().0.iter().map(|[value, reference]| (*value, *reference));
        Ok(verify::compare(pairs, self.outputs))
    }
}
