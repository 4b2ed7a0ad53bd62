//! The front: the engine that a plan holds, whatever the device. Many coincident points are merged before the device's
//! engine sees them.
//!
//! Pairs of coincident points are left out of the sum, so a place with many sources acts as one source with the sum of
//! their charges, and a place with many receivers has one result. Sets without many coincident points go to the device's
//! engine as they are.
//!
//! | file | what |
//! |---|---|
//! | `crowding.rs` | how crowded points are, by a sample |
//! | `narrow/` | sums in f32 of positions in f64 |
//! | `places.rs` | distinct places of points; sums of charges, and results for all points of a place |

mod crowding;
mod narrow;
mod places;

use std::sync::Arc;

use octree::{InteractionLists, Octree};

use crate::api::{Device, Error, Field, Report, Request, SampledError, Seconds, Stage};
use crate::engine::{Charges, Engine, PointSets, Scalar, Workspace};
use crate::verify;
use crowding::outgrow_a_gpu;
pub(crate) use narrow::narrow_engine;
use places::{Merged, Sums};

/// The engine of a device, with its points merged or not.
#[derive(Clone, Debug)]
struct Front<T> {
    request: Request,
    /// The device of the engine: the cores where points outgrow a GPU.
    device: Device,
    engine: Arc<dyn Engine<T>>,
    merged: Option<Merged>,
    /// Report of the plan with all points.
    report: Report,
    /// Seconds of merging.
    seconds: Seconds,
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

/// The engine of a request, with its points.
pub(crate) fn engine<T: Scalar>(
    request: Request,
    points: &PointSets<'_, T>,
) -> Result<Arc<dyn Engine<T>>, Error> {
    let make = |device, points: &PointSets<'_, T>| device_engine(request, device, points);
    Ok(Arc::new(Front::new(request, points, make)?))
}

/// The engine of a device. The cores stand in for a GPU only where it is there and could have taken the request.
fn device_engine<T: Scalar>(
    request: Request,
    device: Device,
    points: &PointSets<'_, T>,
) -> Result<Arc<dyn Engine<T>>, Error> {
    if device != request.device {
        T::new_engine(request, &PointSets { sources: &[], receivers: None })?;
    }
    T::new_engine(Request { device, ..request }, points)
}

impl<T: Scalar> Front<T> {
    /// The front of an engine that `make` makes for a device and points.
    fn new(
        request: Request,
        points: &PointSets<'_, T>,
        make: impl FnOnce(Device, &PointSets<'_, T>) -> Result<Arc<dyn Engine<T>>, Error>,
    ) -> Result<Self, Error> {
        let mut seconds = Seconds::default();
        let outgrown = |points: &_| request.device.is_gpu() && outgrow_a_gpu(points);
        let (merged, all_outgrown) =
            seconds.time(Stage::Other, || rayon::join(|| Merged::new(points), || outgrown(points)));
        let picked = merged.as_ref().map(|merged| merged.pick(points));
        let points = match &picked {
            Some((sources, receivers)) => PointSets { sources, receivers: receivers.as_deref() },
            None => *points,
        };
        let outgrown = if picked.is_some() { outgrown(&points) } else { all_outgrown };
        let device = if outgrown { Device::Cpu } else { request.device };
        let engine = make(device, &points)?;
        let mut report = engine.report().clone();
        if let Some(merged) = &merged {
            merged.describe(&mut report);
            report.seconds = report.seconds + seconds;
        }
        Ok(Self { request, device, engine, merged, report, seconds })
    }

    /// Evaluates the charges of places, and spreads the results over all receivers.
    fn evaluate_merged(
        &self,
        merged: &Merged,
        charges: &Charges<'_, T>,
        fields: &mut [Field<T>],
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        let mut seconds = Seconds::default();
        let buffers: &mut Buffers<T> = workspace.buffers();
        let Buffers { sums, fields: parts, workspace } = buffers;
        sums.resize_with(charges.vectors.len(), Sums::default);
        parts.resize_with(charges.vectors.len(), Field::default);
        seconds.time(Stage::Other, || {
            let pairs = sums.iter_mut().zip(charges.vectors);
            pairs.for_each(|(sums, charges)| merged.sum(charges, sums));
        });
        let earlier = charges.earlier.map(|earlier| merged.receivers().pick(earlier));
        let vectors: Vec<&[T]> = sums.iter().map(|sums| sums.charges.as_slice()).collect();
        let of_places = Charges::new(&vectors, merged.n_sources(), earlier.as_deref())?;
        self.engine.evaluate(&of_places, parts, workspace)?;
        for ((field, part), sums) in fields.iter_mut().zip(&*parts).zip(sums) {
            seconds.time(Stage::Other, || merged.spread(part, sums.unit, field));
        }
        let bytes = buffers.bytes();
        let parts = &buffers.fields;
        for ((field, part), charges) in fields.iter_mut().zip(parts).zip(charges.vectors) {
            let report = &mut field.report;
            *report = part.report.clone();
            merged.describe(report);
            report.bytes += bytes;
            report.seconds = report.seconds + self.seconds + seconds;
            // Forces on opposite charges of one place add up in Σ |q ∇Φ|.
            report.net_force =
                report.net_force.map(|_| verify::net_force(charges, &field.gradient));
        }
        Ok(())
    }
}

impl<T: Scalar> Engine<T> for Front<T> {
    fn build(&mut self, points: &PointSets<'_, T>) -> Result<(), Error> {
        let Self { request, device: old, engine, .. } = self;
        let request = *request;
        *self = Self::new(request, points, |device, points| {
            if device != *old {
                return device_engine(request, device, points);
            }
            match Arc::get_mut(engine) {
                Some(engine) => engine.build(points)?,
                None => *engine = engine.rebuilt(points)?,
            }
            Ok(Arc::clone(engine))
        })?;
        Ok(())
    }

    fn rebuilt(&self, points: &PointSets<'_, T>) -> Result<Arc<dyn Engine<T>>, Error> {
        let front =
            Self::new(self.request, points, |device, points| match device == self.device {
                true => self.engine.rebuilt(points),
                false => device_engine(self.request, device, points),
            })?;
        Ok(Arc::new(front))
    }

    fn evaluate(
        &self,
        charges: &Charges<'_, T>,
        fields: &mut [Field<T>],
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
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
        let Some(merged) = &self.merged else {
            return self.engine.sample_error(charges, field, count);
        };
        let mut sums = Sums::default();
        merged.sum(charges, &mut sums);
        let Sums { charges, unit, .. } = sums;
        self.engine.sample_error(&charges, &merged.pick_field(field, unit), count)
    }

    fn report(&self) -> &Report {
        match &self.merged {
            None => self.engine.report(),
            Some(_) => &self.report,
        }
    }

    fn tree(&self) -> Option<(&Octree, &InteractionLists)> {
        match &self.merged {
            None => self.engine.tree(),
            Some(_) => None,
        }
    }
}
