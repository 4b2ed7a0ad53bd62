//! Sums in f32 of positions in f64.
//!
//! Positions are taken relative to the centre of their box and in a unit of its size before they are narrowed, so that
//! neither offset nor scale costs digits. Close pairs far from the centre may still lose theirs. So each evaluation for a
//! relative tolerance is compared with direct sums over the positions and charges that the caller gave, at a few receivers; where it
//! does not keep the tolerance, an engine in f64 takes its place.
//!
//! | file | what |
//! |---|---|
//! | `frame.rs` | positions in a unit and about an origin of their own |
//! | `check.rs` | the error against the positions as they are |
//! | `heavy.rs` | charges that outweigh all others: what f32 leaves of their pulls |
//! | `pairs/` | pairs so close that narrowing changes them, or leaves them out |

mod check;
mod frame;
mod heavy;
mod pairs;

use std::sync::{Arc, OnceLock};

use distributed::Communicator;
use octree::{InteractionLists, Octree};

use super::beyond::{check_f64, softens_beyond_f32};
use super::shuffle::of_all;
use super::together;
use super::widened::Widened;
use crate::api::{
    Device, Error, Field, Report, Request, SampledError, Seconds, Stage, Tolerance, worse,
};
use crate::cpu::Need;
use crate::engine::{
    Call, Charges, Engine, Instantiated, PointSets, ResultRange, Scalar, Workspace, build,
};
use crate::ranks::{Group, Receivers};
use crate::verify::ROUNDED_SAFETY;
use frame::Frame;
use pairs::NarrowedPairs;

/// Bytes of a point beside those of an engine in f32, at most: positions of f64 and of f32, hashes and their tables, close pairs,
/// charges and results on their way.
const POINT_BYTES: usize = 128;

/// Points that one task narrows.
const TASK: usize = parallel::min_length(1.3);

/// Refuses points for which the system has too little memory, before any is taken.
fn check_memory(request: &Request, points: &PointSets<'_, f64>) -> Result<(), Error> {
    let counts = points.counts();
    let of_engine = match request.device {
        Device::Cpu => f32::estimate(*request, counts)?.total(),
        // Their engines ask for themselves.
        _ => 0,
    };
    let needed = of_engine.saturating_add(POINT_BYTES * counts.n_points());
    Need { needed, held: 0 }.check(request)
}

fn widened(charges: &[f32]) -> Vec<f64> {
    parallel::collect(charges.len(), TASK, |i| f64::from(charges[i]))
}

/// The engine of positions in f64 whose sums are of f32.
#[derive(Clone, Debug)]
struct NarrowEngine {
    request: Request,
    frame: Frame,
    /// All ranks of a plan over several.
    ranks: Option<Group>,
    receivers: Receivers,
    /// Sources of all ranks.
    n_sources: usize,
    pairs: NarrowedPairs,
    /// Whether sums in f32 leave pairs out.
    leaves_pairs_out: bool,
    single: Arc<dyn Engine<f32>>,
    /// Made when a check fails for the first time.
    double: OnceLock<Arc<dyn Engine<f64>>>,
    /// Engine in f64 of earlier points, whose memory the next one takes.
    double_before: Option<Arc<dyn Engine<f64>>>,
    report: Report,
}

/// The engine of a request in f32, with positions of f64: those of one rank of several, or all. Collective.
pub(crate) fn narrow_engine(
    request: Request,
    ranks: Option<&Arc<dyn Communicator>>,
    points: &PointSets<'_, f64>,
) -> Result<Arc<dyn Engine<f32>>, Error> {
    let ranks = super::group_for(&request, ranks, "f32 of positions in f64")?;
    let make = |request, points: &PointSets<'_, f32>| {
        super::engine(request, ranks.as_ref(), points, false)
    };
    Ok(Arc::new(NarrowEngine::new(request, ranks.clone(), points, make)?))
}

impl NarrowEngine {
    /// The engine around one in f32 that `make` makes for a request in the unit of the points' frame. Collective.
    fn new(
        request: Request,
        ranks: Option<Group>,
        points: &PointSets<'_, f64>,
        make: impl FnOnce(Request, &PointSets<'_, f32>) -> Result<Arc<dyn Engine<f32>>, Error>,
    ) -> Result<Self, Error> {
        let mut seconds = Seconds::default();
        let (frame, receivers_of_all, n_sources) = seconds.time(Stage::Other, || {
            let (ranks, n) = (ranks.as_ref(), points.n_receivers());
            together(ranks, || {
                check_memory(&request, points)?;
                check_f64(ranks, points, request.softening)?;
                let alone = || Ok(Receivers { n, here: 0..n });
                let receivers = ranks.map_or_else(alone, |group| Receivers::new(group, n))?;
                let sources = of_all(ranks, vec![points.sources.len() as u64])?;
                let n_sources = sources.into_iter().sum::<u64>() as usize;
                Ok((Frame::new(ranks, points)?, receivers, n_sources))
            })
        })?;
        let of_caller = request;
        let request = Request { softening: frame.unit.shrink(request.softening), ..request };
        let (sources, receivers) = frame.narrowed();
        let (pairs, leaves_pairs_out) = seconds.time(Stage::Other, || {
            let ranks = ranks.as_ref();
            together(ranks, || {
                let pairs = NarrowedPairs::new(ranks, &frame, &sources, receivers.as_deref())?;
                let leaves_pairs_out = pairs.are_left_out(ranks)?;
                Ok((pairs, leaves_pairs_out))
            })
        })?;
        let points = PointSets { sources: &sources, receivers: receivers.as_deref() };
        let single = make(request, &points)?;
        let mut report = single.report().clone();
        report.seconds = report.seconds + seconds;
        report.softening = of_caller.softening;
        Ok(Self {
            request,
            frame,
            ranks,
            receivers: receivers_of_all,
            n_sources,
            pairs,
            leaves_pairs_out,
            single,
            double: OnceLock::new(),
            double_before: None,
            report,
        })
    }

    /// The engine in f64, which may be made by several threads at once and is kept once.
    fn double(&self) -> Result<&Arc<dyn Engine<f64>>, Error> {
        if let Some(double) = self.double.get() {
            return Ok(double);
        }
        let Frame { sources, receivers, .. } = &self.frame;
        let points = PointSets { sources, receivers: receivers.as_deref() };
        let double = match &self.double_before {
            Some(before) => before.rebuilt(&points)?,
            None => super::engine(self.request, self.ranks.as_ref(), &points, false)?,
        };
        Ok(self.double.get_or_init(|| double))
    }

    /// Fields in the caller's unit that keep the tolerance, if either engine does. `given` are the charges before they were
    /// rounded.
    fn fields(
        &self,
        charges: &Charges<'_, f32>,
        given: &[&[f64]],
        workspace: &mut Workspace,
    ) -> Result<Vec<Field<f32>>, Error> {
        let is_beyond = match self.request.tolerance {
            // Rounded positions and charges have no proven bound.
            Tolerance::Guaranteed(_) => true,
            // No check tells what pairs that are left out cost.
            Tolerance::Order(_) => self.leaves_pairs_out,
            Tolerance::L2(_) => false,
        };
        let is_beyond = is_beyond || softens_beyond_f32(self.request.softening);
        let looks = match self.request.tolerance {
            Tolerance::L2(_) if !is_beyond => together(self.ranks.as_ref(), || {
                given.iter().map(|charges| self.look(charges)).collect::<Result<Vec<_>, _>>()
            })?,
            _ => Vec::new(),
        };
        if is_beyond || looks.iter().any(|look| look.others_are_uneven) {
            return self.fields_of_double(given, charges.earlier, workspace);
        }
        let mut fields: Vec<Field<f32>> =
            charges.vectors.iter().map(|_| Field::default()).collect();
        self.single.evaluate(charges, &mut fields, workspace)?;
        if let Tolerance::L2(tolerance) = self.request.tolerance {
            let mut seconds = Seconds::default();
            let error = seconds.time(Stage::Check, || {
                together(self.ranks.as_ref(), || self.error_of((given, &looks), &fields, tolerance))
            })?;
            let keeps = error * ROUNDED_SAFETY <= tolerance;
            if !keeps {
                let first = fields.into_iter().map(|field| field.report.seconds + seconds);
                let mut fields = self.fields_of_double(given, charges.earlier, workspace)?;
                for (Field { report, .. }, first) in fields.iter_mut().zip(first) {
                    report.seconds = report.seconds + first;
                }
                return Ok(fields);
            }
            for Field { report, .. } in &mut fields {
                let inner = report.estimated_error.unwrap_or(0.0);
                report.estimated_error = Some(worse(error, inner));
                report.seconds = report.seconds + seconds;
            }
        }
        self.in_callers_units(fields)
    }

    fn fields_of_double(
        &self,
        given: &[&[f64]],
        earlier: Option<&[[f32; 3]]>,
        workspace: &mut Workspace,
    ) -> Result<Vec<Field<f32>>, Error> {
        let double = self.double()?;
        let widen = |gradient: &[[f32; 3]]| -> Vec<[f64; 3]> {
            gradient.iter().map(|g| g.map(f64::from)).collect()
        };
        let earlier = earlier.map(widen);
        let charges = Charges::new(given, self.frame.sources.len(), earlier.as_deref())?;
        let mut fields: Vec<Field<f64>> = given.iter().map(|_| Field::default()).collect();
        double.evaluate(&charges, &mut fields, workspace)?;
        self.in_callers_units(fields)
    }

    /// Fields in f32 and the caller's unit, if that of each rank has room for them.
    fn in_callers_units<T: Scalar>(&self, fields: Vec<Field<T>>) -> Result<Vec<Field<f32>>, Error> {
        let numbered = fields.into_iter().enumerate();
        together(self.ranks.as_ref(), || {
            numbered.map(|(vector, field)| self.in_callers_unit(vector, field)).collect()
        })
    }

    /// A field in f32 and the caller's unit. Results beyond the range of f32 are refused.
    fn in_callers_unit<T: Scalar>(
        &self,
        vector: usize,
        field: Field<T>,
    ) -> Result<Field<f32>, Error> {
        let unit = self.frame.unit;
        let factors = [1, 2].map(|power| unit.magnitude(1.0, power));
        ResultRange::check_field::<f32, T>(vector, &field, factors, |place| place)?;
        let scaled = |x: T, factor: f64| (x.widen() * factor) as f32;
        let (of_potential, of_gradient) = (unit.potential(1.0), unit.gradient(1.0));
        let Field { potential, gradient, mut report } = field;
        report.softening = self.report.softening;
        let scaled_gradient = |i: usize| gradient[i].map(|x| scaled(x, of_gradient));
        Ok(Field {
            potential: parallel::collect(potential.len(), TASK, |i| {
                scaled(potential[i], of_potential)
            }),
            gradient: parallel::collect(gradient.len(), TASK, scaled_gradient),
            report,
        })
    }
}

impl Engine<f32> for NarrowEngine {
    fn build(&mut self, points: &PointSets<'_, f32>) -> Result<(), Error> {
        self.build_f64(&Widened::new(points).sets())
    }

    fn rebuilt(&self, points: &PointSets<'_, f32>) -> Result<Arc<dyn Engine<f32>>, Error> {
        self.rebuilt_f64(&Widened::new(points).sets())
    }

    fn build_f64(&mut self, points: &PointSets<'_, f64>) -> Result<(), Error> {
        let (request, ranks) = (self.request_of_caller(), self.ranks.clone());
        let softening = self.request.softening;
        let single = &mut self.single;
        let moved = Self::new(request, self.ranks.clone(), points, |request, points| {
            if request.softening != softening {
                return super::engine(request, ranks.as_ref(), points, false);
            }
            build(single, points)?;
            Ok(Arc::clone(single))
        })?;
        *self = moved.after(self);
        Ok(())
    }

    fn rebuilt_f64(&self, points: &PointSets<'_, f64>) -> Result<Arc<dyn Engine<f32>>, Error> {
        let (request, ranks) = (self.request_of_caller(), self.ranks.as_ref());
        let moved = Self::new(request, self.ranks.clone(), points, |request, points| {
            match request.softening == self.request.softening {
                true => self.single.rebuilt(points),
                false => super::engine(request, ranks, points, false),
            }
        })?;
        Ok(Arc::new(moved.after(self)))
    }

    fn evaluate(
        &self,
        charges: &Charges<'_, f32>,
        fields: &mut [Field<f32>],
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        let given: Vec<Vec<f64>> = charges.vectors.iter().map(|vector| widened(vector)).collect();
        let given: Vec<&[f64]> = given.iter().map(Vec::as_slice).collect();
        self.evaluate_rounded(charges, &given, fields, workspace)
    }

    fn evaluate_rounded(
        &self,
        charges: &Charges<'_, f32>,
        given: &[&[f64]],
        fields: &mut [Field<f32>],
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        // An earlier gradient is in the caller's unit.
        let to_frame = self.frame.unit.gradient(1.0).recip();
        let earlier: Option<Vec<[f32; 3]>> = charges.earlier.map(|earlier| {
            earlier.iter().map(|g| g.map(|x| (f64::from(x) * to_frame) as f32)).collect()
        });
        let charges = Charges { earlier: earlier.as_deref(), ..charges.clone() };
        for (field, found) in fields.iter_mut().zip(self.fields(&charges, given, workspace)?) {
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
        self.compare(&widened(charges), field, count)
    }

    fn sample_error_given(
        &self,
        given: &[f64],
        field: &Field<f32>,
        count: usize,
    ) -> Result<SampledError, Error> {
        self.compare(given, field, count)
    }

    fn consent(&self, refusal: Option<Error>, call: Call) -> Result<(), Error> {
        self.single.consent(refusal, call)
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
    /// The request with the softening in the caller's unit.
    fn request_of_caller(&self) -> Request {
        Request { softening: self.report.softening, ..self.request }
    }

    /// The engine after the one with earlier points, whose engine in f64 is used again where the unit is the same.
    fn after(self, before: &Self) -> Self {
        let same = self.request.softening == before.request.softening;
        let double = before.double.get().or(before.double_before.as_ref());
        Self { double_before: double.filter(|_| same).cloned(), ..self }
    }
}
