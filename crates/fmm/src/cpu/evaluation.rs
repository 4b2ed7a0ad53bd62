//! Evaluation on the cores: charges in, fields out.

use super::CpuEngine;
use super::buffers::Buffers;
use super::geometry::points::gather_charges;
use super::memory::Need;
use super::passes::Passes;
use super::peers::near_device::NearDevice;
use super::results::SumsCheck;
use crate::api::{Error, Field, Report, Seconds, Stage};
use crate::choose::{Algorithm, Attempts, Scheme};
use crate::engine::{Charges, Heavy, Scalar, VectorFacts, Workspace};
use crate::verify::{self, Estimate};

/// An evaluation under way: sums of each vector are in the buffers after a run.
struct Evaluation<'e, T> {
    engine: &'e CpuEngine<T>,
    near: Option<&'e dyn NearDevice<T>>,
    charges: &'e Charges<'e, T>,
    buffers: &'e mut Buffers<T>,
    /// Whether the charges are in the buffers; every run leaves them there.
    gathered: bool,
    seconds: Seconds,
    /// Report of the last run.
    report: Report,
}

impl<T: Scalar> CpuEngine<T> {
    /// The fields of charge vectors, with the near pairs on another device if there is one.
    pub(crate) fn evaluate_beside(
        &self,
        near: Option<&dyn NearDevice<T>>,
        charges: &Charges<'_, T>,
        fields: &mut [Field<T>],
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        let mut evaluation = Evaluation {
            engine: self,
            near,
            charges,
            buffers: workspace.buffers(),
            gathered: false,
            seconds: Seconds::of_stage(Stage::Other, charges.seconds),
            report: Report::default(),
        };
        let error = self.chooser.evaluate(&self.tree, charges.kind, &mut evaluation)?;
        evaluation.finish(error, fields)
    }
}

impl<T: Scalar> Attempts for Evaluation<'_, T> {
    fn run(&mut self, scheme: &Scheme) -> Result<(), Error> {
        let of_charges = (self.n_vectors(), self.may_hide_errors());
        let Self { engine, near, charges, buffers, gathered, seconds, .. } = self;
        let (geometry, n_vectors) = (&engine.geometry, charges.vectors.len());
        let order = scheme.algorithm.order().unwrap_or(1);
        engine.check_memory(*scheme, n_vectors, buffers)?;
        let tables = seconds.time(Stage::Other, || engine.tables(order));
        if !std::mem::replace(gathered, true) {
            seconds.time(Stage::Other, || gather(charges, engine, buffers));
        }
        let passes = Passes {
            near: *near,
            ..Passes::new((geometry, tables), &engine.request, scheme, of_charges)
        };
        let heavy = seconds
            .time(Stage::Other, || engine.take_heavy(scheme.algorithm, &charges.facts, buffers));
        seconds.time(Stage::P2p, || engine.sum_clumps(scheme.algorithm, charges, buffers))?;
        let mut report = engine.outer_report();
        if let Some(counts) = passes.run(scheme.algorithm, charges.earlier, buffers, seconds)? {
            counts.report(&mut report);
        }
        let Buffers { charges, sums, .. } = &mut **buffers;
        for ((heavy, sums), charges) in heavy.iter().zip(sums).zip(charges) {
            let at = geometry.sources().at(&heavy.indices);
            let heavy_charges: Vec<f64> = heavy.charges.iter().map(|q| q.widen()).collect();
            seconds.time(Stage::P2p, || passes.add_heavy(&at, &heavy_charges, sums));
            heavy.put_back(charges);
            report.p2p_pairs += (heavy.len() * report.n_receivers) as u64;
        }
        seconds.time(Stage::P2p, || engine.add_clumps(buffers, &mut report));
        scheme.report(engine.tree.expands, &mut report);
        report.bytes += tables.bytes();
        self.report = report;
        Ok(())
    }

    fn check(&mut self, count: usize) -> Result<Estimate, Error> {
        let (engine, buffers) = (self.engine, &*self.buffers);
        let kinds = self.charges.facts.iter().map(|facts| facts.kind());
        let mut vectors = buffers.charges.iter().zip(&buffers.sums).zip(kinds);
        self.seconds.time(Stage::Check, || {
            vectors.try_fold(Estimate::default(), |worst, ((charges, sums), kind)| {
                let check = SumsCheck { count, kind };
                Ok(worst.or_worse(engine.estimate_of_sums(charges, sums, check)?))
            })
        })
    }

    fn are_uneven(&mut self, _: Algorithm) -> Result<bool, Error> {
        let Self { engine, charges, seconds, .. } = self;
        let n = engine.tree.counts.n_sources;
        let mut vectors = charges.vectors.iter().zip(&charges.facts);
        let uneven = |(vector, facts): (&&[T], &VectorFacts)| {
            facts.are_uneven(n) && Heavy::take_from(&mut vector.to_vec()).others.are_uneven(n)
        };
        Ok(seconds.time(Stage::Other, || vectors.any(uneven)))
    }

    fn may_hide_errors(&self) -> bool {
        let n = self.engine.tree.counts.n_sources;
        self.charges.facts.iter().any(|facts| facts.may_hide_errors(n))
    }

    fn n_vectors(&self) -> usize {
        self.charges.vectors.len()
    }

    fn sum_exactly(&mut self, scheme: &Scheme) -> Result<bool, Error> {
        let Self { engine, buffers, seconds, report, .. } = self;
        let Buffers { charges, sums, .. } = &mut **buffers;
        let n_vectors = self.charges.vectors.len();
        seconds.time(Stage::P2p, || {
            let mut vectors = charges.iter().zip(sums).take(n_vectors);
            vectors.try_for_each(|(charges, sums)| engine.sum_exactly(charges, sums))
        })?;
        scheme.report(true, report);
        Ok(true)
    }
}

impl<T: Scalar> Evaluation<'_, T> {
    /// Gives the sums of the last run to the caller, with a report.
    fn finish(self, error: Option<f64>, fields: &mut [Field<T>]) -> Result<(), Error> {
        let Self { engine, near, charges, buffers, mut seconds, mut report, .. } = self;
        let geometry = &engine.geometry;
        seconds.time(Stage::Other, || engine.scatter(buffers, fields))?;
        report.n_vectors = charges.vectors.len();
        report.estimated_error = error;
        // Far pairs and tables of operators were made when they were first needed.
        let near_bytes = near.map_or(0, NearDevice::bytes);
        report.bytes += geometry.bytes() + near_bytes + buffers.bytes();
        report.seconds = report.seconds + seconds;
        for (field, charges) in fields.iter_mut().zip(charges.vectors) {
            let has_force = engine.tree.counts.have_net_force(&engine.request);
            let net_force = has_force.then(|| verify::net_force(charges, &field.gradient));
            field.report = Report { net_force, ..report.clone() };
        }
        Ok(())
    }
}

impl<T: Scalar> CpuEngine<T> {
    /// Refuses an evaluation that takes more memory than it may.
    fn check_memory(
        &self,
        scheme: Scheme,
        n_vectors: usize,
        buffers: &Buffers<T>,
    ) -> Result<(), Error> {
        let (counts, held) = (self.tree.counts, buffers.bytes());
        Need::of_evaluation(&self.request, &self.geometry, counts, scheme, n_vectors, held)
            .check(&self.request)
    }

    /// Takes heavy charges out of the others.
    fn take_heavy(
        &self,
        algorithm: Algorithm,
        facts: &[VectorFacts],
        buffers: &mut Buffers<T>,
    ) -> Vec<Heavy<T>> {
        let take = |(facts, charges): (&VectorFacts, &mut Vec<T>)| match self
            .takes_heavy(algorithm, *facts)
        {
            true => Heavy::take_from(charges),
            false => Heavy::default(),
        };
        facts.iter().zip(&mut buffers.charges).map(take).collect()
    }

    /// Whether a run takes heavy charges out of a vector.
    fn takes_heavy(&self, algorithm: Algorithm, facts: VectorFacts) -> bool {
        let expands = self.tree.expands && algorithm != Algorithm::Direct;
        facts.have_heavy_for_cores(&self.request, expands, self.tree.counts.n_sources)
    }
}

/// Brings charges into tree order and units of their own.
fn gather<T: Scalar>(given: &Charges<'_, T>, engine: &CpuEngine<T>, buffers: &mut Buffers<T>) {
    buffers.reserve_vectors(given.vectors.len());
    let Buffers { charges, charge_units, .. } = buffers;
    let places = charges.iter_mut().zip(charge_units);
    for ((vector, facts), (to, unit)) in given.vectors.iter().zip(&given.facts).zip(places) {
        *unit = facts.unit();
        gather_charges(vector, *unit, engine.geometry.tree.source_permutation(), to);
    }
}
