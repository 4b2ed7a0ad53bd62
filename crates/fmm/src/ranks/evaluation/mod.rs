//! Evaluation of one rank: charges in, fields out.
//!
//! | file | what |
//! |---|---|
//! | `charges.rs` | charges on their way to owners and ghosts; kind, unit and heavy charges of all ranks |
//! | `check.rs` | the error of an evaluation, estimated at receivers of all ranks |
//! | `results.rs` | results on their way back |

mod charges;
mod check;
mod results;

pub(crate) use charges::facts_of_all_ranks;

use std::borrow::Cow;
use std::ops::Range;

use super::Group;
use super::Stretch;
use super::account;
use super::layout::routes::RoutedPeers;
use super::walks::Walkers;
use crate::api::{Error, Field, Report, Seconds, Stage};
use crate::choose::{Algorithm, Attempts, Scheme};
use crate::cpu::{self, Buffers, Geometry, NearDevice, Passes, Peers, WalkPeers};
use crate::engine::{ChargeKind, Charges, Scalar, VectorFacts, Workspace};
use crate::verify::{Estimate, force_sums};
use charges::HeavyEverywhere;

/// An evaluation under way.
pub(super) struct Evaluation<'e, T> {
    pub(super) stretch: &'e Stretch<T>,
    pub(super) group: &'e Group,
    vectors: Vec<VectorFacts>,
    /// Own charges of each vector, in tree order and the vector's unit.
    pub(super) own: Vec<Vec<T>>,
    /// An earlier gradient at the receivers, in the order in which they came.
    earlier: Option<Vec<[T; 3]>>,
    /// Heavy charges of each vector, once the buffers have the others with those of the ghosts.
    heavy: Option<Vec<HeavyEverywhere>>,
    /// Facts about the charges of each vector that are not heavy, of all ranks, once they are known.
    others: Vec<VectorFacts>,
    pub(super) buffers: &'e mut Buffers<T>,
    pub(super) seconds: Seconds,
    plan: &'e Report,
    /// Report of the last run.
    pub(super) report: Report,
}

impl<T: Scalar> Stretch<T> {
    /// The fields of the rank's receivers, in the order in which it brought them. Collective.
    pub(super) fn evaluate(
        &self,
        group: &Group,
        plan: &Report,
        charges: &Charges<'_, T>,
        workspace: &mut Workspace,
    ) -> Result<Vec<Field<T>>, Error> {
        let mut seconds = Seconds::of_stage(Stage::Other, charges.seconds);
        let vectors =
            seconds.time(Stage::Exchange, || facts_of_all_ranks(group, &charges.facts))?;
        let own = seconds.time(Stage::Exchange, || {
            let pairs = charges.vectors.iter().zip(&vectors);
            let own =
                pairs.map(|(charges, vector)| self.own_charges(group, charges, vector.unit()));
            own.collect::<Result<Vec<_>, Error>>()
        })?;
        let earlier =
            seconds.time(Stage::Exchange, || self.own_gradient(group, charges.earlier))?;
        let kind = ChargeKind::of_all(&vectors);
        let buffers: &mut Buffers<T> = workspace.buffers();
        buffers.reserve_vectors(vectors.len());
        for (unit, vector) in buffers.charge_units.iter_mut().zip(&vectors) {
            *unit = vector.unit();
        }
        let mut evaluation = Evaluation {
            stretch: self,
            group,
            vectors,
            own,
            earlier,
            heavy: None,
            others: Vec::new(),
            buffers,
            seconds,
            plan,
            report: plan.clone(),
        };
        let error = self.chooser.evaluate(&self.layout.tree, kind, &mut evaluation)?;
        let mut fields = evaluation.fields()?;
        let Evaluation { report, seconds, buffers, .. } = evaluation;
        let near_bytes = self.near.as_deref().map_or(0, NearDevice::bytes);
        let bytes = report.bytes + self.layout.geometry.bytes() + near_bytes + buffers.bytes();
        let report = Report { estimated_error: error, n_vectors: fields.len(), ..report };
        let report = account::complete(group, report, seconds, bytes)?;
        for (field, charges) in fields.iter_mut().zip(charges.vectors) {
            let net_force = match self.layout.tree.counts.have_net_force(&self.request) {
                true => Some(account::net_force(group, force_sums(charges, &field.gradient))?),
                false => None,
            };
            field.report = Report { net_force, ..report.clone() };
        }
        Ok(fields)
    }
}

impl<T: Scalar> Attempts for Evaluation<'_, T> {
    fn run(&mut self, scheme: &Scheme) -> Result<(), Error> {
        let (stretch, n_vectors) = (self.stretch, self.vectors.len());
        let need = stretch.need(*scheme, n_vectors, self.buffers.bytes());
        stretch.sharers.check(self.group, &stretch.request, need)?;
        if scheme.algorithm != Algorithm::Direct {
            self.put_charges()?;
        }
        let of_charges = (n_vectors, self.may_hide_errors());
        let Self { group, heavy, earlier, buffers, seconds, .. } = self;
        let (layout, request) = (&stretch.layout, &stretch.request);
        let (geometry, expands) = (&layout.geometry, layout.tree.expands);
        let order = scheme.algorithm.order().unwrap_or(1).max(1);
        let tables = seconds.time(Stage::Other, || stretch.tables.get(order));
        let peers = layout.others.lists().map(|ways| RoutedPeers { group, routes: &ways.routes });
        let sharers = &stretch.sharers;
        let walkers =
            layout.others.walks().map(|part| Walkers { group, part, request, sharers, need });
        let passes = Passes {
            near: stretch.near.as_deref(),
            peers: peers.as_ref().map(|peers| peers as &dyn Peers<T>),
            walk_peers: walkers.as_ref().map(|walkers| walkers as &dyn WalkPeers<T>),
            ..Passes::new((geometry, tables), request, scheme, of_charges)
        };
        // Pairs of clumps count as their evaluations have them.
        let mut report = Report { clumps: 0, bytes: 0, ..self.plan.clone() };
        stretch.inner.iter().for_each(|inner| report.subtract_pairs(inner.report()));
        let is_direct = scheme.algorithm == Algorithm::Direct;
        if is_direct {
            // Charges without the heavy ones are in the buffers, if there are any.
            let light = heavy.as_ref().map(|_| geometry.own_sources());
            run_direct(&passes, group, (&self.own, light), buffers, seconds)?;
        } else {
            let earlier = earlier.as_deref();
            seconds.time(Stage::P2p, || stretch.sum_clumps(group, n_vectors, earlier, buffers))?;
            if let Some(counts) = passes.run(scheme.algorithm, earlier, buffers, seconds)? {
                account::walk_counts(group, counts, &mut report)?;
            }
        }
        for (sums, heavy) in buffers.sums.iter_mut().zip(heavy.iter().flatten()) {
            let HeavyEverywhere { coordinates, charges } = heavy;
            seconds.time(Stage::P2p, || passes.add_heavy(coordinates, charges, sums));
            report.p2p_pairs += (charges.len() * report.n_receivers) as u64;
        }
        if !is_direct {
            seconds.time(Stage::P2p, || stretch.add_clumps(buffers, &mut report));
        }
        scheme.report(expands, &mut report);
        report.bytes += tables.bytes();
        self.report = report;
        Ok(())
    }

    fn check(&mut self, count: usize) -> Result<Estimate, Error> {
        let mut seconds = Seconds::default();
        let estimate = seconds.time(Stage::Check, || {
            (0..self.vectors.len()).try_fold(Estimate::default(), |worst, k| {
                Ok::<_, Error>(worst.or_worse(self.estimate_of_vector(k, count)?))
            })
        });
        self.seconds = self.seconds + seconds;
        estimate
    }

    fn are_uneven(&mut self, _: Algorithm) -> Result<bool, Error> {
        let n = self.stretch.layout.tree.counts.n_sources;
        let are_uneven = |vectors: &[VectorFacts]| vectors.iter().any(|of| of.are_uneven(n));
        if !are_uneven(&self.vectors) {
            return Ok(false);
        }
        self.put_charges()?;
        Ok(are_uneven(&self.others))
    }

    fn may_hide_errors(&self) -> bool {
        let n = self.stretch.layout.tree.counts.n_sources;
        self.vectors.iter().any(|facts| facts.may_hide_errors(n))
    }

    fn n_vectors(&self) -> usize {
        self.vectors.len()
    }

    fn sum_exactly(&mut self, scheme: &Scheme) -> Result<bool, Error> {
        let Self { stretch, group, own, buffers, seconds, report, .. } = self;
        let geometry = &stretch.layout.geometry;
        let softening = stretch.request.softening;
        let [x, y, z] = seconds.time(Stage::Exchange, || all_sources(geometry, group))?;
        for (sums, own) in buffers.sums.iter_mut().zip(&*own) {
            let charges = seconds.time(Stage::Exchange, || group.gather(own))?;
            let widened = |range: Range<usize>| {
                let widened =
                    |array: &[T]| array[range.clone()].iter().map(|x| x.widen()).collect();
                [&x, &y, &z, &charges].map(|array| widened(array))
            };
            let sources = (charges.len(), &widened as _);
            seconds.time(Stage::P2p, || cpu::put_exact_sums(geometry, softening, sources, sums))?;
        }
        scheme.report(true, report);
        Ok(true)
    }
}

/// Coordinates of the sources of all ranks. Collective.
fn all_sources<T: Scalar>(geometry: &Geometry<T>, group: &Group) -> Result<[Vec<T>; 3], Error> {
    let [x, y, z] = geometry.sources().slices(geometry.own_sources());
    Ok([group.gather(x)?, group.gather(y)?, group.gather(z)?])
}

/// The direct sum over own charges, or those at these places in the buffers, for which every rank takes the sources of all. Collective.
fn run_direct<T: Scalar>(
    passes: &Passes<'_, T>,
    group: &Group,
    (own, light): (&[Vec<T>], Option<Range<usize>>),
    buffers: &mut Buffers<T>,
    seconds: &mut Seconds,
) -> Result<(), Error> {
    let geometry = passes.geometry;
    let Buffers { sums, charges, .. } = buffers;
    let sums = &mut sums[..own.len()];
    passes.reset(sums, seconds);
    let [x, y, z] = seconds.time(Stage::Exchange, || all_sources(geometry, group))?;
    for ((sums, own), charges) in sums.iter_mut().zip(own).zip(charges) {
        let own = light.clone().map_or(own.as_slice(), |light| &charges[light]);
        let charges = seconds.time(Stage::Exchange, || group.gather(own))?;
        seconds.time(Stage::P2p, || passes.add_everywhere([&x, &y, &z], &charges, sums));
    }
    Ok(())
}

impl<T: Scalar> Evaluation<'_, T> {
    /// Fills the buffers with the charges of own sources and ghosts, heavy ones apart where expansions are made; once for
    /// all attempts. Collective.
    fn put_charges(&mut self) -> Result<(), Error> {
        if self.heavy.is_some() {
            return Ok(());
        }
        let Self { stretch, group, vectors, own, others, buffers, seconds, .. } = self;
        let tree = &stretch.layout.tree;
        let (expands, n_sources) = (tree.expands, tree.counts.n_sources);
        let mut heavy = Vec::new();
        for (k, (vector, own)) in vectors.iter().zip(own).enumerate() {
            seconds.time(Stage::Exchange, || {
                let mut light = Cow::Borrowed(own.as_slice());
                if vector.have_heavy_for_cores(&stretch.request, expands, n_sources) {
                    heavy.push(stretch.take_heavy(group, &mut light)?);
                    others.extend(facts_of_all_ranks(group, &[VectorFacts::of(&light).0])?);
                } else {
                    heavy.push(HeavyEverywhere::default());
                    others.push(*vector);
                }
                stretch.with_ghosts(group, &light, &mut buffers.charges[k])
            })?;
        }
        self.heavy = Some(heavy);
        Ok(())
    }

    /// Kind of the charges of a vector.
    pub(super) fn kind(&self, k: usize) -> ChargeKind {
        self.vectors[k].kind()
    }
}
