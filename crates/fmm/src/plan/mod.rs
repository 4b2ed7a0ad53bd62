//! A plan: everything about a sum that does not depend on the charges.

mod account;
mod remote;
mod request;

use std::sync::OnceLock;

use expansions::order::{MAX_ORDER, Signs};
use octree::{InteractionLists, Octree};
use rayon::prelude::*;

use crate::accuracy::{Goal, signs_of};
use crate::choices::{Method, Outputs, Tolerance};
use crate::heavy::Heavy;
use crate::hierarchy::{Hierarchy, Shape};
use crate::operators::Operators;
use crate::passes::Passes;
use crate::points::gather_charges;
use crate::report::Report;
use crate::stopwatch::{Seconds, Stage};
use crate::treecode::WalkRules;
use crate::tuning::direct_wins;
use crate::verify::{self, SampledError};
use crate::{Error, Field, Fmm, Opening, Scalar, Workspace, tuning};
use request::{error_model, opening_of, shape};

/// Points, tree and lists, ready for any charges.
///
/// A plan may be shared among threads. Evaluations run in the caller's rayon pool and give the same
/// bits for any number of threads.
#[derive(Clone, Debug)]
pub struct Plan<T> {
    settings: Fmm,
    goal: Goal,
    method: Method,
    /// Of the treecode.
    opening: Option<Opening>,
    shape: Shape,
    hierarchy: Hierarchy<T>,
    /// Tables by order, made when first needed.
    operators: Vec<OnceLock<Operators<T>>>,
    report: Report,
}

impl<T: Scalar> Plan<T> {
    pub(crate) fn new(
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
        let (operators, report) = (vec![OnceLock::new(); MAX_ORDER + 1], Report::default());
        let mut plan =
            Self { settings, goal, method, opening, shape, hierarchy, operators, report };
        plan.report = plan.count(seconds);
        Ok(plan)
    }

    /// Potential and gradient of `charges`, one a source in the order of the positions.
    ///
    /// # Errors
    ///
    /// Charges of the wrong number or not finite.
    pub fn evaluate(&self, charges: &[T]) -> Result<Field<T>, Error> {
        let mut field = Field::default();
        self.evaluate_into(charges, &mut field, &mut Workspace::new())?;
        Ok(field)
    }

    /// As [`Self::evaluate`], into a field and a workspace that are used again: from the second time
    /// on, no large memory is allocated. [`Opening::Relative`] takes the gradient that `field` holds for
    /// that of the evaluation before.
    ///
    /// # Errors
    ///
    /// Charges of the wrong number or not finite; the field is left as it was.
    pub fn evaluate_into(
        &self,
        charges: &[T],
        field: &mut Field<T>,
        workspace: &mut Workspace<T>,
    ) -> Result<(), Error> {
        self.evaluate_vectors(&[charges], std::slice::from_mut(field), workspace)
    }

    /// The fields of several charge vectors at once, which costs less than one after the other.
    ///
    /// # Errors
    ///
    /// As [`Self::evaluate`].
    pub fn evaluate_many(&self, charges: &[&[T]]) -> Result<Vec<Field<T>>, Error> {
        let mut fields = Vec::new();
        self.evaluate_many_into(charges, &mut fields, &mut Workspace::new())?;
        Ok(fields)
    }

    /// As [`Self::evaluate_many`], into fields and a workspace that are used again. There will be as
    /// many fields as charge vectors.
    ///
    /// # Errors
    ///
    /// As [`Self::evaluate`].
    pub fn evaluate_many_into(
        &self,
        charges: &[&[T]],
        fields: &mut Vec<Field<T>>,
        workspace: &mut Workspace<T>,
    ) -> Result<(), Error> {
        fields.resize_with(charges.len(), Field::default);
        self.evaluate_vectors(charges, fields, workspace)
    }

    fn evaluate_vectors(
        &self,
        charges: &[&[T]],
        fields: &mut [Field<T>],
        workspace: &mut Workspace<T>,
    ) -> Result<(), Error> {
        if charges.is_empty() {
            return Ok(());
        }
        let mut seconds = Seconds::default();
        let signs = seconds.time(Stage::Other, || self.check(charges))?;
        if self.is_remote() {
            return self.evaluate_by_trial(charges, fields, workspace, &mut seconds);
        }
        self.evaluate_at(self.goal.order(signs), signs, charges, fields, workspace, &mut seconds);
        Ok(())
    }

    /// Evaluates by expansions of an order; 0 for all pairs.
    fn evaluate_at(
        &self,
        order: usize,
        signs: Signs,
        charges: &[&[T]],
        fields: &mut [Field<T>],
        workspace: &mut Workspace<T>,
        seconds: &mut Seconds,
    ) {
        let (hierarchy, n_vectors) = (&self.hierarchy, charges.len());
        let operators = seconds.time(Stage::Other, || self.operators(order));
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
        let heavy = seconds.time(Stage::Other, || self.take_heavy(workspace, n_vectors));
        let mut report = self.report.clone();
        match self.opening {
            _ if order == 0 => {
                passes.reset(&mut workspace.sums[..n_vectors], seconds);
                let vectors = workspace.charges.iter().zip(&mut workspace.sums).take(n_vectors);
                let add = |(charges, sums): (&Vec<T>, _)| passes.add_all(charges, sums);
                seconds.time(Stage::P2p, || vectors.for_each(add));
            }
            Some(opening) => {
                let rules = self.walk_rules(opening, operators.order());
                let previous: Vec<_> = fields.iter().map(|field| &field.gradient[..]).collect();
                let counts = passes.run_treecode(&rules, &previous, workspace, seconds);
                report.m2p_pairs = counts.m2p_pairs;
                report.p2p_pairs = counts.p2p_pairs;
            }
            None => passes.run_fmm(workspace, seconds),
        }
        for (k, heavy) in heavy.iter().enumerate() {
            heavy.put_back(&mut workspace.charges[k]);
            seconds.time(Stage::P2p, || passes.add_heavy(heavy, &mut workspace.sums[k]));
            report.p2p_pairs += (heavy.len() * report.n_receivers) as u64;
        }
        seconds.time(Stage::Other, || self.scatter(workspace, fields));

        report.n_vectors = n_vectors;
        if self.has_expansions() {
            report.order = operators.order();
            report.predicted_error = self.goal.predicted_error(operators.order(), signs);
        }
        report.bytes += workspace.bytes();
        report.seconds = report.seconds + *seconds;
        for (k, field) in fields.iter_mut().enumerate() {
            let net_force = self.net_force(&workspace.charges[k], &workspace.sums[k]);
            field.report = Report { net_force, ..report.clone() };
        }
    }

    /// Moves the points, as many as before: the tree is built anew, settings and tables are kept.
    /// For plans with separate receivers see [`Self::update_positions_between`].
    ///
    /// # Errors
    ///
    /// Positions of another number or not finite, or a plan with separate receivers; the plan is
    /// left as it was.
    pub fn update_positions(&mut self, positions: &[[T; 3]]) -> Result<(), Error> {
        if !self.hierarchy.tree.sources_are_receivers() {
            return Err(Error::WrongSets(
                "the plan has separate receivers; use update_positions_between",
            ));
        }
        self.rebuild(positions, None)
    }

    /// Moves sources and receivers of a plan made by [`Fmm::plan_between`].
    ///
    /// # Errors
    ///
    /// Positions of another number or not finite, or a plan whose receivers are its sources; the
    /// plan is left as it was.
    pub fn update_positions_between(
        &mut self,
        sources: &[[T; 3]],
        receivers: &[[T; 3]],
    ) -> Result<(), Error> {
        if self.hierarchy.tree.sources_are_receivers() {
            return Err(Error::WrongSets(
                "the plan's receivers are its sources; use update_positions",
            ));
        }
        self.rebuild(sources, Some(receivers))
    }

    /// The error of `field`, which came from `charges`, against the direct sum in f64 at about
    /// `count` receivers spread over the domain. Costs `count` times the number of sources.
    ///
    /// # Errors
    ///
    /// Charges of the wrong number or not finite, or a field of another size.
    pub fn sample_error(
        &self,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> Result<SampledError, Error> {
        self.check(&[charges])?;
        let expected = self.hierarchy.receivers().len();
        let [potential, gradient] = [field.potential.len(), field.gradient.len()];
        let sizes = [potential, if field.gradient.is_empty() { potential } else { gradient }];
        if let Some(found) = sizes.into_iter().find(|size| *size != expected) {
            return Err(Error::FieldSize { found, expected });
        }
        let softening = self.settings.softening;
        Ok(verify::sample_error(&self.hierarchy, charges, field, softening, count))
    }

    /// What was chosen and counted, and how long planning took.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The tree; of one box for [`Method::Direct`].
    pub fn octree(&self) -> &Octree {
        &self.hierarchy.tree
    }

    /// The interaction lists.
    pub fn lists(&self) -> &InteractionLists {
        &self.hierarchy.lists
    }

    fn rebuild(&mut self, sources: &[[T; 3]], receivers: Option<&[[T; 3]]>) -> Result<(), Error> {
        let expect = |set, found, expected| match found == expected {
            true => Ok(()),
            false => Err(Error::PositionCount { set, found, expected }),
        };
        expect("source", sources.len(), self.hierarchy.sources().len())?;
        if let Some(receivers) = receivers {
            expect("receiver", receivers.len(), self.hierarchy.receivers().len())?;
        }
        let mut seconds = Seconds::default();
        let (settings, goal) = (&self.settings, &self.goal);
        let shape = shape(settings, goal, self.method, self.opening, sources, receivers);
        self.hierarchy = Hierarchy::new(sources, receivers, shape, &mut seconds)?;
        self.shape = shape;
        self.report = self.count(seconds);
        Ok(())
    }

    /// Whether expansions are in use.
    fn has_expansions(&self) -> bool {
        self.shape.walk_group.is_some() || self.hierarchy.has_expansions()
    }

    /// How the treecode walks.
    fn walk_rules(&self, opening: Opening, order: usize) -> WalkRules {
        let softening = self.hierarchy.unit.shrink(self.settings.softening);
        // Monopoles are softened; other cells act where softening does not matter.
        let least = match order {
            1 => 0.0,
            _ => tuning::unsoftened_distance(softening, self.goal.tolerance()),
        };
        // Away from the sources the sum may cancel, and rounding with it count.
        let tolerance = match self.settings.tolerance {
            Tolerance::L2(tolerance) if !self.is_remote() => tolerance,
            _ => 0.0,
        };
        WalkRules { opening, least, tolerance }
    }

    /// Refuses unusable charges and tells their signs.
    fn check(&self, charges: &[&[T]]) -> Result<Signs, Error> {
        let expected = self.hierarchy.sources().len();
        let mut signs = Signs::Same;
        for (vector, charges) in charges.iter().enumerate() {
            let found = charges.len();
            if found != expected {
                return Err(Error::ChargeCount { vector, found, expected });
            }
            if let Some(index) = charges.par_iter().position_first(|q| !q.is_finite()) {
                let value = charges[index].widen();
                return Err(Error::ChargeNotFinite { vector, index, value });
            }
            if signs_of(charges) == Signs::Mixed {
                signs = Signs::Mixed;
            }
        }
        Ok(signs)
    }

    fn operators(&self, order: usize) -> &Operators<T> {
        let order = if self.has_expansions() { order.max(1) } else { 1 };
        self.operators[order].get_or_init(|| Operators::new(order))
    }

    /// Takes heavy charges out of those that expansions are made of, where a relative error is asked for.
    fn take_heavy(&self, workspace: &mut Workspace<T>, n_vectors: usize) -> Vec<Heavy<T>> {
        let relative = matches!(self.settings.tolerance, Tolerance::L2(_));
        let count = if relative && self.has_expansions() { n_vectors } else { 0 };
        let vectors = workspace.charges[..count].iter_mut();
        vectors.map(|charges| Heavy::take_from(charges)).collect()
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
