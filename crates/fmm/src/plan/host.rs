//! A plan on the host: points, tree and lists in memory, passes over the cores.

use std::sync::{Arc, OnceLock};

use expansions::order::{FarField, MAX_ORDER, Signs};
use rayon::prelude::*;

use super::request::{error_model, opening_of, prices, shape};
use crate::accuracy::Goal;
use crate::choices::{Method, Outputs, Tolerance};
use crate::heavy::Heavy;
use crate::hierarchy::{Hierarchy, Shape};
use crate::hybrid::{NearPairs, PairDevice};
use crate::operators::Operators;
use crate::passes::Passes;
use crate::points::gather_charges;
use crate::report::Report;
use crate::spread::VOLUME;
use crate::stopwatch::{Seconds, Stage};
use crate::treecode::WalkRules;
use crate::tuning::direct_wins;
use crate::verify::{self, SampledError};
use crate::{Error, Field, Fmm, Opening, Scalar, Workspace, gpu, tuning};

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
    /// What sums the near pairs meanwhile, on a [hybrid](crate::Device::Hybrid) device.
    pub(super) pair_device: Option<Arc<dyn PairDevice<T>>>,
    /// Tables by order, made when first needed.
    operators: Vec<OnceLock<Operators<T>>>,
    pub(super) report: Report,
}

impl<T: Scalar> HostPlan<T> {
    pub(super) fn new(
        settings: Fmm,
        sources: &[[T; 3]],
        receivers: Option<&[[T; 3]]>,
    ) -> Result<Self, Error> {
        let Fmm { tolerance, method, outputs, .. } = settings;
        if settings.device.is_hybrid() && method == Method::Treecode {
            return Err(Error::NotOnGpu {
                what: "the treecode beside the cores",
                cure: "choose Device::Cuda or Device::Cpu, or Method::Fmm",
            });
        }
        let opening = (method == Method::Treecode).then(|| opening_of(&settings)).transpose()?;
        let goal = Goal::new::<T>(tolerance, outputs, error_model(&settings, opening))?;
        let n_receivers = receivers.map_or(sources.len(), <[_]>::len);
        let prices = prices(&settings, &goal, receivers.is_none(), VOLUME);
        let method = match method {
            Method::Auto if direct_wins(&prices, sources.len(), n_receivers) => Method::Direct,
            Method::Auto => Method::Fmm,
            chosen => chosen,
        };
        let shape = shape(&settings, &goal, method, opening, sources, receivers);
        let mut seconds = Seconds::default();
        let hierarchy = Hierarchy::new(sources, receivers, shape, &mut seconds)?;
        let pair_device = pair_device(&settings, &hierarchy, &mut seconds)?;
        let (operators, report) = (vec![OnceLock::new(); MAX_ORDER + 1], Report::default());
        let mut plan = Self {
            settings,
            goal,
            method,
            opening,
            shape,
            hierarchy,
            pair_device,
            operators,
            report,
        };
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
    ) -> Result<(), Error> {
        if self.is_remote() {
            self.evaluate_by_trial(charges, fields, workspace, &mut seconds)
        } else {
            let far = self.far_field(signs);
            let order = Some((self.goal.order(signs, far), far));
            self.evaluate_at(order, signs, charges, fields, workspace, &mut seconds)
        }
    }

    /// The faster M2L on this tree for charges of these signs.
    pub(super) fn far_field(&self, signs: Signs) -> FarField {
        self.faster_at(self.goal.order(signs, self.goal.usual_far_field()))
    }

    /// The faster M2L on this tree at an order.
    pub(super) fn faster_at(&self, order: usize) -> FarField {
        match !self.goal.is_proven() && self.hierarchy.waves_win(order) {
            true => FarField::Waves,
            false => FarField::Translations,
        }
    }

    /// Evaluates by expansions of an order and a form of M2L; without one, all pairs.
    pub(super) fn evaluate_at(
        &self,
        order: Option<(usize, FarField)>,
        signs: Signs,
        charges: &[&[T]],
        fields: &mut [Field<T>],
        workspace: &mut Workspace<T>,
        seconds: &mut Seconds,
    ) -> Result<(), Error> {
        let (hierarchy, n_vectors) = (&self.hierarchy, charges.len());
        let operators =
            seconds.time(Stage::Other, || self.operators(order.map_or(1, |(order, _)| order)));
        let far = order.map_or(FarField::Translations, |(_, far)| far);
        seconds.time(Stage::Other, || {
            workspace.reserve_vectors(n_vectors);
            let Workspace { charges: gathered, charge_units, .. } = workspace;
            for ((charges, to), unit) in charges.iter().zip(gathered).zip(charge_units) {
                *unit = gather_charges(charges, hierarchy.tree.source_permutation(), to);
            }
        });
        let passes = Passes {
            hierarchy,
            operators,
            outputs: self.settings.outputs,
            accuracy: self.goal.pair_accuracy(),
            waves: far == FarField::Waves,
            softening: T::narrow(hierarchy.unit.shrink(self.settings.softening)),
            n_vectors,
            pair_device: self.pair_device.as_deref(),
        };
        let heavy = seconds.time(Stage::Other, || self.take_heavy(workspace, n_vectors));
        let mut report = self.report.clone();
        match self.opening {
            _ if order.is_none() => passes.run_all_pairs(workspace, seconds)?,
            Some(opening) => {
                let rules = self.walk_rules(opening, operators.order());
                let previous: Vec<_> = fields.iter().map(|field| &field.gradient[..]).collect();
                let counts = passes.run_treecode(&rules, &previous, workspace, seconds);
                report.m2p_pairs = counts.m2p_pairs;
                report.p2p_pairs = counts.p2p_pairs;
            }
            None => passes.run_fmm(workspace, seconds)?,
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
            report.predicted_error = self.goal.predicted_error(operators.order(), signs, far);
        }
        report.bytes = hierarchy.bytes() + workspace.bytes();
        report.seconds = report.seconds + *seconds;
        for (k, field) in fields.iter_mut().enumerate() {
            let net_force = self.net_force(&workspace.charges[k], &workspace.sums[k]);
            field.report = Report { net_force, ..report.clone() };
        }
        Ok(())
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
        let hierarchy = Hierarchy::new(sources, receivers, shape, &mut seconds)?;
        self.pair_device = match &self.pair_device {
            None => None,
            Some(device) => {
                let pairs = NearPairs::new(&hierarchy, settings.softening);
                Some(seconds.time(Stage::Transfer, || device.with(&pairs))?)
            }
        };
        (self.hierarchy, self.shape) = (hierarchy, shape);
        self.report = self.count(seconds);
        Ok(())
    }

    /// Whether expansions are in use.
    pub(super) fn has_expansions(&self) -> bool {
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
    fn scatter(&self, workspace: &mut Workspace<T>, fields: &mut [Field<T>]) {
        let (unit, rank) = (self.hierarchy.unit, &self.hierarchy.receiver_rank);
        let receivers = rank.par_iter().with_min_len(SCATTER);
        let scaled = |x: T, factor: f64| T::narrow(x.widen() * factor);
        let Workspace { sums, charge_units, locals: room, .. } = workspace;
        for ((field, sums), charge) in fields.iter_mut().zip(sums).zip(charge_units) {
            let (factor, gradient_factor) = (unit.potential(*charge), unit.gradient(*charge));
            if self.settings.outputs == Outputs::Potential {
                let potential = |at: &u32| scaled(sums.potential[*at as usize], factor);
                receivers.clone().map(potential).collect_into_vec(&mut field.potential);
                field.gradient.clear();
                continue;
            }
            // A receiver's numbers side by side are in one cache line, not in four.
            room.resize(room.len().max(4 * rank.len()), T::ZERO);
            let rows = &mut room.as_chunks_mut().0[..rank.len()];
            let (potential, [x, y, z]) = (&sums.potential, &sums.gradient);
            rows.par_iter_mut().with_min_len(SCATTER).enumerate().for_each(|(i, row)| {
                let gradient = [x[i], y[i], z[i]].map(|part| scaled(part, gradient_factor));
                *row = [scaled(potential[i], factor), gradient[0], gradient[1], gradient[2]];
            });
            let row = |at: &u32| {
                let [potential, x, y, z] = rows[*at as usize];
                (potential, [x, y, z])
            };
            let (potential, gradient) = (&mut field.potential, &mut field.gradient);
            receivers.clone().map(row).unzip_into_vecs(potential, gradient);
        }
    }
}

/// What sums the pairs of `hierarchy`, if it is not the cores.
fn pair_device<T: Scalar>(
    settings: &Fmm,
    hierarchy: &Hierarchy<T>,
    seconds: &mut Seconds,
) -> Result<Option<Arc<dyn PairDevice<T>>>, Error> {
    if !settings.device.is_hybrid() {
        return Ok(None);
    }
    let pairs = NearPairs::new(hierarchy, settings.softening);
    seconds.time(Stage::Transfer, || gpu::pair_device(settings.device, &pairs)).map(Some)
}

/// Receivers that one task scatters at least.
const SCATTER: usize = 1 << 13;
