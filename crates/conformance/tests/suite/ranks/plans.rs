//! Plans over ranks, besides one evaluation: several vectors, moved points, its own check, its report.

use distributed::threads;
use fmm::{Error, Fmm, Method, RankCuts, Stage, Workspace};
use testbed::conformance::Problem;
use testbed::{charges, clouds};

use super::comparison::{difference, join, part};

const N: usize = 3000;

fn fmm() -> Fmm {
    Fmm::new().tolerance(1e-5).method(Method::Fmm)
}

fn sum(seed: u64) -> Problem<f64> {
    Problem::of(&clouds::plummer(N, seed), &charges::mixed(N, seed + 1))
}

#[test]
fn several_vectors_at_once() {
    let sum = sum(1);
    let other = charges::mixed(N, 9);
    let alone = sum.plan(fmm()).unwrap().evaluate_many(&[&sum.charges, &other]).unwrap();
    let fields = threads::run(3, |ranks| {
        let (plan, own) = sum.plan_over(fmm(), &ranks)?;
        plan.evaluate_many(&[own, &other[part(ranks.rank(), 3, N)]])
    });
    let fields: Vec<_> = fields.unwrap().into_iter().collect::<Result<Vec<_>, Error>>().unwrap();
    for (k, alone) in alone.iter().enumerate() {
        let of_ranks: Vec<_> = fields.iter().map(|of_rank| of_rank[k].clone()).collect();
        let over = join(&of_ranks);
        assert!(difference(&over, alone) < 1e-12);
        assert_eq!(over.report.n_vectors, 2);
    }
}

#[test]
fn moved_points_and_used_memory() {
    let (before, after) = (sum(1), sum(4));
    let alone = after.plan(fmm()).unwrap().evaluate(&before.charges).unwrap();
    let fields = threads::run(4, |ranks| {
        let (mut plan, own) = before.plan_over(fmm(), &ranks)?;
        let (mut field, mut workspace) = (fmm::Field::default(), Workspace::new());
        plan.evaluate_into(own, &mut field, &mut workspace)?;
        let kept = plan.clone();
        plan.update_positions(&after.sources[part(ranks.rank(), 4, N)])?;
        plan.evaluate_into(own, &mut field, &mut workspace)?;
        let moved = field.clone();
        kept.evaluate_into(own, &mut field, &mut workspace)?;
        Ok((moved, field))
    });
    let fields: Vec<_> = fields.unwrap().into_iter().collect::<Result<Vec<_>, Error>>().unwrap();
    let (moved, kept): (Vec<_>, Vec<_>) = fields.into_iter().unzip();
    assert!(difference(&join(&moved), &alone) < 1e-12);
    let first = before.field(fmm()).unwrap();
    assert!(difference(&join(&kept), &first) < 1e-12);
}

#[test]
fn plans_check_themselves_and_report() {
    for method in [Method::Fmm, Method::Direct] {
        let sum = sum(6);
        let fmm = fmm().method(method);
        let plan = sum.plan(fmm).unwrap();
        let field = plan.evaluate(&sum.charges).unwrap();
        let alone = plan.sample_error(&sum.charges, &field, 500).unwrap();
        let results = threads::run(3, |ranks| {
            let (plan, own) = sum.plan_over(fmm, &ranks)?;
            let field = plan.evaluate(own)?;
            Ok((plan.sample_error(own, &field, 500)?, field, plan.report().clone()))
        });
        let results: Vec<_> =
            results.unwrap().into_iter().collect::<Result<Vec<_>, Error>>().unwrap();
        for (sampled, of_rank, planned) in results {
            assert!(sampled.receivers.abs_diff(alone.receivers) <= 3);
            if method == Method::Fmm {
                let [here, there] = [sampled, alone].map(|error| error.gradient.unwrap().l2);
                assert!((here / there - 1.0).abs() < 1e-3);
            }
            assert!(sampled.l2() < 1e-5);
            assert_eq!(planned.ranks.map(|ranks| ranks.ranks.len()), Some(3));
            let ranks = of_rank.report.ranks.unwrap();
            assert_eq!(planned.n_sources, N);
            match method {
                Method::Direct => {
                    // The parts that the ranks bring: two thirds, none, one third.
                    assert_eq!((ranks.cuts, ranks.imbalance), (RankCuts::AsBrought, 1.0));
                }
                _ => assert!(ranks.imbalance < 0.2 && ranks.imbalance_of_points < 0.5),
            }
            assert!(ranks.ranks.iter().all(|rank| rank.bytes_sent > 0 && rank.messages > 0));
            assert!(ranks.ranks[1].seconds.of(Stage::P2p) > 0.0);
            let force = of_rank.report.net_force.unwrap();
            assert!((force - field.report.net_force.unwrap()).abs() < 1e-9);
        }
    }
}

/// Ranks whose leaves are all neighbours report no order, as one process does: no expansion acts.
#[test]
fn sums_without_expansions() {
    let few = Problem::<f64>::of(&clouds::uniform_cube(20, 8), &charges::mixed(20, 9));
    let alone = few.field(fmm()).unwrap();
    let fields = threads::run(3, |ranks| {
        let (plan, own) = few.plan_over(fmm(), &ranks)?;
        Ok((plan.report().order, plan.evaluate(own)?))
    });
    let fields: Vec<_> = fields.unwrap().into_iter().collect::<Result<Vec<_>, Error>>().unwrap();
    for (planned, field) in fields {
        assert_eq!([planned, field.report.order], [0; 2]);
        let choices = |report: &fmm::Report| (report.order, report.m2l, report.predicted_error);
        assert_eq!(choices(&field.report), choices(&alone.report));
    }
}
