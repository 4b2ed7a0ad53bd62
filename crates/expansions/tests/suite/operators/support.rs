//! Charges in boxes, the operators with their tables, and the direct sum.

use expansions::layout::{n_coefficients, row_length};
use expansions::operators::{
    FarOffset, L2l, M2l, M2lForm, M2m, M2pTables, PointSums, l2p, m2p, p2l, p2m,
};
use expansions::{BoxPoints, Gradient, Harmonics, RowPair, Scalar};

/// A cube.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cube {
    pub(crate) center: [f64; 3],
    pub(crate) side: f64,
}

impl Cube {
    pub(crate) const UNIT: Self = Self { center: [0.0; 3], side: 1.0 };

    /// The cube of the same side, `offset` sides away.
    pub(crate) fn neighbor(self, offset: [i8; 3]) -> Self {
        let along = |k: usize| self.center[k] + self.side * f64::from(offset[k]);
        Self { center: [0, 1, 2].map(along), ..self }
    }

    /// The child in an octant: bit 0 is the upper half in x, bit 1 in y, bit 2 in z.
    pub(crate) fn child(self, octant: usize) -> Self {
        let sign = |k: usize| if octant >> k & 1 == 1 { 0.25 } else { -0.25 };
        let center = [0, 1, 2].map(|k| self.center[k] + self.side * sign(k));
        Self { center, side: 0.5 * self.side }
    }

    /// The point with these coordinates in units of the side, from the centre.
    pub(crate) fn at(self, relative: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|k| self.center[k] + self.side * relative[k])
    }
}

/// Numbers from −1/2 to 1/2, by Knuth's MMIX generator.
pub(crate) fn uniform(seed: u64) -> impl FnMut() -> f64 {
    let mut state = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    }
}

/// Points with charges.
#[derive(Clone, Debug)]
pub(crate) struct Cloud<T> {
    pub(crate) coordinates: [Vec<T>; 3],
    pub(crate) charges: Vec<T>,
}

impl<T: Scalar> Cloud<T> {
    pub(crate) fn from_points(points: &[[f64; 3]], charges: &[f64]) -> Self {
        let coordinate = |k: usize| points.iter().map(|x| T::narrow(x[k])).collect();
        let charges = charges.iter().copied().map(T::narrow).collect();
        Self { coordinates: [0, 1, 2].map(coordinate), charges }
    }

    /// `n` points in a cube with charges of both signs.
    pub(crate) fn inside(n: usize, cube: Cube, seed: u64) -> Self {
        let mut next = uniform(seed);
        let points: Vec<_> = (0..n).map(|_| cube.at([next(), next(), next()])).collect();
        let charges: Vec<_> = (0..n).map(|_| 2.0 * next()).collect();
        Self::from_points(&points, &charges)
    }

    /// Points of [`Self::inside`] after the corners of the cube, where errors are largest.
    pub(crate) fn in_cube(n: usize, cube: Cube, seed: u64) -> Self {
        let mut cloud = Self::inside(n, cube, seed);
        for i in 0..n.min(8) {
            let corner = cube.at([0, 1, 2].map(|k| if i >> k & 1 == 1 { 0.5 } else { -0.5 }));
            for (coordinates, corner) in cloud.coordinates.iter_mut().zip(corner) {
                coordinates[i] = T::narrow(corner);
            }
        }
        cloud
    }

    pub(crate) fn len(&self) -> usize {
        self.charges.len()
    }

    pub(crate) fn slices(&self) -> [&[T]; 3] {
        self.coordinates.each_ref().map(Vec::as_slice)
    }

    pub(crate) fn point(&self, i: usize) -> [f64; 3] {
        self.coordinates.each_ref().map(|c| c[i].widen())
    }

    pub(crate) fn relative_to(&self, cube: Cube) -> BoxPoints<T> {
        let mut points = BoxPoints::new();
        points.set(cube.center, cube.side, self.slices());
        points
    }

    /// Σ|q|.
    pub(crate) fn total(&self) -> f64 {
        self.charges.iter().map(|q| q.widen().abs()).sum()
    }

    /// Appends the points of another cloud.
    pub(crate) fn append(&mut self, other: &Self) {
        for (to, from) in self.coordinates.iter_mut().zip(&other.coordinates) {
            to.extend_from_slice(from);
        }
        self.charges.extend_from_slice(&other.charges);
    }
}

/// Potential and gradient at points.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sums<T> {
    pub(crate) potential: Vec<T>,
    pub(crate) gradient: [Vec<T>; 3],
}

impl<T: Scalar> Sums<T> {
    pub(crate) fn zeros(n: usize) -> Self {
        let zeros = vec![T::ZERO; n];
        Self { potential: zeros.clone(), gradient: [(); 3].map(|()| zeros.clone()) }
    }

    pub(crate) fn as_mut(&mut self) -> PointSums<'_, T> {
        let [x, y, z] = &mut self.gradient;
        PointSums { potential: &mut self.potential, gradient: [x, y, z] }
    }

    /// Sums of potentials only, which operators recognise by empty gradients.
    pub(crate) fn potential_only(&mut self) -> PointSums<'_, T> {
        PointSums { potential: &mut self.potential, gradient: [(); 3].map(|()| &mut [][..]) }
    }

    /// Largest error of the potential, and of the gradient as a vector.
    pub(crate) fn errors<U: Scalar>(&self, exact: &Sums<U>) -> [f64; 2] {
        assert_eq!(self.potential.len(), exact.potential.len());
        let mut largest = [0.0_f64; 2];
        for i in 0..self.potential.len() {
            let difference = |a: &[T], b: &[U]| a[i].widen() - b[i].widen();
            let potential = difference(&self.potential, &exact.potential).abs();
            let gradient =
                norm([0, 1, 2].map(|k| difference(&self.gradient[k], &exact.gradient[k])));
            assert!(potential.is_finite() && gradient.is_finite(), "receiver {i}");
            largest = [largest[0].max(potential), largest[1].max(gradient)];
        }
        largest
    }

    /// Largest potential, and largest gradient.
    pub(crate) fn sizes(&self) -> [f64; 2] {
        self.errors(&Self::zeros(self.potential.len()))
    }
}

pub(crate) fn norm(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

pub(crate) fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    norm([0, 1, 2].map(|k| a[k] - b[k]))
}

/// The sum by its definition, in f64.
pub(crate) fn direct<T: Scalar>(
    sources: &Cloud<T>,
    receivers: &Cloud<T>,
    softening: f64,
) -> Sums<f64> {
    let mut sums = Sums::zeros(receivers.len());
    for i in 0..receivers.len() {
        let x = receivers.point(i);
        for j in 0..sources.len() {
            let (y, q) = (sources.point(j), sources.charges[j].widen());
            if y == x {
                continue;
            }
            let inverse = norm([distance(x, y), softening, 0.0]).recip();
            sums.potential[i] += q * inverse;
            for k in 0..3 {
                sums.gradient[k][i] += q * (y[k] - x[k]) * inverse.powi(3);
            }
        }
    }
    sums
}

/// The operators of one order, all but M2L, whose tables take longest.
#[derive(Debug)]
pub(crate) struct Operators<T> {
    pub(crate) order: usize,
    harmonics: Harmonics<T>,
    m2p: M2pTables<T>,
    pub(crate) gradient: Gradient<T>,
    m2m: M2m<T>,
    l2l: L2l<T>,
}

impl<T: Scalar> Operators<T> {
    pub(crate) fn new(order: usize) -> Self {
        Self {
            order,
            harmonics: Harmonics::new(order),
            m2p: M2pTables::new(order),
            gradient: Gradient::new(order + 1),
            m2m: M2m::new(order),
            l2l: L2l::new(order),
        }
    }

    pub(crate) fn row(&self) -> Vec<T> {
        vec![T::ZERO; row_length(self.order)]
    }

    pub(crate) fn p2m(&self, sources: &Cloud<T>, cube: Cube) -> Vec<T> {
        let mut row = self.row();
        let multipole = &mut row[..n_coefficients(self.order)];
        p2m(&self.harmonics, &sources.relative_to(cube), &sources.charges, multipole);
        row
    }

    pub(crate) fn p2l(&self, sources: &Cloud<T>, cube: Cube) -> Vec<T> {
        let mut row = self.row();
        let local = &mut row[..n_coefficients(self.order)];
        p2l(&self.harmonics, &sources.relative_to(cube), &sources.charges, local);
        row
    }

    pub(crate) fn m2p(&self, multipole: &[T], cube: Cube, receivers: &Cloud<T>) -> Sums<T> {
        let mut sums = Sums::zeros(receivers.len());
        let points = receivers.relative_to(cube);
        m2p(&self.m2p, multipole, &points, &mut sums.as_mut());
        sums
    }

    pub(crate) fn l2p(&self, local: &[T], cube: Cube, receivers: &Cloud<T>) -> Sums<T> {
        let mut sums = Sums::zeros(receivers.len());
        let points = receivers.relative_to(cube);
        let (harmonics, gradient) = (&self.harmonics, &self.gradient);
        l2p(harmonics, gradient, local, &points, &mut sums.as_mut());
        sums
    }

    /// Adds the multipole of the child in an octant to its parent's.
    pub(crate) fn m2m(&self, octant: usize, child: &[T], parent: &mut [T]) {
        self.m2m.apply(&in_octant(octant), child, parent);
    }

    /// The local expansion of the child in an octant.
    pub(crate) fn l2l(&self, octant: usize, parent: &[T]) -> Vec<T> {
        let mut child = self.row();
        self.l2l.apply(&in_octant(octant), parent, &mut child);
        child
    }

    /// The local expansion of a multipole whose box lies at `offset`.
    pub(crate) fn m2l(&self, m2l: &M2l<T>, offset: [i8; 3], multipole: &[T]) -> Vec<T> {
        assert_eq!(m2l.order(), self.order);
        let mut local = self.row();
        let pairs = [[0, 0]];
        m2l.apply([(far(offset), &pairs[..])].into_iter(), multipole, &mut local);
        local
    }
}

/// M2L in the form that the library uses.
pub(crate) fn rotating<T: Scalar>(order: usize) -> M2l<T> {
    M2l::new(order, M2lForm::Rotation)
}

pub(crate) fn far(offset: [i8; 3]) -> FarOffset {
    FarOffset::new(offset).unwrap()
}

fn in_octant(octant: usize) -> [Vec<RowPair>; 8] {
    let mut pairs = [const { Vec::new() }; 8];
    pairs[octant].push([0, 0]);
    pairs
}

/// The largest absolute value.
pub(crate) fn largest<T: Scalar>(row: &[T]) -> f64 {
    row.iter().map(|x| x.widen().abs()).fold(0.0, f64::max)
}

/// The largest difference of two rows, relative to the largest number of the second.
pub(crate) fn relative_difference<T: Scalar>(a: &[T], b: &[T]) -> f64 {
    assert_eq!(a.len(), b.len());
    let differences = a.iter().zip(b).map(|(a, b)| (a.widen() - b.widen()).abs());
    differences.fold(0.0, f64::max) / largest(b)
}
