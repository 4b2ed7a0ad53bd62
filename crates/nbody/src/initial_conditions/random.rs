//! Random numbers and vectors by exactly rounded operations alone, so the same bits everywhere.
//!
//! Exponential and logistic variates come from comparisons of uniform ones, without a logarithm.

use chacha20::ChaCha8Rng;
use chacha20::rand_core::Rng;

/// A uniform number of [0, 1), a multiple of 2⁻⁵³.
pub(crate) fn unit(random: &mut ChaCha8Rng) -> f64 {
    const STEP: f64 = 1.0 / (1u64 << 53) as f64;
    (random.next_u64() >> 11) as f64 * STEP
}

/// A number t ≥ 0 of density e^(−t), from 4.3 uniform numbers on average.
///
/// J. von Neumann, Various techniques used in connection with random digits, Natl. Bur. Stand.
/// Appl. Math. Ser. 12, 36, 1951: the descending run that begins at a uniform x has an odd length
/// with probability e^(−x); each even length adds 1 to the result.
pub(crate) fn exponential(random: &mut ChaCha8Rng) -> f64 {
    let mut whole = 0.0;
    loop {
        let first = unit(random);
        let (mut last, mut odd) = (first, true);
        loop {
            let next = unit(random);
            if next >= last {
                break;
            }
            (last, odd) = (next, !odd);
        }
        if odd {
            return whole + first;
        }
        whole += 1.0;
    }
}

/// A number x of density sech²(x)/2: half a logistic variate.
///
/// With t = 2|x| the density is 2 e^(−t) (1 + e^(−t))⁻²: an exponential variate, kept when two
/// coins of chance 1/(1 + e^(−t)) agree to it.
pub(crate) fn sech_squared(random: &mut ChaCha8Rng) -> f64 {
    loop {
        let t = exponential(random);
        if coin(random, t) && coin(random, t) {
            return if unit(random) < 0.5 { -0.5 * t } else { 0.5 * t };
        }
    }
}

/// True with probability 1/(1 + e^(−t)).
fn coin(random: &mut ChaCha8Rng, t: f64) -> bool {
    loop {
        if unit(random) < 0.5 {
            return true;
        }
        // An exponential variate exceeds t with probability e^(−t).
        if exponential(random) > t {
            return false;
        }
    }
}

/// A uniform point of the open unit ball of D dimensions and its squared distance from the centre.
pub(crate) fn in_unit_ball<const D: usize>(random: &mut ChaCha8Rng) -> ([f64; D], f64) {
    loop {
        let b = [0; D].map(|_| 2.0 * unit(random) - 1.0);
        let s2 = b.iter().map(|x| x * x).sum();
        if s2 < 1.0 {
            return (b, s2);
        }
    }
}

/// A uniform unit vector of D dimensions.
pub(crate) fn direction<const D: usize>(random: &mut ChaCha8Rng) -> [f64; D] {
    loop {
        let (b, s2) = in_unit_ball(random);
        // Too near the centre, the lattice of the random numbers shows in the direction.
        if s2 > 1e-4 {
            return scaled(b, 1.0 / s2.sqrt());
        }
    }
}

pub(crate) fn scaled<const D: usize>(v: [f64; D], factor: f64) -> [f64; D] {
    v.map(|component| factor * component)
}
