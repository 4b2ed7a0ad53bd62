//! Memory is estimated before it is taken, and refused beyond a limit.

use fmm::{Depth, Error, Field, Fmm, M2l, Method, Outputs, Plan, Scalar, Treecode, Workspace};

const LIMIT: usize = 3_000_000;

/// Numbers in (0, 1) of the additive recurrence by powers of a plastic number.
fn numbers(i: usize) -> [f64; 3] {
    [0.819_172_513_4, 0.671_043_606_7, 0.549_700_477_9].map(|step| ((i + 1) as f64 * step).fract())
}

fn cube<T: Scalar>(n: usize) -> Vec<[T; 3]> {
    (0..n).map(|i| numbers(i).map(T::narrow)).collect()
}

/// Plummer's model without the outermost hundredth of the mass.
fn plummer<T: Scalar>(n: usize) -> Vec<[T; 3]> {
    let star = |i: usize| {
        let [mass, height, turn] = numbers(i);
        let radius = ((0.99 * mass).powf(-2.0 / 3.0) - 1.0).sqrt().recip();
        let z = 2.0 * height - 1.0;
        let (sine, cosine) = (std::f64::consts::TAU * turn).sin_cos();
        let across = (1.0 - z * z).sqrt();
        [across * cosine, across * sine, z].map(|part| T::narrow(radius * part))
    };
    (0..n).map(star).collect()
}

/// Cases whose estimate is not within a factor of 1.5 of the memory that evaluations report.
#[derive(Default)]
struct Misses(Vec<String>);

impl Misses {
    fn check<T: Scalar>(&mut self, fmm: Fmm, positions: &[[T; 3]], n_vectors: usize) {
        let fmm = fmm.vectors(n_vectors);
        let plan: Plan<T> = fmm.plan(positions).unwrap();
        let charges = vec![T::ONE; positions.len()];
        let charges: Vec<&[T]> = vec![&charges; n_vectors];
        let (mut fields, mut workspace) = (Vec::<Field<T>>::new(), Workspace::new());
        plan.evaluate_many_into(&charges, &mut fields, &mut workspace).unwrap();
        let estimate = fmm.estimate::<T>(positions.len(), None).unwrap();
        let ratio = (estimate.total() - estimate.fields) as f64 / fields[0].report.bytes as f64;
        let name = format!("{} {} {n_vectors}", fields[0].report.method, T::NAME);
        if !(1.0 / 1.5..1.5).contains(&ratio) {
            self.0.push(format!("{name}: {ratio}, {estimate}\n{}", fields[0].report));
        }
        assert_eq!(estimate.fields, n_vectors * 4 * positions.len() * size_of::<T>());
    }
}

#[test]
fn estimates_are_near_what_is_taken() {
    let mut misses = Misses::default();
    // Fewer points take some MB, which are never refused; there the tree may choose another form of M2L than the estimate.
    for n in [20_000, 100_000] {
        for tolerance in [1e-3, 1e-5] {
            let fmm = Fmm::new().tolerance(tolerance);
            for method in [Method::Fmm, Treecode::new().into()] {
                let fmm = fmm.method(method);
                misses.check::<f64>(fmm, &cube(n), 1);
                misses.check::<f64>(fmm, &plummer(n), 1);
                misses.check::<f32>(fmm, &cube(n), 1);
                misses.check::<f32>(fmm, &plummer(n), 1);
            }
        }
    }
    let fmm = Fmm::new().tolerance(1e-9).method(Method::Fmm);
    misses.check::<f64>(fmm, &cube(30_000), 1);
    misses.check::<f64>(fmm, &plummer(30_000), 1);
    misses.check::<f64>(fmm.m2l(M2l::Rotation), &cube(30_000), 1);
    misses.check::<f64>(fmm.tolerance(1e-3), &cube(20_000), 9);
    misses.check::<f64>(fmm.depth(Depth::Adaptive { leaf_capacity: 30 }), &plummer(20_000), 1);
    for n_vectors in [1, 5] {
        misses.check::<f64>(Fmm::new().method(Method::Direct), &cube(3000), n_vectors);
        misses.check::<f32>(
            Fmm::new().method(Method::Direct).tolerance(1e-5),
            &plummer(3000),
            n_vectors,
        );
    }
    let Misses(misses) = misses;
    assert!(misses.is_empty(), "{} misses: {}", misses.len(), misses.join("\n"));
}

#[test]
fn outputs_and_receivers_count() {
    let fmm = Fmm::new().method(Method::Fmm);
    let all = fmm.estimate::<f64>(100_000, None).unwrap();
    let potential = fmm.outputs(Outputs::Potential).estimate::<f64>(100_000, None).unwrap();
    assert_eq!((all.fields, potential.fields), (3_200_000, 800_000));
    assert!(potential.sums < all.sums);
    let two = fmm.estimate::<f64>(100_000, Some(100_000)).unwrap();
    assert_eq!(two.points, 2 * all.points);
    // No number of points overflows.
    assert!(fmm.estimate::<f64>(usize::MAX, None).unwrap().total() > 1 << 60);
}

#[test]
fn more_than_the_limit_is_refused() {
    let positions = cube::<f64>(20_000);
    let fmm = Fmm::new().method(Method::Fmm).memory_limit(LIMIT);
    let refused = fmm.plan(&positions).unwrap_err();
    let Error::MemoryLimit { needed, limit: LIMIT } = refused else { panic!("{refused}") };
    assert!(needed > LIMIT);
    assert!(refused.to_string().contains("may take 3.0 MB; use fewer points"), "{refused}");

    // With as much as it asked for, it is made and evaluates.
    let plan = fmm.memory_limit(2 * needed).plan(&positions).unwrap();
    assert!(plan.report().bytes < needed);
    plan.evaluate(&vec![1.0; 20_000]).unwrap();
}

/// Vectors that were not announced are refused when they come, and the fields stay.
#[test]
fn more_vectors_than_the_limit_are_refused() {
    let positions = cube::<f64>(20_000);
    let fmm = Fmm::new().method(Method::Fmm);
    let needed = fmm.estimate::<f64>(20_000, None).unwrap().total();
    let plan = fmm.memory_limit(needed * 3 / 2).plan(&positions).unwrap();
    let ones = vec![1.0; 20_000];
    let mut fields = vec![plan.evaluate(&ones).unwrap()];
    let before = fields[0].potential.clone();
    let refused =
        plan.evaluate_many_into(&[ones.as_slice(); 64], &mut fields, &mut Workspace::new());
    assert!(matches!(refused, Err(Error::MemoryLimit { .. })), "{refused:?}");
    assert_eq!(fields[0].potential, before);
}

/// Clusters whose tree is larger than that of even points are refused when the tree is known.
#[test]
fn clusters_are_refused_when_their_tree_is_known() {
    // Pairs of near points, each pair on 20 levels of its own.
    let fmm = Fmm::new().method(Method::Fmm).depth(Depth::Adaptive { leaf_capacity: 1 });
    let pairs = cube::<f64>(500);
    let near = |point: &[f64; 3]| [*point, point.map(|x| x + 1e-5)];
    let positions: Vec<[f64; 3]> = pairs.iter().flat_map(near).collect();
    let field = fmm.plan(&positions).unwrap().evaluate(&[1.0; 1000]).unwrap();
    let bytes = field.report.bytes;
    let expected = fmm.estimate::<f64>(1000, None).unwrap().total();
    assert!(expected < bytes, "{expected} {bytes}");
    let refused = fmm.memory_limit((expected + bytes) / 2).plan(&positions).unwrap_err();
    assert!(matches!(refused, Error::MemoryLimit { needed, .. } if needed > bytes), "{refused}");
}

/// A limit of the request does, and a machine too small for any part is an error.
#[test]
#[cfg(feature = "emulator")]
fn limits_take_points_in_parts() {
    let (points, charges) = (cube::<f32>(3000), vec![1.0; 3000]);
    let fmm = Fmm::new().device(fmm::Device::Emulated).tolerance(1e-3);
    let limited = fmm.method(Method::Fmm).memory_limit(680_000);
    let estimate = limited.estimate::<f32>(3000, None).unwrap().device.unwrap();
    let plan = limited.plan(&points).unwrap();
    let told = plan.report().device_memory.unwrap();
    assert_ne!(told.taken_in, [1, 1]);
    assert_eq!(told.taken_in, estimate.taken_in);
    let field = plan.evaluate(&charges).unwrap();
    assert!(field.report.to_string().contains("receivers in"), "{}", field.report);
    assert!(field.report.excess().is_none());
    let error = plan.sample_error(&charges, &field, 100).unwrap();
    assert!(error.l2() < 1e-3, "{error:?}");
    let refused = fmm.memory_limit(1000).plan(&points).unwrap_err();
    assert!(matches!(refused, Error::DeviceMemory { .. }), "{refused}");
}
