//! Refinement of an approximate reciprocal square root.

use crate::{Lanes, Real};

/// Improves `y ≈ 1/√x` by one step of the given order: with e = 1 − x y², the relative error of `y`
/// becomes c e^ORDER, where c is 3/8 for order 2, 5/16 for 3, 35/128 for 4 and 63/256 for 5. A zero
/// stays zero.
///
/// The step is the series of (1 − e)^(−1/2), cut after ORDER terms.
#[inline(always)]
pub(crate) fn rsqrt_step<V: Lanes, const ORDER: u32>(x: V, y: V) -> V {
    let constant = |c: f64| V::splat(V::Scalar::narrow(c));
    let e = (-(x * y)).mul_add(y, constant(1.0));
    let series = match ORDER {
        2 => constant(0.5),
        3 => e.mul_add(constant(3.0 / 8.0), constant(0.5)),
        4 => e.mul_add(e.mul_add(constant(5.0 / 16.0), constant(3.0 / 8.0)), constant(0.5)),
        _ => {
            let tail = e.mul_add(constant(35.0 / 128.0), constant(5.0 / 16.0));
            e.mul_add(e.mul_add(tail, constant(3.0 / 8.0)), constant(0.5))
        }
    };
    (y * e).mul_add(series, y)
}

/// 2/√x from `y ≈ 1/√x` by the step of order 2, in an operation less. A zero stays zero.
#[inline(always)]
pub(crate) fn doubled_rsqrt_step<V: Lanes>(x: V, y: V) -> V {
    y * (-(x * y)).mul_add(y, V::splat(V::Scalar::narrow(3.0)))
}
