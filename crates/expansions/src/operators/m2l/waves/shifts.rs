//! Shifts of plane waves: multiplication by phases, one wave a lane.
//!
//! Sets and classes of waves are those of [`numerics::waves`](crate::numerics::waves).

use alloc::vec::Vec;

use lanes::{Lanes, Real};

use super::conversion::n_waves;
use super::rules::Rule;
use crate::numerics::complex::Complex;
use crate::numerics::waves::number::{CHILD, FACTOR, FALL, PARENT, RISE};
use crate::numerics::waves::{N_NUMBERS, acts, class_of, set_of};

/// The phases of every wave.
#[derive(Clone, Debug)]
pub(super) struct Shifts<T> {
    /// The [numbers](crate::numerics::waves::number) of each block of waves.
    numbers: Vec<[Number<T>; N_NUMBERS]>,
}

/// Waves of a block.
const WAVES: usize = 16;

/// A number for each wave of a block.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Number<T>([T; WAVES]);

impl<T: Real> Shifts<T> {
    /// Memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        size_of_val(self.numbers.as_slice())
    }

    /// Numbers of wave after wave.
    pub(super) fn by_wave(&self) -> Vec<T> {
        let of_block = |block: &[Number<T>; N_NUMBERS]| {
            let block = *block;
            (0..WAVES).flat_map(move |wave| (0..N_NUMBERS).map(move |k| block[k].0[wave]))
        };
        self.numbers.iter().flat_map(of_block).collect()
    }

    pub(super) fn new(rule: &Rule) -> Self {
        let n_waves = n_waves(rule);
        let zero = Number([T::ZERO; WAVES]);
        let mut numbers = alloc::vec![[zero; N_NUMBERS]; n_waves / WAVES];
        let mut first = 0;
        for node in &rule.nodes {
            let quarter = node.directions / 4;
            for j in 0..2 * quarter {
                let angle =
                    core::f64::consts::TAU * ((j % quarter) as f64 + 0.5) / node.directions as f64;
                let (sine, cosine) = num_traits::Float::sin_cos(angle);
                let (at, cosine) = if j < quarter {
                    (first + j, cosine)
                } else {
                    (n_waves / 2 + first + j - quarter, -cosine)
                };
                let exp = |x: f64| num_traits::Float::exp(x);
                let mut wave = [0.0; N_NUMBERS];
                wave[RISE] = exp(0.5 * node.rate);
                wave[FALL] = exp(-0.5 * node.rate);
                wave[FACTOR] = 2.0 * node.weight * exp(-2.0 * node.rate) / node.directions as f64;
                let phases = [
                    0.5 * (cosine + sine),
                    0.5 * (cosine - sine),
                    2.0 * cosine,
                    2.0 * sine,
                    2.0 * (cosine + sine),
                    2.0 * (cosine - sine),
                ];
                for (k, phase) in phases.into_iter().enumerate() {
                    let (sine, cosine) = num_traits::Float::sin_cos(node.rate * phase);
                    (wave[CHILD + 2 * k], wave[CHILD + 2 * k + 1]) = (cosine, sine);
                }
                for (k, number) in wave.into_iter().enumerate() {
                    numbers[at / WAVES][k].0[at % WAVES] = T::narrow(number);
                }
            }
            first += quarter;
        }
        Self { numbers }
    }
}

impl<V: Lanes> Complex<V> {
    /// Vector of waves from wave `at` on.
    #[inline(always)]
    fn load(row: &[V::Scalar], at: usize) -> Self {
        let (re, im) = row.split_at(row.len() / 2);
        Self { re: V::load(&re[at..]), im: V::load(&im[at..]) }
    }

    #[inline(always)]
    fn store(self, row: &mut [V::Scalar], at: usize) {
        let (re, im) = row.split_at_mut(row.len() / 2);
        self.re.store(&mut re[at..]);
        self.im.store(&mut im[at..]);
    }
}

/// Repeats a block for each value of a constant, so that arrays indexed by it stay in registers.
macro_rules! unrolled {
    ($name:ident in [$($value:literal),*] $body:block) => {
        $({
            const $name: usize = $value;
            $body
        })*
    };
}

/// The numbers of a vector of waves.
struct Block<'a, T> {
    numbers: &'a [Number<T>; N_NUMBERS],
    at: usize,
}

impl<T: Real> Block<'_, T> {
    #[inline(always)]
    fn real<V: Lanes<Scalar = T>>(&self, number: usize) -> V {
        V::load(&self.numbers[number].0[self.at..])
    }

    #[inline(always)]
    fn phase<V: Lanes<Scalar = T>>(&self, number: usize) -> Complex<V> {
        Complex { re: self.real(number), im: self.real(number + 1) }
    }

    /// e^{iλ(u cos α + v sin α)} at the children's places, by octant without w.
    #[inline(always)]
    fn children<V: Lanes<Scalar = T>>(&self) -> [Complex<V>; 4] {
        let (sum, difference) = (self.phase(CHILD), self.phase(CHILD + 2));
        [sum.conjugate(), difference, difference.conjugate(), sum]
    }

    /// Phases at the places of the nine parents, (u + 1) + 3 (v + 1).
    #[inline(always)]
    fn parents<V: Lanes<Scalar = T>>(&self) -> [Complex<V>; 9] {
        let (u, v) = (self.phase(PARENT), self.phase(PARENT + 2));
        let (sum, difference) = (self.phase(PARENT + 4), self.phase(PARENT + 6));
        let one = Complex::one();
        [
            sum.conjugate(),
            v.conjugate(),
            difference,
            u.conjugate(),
            one,
            u,
            difference.conjugate(),
            v,
            sum,
        ]
    }
}

impl<T: Real> Shifts<T> {
    /// The numbers of the vector of waves from `wave` on.
    #[inline(always)]
    fn block(&self, wave: usize) -> Block<'_, T> {
        Block { numbers: &self.numbers[wave / WAVES], at: wave % WAVES }
    }

    /// Merges the waves of children about their parent's centre, into the sets of one way: 0 is up. Children are by
    /// octant of the frame; rows that do not exist are empty. Cost: 8 products of complex numbers a wave.
    #[inline(always)]
    pub(super) fn merge<V: Lanes<Scalar = T>, const BOUNDED: usize>(
        &self,
        way: usize,
        children: &[&[T]; 8],
        n_waves: usize,
        sets: &mut [T],
    ) {
        for wave in (0..n_waves).step_by(V::WIDTH) {
            let block = self.block(wave);
            let phases = block.children::<V>();
            let mut sums = [Complex::<V>::zero(); 8];
            unrolled!(OCTANT in [0, 1, 2, 3, 4, 5, 6, 7] {
                let row = children[OCTANT];
                if !row.is_empty() {
                    let sum = &mut sums[set_of(BOUNDED, OCTANT)];
                    let phase = phases[OCTANT & 3].conjugate();
                    *sum = sum.add_product(Complex::load(row, wave), phase);
                }
            });
            let scales = [block.real::<V>(FALL), block.real::<V>(RISE)];
            for set in 0..2 << BOUNDED {
                let row = &mut sets[(set ^ way) * 2 * n_waves..][..2 * n_waves];
                sums[set].times(scales[(set ^ way) & 1]).store(row, wave);
            }
        }
    }

    /// Adds up the waves of the nine families on one side, given by their sets or empty, and hands them to the
    /// children of a parent, by octant of the frame. Cost: 26 products of complex numbers a wave.
    #[inline(always)]
    pub(super) fn gather<V: Lanes<Scalar = T>, const BOUNDED: usize>(
        &self,
        way: usize,
        sources: &[&[T]; 9],
        n_waves: usize,
        children: &mut [T],
    ) {
        let length = 2 * n_waves;
        for wave in (0..n_waves).step_by(V::WIDTH) {
            let block = self.block(wave);
            let parents = block.parents::<V>();
            let phases = block.children::<V>();
            // The farther children of the sources act on all receivers, the nearer ones on the farther half.
            let scales = [block.real::<V>(RISE), block.real::<V>(FALL)];
            let factor = block.real::<V>(FACTOR);
            let mut received = [Complex::<V>::zero(); 4];
            for side in 0..2 {
                let mut sums = [Complex::<V>::zero(); 9];
                unrolled!(ACROSS in [0, 1, 2, 3, 4, 5, 6, 7, 8] {
                    let sets = sources[ACROSS];
                    if !sets.is_empty() {
                        let mut x = Complex::<V>::zero();
                        unrolled!(SET in [0, 1, 2, 3] {
                            if SET < 1 << BOUNDED && acts(BOUNDED, SET, ACROSS) {
                                let row = &sets[(side + 2 * SET) * length..][..length];
                                x = x.plus(Complex::load(row, wave));
                            }
                        });
                        let sum = &mut sums[class_of(BOUNDED, ACROSS)];
                        *sum = sum.add_product(x, parents[ACROSS].conjugate());
                    }
                });
                let scale = factor * scales[side];
                unrolled!(OCTANT in [0, 1, 2, 3] {
                    let mut sum = received[OCTANT].plus(sums[4]);
                    let (u, v) = (2 * (OCTANT & 1), 6 * (OCTANT >> 1));
                    if BOUNDED > 0 {
                        sum = sum.plus(sums[3 + u]);
                    }
                    if BOUNDED > 1 {
                        sum = sum.plus(sums[1 + v]).plus(sums[u + v]);
                    }
                    received[OCTANT] = sum;
                    let row = &mut children[(OCTANT | (side ^ way) << 2) * length..][..length];
                    let sum = sum.times(scale);
                    Complex::zero().add_product(sum, phases[OCTANT]).store(row, wave);
                });
            }
        }
    }
}
