//! Evaluations of a plan on one machine: charges in, field and report out.

use expansions::order::{FarField, Signs};
use rayon::prelude::*;

use kernels_gpu::device::Vec4;
use kernels_gpu::machine::Machine;
use kernels_gpu::operators::MAX_ORDER;

use super::Number;
use super::resident::{Resident, State};
use super::walks::{self, Rule};
use crate::accuracy::REMOTE_WALK;
use crate::heavy::{Heavy, is_concentrated};
use crate::net_force::net_force;
use crate::plan::remote::{CHECKED, by_trial, higher_order, report_all_pairs, worse_output};
use crate::points::charge_unit;
use crate::stopwatch::{Seconds, Stage};
use crate::verify::{self, SampledError};
use crate::{Error, Field, Method, Opening, Outputs, Report, Scalar, Tolerance};

/// How the sums come about.
#[derive(Clone, Copy, Debug)]
enum Way {
    /// All pairs.
    Pairs,
    /// Near pairs, and expansions of an order.
    Expansions(usize),
    /// Walks.
    Walks(Rule),
}

/// What an evaluation leaves for its report.
struct Account<T> {
    report: Report,
    seconds: Seconds,
    /// For a criterion that is relative to it: the gradient of the evaluation before, if it is known.
    before: Vec<Vec4<T>>,
}

impl<M, T> Resident<M, T>
where
    M: Machine + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    State<M, T>: Send,
{
    /// The field of one vector of charges.
    pub(super) fn evaluate_vector(
        &self,
        charges: &[T],
        signs: Signs,
        field: &mut Field<T>,
        report: &Report,
    ) -> Result<(), Error> {
        let mut seconds = Seconds::default();
        let before = seconds.time(Stage::Transfer, || self.gradient_before(field, report));
        let mut account = Account { report: report.clone(), seconds, before };
        let relative = matches!(self.settings.tolerance, Tolerance::L2(_));
        let takes_heavy = relative && self.state().expands;
        let (unit, mut taken) = account.seconds.time(Stage::Transfer, || {
            let concentrated = takes_heavy && is_concentrated(charges);
            (charge_unit(charges), concentrated.then(|| charges.to_vec()))
        });
        let heavy = taken.as_deref_mut().map(Heavy::take_from).unwrap_or_default();
        let heavy = &heavy;
        let light = taken.as_deref().unwrap_or(charges);
        let n_receivers = report.n_receivers;

        // Under the lock, nothing runs on the cores.
        let mut guard = self.state();
        let state = &mut *guard;
        if state.is_remote {
            self.evaluate_by_trial(state, charges, light, heavy, unit, &mut account)?;
        } else {
            let way = match state.method {
                Method::Direct => Way::Pairs,
                walked if self.walks(walked) => {
                    Way::Walks(self.rule(self.settings.tolerance, signs)?)
                }
                _ => Way::Expansions(self.order(signs)?),
            };
            self.put(state, light, heavy, unit, &mut account)?;
            self.run(state, way, signs, &mut account)?;
        }
        let mut values = std::mem::take(&mut state.host_field);
        account.seconds.time(Stage::Transfer, || {
            values.resize(n_receivers, Vec4::default());
            state.field.download(&self.machine, &mut values)
        })?;
        let one_set = state.pipeline.tree().sources_are_receivers();
        drop(guard);

        let with_gradient = self.settings.outputs == Outputs::PotentialAndGradient;
        account.seconds.time(Stage::Transfer, || {
            let values = || values.par_iter().with_min_len(1 << 13);
            values().map(|Vec4(v)| v[3]).collect_into_vec(&mut field.potential);
            field.gradient.clear();
            if with_gradient {
                let gradient = |Vec4([x, y, z, _]): &Vec4<T>| [*x, *y, *z];
                values().map(gradient).collect_into_vec(&mut field.gradient);
            }
        });
        self.state().host_field = values;
        let Account { mut report, seconds, .. } = account;
        report.p2p_pairs += (heavy.len() * n_receivers) as u64;
        report.seconds = report.seconds + seconds;
        if with_gradient && one_set {
            let force = |i: usize| field.gradient[i].map(|g| charges[i].widen() * g.widen());
            report.net_force = Some(net_force(charges.len(), force));
        }
        field.report = report;
        Ok(())
    }

    /// The gradient that a field holds of an evaluation before, if the criterion asks for one.
    fn gradient_before(&self, field: &Field<T>, report: &Report) -> Vec<Vec4<T>> {
        let relative = matches!(report.opening, Some(Opening::Relative { .. }));
        if !relative || field.gradient.len() != report.n_receivers {
            return Vec::new();
        }
        let vector = |&[x, y, z]: &[T; 3]| Vec4([x, y, z, T::narrow(0.0)]);
        field.gradient.par_iter().with_min_len(1 << 13).map(vector).collect()
    }

    /// Gives the sources charges, `heavy` ones apart.
    fn put(
        &self,
        state: &mut State<M, T>,
        light: &[T],
        heavy: &Heavy<T>,
        unit: f64,
        account: &mut Account<T>,
    ) -> Result<(), Error> {
        account.seconds.time(Stage::Transfer, || {
            state.charges.upload(&self.machine, light)?;
            state.pipeline.put_charges(state.charges.view(light.len()), unit)?;
            Ok(state.pipeline.put_heavy(state.points.view(state.n_points), heavy)?)
        })
    }

    /// Computes the field on the device.
    fn run(
        &self,
        state: &mut State<M, T>,
        way: Way,
        signs: Signs,
        account: &mut Account<T>,
    ) -> Result<(), Error> {
        let State { pipeline, field, .. } = state;
        let (softening, report) = (self.settings.softening, &mut account.report);
        let n_receivers = pipeline.tree().n_receivers();
        field.reserve(&self.machine, n_receivers)?;
        let output = field.view_mut(n_receivers);
        let seconds = match way {
            Way::Pairs => pipeline.sum_all_pairs(softening, output)?,
            Way::Expansions(order) => {
                if state.expands {
                    report.order = order;
                    report.predicted_error =
                        self.goal.predicted_error(order, signs, FarField::Translations);
                }
                pipeline.evaluate(order, softening, output)?
            }
            Way::Walks(rule) => {
                let least = walks::least_distance(rule, softening, self.goal.tolerance());
                (report.opening, report.order) = (Some(rule.opening), rule.order);
                report.predicted_error = rule.error;
                let mut before = Seconds::default();
                match rule.first() {
                    Some(_) if !account.before.is_empty() => {
                        let upload = || field.upload(&self.machine, &account.before);
                        before.time(Stage::Transfer, upload)?;
                    }
                    Some(first) => {
                        (before, _) =
                            pipeline.evaluate_by_walks(first, softening, least, signs, output)?;
                    }
                    None => {}
                }
                let (seconds, counts) =
                    pipeline.evaluate_by_walks(rule, softening, least, signs, output)?;
                [report.m2p_pairs, report.p2p_pairs] = counts;
                before + seconds
            }
        };
        report.bytes = report.bytes.max(pipeline.bytes());
        account.seconds = account.seconds + seconds;
        Ok(())
    }

    /// Evaluates until the tolerance is kept at some receivers, whose right sums the device finds first.
    fn evaluate_by_trial(
        &self,
        state: &mut State<M, T>,
        charges: &[T],
        light: &[T],
        heavy: &Heavy<T>,
        unit: f64,
        account: &mut Account<T>,
    ) -> Result<(), Error> {
        let n_receivers = account.report.n_receivers;
        let which = indices(n_receivers, CHECKED);
        self.put(state, charges, &Heavy::default(), unit, account)?;
        let softening = self.settings.softening;
        let references = account.seconds.time(Stage::Other, || {
            state.pipeline.references(state.receivers(n_receivers), &which, softening)
        })?;
        if heavy.len() > 0 {
            self.put(state, light, heavy, unit, account)?;
        }
        let with_gradient = self.settings.outputs == Outputs::PotentialAndGradient;
        let method = state.method;
        let mut attempt = |way: Way| -> Result<f64, Error> {
            self.run(state, way, Signs::Mixed, account)?;
            if let Way::Pairs = way {
                report_all_pairs(&mut account.report);
            }
            account.seconds.time(Stage::Other, || {
                let values = state.pipeline.values(state.field.view(n_receivers), &which)?;
                let checked = values.into_iter().zip(references.iter().copied());
                Ok(worse_output(&verify::compare(checked, with_gradient)))
            })
        };
        let error = match method {
            walked if self.walks(walked) => self.try_rules(attempt)?,
            _ => {
                let largest = self.goal.remote_limit().min(MAX_ORDER);
                let first = self.goal.remote_order().min(largest);
                let next = |order, excess| higher_order(order, excess, largest);
                let attempt =
                    |order: Option<usize>| attempt(order.map_or(Way::Pairs, Way::Expansions));
                by_trial(self.goal.tolerance(), first, next, attempt)?
            }
        };
        account.report.predicted_error = error;
        Ok(())
    }

    /// Tries walks by the rules of smaller and smaller tolerances.
    fn try_rules(&self, mut attempt: impl FnMut(Way) -> Result<f64, Error>) -> Result<f64, Error> {
        let asked = self.goal.tolerance();
        let rule = |tolerance: f64| self.rule(Tolerance::L2(tolerance), Signs::Mixed);
        let small = asked / REMOTE_WALK;
        let first = match rule(small) {
            Ok(rule) => (small, rule),
            Err(_) => (asked, rule(asked)?),
        };
        // Few rules serve all tolerances: one that failed is not tried again.
        let next = |(tolerance, failed): (f64, Rule), excess: f64| {
            let mut tolerance = tolerance / excess.max(2.0);
            loop {
                match rule(tolerance) {
                    Ok(next) if next == failed => tolerance /= 2.0,
                    found => return found.ok().map(|next| (tolerance, next)),
                }
            }
        };
        let attempt = |choice: Option<(f64, Rule)>| {
            attempt(choice.map_or(Way::Pairs, |(_, rule)| Way::Walks(rule)))
        };
        by_trial(asked, first, next, attempt)
    }

    /// Errors of a field of these charges at `count` receivers.
    ///
    /// The device's direct sum in f64 checks all but itself, which the cores check.
    pub(super) fn check(
        &self,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> Result<SampledError, Error> {
        let unit = charge_unit(charges);
        let n_receivers = field.potential.len();
        let which = indices(n_receivers, count);
        let softening = self.settings.softening;
        let mut guard = self.state();
        let state = &mut *guard;
        let references = if state.method == Method::Direct {
            let mut points = vec![Vec4::default(); state.n_points];
            state.points.download(&self.machine, &mut points)?;
            let length = state.pipeline.unit;
            drop(guard);
            let first = points.len() - n_receivers;
            let axes = |points: &mut dyn Iterator<Item = &Vec4<T>>| -> [Vec<f64>; 3] {
                let mut axes = [(); 3].map(|()| Vec::new());
                for Vec4(point) in points {
                    for (axis, x) in axes.iter_mut().zip(point) {
                        axis.push(length.shrink(x.widen()));
                    }
                }
                axes
            };
            let sources = axes(&mut points.iter().take(charges.len()));
            let at = axes(&mut which.iter().map(|i| &points[first + *i as usize]));
            let charges: Vec<f64> = charges.iter().map(|q| q.widen() / unit).collect();
            let sums = verify::direct_sums(&sources, &charges, &at, length.shrink(softening));
            sums.into_iter().map(|sums| verify::in_units(sums, length, unit)).collect()
        } else {
            state.charges.upload(&self.machine, charges)?;
            state.pipeline.put_charges(state.charges.view(charges.len()), unit)?;
            state.pipeline.references(state.receivers(n_receivers), &which, softening)?
        };
        let checked = which.iter().zip(references);
        let checked = checked.map(|(i, sums)| (verify::value_at(field, *i as usize), sums));
        Ok(verify::compare(checked, !field.gradient.is_empty()))
    }
}

/// Which receivers are checked, of `n`.
fn indices(n: usize, count: usize) -> Vec<u32> {
    verify::sample(n, count).into_iter().map(|i| i as u32).collect()
}
