//! Wrong calls of a plan: each is refused with a typed error, and plan and field stay as they were.

use fmm::{
    Depth, Device, Error, Field, Fmm, Method, Opening, Plan, Tolerance, Treecode, Workspace,
};

use super::{Dice, Failure, Kind, guarded};
use crate::conformance::bits;

/// A plan, right charges for it, and a field that it made.
struct Bench {
    plan: Plan<f64>,
    /// Sources and receivers; the receivers are the sources if there is one set.
    points: [Vec<[f64; 3]>; 2],
    one_set: bool,
    charges: Vec<f64>,
    field: Field<f64>,
    workspace: Workspace,
}

/// Numbers that are no coordinate and no charge.
const NOT_FINITE: [f64; 3] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];

/// Makes a plan and calls it wrongly up to eight times, and rightly between.
///
/// # Errors
///
/// A panic, wrong input that is accepted, right input that is refused, or a plan or field that a refusal changed.
pub fn throw(dice: &mut Dice) -> Result<(), Failure> {
    guarded(|| {
        for _ in 0..dice.below(3) {
            wrong_request(dice)?;
        }
        let mut bench = Bench::new(dice)?;
        for _ in 0..=dice.below(8) {
            bench.call(dice)?;
            bench.unchanged()?;
        }
        Ok(())
    })
}

fn wrong<R>(message: impl Into<String>) -> Result<R, Failure> {
    Err(Failure::new(Kind::Wrong, message))
}

/// The error of wrong input.
fn refused<R>(result: Result<R, Error>, what: &str) -> Result<(), Failure> {
    let Err(error) = result else { return wrong(format!("{what} is accepted")) };
    let message = error.to_string();
    match message.lines().count() == 1 && message.len() < 400 {
        true => Ok(()),
        false => wrong(format!("{what}: the message is not one line: {message:?}")),
    }
}

/// The result of right input.
fn accepted<R>(result: Result<R, Error>, what: &str) -> Result<R, Failure> {
    result.or_else(|error| wrong(format!("{what} is refused: {error}")))
}

/// Settings of which no plan can be made.
fn wrong_request(dice: &mut Dice) -> Result<(), Failure> {
    let points = points(dice, 12);
    let no_number = dice.pick(&[f64::NAN, f64::INFINITY, -1.0, f64::NEG_INFINITY]);
    let no_tolerance = dice.pick(&[f64::NAN, 0.0, -0.0, -1e-3, 1e-300, 5e-324]);
    let method = method(dice);
    let fmm = Fmm::new().method(method);
    let opening = match dice.below(3) {
        0 => Opening::BarnesHut { theta: no_number },
        1 => Opening::Nakasato { theta: no_number },
        _ => Opening::Relative { alpha: no_number },
    };
    match dice.below(8) {
        0 => refused(fmm.softening(no_number).plan(&points), "a softening"),
        1 => refused(fmm.tolerance(no_tolerance).plan(&points), "a tolerance"),
        2 => {
            let tolerance = Tolerance::Guaranteed(no_tolerance);
            refused(fmm.tolerance(tolerance).plan(&points), "a guaranteed tolerance")
        }
        3 => {
            let order = Tolerance::Order(dice.pick(&[0, 100, usize::MAX]));
            refused(fmm.tolerance(order).plan(&points), "an order")
        }
        4 => {
            let walk = Treecode::new().opening(opening);
            refused(Fmm::new().method(walk).plan(&points), "an opening")
        }
        5 => {
            let depth =
                [Depth::Uniform(22), Depth::Uniform(255), Depth::Adaptive { leaf_capacity: 0 }];
            let fmm = Fmm::new().method(Method::Fmm).depth(dice.pick(&depth));
            refused(fmm.plan(&points), "a depth")
        }
        6 => refused(fmm.device(Device::Cuda(usize::MAX)).plan(&points), "a GPU"),
        _ => {
            let mut points = points;
            points[dice.below(12)][dice.below(3)] = dice.pick(&NOT_FINITE);
            refused(fmm.plan(&points), "a position")
        }
    }
}

fn points(dice: &mut Dice, n: usize) -> Vec<[f64; 3]> {
    (0..n).map(|_| [0; 3].map(|_| dice.unit())).collect()
}

fn method(dice: &mut Dice) -> Method {
    let relative = Treecode::new().opening(Opening::Relative { alpha: 1e-2 });
    dice.pick(&[Method::Auto, Method::Direct, Method::Fmm, Treecode::new().into(), relative.into()])
}

impl Bench {
    fn new(dice: &mut Dice) -> Result<Self, Failure> {
        let n = dice.below(60);
        let sources = points(dice, n);
        let one_set = dice.chance(50);
        let receivers = match one_set {
            true => sources.clone(),
            false => {
                let m = dice.below(40);
                points(dice, m)
            }
        };
        let charges: Vec<f64> = (0..n).map(|_| dice.unit() - 0.3).collect();
        let fmm = Fmm::new().method(method(dice)).tolerance(1e-3);
        // Small leaves, so that few points have far boxes.
        let fmm =
            if dice.chance(50) { fmm.depth(Depth::Adaptive { leaf_capacity: 3 }) } else { fmm };
        let plan = match one_set {
            true => fmm.plan(&sources),
            false => fmm.plan((&sources, &receivers)),
        };
        let plan = accepted(plan, "a plan")?;
        let field = accepted(plan.evaluate(&charges), "an evaluation")?;
        let points = [sources, receivers];
        Ok(Self { plan, points, one_set, charges, field, workspace: Workspace::new() })
    }

    /// One wrong call, or a right one between.
    fn call(&mut self, dice: &mut Dice) -> Result<(), Failure> {
        match dice.below(8) {
            0 => self.charges_of_another_number(dice),
            1 => self.charges_that_are_not_finite(dice),
            2 => self.positions_of_another_number(dice),
            3 => self.positions_that_are_not_finite(dice),
            4 => self.field_of_another_plan(dice),
            5 => self.earlier_gradient(dice),
            6 => self.several_vectors(dice),
            _ => self.moved_and_back(),
        }
    }

    /// The plan gives the field that it gave before.
    fn unchanged(&mut self) -> Result<(), Failure> {
        let before = bits(&self.field);
        let mut field = Field::default();
        let again = self.plan.evaluate_into(&self.charges, &mut field, &mut self.workspace);
        accepted(again, "an evaluation after wrong calls")?;
        if bits(&field) == before { Ok(()) } else { wrong("a wrong call changed the plan") }
    }

    fn charges_of_another_number(&mut self, dice: &mut Dice) -> Result<(), Failure> {
        let n = self.charges.len();
        let found = dice.pick(&[0, 1, n + 1, n.saturating_sub(1), 2 * n, 3 * n + 7]);
        if found == n {
            return Ok(());
        }
        let charges = vec![1.0; found];
        self.refuses_into(&charges, "charges of another number")?;
        refused(self.plan.sample_error(&charges, &self.field, 5), "a check of other charges")
    }

    fn charges_that_are_not_finite(&mut self, dice: &mut Dice) -> Result<(), Failure> {
        if self.charges.is_empty() {
            return Ok(());
        }
        let mut charges = self.charges.clone();
        charges[dice.below(self.charges.len())] = dice.pick(&NOT_FINITE);
        self.refuses_into(&charges, "a charge that is not finite")?;
        refused(self.plan.sample_error(&charges, &self.field, 5), "a check of such charges")
    }

    /// An evaluation that is refused and leaves the field.
    fn refuses_into(&mut self, charges: &[f64], what: &str) -> Result<(), Failure> {
        let before = bits(&self.field);
        let result = self.plan.evaluate_into(charges, &mut self.field, &mut self.workspace);
        refused(result, what)?;
        if bits(&self.field) == before {
            Ok(())
        } else {
            wrong(format!("{what} changed the field"))
        }
    }

    fn positions_of_another_number(&mut self, dice: &mut Dice) -> Result<(), Failure> {
        let [sources, receivers] = &self.points;
        let (n, m) = (sources.len(), receivers.len());
        let more = points(dice, n + 1);
        refused(self.plan.update_positions(&more), "another number of sources")?;
        let found = m + 1 + dice.below(5);
        let other = points(dice, found);
        refused(self.plan.update_positions((sources, &other)), "another number of receivers")?;
        match self.one_set {
            true => refused(self.plan.update_positions((sources, sources)), "two sets for one"),
            false => refused(self.plan.update_positions(sources), "one set for two"),
        }
    }

    fn positions_that_are_not_finite(&mut self, dice: &mut Dice) -> Result<(), Failure> {
        let [mut sources, mut receivers] = self.points.clone();
        let value = dice.pick(&[f64::NAN, f64::INFINITY, 1e308]);
        let set = if self.one_set || dice.chance(50) { &mut sources } else { &mut receivers };
        if set.is_empty() {
            return Ok(());
        }
        let index = dice.below(set.len());
        set[index][dice.below(3)] = value;
        let result = match self.one_set {
            true => self.plan.update_positions(&sources),
            false => self.plan.update_positions((&sources, &receivers)),
        };
        refused(result, "a position that is not finite or too large")
    }

    fn field_of_another_plan(&mut self, dice: &mut Dice) -> Result<(), Failure> {
        let m = self.points[1].len();
        let mut field = self.field.clone();
        field.potential.resize(m + 1 + dice.below(9), 0.0);
        let count = dice.pick(&[0, 1, 10, usize::MAX]);
        refused(self.plan.sample_error(&self.charges, &field, count), "a longer potential")?;
        if m > 0 {
            field.potential.truncate(m);
            field.gradient.truncate(dice.below(m).max(1).min(m - 1));
            let result = self.plan.sample_error(&self.charges, &field, count);
            let missing = field.gradient.is_empty();
            // An output that is not there is one that was not asked for.
            if !missing {
                refused(result, "a shorter gradient")?;
            }
        }
        accepted(self.plan.sample_error(&self.charges, &self.field, count), "a check").map(drop)
    }

    fn earlier_gradient(&mut self, dice: &mut Dice) -> Result<(), Failure> {
        let m = self.points[1].len();
        let relative = matches!(self.plan.report().opening, Some(Opening::Relative { .. }));
        let found = dice.pick(&[0, m, m + 1, 2 * m + 3]);
        let earlier = vec![[1.0, dice.pick(&[1.0, 0.0, f64::NAN, f64::INFINITY]), 0.0]; found];
        let mut field = self.field.clone();
        let before = bits(&field);
        let result =
            self.plan.evaluate_after_into(&self.charges, &earlier, &mut field, &mut self.workspace);
        if relative && found == m {
            // A gradient that is not finite says nothing, and opens too many cells or is refused.
            return match field.potential.iter().all(|x| x.is_finite()) {
                true => Ok(()),
                false => wrong("an earlier gradient left values that are not finite"),
            };
        }
        refused(result, "an earlier gradient")?;
        if bits(&field) == before { Ok(()) } else { wrong("an earlier gradient changed the field") }
    }

    /// Vectors of which one is wrong, no vectors, and right ones.
    fn several_vectors(&mut self, dice: &mut Dice) -> Result<(), Failure> {
        let none = accepted(self.plan.evaluate_many(&[]), "no vectors")?;
        if !none.is_empty() {
            return wrong("no vectors gave fields");
        }
        let longer = vec![0.5; self.charges.len() + 1];
        let right = self.charges.as_slice();
        let mut vectors = vec![right; 1 + dice.below(18)];
        let fields = accepted(self.plan.evaluate_many(&vectors), "several vectors")?;
        if fields.len() != vectors.len() {
            return wrong(format!("{} fields of {} vectors", fields.len(), vectors.len()));
        }
        let at = dice.below(vectors.len());
        vectors[at] = &longer;
        refused(self.plan.evaluate_many(&vectors), "a vector that is too long")
    }

    /// Other positions, then the old ones.
    fn moved_and_back(&mut self) -> Result<(), Failure> {
        let moved = self.points.each_ref().map(|points| {
            points.iter().map(|x| x.map(|part| 3.0 - 2.0 * part)).collect::<Vec<_>>()
        });
        for [sources, receivers] in [&moved, &self.points] {
            let result = match self.one_set {
                true => self.plan.update_positions(sources),
                false => self.plan.update_positions((sources, receivers)),
            };
            accepted(result, "other positions")?;
        }
        Ok(())
    }
}
