//! Relative criterion (Springel 2005): a cell is opened where d² ≤ l (Σ |q| / α)^(1/2) |∇Φ|^(−1/2), with the gradient
//! of an earlier field.
//!
//! The first factor belongs to the cell and comes with its [moments](super::moments). The second factor belongs to the
//! group, whose smallest |∇Φ| counts.

use crate::device::{Real, Vec4, View, warp};
use crate::direct::pair::Pair;

/// Arrays of the relative criterion; empty where another criterion is in use.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Relative<T> {
    /// Factor l (Σ |q| / α)^(1/2) of each box.
    pub reach2: View<T>,
    /// Earlier field (gx, gy, gz, any), in the caller's order.
    pub before: View<Vec4<T>>,
    /// Permutation: the caller's index of each receiver in the tree's order.
    pub permutation: View<u32>,
    /// Factor from the gradient to one in the tree's units.
    pub factor: T,
}

impl<T: Pair> Relative<T> {
    /// Factor |∇Φ|^(−1/2) of the smallest gradient of the receivers of all lanes.
    #[inline(always)]
    pub(super) fn nearness(self, receivers: [u32; 2]) -> T {
        if self.reach2.is_empty() {
            return T::ZERO;
        }
        let [a, b] = receivers.map(|i| {
            let Vec4([x, y, z, _]) = self.before.get(self.permutation.get(i as usize) as usize);
            let [x, y, z] = [x, y, z].map(|g| g * self.factor);
            x.mul_add(x, y.mul_add(y, z * z))
        });
        let mut least = Real::min(a, b);
        let mut mask = warp::SIZE / 2;
        while mask > 0 {
            least = Real::min(least, warp::shuffle_xor(least, mask));
            mask /= 2;
        }
        // Without a gradient, everything is opened.
        let inverse = least.rsqrt();
        if least >= T::TINY { inverse * inverse.rsqrt() } else { T::from_f64(f64::INFINITY) }
    }

    /// Squared opening distance of a box, `opening2` or more.
    #[inline(always)]
    pub(super) fn opening2(self, b: usize, opening2: T, nearness: T) -> T {
        if self.reach2.is_empty() {
            return opening2;
        }
        Real::max(opening2, self.reach2.get(b) * nearness)
    }
}
