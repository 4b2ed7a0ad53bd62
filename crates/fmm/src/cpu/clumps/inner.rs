//! Engines of clumps in one process.

use std::ops::Range;

use super::{Clump, ClumpPoints, InnerRoom};
use crate::api::{Device, Error, Report, Request};
use crate::choose::{Algorithm, Chooser, of_cores};
use crate::cpu::buffers::Buffers;
use crate::cpu::geometry::Geometry;
use crate::cpu::{CpuEngine, TablesByOrder, abilities};
use crate::engine::{Charges, PointSets, Scalar};

/// The engine of a clump.
#[derive(Clone, Debug)]
pub(crate) struct InnerEngine<T> {
    /// Sources as positions in the outer tree.
    sources: Vec<Range<usize>>,
    /// Receivers as positions in the outer tree.
    receivers: Vec<Range<usize>>,
    engine: CpuEngine<T>,
}

/// The engines of all clumps of a geometry. `points` are those of the geometry, in the caller's order.
pub(crate) fn inner_engines<T: Scalar>(
    request: &Request,
    tables: &TablesByOrder<T>,
    geometry: &Geometry<T>,
    points: &PointSets<'_, T>,
) -> Result<Vec<InnerEngine<T>>, Error> {
    let request = Request { device: Device::Cpu, ..*request };
    let one_set = points.receivers.is_none();
    let one_engine = |clump: &Clump| {
        let inner = ClumpPoints::new(clump, &geometry.tree, points, one_set);
        let ends = inner.ends();
        let inner = inner.about(ends);
        let chooser = Chooser::new(request, abilities::<T>(), of_cores())?;
        let engine = CpuEngine::of_points(request, chooser, tables.clone(), &inner.sets())?;
        let Clump { sources, receivers, .. } = clump.clone();
        Ok(InnerEngine { sources, receivers, engine })
    };
    let clumps = &geometry.clumps.all;
    parallel::map(clumps.len(), |i| one_engine(&clumps[i])).into_iter().collect()
}

impl<T: Scalar> CpuEngine<T> {
    /// The report of the plan without the clumps' plans, and without memory.
    pub(crate) fn outer_report(&self) -> Report {
        let mut report = Report { clumps: 0, bytes: 0, ..self.report.clone() };
        self.inner.iter().for_each(|inner| report.subtract_pairs(inner.report()));
        report
    }

    /// Evaluates the clumps, each in a room of its own, unless the algorithm sums all pairs without lists.
    pub(crate) fn sum_clumps(
        &self,
        algorithm: Algorithm,
        charges: &Charges<'_, T>,
        buffers: &mut Buffers<T>,
    ) -> Result<(), Error> {
        let all_pairs = algorithm == Algorithm::Direct && self.geometry.has_expansions();
        let engines = if all_pairs { &[][..] } else { &self.inner };
        let Buffers { charges: vectors, charge_units: units, clumps: rooms, .. } = buffers;
        let vectors = &vectors[..charges.vectors.len()];
        let permutation = self.geometry.tree.receiver_permutation();
        rooms.resize_with(engines.len(), InnerRoom::default);
        let outcomes = parallel::map_parts(engines.iter().zip(rooms), |_, (engine, room)| {
            room.take_charges(vectors, units, &engine.sources);
            engine.evaluate(permutation, charges.earlier, room)
        });
        outcomes.into_iter().collect()
    }

    /// Adds the fields of the clumps to the sums of all points, and their counts to the report.
    pub(crate) fn add_clumps(&self, buffers: &mut Buffers<T>, report: &mut Report) {
        let Buffers { sums, charge_units, clumps, .. } = buffers;
        for (InnerEngine { receivers, .. }, room) in self.inner.iter().zip(&*clumps) {
            room.add_to(receivers, self.geometry.unit, charge_units, sums);
            if let Some(inner) = room.fields.first() {
                report.add_inner(&inner.report);
                report.bytes += room.bytes();
            }
        }
    }
}

impl<T: Scalar> InnerEngine<T> {
    /// The report of the clump's plan.
    pub(crate) fn report(&self) -> &Report {
        &self.engine.report
    }

    /// The fields of the charges in a room. `earlier` is an earlier gradient in the outer caller's order.
    fn evaluate(
        &self,
        permutation: &[u32],
        earlier: Option<&[[T; 3]]>,
        room: &mut InnerRoom<T>,
    ) -> Result<(), Error> {
        let earlier: Option<Vec<[T; 3]>> = earlier.map(|earlier| {
            let indices = self.receivers.iter().flat_map(|run| &permutation[run.clone()]);
            indices.map(|index| earlier[*index as usize]).collect()
        });
        let n_sources = self.sources.iter().map(Range::len).sum();
        let (vectors, fields, workspace) = room.parts();
        let charges = Charges::new(&vectors, n_sources, earlier.as_deref())?;
        self.engine.evaluate_beside(None, &charges, fields, workspace)
    }
}
