//! Cuts by work: even within the limit, kept while they are, found alike by all ranks, and the sum stays that of one process.

use distributed::threads;
use fmm::{Depth, Error, Field, Fmm, Method, RankCuts, RanksReport, Tolerance};
use testbed::conformance::Problem;
use testbed::{charges, clouds};

use super::comparison::{difference, join, part};

const LIMIT: f64 = 0.05;

fn fmm() -> Fmm {
    // An order by which M2L goes pair by pair: with so few points, most waves are those of other ranks.
    let fmm = Fmm::new().tolerance(Tolerance::Order(3)).method(Method::Fmm);
    fmm.depth(Depth::Adaptive { leaf_capacity: 24 })
}

fn plummer(n: usize, seed: u64) -> Problem<f64> {
    Problem::of(&clouds::plummer(n, seed), &charges::mixed(n, seed + 1))
}

/// The account of cuts, which all ranks have alike to the last bit.
fn agreed(reports: &[RanksReport]) -> (RankCuts, f64, f64) {
    let of = |report: &RanksReport| (report.cuts, report.imbalance, report.imbalance_of_points);
    assert!(reports.iter().all(|report| of(report) == of(&reports[0])));
    of(&reports[0])
}

fn account(of_ranks: &[Field<f64>]) -> (RankCuts, f64, f64) {
    let reports: Vec<RanksReport> =
        of_ranks.iter().map(|field| field.report.ranks.clone().unwrap()).collect();
    agreed(&reports)
}

/// The fields of all ranks.
fn fields(sum: &Problem<f64>, fmm: Fmm, size: usize) -> Vec<Field<f64>> {
    let fields = threads::run(size, |ranks| {
        let (plan, own) = sum.plan_over(fmm, &ranks)?;
        plan.evaluate(own)
    });
    fields.unwrap().into_iter().collect::<Result<Vec<_>, Error>>().unwrap()
}

#[test]
fn work_of_plummer_is_even_over_sixteen_ranks() {
    let (n, size) = (200_000, 16);
    let points = clouds::plummer(n, 51).positions;
    let cuts = |limit| {
        let reports = threads::run(size, |ranks| {
            let own = &points[part(ranks.rank(), size, n)];
            let fmm =
                fmm().tolerance(Tolerance::Order(6)).depth(Depth::Adaptive { leaf_capacity: 64 });
            Ok(fmm.imbalance_limit(limit).plan_over(&ranks, own)?.report().ranks.clone().unwrap())
        });
        agreed(&reports.unwrap().into_iter().collect::<Result<Vec<_>, Error>>().unwrap())
    };
    let (by_points, uneven, _) = cuts(f64::INFINITY);
    assert_eq!(by_points, RankCuts::ByPoints);
    assert!(uneven > LIMIT, "{uneven}");
    let (by_work, even, of_points) = cuts(LIMIT);
    assert_eq!(by_work, RankCuts::ByWork);
    assert!(even <= LIMIT, "{even}, {uneven} by points");
    assert!(of_points > 0.0);
}

#[test]
fn cuts_change_no_result() {
    let sum = plummer(20_000, 54);
    let alone = sum.field(fmm()).unwrap();
    for (limit, cuts) in [(f64::INFINITY, RankCuts::ByPoints), (LIMIT, RankCuts::ByWork)] {
        let over = fields(&sum, fmm().imbalance_limit(limit), 8);
        assert_eq!(account(&over).0, cuts);
        assert!(difference(&join(&over), &alone) < 1e-12);
    }
}

#[test]
fn receivers_apart_are_balanced_too() {
    let n = 20_000;
    // Most receivers lie where sources are few.
    let apart = clouds::uniform_cube(n, 3).positions;
    let sum = Problem::<f64>::of(&clouds::plummer(n, 52), &charges::mixed(n, 4)).at(&apart);
    let [(_, uneven, _), (cuts, even, _)] =
        [f64::INFINITY, LIMIT].map(|limit| account(&fields(&sum, fmm().imbalance_limit(limit), 6)));
    assert_eq!(cuts, RankCuts::ByWork, "{uneven}");
    assert!(even < 0.5 * uneven, "{even}, {uneven} by points");
    let alone = sum.field(fmm()).unwrap();
    assert!(difference(&join(&fields(&sum, fmm(), 6)), &alone) < 1e-12);
}

/// A point moved by a little, so that few of them change their boxes.
fn jiggled(points: &[[f64; 3]]) -> Vec<[f64; 3]> {
    let move_by = |(i, x): (usize, &[f64; 3])| x.map(|c| c * (1.0 + 1e-4 * ((i % 7) as f64 - 3.0)));
    points.iter().enumerate().map(move_by).collect()
}

#[test]
fn moved_points_are_cut_anew_where_the_work_asks_for_it() {
    let n = 20_000;
    let before = plummer(n, 53);
    let near = Problem { sources: jiggled(&before.sources), ..plummer(n, 53) };
    // Half of the points fall together, where the others stay.
    let fallen =
        |(i, x): (usize, &[f64; 3])| if i % 2 == 0 { x.map(|c| 0.02 * c + 0.7) } else { *x };
    let sources = before.sources.iter().enumerate().map(fallen).collect();
    let far = Problem { sources, ..plummer(n, 53) };
    let size = 8;
    let steps = threads::run(size, |ranks| {
        let own = part(ranks.rank(), size, n);
        let (mut plan, charges) = before.plan_over(fmm(), &ranks)?;
        let mut accounts = vec![plan.report().ranks.clone().unwrap()];
        let mut fields = Vec::new();
        for to in [&near, &far, &far] {
            plan.update_positions(&to.sources[own.clone()])?;
            accounts.push(plan.report().ranks.clone().unwrap());
            fields.push(plan.evaluate(charges)?);
        }
        Ok((accounts, fields))
    });
    let steps: Vec<_> = steps.unwrap().into_iter().collect::<Result<Vec<_>, Error>>().unwrap();
    let step =
        |k: usize| -> Vec<RanksReport> { steps.iter().map(|rank| rank.0[k].clone()).collect() };
    let cuts: Vec<RankCuts> = (0..4).map(|k| agreed(&step(k)).0).collect();
    assert_eq!(cuts[0], RankCuts::ByWork);
    assert_eq!(cuts[1], RankCuts::Kept, "{:?}", agreed(&step(1)));
    assert_eq!(cuts[2], RankCuts::ByWork, "{:?}", agreed(&step(2)));
    assert_eq!(cuts[3], RankCuts::Kept, "{:?}", agreed(&step(3)));
    assert!((0..4).all(|k| agreed(&step(k)).1 <= LIMIT));
    for (k, to) in [&near, &far].into_iter().enumerate() {
        let over: Vec<_> = steps.iter().map(|rank| rank.1[k].clone()).collect();
        let alone = to.field(fmm()).unwrap();
        assert!(difference(&join(&over), &alone) < 1e-12, "step {k}");
    }
}

#[test]
fn limits_that_make_no_sense_are_refused() {
    for limit in [-0.1, f64::NAN] {
        let refused = Fmm::new().imbalance_limit(limit).plan(&[[0.0; 3]]);
        assert!(matches!(refused, Err(Error::ImbalanceLimit { .. })));
    }
}
