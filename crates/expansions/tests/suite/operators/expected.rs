//! Errors to expect beside measured ones: truncated expansions of random charges against the direct sum. The formulas, which
//! cores and device kernels share, see the expansions alone.

use expansions::layout::n_coefficients;
use expansions::numerics::expected::{
    expected_errors, extremes, first_of_last_degrees, grown_to, last_degrees, left_at, nearest,
    sizes_at,
};

use super::support::{Cloud, Cube, Operators, Sums, direct, distance, norm, rotating, uniform};

/// Low and high orders, even and odd.
const ORDERS: [usize; 6] = [3, 4, 6, 9, 11, 14];

/// An expansion with the charges that it stands for.
struct Acting {
    sources: Cloud<f64>,
    cube: Cube,
    row: Vec<f64>,
    is_local: bool,
}

impl Acting {
    fn multipole(operators: &Operators<f64>, cube: Cube, sources: Cloud<f64>) -> Self {
        Self { row: operators.p2m(&sources, cube), sources, cube, is_local: false }
    }

    fn local(operators: &Operators<f64>, cube: Cube, sources: Cloud<f64>) -> Self {
        Self { row: operators.p2l(&sources, cube), sources, cube, is_local: true }
    }

    /// Square of the size of the last degrees.
    fn last_degrees(&self, order: usize) -> f64 {
        let last = &self.row[first_of_last_degrees(order)..n_coefficients(order)];
        last_degrees(last.iter().map(|x| x * x).sum(), self.cube.side)
    }

    /// Square of the error to expect at a point.
    fn expected(&self, order: usize, at: [f64; 3]) -> f64 {
        let distance2 = (distance(at, self.cube.center) / self.cube.side).powi(2);
        let share = if self.is_local { grown_to } else { left_at };
        self.last_degrees(order) * share(distance2, order as u32)
    }

    /// Errors of potential and gradient at each point.
    fn measured(&self, operators: &Operators<f64>, at: &Cloud<f64>) -> Vec<[f64; 2]> {
        let sums = match self.is_local {
            true => operators.l2p(&self.row, self.cube, at),
            false => operators.m2p(&self.row, self.cube, at),
        };
        differences(&sums, &direct(&self.sources, at, 0.0))
    }

    /// Root mean squares over points of the error to expect and of the measured one, in the unit between those of potential
    /// and gradient.
    fn both(&self, operators: &Operators<f64>, at: &Cloud<f64>) -> [f64; 2] {
        let expected = (0..at.len()).map(|i| self.expected(operators.order, at.point(i)));
        let [potential, gradient] = means(&self.measured(operators, at));
        [(expected.sum::<f64>() / at.len() as f64).sqrt(), (potential * gradient).sqrt()]
    }
}

fn differences(sums: &Sums<f64>, exact: &Sums<f64>) -> Vec<[f64; 2]> {
    let difference = |i: usize| {
        let axis = |k: usize| sums.gradient[k][i] - exact.gradient[k][i];
        [(sums.potential[i] - exact.potential[i]).abs(), norm([0, 1, 2].map(axis))]
    };
    (0..sums.potential.len()).map(difference).collect()
}

/// Root mean squares of potential and gradient.
fn means(errors: &[[f64; 2]]) -> [f64; 2] {
    [0, 1].map(|of| {
        let squares: f64 = errors.iter().map(|error| error[of] * error[of]).sum();
        (squares / errors.len() as f64).sqrt()
    })
}

/// Random boxes with random charges.
struct Draw<F> {
    next: F,
    /// Seed of the last cloud.
    seed: u64,
}

fn draw(seed: u64) -> Draw<impl FnMut() -> f64> {
    Draw { next: uniform(seed), seed: 1000 * seed }
}

impl<F: FnMut() -> f64> Draw<F> {
    /// A number from `from` to `to`.
    fn number(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * ((self.next)() + 0.5)
    }

    /// A number from 0 to `n` − 1.
    fn below(&mut self, n: usize) -> usize {
        (self.number(0.0, n as f64) as usize).min(n - 1)
    }

    /// 1 to 30 charges in a cube. Half of the clouds have images of theirs, by which each other degree is empty.
    fn cloud(&mut self, cube: Cube) -> Cloud<f64> {
        self.seed += 1;
        let mut cloud = Cloud::inside(1 + self.below(30), cube, self.seed);
        let size = 10.0_f64.powf(self.number(-2.0, 2.0));
        cloud.charges.iter_mut().for_each(|charge| *charge *= size);
        if let Some(sign) = [None, None, Some(1.0), Some(-1.0)][self.below(4)] {
            let image =
                |k: usize| cloud.coordinates[k].iter().map(move |x| 2.0 * cube.center[k] - x);
            let coordinates = [0, 1, 2].map(|k| image(k).collect());
            let charges = cloud.charges.iter().map(|charge| sign * charge).collect();
            cloud.append(&Cloud { coordinates, charges });
        }
        cloud
    }

    /// The multipole of a box of a quarter to four times a leaf's side, which is far from it, and up to four of its own sides
    /// away.
    fn multipole(&mut self, operators: &Operators<f64>, leaf: Cube) -> Acting {
        let side = leaf.side * 4.0_f64.powf(self.below(5) as f64 * 0.5 - 1.0);
        loop {
            let reach = 4.0 * side + leaf.side;
            let center = leaf.center.map(|c| c + self.number(-reach, reach));
            let axis = |k: usize| ((center[k] - leaf.center[k]).abs() - 0.5 * leaf.side).max(0.0);
            let nearest = norm([0, 1, 2].map(axis)) / side;
            if (1.5..4.0).contains(&nearest) {
                let cube = Cube { center, side };
                let cloud = self.cloud(cube);
                return Acting::multipole(operators, cube, cloud);
            }
        }
    }

    /// The local expansion of a box, which has a leaf up to three levels below, from charges in some of its far boxes.
    fn local(&mut self, operators: &Operators<f64>, leaf: Cube) -> Acting {
        let mut cube = leaf;
        for _ in 0..self.below(4) {
            let side = 2.0 * cube.side;
            let center = cube.center.map(|c| c + (self.below(2) as f64 - 0.5) * cube.side);
            cube = Cube { center, side };
        }
        let mut sources = self.far_cloud(cube);
        for _ in 0..self.below(5) {
            let cloud = self.far_cloud(cube);
            sources.append(&cloud);
        }
        Acting::local(operators, cube, sources)
    }

    fn far_cloud(&mut self, cube: Cube) -> Cloud<f64> {
        let offset = self.far_offset();
        self.cloud(cube.neighbor(offset))
    }

    fn far_offset(&mut self) -> [i8; 3] {
        loop {
            let offset = [0, 1, 2].map(|_| self.below(7) as i8 - 3);
            if offset.iter().any(|c| c.abs() > 1) {
                return offset;
            }
        }
    }

    fn leaf(&mut self) -> Cube {
        let center = [0, 1, 2].map(|_| self.number(-1.0, 1.0));
        Cube { center, side: 0.5_f64.powi(self.below(4) as i32) }
    }

    /// Receivers of a leaf, its corners among them.
    fn receivers(&mut self, leaf: Cube) -> Cloud<f64> {
        self.seed += 1;
        Cloud::in_cube(32, leaf, self.seed)
    }
}

/// The middle of ascending numbers.
fn median(numbers: &[f64]) -> f64 {
    numbers[numbers.len() / 2]
}

/// Errors over those to expect, of multipoles and local expansions of random boxes in random leaves, have one factor for all
/// but what the degrees that are left out add: a first one that is not much smaller than the last that are kept, and up to
/// twice that by those behind. Errors to expect span many powers of ten.
#[test]
fn measured_errors_are_those_to_expect_but_for_one_factor() {
    for order in ORDERS {
        let operators = Operators::<f64>::new(order);
        let mut draw = draw(500 + order as u64);
        let mut of_kinds = [const { Vec::new() }; 2];
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for k in 0..600 {
            let leaf = draw.leaf();
            let acting = match k % 2 {
                0 => draw.multipole(&operators, leaf),
                _ => draw.local(&operators, leaf),
            };
            let [expected, measured] = acting.both(&operators, &draw.receivers(leaf));
            of_kinds[k % 2].push(measured / expected);
            (least, most) = (least.min(expected), most.max(expected));
        }
        of_kinds.iter_mut().for_each(|ratios| ratios.sort_by(f64::total_cmp));
        let [multipole, local] = of_kinds.each_ref().map(|ratios| median(ratios));
        assert!((0.5..2.0).contains(&(multipole / local)), "{order}: {multipole} {local}");
        let middle = (multipole * local).sqrt();
        let ratios = || of_kinds.iter().flatten().map(|ratio| ratio / middle);
        let within = |factor: f64| ratios().filter(|x| (1.0 / factor..factor).contains(x)).count();
        assert_eq!(within(30.0), 600, "{order}: {of_kinds:?}");
        let most_of_all = within(4.0);
        assert!(most_of_all >= 540, "{order}: {most_of_all}");
        assert!(most > 1e6 * least, "{order}: {least} {most}");
    }
}

/// The expansion that is expected to have the largest error has it, or half of it at least, in nine of ten leaves on which 20
/// act.
#[test]
fn the_largest_errors_are_those_of_the_expansions_expected_to_have_them() {
    for order in ORDERS {
        let operators = Operators::<f64>::new(order);
        let mut draw = draw(600 + order as u64);
        let mut found = 0;
        for _ in 0..200 {
            let leaf = draw.leaf();
            let receivers = draw.receivers(leaf);
            let acting = (0..20).map(|k| match k % 5 {
                0 => draw.local(&operators, leaf),
                _ => draw.multipole(&operators, leaf),
            });
            let all: Vec<[f64; 2]> =
                acting.map(|acting| acting.both(&operators, &receivers)).collect();
            let first = all.iter().fold([0.0; 2], |a, b| if b[0] > a[0] { *b } else { a });
            let largest = all.iter().map(|[_, measured]| *measured).fold(0.0, f64::max);
            found += usize::from(first[1] >= 0.5 * largest);
        }
        assert!(found >= 180, "{order}: {found} of 200");
    }
}

/// Potentials of a sphere's points, where the first degree that is left out has nearly all of the error.
#[test]
fn errors_grow_and_fall_with_the_powers_of_the_distance() {
    for order in [3, 4, 5, 6, 7] {
        let operators = Operators::<f64>::new(order);
        let mut draw = draw(700 + order as u64);
        let far = [draw.far_cloud(Cube::UNIT), draw.far_cloud(Cube::UNIT)];
        let [mut sources, others] = far;
        sources.append(&others);
        let directions: Vec<[f64; 3]> = (0..300)
            .map(|_| [0, 1, 2].map(|_| draw.number(-1.0, 1.0)))
            .map(|x| x.map(|c| c / norm(x)))
            .collect();
        let sphere = |radius: f64| {
            let points: Vec<_> = directions.iter().map(|x| x.map(|c| radius * c)).collect();
            Cloud::from_points(&points, &[1.0; 300])
        };
        let inside = Cloud::inside(20, Cube::UNIT, draw.seed + 1);
        for (acting, radii) in [
            (Acting::multipole(&operators, Cube::UNIT, inside), [6.0, 12.0]),
            (Acting::local(&operators, Cube::UNIT, sources), [0.2, 0.1]),
        ] {
            let [near, away] = radii.map(|r| means(&acting.measured(&operators, &sphere(r)))[0]);
            let [a, b] = radii.map(|r| acting.expected(order, [r, 0.0, 0.0]).sqrt());
            let power = [near / away, a / b].map(f64::log2);
            assert!((power[0] - power[1]).abs() < 0.15, "{order}, {radii:?}: {power:?}");
            if acting.is_local {
                // The even power, of squares.
                let [a, b] = sizes_at(radii.map(|r| (r * r) as f32), order as u32);
                let power = [power[0], f64::from(a / b).log2()];
                assert!((0.0..1.2).contains(&(power[0] - power[1] + 0.1)), "{order}: {power:?}");
            }
        }
    }
}

/// Boxes of all sizes share one unit.
#[test]
fn errors_of_a_smaller_box_are_larger_by_the_power_that_is_expected() {
    let operators = Operators::<f64>::new(7);
    for is_local in [false, true] {
        let ratios = [1.0, 0.125].map(|side| {
            let cube = Cube { center: [0.0; 3], side };
            let mut draw = draw(800);
            let (inside, far) = (draw.cloud(cube), draw.far_cloud(cube));
            let (acting, leaf) = match is_local {
                true => (Acting::local(&operators, cube, far), cube),
                false => (Acting::multipole(&operators, cube, inside), cube.neighbor([2, 1, 0])),
            };
            let [expected, measured] = acting.both(&operators, &Cloud::in_cube(32, leaf, 801));
            measured / expected
        });
        assert!((ratios[0] / ratios[1] - 1.0).abs() < 1e-6, "{ratios:?}");
    }
}

/// Errors behind M2L at the receivers of a leaf: those to expect, and as many for all receivers alike, tell the sum of squares by
/// far fewer picks than the latter alone. The variance of a sum of which one in n is picked with the probability w is that of
/// Σ e⁴/w.
#[test]
fn few_picks_by_errors_to_expect_tell_the_error_of_a_leaf() {
    for (order, gain) in [(7, 2.0), (10, 2.0), (13, 4.0), (16, 4.0)] {
        let operators = Operators::<f64>::new(order);
        let m2l = rotating(order);
        let mut draw = draw(900 + order as u64);
        let mut spreads = [0.0; 2];
        for _ in 0..8 {
            let (squares, weights) = errors_in_leaf(&operators, &m2l, &mut draw);
            let n = squares.len() as f64;
            let sum = |of: usize| weights.iter().map(|weights| weights[of]).sum::<f64>();
            let [corners, faces, all] = [sum(0), sum(1), squares.iter().sum()];
            for (square, [corner, face]) in squares.iter().zip(weights) {
                let picked = (1.0 / n + corner / corners + face / faces) / 3.0;
                let relative = square / all;
                spreads[0] += relative * relative / picked / 8.0;
                spreads[1] += relative * relative * n / 8.0;
            }
        }
        let [picked, alike] = spreads;
        assert!(picked < alike / gain, "{order}: {picked} {alike}");
    }
}

/// Squared errors at receivers of the unit cube, and those to expect there.
fn errors_in_leaf(
    operators: &Operators<f64>,
    m2l: &expansions::operators::M2l<f64>,
    draw: &mut Draw<impl FnMut() -> f64>,
) -> (Vec<f64>, Vec<[f64; 2]>) {
    let order = operators.order;
    let mut local = operators.row();
    let (mut all, mut far) = (Cloud::from_points(&[], &[]), 0.0_f64);
    for _ in 0..12 {
        let offset = draw.far_offset();
        let cube = Cube::UNIT.neighbor(offset);
        let mut sources = draw.cloud(cube);
        let total = sources.total();
        sources.charges.iter_mut().for_each(|charge| *charge /= total);
        all.append(&sources);
        let multipole = Acting::multipole(operators, cube, sources);
        let part = operators.m2l(m2l, offset, &multipole.row);
        local.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        let left = left_at(nearest(offset.map(i32::from)), order as u32);
        far = far.max(multipole.last_degrees(order) * left);
    }
    let at = Cloud::<f64>::inside(2000, Cube::UNIT, draw.seed + 1);
    let local = Acting { row: local, sources: all, cube: Cube::UNIT, is_local: true };
    let squares = local.measured(operators, &at).iter().map(|[a, b]| a * b).collect();
    let sizes = [local.last_degrees(order).sqrt() as f32, far.sqrt() as f32, 0.0];
    let weights = |i: usize| {
        let place = extremes(at.point(i).map(|x| x as f32));
        expected_errors(place, order as u32, sizes)
    };
    (squares, (0..at.len()).map(weights).collect())
}
