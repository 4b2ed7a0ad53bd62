//! A plan on the host: points, tree and lists in memory, passes over the cores.

use std::sync::OnceLock;

use expansions::order::Signs;
use rayon::prelude::*;

use super::request::{error_model, opening_of, shape};
use crate::accuracy::{Goal, KINDS};
use crate::choices::{Method, Outputs};
use crate::hierarchy::{Hierarchy, Shape};
use crate::operators::Operators;
use crate::passes::Passes;
use crate::points::gather_charges;
use crate::report::Report;
use crate::stopwatch::{Seconds, Stage};
use crate::tuning::direct_wins;
use crate::verify::{self, SampledError};
use crate::{Error, Field, Fmm, Opening, Scalar, Workspace, tuning};

/// Points, tree and lists, ready for any charges.
#[derive(Clone, Debug)]
pub(super) struct HostPlan<T> {
    pub(super) settings: Fmm,
    pub(super) goal: Goal,
    pub(super) method: Method,
    /// Of the treecode.
    pub(super) opening: Option<Opening>,
    pub(super) shape: Shape,
    pub(super) hierarchy: Hierarchy<T>,
    /// Tables for each kind of [`Signs`], made when first needed.
    operators: [OnceLock<Operators<T>>; KINDS],
    pub(super) report: Report,
}

impl<T: Scalar> HostPlan<T> {
    pub(super) fn new(
        settings: Fmm,
        sources: &[[T; 3]],
        receivers: Option<&[[T; 3]]>,
    ) -> Result<Self, Error> {
        let Fmm { tolerance, method, outputs, softening, .. } = settings;
        if !(softening >= 0.0 && softening.is_finite()) {
            return Err(Error::Softening { softening });
        }
        let opening = (method == Method::Treecode).then(|| opening_of(&settings)).transpose()?;
        let goal = Goal::new::<T>(tolerance, outputs, error_model(&settings, opening))?;
        let (order, accuracy) = (goal.largest_order(), goal.pair_accuracy());
        let n_receivers = receivers.map_or(sources.len(), <[_]>::len);
        let method = match method {
            Method::Auto if direct_wins(sources.len(), n_receivers, order, accuracy) => {
                Method::Direct
            }
            Method::Auto => Method::Fmm,
            chosen => chosen,
        };
        let shape = shape(&settings, &goal, method, opening, sources, receivers);
        let mut seconds = Seconds::default();
        let hierarchy = Hierarchy::new(sources, receivers, shape, &mut seconds)?;
        let (operators, report) = Default::default();
        let mut plan =
            Self { settings, goal, method, opening, shape, hierarchy, operators, report };
        plan.report = plan.count(seconds);
        Ok(plan)
    }

    /// The fields of charge vectors of these signs.
    pub(super) fn evaluate(
        &self,
        charges: &[&[T]],
        signs: Signs,
        fields: &mut [Field<T>],
        workspace: &mut Workspace<T>,
        mut seconds: Seconds,
    ) {
        let (hierarchy, n_vectors) = (&self.hierarchy, charges.len());
        let operators = seconds.time(Stage::Other, || self.operators(signs));
        seconds.time(Stage::Other, || {
            workspace.reserve_vectors(n_vectors);
            let Workspace { charges: gathered, charge_units, .. } = workspace;
            for ((charges, to), unit) in charges.iter().zip(gathered).zip(charge_units) {
                *unit = gather_charges(charges, hierarchy.tree.source_order(), to);
            }
        });
        let passes = Passes {
            hierarchy,
            operators,
            outputs: self.settings.outputs,
            accuracy: self.goal.pair_accuracy(),
            softening: T::narrow(hierarchy.unit.shrink(self.settings.softening)),
            n_vectors,
        };
        let mut report = self.report.clone();
        match self.opening {
            Some(opening) => {
                let least = self.least_distance(operators.order());
                let counts = passes.run_treecode(opening, least, workspace, &mut seconds);
                report.m2p_pairs = counts.m2p_pairs;
                report.p2p_pairs = counts.p2p_pairs;
            }
            None => passes.run_fmm(workspace, &mut seconds),
        }
        seconds.time(Stage::Other, || self.scatter(workspace, fields));

        report.n_vectors = n_vectors;
        if self.has_expansions() {
            report.order = operators.order();
            report.predicted_error = self.goal.predicted_error(operators.order(), signs);
        }
        report.bytes += workspace.bytes();
        report.seconds = report.seconds + seconds;
        for (k, field) in fields.iter_mut().enumerate() {
            let net_force = self.net_force(&workspace.charges[k], &workspace.sums[k]);
            field.report = Report { net_force, ..report.clone() };
        }
    }

    /// Errors of a field, against the direct sum.
    pub(super) fn sample_error(
        &self,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> SampledError {
        verify::sample_error(&self.hierarchy, charges, field, self.settings.softening, count)
    }

    /// Moves the points.
    pub(super) fn rebuild(
        &mut self,
        sources: &[[T; 3]],
        receivers: Option<&[[T; 3]]>,
    ) -> Result<(), Error> {
        let mut seconds = Seconds::default();
        let (settings, goal) = (&self.settings, &self.goal);
        let shape = shape(settings, goal, self.method, self.opening, sources, receivers);
        self.hierarchy = Hierarchy::new(sources, receivers, shape, &mut seconds)?;
        self.shape = shape;
        self.report = self.count(seconds);
        Ok(())
    }

    /// Whether expansions are in use.
    pub(super) fn has_expansions(&self) -> bool {
        self.shape.walk_group.is_some() || self.hierarchy.has_expansions()
    }

    /// Where multipoles are not softened, how near cells may act, in the plan's unit.
    fn least_distance(&self, order: usize) -> f64 {
        let softening = self.hierarchy.unit.shrink(self.settings.softening);
        if order == 1 { 0.0 } else { tuning::unsoftened_distance(softening, self.goal.tolerance()) }
    }

    fn operators(&self, signs: Signs) -> &Operators<T> {
        let order = if self.has_expansions() { self.goal.order(signs) } else { 1 };
        self.operators[signs as usize].get_or_init(|| Operators::new(order))
    }

    /// From tree order and the plan's unit to the caller's.
    fn scatter(&self, workspace: &Workspace<T>, fields: &mut [Field<T>]) {
        let (unit, rank) = (self.hierarchy.unit, &self.hierarchy.receiver_rank);
        let with_gradient = self.settings.outputs == Outputs::PotentialAndGradient;
        let vectors = workspace.sums.iter().zip(&workspace.charge_units);
        for (field, (sums, charge)) in fields.iter_mut().zip(vectors) {
            let scaled = |x: T, factor: f64| T::narrow(x.widen() * factor);
            let (factor, gradient_factor) = (unit.potential(*charge), unit.gradient(*charge));
            let potential = |at: &u32| scaled(sums.potential[*at as usize], factor);
            rank.par_iter()
                .with_min_len(SCATTER)
                .map(potential)
                .collect_into_vec(&mut field.potential);
            field.gradient.clear();
            if with_gradient {
                let [x, y, z] = &sums.gradient;
                let gradient =
                    |at: &u32| [x, y, z].map(|part| scaled(part[*at as usize], gradient_factor));
                rank.par_iter()
                    .with_min_len(SCATTER)
                    .map(gradient)
                    .collect_into_vec(&mut field.gradient);
            }
        }
    }
}

/// Receivers that one task scatters at least.
const SCATTER: usize = 1 << 13;
