//! Evaluation on one of several devices: charges in, fields out.

use std::borrow::Cow;
use std::time::Instant;

use kernels_gpu::device::{Vec4, View};
use kernels_gpu::machine::Machine;

use super::super::Number;
use super::super::evaluation::{check_range, to_field};
use super::super::form::{Expansions, Form};
use super::charges::HeavySources;
use super::{RankEngine, State};
use crate::api::{Error, Field, Report, Seconds, Stage};
use crate::choose::{Algorithm, Attempts, Scheme};
use crate::engine::{Charges, Scalar, Signs};
use crate::ranks::account;
use crate::ranks::charges::{Vector, survey};
use crate::verify::Estimate;

/// An evaluation of one vector under way.
pub(super) struct Evaluation<'e, M: Machine, T: Number> {
    pub(super) engine: &'e RankEngine<M, T>,
    pub(super) state: &'e mut State<M, T>,
    /// Charges that the rank brought: all, and those without the heavy ones.
    pub(super) charges: &'e [T],
    light: Cow<'e, [T]>,
    heavy: HeavySources<T>,
    pub(super) vector: Vector,
    pub(super) report: Report,
    pub(super) seconds: Seconds,
    /// Whether the sources have the light charges.
    pub(super) charged: bool,
    /// Field of the last run on the host; empty after a run.
    pub(super) values: Vec<Vec4<T>>,
}

impl<M, T> RankEngine<M, T>
where
    M: Machine + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    State<M, T>: Send,
{
    /// The fields of the rank's receivers, in the order in which it brought them. Collective.
    pub(super) fn evaluate_all(&self, charges: &Charges<'_, T>) -> Result<Vec<Field<T>>, Error> {
        let vectors = survey(self.wire.group(), charges)?;
        let mixed = vectors.iter().any(|vector| vector.signs == Signs::Mixed);
        let signs = if mixed { Signs::Mixed } else { Signs::Same };
        let pairs = charges.vectors.iter().zip(vectors);
        let one = |(k, (charges, vector)): (usize, (&&[T], Vector))| {
            self.evaluate_vector(k, charges, vector, signs)
        };
        let fields: Result<Vec<Field<T>>, Error> = pairs.enumerate().map(one).collect();
        let mut fields = fields?;
        for field in &mut fields {
            field.report.n_vectors = charges.vectors.len();
        }
        Ok(fields)
    }

    fn evaluate_vector(
        &self,
        k: usize,
        charges: &[T],
        vector: Vector,
        signs: Signs,
    ) -> Result<Field<T>, Error> {
        let mut guard = self.state();
        let state = &mut *guard;
        let (light, heavy) = self.take_heavy(state, charges, vector)?;
        let mut evaluation = Evaluation {
            engine: self,
            values: std::mem::take(&mut state.host_field),
            state,
            charges,
            light,
            heavy,
            vector,
            report: self.report.clone(),
            seconds: Seconds::default(),
            charged: false,
        };
        let error = self.chooser.evaluate(&self.tree, signs, &mut evaluation)?;
        evaluation.download()?;
        let Evaluation { values, mut report, mut seconds, state, heavy, .. } = evaluation;
        let mut field = Field::default();
        let outputs = self.request.outputs;
        seconds.time(Stage::Transfer, || {
            check_range(k, &values, outputs)?;
            to_field(&values, outputs, &mut field);
            Ok::<(), Error>(())
        })?;
        state.host_field = values;
        let group = self.wire.group();
        report.estimated_error = error;
        report.p2p_pairs += (heavy.len() * report.n_receivers) as u64;
        let form = Form::of(self.tree.scheme.algorithm);
        let used = Expansions::OnLists(Form { order: report.order, ..form });
        let bytes = report.bytes.max(state.pipeline.memory(used).peak);
        let mut report = account::complete(group, report, seconds, bytes)?;
        self.add_copied(&mut report)?;
        if self.tree.counts.one_set && outputs.has_gradient() {
            report.net_force = Some(account::net_force(group, charges, &field.gradient)?);
        }
        field.report = report;
        Ok(field)
    }

    /// Adds the bytes that devices read from each other to those of messages. Collective.
    fn add_copied(&self, report: &mut Report) -> Result<(), Error> {
        let copied = self.wire.group().gather_by_rank(&self.wire.copied())?;
        let rows = report.ranks.iter_mut().flat_map(|ranks| &mut ranks.ranks);
        for (rank, copied) in rows.zip(copied) {
            rank.bytes_sent += copied[0];
            rank.bytes_received += copied[1];
        }
        Ok(())
    }
}

impl<M, T> Attempts for Evaluation<'_, M, T>
where
    M: Machine + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    State<M, T>: Send,
{
    fn run(&mut self, scheme: &Scheme) -> Result<(), Error> {
        self.values.clear();
        let Self { engine, state, light, heavy, vector, seconds, charged, .. } = self;
        if !*charged {
            *seconds = *seconds + engine.put(state, light, vector.unit, heavy)?;
            *charged = true;
        }
        if state.expands {
            scheme.report(&mut self.report);
        }
        let machine = &engine.machine;
        let softening = engine.request.softening;
        let n = state.pipeline.tree().n_receivers();
        let ran = match scheme.algorithm {
            Algorithm::Fmm { .. } | Algorithm::TreecodeLists { .. } => {
                let form = Form::of(scheme.algorithm);
                state.pipeline.evaluate(form, softening, &mut state.fields[0])?.seconds()?
            }
            _ => {
                let all = seconds.time(Stage::Exchange, || engine.gather_sources(state))?;
                state.fields[0].reserve(machine, n)?;
                let owned = state.fields[0].view_mut(n);
                state.pipeline.sum_pairs(all, softening, owned)?.seconds()?
            }
        };
        *seconds = *seconds + ran;
        seconds.time(Stage::Exchange, || engine.bring_back(state))
    }

    fn check(&mut self, count: usize) -> Result<Estimate, Error> {
        let start = Instant::now();
        let error = self.error_at(count);
        self.seconds.add(Stage::Check, start.elapsed().as_secs_f64());
        Ok(Estimate::of(error?))
    }
}

impl<M, T> Evaluation<'_, M, T>
where
    M: Machine + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    State<M, T>: Send,
{
    /// Whether no charges are heavy.
    pub(super) fn heavy_is_empty(&self) -> bool {
        self.heavy.is_empty()
    }

    /// Copies the field of the last run to the host, if it is not there.
    fn download(&mut self) -> Result<(), Error> {
        let n = self.state.counts.receivers;
        if self.values.len() == n {
            return Ok(());
        }
        let (machine, field) = (&self.engine.machine, self.state.brought_field());
        let values = &mut self.values;
        Ok(self.seconds.time(Stage::Transfer, || {
            values.resize(n, Vec4::default());
            field.download(machine, values)
        })?)
    }
}

impl<M, T> RankEngine<M, T>
where
    M: Machine + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    State<M, T>: Send,
{
    /// Brings the field of owned receivers to the ranks that brought them. Collective.
    pub(super) fn bring_back(&self, state: &mut State<M, T>) -> Result<(), Error> {
        let State { ways, fields: [owned, sorted, brought], counts, pipeline, .. } = state;
        let Some(ways) = ways else { return Ok(()) };
        brought.reserve(&self.machine, counts.receivers)?;
        let owned = owned.view(pipeline.tree().n_receivers());
        let fields = brought.view_mut(counts.receivers);
        ways.receivers().fields(&self.machine, owned, sorted, fields)?;
        Ok(self.machine.synchronize()?)
    }

    /// The sources of all ranks, in the tree's units. Collective.
    fn gather_sources(&self, state: &mut State<M, T>) -> Result<View<Vec4<T>>, Error> {
        let (machine, wire) = (&self.machine, &self.wire);
        let own = state.pipeline.sorted_sources();
        let counts: Vec<u64> = wire.group().gather(&[own.len() as u64])?;
        let n = counts.iter().sum::<u64>() as usize;
        state.everywhere.reserve(machine, n)?;
        let all = state.everywhere.view_mut(n);
        let mut starts = vec![0];
        starts.extend(counts.iter().scan(0, |sum, n| {
            *sum += *n as usize;
            Some(*sum)
        }));
        let part = |rank: usize| all.part(starts[rank], counts[rank] as usize);
        machine.copy(own, machine.home(), part(wire.rank()))?;
        let outgoing: Vec<_> = wire.others().map(|_| own).collect();
        let incoming: Vec<_> = wire.others().map(part).collect();
        wire.exchange(machine, &outgoing, &incoming)?;
        Ok(all.read_only())
    }
}
