//! Sums in f32 of positions in f64.

use fmm::{Fmm, Method, Outputs, Points, Treecode};

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
        let plan = fmm.tolerance(1e-4).plan_f32(Points::from(&positions)).unwrap();
        let field = plan.evaluate(&vec![1.0; n]).unwrap();
        for at in [0, n - 1] {
            let found = f64::from(field.potential[at]) * between;
            assert!((found - 1.0).abs() < 1e-4, "{method:?}: {found}");
        }
    }
}
