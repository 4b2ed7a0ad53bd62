//! Collectives of the 32 threads of a warp. All threads of the warp that have not ended take part.

use super::{Word, arch};

/// Threads of a warp.
pub const SIZE: u32 = 32;

/// Index of the thread in its warp.
#[inline(always)]
pub fn lane_id() -> u32 {
    arch::thread_idx_x() % SIZE
}

/// Vote of the warp: bit k is set if lane k takes part and its `predicate` holds.
#[inline(always)]
pub fn ballot(predicate: bool) -> u32 {
    arch::ballot(predicate)
}

/// Whether `predicate` holds for any lane.
#[inline(always)]
pub fn any(predicate: bool) -> bool {
    ballot(predicate) != 0
}

/// Bitwise or of the `value` of all lanes.
#[inline(always)]
pub fn or(value: u32) -> u32 {
    arch::reduce_or(value)
}

/// Value of lane `source` (modulo 32).
#[inline(always)]
pub fn shuffle<T: Word>(value: T, source: u32) -> T {
    let bits = value.to_bits();
    if size_of::<T>() == 4 {
        return T::from_bits(u64::from(arch::shuffle(bits as u32, source % SIZE)));
    }
    T::from_bits(arch::shuffle_pair(bits, source % SIZE))
}

/// Value of the lane whose index is this lane's, exclusive or `mask`.
#[inline(always)]
pub fn shuffle_xor<T: Word>(value: T, mask: u32) -> T {
    shuffle(value, lane_id() ^ mask)
}

/// Value of the lane `distance` below; lanes without such a lane keep their own.
#[inline(always)]
pub fn shuffle_up<T: Word>(value: T, distance: u32) -> T {
    let lane = lane_id();
    shuffle(value, if lane < distance { lane } else { lane - distance })
}

/// Barrier of the warp: writes of its threads before it are visible to them after it.
#[inline(always)]
pub fn sync_warp() {
    arch::sync_warp();
}

/// Sum of `value` over the warp, in every lane; the order of additions is always the same.
#[inline(always)]
pub fn sum<T: Word + core::ops::Add<Output = T>>(value: T) -> T {
    let mut sum = value;
    let mut mask = SIZE / 2;
    while mask > 0 {
        sum = sum + shuffle_xor(sum, mask);
        mask /= 2;
    }
    sum
}

/// Sums of each of `N` values over the warp, where `N` is a power of two up to 32: a lane gets that of the value whose index is
/// the lane's modulo `N`. The order of additions is always the same. Lanes halve the values that they add with each exchange,
/// so that there are N − 1 + log₂(32 / N) exchanges in all, not 5 N.
#[inline(always)]
pub fn sums<T: Word + core::ops::Add<Output = T>, const N: usize>(mut values: [T; N]) -> T {
    let lane = lane_id();
    let mut width = N / 2;
    while width > 0 {
        let upper = lane & width as u32 != 0;
        for k in 0..width {
            let (low, high) = (values[k], values[k + width]);
            let (kept, given) = if upper { (high, low) } else { (low, high) };
            values[k] = kept + shuffle_xor(given, width as u32);
        }
        width /= 2;
    }
    let mut sum = values[0];
    let mut mask = N as u32;
    while mask < SIZE {
        sum = sum + shuffle_xor(sum, mask);
        mask *= 2;
    }
    sum
}

/// Sum of `value` over this and all lower lanes, modulo 2³².
#[inline(always)]
pub fn inclusive_scan(value: u32) -> u32 {
    inclusive_scan_by(value, u32::wrapping_add)
}

/// Values of this and all lower lanes, joined.
#[inline(always)]
pub fn inclusive_scan_by<T: Word>(value: T, join: impl Fn(T, T) -> T) -> T {
    let mut joined = value;
    let mut distance = 1;
    while distance < SIZE {
        let below = shuffle_up(joined, distance);
        if lane_id() >= distance {
            joined = join(joined, below);
        }
        distance *= 2;
    }
    joined
}
