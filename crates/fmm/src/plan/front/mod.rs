//! The front: the engine that a plan holds, whatever the device. Many coincident points are merged before the device's
//! engine sees them.
//!
//! Pairs of coincident points are left out of the sum, so a place with many sources acts as one source with the sum of
//! their charges, and a place with many receivers has one result. Sets without many coincident points go to the device's
//! engine as they are. Points of f32 go to an engine for positions in f64 where they are merged or beyond f32; points beyond f64
//! are refused.
//!
//! | file | what |
//! |---|---|
//! | `crowding.rs` | how crowded points are, by a sample |
//! | `prepared.rs` | points on their way to a device's engine |
//! | `beyond/` | points that sums in their floats do not serve: close pairs, long softening |
//! | `hash.rs`, `repeats.rs` | hashes of places, and which of them may come more than once |
//! | `kind.rs`, `making.rs` | the kinds of engines, and which one points need |
//! | `narrow/` | sums in f32 of positions in f64 |
//! | `widened.rs` | positions of f32 in f64 |
//! | `shuffle.rs` | the points of one place come to one rank |
//! | `across.rs` | places of several ranks |
//! | `places.rs` | distinct places of points; sums of charges, and results for all points of a place |

mod across;
mod beyond;
mod crowding;
mod hash;
mod kind;
mod making;
mod narrow;
mod places;
mod prepared;
mod repeats;
mod shuffle;
mod widened;

use std::sync::Arc;

use distributed::Communicator;
use octree::{InteractionLists, Octree};

use crate::api::{Error, Field, Precision, Report, Request, SampledError, Seconds, Stage};
use crate::engine::{Call, Charges, Engine, PointSets, Scalar, Workspace, build};
use crate::ranks::{Group, account, agree_on, device_among};
use crate::verify;
use kind::{Kind, engine_of_kind};
use making::Making;
pub(crate) use narrow::narrow_engine;
use places::{Merged, Sums};
pub(super) use widened::Widened;

/// The engine of a device, with its points merged or not.
#[derive(Clone, Debug)]
struct Front<T> {
    request: Request,
    /// All ranks of a plan over several.
    ranks: Option<Group>,
    /// Whether points may need an engine for positions in f64.
    may_widen: bool,
    kind: Kind,
    engine: Arc<dyn Engine<T>>,
    merged: Option<Merged>,
    /// Report of the plan with all points.
    report: Report,
    /// Seconds of merging.
    seconds: Seconds,
    /// Whether the engine has points that were refused.
    is_lost: bool,
}

/// Memory of evaluations of merged points.
#[derive(Debug)]
struct Buffers<T> {
    sums: Vec<Sums<T>>,
    /// Fields at places.
    fields: Vec<Field<T>>,
    /// Memory of the device's engine.
    workspace: Workspace,
}

impl<T> Default for Buffers<T> {
    fn default() -> Self {
        Self { sums: Vec::new(), fields: Vec::new(), workspace: Workspace::new() }
    }
}

impl<T> Buffers<T> {
    /// Memory of charges and fields in bytes; the report of a field has that of the engine.
    fn bytes(&self) -> usize {
        let field = |field: &Field<T>| field.potential.len() + 3 * field.gradient.len();
        let fields: usize = self.fields.iter().map(field).sum();
        fields * size_of::<T>() + self.sums.iter().map(Sums::bytes).sum::<usize>()
    }
}

/// The engine of a request, with its points: those of one rank of several, or all. Collective.
fn engine<T: Scalar>(
    request: Request,
    ranks: Option<&Group>,
    points: &PointSets<'_, T>,
    may_widen: bool,
) -> Result<Arc<dyn Engine<T>>, Error> {
    let device = ranks.map_or(Ok(request.device), |group| device_among(group, request.device))?;
    let request = Request { device, ..request };
    let make = |kind, points: &PointSets<'_, T>| engine_of_kind(request, ranks, kind, points);
    let making = Making { request: &request, ranks, may_widen, before: None };
    Ok(Arc::new(Front::new(making, points, make)?))
}

/// The engine of a request from the communicator of its ranks; `None` for one process. Collective.
pub(crate) fn whole_engine<T: Scalar>(
    request: Request,
    ranks: Option<&Arc<dyn Communicator>>,
    points: &PointSets<'_, T>,
) -> Result<Arc<dyn Engine<T>>, Error> {
    let ranks = group_for(&request, ranks, &T::PRECISION.to_string())?;
    engine(request, ranks.as_ref(), points, T::PRECISION == Precision::F32)
}

/// The ranks of a plan, which all ask for the same; `None` for one process. Collective.
fn group_for(
    request: &Request,
    ranks: Option<&Arc<dyn Communicator>>,
    precision: &str,
) -> Result<Option<Group>, Error> {
    let group = ranks.map(|ranks| Group::new(Arc::clone(ranks)));
    if let Some(group) = &group {
        agree_on(group, request, precision)?;
    }
    Ok(group)
}

/// Runs a step that all ranks take. If it fails on one of them, all end with its error.
fn together<R>(ranks: Option<&Group>, step: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
    match ranks {
        Some(group) => group.phase(step),
        None => step(),
    }
}

impl<T: Scalar> Front<T> {
    /// The front of an engine that `make` makes for a kind and points. Collective.
    fn new(
        making: Making<'_>,
        points: &PointSets<'_, T>,
        mut make: impl FnMut(Kind, &PointSets<'_, T>) -> Result<Arc<dyn Engine<T>>, Error>,
    ) -> Result<Self, Error> {
        let mut seconds = Seconds::default();
        let (prepared, kind) = seconds.time(Stage::Other, || making.prepare(points))?;
        let made = making.make(kind, (&prepared, points), &mut make)?;
        let (kind, engine) = making.stand_in(made, &prepared.points(points), &mut make)?;
        let merged = prepared.merged.map(|(merged, _)| merged);
        let mut report = engine.report().clone();
        if let Some(merged) = &merged {
            merged.describe(&mut report);
            report.seconds = report.seconds + seconds;
        }
        let Making { request, ranks, may_widen, .. } = making;
        let (request, ranks, is_lost) = (*request, ranks.cloned(), false);
        Ok(Self { request, ranks, may_widen, kind, engine, merged, report, seconds, is_lost })
    }

    /// Refuses a call where the engine has points that were refused.
    fn check_points(&self) -> Result<(), Error> {
        if self.is_lost { Err(Error::PointsLost) } else { Ok(()) }
    }

    /// The force on all sources of all ranks over the sum of its magnitudes. Collective.
    fn net_force(&self, charges: &[T], field: &Field<T>) -> Result<f64, Error> {
        match &self.ranks {
            Some(group) => account::net_force(group, verify::force_sums(charges, &field.gradient)),
            None => Ok(verify::net_force(charges, &field.gradient)),
        }
    }

    /// Evaluates the charges of places, and spreads the results over all receivers.
    fn evaluate_merged(
        &self,
        merged: &Merged,
        charges: &Charges<'_, T>,
        fields: &mut [Field<T>],
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        let ranks = self.ranks.as_ref();
        let mut seconds = Seconds::default();
        let buffers: &mut Buffers<T> = workspace.buffers();
        let Buffers { sums, fields: parts, workspace } = buffers;
        sums.resize_with(charges.vectors.len(), Sums::default);
        parts.resize_with(charges.vectors.len(), Field::default);
        seconds.time(Stage::Other, || {
            together(ranks, || {
                let mut pairs = sums.iter_mut().zip(charges.vectors);
                pairs.try_for_each(|(sums, charges)| merged.sum(charges, sums))
            })
        })?;
        let earlier = charges.earlier.map(|earlier| merged.receivers().pick(earlier));
        let vectors: Vec<&[T]> = sums.iter().map(|sums| sums.charges.as_slice()).collect();
        let of_places = Charges::new(&vectors, merged.n_sources(), earlier.as_deref())?;
        let done = match self.kind {
            Kind::Of(_) => self.engine.evaluate(&of_places, parts, workspace),
            Kind::Widened => {
                let given: Vec<&[f64]> = sums.iter().map(|sums| sums.given.as_slice()).collect();
                self.engine.evaluate_rounded(&of_places, &given, parts, workspace)
            }
        };
        done.map_err(|error| merged.of_point(error))?;
        let forces = seconds.time(Stage::Other, || {
            // Results in units of 1 are in range; units are the same on all ranks, which spread results if none refuses.
            if sums.iter().any(|sums| sums.unit != 1.0) {
                together(ranks, || {
                    let mut results = parts.iter().zip(&*sums).enumerate();
                    results.try_for_each(|(k, (part, sums))| merged.check_range(k, part, sums.unit))
                })?;
            }
            together(ranks, || {
                for ((field, part), sums) in fields.iter_mut().zip(&*parts).zip(&*sums) {
                    merged.spread(part, sums.unit, self.request.outputs, field)?;
                }
                // Forces on opposite charges of one place add up in Σ |q ∇Φ|.
                let pairs = charges.vectors.iter().zip(&*fields).zip(&*parts);
                let force = |((charges, field), part): ((&&[T], &Field<T>), &Field<T>)| {
                    part.report.net_force.map(|_| self.net_force(charges, field)).transpose()
                };
                pairs.map(force).collect::<Result<Vec<_>, Error>>()
            })
        })?;
        let bytes = buffers.bytes();
        for ((field, part), net_force) in fields.iter_mut().zip(&buffers.fields).zip(forces) {
            let report = &mut field.report;
            *report = Report { net_force, ..part.report.clone() };
            merged.describe(report);
            report.bytes += bytes;
            report.seconds = report.seconds + self.seconds + seconds;
        }
        Ok(())
    }
}

impl<T: Scalar> Engine<T> for Front<T> {
    fn build(&mut self, points: &PointSets<'_, T>) -> Result<(), Error> {
        let Self { request, ranks, may_widen, kind: old, engine, .. } = self;
        let ranks = ranks.clone();
        let (request, ranks) = (&*request, ranks.as_ref());
        let making = Making { request, ranks, may_widen: *may_widen, before: Some(*old) };
        let mut takes_points = false;
        let moved = Self::new(making, points, |kind, points| {
            if kind != *old {
                return engine_of_kind(*request, ranks, kind, points);
            }
            build(engine, points)?;
            takes_points = true;
            Ok(Arc::clone(engine))
        });
        match moved {
            Ok(moved) => *self = moved,
            Err(error) => {
                self.is_lost |= takes_points;
                return Err(error);
            }
        }
        Ok(())
    }

    fn rebuilt(&self, points: &PointSets<'_, T>) -> Result<Arc<dyn Engine<T>>, Error> {
        let Self { request, ranks, may_widen, kind: old, engine, .. } = self;
        let ranks = ranks.as_ref();
        let making = Making { request, ranks, may_widen: *may_widen, before: Some(*old) };
        let front = Self::new(making, points, |kind, points| match kind == *old {
            true => engine.rebuilt(points),
            false => engine_of_kind(*request, ranks, kind, points),
        })?;
        Ok(Arc::new(front))
    }

    fn evaluate(
        &self,
        charges: &Charges<'_, T>,
        fields: &mut [Field<T>],
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        self.check_points()?;
        match &self.merged {
            None => self.engine.evaluate(charges, fields, workspace),
            Some(merged) => self.evaluate_merged(merged, charges, fields, workspace),
        }
    }

    fn sample_error(
        &self,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> Result<SampledError, Error> {
        self.check_points()?;
        let Some(merged) = &self.merged else {
            return self.engine.sample_error(charges, field, count);
        };
        let mut sums = Sums::default();
        together(self.ranks.as_ref(), || merged.sum(charges, &mut sums))?;
        let Sums { charges, given, unit, .. } = sums;
        let field = merged.pick_field(field, unit);
        match self.kind {
            Kind::Of(_) => self.engine.sample_error(&charges, &field, count),
            Kind::Widened => self.engine.sample_error_given(&given, &field, count),
        }
    }

    fn looks_at_charges(&self) -> bool {
        self.merged.is_none() && self.engine.looks_at_charges()
    }

    fn consent(&self, refusal: Option<Error>, call: Call) -> Result<(), Error> {
        self.engine.consent(refusal, call)
    }

    fn report(&self) -> &Report {
        match &self.merged {
            None => self.engine.report(),
            Some(_) => &self.report,
        }
    }

    fn tree(&self) -> Option<(&Octree, &InteractionLists)> {
        match &self.merged {
            None if !self.is_lost => self.engine.tree(),
            _ => None,
        }
    }
}
