//! Leaf capacities, by a scan about those of the cost model.

use fmm::{Depth, Method, Scalar, Tolerance};
use testbed::clouds;
use testbed::conformance::Problem;
use testbed::fit::geometric_mean;

use super::is_f64;
use super::timing::{Machine, masses, time};
use crate::tables::Numbers;
use crate::{Outcome, SEED};

/// Capacities that are tried, over the model's: steps of a third of an octave.
const FACTORS: [f64; 7] = [0.5, 0.63, 0.79, 1.0, 1.26, 1.59, 2.0];

/// Sizes of leaves, as in `fmm::choose::costs::Costs`.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeafCosts {
    pub(super) smallest_leaf: f64,
    pub(super) capacity: f64,
    pub(super) smallest_capacity: f64,
}

/// Scans clustered sets, where leaves of all fillings occur and capacities act smoothly: boxes of evenly spread points
/// are split all at once.
pub(super) fn measure<T: Scalar>(machine: Machine, old: &Numbers) -> Outcome<LeafCosts> {
    let before = |name: &str| old.get(name).and_then(|values| values.first()).copied();
    let floor = before("smallest_capacity").unwrap_or(1.0);
    let n = machine.pick(50_000, 1 << 20);
    let sets = [clouds::plummer(n, SEED), clouds::two_clusters(n, SEED), clouds::galaxy(n, SEED)];
    let of_gpu: &[usize] = if is_f64::<T>() { &[5, 10, 15, 24, 36] } else { &[3, 5, 8, 10, 12] };
    let orders = machine.pick(&[4, 8, 12][..], of_gpu);
    let (mut factors, mut smallest) = (Vec::new(), Vec::new());
    for cloud in &sets {
        let problem = masses(cloud);
        for order in orders {
            let (model, best) = best_capacity::<T>(machine, *order, &problem)?;
            eprintln!("{}, order {order}: best capacity {best}, by the model {model}", cloud.name);
            if *order == orders[0] {
                smallest.push(best);
            }
            // A capacity that the floor has set tells nothing of the model.
            if model > floor {
                factors.push(best / model);
            }
        }
    }
    let capacity = before("capacity").unwrap_or(1.0) * geometric_mean(&factors);
    if !machine.is_gpu() {
        // Kernels of the cores serve leaves of any size alike.
        return Ok(LeafCosts { smallest_leaf: 1.0, capacity, smallest_capacity: 1.0 });
    }
    // Warps are busy from some size on, whatever the order: the best capacity of the smallest order.
    let smallest_capacity = geometric_mean(&smallest).round();
    let smallest_leaf = smallest_capacity / (capacity * 8f64.sqrt());
    Ok(LeafCosts { smallest_leaf, capacity, smallest_capacity })
}

/// The model's capacity and the fastest one.
fn best_capacity<T: Scalar>(
    machine: Machine,
    order: usize,
    problem: &Problem<T>,
) -> Outcome<(f64, f64)> {
    let fmm = machine.fmm().method(Method::Fmm).tolerance(Tolerance::Order(order));
    let model = problem.plan(fmm)?.report().leaf_capacity.unwrap_or(1) as f64;
    let mut best = (f64::INFINITY, model);
    for factor in FACTORS {
        let leaf_capacity = (factor * model).round().max(1.0);
        let depth = Depth::Adaptive { leaf_capacity: leaf_capacity as usize };
        let seconds = time(fmm.depth(depth), problem, 1)?.total();
        if seconds < best.0 {
            best = (seconds, leaf_capacity);
        }
    }
    Ok((model, best.1))
}
