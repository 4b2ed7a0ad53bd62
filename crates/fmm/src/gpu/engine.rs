//! The plan on one machine: what is built of points, and what is reported of it.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use expansions::order::{FarField, Signs};
use rayon::prelude::*;

use kernels_gpu::device::{Vec4, View};
use kernels_gpu::lists::census::PairCounts;
use kernels_gpu::machine::Machine;
use kernels_gpu::memory::Grown;
use kernels_gpu::operators::MAX_ORDER;
use kernels_gpu::tree::Sets;
use octree::Depth;

use super::memory::{Demand, expected_boxes};
use super::pipeline::{Pipeline, Shape};
use super::plan::Engine;
use super::walks::{self, Rule};
use super::{Number, tuning};
use crate::accuracy::Goal;
use crate::plan::request::asked_depth;
use crate::stopwatch::{Seconds, Stage};
use crate::verify::SampledError;
use crate::{Error, Field, Fmm, Method, Opening, Report, Scalar, Tolerance};

/// The engine of one machine.
pub(super) struct Resident<M: Machine, T: Number> {
    name: String,
    pub(super) settings: Fmm,
    pub(super) goal: Goal,
    pub(super) machine: M,
    state: Mutex<State<M, T>>,
}

/// What evaluations use by turns.
pub(super) struct State<M: Machine, T: Number> {
    pub(super) pipeline: Pipeline<M, T>,
    pub(super) method: Method,
    pub(super) sets: Sets,
    /// In the caller's order, (x, y, z, 0).
    pub(super) points: Grown<M, Vec4<T>>,
    pub(super) n_points: usize,
    /// Whether expansions or cells are in use.
    pub(super) expands: bool,
    /// Whether most receivers share their leaves with no source, and a relative error is asked for.
    pub(super) is_remote: bool,
    pub(super) charges: Grown<M, T>,
    pub(super) field: Grown<M, Vec4<T>>,
    pub(super) host_field: Vec<Vec4<T>>,
    /// Memory that was found free for the points before.
    held: usize,
}

impl<M: Machine, T: Number> State<M, T> {
    /// The receivers in the caller's order.
    pub(super) fn receivers(&self, n_receivers: usize) -> View<Vec4<T>> {
        let first = if self.sets == Sets::One { 0 } else { self.n_points - n_receivers };
        self.points.view(self.n_points).part(first, n_receivers)
    }
}

impl<M, T> Resident<M, T>
where
    M: Machine + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    State<M, T>: Send,
{
    pub(super) fn new(machine: M, name: String, settings: Fmm) -> Result<Self, Error> {
        let goal = Goal::new::<T>(settings.tolerance, settings.outputs, None)?;
        let state = State {
            pipeline: Pipeline::new(machine.clone())?,
            method: settings.method,
            sets: Sets::One,
            points: Grown::new(),
            n_points: 0,
            expands: false,
            is_remote: false,
            charges: Grown::new(),
            field: Grown::new(),
            host_field: Vec::new(),
            held: 0,
        };
        Ok(Self { name, settings, goal, machine, state: Mutex::new(state) })
    }

    /// What evaluations share. The cores' pool must not be used under this lock: its thread could take another
    /// evaluation of the same plan, and wait for itself.
    pub(super) fn state(&self) -> MutexGuard<'_, State<M, T>> {
        // What a panic left is overwritten by the next evaluation.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The order of expansions for charges of these signs.
    pub(super) fn order(&self, signs: Signs) -> Result<usize, Error> {
        let order = self.goal.order(signs, FarField::Translations);
        if order > MAX_ORDER {
            return Err(Error::OrderNotOnGpu { order, largest: MAX_ORDER });
        }
        Ok(order)
    }

    /// How to walk for charges of these signs.
    pub(super) fn rule(&self, tolerance: Tolerance, signs: Signs) -> Result<Rule, Error> {
        let Fmm { opening, depth, group_capacity, .. } = self.settings;
        Rule::new(tolerance, opening, depth.is_some() || group_capacity.is_some(), signs)
    }

    /// Whether a method walks: the treecode with any criterion but that of neighbour lists.
    pub(super) fn walks(&self, method: Method) -> bool {
        method == Method::Treecode && self.settings.opening != Some(Opening::Neighbours)
    }

    /// The method in use, and the tree for it.
    fn choose(
        &self,
        sources: &[[T; 3]],
        receivers: Option<&[[T; 3]]>,
    ) -> Result<(Method, Shape), Error> {
        let n_receivers = receivers.map_or(sources.len(), <[_]>::len);
        let method = match self.settings.method {
            Method::Auto if tuning::direct_wins(sources.len(), n_receivers) => Method::Direct,
            Method::Auto => Method::Fmm,
            chosen => chosen,
        };
        let shape = match method {
            Method::Direct => tuning::shape(1, Some(Depth::Uniform(0)), n_receivers),
            walked if self.walks(walked) => {
                self.rule(self.settings.tolerance, Signs::Same)?;
                walks::shape(self.settings.depth, self.settings.group_capacity)
            }
            on_lists => {
                let order = self.order(Signs::Same)?;
                let (settings, goal) = (&self.settings, &self.goal);
                let capacity = tuning::leaf_capacity(order);
                let depth = asked_depth(settings, goal, capacity, sources, receivers);
                let shape = tuning::shape(order, depth, sources.len().max(n_receivers));
                if on_lists == Method::Treecode { tuning::without_locals(shape) } else { shape }
            }
        };
        Ok((method, shape))
    }

    /// The order that memory is reserved for: of the FMM, or 0.
    fn largest_order(&self, method: Method) -> Option<usize> {
        match method {
            walked if self.walks(walked) => None,
            Method::Direct => Some(0),
            _ => Some(self.goal.largest_order(FarField::Translations).min(MAX_ORDER)),
        }
    }

    /// What the plan's report says of order and error.
    fn report_order(&self, method: Method, report: &mut Report) -> Result<(), Error> {
        match method {
            walked if self.walks(walked) => {
                let rule = self.rule(self.settings.tolerance, Signs::Same)?;
                (report.opening, report.order) = (Some(rule.opening), rule.order);
                report.predicted_error = rule.error;
            }
            on_lists => {
                report.opening = (on_lists == Method::Treecode).then_some(Opening::Neighbours);
                report.order = self.goal.largest_order(FarField::Translations).min(MAX_ORDER);
                report.predicted_error =
                    self.goal.predicted_error(report.order, Signs::Mixed, FarField::Translations);
            }
        }
        Ok(())
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
        let (method, shape) = self.choose(sources, receivers)?;
        let mut seconds = Seconds::default();
        let points: Vec<Vec4<T>> = seconds.time(Stage::Transfer, || {
            let receivers = receivers.unwrap_or_default();
            let point = |&[x, y, z]: &[T; 3]| Vec4([x, y, z, T::narrow(0.0)]);
            sources.par_iter().chain(receivers).map(point).collect()
        });
        let mut demand = Demand {
            n_sources: sources.len(),
            n_receivers,
            n_points: points.len(),
            n_boxes: expected_boxes(shape.depth, points.len()),
            order: self.largest_order(method),
            float_bytes: size_of::<T>(),
        };

        let mut guard = self.state();
        let state = &mut *guard;
        demand.fits(&self.machine, state.held)?;
        state.method = method;
        state.sets = match receivers {
            None => Sets::One,
            Some(_) => Sets::Two { n_sources: sources.len() },
        };
        state.n_points = points.len();
        seconds.time(Stage::Transfer, || state.points.upload(&self.machine, &points))?;
        let view = state.points.view(points.len());
        let mut seconds = seconds + state.pipeline.build(view, state.sets, shape, 1.0)?;

        // What evaluations take is taken now: they do not fail for want of memory.
        demand.n_boxes = state.pipeline.tree().n_boxes();
        state.held = demand.bytes();
        state.charges.reserve(&self.machine, sources.len())?;
        state.field.reserve(&self.machine, n_receivers)?;
        if let Some(order) = demand.order {
            state.pipeline.reserve(order)?;
        }

        let pairs = seconds.time(Stage::Transfer, || -> Result<PairCounts, Error> {
            let (pipeline, tree) = (&state.pipeline, state.pipeline.tree());
            let walks = shape.walk_group.is_some();
            let pairs = match method {
                _ if walks => PairCounts::default(),
                _ if tree.n_boxes() > 1 => pipeline.lists().census(&self.machine, tree)?,
                _ => PairCounts {
                    p2p: sources.len() as u64 * n_receivers as u64,
                    ..PairCounts::default()
                },
            };
            state.expands = walks || pairs.m2l + pairs.m2p + pairs.p2l > 0;
            let relative = matches!(self.settings.tolerance, Tolerance::L2(_));
            state.is_remote = relative
                && state.expands
                && receivers.is_some()
                && 2 * tree.receivers_alone(&self.machine)? > n_receivers as u64;
            Ok(pairs)
        })?;
        let tree = state.pipeline.tree();
        let mut report = Report {
            n_sources: sources.len(),
            n_receivers,
            method,
            device: self.settings.device,
            instructions: self.name.clone().into(),
            precision: T::NAME,
            tolerance: self.settings.tolerance,
            leaf_capacity: shape.depth.leaf_capacity(),
            levels: tree.n_levels(),
            boxes: tree.n_boxes(),
            leaves: tree.n_leaves(),
            p2p_pairs: pairs.p2p,
            m2l_pairs: if shape.locals { pairs.m2l } else { 0 },
            m2p_pairs: pairs.m2p + if shape.locals { 0 } else { pairs.far_m2p },
            p2l_pairs: pairs.p2l,
            bytes: state.held,
            seconds,
            ..Report::default()
        };
        if state.expands {
            self.report_order(method, &mut report)?;
        }
        Ok(report)
    }

    fn evaluate(
        &self,
        charges: &[T],
        signs: Signs,
        field: &mut Field<T>,
        report: &Report,
    ) -> Result<(), Error> {
        self.evaluate_vector(charges, signs, field, report)
    }

    fn sample_error(
        &self,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> Result<SampledError, Error> {
        self.check(charges, field, count)
    }

    fn anew(&self) -> Result<Arc<dyn Engine<T>>, Error> {
        Ok(Arc::new(Self::new(self.machine.clone(), self.name.clone(), self.settings)?))
    }
}

impl<M: Machine, T: Number> fmt::Debug for Resident<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Resident")
            .field("name", &self.name)
            .field("settings", &self.settings)
            .finish()
    }
}
