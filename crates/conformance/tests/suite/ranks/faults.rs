//! Faults: all ranks end with the same error, and none waits for ever.

use std::sync::Arc;

use distributed::{Communicator, threads};
use fmm::{Device, Error, Fmm, Method, Opening, Treecode};
use testbed::conformance::Problem;
use testbed::{charges, clouds};

use super::comparison::part;

const RANKS: usize = 4;

fn sum() -> Problem<f64> {
    Problem::of(&clouds::uniform_cube(1000, 1), &charges::masses(1000, 2))
}

/// The error of all ranks, which has to be the same.
fn error(run: impl Fn(&Arc<dyn Communicator>) -> Result<(), Error> + Sync) -> String {
    let errors = threads::run(RANKS, |ranks| run(&ranks).unwrap_err().to_string()).unwrap();
    assert!(errors.windows(2).all(|pair| pair[0] == pair[1]), "{errors:?}");
    errors[0].clone()
}

#[test]
fn bad_points_on_one_rank() {
    for bad in [f64::NAN, f64::INFINITY, 1e308] {
        let mut sum = sum();
        sum.sources[700][1] = bad;
        let error = error(|ranks| sum.plan_over(Fmm::new(), ranks).map(|_| ()));
        assert!(error.starts_with("rank "), "{error}");
    }
}

#[test]
fn bad_charges_on_one_rank() {
    let sum = sum();
    let refused = |bad: &(dyn Fn(&mut Vec<f64>) + Sync)| {
        error(|ranks| {
            let (plan, own) = sum.plan_over(Fmm::new().tolerance(1e-3), ranks)?;
            let mut own = own.to_vec();
            if ranks.rank() == 2 {
                bad(&mut own);
            }
            let evaluated = plan.evaluate(&own).map(|_| ());
            // The plan goes on to serve after a refusal.
            plan.evaluate(sum.plan_over(Fmm::new(), ranks)?.1)?;
            evaluated
        })
    };
    let error = refused(&|charges| charges[3] = f64::NAN);
    assert!(error.starts_with("rank 2: ") && error.contains("charge 3"), "{error}");
    let error = refused(&|charges| charges.truncate(charges.len() - 1));
    assert!(error.starts_with("rank 2: "), "{error}");
}

/// Ranks with a GPU each: bad points and charges on one of them.
#[test]
fn faults_of_one_gpu() {
    let gpu = || Fmm::new().tolerance(1e-3).method(Method::Fmm).device(Device::Emulated);
    let mut bad = sum();
    bad.sources[700][1] = f64::NAN;
    let refused = error(|ranks| bad.plan_over(gpu(), ranks).map(|_| ()));
    assert!(refused.starts_with("rank ") && refused.contains("not finite"), "{refused}");
    let sum = sum();
    let refused = error(|ranks| {
        let (plan, own) = sum.plan_over(gpu(), ranks)?;
        let mut own = own.to_vec();
        if ranks.rank() == 3 {
            own[5] = f64::INFINITY;
        }
        plan.evaluate(&own).map(|_| ())
    });
    assert!(refused.starts_with("rank 3: ") && refused.contains("charge 5"), "{refused}");
}

#[test]
fn requests_that_do_not_fit() {
    let sum = sum();
    let with = |fmm: &(dyn Fn(usize) -> Fmm + Sync)| {
        error(|ranks| sum.plan_over(fmm(ranks.rank()), ranks).map(|_| ()))
    };
    let differ = with(&|rank| Fmm::new().tolerance(if rank == 3 { 1e-3 } else { 1e-6 }));
    assert!(differ.starts_with("ranks 0 and 3 ask for sums of different tolerance;"), "{differ}");
    let differ = with(&|rank| Fmm::new().softening(if rank == 1 { 0.1 } else { 0.0 }));
    assert!(differ.starts_with("ranks 0 and 1 ask for sums of different softening;"), "{differ}");
    for other in 0..3 {
        let mixed = error(|ranks| {
            let points = [[ranks.rank() as f64, 0.0, 0.0]];
            let single = points.map(|point| point.map(|x| x as f32));
            match (ranks.rank() == 2, other) {
                (false, 0 | 1) => Fmm::new().plan_over(ranks, &points).map(|_| ()),
                (true, 0) | (false, _) => Fmm::new().plan_over(ranks, &single).map(|_| ()),
                (true, _) => Fmm::new().plan_f32_over(ranks, &points).map(|_| ()),
            }
        });
        assert!(mixed.contains("different precision"), "{mixed}");
    }
    let one = with(&|rank| Fmm::new().tolerance(if rank == 1 { -1.0 } else { 1e-6 }));
    assert!(one.contains("rank"), "{one}");
    let walks = Treecode::new().opening(Opening::Nakasato { theta: 0.6 });
    let refused = with(&|_| Fmm::new().method(walks).device(Device::Emulated));
    assert!(refused.contains("Opening::Neighbours"), "{refused}");
    let sets = error(|ranks| {
        let points = &sum.sources;
        match ranks.rank() {
            1 => Fmm::new().plan_over(ranks, (points, points)).map(|_| ()),
            _ => Fmm::new().plan_over(ranks, points).map(|_| ()),
        }
    });
    assert!(sets.contains("receivers"), "{sets}");
}

#[test]
fn vectors_of_different_number() {
    let sum = sum();
    // Rank 3 has one more, and ranks 0 and 2 have none.
    for number in [|rank: usize| 1 + rank / 3, |rank: usize| rank % 2] {
        let error = error(|ranks| {
            let (plan, own) = sum.plan_over(Fmm::new().tolerance(1e-3), ranks)?;
            let vectors: Vec<&[f64]> = vec![own; number(ranks.rank())];
            plan.evaluate_many(&vectors).map(|_| ())
        });
        assert!(error.contains("charge vectors"), "{error}");
    }
}

/// One rank makes another call than the others; the plan goes on to serve.
#[test]
fn calls_that_differ() {
    let sum = sum();
    for case in 0..3 {
        let error = error(|ranks| {
            let own = part(ranks.rank(), RANKS, sum.sources.len());
            let (points, charges) = (&sum.sources[own.clone()], &sum.charges[own]);
            let mut plan = Fmm::new().tolerance(1e-3).plan_f32_over(ranks, points)?;
            let rounded: Vec<f32> = charges.iter().map(|q| *q as f32).collect();
            let field = plan.evaluate(&rounded)?;
            let done = match (ranks.rank() == 1, case) {
                (true, 0) => plan.evaluate(&rounded).map(|_| ()),
                (true, 1) => plan.sample_error_f64(charges, &field, 10).map(|_| ()),
                (false, 0 | 1) => plan.evaluate_f64(charges).map(|_| ()),
                (true, _) => plan.update_positions(points),
                (false, _) => plan.sample_error(&rounded, &field, 10).map(|_| ()),
            };
            plan.evaluate_f64(charges)?;
            done
        });
        assert!(error.starts_with("ranks make different calls"), "{case}: {error}");
    }
}

#[test]
fn memory_that_one_rank_does_not_have() {
    let sum = sum();
    let error = error(|ranks| {
        let limit = if ranks.rank() == 1 { 1000 } else { usize::MAX };
        sum.plan_over(Fmm::new().method(Method::Fmm).memory_limit(limit), ranks).map(|_| ())
    });
    assert!(error.starts_with("rank 1: "), "{error}");
}

#[test]
fn a_rank_that_leaves() {
    let sum = sum();
    let results = threads::run(RANKS, |ranks| {
        if ranks.rank() == 2 {
            return None;
        }
        Some(sum.plan_over(Fmm::new(), &ranks).map(|_| ()).unwrap_err().to_string())
    });
    for error in results.unwrap().into_iter().flatten() {
        assert!(error.contains("rank 2"), "{error}");
    }
}
