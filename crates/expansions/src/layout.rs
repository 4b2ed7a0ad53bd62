//! Layout of the coefficients of an expansion.
//!
//! An expansion of order p keeps the degrees 0 … p − 1: p² real numbers, by degree, and within a
//! degree by m = −n … n, sine parts before cosine parts. In memory, expansions are rows of
//! [`row_length`] numbers, one a box, so that vectors may be read past the last coefficient.

use alloc::vec::Vec;

use lanes::ROW_ALIGNMENT;

/// Number of coefficients of an expansion of order `order`.
pub const fn n_coefficients(order: usize) -> usize {
    order * order
}

/// Length of the row in which an expansion of order `order` is stored.
pub const fn row_length(order: usize) -> usize {
    n_coefficients(order).next_multiple_of(ROW_ALIGNMENT)
}

/// Position of the coefficient of degree `n` and azimuthal index `m`, |m| ≤ n.
pub const fn index(n: usize, m: isize) -> usize {
    (n * n + n).wrapping_add_signed(m)
}

/// Positions of the coefficients, counted by m: the cosines of m = 0 by degree, then for m = 1, 2 … the
/// cosines and the sines of that m by degree. A coaxial translation works on one such run at a time.
pub(crate) fn by_m(order: usize) -> Vec<u32> {
    let mut positions = Vec::with_capacity(n_coefficients(order));
    for m in 0..order as isize {
        let signs: &[isize] = if m == 0 { &[1] } else { &[1, -1] };
        for sign in signs {
            positions.extend((m.unsigned_abs()..order).map(|n| index(n, sign * m) as u32));
        }
    }
    positions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_up() {
        let mut next = 0;
        for n in 0..12 {
            for m in -(n as isize)..=n as isize {
                assert_eq!(index(n, m), next);
                next += 1;
            }
        }
        assert_eq!(next, n_coefficients(12));
    }

    #[test]
    fn counting_by_m_is_a_permutation() {
        for order in 1..20 {
            let mut seen = by_m(order);
            seen.sort_unstable();
            assert!(seen.iter().enumerate().all(|(i, p)| i == *p as usize));
        }
    }
}
