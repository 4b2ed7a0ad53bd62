//! Same input, same bits: for any number of threads, with memory used again, one vector at a time
//! or several at once.

use fmm::{Depth, Field, Fmm, Outputs, Workspace};
use testbed::conformance::{ENGINES, Engine, Precision, Problem, bits};
use testbed::{charges, clouds};

const POINTS: usize = 3000;

/// A cloud whose tree has all four lists.
fn problem<T: Precision>(seed: u64) -> Problem<T> {
    let cloud = clouds::plummer(POINTS, seed);
    Problem::new("plummer", &cloud.positions, &charges::mixed(POINTS, seed + 1))
}

fn vectors<T: Precision>(count: usize) -> Vec<Vec<T>> {
    let vector = |seed| charges::mixed(POINTS, seed as u64 + 50).into_iter().map(T::narrow);
    (0..count).map(|seed| vector(seed).collect()).collect()
}

/// Deep enough for work at several levels.
fn deep(engine: Engine) -> Fmm {
    engine.fmm().tolerance(1e-4).depth(Depth::Adaptive { leaf_capacity: 20 })
}

fn in_pool<R: Send>(n_threads: usize, work: impl FnOnce() -> R + Send) -> R {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(n_threads).build().unwrap();
    pool.install(work)
}

fn any_number_of_threads<T: Precision>() {
    let cloud = clouds::two_clusters(POINTS, 8);
    let apart = problem::<T>(7).at(&cloud.positions);
    for problem in [problem(7), apart] {
        for engine in ENGINES {
            let field =
                |n_threads| in_pool(n_threads, || bits(&problem.field(deep(engine)).unwrap()));
            let one = field(1);
            assert_eq!(one.len(), 4 * POINTS);
            for n_threads in [2, 3, 7] {
                assert!(field(n_threads) == one, "{engine:?} with {n_threads} threads");
            }
        }
    }
}

#[test]
fn any_number_of_threads_in_f64() {
    any_number_of_threads::<f64>();
}

#[test]
fn any_number_of_threads_in_f32() {
    any_number_of_threads::<f32>();
}

/// A workspace and a field go from plan to plan, bigger and smaller, with and without gradient.
fn memory_is_used_again<T: Precision>() {
    let (mut field, mut workspace) = (Field::default(), Workspace::new());
    for engine in ENGINES {
        let plans = [
            problem::<T>(1).plan(deep(engine)).unwrap(),
            problem::<T>(2).plan(deep(engine).tolerance(1e-3)).unwrap(),
            problem::<T>(3).plan(deep(engine).outputs(Outputs::Potential)).unwrap(),
        ];
        for plan in plans.iter().chain(&plans) {
            for charges in vectors::<T>(2) {
                for _ in 0..2 {
                    plan.evaluate_into(&charges, &mut field, &mut workspace).unwrap();
                    assert!(bits(&field) == bits(&plan.evaluate(&charges).unwrap()), "{engine:?}");
                }
            }
        }
    }
}

#[test]
fn memory_is_used_again_in_f64() {
    memory_is_used_again::<f64>();
}

#[test]
fn memory_is_used_again_in_f32() {
    memory_is_used_again::<f32>();
}

fn several_vectors_at_once<T: Precision>() {
    let vectors = vectors::<T>(9);
    for engine in ENGINES {
        for outputs in [Outputs::PotentialAndGradient, Outputs::Potential] {
            let plan = problem::<T>(4).plan(deep(engine).outputs(outputs)).unwrap();
            let single: Vec<_> =
                vectors.iter().map(|charges| bits(&plan.evaluate(charges).unwrap())).collect();
            for count in 0..=vectors.len() {
                let charges: Vec<&[T]> = vectors[..count].iter().map(Vec::as_slice).collect();
                let fields = plan.evaluate_many(&charges).unwrap();
                assert_eq!(fields.len(), count);
                for (k, field) in fields.iter().enumerate() {
                    assert_eq!(field.report.n_vectors, count);
                    assert!(bits(field) == single[k], "{engine:?}, {outputs:?}, {k} of {count}");
                }
            }
        }
    }
}

#[test]
fn several_vectors_at_once_in_f64() {
    several_vectors_at_once::<f64>();
}

#[test]
fn several_vectors_at_once_in_f32() {
    several_vectors_at_once::<f32>();
}

/// Moved points make the plan that fresh ones do.
#[test]
fn moved_points_are_as_good_as_new() {
    for engine in ENGINES {
        let (here, there) = (problem::<f64>(5), problem::<f64>(6));
        let mut plan = here.plan(deep(engine)).unwrap();
        plan.evaluate(&here.charges).unwrap();
        plan.update_positions(&there.sources).unwrap();
        let fresh = there.field(deep(engine)).unwrap();
        assert!(bits(&plan.evaluate(&there.charges).unwrap()) == bits(&fresh), "{engine:?}");

        let (here, there) = (here.clone().at(&there.sources), there.at(&here.sources));
        let mut plan = here.plan(deep(engine)).unwrap();
        plan.update_positions_between(&there.sources, there.receivers()).unwrap();
        let fresh = there.field(deep(engine)).unwrap();
        assert!(bits(&plan.evaluate(&there.charges).unwrap()) == bits(&fresh), "{engine:?}");
    }
}
