//! Hashes of places, by which points at one place are found among many and among those of other ranks.

use crate::engine::Scalar;

/// Coordinates as bits, with one zero.
pub(super) fn bits_of<T: Scalar>(point: &[T; 3]) -> [u64; 3] {
    point.map(|x| (x.widen() + 0.0).to_bits())
}

/// Hash of a point, whose digits are as good as random. Two places share one by a chance of 2⁻⁶⁴.
pub(super) fn hash_of(point: &[f64; 3]) -> u64 {
    hash_of_bits(&bits_of(point))
}

/// Hash of the point with these bits.
pub(super) fn hash_of_bits(bits: &[u64; 3]) -> u64 {
    bits.iter().fold(0, |hash, part| mix(hash.rotate_left(21), *part))
}

/// A hash with another part.
pub(super) fn mix(hash: u64, part: u64) -> u64 {
    // An odd constant from the golden ratio; the shift brings digits of coordinates of f32, which are the first, to the last.
    let mixed = (hash ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^ (mixed >> 29)
}
