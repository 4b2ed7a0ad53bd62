//! Multipoles to outgoing waves and incoming waves to local expansions, one box a lane.
//!
//! Both conversions go by way of modes: for each node and each azimuthal index m a cosine and a sine part. From a multipole to
//! modes, waves up and down share the sums over even and over odd n − m; from modes to waves, the directions α and
//! π − α share those over cosines and sines. The way back is the transpose. `docs/theory/formulas.md`, section 10.

use alloc::vec;
use alloc::vec::Vec;

use lanes::{Lanes, Real};

use super::blocks::{BlockSparse, Folded, Unfolded};
use super::frame::{QuarterTurn, WaveAxis, rotations};
use super::rules::Rule;
use crate::layout::{index, row_length};

/// The matrices of one axis.
#[derive(Clone, Debug)]
pub(super) struct Conversion<T> {
    order: usize,
    pub(super) n_modes: usize,
    /// Complex waves of one way, padded.
    n_waves: usize,
    pub(super) rotations: Option<[BlockSparse<T>; 2]>,
    /// Multipole to modes up and down: A of even n − m, B of odd.
    pub(super) out: Folded<T>,
    /// Modes to waves at α and π − α, the real parts from even m, the imaginary ones from odd m.
    pub(super) radiate: [Folded<T>; 2],
    pub(super) collect: [Unfolded<T>; 2],
    pub(super) back: Unfolded<T>,
}

/// Waves come in multiples of this number, so that rows have whole vectors.
const WAVE_ALIGNMENT: usize = 16;

/// Complex waves of one way, padded: first those of 0 < α < π/2, then those of π − α in the same order.
pub(super) fn n_waves(rule: &Rule) -> usize {
    rule.n_waves().next_multiple_of(WAVE_ALIGNMENT)
}

/// Modes of one way.
pub(super) fn n_modes(order: usize, rule: &Rule) -> usize {
    rule.nodes.iter().map(|node| (2 * node.modes.min(order)).saturating_sub(1)).sum()
}

impl<T: Real> Conversion<T> {
    /// Memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        let rotations: usize = self.rotations.iter().flatten().map(BlockSparse::bytes).sum();
        let radiate: usize = self.radiate.iter().map(Folded::bytes).sum();
        let collect: usize = self.collect.iter().map(Unfolded::bytes).sum();
        rotations + self.out.bytes() + radiate + collect + self.back.bytes()
    }

    pub(super) fn new(
        order: usize,
        axis: WaveAxis,
        rule: &Rule,
        quarter_turn: &QuarterTurn,
    ) -> Self {
        let modes = Modes::new(order, rule);
        let (out, back) = modes.and_expansions(order, rule);
        let (radiate, collect) = modes.and_waves(rule);
        Self {
            order,
            n_modes: modes.count,
            n_waves: n_waves(rule),
            rotations: rotations(order, axis, quarter_turn),
            out,
            radiate,
            collect,
            back,
        }
    }
}

/// Layout of the modes: node by node the cosines of m = 0 … F − 1, then the sines of m = 1 … F − 1.
struct Modes {
    starts: Vec<usize>,
    counts: Vec<usize>,
    count: usize,
}

impl Modes {
    fn new(order: usize, rule: &Rule) -> Self {
        let (mut starts, mut counts, mut count) = (Vec::new(), Vec::new(), 0);
        for node in &rule.nodes {
            let modes = node.modes.min(order);
            starts.push(count);
            counts.push(modes);
            count += (2 * modes).saturating_sub(1);
        }
        Self { starts, counts, count }
    }

    fn place(&self, node: usize, m: usize, sine: bool) -> u32 {
        (self.starts[node] + if sine { self.counts[node] + m - 1 } else { m }) as u32
    }

    /// The matrices from a multipole to the modes, and from them to a local expansion.
    fn and_expansions<T: Real>(&self, order: usize, rule: &Rule) -> (Folded<T>, Unfolded<T>) {
        let (mut out, mut back) = (Folded::new(), Unfolded::new());
        let nowhere = row_length(order) as u32;
        let factors: Vec<Factors> =
            rule.nodes.iter().map(|node| Factors::new(node.rate, order)).collect();
        for m in 0..order {
            let nodes: Vec<usize> =
                (0..self.starts.len()).filter(|node| self.counts[*node] > m).collect();
            let degrees = [0, 1].map(|odd| (m + odd..order).step_by(2).collect::<Vec<usize>>());
            let both: Vec<usize> = degrees.iter().flatten().copied().collect();
            let values: Vec<Vec<f64>> = nodes
                .iter()
                .map(|node| both.iter().map(|n| factors[*node].value(*n, m)).collect())
                .collect();
            for sine in [false, true] {
                if (sine && m == 0) || nodes.is_empty() {
                    continue;
                }
                let signed = if sine { -(m as isize) } else { m as isize };
                let modes: Vec<u32> = nodes.iter().map(|k| self.place(*k, m, sine)).collect();
                let [even, odd] = degrees.each_ref().map(|degrees| {
                    degrees.iter().map(|n| index(*n, signed) as u32).collect::<Vec<u32>>()
                });
                let entry = |node: usize, degree: usize| values[node][degree];
                out.push(&modes, [&even, &odd], entry);
                back.push([&even, &odd], nowhere, &modes, |degree, node| {
                    // (−1)^n, and −1 for odd m, whose modes are those of the conjugate waves.
                    let negative = (both[degree] + m) % 2 == 1;
                    if negative { -entry(node, degree) } else { entry(node, degree) }
                });
            }
        }
        (out, back)
    }

    /// The matrices from the modes to the waves, and their transposes.
    ///
    /// Even cosines and odd sines are the same at α and π − α; the others differ in sign.
    fn and_waves<T: Real>(&self, rule: &Rule) -> ([Folded<T>; 2], [Unfolded<T>; 2]) {
        let mut radiate = [Folded::new(), Folded::new()];
        let mut collect = [Unfolded::new(), Unfolded::new()];
        let mut first = 0;
        for (k, node) in rule.nodes.iter().enumerate() {
            let quarter = node.directions / 4;
            let waves: Vec<u32> = (first..first + quarter).map(|i| i as u32).collect();
            first += quarter;
            let step = core::f64::consts::TAU / node.directions as f64;
            let phase = |wave: usize, m: usize| {
                num_traits::Float::sin_cos(step * (wave as f64 + 0.5) * m as f64)
            };
            let phases: Vec<Vec<(f64, f64)>> = (0..quarter)
                .map(|wave| (0..self.counts[k]).map(|m| phase(wave, m)).collect())
                .collect();
            for odd in [0, 1] {
                let functions = [odd == 1, odd == 0].map(|sine| {
                    let orders = (odd..self.counts[k]).step_by(2);
                    orders.filter(|m| !sine || *m > 0).map(|m| (m, sine)).collect::<Vec<_>>()
                });
                let [same, different] = functions.each_ref().map(|functions| {
                    let place = |(m, sine): &(usize, bool)| self.place(k, *m, *sine);
                    functions.iter().map(place).collect::<Vec<u32>>()
                });
                let both: Vec<(usize, bool)> = functions.iter().flatten().copied().collect();
                let entry = |wave: usize, mode: usize| {
                    let (m, sine) = both[mode];
                    let (sine_part, cosine_part) = phases[wave][m];
                    let part = if sine { sine_part } else { cosine_part };
                    // (−i)^m
                    if matches!(m % 4, 1 | 2) { -part } else { part }
                };
                radiate[odd].push(&waves, [&same, &different], entry);
                let nowhere = self.count as u32;
                let transposed = |mode: usize, wave: usize| entry(wave, mode);
                collect[odd].push([&same, &different], nowhere, &waves, transposed);
            }
        }
        (radiate, collect)
    }
}

/// Factors of a node between multipoles and modes.
struct Factors {
    /// λ/k and its root, k from 1.
    quotients: Vec<[f64; 2]>,
}

impl Factors {
    /// Factors for the degrees below `order`.
    fn new(rate: f64, order: usize) -> Self {
        let quotient = |k: usize| {
            let quotient = rate / k as f64;
            [quotient, num_traits::Float::sqrt(quotient)]
        };
        Self { quotients: (1..2 * order).map(quotient).collect() }
    }

    /// √(2 − δ_m0) λⁿ / √((n − m)! (n + m)!), without overflow.
    fn value(&self, n: usize, m: usize) -> f64 {
        let first = if m == 0 { 1.0 } else { core::f64::consts::SQRT_2 };
        // (n + m)! = (n − m)! (n − m + 1) … (n + m): 2m roots of the rate.
        let (whole, roots) = self.quotients[..n + m].split_at(n - m);
        let value = whole.iter().fold(first, |value, [quotient, _]| value * quotient);
        roots.iter().fold(value, |value, [_, root]| value * root)
    }
}

/// Buffers for the conversions of a vector of boxes.
pub(super) struct Buffers<V> {
    /// Coefficients by degree, those of the boxes and those in the frame; one more number takes discarded results.
    pub(super) expansions: Vec<V>,
    rotated: Vec<V>,
    /// Modes of the ways up and down.
    modes: [Vec<V>; 2],
    /// Waves of one way: real parts, then imaginary parts.
    pub(super) waves: Vec<V>,
}

impl<V: Lanes> Buffers<V> {
    #[inline(always)]
    pub(super) fn new(conversion: &Conversion<V::Scalar>) -> Self {
        let row = row_length(conversion.order) + 1;
        let zero = V::zero();
        Self {
            expansions: vec![zero; row],
            rotated: vec![zero; row],
            modes: [vec![zero; conversion.n_modes + 1], vec![zero; conversion.n_modes + 1]],
            waves: vec![zero; 2 * conversion.n_waves],
        }
    }

    /// Converts the multipoles to the modes of both ways.
    #[inline(always)]
    pub(super) fn modes_of_multipoles(&mut self, conversion: &Conversion<V::Scalar>) {
        let Self { expansions, rotated, modes: [up, down], .. } = self;
        let frame = match &conversion.rotations {
            Some([rotation, _]) => {
                rotation.apply(expansions, rotated);
                rotated
            }
            None => expansions,
        };
        conversion.out.apply(frame, [up, down]);
    }

    /// Converts the modes of a way to its waves.
    #[inline(always)]
    pub(super) fn radiate(&mut self, conversion: &Conversion<V::Scalar>, way: usize) {
        let (real, imaginary) = self.waves.split_at_mut(conversion.n_waves);
        let [even, odd] = &conversion.radiate;
        for (part, matrices) in [(real, even), (imaginary, odd)] {
            let (first, second) = part.split_at_mut(conversion.n_waves / 2);
            matrices.apply(&self.modes[way], [first, second]);
        }
    }

    /// Converts the waves of a way to its modes.
    #[inline(always)]
    pub(super) fn collect(&mut self, conversion: &Conversion<V::Scalar>, way: usize) {
        let (real, imaginary) = self.waves.split_at(conversion.n_waves);
        let [even, odd] = &conversion.collect;
        for (part, matrices) in [(real, even), (imaginary, odd)] {
            let (first, second) = part.split_at(conversion.n_waves / 2);
            matrices.apply([first, second], &mut self.modes[way]);
        }
    }

    /// Converts the modes of both ways to the local expansions.
    #[inline(always)]
    pub(super) fn locals_of_modes(&mut self, conversion: &Conversion<V::Scalar>) {
        let Self { expansions, rotated, modes: [up, down], .. } = self;
        let rotation = conversion.rotations.as_ref().map(|[_, back]| back);
        // One place in the code for the product: unrolled, it is long.
        let frame = if rotation.is_some() { &mut *rotated } else { &mut *expansions };
        conversion.back.apply([up, down], frame);
        if let Some(rotation) = rotation {
            rotation.apply(rotated, expansions);
        }
    }
}
