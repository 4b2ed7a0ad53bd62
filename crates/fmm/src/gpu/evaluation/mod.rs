//! Evaluation on a GPU: charges in, fields out.
//!
//! | file | what |
//! |---|---|
//! | `vectors.rs` | vectors of charges to the device, and their fields to the host |
//! | `run.rs` | one run of a scheme |
//! | `delivery.rs` | results of attempts on their way to the host |

mod delivery;
pub(super) mod run;
mod vectors;

use std::ops::Range;

use kernels_gpu::check::PairDigits;
use kernels_gpu::device::{Vec4, View};
use kernels_gpu::machine::{Launcher, MachineError};

use crate::api::{Error, Field, Method, Outputs, Report, SampledError, Seconds, Stage};
use crate::choose::{Algorithm, Attempts, Scheme};
use crate::engine::{ChargeKind, Heavy, Scalar, VectorFacts, charge_unit, make_room};
use crate::gpu::Number;
use crate::gpu::check::{DeviceEstimate, ToCheck};
use crate::gpu::engine::GpuEngine;
use crate::gpu::engine::state::State;
use crate::gpu::host_slices::unpack;
use crate::gpu::pipeline::form::Expansions;
use crate::gpu::timers::{Launched, Timers};
use crate::verify::{self, Alone, Direct, Estimate};
use delivery::Delivery;
use run::{Earlier, Ran, Run, takes_earlier};

/// Points that one task of the host copies.
const TASK: usize = parallel::min_length(1.3);

/// Bytes of a field, at most, for which cores wake before it is there, and wait: cores that slept take 0.15 to 0.2 ms to wake, and
/// a GPU takes 0.3 ms for such a field by few digits, some milliseconds by many.
const SOON: usize = 4 << 20;

/// Charges of one vector in the memory of a device, in a unit of charge.
pub(super) struct Taken<'a, T> {
    pub(super) all: View<T>,
    /// Charges with zeros for the heavy ones.
    pub(super) light: View<T>,
    pub(super) heavy: &'a Heavy<T>,
    pub(super) facts: VectorFacts,
}

/// Report and seconds of an evaluation under way.
pub(super) struct Account<T> {
    pub(super) report: Report,
    pub(super) seconds: Seconds,
    /// The earlier gradient for a criterion that is relative to it, if it is known: three numbers a receiver.
    pub(super) earlier: Option<View<T>>,
}

impl<T> Account<T> {
    /// The report of the evaluation, of so many heavy charges.
    pub(super) fn ended(self, n_heavy: usize) -> Report {
        let Self { report, seconds, .. } = self;
        Report {
            p2p_pairs: report.p2p_pairs + heavy_pairs(n_heavy, &report),
            seconds: report.seconds + seconds,
            ..report
        }
    }
}

/// An evaluation of one vector under way. Nothing of it runs on the cores' pool: the state is locked.
struct Evaluation<'e, 's, 'scope, M: Launcher, T: Number> {
    engine: &'e GpuEngine<M, T>,
    state: &'e mut State<M, T>,
    taken: &'e Taken<'e, T>,
    account: &'e mut Account<T>,
    /// Whether the sources on the device have the light charges.
    charged: bool,
    /// Whether the last run was found to have results that are not finite.
    overflowed: bool,
    /// The last run, until its seconds are counted.
    launched: Option<Launched<M>>,
    /// Way of results to the host, if they go there.
    delivery: Option<&'e mut Delivery<'s, 'scope, M, T>>,
}

/// Outcome of an evaluation whose field is on the device.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome {
    /// The estimated error.
    pub(super) error: Option<f64>,
    /// Whether results are known not to be finite.
    pub(super) overflowed: bool,
}

impl<M, T> GpuEngine<M, T>
where
    M: Launcher + Clone,
    T: Scalar + Number,
{
    /// Runs attempts until one keeps the tolerance. The field is on the device, and on its way to the host if there is one.
    /// The sources in the tree's order have all charges then.
    pub(super) fn attempt<'scope>(
        &self,
        state: &mut State<M, T>,
        kind: ChargeKind,
        taken: &Taken<'_, T>,
        account: &mut Account<T>,
        delivery: Option<&mut Delivery<'_, 'scope, M, T>>,
    ) -> Result<Outcome, Error>
    where
        M::Staging: 'scope,
    {
        let is_checked = self.request.is_relative();
        state.pipeline.checked_outputs = is_checked.then_some(self.request.outputs);
        let mut evaluation = Evaluation {
            engine: self,
            state,
            taken,
            account,
            charged: false,
            overflowed: false,
            launched: None,
            delivery,
        };
        let error = self.chooser.evaluate(&self.tree, kind, &mut evaluation)?;
        settle(&mut evaluation.launched, evaluation.account)?;
        Ok(Outcome { error, overflowed: evaluation.overflowed })
    }

    /// Computes the field on the device, which may not be done when this returns.
    fn run_scheme(
        &self,
        state: &mut State<M, T>,
        scheme: &Scheme,
        kind: ChargeKind,
        account: &mut Account<T>,
    ) -> Result<Option<Launched<M>>, Error> {
        let report = &mut account.report;
        scheme.report(self.tree.expands, report);
        let earlier = match account.earlier.filter(|_| takes_earlier(scheme)) {
            Some(packed) => {
                state.field.reserve(&self.machine, report.n_receivers)?;
                unpack(&self.machine, packed, state.field.view_mut(report.n_receivers))?;
                Earlier::InOutput
            }
            None => Earlier::None,
        };
        let run = Run { scheme, softening: self.request.softening, kind, earlier };
        let Ran { launched, seconds, counts } = state.pipeline.run(run, &mut state.field)?;
        if let Some(counts) = counts {
            [report.m2p_pairs, report.p2p_pairs] = counts;
        }
        let memory = state.pipeline.memory(Expansions::of(scheme));
        if memory.peak > report.bytes {
            (report.bytes, report.device_memory) = (memory.peak, Some(memory));
        }
        account.seconds = account.seconds + seconds;
        Ok(launched)
    }

    /// Errors of a field of these charges at `count` receivers.
    ///
    /// The device's direct sum in f64 checks all other sums, and the cores check the direct sum.
    pub(super) fn check(
        &self,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> Result<SampledError, Error> {
        let unit = charge_unit(charges);
        let n_receivers = self.report.n_receivers;
        let which = indices(n_receivers, count);
        let softening = self.request.softening;
        let mut guard = self.state();
        let state = &mut *guard;
        let references = if self.tree.scheme.algorithm == Algorithm::Direct {
            let mut points = vec![Vec4::default(); state.n_points];
            state.points.download(&self.machine, &mut points)?;
            let length = state.pipeline.unit;
            drop(guard);
            let first = points.len() - n_receivers;
            let axis = |point: &Vec4<T>, axis: usize| length.shrink(point.0[axis].widen());
            let sources = |range: Range<usize>| {
                let axes =
                    [0, 1, 2].map(|of| points[range.clone()].iter().map(|p| axis(p, of)).collect());
                let [x, y, z]: [Vec<f64>; 3] = axes;
                [x, y, z, charges[range].iter().map(|q| q.widen() / unit).collect()]
            };
            let at = [0, 1, 2]
                .map(|of| which.iter().map(|i| axis(&points[first + *i as usize], of)).collect());
            let softening = length.shrink(softening);
            let n_sources = charges.len();
            let sums = Direct { n_sources, sources: &sources, at: &at, softening, totals: &Alone }
                .sums()?;
            sums.into_iter().map(|sums| verify::in_units(sums, length, unit)).collect()
        } else {
            state.charges.upload(&self.machine, charges)?;
            state.pipeline.put_charges(state.charges.view(charges.len()), unit)?;
            state.end_charges();
            state.references(n_receivers, &which, softening, PairDigits::Double)?
        };
        let checked = which.iter().zip(references);
        let checked = checked.map(|(i, sums)| (verify::value_at(field, *i as usize), sums));
        Ok(verify::compare(checked, self.request.outputs))
    }
}

impl<'scope, M, T> Attempts for Evaluation<'_, '_, 'scope, M, T>
where
    M: Launcher + Clone,
    M::Staging: 'scope,
    T: Scalar + Number,
{
    fn run(&mut self, scheme: &Scheme) -> Result<(), Error> {
        let Self { engine, state, taken, account, launched, delivery, .. } = self;
        settle(launched, account)?;
        // The direct sum is one over all charges.
        let all = scheme.algorithm == Algorithm::Direct && taken.heavy.len() > 0;
        if all {
            state.pipeline.put_charges(taken.all, taken.facts.unit())?;
        } else if !self.charged {
            state.pipeline.put_charges(taken.light, taken.facts.unit())?;
            state.put_heavy(taken.heavy)?;
            if taken.heavy.len() == 0 {
                state.end_charges();
            }
        }
        self.charged = !all;
        if let Some(delivery) = delivery {
            delivery.stop(&engine.machine)?;
        }
        *launched = engine.run_scheme(state, scheme, taken.facts.kind(), account)?;
        if let Some(delivery) = delivery {
            // Most runs keep the tolerance: results travel while they are checked.
            let field = state.field.view(account.report.n_receivers);
            delivery.begin(&engine.machine, field)?;
            if engine.tree.expands && size_of::<Vec4<T>>() * field.len() <= SOON {
                delivery.read_early();
            }
        }
        Ok(())
    }

    fn are_uneven(&mut self, algorithm: Algorithm) -> Result<bool, Error> {
        let Taken { heavy, facts, .. } = self.taken;
        let n = self.engine.tree.counts.n_sources;
        Ok(are_uneven(algorithm, [*facts, heavy.left_of(*facts)], n))
    }

    fn check(&mut self, receivers: usize) -> Result<Estimate, Error> {
        let Self { engine, state, taken, account, launched, delivery, .. } = self;
        let n = account.report.n_receivers;
        let mut timers = Timers::start(&engine.machine)?;
        if taken.heavy.len() > 0 {
            // References are sums over all charges.
            state.pipeline.put_charges(taken.all, taken.facts.unit())?;
            self.charged = false;
        }
        let check = ToCheck {
            field: state.field.view(n),
            outputs: engine.request.outputs,
            softening: engine.request.softening,
            tolerance: engine.chooser.tolerance(),
            participation: taken.facts.participation(),
        };
        let meanwhile = || {
            settle(launched, account)?;
            if let Some(delivery) = delivery {
                delivery.read_early();
            }
            Ok(())
        };
        let DeviceEstimate { estimate, is_finite } =
            state.pipeline.estimate(check, receivers, meanwhile)?;
        timers.end(Stage::Check)?;
        timers.count(&mut account.seconds)?;
        self.overflowed = !is_finite;
        Ok(estimate)
    }
}

/// Counts the seconds of the last run. Waits for its end.
fn settle<M: Launcher + Clone, T>(
    launched: &mut Option<Launched<M>>,
    account: &mut Account<T>,
) -> Result<(), MachineError> {
    if let Some(launched) = launched.take() {
        account.seconds = account.seconds + launched.seconds()?;
    }
    Ok(())
}

/// Whether few of `n` charges outweigh the others in a run: of all charges, which the direct sum takes together, or of those that are
/// left by the heavy ones.
pub(super) fn are_uneven(algorithm: Algorithm, [all, left]: [VectorFacts; 2], n: usize) -> bool {
    all.are_uneven(n) && (algorithm == Algorithm::Direct || left.are_uneven(n))
}

/// Pairs of heavy charges and receivers beside those of the lists, or of walks.
pub(super) fn heavy_pairs(n_heavy: usize, report: &Report) -> u64 {
    match report.method {
        Method::Direct => 0,
        _ => (n_heavy * report.n_receivers) as u64,
    }
}

/// Receivers that are checked, of `n`.
pub(super) fn indices(n: usize, count: usize) -> Vec<u32> {
    verify::sample(n, count).into_iter().map(|i| i as u32).collect()
}

/// Gradients and potentials side by side, to the field's arrays.
pub(super) fn to_field<T: Scalar + Number>(
    values: &[Vec4<T>],
    outputs: Outputs,
    field: &mut Field<T>,
) {
    let n = values.len();
    make_room(&mut field.potential, if outputs.has_potential() { n } else { 0 });
    make_room(&mut field.gradient, if outputs.has_gradient() { n } else { 0 });
    if outputs.has_potential() {
        parallel::fill(&mut field.potential, TASK, |i| values[i].0[3]);
    }
    if outputs.has_gradient() {
        parallel::fill(&mut field.gradient, TASK, |i| {
            let Vec4([x, y, z, _]) = values[i];
            [x, y, z]
        });
    }
}
