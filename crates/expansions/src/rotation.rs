//! Rotations of an expansion: about z by a phase, about y by Wigner's d.

use alloc::vec::Vec;

use lanes::{Lanes, Real};

use crate::matrix::BlockDiagonal;
use crate::numerics::rotation::{First, Step, coupling2, norm, real_entry};

/// The part of Wigner's d^n_{m'm}(β) that does not depend on β, for n < order, m' ≥ 0 and all m.
#[derive(Debug)]
pub(crate) struct Wigner {
    order: usize,
    /// [`norm`]`(l, m)` for 0 ≤ m ≤ l.
    norms: Vec<Vec<f64>>,
    /// Steps of each (m', m), from each n from l = max(m', |m|) on.
    steps: Vec<Step>,
}

impl Wigner {
    pub(crate) fn new(order: usize) -> Self {
        let norms = (0..order).map(|l| (0..=l).map(|m| norm(l, m)).collect()).collect();
        let mut wigner = Self { order, norms, steps: Vec::new() };
        let mut steps = Vec::new();
        wigner.for_each_function(|m1, m2| {
            let root = |n: i64| num_traits::Float::sqrt(coupling2(n, m1, m2));
            let l = First::of(m1, m2).degree as i64;
            steps.extend(
                (l..order as i64 - 1).map(|n| Step::new(n, m1, m2, [root(n), root(n + 1)])),
            );
        });
        wigner.steps = steps;
        wigner
    }

    /// Calls `act(m', m)` for each function.
    fn for_each_function(&self, mut act: impl FnMut(i64, i64)) {
        let order = self.order as i64;
        for m1 in 0..order {
            for m2 in 1 - order..order {
                act(m1, m2);
            }
        }
    }

    /// Position of d^n_{m'm} in a table.
    pub(crate) fn at(&self, n: usize, m1: usize, m2: i64) -> usize {
        let column = m1 * (2 * self.order - 1) + (m2 + self.order as i64 - 1) as usize;
        column * self.order + n
    }

    /// d^n_{m'm}(β) for all n, m' and m, at [`Self::at`]; zeros for n < l.
    pub(crate) fn table(&self, beta: f64) -> Vec<f64> {
        let (sine, cosine) = num_traits::Float::sin_cos(0.5 * beta);
        let powers = |x: f64| {
            let next = move |power: &mut f64, _| {
                let this = *power;
                *power *= x;
                Some(this)
            };
            (0..2 * self.order).scan(1.0, next).collect::<Vec<f64>>()
        };
        let (cosines, sines, cosine) =
            (powers(cosine), powers(-sine), num_traits::Float::cos(beta));
        let n_functions = self.order * (2 * self.order).saturating_sub(1);
        let mut table = alloc::vec![0.0; n_functions * self.order];
        let mut steps = self.steps.iter();
        self.for_each_function(|m1, m2| {
            let First { degree, sign, order, cosines: c, sines: s } = First::of(m1, m2);
            let norm = sign * self.norms[degree][order];
            let (mut below, mut value) = (0.0, norm * cosines[c] * sines[s]);
            let start = self.at(0, m1 as usize, m2);
            table[start + degree] = value;
            let above = &mut table[start + degree + 1..start + self.order];
            for (to, step) in above.iter_mut().zip(steps.by_ref()) {
                (below, value) = (value, step.apply(cosine, value, below));
                *to = value;
            }
        });
        table
    }
}

/// The rotation that takes the direction (sin θ, 0, cos θ) to the z axis, degree by degree.
#[derive(Clone, Debug)]
pub(crate) struct PolarRotation<T> {
    /// Blocks of each degree: the sines, m = n … 1, and the cosines, m = 0 … n.
    pub(crate) blocks: BlockDiagonal<T>,
}

impl<T: Real> PolarRotation<T> {
    pub(crate) fn new(wigner: &Wigner, theta: f64) -> Self {
        let table = wigner.table(theta);
        let entry = |n: usize, sine: bool, m1: usize, m2: usize| {
            let d = |m2: i64| table[wigner.at(n, m1, m2)];
            real_entry(sine, m1, m2, [d(m2 as i64), d(-(m2 as i64))])
        };
        let mut blocks = BlockDiagonal::new();
        for n in 0..wigner.order {
            blocks.push(n, false, |i, j| entry(n, true, n - i, n - j));
            blocks.push(n + 1, false, |m1, m2| entry(n, false, m1, m2));
        }
        Self { blocks }
    }
}

/// cos mφ and sin mφ for m = 1, 2 …
#[derive(Clone, Debug)]
pub(crate) struct AzimuthRotation<T> {
    phases: Vec<[T; 2]>,
}

impl<T: Real> AzimuthRotation<T> {
    /// The rotation about z that takes azimuth `phi` to 0.
    pub(crate) fn new(order: usize, phi: f64) -> Self {
        let phase = |m: usize| {
            let (sine, cosine) = num_traits::Float::sin_cos(m as f64 * phi);
            [T::narrow(cosine), T::narrow(sine)]
        };
        Self { phases: (1..order).map(phase).collect() }
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(self.phases.as_slice())
    }

    /// Inverse rotation, with the coefficients of azimuthal index m times (−1)^m.
    pub(crate) fn back_with_parity(&self) -> Self {
        let back = |(k, [cosine, sine]): (usize, &[T; 2])| {
            let parity = if k % 2 == 0 { -T::ONE } else { T::ONE };
            [parity * *cosine, -parity * *sine]
        };
        Self { phases: self.phases.iter().enumerate().map(back).collect() }
    }

    /// Rotates in place.
    #[inline(always)]
    pub(crate) fn apply<V: Lanes<Scalar = T>>(&self, expansion: &mut [V]) {
        for n in 1..=self.phases.len() {
            let degree = &mut expansion[n * n..(n + 1) * (n + 1)];
            let (sines, cosines) = degree.split_at_mut(n);
            let parts = sines.iter_mut().rev().zip(&mut cosines[1..]).zip(&self.phases);
            for ((s, c), [cosine, sine]) in parts {
                let (cosine, sine) = (V::splat(*cosine), V::splat(*sine));
                let turned = c.mul_add(cosine, *s * sine);
                *s = s.mul_add(cosine, -(*c * sine));
                *c = turned;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Harmonics;
    use crate::layout::index;
    use proptest::prelude::*;

    const ORDER: usize = 41;

    fn regular(point: [f64; 3]) -> Vec<f64> {
        let mut out = vec![0.0; ORDER * ORDER];
        Harmonics::new(ORDER).regular(1.0, point, &mut out);
        out
    }

    fn turn(polar: &PolarRotation<f64>, expansion: &mut [f64]) {
        let at: Vec<u32> = (0..expansion.len() as u32).collect();
        polar.blocks.multiply(expansion, &at, &mut vec![0.0; expansion.len()]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]
        #[test]
        fn rotated_harmonics_are_harmonics_of_the_rotated_point(
            theta in 0.0..core::f64::consts::PI,
            phi in -3.0..3.0_f64,
            point in prop::array::uniform3(-0.5..0.5_f64),
        ) {
            let [x, y, z] = point;
            let (x1, y1) = (x * phi.cos() + y * phi.sin(), y * phi.cos() - x * phi.sin());
            let turned = [x1 * theta.cos() - z * theta.sin(), y1, z * theta.cos() + x1 * theta.sin()];
            let mut expansion = regular(point);
            AzimuthRotation::new(ORDER, phi).apply(&mut expansion);
            turn(&PolarRotation::new(&Wigner::new(ORDER), theta), &mut expansion);
            for (got, want) in expansion.iter().zip(regular(turned)) {
                prop_assert!((got - want).abs() < 1e-13, "{got} {want}");
            }
        }

        #[test]
        fn a_rotation_with_parities_is_undone_by_itself(theta in 0.0..3.1_f64, phi in -3.0..3.0_f64) {
            let start = regular([0.3, -0.8, 0.4]);
            let azimuth = AzimuthRotation::new(ORDER, phi);
            let polar = PolarRotation::new(&Wigner::new(ORDER), theta);
            let mut a = start.clone();
            azimuth.apply(&mut a);
            turn(&polar, &mut a);
            for n in 0..ORDER {
                for m in (-(n as isize)..=n as isize).filter(|m| m % 2 != 0) {
                    a[index(n, m)] *= -1.0;
                }
            }
            turn(&polar, &mut a);
            azimuth.back_with_parity().apply(&mut a);
            for (got, want) in a.iter().zip(&start) {
                prop_assert!((got - want).abs() < 1e-13, "{got} {want}");
            }
        }
    }
}
