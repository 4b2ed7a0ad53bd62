//! Sums over ranks beside those of one process.

use fmm::{Device, Field, Fmm, Report, Scalar};
use testbed::charges;
use testbed::clouds::{self, Cloud};
use testbed::conformance::Problem;
use testbed::norms;
pub(crate) use testbed::shares::{join, share as part};

/// Asserts that the sums over so many ranks are that of one process, to rounding, with the same points, tree, method and
/// pairs. Returns the field of one process.
pub(crate) fn is_that_of_one<T: Scalar>(
    problem: &Problem<T>,
    fmm: Fmm,
    sizes: &[usize],
) -> Field<T> {
    let alone = problem.field(fmm).unwrap();
    for size in sizes {
        let over = problem.over(fmm, *size).unwrap();
        let difference = difference(&over, &alone);
        let what = format!("{} on {size} ranks: {difference:e}", problem.name);
        assert!(difference <= rounding::<T>(), "{what}");
        assert_eq!(shape(&over.report), shape(&alone.report), "{what}");
        let far_pairs = |field: &Field<T>| [field.report.m2p_pairs, field.report.m2l_pairs];
        let [pairs, of_one] = [&over, &alone].map(far_pairs);
        match alone.report.device {
            // Far pairs of shared boxes count on each GPU.
            Device::Emulated => {
                let mut both = pairs.into_iter().zip(of_one);
                assert!(both.all(|(pairs, of_one)| pairs >= of_one && (pairs > 0) == (of_one > 0)));
            }
            _ => assert_eq!(pairs, of_one, "{what}"),
        }
    }
    alone
}

/// The largest difference of sums in another order of additions, of some thousands of terms.
fn rounding<T: Scalar>() -> f64 {
    match size_of::<T>() {
        4 => 1e-6,
        _ => 1e-12,
    }
}

/// Points, tree, method and near pairs of a sum.
fn shape(report: &Report) -> impl PartialEq + std::fmt::Debug {
    let points = [report.n_sources, report.n_receivers];
    let boxes = [report.levels, report.boxes, report.leaves, report.order, report.clumps];
    (points, report.places, boxes, report.method, report.opening, report.p2p_pairs)
}

/// Sets of these shapes, with charges of one sign and of both, and receivers apart.
pub(crate) fn sums_of(shapes: &[fn(usize, u64) -> Cloud], n: usize) -> Vec<Problem<f64>> {
    let sum = |(k, cloud): (usize, &fn(usize, u64) -> Cloud)| {
        let kind = if k % 2 == 0 { charges::masses } else { charges::mixed };
        Problem::of(&cloud(n, k as u64 + 1), &kind(n, 5))
    };
    let mut sums: Vec<Problem<f64>> = shapes.iter().enumerate().map(sum).collect();
    let apart = clouds::plummer(n / 2, 8).positions;
    sums.push(Problem::of(&clouds::uniform_cube(n, 7), &charges::mixed(n, 9)).at(&apart));
    sums
}

/// Relative L2 difference of the worse output.
pub(crate) fn difference<T: Scalar>(a: &Field<T>, b: &Field<T>) -> f64 {
    let potential =
        |field: &Field<T>| field.potential.iter().map(|x| x.widen()).collect::<Vec<_>>();
    let gradient =
        |field: &Field<T>| field.gradient.iter().map(|g| g.map(T::widen)).collect::<Vec<_>>();
    let of_potential = norms::scalar(&potential(a), &potential(b)).l2;
    of_potential.max(norms::vector(&gradient(a), &gradient(b)).l2)
}
