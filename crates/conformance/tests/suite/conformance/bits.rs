//! Same input, same bits: for any number of threads, with memory used again, for any number of charge
//! vectors at once.

use fmm::{Depth, Field, Fmm, Outputs, Workspace};
use testbed::conformance::{Bed, Engine, Precision, Problem, bits};
use testbed::{charges, clouds, norms};

const POINTS: usize = 3000;

/// A cloud whose tree has all four lists.
fn problem<T: Precision>(bed: Bed, seed: u64) -> Problem<T> {
    let n = bed.points(POINTS);
    let cloud = clouds::plummer(n, seed);
    Problem::new("plummer", &cloud.positions, &charges::mixed(n, seed + 1))
}

fn vectors<T: Precision>(bed: Bed, count: usize) -> Vec<Vec<T>> {
    let vector =
        |seed| charges::mixed(bed.points(POINTS), seed as u64 + 50).into_iter().map(T::narrow);
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

fn any_number_of_threads<T: Precision>(bed: Bed) {
    let cloud = clouds::two_clusters(bed.points(POINTS), 8);
    let apart = problem::<T>(bed, 7).at(&cloud.positions);
    for problem in [problem(bed, 7), apart] {
        for engine in bed.engines() {
            let field =
                |n_threads| in_pool(n_threads, || bits(&problem.field(deep(engine)).unwrap()));
            let one = field(1);
            assert_eq!(one.len(), 4 * bed.points(POINTS));
            for n_threads in [2, 3, 7] {
                assert!(field(n_threads) == one, "{engine:?} with {n_threads} threads");
            }
        }
    }
}

fn any_number_of_threads_in_f64(bed: Bed) {
    any_number_of_threads::<f64>(bed);
}

fn any_number_of_threads_in_f32(bed: Bed) {
    any_number_of_threads::<f32>(bed);
}

/// A workspace and a field go from plan to plan, bigger and smaller, with one output and with both.
fn memory_is_used_again<T: Precision>(bed: Bed) {
    let (mut field, mut workspace) = (Field::default(), Workspace::new());
    for engine in bed.engines() {
        let plans = [
            problem::<T>(bed, 1).plan(deep(engine)).unwrap(),
            problem::<T>(bed, 2).plan(deep(engine).tolerance(1e-3)).unwrap(),
            problem::<T>(bed, 3).plan(deep(engine).outputs(Outputs::Potential)).unwrap(),
            problem::<T>(bed, 1).plan(deep(engine).outputs(Outputs::Gradient)).unwrap(),
        ];
        // An emulator takes seconds for what the others do in milliseconds.
        let (again, count) = if bed.is_slow() { (1, 1) } else { (plans.len(), 2) };
        for plan in plans.iter().chain(&plans[..again]) {
            for charges in vectors::<T>(bed, count) {
                for _ in 0..count {
                    plan.evaluate_into(&charges, &mut field, &mut workspace).unwrap();
                    assert!(bits(&field) == bits(&plan.evaluate(&charges).unwrap()), "{engine:?}");
                }
            }
        }
    }
}

fn memory_is_used_again_in_f64(bed: Bed) {
    memory_is_used_again::<f64>(bed);
}

fn memory_is_used_again_in_f32(bed: Bed) {
    memory_is_used_again::<f32>(bed);
}

/// Vectors have the same bits at once with any number of others, and alone all but the rounding of pairs.
fn several_vectors_at_once<T: Precision>(bed: Bed) {
    let vectors = vectors::<T>(bed, if bed.is_slow() { 2 } else { 9 });
    let slices: Vec<&[T]> = vectors.iter().map(Vec::as_slice).collect();
    let rounding = 4.0 * (bed.points(POINTS) as f64).sqrt() * T::EPSILON;
    let outputs = [Outputs::PotentialAndGradient, Outputs::Potential, Outputs::Gradient];
    for engine in bed.engines() {
        for outputs in outputs.into_iter().take(if bed.is_slow() { 1 } else { 3 }) {
            let plan = problem::<T>(bed, 4).plan(deep(engine).outputs(outputs)).unwrap();
            let at_once = |count| in_pool(3, || plan.evaluate_many(&slices[..count]).unwrap());
            let all = at_once(slices.len());
            assert!(bits(&at_once(1)[0]) == bits(&plan.evaluate(slices[0]).unwrap()));
            for (k, field) in all.iter().enumerate() {
                let alone = plan.evaluate(slices[k]).unwrap();
                let [potential, gradient] = differences(field, &alone);
                assert!(
                    potential < rounding && gradient < rounding,
                    "{engine:?}, {outputs:?}, {k}"
                );
            }
            for count in [0, 2, slices.len()] {
                let fields = plan.evaluate_many(&slices[..count]).unwrap();
                assert_eq!(fields.len(), count);
                for (k, field) in fields.iter().enumerate() {
                    assert_eq!(field.report.n_vectors, count);
                    assert!(
                        bits(field) == bits(&all[k]),
                        "{engine:?}, {outputs:?}, {k} of {count}"
                    );
                }
            }
        }
    }
}

/// Relative L2 differences of potential and gradient.
fn differences<T: Precision>(field: &Field<T>, reference: &Field<T>) -> [f64; 2] {
    let potential =
        |field: &Field<T>| field.potential.iter().map(|x| x.widen()).collect::<Vec<_>>();
    let gradient =
        |field: &Field<T>| field.gradient.iter().map(|g| g.map(T::widen)).collect::<Vec<_>>();
    [
        norms::scalar(&potential(field), &potential(reference)).l2,
        norms::vector(&gradient(field), &gradient(reference)).l2,
    ]
}

fn several_vectors_at_once_in_f64(bed: Bed) {
    several_vectors_at_once::<f64>(bed);
}

fn several_vectors_at_once_in_f32(bed: Bed) {
    several_vectors_at_once::<f32>(bed);
}

/// Moved points make the plan that fresh ones do.
fn moved_points_are_as_good_as_new(bed: Bed) {
    for engine in bed.engines() {
        let (here, there) = (problem::<f64>(bed, 5), problem::<f64>(bed, 6));
        let mut plan = here.plan(deep(engine)).unwrap();
        plan.evaluate(&here.charges).unwrap();
        plan.update_positions(&there.sources).unwrap();
        let fresh = there.field(deep(engine)).unwrap();
        assert!(bits(&plan.evaluate(&there.charges).unwrap()) == bits(&fresh), "{engine:?}");

        let (here, there) = (here.clone().at(&there.sources), there.at(&here.sources));
        let mut plan = here.plan(deep(engine)).unwrap();
        plan.update_positions((&there.sources, there.receivers())).unwrap();
        let fresh = there.field(deep(engine)).unwrap();
        assert!(bits(&plan.evaluate(&there.charges).unwrap()) == bits(&fresh), "{engine:?}");
    }
}

on_every_device! {
    memory_is_used_again_in_f32,
    several_vectors_at_once_in_f32,
    moved_points_are_as_good_as_new,
}

on_devices! {
    memory_is_used_again_in_f64: cpu emulated_hybrid cuda hybrid;
    several_vectors_at_once_in_f64: cpu emulated_hybrid cuda hybrid;
    any_number_of_threads_in_f64: cpu emulated_hybrid hybrid;
    any_number_of_threads_in_f32: cpu emulated_hybrid hybrid;
}
