//! Sums in f32 of positions in f64.

use distributed::threads;
use fmm::{Error, Field, Fmm, Method, Outputs, Points, Precision, Tolerance, Treecode, Workspace};

/// Points spread over the unit cube, the last of them so close to the first that f32 does not tell them apart. Their pair has nearly
/// all of the norm, and neither point of it has a result in f32 that would tell.
#[test]
fn sums_that_lose_most_of_the_norm_are_repeated_in_f64() {
    let n = 3000;
    let point = |i: usize| [2.0, 3.0, 5.0].map(|c: f64| (c.sqrt() * (i + 1) as f64).fract());
    let [x, y, z] = point(0);
    let positions: Vec<[f64; 3]> = (0..n - 1).map(point).chain([[x + 1e-11, y, z]]).collect();
    let between = positions[n - 1][0] - x;
    for method in [Method::Direct, Treecode::new().into(), Method::Fmm] {
        let fmm = Fmm::new().method(method).outputs(Outputs::PotentialAndGradient);
        for tolerance in [Tolerance::L2(1e-4), Tolerance::Order(5)] {
            let plan = fmm.tolerance(tolerance).plan_f32(Points::from(&positions)).unwrap();
            let field = plan.evaluate(&vec![1.0; n]).unwrap();
            for at in [0, n - 1] {
                let found = f64::from(field.potential[at]) * between;
                assert!((found - 1.0).abs() < 1e-4, "{method:?}, {tolerance:?}: {found}");
            }
        }
    }
}

/// A pair beside the middle, about which positions are narrowed, in cubes that are enlarged to four of their units: sums leave out
/// pairs that are farther apart there than in other cubes.
#[test]
fn pairs_in_the_middle_of_enlarged_cubes_are_not_lost() {
    let extent = 1.9999;
    let random = |i: u64| {
        // SplitMix64
        let mut x = i.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        extent * ((x ^ x >> 31) >> 11) as f64 / (1_u64 << 53) as f64
    };
    let point = |i: usize| [0, 1, 2].map(|axis| random(3 * i as u64 + axis));
    for n in [18_971, 20_519, 22_194, 28_082] {
        for steps in [0.6, 1.0, 1.4, 2.0, 2.6] {
            let apart = steps / (1_u64 << 39) as f64;
            let pair = [[0.5 * extent; 3], [0.5 * extent + apart, 0.5 * extent, 0.5 * extent]];
            let corners = [[0.0; 3], [extent; 3]];
            let positions: Vec<[f64; 3]> =
                corners.into_iter().chain(pair).chain((4..n).map(point)).collect();
            let fmm = Fmm::new().method(Method::Fmm).tolerance(1e-3);
            let field = fmm.plan_f32(&positions).unwrap().evaluate(&vec![1.0; n]).unwrap();
            let between = positions[3][0] - positions[2][0];
            let found = f64::from(field.potential[2]) * between;
            assert!((found - 1.0).abs() < 1e-3, "{n}, {steps}: {found}");
        }
    }
}

/// The pair that f32 does not tell apart, whose points different ranks bring.
#[test]
fn pairs_of_different_ranks_are_not_lost() {
    let (n, ranks) = (1000, 3);
    let point = |i: usize| [2.0, 3.0, 5.0].map(|c: f64| (c.sqrt() * (i + 1) as f64).fract());
    let [x, y, z] = point(0);
    let beside = [x + 1e-11, y, z];
    let between = beside[0] - x;
    let fmm = Fmm::new().tolerance(1e-4);
    for is_one_set in [true, false] {
        let potentials = threads::run(ranks, |communicator| {
            let rank = communicator.rank();
            let mut sources: Vec<[f64; 3]> =
                (0..n).filter(|i| i % ranks == rank).map(point).collect();
            let mut receivers = vec![[0.5; 3]; usize::from(rank == 1)];
            // The last rank has the point beside the first rank's first.
            let with_beside = if is_one_set { &mut sources } else { &mut receivers };
            with_beside.extend((rank == ranks - 1).then_some(beside));
            let points = match is_one_set {
                true => Points::from(&sources),
                false => Points::from((&sources, &receivers)),
            };
            let plan = fmm.plan_f32_over(&communicator, points).unwrap();
            let field = plan.evaluate(&vec![1.0; sources.len()]).unwrap();
            field.potential.last().copied()
        });
        let found = f64::from(potentials.unwrap()[ranks - 1].unwrap()) * between;
        assert!((found - 1.0).abs() < 1e-4, "{is_one_set}: {found}");
    }
}

/// Light charges of a close pair and of a tight cluster, whose pull on each other is like that of all others: few receivers have all of
/// the error by which f32 rounds places, and no outlying gradient tells them.
#[test]
fn close_pairs_of_light_charges_keep_the_tolerance() {
    let n = 3000;
    let point = |i: usize| [2.0, 3.0, 5.0].map(|c: f64| (c.sqrt() * (i + 1) as f64).fract());
    let near = |i: usize, size: f64| point(i).map(|x| 0.731_234_567_8 + size * (x - 0.5));
    let with = |count: usize, size: f64, charge: f64| {
        let positions = (0..n).map(point).chain((0..count).map(|i| near(i, size)));
        let charges = (0..n).map(|i| 1.0 + (i % 3) as f64).chain((0..count).map(|_| charge));
        (positions.collect::<Vec<_>>(), charges.collect::<Vec<f64>>())
    };
    for (positions, charges) in [with(2, 1e-6, 3e-9), with(300, 1e-4, 1e-6)] {
        let exact = Fmm::new().tolerance(1e-10).plan(&positions).unwrap();
        let exact = exact.evaluate(&charges).unwrap().gradient;
        let error = |found: &[[f32; 3]], first: usize| {
            let pairs = found.iter().zip(&exact[first..]);
            pairs.fold([0.0; 2], |[errors, squares], (found, exact)| {
                let error: f64 = (0..3).map(|k| (f64::from(found[k]) - exact[k]).powi(2)).sum();
                [errors + error, squares + exact.iter().map(|x| x * x).sum::<f64>()]
            })
        };
        for (tolerance, ranks) in [(1e-4, 1), (1e-5, 1), (1e-5, 3)] {
            for method in [Method::Direct, Method::Fmm] {
                let fmm = Fmm::new().method(method).tolerance(tolerance);
                let sums = threads::run(ranks, |communicator| {
                    let stretch = |rank: usize| rank * positions.len() / ranks;
                    let rank = communicator.rank();
                    let here = stretch(rank)..stretch(rank + 1);
                    let own = Points::from(&positions[here.clone()]);
                    let plan = fmm.plan_f32_over(&communicator, own).unwrap();
                    let field = plan.evaluate_f64(&charges[here.clone()]).unwrap();
                    error(&field.gradient, here.start)
                });
                let sums =
                    sums.unwrap().into_iter().fold([0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
                let error = (sums[0] / sums[1]).sqrt();
                assert!(error <= tolerance, "{method:?}, {tolerance:e}, {ranks}: {error:e}");
            }
        }
    }
}

/// A pair that sums in f64 would leave out, whose points different ranks bring: all ranks refuse it.
#[test]
fn pairs_of_different_ranks_that_are_too_near_are_refused() {
    let refusals = threads::run(3, |communicator| {
        let rank = communicator.rank();
        let positions = [[rank as f64, 1.0, 0.5], [0.25, 0.0, 1e-120 * rank as f64]];
        let fmm = Fmm::new().tolerance(1e-4);
        let wide = fmm.plan_over(&communicator, &positions).err();
        let narrow = fmm.plan_f32_over(&communicator, &positions).err();
        [wide, narrow].map(|error| error.map(|error| error.to_string()))
    });
    for refusal in refusals.unwrap().into_iter().flatten() {
        let refusal = refusal.expect("a refusal");
        assert!(refusal.contains(": source 1 is 1e-120 from the point [0.25, 0.0, "), "{refusal}");
    }
}

/// Charges that cancel to more digits than f32 has: rounded, they leave a sum of their own.
#[test]
fn charges_that_f32_does_not_tell_apart_keep_the_tolerance() {
    let n = 2000;
    let point = |i: usize| [2.0, 3.0, 5.0].map(|c: f64| (c.sqrt() * (i + 1) as f64).fract());
    // Dipoles whose charges f32 rounds apart: at the receivers that is a hundredth of what they leave.
    let source = |i: usize| {
        let [x, y, z] = point(i / 2);
        [x + 1e-4 * (i % 2) as f64, y, z]
    };
    let charge = |i: usize| {
        let charge = ((i / 2) as f64).cos();
        if i.is_multiple_of(2) { charge } else { -charge * (1.0 - 1e-7) }
    };
    let sources: Vec<[f64; 3]> = (0..n).map(source).collect();
    let receivers: Vec<[f64; 3]> = (0..1000).map(|i| point(i + n).map(|x| x + 40.0)).collect();
    let charges: Vec<f64> = (0..n).map(charge).collect();
    let of_both = Points::from((&sources, &receivers));
    let exact = Fmm::new().method(Method::Direct).tolerance(1e-10).plan(of_both).unwrap();
    let exact = exact.evaluate(&charges).unwrap();
    for method in [Method::Direct, Treecode::new().into(), Method::Fmm] {
        let plan = Fmm::new().method(method).tolerance(1e-4).plan_f32(of_both).unwrap();
        let field = plan.evaluate_f64(&charges).unwrap();
        let error = relative(&field.potential, &exact.potential);
        assert!(error < 1e-4, "{method:?}: {error:e}");
        let told = plan.sample_error_f64(&charges, &field, 1000).unwrap();
        assert!((told.potential.unwrap().l2 / error).ln().abs() < 0.1, "{method:?}: {told:?}");
        // The sum of the rounded charges is another.
        let rounded: Vec<f32> = charges.iter().map(|q| *q as f32).collect();
        let field = plan.evaluate(&rounded).unwrap();
        assert!(relative(&field.potential, &exact.potential) > 1e-3, "{method:?}");
    }
}

fn relative(found: &[f32], exact: &[f64]) -> f64 {
    let square = |x: f64| x * x;
    let error: f64 = found.iter().zip(exact).map(|(a, b)| square(f64::from(*a) - b)).sum();
    (error / exact.iter().map(|x| square(*x)).sum::<f64>()).sqrt()
}

/// Points that move to places which f32 does not tell apart.
#[test]
fn points_move_with_the_digits_of_f64() {
    let fmm = Fmm::new().tolerance(1e-4).softening(1e-3);
    let mut plan = fmm.plan_f32(&[[0.0; 3], [1.0; 3]]).unwrap();
    let unmoved = plan.clone();
    let moved = [[7e8, 0.0, 0.0], [7e8 + 2e-3, 0.0, 0.0]];
    plan.update_positions(&moved).unwrap();
    let between: f64 = moved[1][0] - moved[0][0];
    let [found, before] = [&plan, &unmoved].map(|plan| {
        let mut field = Field::default();
        plan.evaluate_f64_into(&[1.0, 1.0], &mut field, &mut Workspace::new()).unwrap();
        f64::from(field.potential[0])
    });
    assert!((found * between.hypot(1e-3) - 1.0).abs() < 1e-4, "{found}");
    assert!((before * 3.0_f64.sqrt() - 1.0).abs() < 1e-4, "{before}");
    let counts = plan.update_positions(&[[0.0; 3]]).unwrap_err();
    assert!(matches!(counts, Error::PositionCount { .. }), "{counts}");
}

/// Positions in f32 that move plans in f32 and f64: the same bits as those of a plan of them.
#[test]
fn points_move_by_either_float() {
    let positions: Vec<[f64; 3]> = (0..50).map(|i| [f64::from(i), 0.1, 0.0]).collect();
    let moved: Vec<[f32; 3]> = (0..50).map(|i| [0.1, i as f32 * 0.7, 0.3]).collect();
    let wide: Vec<[f64; 3]> = moved.iter().map(|point| point.map(f64::from)).collect();
    let (fmm, halves) = (Fmm::new().tolerance(1e-4), 20..50);
    let mut plan = fmm.plan((&positions, &positions[halves.clone()])).unwrap();
    plan.update_positions((&moved, &moved[halves.clone()])).unwrap();
    let expected = fmm.plan((&wide, &wide[halves])).unwrap().evaluate(&[1.0; 50]).unwrap();
    assert_eq!(plan.evaluate(&[1.0; 50]).unwrap().potential, expected.potential);
    let mut plan = fmm.plan_f32(&positions).unwrap();
    plan.update_positions(&moved).unwrap();
    let expected = fmm.plan_f32(&wide).unwrap().evaluate(&[1.0; 50]).unwrap();
    assert_eq!(plan.evaluate(&[1.0; 50]).unwrap().potential, expected.potential);
}

#[test]
fn charges_of_f64_need_positions_of_f64() {
    let fmm = Fmm::new().tolerance(1e-4);
    let mut plan = fmm.plan(&[[0.0_f32; 3], [1.0; 3]]).unwrap();
    assert_eq!(plan.update_positions(&[[0.0; 3]; 2]).unwrap_err(), Error::PositionsOfF64);
    assert_eq!(plan.evaluate_f64(&[1.0; 2]).unwrap_err(), Error::ChargesOfF64);
    let field = plan.evaluate(&[1.0; 2]).unwrap();
    assert_eq!(plan.sample_error_f64(&[1.0; 2], &field, 2).unwrap_err(), Error::ChargesOfF64);
    let plan = fmm.plan_f32(&[[0.0; 3], [1.0; 3]]).unwrap();
    assert!(matches!(plan.evaluate_f64(&[1.0]), Err(Error::ChargeCount { .. })));
    assert!(matches!(plan.evaluate_f64(&[1.0, 1e39]), Err(Error::ChargeNotFinite { .. })));
}

/// A guaranteed tolerance holds for a pair that f32 does not tell apart.
#[test]
fn guaranteed_tolerances_take_f64() {
    let positions = [[0.3, 0.4, 0.5], [0.3 + 1e-10, 0.4, 0.5], [1.0, 0.0, 0.0]];
    let distance = positions[1][0] - positions[0][0];
    let fmm = Fmm::new().tolerance(Tolerance::Guaranteed(0.2)).outputs(Outputs::Potential);
    let plan = fmm.plan_f32(&positions).unwrap();
    let field = plan.evaluate(&[1.0; 3]).unwrap();
    assert!((f64::from(field.potential[0]) * distance - 1.0).abs() < 0.2, "{field:?}");
}

/// Reports have the softening length of the caller, whatever the unit of the sums: of f32, of f64 in its place, and after a move.
#[test]
fn reports_have_the_softening_asked_for() {
    let positions: Vec<[f64; 3]> = (0..200).map(|i| [f64::from(i), 0.0, 1e3]).collect();
    let fmm = Fmm::new().tolerance(1e-4).outputs(Outputs::Potential);
    for (length, precision) in [(0.3, Precision::F32), (1e18, Precision::F64)] {
        let mut plan = fmm.softening(length).plan_f32(&positions).unwrap();
        for unit in [1.0, 1e3, 1.0] {
            let moved: Vec<[f64; 3]> = positions.iter().map(|p| p.map(|x| x * unit)).collect();
            plan.update_positions(&moved).unwrap();
            let field = plan.evaluate(&vec![1.0; 200]).unwrap();
            assert_eq!([plan.report().softening, field.report.softening], [length; 2]);
            assert_eq!(field.report.precision, precision);
        }
    }
}

/// Heavy charges at the corners of a box, of signs that alternate, and a receiver in its middle: of their pulls, 10⁸ times the field of
/// the light charges, nothing is left there.
#[test]
fn a_receiver_amid_heavy_charges_keeps_the_tolerance() {
    let (n, middle, side) = (2000, [0.37, 0.58, 0.41], 1e-3);
    let point = |i: usize| [2.0, 3.0, 5.0].map(|c: f64| (c.sqrt() * (i + 1) as f64).fract());
    let light: Vec<[f64; 3]> = (0..n).map(point).collect();
    let sign = |k: usize, axis: usize| if k >> axis & 1 == 0 { 1.0 } else { -1.0 };
    let corner = |k: usize| [0, 1, 2].map(|axis| middle[axis] + side * sign(k, axis));
    let sources: Vec<[f64; 3]> = light.iter().copied().chain((0..8).map(corner)).collect();
    let heavy = (0..8).map(|k| 1e5 * sign(k, 0) * sign(k, 1) * sign(k, 2));
    let charges: Vec<f64> = vec![1.0; n].into_iter().chain(heavy).collect();
    let receivers: Vec<[f64; 3]> = light.into_iter().chain([middle]).collect();
    let exact = |at: [f64; 3]| {
        let pull = |(source, q): (&[f64; 3], &f64)| {
            let d = [0, 1, 2].map(|axis| source[axis] - at[axis]);
            let square: f64 = d.iter().map(|d| d * d).sum();
            let factor = if square > 0.0 { q / square / square.sqrt() } else { 0.0 };
            d.map(|d| factor * d)
        };
        let pulls = sources.iter().zip(&charges).map(pull);
        pulls.fold([0.0; 3], |a, b| [a[0] + b[0], a[1] + b[1], a[2] + b[2]])
    };
    let exact: Vec<[f64; 3]> = receivers.iter().map(|at| exact(*at)).collect();
    let square = |a: [f64; 3]| a.iter().map(|a| a * a).sum::<f64>();
    let norm: f64 = exact.iter().map(|g| square(*g)).sum();
    for method in [Method::Direct, Treecode::new().into(), Method::Fmm] {
        for tolerance in [1e-3, 1e-5] {
            let plan = Fmm::new().method(method).tolerance(tolerance);
            let plan = plan.plan_f32(Points::from((&sources, &receivers))).unwrap();
            let field = plan.evaluate_f64(&charges).unwrap();
            let difference = |(found, exact): (&[f32; 3], &[f64; 3])| {
                square([0, 1, 2].map(|axis| f64::from(found[axis]) - exact[axis]))
            };
            let errors: f64 = field.gradient.iter().zip(&exact).map(difference).sum();
            let error = (errors / norm).sqrt();
            assert!(error <= tolerance, "{method:?}: {error:e} at {tolerance:e}");
        }
    }
}
