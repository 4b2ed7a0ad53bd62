//! Plane waves against rotation, pair by pair.

use expansions::layout::{n_coefficients, row_length};
use expansions::operators::{
    FarOffset, M2l, M2lForm, NO_ROW, PointSums, Receiver, WaveScratch, Waves, l2p, p2m,
};
use expansions::{BoxPoints, Gradient, Harmonics, Scalar};

/// Points of a box of side 1 in its inner half, where the order's own error is smaller than that of the waves.
fn coordinates<T: Scalar>() -> [Vec<T>; 3] {
    let number = |i: usize, step: f64| 0.5 * ((i as f64 * step).fract() - 0.5);
    let corner = |i: usize, axis: usize| if i >> axis & 1 == 0 { -0.25 } else { 0.25 };
    [0, 1, 2].map(|axis| {
        let step = [0.618, 0.414, 0.732][axis];
        let value = |i| if i < 8 { corner(i, axis) } else { number(i, step) };
        (0..24).map(|i| T::narrow(value(i))).collect()
    })
}

/// The potentials of a local expansion at these points.
fn potentials<T: Scalar>(order: usize, local: &[T]) -> Vec<f64> {
    let mut points = BoxPoints::new();
    let coordinates = coordinates::<T>();
    points.set([0.0; 3], 1.0, coordinates.each_ref().map(Vec::as_slice));
    let mut potential = vec![T::ZERO; 24];
    let sums = &mut PointSums { potential: &mut potential, gradient: [&mut [], &mut [], &mut []] };
    l2p(&Harmonics::new(order), &Gradient::new(order), local, &points, sums);
    potential.into_iter().map(T::widen).collect()
}

/// The largest difference of the potentials by waves and by rotation, over all offsets and octants of the receiver.
fn difference<T: Scalar>(order: usize, error: f64) -> f64 {
    let (waves, m2l) = (Waves::<T>::new(order, error), M2l::<T>::new(order, M2lForm::Rotation));
    let mut points = BoxPoints::new();
    let coordinates = coordinates::<T>();
    points.set([0.0; 3], 1.0, coordinates.each_ref().map(Vec::as_slice));
    let charges: Vec<T> =
        (0..24).map(|i| T::narrow(if i % 3 == 0 { -1.0 / 24.0 } else { 1.0 / 24.0 })).collect();
    let mut multipole = vec![T::ZERO; row_length(order)];
    p2m(&Harmonics::new(order), &points, &charges, &mut multipole[..n_coefficients(order)]);
    let mut worst = 0.0_f64;
    for offset in FarOffset::all() {
        let mut seen = vec![T::ZERO; row_length(order)];
        m2l.apply([(offset, &[[0, 0]][..])].into_iter(), &multipole, &mut seen);
        let want = potentials(order, &seen);
        for octant in 0..8 {
            // The parent has the children at 0 and 1 along each axis.
            let bits = [0, 1, 2].map(|axis| octant >> axis & 1);
            let source = [0, 1, 2].map(|axis| bits[axis] + i32::from(offset.components()[axis]));
            let parent = source.map(|c| c.div_euclid(2));
            if parent.iter().any(|c| c.abs() > 1) {
                continue;
            }
            let source_octant = (0..3).map(|axis| source[axis].rem_euclid(2) << axis).sum::<i32>();
            let mut family = [NO_ROW; 8];
            family[source_octant as usize] = 0;
            let mut locals = vec![T::ZERO; row_length(order)];
            let mut rows = [NO_ROW; 8];
            rows[octant as usize] = 0;
            for part in waves.parts() {
                let mut sent = vec![T::ZERO; part.sent_length()];
                part.send(&[family], &multipole, &mut sent, &mut WaveScratch::default());
                let mut receiver =
                    Receiver { sources: [[&sent[..0]; 9]; 2], locals: &mut locals, rows };
                let Some((way, across)) = part.axis().slot(parent) else { continue };
                let length = sent.len() / 2;
                receiver.sources[way][across] = &sent[way * length..][..length];
                part.receive(&mut [receiver], &mut WaveScratch::default());
            }
            for (got, want) in potentials(order, &locals).iter().zip(&want) {
                worst = worst.max((got - want).abs());
            }
        }
    }
    worst
}

#[test]
fn waves_equal_rotation_to_within_their_error() {
    for (order, error) in [(3, 1e-2), (7, 1e-4), (14, 1e-6), (20, 1e-9), (32, 1e-13)] {
        let seen = difference::<f64>(order, error);
        assert!(seen < 2.0 * error + 1e-14, "order {order}: {seen:e}");
    }
}

#[test]
fn waves_in_f32() {
    for (order, error) in [(5, 1e-3), (12, 1e-6)] {
        let seen = difference::<f32>(order, error);
        assert!(seen < 2.0 * error + 2e-6, "order {order}: {seen:e}");
    }
}
