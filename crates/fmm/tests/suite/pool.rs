//! Evaluations within and outside the caller's pool.

use std::sync::mpsc;
use std::time::Duration;

use fmm::{Fmm, Method};
use rayon::prelude::*;

/// Longest time of evaluations that take a second.
const LONGEST: Duration = Duration::from_secs(300);

fn points(n: usize) -> Vec<[f64; 3]> {
    let steps = [0.819_172_513_4, 0.671_043_606_7, 0.549_700_477_9];
    (0..n).map(|i| steps.map(|step| (i as f64 * step).fract())).collect()
}

/// Evaluations of one plan begin each other while they wait: what a plan makes when it is first needed must not wait for
/// itself.
#[test]
fn evaluations_of_one_plan_run_within_the_pool() {
    let (positions, charges) = (points(6000), vec![1.0; 6000]);
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        for tolerance in [1e-3, 1e-6] {
            let request = Fmm::new().method(Method::Fmm).tolerance(tolerance);
            let outside = request.plan(&positions).unwrap().evaluate(&charges).unwrap();
            for _ in 0..3 {
                // A fresh plan has made nothing yet.
                let plan = request.plan(&positions).unwrap();
                let evaluate = |_| plan.evaluate(&charges).unwrap();
                let fields: Vec<_> =
                    pool.install(|| (0..8).into_par_iter().map(evaluate).collect());
                let same = |field: &fmm::Field<f64>| {
                    field.potential == outside.potential && field.gradient == outside.gradient
                };
                assert!(fields.iter().all(same), "other bits within the pool");
            }
        }
        sender.send(()).unwrap();
    });
    receiver.recv_timeout(LONGEST).expect("evaluations wait for each other");
}

/// The same on a GPU, whatever the plan keeps in its memory: evaluations must not wait for memory that another one on the same
/// thread has.
#[cfg(feature = "emulator")]
#[test]
fn evaluations_of_one_plan_on_a_gpu_run_within_the_pool() {
    let (sources, receivers, charges) = (points(300), points(900), vec![1.0; 300]);
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        let depth = fmm::Depth::Adaptive { leaf_capacity: 32 };
        let whole = Fmm::new().device(fmm::Device::Emulated).method(Method::Fmm).depth(depth);
        let mut request = whole.tolerance(1e-3);
        loop {
            let plan = request.plan((&sources, &receivers)).unwrap();
            let evaluate = |_| plan.evaluate(&charges).unwrap();
            let fields: Vec<_> = pool.install(|| (0..2).into_par_iter().map(evaluate).collect());
            for field in &fields {
                let error = plan.sample_error(&charges, field, 50).unwrap();
                assert!(error.l2() < 1e-3, "{error:?}");
            }
            let memory = fields[0].report.device_memory.unwrap();
            if memory.taken_in != [1, 1] {
                break;
            }
            request = request.memory_limit(memory.peak - 1);
        }
        sender.send(()).unwrap();
    });
    receiver.recv_timeout(LONGEST).expect("evaluations wait for each other");
}
