//! Wrong input is refused with one line that names what is wrong, where, and the cure.

use fmm::{Depth, Error, Field, Fmm, M2l, Opening, Outputs, Tolerance, Treecode, Workspace};
use octree::PointSet;
use testbed::clouds;
use testbed::conformance::{Bed, Precision};

fn points(n: usize) -> Vec<[f64; 3]> {
    clouds::uniform_cube(n, 1).positions
}

/// Checks the message of an error and returns the error.
fn refused<R>(result: Result<R, Error>, names: &[&str]) -> Error {
    let Err(error) = result else { panic!("accepted; expected an error that names {names:?}") };
    let message = error.to_string();
    assert_eq!(message.lines().count(), 1, "{message}");
    for name in names {
        assert!(message.contains(name), "'{message}' does not name {name}");
    }
    let (_, cure) = message.split_once("; ").unwrap_or_else(|| panic!("no cure in '{message}'"));
    assert!(!cure.is_empty());
    error
}

fn positions_that_are_not_finite(bed: Bed) {
    for engine in bed.engines() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for axis in 0..3 {
                let good = points(50);
                let mut wrong = good.clone();
                wrong[17][axis] = bad;
                wrong[31][axis] = bad;
                let (value, fmm) = (bad.to_string(), engine.fmm());
                refused(fmm.plan(&wrong), &["source 17", &value]);
                refused(fmm.plan((&wrong, &good)), &["source 17", &value]);
                refused(fmm.plan((&good, &wrong)), &["receiver 17", &value]);
                refused(fmm.softening(0.1).plan(&wrong), &["source 17", &value]);
                refused(fmm.softening(0.1).plan((&good, &wrong)), &["receiver 17", &value]);
                let mut plan = fmm.plan(&good).unwrap();
                refused(plan.update_positions(&wrong), &["source 17", &value]);
            }
        }
    }
}

fn positions_out_of_range(bed: Bed) {
    for engine in bed.engines() {
        refused(engine.fmm().plan(&[[0.0; 3], [1e308, 0.0, 0.0]]), &["1e308"]);
        refused(engine.fmm().softening(0.1).plan(&[[0.0; 3], [1e308, 0.0, 0.0]]), &["1e308"]);
    }
}

fn charges_of_the_wrong_number(bed: Bed) {
    let points = points(20);
    for engine in bed.engines() {
        let plan = engine.fmm().plan(&points).unwrap();
        for found in [0, 19, 21] {
            let error = refused(plan.evaluate(&vec![1.0; found]), &["20", &found.to_string()]);
            assert_eq!(error, Error::ChargeCount { vector: 0, found, expected: 20 });
        }
        let error = plan.evaluate_many(&[&[1.0; 20], &[1.0; 20], &[1.0; 7]]).unwrap_err();
        assert_eq!(error, Error::ChargeCount { vector: 2, found: 7, expected: 20 });
        // Charges belong to sources, not to receivers.
        let plan = engine.fmm().plan((&points, &points[..3])).unwrap();
        refused(plan.evaluate(&[1.0; 3]), &["20", "3"]);
        assert_eq!(plan.evaluate(&[1.0; 20]).unwrap().potential.len(), 3);
    }
}

fn charges_that_are_not_finite(bed: Bed) {
    for engine in bed.engines() {
        let plan = engine.fmm().plan(&points(20)).unwrap();
        let mut charges = vec![1.0; 20];
        charges[11] = f64::INFINITY;
        charges[5] = f64::NAN;
        refused(plan.evaluate(&charges), &["charge 5", "vector 0", "NaN"]);
        charges[5] = 1.0;
        let error = plan.evaluate_many(&[&[1.0; 20], &charges]).unwrap_err();
        let expected = Error::ChargeNotFinite { vector: 1, index: 11, value: f64::INFINITY };
        assert_eq!(error, expected);
    }
}

fn a_refused_evaluation_leaves_the_field(bed: Bed) {
    for engine in bed.engines() {
        let plan = engine.fmm().plan(&points(20)).unwrap();
        let mut field = plan.evaluate(&[1.0; 20]).unwrap();
        let before = (field.potential.clone(), field.gradient.clone());
        let mut workspace = Workspace::new();
        assert!(plan.evaluate_into(&[f64::NAN; 20], &mut field, &mut workspace).is_err());
        assert_eq!((field.potential, field.gradient), before);
    }
}

fn tolerances_out_of_reach<T: Precision>(bed: Bed) {
    let points = [[T::ZERO; 3], [T::ONE; 3]];
    let too_small = [0.0, -0.0, -1e-6, f64::NAN, f64::NEG_INFINITY, 1e-30, 0.99 * T::SMALLEST];
    for engine in bed.engines() {
        for outputs in [Outputs::Potential, Outputs::Gradient, Outputs::PotentialAndGradient] {
            let fmm = engine.fmm().outputs(outputs);
            for tolerance in too_small {
                let names = [T::NAME, &format!("{tolerance:e}"), &format!("{:e}", T::SMALLEST)];
                refused(fmm.tolerance(tolerance).plan(&points), &names);
            }
            assert!(fmm.tolerance(engine.smallest::<T>()).plan(&points).is_ok());
            for tolerance in [1.0_f64.next_up(), 6.0, f64::INFINITY] {
                refused(fmm.tolerance(tolerance).plan(&points), &[&format!("{tolerance:?}")]);
            }
        }
    }
}

fn tolerances_out_of_reach_in_f64(bed: Bed) {
    tolerances_out_of_reach::<f64>(bed);
}

fn tolerances_out_of_reach_in_f32(bed: Bed) {
    tolerances_out_of_reach::<f32>(bed);
    let error = Fmm::new().tolerance(1e-9).plan(&[[0.0_f32; 3]]).map(|_| ());
    refused(error, &["1e-9", "f32", "f64"]);
}

/// The tolerance that the message offers is accepted.
fn guaranteed_tolerances_out_of_reach<T: Precision>(tolerance: f64) {
    let plan =
        |tolerance| Fmm::new().tolerance(Tolerance::Guaranteed(tolerance)).plan(&[[T::ONE; 3]]);
    let error = refused(plan(tolerance), &[T::NAME]);
    let Error::ToleranceOutOfReach { smallest, .. } = error else { panic!("{error:?}") };
    assert!(smallest > tolerance);
    assert!(plan(smallest).is_ok());
    assert!(plan(0.999 * smallest).is_err());
}

#[test]
fn guaranteed_tolerances_out_of_reach_offer_one_within() {
    guaranteed_tolerances_out_of_reach::<f64>(1e-12);
    guaranteed_tolerances_out_of_reach::<f64>(1e-30);
    guaranteed_tolerances_out_of_reach::<f32>(1e-5);
}

fn orders_out_of_reach(bed: Bed) {
    for engine in bed.engines() {
        for order in [0, 100, usize::MAX] {
            let fmm = engine.fmm().tolerance(Tolerance::Order(order));
            refused(fmm.plan(&points(5)), &[&order.to_string(), "f64"]);
            refused(fmm.plan(&[[0.0_f32; 3]]), &[&order.to_string(), "f32"]);
        }
    }
}

fn softening_that_is_no_length(bed: Bed) {
    for engine in bed.engines() {
        for softening in [-1.0, f64::NAN, f64::INFINITY] {
            let error = refused(
                engine.fmm().softening(softening).plan(&points(5)),
                &[&softening.to_string()],
            );
            assert!(matches!(error, Error::Softening { .. }));
        }
    }
}

/// The pair of two sources, or of a source and a receiver; plans whose points move, and sums in f32.
fn pairs_that_f64_leaves_out(bed: Bed) {
    let apart = points(60);
    let mut close = apart.clone();
    close[17][1] = 0.0;
    close[41] = close[17];
    close[41][1] = 1e-105;
    close.truncate(59);
    let (single, receiver) = (close[..41].to_vec(), vec![close[41]]);
    for engine in bed.engines() {
        let fmm = engine.fmm();
        let of_pair = ["source 17", "1e-105"];
        for refused_one in [
            refused(fmm.plan(&close), &of_pair),
            refused(fmm.plan((&single, &receiver)), &of_pair),
            refused(fmm.plan((&receiver, &single)), &["source 0", "1e-105"]),
            refused(fmm.tolerance(1e-4).plan_f32(&close), &of_pair),
        ] {
            assert!(matches!(refused_one, Error::PairTooClose { .. }), "{refused_one:?}");
        }
        // A plan on a GPU may have given up the old points, and says so.
        let mut plan = fmm.plan(&apart[..59]).unwrap();
        let before = plan.evaluate(&[1.0; 59]).unwrap();
        refused(plan.update_positions(&close), &of_pair);
        match plan.evaluate(&[1.0; 59]) {
            Ok(after) => assert_eq!(after.potential, before.potential),
            Err(error) => assert_eq!(error, Error::PointsLost),
        }
        plan.update_positions(&apart[..59]).unwrap();
        assert_eq!(plan.evaluate(&[1.0; 59]).unwrap().potential, before.potential);
        assert!(fmm.softening(1e-9).plan(&close).is_ok());
    }
}

fn depths_that_no_tree_has(bed: Bed) {
    let fmm = bed.fmm();
    refused(fmm.depth(Depth::Adaptive { leaf_capacity: 0 }).plan(&points(5)), &["0"]);
    refused(fmm.depth(Depth::Uniform(22)).plan(&points(5)), &["22"]);
}

fn fields_of_another_plan(bed: Bed) {
    for engine in bed.engines() {
        let plan = engine.fmm().plan(&points(20)).unwrap();
        let mut field = plan.evaluate(&[1.0; 20]).unwrap();
        let error = refused(plan.sample_error(&[1.0; 20], &Field::default(), 10), &["20", "0"]);
        assert_eq!(error, Error::FieldSize { found: 0, expected: 20 });
        refused(plan.sample_error(&[1.0; 19], &field, 10), &["20", "19"]);
        field.gradient.pop();
        let error = refused(plan.sample_error(&[1.0; 20], &field, 20), &["20", "19"]);
        assert_eq!(error, Error::FieldSize { found: 19, expected: 20 });
    }
}

/// A failed update leaves the plan as it was.
fn positions_that_do_not_fit_the_plan(bed: Bed) {
    for engine in bed.engines() {
        let (here, fmm) = (points(20), engine.fmm());
        let mut plan = fmm.plan(&here).unwrap();
        let before = plan.evaluate(&[1.0; 20]).unwrap().potential;
        refused(plan.update_positions(&here[..19]), &["20", "19", "source"]);
        let error = refused(plan.update_positions((&here, &here)), &["one set"]);
        assert_eq!(error, Error::ReceiversUnexpected);
        assert!(plan.update_positions(&[[f64::NAN; 3]; 20]).is_err());
        assert_eq!(plan.evaluate(&[1.0; 20]).unwrap().potential, before);

        let mut plan = fmm.plan((&here, &here[..7])).unwrap();
        let error = refused(plan.update_positions(&here), &["(&sources, &receivers)"]);
        assert_eq!(error, Error::ReceiversMissing);
        let error = refused(plan.update_positions((&here, &here)), &["7", "20", "receiver"]);
        let set = PointSet::Receivers;
        assert_eq!(error, Error::PositionCount { set, found: 20, expected: 7 });
        let few = &here[..7];
        let error = refused(plan.update_positions((few, few)), &["7", "20", "source"]);
        let set = PointSet::Sources;
        assert_eq!(error, Error::PositionCount { set, found: 7, expected: 20 });
        assert!(plan.update_positions((&here, &here[13..])).is_ok());
    }
}

/// Earlier gradients belong to the relative criterion, one vector a receiver. A refusal leaves the field as it was.
fn earlier_gradients_that_do_not_fit_the_plan(bed: Bed) {
    let (here, workspace) = (points(20), &mut Workspace::new());
    for engine in bed.engines() {
        let plan = engine.fmm().plan(&here).unwrap();
        let mut field = plan.evaluate(&[1.0; 20]).unwrap();
        let before = field.gradient.clone();
        let result = plan.evaluate_after_into(&[1.0; 20], &before, &mut field, workspace);
        let error = refused(result, &["evaluate_into", "Opening::Relative"]);
        assert_eq!(error, Error::EarlierGradientUnused);
        assert_eq!(field.gradient, before);
    }
    if bed.is_hybrid() {
        return;
    }
    let relative = Treecode::new().opening(Opening::Relative { alpha: 1e-3 });
    let engine = bed.engine(relative.into());
    let plan = engine.fmm().tolerance(Tolerance::Order(3)).plan((&here, &here[..7])).unwrap();
    let mut field = plan.evaluate(&[1.0; 20]).unwrap();
    let before = field.gradient.clone();
    for found in [0, 6, 20] {
        let earlier = vec![[1.0; 3]; found];
        let result = plan.evaluate_after_into(&[1.0; 20], &earlier, &mut field, workspace);
        let error = refused(result, &["7", &found.to_string()]);
        assert_eq!(error, Error::EarlierGradientSize { found, expected: 7 });
        assert_eq!(field.gradient, before);
    }
    assert!(plan.evaluate_after_into(&[1.0; 20], &before, &mut field, workspace).is_ok());
}

/// Orders and criteria end earlier on a GPU, and are refused when a plan is made.
fn what_gpus_do_not_serve(bed: Bed) {
    let treecode = |options: Treecode| bed.engine(options.into()).fmm();
    if bed.is_hybrid() {
        let error = refused(treecode(Treecode::new()).plan(&points(100)), &["treecode"]);
        assert_eq!(error, Error::TreecodeOnHybrid);
        return;
    }
    let error =
        refused(bed.fmm().m2l(M2l::Rotation).tolerance(1e-12).plan(&points(100)), &["order", "16"]);
    assert!(matches!(error, Error::OrderOnDevice { largest: 16, .. }));
    let order = treecode(Treecode::new()).tolerance(Tolerance::Order(8));
    let error = refused(order.plan(&points(100)), &["order", "8"]);
    assert_eq!(error, Error::TreecodeOrder { order: 8, supported: &[1, 3, 4, 5] });
    let angle = Treecode::new().opening(Opening::Nakasato { theta: -1.0 });
    let error = refused(treecode(angle).plan(&points(100)), &["-1"]);
    assert_eq!(error, Error::Opening { parameter: -1.0 });
    let no_group = treecode(Treecode::new().group_capacity(0));
    let error = refused(no_group.plan(&points(100)), &["1 or more"]);
    assert_eq!(error, Error::NoGroupCapacity);
}

on_devices! {
    what_gpus_do_not_serve: emulated emulated_hybrid cuda hybrid;
}

on_every_device! {
    depths_that_no_tree_has,
    positions_that_are_not_finite,
    positions_out_of_range,
    charges_of_the_wrong_number,
    charges_that_are_not_finite,
    a_refused_evaluation_leaves_the_field,
    tolerances_out_of_reach_in_f64,
    tolerances_out_of_reach_in_f32,
    orders_out_of_reach,
    softening_that_is_no_length,
    pairs_that_f64_leaves_out,
    fields_of_another_plan,
    positions_that_do_not_fit_the_plan,
    earlier_gradients_that_do_not_fit_the_plan,
}
