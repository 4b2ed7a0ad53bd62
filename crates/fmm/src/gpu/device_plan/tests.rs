//! Plans over memory of a device against direct sums of this file, and what crosses the bus.

use std::sync::atomic::Ordering;

use kernels_gpu::device::Vec4;
use kernels_gpu::machine::{Emulator, MachineError};
use kernels_gpu::memory::Grown;
use octree::Aabb;

use super::{DevicePlan, SetSizes};
use crate::api::{Device, Error, Method, Opening, PlanStep, Treecode};
use crate::gpu::LimitedMachine;
use crate::plan::Fmm;

/// Points in a cube, denser at a corner.
fn points(n: usize, time: f64) -> Vec<[f64; 3]> {
    let steps = [0.819_172_513_4, 0.671_043_606_7, 0.549_700_477_9];
    let coordinate = |i: usize, step: f64| (i as f64 * step + time).fract();
    (0..n).map(|i| steps.map(|step| coordinate(i, step).powi(2) * (1.0 + time))).collect()
}

/// The machine of all tests, for which the kernels' launches are compiled once.
fn machine() -> LimitedMachine {
    LimitedMachine::new(usize::MAX)
}

type Planned = DevicePlan<LimitedMachine, f32>;

/// Plan with points and charges on a machine, evaluated.
fn planned(
    machine: &LimitedMachine,
    request: Fmm,
    sets: SetSizes,
    points: &[[f64; 3]],
    charges: &[f32],
) -> Result<Planned, Error> {
    let mut plan = DevicePlan::new(machine.clone(), request)?;
    plan.points_mut(sets)?.upload(machine, &vectors(points))?;
    plan.build()?;
    set(machine, &mut plan, charges)?;
    plan.evaluate()?;
    Ok(plan)
}

fn vectors(points: &[[f64; 3]]) -> Vec<Vec4<f32>> {
    points.iter().map(|[x, y, z]| Vec4([*x as f32, *y as f32, *z as f32, f32::NAN])).collect()
}

fn set(machine: &LimitedMachine, plan: &mut Planned, charges: &[f32]) -> Result<(), Error> {
    let mut memory = Grown::new();
    memory.upload(machine, charges)?;
    plan.set_charges(memory.slice(charges.len())?)
}

/// Relative L2 error of the gradient and of the potential at every 37th receiver, against the direct sum in f64.
fn errors(
    machine: &LimitedMachine,
    plan: &Planned,
    [sources, receivers]: [&[[f64; 3]]; 2],
    charges: &[f32],
) -> [f64; 2] {
    let narrow = |point: &[f64; 3]| point.map(|x| f64::from(x as f32));
    let mut field = vec![Vec4::default(); receivers.len()];
    plan.field().download(machine, &mut field).unwrap();
    let mut sums = [[0.0; 2]; 2];
    for (i, receiver) in receivers.iter().enumerate().step_by(37) {
        let at = narrow(receiver);
        let mut exact = [0.0; 4];
        for (source, charge) in sources.iter().map(narrow).zip(charges) {
            let d = [0, 1, 2].map(|axis| source[axis] - at[axis]);
            let r2: f64 = d.iter().map(|x| x * x).sum();
            if r2 > 0.0 {
                let q = f64::from(*charge);
                exact[3] += q / r2.sqrt();
                (0..3).for_each(|axis| exact[axis] += q * d[axis] / r2.powf(1.5));
            }
        }
        for (k, exact) in exact.into_iter().enumerate() {
            let part = &mut sums[k / 3];
            part[0] += (f64::from(field[i].0[k]) - exact).powi(2);
            part[1] += exact * exact;
        }
    }
    sums.map(|[errors, squares]| (errors / squares).sqrt())
}

#[test]
fn the_tolerance_holds_by_every_method() {
    let positions = points(4000, 0.0);
    let masses: Vec<f32> = (0..4000).map(|i| 0.5 + (i % 5) as f32).collect();
    let mixed: Vec<f32> = (0..4000).map(|i| (i % 5) as f32 - 1.7).collect();
    let walk = Treecode::new().opening(Opening::BarnesHut { theta: 0.5 });
    let both = [positions.as_slice(); 2];
    for method in [Method::Fmm, Method::Direct, Method::Treecode(walk)] {
        for charges in [&masses, &mixed] {
            let request = Fmm::new().method(method).tolerance(3e-3);
            let plan =
                planned(&machine(), request, SetSizes::Both(4000), &positions, charges).unwrap();
            let found = errors(&machine(), &plan, both, charges);
            assert!(found.iter().all(|e| *e < 3e-3), "{method} {found:?}");
            let report = plan.report();
            assert_eq!(report.method.to_string(), method.to_string());
            assert_eq!((report.device, &*report.instructions), (Device::Cuda(0), "emulator"));
            let estimated = report.estimated_error.unwrap();
            assert!(estimated < 3e-3 && estimated > 0.2 * found[0], "{estimated:e} {found:?}");
            assert!(method != Method::Fmm || report.m2l_pairs > 0);
        }
    }
}

#[test]
fn steps_that_are_missing_are_told() {
    let machine = machine();
    let missing = |plan: &mut Planned, expected: PlanStep| match plan.evaluate() {
        Err(Error::StepMissing { step }) => assert_eq!(step, expected),
        other => panic!("{:?} instead of a missing {expected}", other.map(|field| field.len())),
    };
    let (positions, charges) = (points(500, 0.0), [1.0; 500]);
    let mut plan = Planned::new(machine.clone(), Fmm::new().tolerance(1e-3)).unwrap();
    missing(&mut plan, PlanStep::Build);
    let write = |plan: &mut Planned, n: usize| {
        let mut points = plan.points_mut(SetSizes::Both(n)).unwrap();
        points.upload(&machine, &vectors(&positions[..n])).unwrap();
    };
    write(&mut plan, 500);
    missing(&mut plan, PlanStep::Build);
    plan.build().unwrap();
    missing(&mut plan, PlanStep::SetCharges);
    set(&machine, &mut plan, &charges).unwrap();
    assert_eq!(plan.field().len(), 0);
    plan.evaluate().unwrap();
    assert_eq!(plan.field().len(), 500);
    // Fewer points, whose charges are others.
    write(&mut plan, 400);
    missing(&mut plan, PlanStep::Build);
    plan.build().unwrap();
    missing(&mut plan, PlanStep::SetCharges);
    assert_eq!(plan.field().len(), 0);
}

#[test]
fn receivers_apart_from_sources() {
    let all = points(5000, 0.1);
    let (sources, receivers) = all.split_at(3500);
    let charges = vec![1.0f32; 3500];
    let request = Fmm::new().method(Method::Fmm).tolerance(1e-3);
    let plan = planned(&machine(), request, SetSizes::Apart(3500, 1500), &all, &charges).unwrap();
    let found = errors(&machine(), &plan, [sources, receivers], &charges);
    assert!(found.iter().all(|e| *e < 1e-3), "{found:?}");
    assert_eq!((plan.report().n_sources, plan.report().n_receivers), (3500, 1500));
}

/// One mass of half of all, as a galaxy's black hole.
#[test]
fn charges_that_outweigh_the_others_are_summed_directly() {
    let positions = points(4000, 0.0);
    let mut charges = vec![1.0f32; 4000];
    charges[1234] = 4000.0;
    let request = Fmm::new().method(Method::Fmm).tolerance(1e-4);
    let mut plan =
        planned(&machine(), request, SetSizes::Both(4000), &positions, &charges).unwrap();
    let both = [positions.as_slice(); 2];
    let found = errors(&machine(), &plan, both, &charges);
    assert!(found.iter().all(|e| *e < 1e-4), "{found:?}");
    let heavy = plan.report().p2p_pairs;
    // The charges that follow have none.
    let alike = vec![1.0f32; 4000];
    set(&machine(), &mut plan, &alike).unwrap();
    plan.evaluate().unwrap();
    assert_eq!(plan.report().p2p_pairs + 64 * 4000, heavy);
    let found = errors(&machine(), &plan, both, &alike);
    assert!(found.iter().all(|e| *e < 1e-4), "{found:?}");
}

/// Weak charges, of which some pairs are close, under strong ones far away whose sum cancels: few receivers lose most by rounding.
#[test]
fn the_error_of_rounding_is_told_where_far_charges_hide_it() {
    let n = 3000;
    let mut positions = points(n, 0.0);
    let mut charges: Vec<f32> = (0..n).map(|i| [1.0, -1.0][i % 2]).collect();
    for i in 0..40 {
        let [x, y, z] = positions[i];
        positions[1000 + i] = [x + 1e-4, y, z];
    }
    for i in 0..100 {
        positions[2900 + i].iter_mut().for_each(|x| *x += 40.0);
        charges[2900 + i] *= 1e6;
    }
    let machine = machine();
    let request = Fmm::new().method(Method::Direct).tolerance(1e-5);
    let plan = planned(&machine, request, SetSizes::Both(n), &positions, &charges).unwrap();
    let given = positions.iter().zip(&charges).map(|([x, y, z], q)| [*x, *y, *z, f64::from(*q)]);
    let given: Vec<Vec4<f64>> = given.map(Vec4).collect();
    let mut memory = Grown::new();
    memory.upload(&machine, &given).unwrap();
    let all = memory.slice(n).unwrap();
    let found = plan.error_of_rounding(all, all).unwrap();

    let mut values = vec![Vec4::default(); n];
    plan.field().download(&machine, &mut values).unwrap();
    let mut sums = [[0.0; 2]; 2];
    for (Vec4(value), Vec4([x, y, z, _])) in values.iter().zip(&given) {
        let mut exact = [0.0; 4];
        for Vec4([a, b, c, q]) in &given {
            let d = [a - x, b - y, c - z];
            let r2: f64 = d.iter().map(|x| x * x).sum();
            if r2 > 0.0 {
                exact[3] += q / r2.sqrt();
                (0..3).for_each(|axis| exact[axis] += q * d[axis] / (r2 * r2.sqrt()));
            }
        }
        for k in 0..4 {
            sums[k / 3][0] += (f64::from(value[k]) - exact[k]).powi(2);
            sums[k / 3][1] += exact[k] * exact[k];
        }
    }
    let [potential, gradient] = sums.map(|[error, square]| (error / square).sqrt());
    let exact = potential.max(gradient);
    assert!((0.5..2.0).contains(&(found / exact)), "{found:e} instead of {exact:e}");
}

#[test]
fn refusals_name_the_item() {
    let positions = points(600, 0.0);
    let request = Fmm::new().tolerance(1e-3);
    let planned = |points: &[[f64; 3]], charges: &[f32]| {
        planned(&machine(), request, SetSizes::Both(600), points, charges).map(drop).unwrap_err()
    };
    let charges = vec![1.0f32; 600];
    let error = planned(&positions, &charges[1..]);
    assert!(matches!(error, Error::ChargeCount { found: 599, expected: 600, .. }), "{error}");
    let mut bad = charges.clone();
    bad[77] = f32::INFINITY;
    let error = planned(&positions, &bad);
    assert!(matches!(error, Error::ChargeNotFinite { index: 77, .. }), "{error}");
    let mut wrong = positions.clone();
    wrong[300][2] = f64::NAN;
    let error = planned(&wrong, &charges);
    assert!(error.to_string().contains("300"), "{error}");
    // Gradients of a pair 10⁻¹⁵ apart are beyond f32.
    let mut close = vec![[1.0; 3]; 600];
    close.iter_mut().enumerate().for_each(|(i, at)| at[0] += i as f64);
    (close[0], close[1]) = ([0.0; 3], [1e-15, 0.0, 0.0]);
    let error = planned(&close, &[1e12; 600]);
    assert!(matches!(error, Error::ResultRange { .. }), "{error}");
    // Memory that is given back in an order of launches of its own.
    let mut plan = Planned::new(machine(), request).unwrap();
    plan.points_mut(SetSizes::Both(2)).unwrap();
    let mut other = machine();
    other.order = 7;
    let mut memory = Grown::<LimitedMachine, f32>::new();
    memory.upload(&other, &[1.0; 2]).unwrap();
    let error = plan.set_charges(memory.slice(2).unwrap()).unwrap_err();
    assert!(matches!(error, Error::Device(MachineError::Order)), "{error}");
    let refused = Planned::new(machine(), Fmm::new().tolerance(1e-12)).unwrap_err();
    assert!(matches!(refused, Error::ToleranceOutOfReach { .. }), "{refused}");
}

/// Bytes that cross the bus in a round of moved points, and bytes that are allocated, after four rounds: memory grows with
/// the boxes once, and has an eighth to spare then.
fn traffic(n: usize) -> [usize; 2] {
    let machine = machine();
    let tolerance = 1e-3;
    let request = Fmm::new().method(Method::Fmm).tolerance(tolerance);
    let charges: Vec<f32> = (0..n).map(|i| 1.0 + (i % 3) as f32).collect();
    let mut plan =
        planned(&machine, request, SetSizes::Both(n), &points(n, 0.0), &charges).unwrap();
    let counts =
        || [&machine.crossed, &machine.allocated].map(|count| count.load(Ordering::Relaxed));
    let mut before = counts();
    for round in 1..6 {
        let moved = points(n, 1e-4 * f64::from(round));
        let narrow = moved.iter().map(|point| point.map(|x| f64::from(x as f32)));
        let bounds = narrow.fold(Aabb::EMPTY, Aabb::with);
        // A kernel's work, which crosses nothing.
        let mut points = plan.points_mut(SetSizes::Both(n)).unwrap();
        points.upload(&Emulator, &vectors(&moved)).unwrap();
        plan.rebuild_within(bounds).unwrap();
        plan.evaluate().unwrap();
        if round == 4 {
            before = counts();
        }
    }
    let found = errors(&machine, &plan, [&points(n, 5e-4); 2], &charges);
    assert!(found.iter().all(|e| *e < tolerance), "{found:?}");
    let after = counts();
    // The comparison has read the field.
    [after[0] - before[0] - 16 * n, after[1] - before[1]]
}

#[test]
fn nothing_of_the_size_of_the_points_crosses_the_bus() {
    let [few, many] = [4500, 9000].map(traffic);
    assert_eq!([few[1], many[1]], [0, 0], "memory was allocated");
    // A check at a thousand receivers, with a hundred bytes for each.
    assert!(many[0] < 128_000, "{many:?}");
    assert!(many[0] < few[0] + 4000, "{few:?} {many:?}");
}
