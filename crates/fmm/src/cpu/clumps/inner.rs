//! Engines of clumps: points about an origin of their own, and what the engines add to the fields.

use std::ops::Range;

use rayon::prelude::*;

use super::Clump;
use super::room::InnerRoom;
use crate::api::{Device, Error, Field, Report, Request};
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

/// Charges of the outer engine.
struct OuterCharges<'a, T> {
    /// Charges of each vector in tree order and in the vector's unit, without those that are heavy.
    vectors: &'a [Vec<T>],
    /// Unit of each vector.
    units: &'a [f64],
    /// An earlier gradient in the caller's order.
    earlier: Option<&'a [[T; 3]]>,
}

/// The engines of all clumps of a geometry. `points` are those of the geometry, in the caller's order.
pub(crate) fn inner_engines<T: Scalar>(
    request: &Request,
    tables: &TablesByOrder<T>,
    geometry: &Geometry<T>,
    points: &PointSets<'_, T>,
) -> Result<Vec<InnerEngine<T>>, Error> {
    let request = Request { device: Device::Cpu, ..*request };
    let tree = &geometry.tree;
    let one_engine = |clump: &Clump| {
        let pick = |set: &[[T; 3]], permutation: &[u32], runs: &[Range<usize>]| -> Vec<[T; 3]> {
            let indices = runs.iter().flat_map(|run| &permutation[run.clone()]);
            indices.map(|index| set[*index as usize]).collect()
        };
        let mut sources = pick(points.sources, tree.source_permutation(), &clump.sources);
        let mut receivers = match points.receivers {
            None if clump.is_one_set() => None,
            receivers => {
                let set = receivers.unwrap_or(points.sources);
                Some(pick(set, tree.receiver_permutation(), &clump.receivers))
            }
        };
        let origin = origin(sources.iter().chain(receivers.iter().flatten()));
        for point in sources.iter_mut().chain(receivers.iter_mut().flatten()) {
            for (x, origin) in point.iter_mut().zip(origin) {
                *x = T::narrow(x.widen() - origin);
            }
        }
        let chooser = Chooser::new(request, abilities::<T>(), of_cores())?;
        let points = PointSets { sources: &sources, receivers: receivers.as_deref() };
        let engine = CpuEngine::of_points(request, chooser, tables.clone(), &points)?;
        let Clump { sources, receivers, .. } = clump.clone();
        Ok(InnerEngine { sources, receivers, engine })
    };
    geometry.clumps.all.par_iter().map(one_engine).collect()
}

/// An origin near the points, from which the coordinates of all are exact.
fn origin<'a, T: Scalar>(points: impl Iterator<Item = &'a [T; 3]>) -> [f64; 3] {
    let mut ends = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
    for point in points {
        for ([low, high], x) in ends.iter_mut().zip(point.map(T::widen)) {
            (*low, *high) = (low.min(x), high.max(x));
        }
    }
    ends.map(|[low, high]| match () {
        // The difference of two numbers within a factor of two is exact (Sterbenz 1974).
        () if low > 0.0 && high <= 2.0 * low => low,
        () if high < 0.0 && low >= 2.0 * high => high,
        // The points reach over at least half their distance from 0, which is near enough.
        () => 0.0,
    })
}

impl<T: Scalar> CpuEngine<T> {
    /// The report of the plan without the clumps' plans, and without memory.
    pub(crate) fn outer_report(&self) -> Report {
        let mut report = Report { clumps: 0, bytes: 0, ..self.report.clone() };
        for inner in &self.inner {
            let inner = &inner.engine.report;
            report.p2p_pairs -= inner.p2p_pairs;
            report.m2l_pairs -= inner.m2l_pairs;
            report.m2p_pairs -= inner.m2p_pairs;
            report.p2l_pairs -= inner.p2l_pairs;
        }
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
        let outer = OuterCharges { vectors, units, earlier: charges.earlier };
        let permutation = self.geometry.tree.receiver_permutation();
        rooms.resize_with(engines.len(), InnerRoom::default);
        let pairs = engines.par_iter().zip(rooms);
        pairs.try_for_each(|(engine, room)| engine.evaluate(permutation, &outer, room))
    }

    /// Adds the fields of the clumps to the sums of all points, and their counts to the report.
    pub(crate) fn add_clumps(&self, buffers: &mut Buffers<T>, report: &mut Report) {
        let Buffers { sums, charge_units, clumps, .. } = buffers;
        for (InnerEngine { receivers, .. }, room) in self.inner.iter().zip(&*clumps) {
            for ((sums, charge), inner) in sums.iter_mut().zip(&*charge_units).zip(&room.fields) {
                let unit = self.geometry.unit;
                let places = || receivers.iter().cloned().flatten();
                for (place, value) in places().zip(&inner.potential) {
                    let value = value.widen() / unit.potential(*charge);
                    sums.potential[place] += T::narrow(value);
                }
                for (place, value) in places().zip(&inner.gradient) {
                    for (sum, part) in sums.gradient.iter_mut().zip(value) {
                        sum[place] += T::narrow(part.widen() / unit.gradient(*charge));
                    }
                }
            }
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

    fn evaluate(
        &self,
        permutation: &[u32],
        outer: &OuterCharges<'_, T>,
        room: &mut InnerRoom<T>,
    ) -> Result<(), Error> {
        let n_vectors = outer.vectors.len();
        room.charges.resize_with(n_vectors, Vec::new);
        room.fields.resize_with(n_vectors, Field::default);
        for ((to, from), unit) in room.charges.iter_mut().zip(outer.vectors).zip(outer.units) {
            let charges = self.sources.iter().flat_map(|run| &from[run.clone()]);
            to.clear();
            to.extend(charges.map(|q| T::narrow(q.widen() * unit)));
        }
        let earlier: Option<Vec<[T; 3]>> = outer.earlier.map(|earlier| {
            let indices = self.receivers.iter().flat_map(|run| &permutation[run.clone()]);
            indices.map(|index| earlier[*index as usize]).collect()
        });
        let vectors: Vec<&[T]> = room.charges.iter().map(Vec::as_slice).collect();
        let n_sources = self.sources.iter().map(Range::len).sum();
        let charges = Charges::new(&vectors, n_sources, earlier.as_deref())?;
        self.engine.evaluate_beside(None, &charges, &mut room.fields, &mut room.workspace)
    }
}
