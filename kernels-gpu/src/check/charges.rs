//! Charges before a sum: their signs and largest magnitude, whether all are finite, and how few outweigh the others.

use super::{CHECK_THREADS, WARPS};
use crate::device::shared::Arena;
use crate::device::{Real, View, ViewMut, thread, warp};
use crate::kernel;

/// Numbers of a block: the largest |q| of finite charges, the largest q, the largest −q, and minus the index of the first
/// charge that is not finite, or −∞.
pub const KINDS: usize = 4;
/// Numbers of a block: Σ|q| and Σq² in a unit.
pub const SHARES: usize = 2;
/// Shared memory of a block in bytes.
pub const SHARED: usize = 8 * KINDS * WARPS;

/// Arguments of [`CHARGE_KINDS_F32`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ChargeKinds<T> {
    /// Charges.
    pub charges: View<T>,
    /// Output: [`KINDS`] numbers a block.
    pub kinds: ViewMut<f64>,
}

#[inline(always)]
fn kinds<T: Real>(args: ChargeKinds<T>) {
    let mut kinds = [0.0, 0.0, 0.0, f64::NEG_INFINITY];
    let mut i = thread::index();
    while i < args.charges.len() {
        let charge = args.charges.get(i).to_f64();
        if charge.is_finite() {
            kinds[0] = f64::max(kinds[0], if charge < 0.0 { -charge } else { charge });
            kinds[1] = f64::max(kinds[1], charge);
            kinds[2] = f64::max(kinds[2], -charge);
        } else {
            kinds[3] = f64::max(kinds[3], -(i as f64));
        }
        i += thread::count();
    }
    reduce(kinds, f64::max, args.kinds);
}

/// Arguments of [`CHARGE_SHARES_F32`].
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ChargeShares<T> {
    /// Charges.
    pub charges: View<T>,
    /// Unit of charge, in which squares neither over- nor underflow.
    pub unit: f64,
    /// Output: [`SHARES`] numbers a block.
    pub shares: ViewMut<f64>,
}

#[inline(always)]
fn shares<T: Real>(args: ChargeShares<T>) {
    let mut shares = [0.0; SHARES];
    let mut i = thread::index();
    while i < args.charges.len() {
        let share = args.charges.get(i).to_f64() / args.unit;
        shares[0] += if share < 0.0 { -share } else { share };
        shares[1] += share * share;
        i += thread::count();
    }
    reduce(shares, |a, b| a + b, args.shares);
}

/// Reduces the block's numbers and writes its result.
#[inline(always)]
fn reduce<const N: usize>(
    numbers: [f64; N],
    join: impl Fn(f64, f64) -> f64,
    results: ViewMut<f64>,
) {
    let t = thread::thread_idx_x() as usize;
    let of_warps = Arena::new().array::<f64>(N * WARPS);
    for (k, mut number) in numbers.into_iter().enumerate() {
        for mask in [16, 8, 4, 2, 1] {
            number = join(number, warp::shuffle_xor(number, mask));
        }
        if warp::lane_id() == 0 {
            of_warps.set(k * WARPS + t / warp::SIZE as usize, number);
        }
    }
    thread::sync_threads();
    if t < N {
        let mut number = of_warps.get(t * WARPS);
        for w in 1..CHECK_THREADS as usize / warp::SIZE as usize {
            number = join(number, of_warps.get(t * WARPS + w));
        }
        results.set(thread::block_idx_x() as usize * N + t, number);
    }
}

kernel! {
    /// Kinds of charges in f32.
    pub CHARGE_KINDS_F32 = kinds::<f32>, (ChargeKinds<f32>);
    /// Kinds of charges in f64.
    pub CHARGE_KINDS_F64 = kinds::<f64>, (ChargeKinds<f64>);
    /// Sums of charges and of their squares in f32.
    pub CHARGE_SHARES_F32 = shares::<f32>, (ChargeShares<f32>);
    /// Sums of charges and of their squares in f64.
    pub CHARGE_SHARES_F64 = shares::<f64>, (ChargeShares<f64>);
}
