//! Coincident points: places with many points are as exact as others, and their pairs are not summed one by one.

use fmm::{Error, Fmm, Method, Opening, Treecode, Workspace};
use testbed::conformance::{Bed, Oracle, Precision, Problem, bits};
use testbed::{charges, clouds};

const TOLERANCE: f64 = 1e-4;

/// Points at places in turn, so that those of one place are spread over the order.
fn at_places(places: &[[f64; 3]], n: usize) -> Vec<[f64; 3]> {
    (0..n).map(|i| places[(i * 7919 + i / 13) % places.len()]).collect()
}

/// Sets with many coincident points: some places, few among many points that are alone, and a place far away.
fn crowded_sets(bed: Bed) -> Vec<(&'static str, Vec<[f64; 3]>)> {
    let (places, each) = if bed.is_slow() { (5, 120) } else { (50, 1000) };
    let cloud = clouds::plummer(bed.points(4000), 31).positions;
    let crowded = &cloud[10..11 + places / 25];
    let places = at_places(&cloud[..places], places * each);
    let mut mixture = cloud.clone();
    mixture.extend(at_places(crowded, cloud.len()));
    let mut far = mixture.clone();
    far.extend([[1e9, -1e9, 3e8]].repeat(cloud.len() / 4));
    vec![("places", places), ("mixture", mixture), ("and far away", far)]
}

fn is_right<T: Precision>(bed: Bed, problem: &Problem<T>, softening: f64) {
    let oracle = Oracle::softened(problem, 1000, softening);
    for engine in bed.engines() {
        let fmm = engine.fmm().tolerance(TOLERANCE).softening(softening);
        let field = engine.field(problem, fmm).unwrap();
        let error = oracle.errors(&field).worse();
        let what = format!("{}, {}, {}: {error:e}", problem.name, T::NAME, engine.method);
        assert!(error <= TOLERANCE, "{what}");
        // Points were merged, and the report counts those of the caller.
        let report = &field.report;
        assert_eq!(report.n_sources, problem.sources.len(), "{what}");
        assert_eq!(report.n_receivers, problem.receivers().len(), "{what}");
        let [sources, receivers] = report.places.unwrap();
        assert!(sources + receivers < report.n_sources + report.n_receivers, "{what}");
        assert!(report.p2p_pairs <= (sources * receivers) as u64 + 64 * receivers as u64, "{what}");
        if engine.ranks.is_none() {
            let plan = problem.plan(fmm).unwrap();
            let found = plan.sample_error(&problem.charges, &field, 500).unwrap();
            assert!(found.l2() <= TOLERANCE, "{what}");
        }
    }
}

/// Both kinds of charges, with and without softening; an emulator softens one kind of a set, the other of the next.
fn places_are_right<T: Precision>(bed: Bed) {
    for (set, (name, positions)) in crowded_sets(bed).into_iter().enumerate() {
        let n = positions.len();
        for (kind, charges) in [charges::masses(n, 32), charges::mixed(n, 33)].iter().enumerate() {
            let problem = Problem::<T>::new(name, &positions, charges);
            for (softened, softening) in [0.0, 0.01].into_iter().enumerate() {
                if !bed.is_slow() || (set + kind) % 2 == softened {
                    is_right(bed, &problem, softening);
                }
            }
        }
    }
}

fn places_are_right_in_f64(bed: Bed) {
    places_are_right::<f64>(bed);
}

fn places_are_right_in_f32(bed: Bed) {
    places_are_right::<f32>(bed);
}

fn places_of_receivers_are_right(bed: Bed) {
    let sets = crowded_sets(bed);
    let alone = clouds::uniform_cube(bed.points(3000), 34).positions;
    for (sources, receivers) in
        [(&sets[1].1, &sets[0].1), (&alone, &sets[1].1), (&sets[1].1, &alone)]
    {
        let charges = charges::mixed(sources.len(), 35);
        is_right(bed, &Problem::<f64>::new("apart", sources, &charges).at(receivers), 0.0);
    }
}

/// Charges that cancel within places leave the others' sums.
fn opposite_charges_of_a_place_cancel(bed: Bed) {
    let cloud = clouds::uniform_cube(bed.points(3000), 36).positions;
    let mut positions = cloud.clone();
    positions.extend([cloud[5]].repeat(cloud.len()));
    let mut charges = charges::mixed(positions.len(), 37);
    for pair in charges[cloud.len()..].chunks_exact_mut(2) {
        (pair[0], pair[1]) = (1e3, -1e3);
    }
    is_right(bed, &Problem::<f64>::new("opposite", &positions, &charges), 0.0);
}

/// Two places side by side, whose charges cancel up to what f32 has of their sums, seen from afar.
fn opposite_places_cancel_in_f32(bed: Bed) {
    let receivers = clouds::uniform_cube(bed.points(600), 43).positions;
    for apart in [1e-7, 1e-5] {
        let positions = [[0.0, 0.25, -0.5], [apart, 0.25, -0.5]].repeat(300);
        let mut charges: Vec<f64> =
            charges::masses(300, 42).iter().flat_map(|q| [*q, -*q]).collect();
        charges[3] *= 1.0 + 1e-5;
        let problem = Problem::<f32>::new("side by side", &positions, &charges);
        is_right(bed, &problem.at(&receivers), 0.0);
    }
}

/// A plan goes from points apart to coincident ones and back, and so do fields and workspaces.
#[test]
fn moved_points_are_merged_anew() {
    let apart = clouds::plummer(4000, 38).positions;
    let places = at_places(&apart[..40], 4000);
    let charges = charges::mixed(4000, 39);
    let request = Fmm::new().method(Method::Fmm).tolerance(TOLERANCE);
    let (mut fields, mut workspace) = (Vec::new(), Workspace::new());
    let mut plan = request.plan(&apart).unwrap();
    let kept = plan.clone();
    for positions in [&places, &apart, &places] {
        plan.update_positions(positions).unwrap();
        assert_eq!(plan.report().places.is_some(), positions == &places);
        plan.evaluate_many_into(&[&charges, &charges], &mut fields, &mut workspace).unwrap();
        let new = request.plan(positions).unwrap().evaluate_many(&[&charges, &charges]).unwrap();
        assert!(fields.iter().zip(&new).all(|(a, b)| bits(a) == bits(b)));
    }
    assert!(kept.report().places.is_none());
    // A refusal leaves the plan as it was, and names the caller's point.
    let mut bad = places.clone();
    bad[1234][1] = f64::NAN;
    let error = plan.update_positions(&bad).unwrap_err();
    assert!(matches!(error, Error::Tree(octree::Error::NotFinite { index: 1234, .. })), "{error}");
    assert!(bits(&plan.evaluate_many(&[&charges, &charges]).unwrap()[0]) == bits(&fields[0]));
}

/// Earlier gradients are those of the caller's receivers.
#[test]
fn earlier_gradients_are_merged_too() {
    let cloud = clouds::plummer(3000, 40).positions;
    let mut positions = cloud.clone();
    positions.extend(at_places(&cloud[..3], 3000));
    let problem = Problem::<f64>::new("earlier", &positions, &charges::masses(6000, 41));
    let relative = Treecode::new().opening(Opening::Relative { alpha: 1e-3 });
    let plan = problem.plan(Fmm::new().method(relative).tolerance(1e-3)).unwrap();
    let (first, mut next) = (plan.evaluate(&problem.charges).unwrap(), Default::default());
    plan.evaluate_after_into(&problem.charges, &first.gradient, &mut next, &mut Workspace::new())
        .unwrap();
    assert!(next.report.places.is_some());
    assert!(Oracle::new(&problem, 1000).errors(&next).worse() < 1e-3);
}

/// Sums of charges that leave the range of the floats stay finite where the result is.
#[test]
fn sums_beyond_the_largest_number() {
    let places = [[0.0, 0.0, 0.0], [1e9, 2e9, 2e9]];
    let problem = Problem::<f32>::new("large", &places.repeat(200), &[3e36; 400]);
    let field = problem.field(Fmm::new().tolerance(TOLERANCE)).unwrap();
    assert!(Oracle::new(&problem, 400).errors(&field).worse() <= TOLERANCE);
    assert!(field.potential.iter().all(|potential| potential.is_finite()));
}

on_devices_and_ranks! {
    places_are_right_in_f64,
    places_are_right_in_f32,
    places_of_receivers_are_right,
    opposite_places_cancel_in_f32,
}

on_devices! {
    opposite_charges_of_a_place_cancel: cpu emulated emulated_hybrid cuda hybrid ranks cuda_ranks emulated_ranks;
}
