//! Sums in f32 of positions in f64.
//!
//! Positions are taken relative to the centre of their box and in a unit of its size before they are narrowed, so that
//! neither offset nor scale costs digits. Close pairs far from the centre may still lose theirs. So each evaluation for a
//! relative tolerance is compared with direct sums over the positions that the caller gave, at a few receivers; where it
//! does not keep the tolerance, an engine in f64 takes its place.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use octree::{InteractionLists, Octree, PointSet};
use rayon::prelude::*;

use crate::api::{Error, Field, Output, Report, Request, SampledError, Seconds, Stage, Tolerance};
use crate::engine::{Charges, Engine, PointSets, ResultRange, Scalar, Unit, Workspace};
use crate::verify::{self, Alone, Checked, Direct, Picks, Wide, squares};

/// Receivers of a check: the error of an ordinary set is known to a quarter.
const RECEIVERS: usize = 64;

/// Receivers of the check where the first is close to the tolerance: the error is known to a tenth.
const CLOSER: usize = 512;

/// Factor between the error of the closer check and the tolerance.
const SAFETY: f64 = 1.1;

/// Errors within this factor of the tolerance are close.
const CLOSE: f64 = 2.0;

/// Points that one task narrows, at least: some 10 µs of work, ten times the start of a task.
const TASK: usize = 1 << 13;

/// Positions in a unit of their own, by which no digit is lost.
#[derive(Clone, Debug)]
struct Frame {
    unit: Unit,
    /// The middle of the positions, from which they are taken before they are narrowed.
    origin: [f64; 3],
    sources: Vec<[f64; 3]>,
    /// `None`: the receivers are the sources.
    receivers: Option<Vec<[f64; 3]>>,
}

/// The engine of positions in f64 whose sums are of f32.
#[derive(Clone, Debug)]
struct NarrowEngine {
    request: Request,
    frame: Frame,
    single: Arc<dyn Engine<f32>>,
    /// Made when a check fails for the first time.
    double: OnceLock<Arc<dyn Engine<f64>>>,
    report: Report,
}

/// The engine of a request in f32, with positions of f64.
pub(crate) fn narrow_engine(
    request: Request,
    points: &PointSets<'_, f64>,
) -> Result<Arc<dyn Engine<f32>>, Error> {
    Ok(Arc::new(NarrowEngine::new(request, points)?))
}

impl Frame {
    /// The frame of points, which are refused if they are not finite or too large.
    fn new(points: &PointSets<'_, f64>) -> Result<Self, Error> {
        let sets =
            [(PointSet::Sources, Some(points.sources)), (PointSet::Receivers, points.receivers)];
        let mut ends = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];
        for (set, positions) in sets {
            let positions = positions.unwrap_or_default();
            let bad = |position: &[f64; 3]| !position.iter().all(|x| x.is_finite());
            if let Some(index) = positions.par_iter().position_first(bad) {
                let position = positions[index];
                return Err(octree::Error::NotFinite { set, index, position }.into());
            }
            ends = bounds(positions, ends);
        }
        let [low, high] = ends;
        let magnitude = low.iter().chain(&high).fold(0.0, |m: f64, c| m.max(c.abs()));
        let empty = low[0] > high[0];
        if !empty && magnitude > f64::MAX / 4.0 {
            return Err(octree::Error::TooLarge { magnitude }.into());
        }
        let side = (0..3).fold(0.0, |side: f64, d| side.max(high[d] - low[d]));
        let unit = Unit::of(if empty || side == 0.0 { 1.0 } else { side });
        let middle =
            if empty { [0.0; 3] } else { [0, 1, 2].map(|d| low[d] + 0.5 * (high[d] - low[d])) };
        let scaled = |positions: &[[f64; 3]]| {
            let point = |x: &[f64; 3]| x.map(|c| unit.shrink(c));
            positions.par_iter().with_min_len(TASK).map(point).collect()
        };
        let (sources, receivers) = (scaled(points.sources), points.receivers.map(scaled));
        Ok(Self { unit, origin: middle.map(|c| unit.shrink(c)), sources, receivers })
    }

    fn receivers(&self) -> &[[f64; 3]] {
        self.receivers.as_deref().unwrap_or(&self.sources)
    }

    /// Coordinates of some receivers by axis.
    fn at(&self, places: &[usize]) -> [Vec<f64>; 3] {
        let receivers = self.receivers();
        [0, 1, 2].map(|axis| places.iter().map(|place| receivers[*place][axis]).collect())
    }

    /// Copies ranges of the sources, with their charges.
    fn wide<'a>(&'a self, charges: &'a [f32]) -> impl Fn(Range<usize>) -> Wide + Sync + 'a {
        move |range| {
            let points = &self.sources[range.clone()];
            let [x, y, z] = [0, 1, 2].map(|axis| points.iter().map(|point| point[axis]).collect());
            [x, y, z, charges[range].iter().map(|q| f64::from(*q)).collect()]
        }
    }
}

/// Lower and upper ends of positions and of the box before.
fn bounds(positions: &[[f64; 3]], ends: [[f64; 3]; 2]) -> [[f64; 3]; 2] {
    let join = |[a, b]: [[f64; 3]; 2], [c, d]: [[f64; 3]; 2]| {
        [[0, 1, 2].map(|k| f64::min(a[k], c[k])), [0, 1, 2].map(|k| f64::max(b[k], d[k]))]
    };
    let both = positions.par_iter().with_min_len(TASK).map(|point| [*point; 2]);
    both.reduce_with(join).map_or(ends, |found| join(ends, found))
}

impl NarrowEngine {
    fn new(request: Request, points: &PointSets<'_, f64>) -> Result<Self, Error> {
        let mut seconds = Seconds::default();
        let frame = seconds.time(Stage::Other, || Frame::new(points))?;
        let request = Request { softening: frame.unit.shrink(request.softening), ..request };
        let narrowed = |positions: &[[f64; 3]]| -> Vec<[f32; 3]> {
            let point = |x: &[f64; 3]| [0, 1, 2].map(|d| (x[d] - frame.origin[d]) as f32);
            positions.par_iter().with_min_len(TASK).map(point).collect()
        };
        let sources = narrowed(&frame.sources);
        let receivers = frame.receivers.as_deref().map(narrowed);
        let points = PointSets { sources: &sources, receivers: receivers.as_deref() };
        let single = super::engine(request, &points)?;
        let mut report = single.report().clone();
        report.seconds = report.seconds + seconds;
        Ok(Self { request, frame, single, double: OnceLock::new(), report })
    }

    /// The engine in f64, which may be made by several threads at once and is kept once.
    fn double(&self) -> Result<&Arc<dyn Engine<f64>>, Error> {
        if let Some(double) = self.double.get() {
            return Ok(double);
        }
        let Frame { sources, receivers, .. } = &self.frame;
        let points = PointSets { sources, receivers: receivers.as_deref() };
        let double = super::engine(self.request, &points)?;
        Ok(self.double.get_or_init(|| double))
    }

    /// Fields in the caller's unit that keep the tolerance, if either engine does.
    fn fields(
        &self,
        charges: &Charges<'_, f32>,
        workspace: &mut Workspace,
    ) -> Result<Vec<Field<f32>>, Error> {
        let mut fields: Vec<Field<f32>> =
            charges.vectors.iter().map(|_| Field::default()).collect();
        self.single.evaluate(charges, &mut fields, workspace)?;
        if let Tolerance::L2(tolerance) = self.request.tolerance {
            let mut seconds = Seconds::default();
            let error =
                seconds.time(Stage::Check, || self.error_of(charges, &fields, tolerance))?;
            let keeps = error <= tolerance;
            if !keeps {
                return self.fields_of_double(charges, workspace);
            }
            for Field { report, .. } in &mut fields {
                let inner = report.estimated_error.unwrap_or(0.0);
                report.estimated_error = Some(verify::worse(error, inner));
                report.seconds = report.seconds + seconds;
            }
        }
        let numbered = fields.into_iter().enumerate();
        numbered.map(|(vector, field)| self.in_callers_unit(vector, field)).collect()
    }

    fn fields_of_double(
        &self,
        charges: &Charges<'_, f32>,
        workspace: &mut Workspace,
    ) -> Result<Vec<Field<f32>>, Error> {
        let double = self.double()?;
        let widen = |vector: &&[f32]| vector.iter().map(|q| f64::from(*q)).collect();
        let vectors: Vec<Vec<f64>> = charges.vectors.iter().map(widen).collect();
        let vectors: Vec<&[f64]> = vectors.iter().map(Vec::as_slice).collect();
        let widen = |gradient: &[[f32; 3]]| -> Vec<[f64; 3]> {
            gradient.iter().map(|g| g.map(f64::from)).collect()
        };
        let earlier = charges.earlier.map(widen);
        let charges = Charges::new(&vectors, self.frame.sources.len(), earlier.as_deref())?;
        let mut fields: Vec<Field<f64>> = vectors.iter().map(|_| Field::default()).collect();
        double.evaluate(&charges, &mut fields, workspace)?;
        let numbered = fields.into_iter().enumerate();
        numbered.map(|(vector, field)| self.in_callers_unit(vector, field)).collect()
    }

    /// The error of the worst vector and output against the positions that the caller gave.
    fn error_of(
        &self,
        charges: &Charges<'_, f32>,
        fields: &[Field<f32>],
        tolerance: f64,
    ) -> Result<f64, Error> {
        let worst = |count: usize| {
            charges.vectors.iter().zip(fields).try_fold(0.0, |worst, (charges, field)| {
                let error = self.error_of_vector(charges, field, tolerance, count)?;
                Ok(verify::worse(worst, error))
            })
        };
        let (error, closely) = verify::error_closely([RECEIVERS, CLOSER], tolerance, CLOSE, worst)?;
        Ok(if closely { SAFETY * error } else { error })
    }

    fn error_of_vector(
        &self,
        charges: &[f32],
        field: &Field<f32>,
        tolerance: f64,
        count: usize,
    ) -> Result<f64, Error> {
        let outputs = self.request.outputs;
        let value = |place: usize| verify::value_at(field, place);
        let weights = |place: usize| {
            let [potential, gradient] = squares(value(place), outputs);
            [potential, gradient, 0.0]
        };
        let picks = Picks::new(self.frame.receivers().len(), count, weights);
        let values: Vec<[f64; 4]> = picks.places.iter().map(|place| value(*place)).collect();
        let at = self.frame.at(&picks.places);
        let (sources, softening) = (self.frame.wide(charges), self.request.softening);
        let direct = Direct {
            n_sources: charges.len(),
            sources: &sources,
            at: &at,
            softening,
            totals: &Alone,
        };
        Checked { picks: &picks, direct, values: &values, outputs, tolerance, mixed: true }.error()
    }

    /// A field in f32 and the caller's unit. Results beyond the range of f32 are refused.
    fn in_callers_unit<T: Scalar>(
        &self,
        vector: usize,
        field: Field<T>,
    ) -> Result<Field<f32>, Error> {
        let unit = self.frame.unit;
        for (output, power) in [(Output::Potential, 1), (Output::Gradient, 2)] {
            let (values, components): (&[T], usize) = match output {
                Output::Potential => (&field.potential, 1),
                Output::Gradient => (field.gradient.as_flattened(), 3),
            };
            let range = ResultRange { vector, output, factor: unit.magnitude(1.0, power) };
            range.check::<f32, T>(values, |place| place / components)?;
        }
        let scaled = |x: T, factor: f64| (x.widen() * factor) as f32;
        let (of_potential, of_gradient) = (unit.potential(1.0), unit.gradient(1.0));
        let Field { potential, gradient, report } = field;
        let potential = potential.par_iter().with_min_len(TASK);
        let gradient = gradient.par_iter().with_min_len(TASK);
        Ok(Field {
            potential: potential.map(|x| scaled(*x, of_potential)).collect(),
            gradient: gradient.map(|g| g.map(|x| scaled(x, of_gradient))).collect(),
            report,
        })
    }
}

impl Engine<f32> for NarrowEngine {
    fn build(&mut self, points: &PointSets<'_, f32>) -> Result<(), Error> {
        *self = self.with_points(points)?;
        Ok(())
    }

    fn rebuilt(&self, points: &PointSets<'_, f32>) -> Result<Arc<dyn Engine<f32>>, Error> {
        Ok(Arc::new(self.with_points(points)?))
    }

    fn evaluate(
        &self,
        charges: &Charges<'_, f32>,
        fields: &mut [Field<f32>],
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        // An earlier gradient is in the caller's unit.
        let to_frame = self.frame.unit.gradient(1.0).recip();
        let earlier: Option<Vec<[f32; 3]>> = charges.earlier.map(|earlier| {
            earlier.iter().map(|g| g.map(|x| (f64::from(x) * to_frame) as f32)).collect()
        });
        let charges = Charges { earlier: earlier.as_deref(), ..charges.clone() };
        for (field, found) in fields.iter_mut().zip(self.fields(&charges, workspace)?) {
            *field = found;
        }
        Ok(())
    }

    fn sample_error(
        &self,
        charges: &[f32],
        field: &Field<f32>,
        count: usize,
    ) -> Result<SampledError, Error> {
        let places = verify::sample(self.frame.receivers().len(), count);
        let at = self.frame.at(&places);
        let (sources, softening) = (self.frame.wide(charges), self.request.softening);
        let direct = Direct {
            n_sources: charges.len(),
            sources: &sources,
            at: &at,
            softening,
            totals: &Alone,
        };
        let checked = places.iter().zip(direct.sums()?).map(|(place, sums)| {
            (verify::value_at(field, *place), verify::in_units(sums, self.frame.unit, 1.0))
        });
        Ok(verify::compare(checked, self.request.outputs))
    }

    fn report(&self) -> &Report {
        &self.report
    }

    fn tree(&self) -> Option<(&Octree, &InteractionLists)> {
        // Boxes are in the frame's unit.
        None
    }
}

impl NarrowEngine {
    fn with_points(&self, points: &PointSets<'_, f32>) -> Result<Self, Error> {
        let widened = |positions: &[[f32; 3]]| -> Vec<[f64; 3]> {
            positions.par_iter().with_min_len(TASK).map(|x| x.map(f64::from)).collect()
        };
        let (sources, receivers) = (widened(points.sources), points.receivers.map(widened));
        let softening = self.request.softening / self.frame.unit.shrink(1.0);
        let points = PointSets { sources: &sources, receivers: receivers.as_deref() };
        Self::new(Request { softening, ..self.request }, &points)
    }
}
