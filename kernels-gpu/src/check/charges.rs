//! Charges before a sum: their signs and largest magnitude, whether all are finite, and how few outweigh the others.

use super::WARPS;
use crate::device::{Real, View, ViewMut, block, thread};
use crate::float_kernels;

/// Numbers of a block: the largest |q| of finite charges, the largest q, the largest −q, and minus the index of the first
/// charge that is not finite, or −∞.
pub const KINDS: usize = 4;
/// Numbers of a block: Σ|q| and Σq² in a unit.
pub const SHARES: usize = 2;
/// Shared memory of a block in bytes.
#[cfg(not(target_arch = "nvptx64"))]
pub const SHARED: usize = block::shared_bytes(KINDS, WARPS);

/// Arguments of [`CHARGE_KINDS`].
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
    let first = thread::block_idx_x() as usize * KINDS;
    block::reduce::<KINDS, WARPS>(kinds, f64::max, args.kinds.part(first, KINDS));
}

/// Arguments of [`CHARGE_SHARES`].
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
    let first = thread::block_idx_x() as usize * SHARES;
    block::reduce::<SHARES, WARPS>(shares, |a, b| a + b, args.shares.part(first, SHARES));
}

float_kernels! {
    /// Kinds of charges.
    pub CHARGE_KINDS<T: Real> = kinds, ChargeKinds;
    /// Sums of charges and of their squares.
    pub CHARGE_SHARES<T: Real> = shares, ChargeShares;
}
