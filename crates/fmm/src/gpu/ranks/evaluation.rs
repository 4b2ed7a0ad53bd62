//! Evaluation on one of several devices: charges in, fields out.

use kernels_gpu::device::{Vec4, View};
use kernels_gpu::machine::Launcher;

use super::charges::{HeavySources, Light};
use super::{RankEngine, State};
use crate::api::{Error, Field, Report, Seconds, Stage};
use crate::choose::{Algorithm, Attempts, Scheme};
use crate::engine::{ChargeKind, Charges, Scalar, VectorFacts};
use crate::gpu::Number;
use crate::gpu::check::timed_check;
use crate::gpu::evaluation::{are_uneven, heavy_pairs};
use crate::gpu::host_slices::Arrivals;
use crate::gpu::launches::Pairs;
use crate::gpu::pipeline::form::{Expansions, Form};
use crate::gpu::pipeline::looks::refuse_not_finite;
use crate::ranks::account;
use crate::ranks::facts_of_all_ranks;
use crate::verify::Estimate;

/// A charge vector as an evaluation gets it.
struct Vector<'v, T> {
    /// Place among the vectors of the call.
    k: usize,
    /// Charges that the rank brought.
    charges: &'v [T],
    /// Facts about the charges of all ranks.
    facts: VectorFacts,
    /// Whether the charges are on the device.
    is_sent: bool,
}

/// An evaluation of one vector under way.
pub(super) struct Evaluation<'e, M: Launcher, T: Number> {
    pub(super) engine: &'e RankEngine<M, T>,
    pub(super) state: &'e mut State<M, T>,
    /// Charges that the rank brought: all, and those without the heavy ones.
    pub(super) charges: &'e [T],
    light: Light<'e, T>,
    heavy: HeavySources<T>,
    pub(super) facts: VectorFacts,
    pub(super) report: Report,
    pub(super) seconds: Seconds,
    /// Whether the sources have the light charges.
    pub(super) charged: bool,
    /// Whether all charges that the rank brought are on the device.
    is_sent: bool,
}

impl<M, T> RankEngine<M, T>
where
    M: Launcher + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    State<M, T>: Send,
{
    /// The fields of the rank's receivers, in the order in which it brought them. Collective.
    pub(super) fn evaluate_all(
        &self,
        charges: &Charges<'_, T>,
        fields: &mut [Field<T>],
    ) -> Result<(), Error> {
        let mut seconds = Seconds::of_stage(Stage::Other, charges.seconds);
        let (facts, is_sent) = match charges.vectors {
            // The device looks at a vector alone.
            [alone] if charges.facts.is_empty() => {
                let send = || self.send(&mut self.state(), alone);
                (vec![seconds.time(Stage::Transfer, send)?], true)
            }
            _ => (charges.facts.clone(), false),
        };
        let vectors =
            seconds.time(Stage::Exchange, || facts_of_all_ranks(self.wire.group(), &facts))?;
        let kind = ChargeKind::of_all(&vectors);
        for (k, (facts, field)) in vectors.into_iter().zip(fields).enumerate() {
            let vector = Vector { k, charges: charges.vectors[k], facts, is_sent };
            self.evaluate_vector(&vector, kind, seconds, field)?;
            field.report.n_vectors = charges.vectors.len();
        }
        Ok(())
    }

    fn evaluate_vector(
        &self,
        &Vector { k, charges, facts, is_sent }: &Vector<'_, T>,
        kind: ChargeKind,
        seconds: Seconds,
        field: &mut Field<T>,
    ) -> Result<(), Error> {
        let mut guard = self.state();
        let state = &mut *guard;
        let (light, heavy) = self.take_heavy(state, charges, facts)?;
        let mut evaluation = Evaluation {
            engine: self,
            state,
            charges,
            light,
            heavy,
            facts,
            report: self.report.clone(),
            seconds,
            charged: false,
            is_sent,
        };
        let error = self.chooser.evaluate(&self.tree, kind, &mut evaluation)?;
        let forces = evaluation.deliver(k, field)?;
        let Evaluation { mut report, seconds, heavy, .. } = evaluation;
        let group = self.wire.group();
        report.estimated_error = error;
        report.p2p_pairs += heavy_pairs(heavy.len(), &report);
        let bytes = report.bytes;
        let mut report = account::complete(group, report, seconds, bytes)?;
        self.add_copied(&mut report)?;
        if self.tree.counts.have_net_force(&self.request) {
            report.net_force = Some(account::net_force(group, forces)?);
        }
        field.report = report;
        Ok(())
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
    M: Launcher + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    State<M, T>: Send,
{
    fn run(&mut self, scheme: &Scheme) -> Result<(), Error> {
        let Self { engine, state, light, heavy, facts, seconds, charged, is_sent, .. } = self;
        if !*charged {
            let are_there = *is_sent && heavy.is_empty();
            *seconds =
                *seconds + engine.put(state, &light.charges, are_there, facts.unit(), heavy)?;
            *charged = true;
        }
        scheme.report(engine.tree.expands, &mut self.report);
        let machine = &engine.machine;
        let pairs = Pairs { softening: engine.request.softening, accuracy: scheme.pair_accuracy };
        let n = state.pipeline.tree().n_receivers();
        let ran = match scheme.algorithm {
            Algorithm::Fmm { .. } | Algorithm::TreecodeLists { .. } => {
                let form = Form::of(scheme.algorithm);
                state.pipeline.evaluate(form, pairs, &mut state.fields[0])?.seconds()?
            }
            // Ranks with a GPU each do not walk, see their abilities.
            Algorithm::Direct | Algorithm::TreecodeWalk(_) => {
                let all = seconds.time(Stage::Exchange, || engine.gather_sources(state))?;
                state.fields[0].reserve(machine, n)?;
                let owned = state.fields[0].view_mut(n);
                state.pipeline.sum_pairs(all, pairs, owned)?.seconds()?
            }
        };
        *seconds = *seconds + ran;
        seconds.time(Stage::Exchange, || engine.bring_back(state))?;
        let memory = state.pipeline.memory(Expansions::of(scheme));
        self.report.bytes = self.report.bytes.max(memory.peak + state.carried_bytes());
        Ok(())
    }

    fn are_uneven(&mut self, algorithm: Algorithm) -> Result<bool, Error> {
        let facts = [self.facts, self.light.facts];
        Ok(are_uneven(algorithm, facts, self.engine.tree.counts.n_sources))
    }

    fn check(&mut self, count: usize) -> Result<Estimate, Error> {
        let (seconds, estimate) = timed_check(|| self.estimate_at(count));
        self.seconds = self.seconds + seconds;
        estimate
    }
}

impl<M, T> Evaluation<'_, M, T>
where
    M: Launcher + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    State<M, T>: Send,
{
    /// Whether no charges are heavy.
    pub(super) fn heavy_is_empty(&self) -> bool {
        self.heavy.is_empty()
    }

    /// Brings the field of the last run to the host, unless it has results that are not finite. Gives the sums of the forces
    /// on the sources that the rank owns; none where the receivers are others.
    fn deliver(&mut self, k: usize, field: &mut Field<T>) -> Result<[f64; 4], Error> {
        let Self { engine, state, seconds, .. } = self;
        let (machine, outputs) = (&engine.machine, engine.request.outputs);
        seconds.time(Stage::Transfer, || {
            let State { pipeline, fields, ways, counts, .. } = &mut **state;
            let owned = pipeline.look_at_results(fields[0].view(pipeline.tree().n_receivers()))?;
            let (results, brought) = match ways {
                Some(ways) => {
                    let brought = fields[2].view(counts.receivers);
                    (pipeline.look_in_order(brought, ways.receivers().order())?, brought)
                }
                None => (owned, fields[0].view(counts.receivers)),
            };
            refuse_not_finite::<T>(k, &results, outputs)?;
            let (arrivals, _) = Arrivals::begin(machine, brought)?;
            arrivals.read(outputs, field)?;
            Ok(owned.forces)
        })
    }
}

impl<M, T> RankEngine<M, T>
where
    M: Launcher + Clone + Send + Sync + 'static,
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
