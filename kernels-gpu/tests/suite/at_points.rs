//! Fields at points: the oracle's shares, and the comparison.

use expansions::operators::PointSums;
use kernels_gpu::device::Vec4;
use kernels_gpu::operators::Operator;

use crate::forest::Forest;

/// Asserts that gradients and potentials are close to the largest of their kind.
pub(crate) fn assert_field<T: Operator>(
    got: &[Vec4<T>],
    want: &[[f64; 4]],
    tolerance: f64,
    what: &str,
) {
    let largest = |d: usize| want.iter().fold(0.0_f64, |m, w| m.max(w[d].abs()));
    for (i, (Vec4(got), want)) in got.iter().zip(want).enumerate() {
        for d in 0..4 {
            let error = (got[d].to_f64() - want[d]).abs();
            assert!(
                error <= tolerance * largest(d),
                "{what}: point {i}, {d}: {:?}, not {want:?}",
                got
            );
        }
    }
}

/// Adds the share of an operator that ends at points, as `evaluate` computes it, to the field of box `b`.
pub(crate) fn add_at_points(
    forest: &Forest,
    b: usize,
    field: &mut [[f64; 4]],
    evaluate: impl FnOnce(&mut PointSums<'_, f64>),
) {
    let Vec4([begin, end, ..]) = forest.range[b];
    let mut parts = [(); 4].map(|()| vec![0.0; (end - begin) as usize]);
    let [x, y, z, potential] = &mut parts;
    evaluate(&mut PointSums { potential, gradient: [x, y, z] });
    for (i, field) in field[begin as usize..end as usize].iter_mut().enumerate() {
        for (value, part) in field.iter_mut().zip(&parts) {
            *value += part[i];
        }
    }
}
