//! Every operator on a path from charges to a potential and its gradient, against the sum and
//! against the rigorous bound.

use expansions::MAX_ORDER;
use expansions::bounds::{
    convergence_ratio, local_bound, local_gradient_bound, multipole_bound, multipole_gradient_bound,
};
use expansions::operators::M2l;

use super::support::{Cloud, Cube, Operators, Sums, direct, distance, norm, rotating};

const CUBE: Cube = Cube { center: [0.3, -0.2, 0.1], side: 0.5 };

/// The nearest offsets of each kind, and the farthest ones.
const OFFSETS: [[i8; 3]; 6] =
    [[2, 0, 0], [0, -2, 1], [-1, 1, 2], [2, -2, -2], [0, 0, -3], [3, -3, 3]];

/// Charges in one cube and receivers in another one, with the exact sums.
struct Pair {
    sources: Cloud<f64>,
    receivers: Cloud<f64>,
    exact: Sums<f64>,
}

impl Pair {
    fn new(source: Cube, receiver: Cube) -> Self {
        let sources = Cloud::in_cube(13, source, 1);
        let receivers = Cloud::in_cube(11, receiver, 2);
        let exact = direct(&sources, &receivers, 0.0);
        Self { sources, receivers, exact }
    }

    /// Asserts that no receiver's error exceeds its bounds for potential and gradient, which are
    /// those of Σ|q| = 1, by more than rounding: `size` is the potential of a unit charge.
    fn check(
        &self,
        order: usize,
        got: &Sums<f64>,
        size: f64,
        bounds: impl Fn([f64; 3]) -> [f64; 2],
    ) {
        let (total, p) = (self.sources.total(), order as f64);
        for i in 0..self.receivers.len() {
            let x = self.receivers.point(i);
            let bound = bounds(x);
            let potential = (got.potential[i] - self.exact.potential[i]).abs();
            let gradient = norm([0, 1, 2].map(|k| got.gradient[k][i] - self.exact.gradient[k][i]));
            let rounding = 4.0 * f64::EPSILON * p * size;
            for (error, limit) in [
                (potential, bound[0] + rounding),
                (gradient, bound[1] + 4.0 * p * rounding / CUBE.side),
            ] {
                assert!(error <= total * limit, "p = {order}, {x:?}: {error:e}, {limit:e}");
            }
        }
    }
}

/// Distance of the farthest and of the nearest charge from a point.
fn radii(sources: &Cloud<f64>, center: [f64; 3]) -> [f64; 2] {
    (0..sources.len())
        .map(|i| distance(sources.point(i), center))
        .fold([0.0, f64::INFINITY], |[most, least], r| [r.max(most), r.min(least)])
}

/// P2M → M2P and P2M → M2M → M2P.
fn check_multipole(operators: &Operators<f64>, offset: [i8; 3]) {
    let order = operators.order;
    let near = CUBE.neighbor(offset);
    for source in [CUBE, CUBE.child(6)] {
        let pair = Pair::new(source, near);
        let mut multipole = operators.p2m(&pair.sources, source);
        if source.side < CUBE.side {
            let mut parent = operators.row();
            operators.m2m(6, &multipole, &mut parent);
            multipole = parent;
        }
        let [a, _] = radii(&pair.sources, CUBE.center);
        let got = operators.m2p(&multipole, CUBE, &pair.receivers);
        pair.check(order, &got, 1.0 / (1.5 * CUBE.side - a), |x| {
            let r = distance(x, CUBE.center);
            [multipole_bound(order, a, r), multipole_gradient_bound(order, a, r)]
        });
    }
}

/// P2L → L2P and P2L → L2L → L2P.
fn check_local(operators: &Operators<f64>, offset: [i8; 3]) {
    let order = operators.order;
    for receiver in [CUBE, CUBE.child(1)] {
        let pair = Pair::new(CUBE.neighbor(offset), receiver);
        let mut local = operators.p2l(&pair.sources, CUBE);
        if receiver.side < CUBE.side {
            local = operators.l2l(1, &local);
        }
        let [_, nearest] = radii(&pair.sources, CUBE.center);
        let got = operators.l2p(&local, receiver, &pair.receivers);
        let size = 1.0 / (nearest - 0.75_f64.sqrt() * CUBE.side);
        pair.check(order, &got, size, |x| {
            let r = distance(x, CUBE.center);
            [local_bound(order, 0.0, r, nearest), local_gradient_bound(order, 0.0, r, nearest)]
        });
    }
}

/// P2M → M2L → L2P, and P2M → M2M → M2L → L2L → L2P.
fn check_far(operators: &Operators<f64>, m2l: &M2l<f64>, offset: [i8; 3]) {
    let order = operators.order;
    let far = CUBE.neighbor(offset);
    for (source, receiver) in [(far, CUBE), (far.child(2), CUBE.child(5))] {
        let pair = Pair::new(source, receiver);
        let mut multipole = operators.p2m(&pair.sources, source);
        if source.side < CUBE.side {
            let mut parent = operators.row();
            operators.m2m(2, &multipole, &mut parent);
            multipole = parent;
        }
        let mut local = operators.m2l(m2l, offset, &multipole);
        if receiver.side < CUBE.side {
            local = operators.l2l(5, &local);
        }
        let got = operators.l2p(&local, receiver, &pair.receivers);
        let [a, _] = radii(&pair.sources, far.center);
        let d = distance(far.center, CUBE.center);
        let size = 1.0 / (d - 3.0_f64.sqrt() * CUBE.side);
        pair.check(order, &got, size, |x| {
            let b = distance(x, CUBE.center);
            [local_bound(order, a, b, d), local_gradient_bound(order, a, b, d)]
        });
    }
}

#[test]
fn every_path_stays_within_its_bound_at_every_order() {
    for order in 1..=MAX_ORDER {
        let operators = Operators::<f64>::new(order);
        let m2l = rotating(order);
        for offset in OFFSETS {
            check_multipole(&operators, offset);
            check_local(&operators, offset);
            check_far(&operators, &m2l, offset);
        }
    }
}

/// The bound is for the worst charges. Those that fill a box must do much better: a wrong term of
/// high degree would hide below the bound, but not below this.
#[test]
fn typical_errors_fall_much_faster_than_the_bound() {
    let orders = [4, 8, 12, 16, 20, 24, 28, 32];
    let mut history = vec![Vec::new(); OFFSETS.len()];
    for order in orders {
        let operators = Operators::<f64>::new(order);
        let m2l = rotating(order);
        for (offset, history) in OFFSETS.into_iter().zip(&mut history) {
            let far = CUBE.neighbor(offset);
            let sources = Cloud::inside(400, far, 3);
            let receivers = Cloud::inside(60, CUBE, 4);
            let local = operators.m2l(&m2l, offset, &operators.p2m(&sources, far));
            let got = operators.l2p(&local, CUBE, &receivers);
            let errors = got.errors(&direct(&sources, &receivers, 0.0));
            let rounding = 1e-15 * order as f64 * sources.total();
            history.push(errors.map(|error| error.max(rounding)));
        }
    }
    let bound = |order: i32| convergence_ratio(0.75_f64.sqrt(), 0.75_f64.sqrt(), 2.0).powi(order);
    for (offset, history) in OFFSETS.iter().zip(&history) {
        for (kind, name) in ["potential", "gradient"].iter().enumerate() {
            let errors: Vec<f64> = history.iter().map(|errors| errors[kind]).collect();
            let steady = errors.windows(2).all(|two| two[1] < 1.5 * two[0]);
            let all = errors[orders.len() - 1] / errors[0];
            assert!(steady && all < 1e-3 * bound(28), "{name}, {offset:?}: {errors:?}");
        }
    }
}
