//! A plan on a device, for slices of the host: copies, reports, verification.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use expansions::order::Signs;
use rayon::prelude::*;

use kernels_gpu::device::{Vec4, View};
use kernels_gpu::machine::Machine;
use kernels_gpu::memory::Grown;
use kernels_gpu::operators::MAX_ORDER;
use kernels_gpu::tree::Sets;
use octree::PointSet;

use super::pipeline::{Pipeline, Shape};
use super::walks::{self, Rule};
use super::{Number, tuning};
use crate::accuracy::Goal;
use crate::net_force::net_force;
use crate::points::charge_unit;
use crate::stopwatch::{Seconds, Stage};
use crate::verify::{self, SampledError};
use crate::{Device, Error, Field, Fmm, Method, Outputs, Report, Scalar};

/// A plan whose points, tree and sums are in a device's memory.
#[derive(Clone, Debug)]
pub(crate) struct Plan<T> {
    engine: Arc<dyn Engine<T>>,
    report: Report,
}

/// A device at work on one set of points.
pub trait Engine<T>: fmt::Debug + Send + Sync {
    /// Sorts points into a tree and returns what is to be reported.
    fn build(&self, sources: &[[T; 3]], receivers: Option<&[[T; 3]]>) -> Result<Report, Error>;

    /// The field of one vector of charges, with what it reports of itself.
    fn evaluate(
        &self,
        charges: &[T],
        signs: Signs,
        field: &mut Field<T>,
        report: &Report,
    ) -> Result<(), Error>;

    /// Errors of a field of these charges.
    fn sample_error(
        &self,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> Result<SampledError, Error>;

    /// The same device and settings, without points.
    fn anew(&self) -> Result<Arc<dyn Engine<T>>, Error>;
}

impl<T: Scalar> Plan<T> {
    pub(crate) fn new(
        settings: Fmm,
        sources: &[[T; 3]],
        receivers: Option<&[[T; 3]]>,
    ) -> Result<Self, Error> {
        let engine = T::engine(settings)?;
        let report = engine.build(sources, receivers)?;
        Ok(Self { engine, report })
    }

    pub(crate) fn evaluate(
        &self,
        charges: &[&[T]],
        signs: Signs,
        fields: &mut [Field<T>],
        seconds: Seconds,
    ) -> Result<(), Error> {
        let report = Report {
            n_vectors: charges.len(),
            seconds: self.report.seconds + seconds,
            ..self.report.clone()
        };
        for (charges, field) in charges.iter().zip(fields) {
            self.engine.evaluate(charges, signs, field, &report)?;
        }
        Ok(())
    }

    pub(crate) fn rebuild(
        &mut self,
        sources: &[[T; 3]],
        receivers: Option<&[[T; 3]]>,
    ) -> Result<(), Error> {
        // What could be refused is refused before the old points go. Clones of the plan keep them.
        finite(sources, PointSet::Sources)?;
        finite(receivers.unwrap_or_default(), PointSet::Receivers)?;
        if Arc::get_mut(&mut self.engine).is_none() {
            self.engine = self.engine.anew()?;
        }
        self.report = self.engine.build(sources, receivers)?;
        Ok(())
    }

    pub(crate) fn sample_error(
        &self,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> Result<SampledError, Error> {
        self.engine.sample_error(charges, field, count)
    }

    pub(crate) fn report(&self) -> &Report {
        &self.report
    }
}

/// The engine of the device that is asked for.
pub(super) fn engine<T: Scalar + Number>(settings: Fmm) -> Result<Arc<dyn Engine<T>>, Error> {
    match settings.device {
        #[cfg(feature = "emulator")]
        Device::Emulated => {
            Ok(Arc::new(Resident::new(super::Emulator, "emulator".to_owned(), settings)?))
        }
        #[cfg(feature = "cuda")]
        Device::Cuda(index) => {
            let machine = super::Cuda::new(index)?;
            let name = machine.name().to_owned();
            Ok(Arc::new(Resident::new(machine, name, settings)?))
        }
        device => Err(Error::DeviceNotBuilt { device }),
    }
}

/// The engine of one machine.
struct Resident<M: Machine, T: Number> {
    name: String,
    settings: Fmm,
    goal: Goal,
    machine: M,
    state: Mutex<State<M, T>>,
}

/// What evaluations use by turns.
struct State<M: Machine, T: Number> {
    pipeline: Pipeline<M, T>,
    method: Method,
    sets: Sets,
    /// In the caller's order, (x, y, z, 0).
    points: Grown<M, Vec4<T>>,
    n_points: usize,
    charges: Grown<M, T>,
    field: Grown<M, Vec4<T>>,
    host_field: Vec<Vec4<T>>,
}

impl<M: Machine, T: Number> fmt::Debug for Resident<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resident")
            .field("name", &self.name)
            .field("settings", &self.settings)
            .finish()
    }
}

impl<M, T> Resident<M, T>
where
    M: Machine + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    State<M, T>: Send,
{
    fn new(machine: M, name: String, settings: Fmm) -> Result<Self, Error> {
        let goal = Goal::new::<T>(settings.tolerance, settings.outputs, None)?;
        let state = State {
            pipeline: Pipeline::new(machine.clone())?,
            method: settings.method,
            sets: Sets::One,
            points: Grown::new(),
            n_points: 0,
            charges: Grown::new(),
            field: Grown::new(),
            host_field: Vec::new(),
        };
        Ok(Self { name, settings, goal, machine, state: Mutex::new(state) })
    }

    fn state(&self) -> MutexGuard<'_, State<M, T>> {
        // What a panic left is overwritten by the next evaluation.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The order of expansions for charges of these signs.
    fn order(&self, signs: Signs) -> Result<usize, Error> {
        let order = self.goal.order(signs);
        if order > MAX_ORDER {
            return Err(Error::OrderNotOnGpu { order, largest: MAX_ORDER });
        }
        Ok(order)
    }

    fn rule(&self, signs: Signs) -> Result<Rule, Error> {
        let Fmm { tolerance, opening, depth, group_capacity, .. } = self.settings;
        Rule::new(tolerance, opening, depth.is_some() || group_capacity.is_some(), signs)
    }

    /// The method in use, and the tree for it.
    fn choose(&self, n_sources: usize, n_receivers: usize) -> Result<(Method, Shape), Error> {
        let method = match self.settings.method {
            Method::Auto if tuning::direct_wins(n_sources, n_receivers) => Method::Direct,
            Method::Auto => Method::Fmm,
            chosen => chosen,
        };
        let depth = self.settings.depth;
        let shape = match method {
            Method::Direct => walks::shape(Some(octree::Depth::Uniform(0))),
            Method::Treecode => {
                self.rule(Signs::Same)?;
                walks::shape(depth)
            }
            _ => {
                let order = self.order(Signs::Same)?;
                tuning::shape(order, depth, n_sources.max(n_receivers))
            }
        };
        Ok((method, shape))
    }
}

impl<M, T> Engine<T> for Resident<M, T>
where
    M: Machine + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    State<M, T>: Send,
{
    fn build(&self, sources: &[[T; 3]], receivers: Option<&[[T; 3]]>) -> Result<Report, Error> {
        let n_receivers = receivers.map_or(sources.len(), <[_]>::len);
        let (method, shape) = self.choose(sources.len(), n_receivers)?;
        let mut seconds = Seconds::default();
        let mut guard = self.state();
        let state = &mut *guard;
        state.method = method;
        state.sets = match receivers {
            None => Sets::One,
            Some(_) => Sets::Two { n_sources: sources.len() },
        };
        let points: Vec<Vec4<T>> = seconds.time(Stage::Transfer, || {
            let receivers = receivers.unwrap_or_default();
            let point = |&[x, y, z]: &[T; 3]| Vec4([x, y, z, T::narrow(0.0)]);
            sources.par_iter().chain(receivers).map(point).collect()
        });
        state.n_points = points.len();
        seconds.time(Stage::Transfer, || state.points.upload(&self.machine, &points))?;
        let view = state.points.view(points.len());
        let walks = method == Method::Treecode;
        let seconds = seconds + state.pipeline.build(view, state.sets, shape, walks, 1.0)?;
        let tree = state.pipeline.tree();
        let with_expansions = method != Method::Direct;
        Ok(Report {
            n_sources: sources.len(),
            n_receivers,
            method,
            device: self.settings.device,
            instructions: self.name.clone().into(),
            precision: T::NAME,
            tolerance: self.settings.tolerance,
            order: if with_expansions { self.goal.largest_order().min(MAX_ORDER) } else { 0 },
            leaf_capacity: shape.depth.leaf_capacity(),
            levels: tree.n_levels(),
            boxes: tree.n_boxes(),
            leaves: tree.n_leaves(),
            seconds,
            ..Report::default()
        })
    }

    fn evaluate(
        &self,
        charges: &[T],
        signs: Signs,
        field: &mut Field<T>,
        report: &Report,
    ) -> Result<(), Error> {
        let mut seconds = Seconds::default();
        let mut report = report.clone();
        let mut guard = self.state();
        let State { pipeline, method, charges: on_device, field: device_field, host_field, .. } =
            &mut *guard;
        let softening = self.settings.softening;

        let unit = seconds.time(Stage::Transfer, || charge_unit(charges));
        seconds.time(Stage::Transfer, || on_device.upload(&self.machine, charges))?;
        pipeline.put_charges(on_device.view(charges.len()), unit)?;
        let n_receivers = pipeline.tree().n_receivers();
        device_field.reserve(&self.machine, n_receivers)?;
        let output = device_field.view_mut(n_receivers);
        let spent = match *method {
            Method::Direct => pipeline.evaluate(1, softening, output)?,
            Method::Treecode => {
                let rule = self.rule(signs)?;
                let least = walks::least_distance(rule, softening, self.goal.tolerance());
                (report.opening, report.order) = (Some(rule.opening), rule.order);
                let (seconds, counts) =
                    pipeline.evaluate_by_walks(rule, softening, least, signs, output)?;
                [report.m2p_pairs, report.p2p_pairs] = counts;
                seconds
            }
            _ => {
                let order = self.order(signs)?;
                report.order = order;
                report.predicted_error = self.goal.predicted_error(order, signs);
                pipeline.evaluate(order, softening, output)?
            }
        };
        seconds = seconds + spent;
        let with_gradient = self.settings.outputs == Outputs::PotentialAndGradient;
        seconds.time(Stage::Transfer, || -> Result<(), Error> {
            host_field.resize(n_receivers, Vec4::default());
            device_field.download(&self.machine, host_field)?;
            let values = || host_field.par_iter().with_min_len(1 << 13);
            values().map(|Vec4(v)| v[3]).collect_into_vec(&mut field.potential);
            field.gradient.clear();
            if with_gradient {
                let gradient = |Vec4([x, y, z, _]): &Vec4<T>| [*x, *y, *z];
                values().map(gradient).collect_into_vec(&mut field.gradient);
            }
            Ok(())
        })?;
        report.bytes = pipeline.bytes();
        report.seconds = report.seconds + seconds;
        if with_gradient && pipeline.tree().sources_are_receivers() {
            let force = |i: usize| field.gradient[i].map(|g| charges[i].widen() * g.widen());
            report.net_force = Some(net_force(charges.len(), force));
        }
        field.report = report;
        Ok(())
    }

    fn sample_error(
        &self,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> Result<SampledError, Error> {
        let mut guard = self.state();
        let State { pipeline, sets, points, n_points, charges: on_device, .. } = &mut *guard;
        on_device.upload(&self.machine, charges)?;
        let unit = charge_unit(charges);
        pipeline.put_charges(on_device.view(charges.len()), unit)?;
        let n_receivers = pipeline.tree().n_receivers();
        let which: Vec<u32> =
            verify::sample(n_receivers, count).into_iter().map(|i| i as u32).collect();
        let first = if *sets == Sets::One { 0 } else { *n_points - n_receivers };
        let receivers: View<Vec4<T>> = points.view(*n_points).part(first, n_receivers);
        let references = pipeline.references(receivers, &which, self.settings.softening)?;
        let checked = which.iter().zip(&references);
        Ok(verify::compare(field, checked.map(|(i, Vec4(v))| (*i as usize, *v))))
    }

    fn anew(&self) -> Result<Arc<dyn Engine<T>>, Error> {
        Ok(Arc::new(Self::new(self.machine.clone(), self.name.clone(), self.settings)?))
    }
}

/// Refuses positions that are not finite.
fn finite<T: Scalar>(positions: &[[T; 3]], set: PointSet) -> Result<(), Error> {
    let bad = |position: &[T; 3]| position.iter().any(|x| !x.is_finite());
    match positions.par_iter().position_first(bad) {
        None => Ok(()),
        Some(index) => {
            let position = positions[index].map(T::widen);
            Err(octree::Error::NotFinite { set, index, position }.into())
        }
    }
}
