//! Multipoles to outgoing waves and incoming waves to local expansions, one box a lane.
//!
//! Both go by way of modes: for each node and each angular order m a cosine and a sine part. From a multipole to
//! modes, waves up and down share the sums over even and over odd n − m; from modes to waves, the directions α and
//! π − α share those over cosines and sines. The way back is the transpose. `docs/theory/formulas.md`, section 10.

use alloc::vec;
use alloc::vec::Vec;

use lanes::{Lanes, Real};

use super::blocks::Blocks;
use super::frame::{WaveAxis, turns};
use super::rules::Rule;
use crate::layout::{index, row_length};

/// The matrices of one axis.
#[derive(Clone, Debug)]
pub(super) struct Conversion<T> {
    order: usize,
    n_modes: usize,
    /// Complex waves of one way, padded.
    n_waves: usize,
    turns: Option<[Blocks<T>; 2]>,
    /// Multipole to modes, from the coefficients of even and of odd n − m.
    out: [Blocks<T>; 2],
    radiate: Blocks<T>,
    collect: Blocks<T>,
    /// Modes to local expansion, likewise.
    back: [Blocks<T>; 2],
}

/// Waves come in multiples of this number, so that rows have whole vectors.
const WAVE_ALIGNMENT: usize = 16;

/// Complex waves of one way, padded: first those of 0 < α < π/2, then those of π − α in the same order.
pub(super) fn n_waves(rule: &Rule) -> usize {
    rule.n_waves().next_multiple_of(WAVE_ALIGNMENT)
}

impl<T: Real> Conversion<T> {
    pub(super) fn new(order: usize, axis: WaveAxis, rule: &Rule) -> Self {
        let n_waves = n_waves(rule);
        let modes = Modes::new(order, rule);
        let (radiate, collect) = between_modes_and_waves(rule, &modes, n_waves);
        Self {
            order,
            n_modes: modes.count,
            n_waves,
            turns: turns(order, axis),
            out: [0, 1].map(|parity| modes.of_multipole(order, rule, parity)),
            radiate,
            collect,
            back: [0, 1].map(|parity| modes.of_local(order, rule, parity)),
        }
    }
}

/// Where the modes stand: node by node the cosines of m = 0 … F − 1, then the sines of m = 1 … F − 1.
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

    /// For each m and sine or cosine: the nodes that have it, their places, and the coefficients of n − m of a parity.
    fn for_each(
        &self,
        order: usize,
        parity: usize,
        mut act: impl FnMut(usize, &[usize], &[u32], &[usize], &[u32]),
    ) {
        for m in 0..order {
            let nodes: Vec<usize> =
                (0..self.starts.len()).filter(|node| self.counts[*node] > m).collect();
            let degrees: Vec<usize> = (m + parity..order).step_by(2).collect();
            for sine in [false, true] {
                if (sine && m == 0) || nodes.is_empty() {
                    continue;
                }
                let signed = if sine { -(m as isize) } else { m as isize };
                let places: Vec<u32> = nodes.iter().map(|k| self.place(*k, m, sine)).collect();
                let coefficients: Vec<u32> =
                    degrees.iter().map(|n| index(*n, signed) as u32).collect();
                act(m, &nodes, &places, &degrees, &coefficients);
            }
        }
    }

    fn of_multipole<T: Real>(&self, order: usize, rule: &Rule, parity: usize) -> Blocks<T> {
        let mut blocks = Blocks::new();
        self.for_each(order, parity, |m, nodes, places, degrees, coefficients| {
            blocks.push(places, coefficients, |i, j| {
                factor(rule.nodes[nodes[i]].rate, degrees[j], m)
            });
        });
        blocks
    }

    fn of_local<T: Real>(&self, order: usize, rule: &Rule, parity: usize) -> Blocks<T> {
        let mut blocks = Blocks::new();
        self.for_each(order, parity, |m, nodes, places, degrees, coefficients| {
            blocks.push(coefficients, places, |i, j| {
                // (−1)^n, and −1 for odd m, whose modes are those of the conjugate waves.
                let sign = if (degrees[i] + m).is_multiple_of(2) { 1.0 } else { -1.0 };
                sign * factor(rule.nodes[nodes[j]].rate, degrees[i], m)
            });
        });
        blocks
    }
}

/// √(2 − δ_m0) λⁿ / √((n − m)! (n + m)!), without overflow.
fn factor(rate: f64, n: usize, m: usize) -> f64 {
    let mut value = if m == 0 { 1.0 } else { core::f64::consts::SQRT_2 };
    for k in 1..=n - m {
        value *= rate / k as f64;
    }
    // (n + m)! = (n − m)! (n − m + 1) … (n + m)
    for k in n - m + 1..=n + m {
        value *= num_traits::Float::sqrt(rate / k as f64);
    }
    // The loops have (n − m) + m powers of the rate.
    value
}

/// The matrices from modes to the halves of the waves, and their transposes.
///
/// The real part of a wave is a sum over even m, the imaginary one over odd m. Rows at the places of α hold what α
/// and π − α have in common, those of π − α what differs in sign.
fn between_modes_and_waves<T: Real>(
    rule: &Rule,
    modes: &Modes,
    n_waves: usize,
) -> (Blocks<T>, Blocks<T>) {
    let (mut radiate, mut collect) = (Blocks::new(), Blocks::new());
    let mut first = 0;
    for (k, node) in rule.nodes.iter().enumerate() {
        let quarter = node.directions / 4;
        for odd in [0, 1] {
            for sine in [false, true] {
                let orders: Vec<usize> = (odd..modes.counts[k])
                    .step_by(2)
                    .filter(|m| !(sine && *m == 0))
                    .collect();
                let places: Vec<u32> = orders.iter().map(|m| modes.place(k, *m, sine)).collect();
                // Even cosines and odd sines are the same at π − α.
                let differs = sine != (odd == 1);
                let start = odd * n_waves + usize::from(differs) * (n_waves / 2) + first;
                let waves: Vec<u32> = (start..start + quarter).map(|i| i as u32).collect();
                let entry = |wave: usize, mode: usize| {
                    let m = orders[mode];
                    let alpha = core::f64::consts::TAU * (wave as f64 + 0.5)
                        / node.directions as f64
                        * m as f64;
                    let part = if sine {
                        num_traits::Float::sin(alpha)
                    } else {
                        num_traits::Float::cos(alpha)
                    };
                    // (−i)^m
                    if matches!(m % 4, 1 | 2) { -part } else { part }
                };
                radiate.push(&waves, &places, entry);
                collect.push(&places, &waves, |mode, wave| entry(wave, mode));
            }
        }
        first += quarter;
    }
    (radiate, collect)
}

/// Room for the conversions of a vector of boxes.
pub(super) struct Buffers<V> {
    /// Coefficients by degree: those of the boxes, and in the frame.
    pub(super) expansions: Vec<V>,
    turned: Vec<V>,
    /// Of the ways up and down.
    modes: [Vec<V>; 2],
    /// Real parts, then imaginary ones, of the ways up and down.
    pub(super) waves: [Vec<V>; 2],
}

impl<V: Lanes> Buffers<V> {
    #[inline(always)]
    pub(super) fn new(conversion: &Conversion<V::Scalar>) -> Self {
        let row = row_length(conversion.order);
        let room = |n: usize| vec![V::zero(); n];
        let (modes, waves) = (conversion.n_modes, 2 * conversion.n_waves);
        Self {
            expansions: room(row),
            turned: room(row),
            modes: [room(modes), room(modes)],
            waves: [room(waves), room(waves)],
        }
    }

    /// From the multipoles to the waves of both ways.
    #[inline(always)]
    pub(super) fn radiate(&mut self, conversion: &Conversion<V::Scalar>) {
        let Self { expansions, turned, modes: [up, down], waves } = self;
        let frame = match &conversion.turns {
            Some([turn, _]) => {
                turn.apply(expansions, turned);
                turned
            }
            None => expansions,
        };
        conversion.out[0].apply(frame, up);
        conversion.out[1].apply(frame, down);
        sum_and_difference(up, down);
        let [waves_up, waves_down] = waves;
        conversion.radiate.apply(up, waves_up);
        conversion.radiate.apply(down, waves_down);
        halves(waves_up, conversion.n_waves);
        halves(waves_down, conversion.n_waves);
    }

    /// From the waves of both ways to the local expansions. The waves are used up.
    #[inline(always)]
    pub(super) fn collect(&mut self, conversion: &Conversion<V::Scalar>) {
        let Self { expansions, turned, modes: [up, down], waves: [waves_up, waves_down] } = self;
        halves(waves_up, conversion.n_waves);
        halves(waves_down, conversion.n_waves);
        conversion.collect.apply(waves_up, up);
        conversion.collect.apply(waves_down, down);
        sum_and_difference(up, down);
        match &conversion.turns {
            Some([_, turn]) => {
                conversion.back[0].apply(up, turned);
                conversion.back[1].apply(down, turned);
                turn.apply(turned, expansions);
            }
            None => {
                conversion.back[0].apply(up, expansions);
                conversion.back[1].apply(down, expansions);
            }
        }
    }
}

/// Sums and differences of the waves at α and π − α, of the real parts and of the imaginary ones.
#[inline(always)]
fn halves<V: Lanes>(waves: &mut [V], n_waves: usize) {
    let (real, imaginary) = waves.split_at_mut(n_waves);
    for part in [real, imaginary] {
        let (first, second) = part.split_at_mut(n_waves / 2);
        sum_and_difference(first, second);
    }
}

/// (a, b) → (a + b, a − b)
#[inline(always)]
fn sum_and_difference<V: Lanes>(a: &mut [V], b: &mut [V]) {
    for (a, b) in a.iter_mut().zip(b) {
        (*a, *b) = (*a + *b, *a - *b);
    }
}
