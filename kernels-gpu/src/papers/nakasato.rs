//! Kernel `tree_gm` of Nakasato (2012), appendix, fig. 11: one thread a particle along `next` and `more`, cells as monopoles.
//!
//! Arrays are those of the paper: n particles, then the cells; `size` is ε² of a particle and (l/θ + s)² of a cell.
//! Accelerations have the sign of ∇Φ. [`ENTRIES`] fills the arrays from a tree whose
//! [moments](crate::walk::moments) are known.

use super::visitor::{LinkViews, Visitor};
use crate::device::{Real, Vec4, View, ViewMut, thread};
use crate::float_kernels;

/// Arguments of `tree_gm`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct TreeGm<T> {
    /// Position and mass of particles and cells.
    pub pos: View<Vec4<T>>,
    /// Softening of particles and size of cells.
    pub size: View<T>,
    /// Links `next` and `more`, root and n.
    pub links: LinkViews,
    /// Output: acceleration and potential of the n particles.
    pub acc_g: ViewMut<Vec4<T>>,
}

/// Walk of one particle.
struct Gravity<T> {
    args: TreeGm<T>,
    p: [T; 3],
    acc: [T; 4],
}

impl<T: Real> Gravity<T> {
    #[inline(always)]
    fn distance(&self, entry: usize) -> ([T; 3], T, T) {
        let Vec4([x, y, z, mj]) = self.args.pos.get(entry);
        let dx = [x - self.p[0], y - self.p[1], z - self.p[2]];
        (dx, dx[0].mul_add(dx[0], dx[1].mul_add(dx[1], dx[2] * dx[2])), mj)
    }

    /// Function g of the paper.
    #[inline(always)]
    fn g(&mut self, dx: [T; 3], r2: T, mj: T) {
        let r1i = r2.rsqrt();
        let r2i = r1i * r1i;
        let r1im = mj * r1i;
        let r3im = r1im * r2i;
        let [x, y, z, potential] = self.acc;
        self.acc = [
            dx[0].mul_add(r3im, x),
            dx[1].mul_add(r3im, y),
            dx[2].mul_add(r3im, z),
            potential + r1im,
        ];
    }

    #[inline(always)]
    fn entry(&self, cell: u32) -> usize {
        (self.args.links.n_particles + cell) as usize
    }
}

impl<T: Real> Visitor for Gravity<T> {
    #[inline(always)]
    fn opens(&self, cell: u32) -> bool {
        let entry = self.entry(cell);
        let (_, r2, _) = self.distance(entry);
        // In the paper's words: not (s < r2).
        r2 <= self.args.size.get(entry)
    }

    #[inline(always)]
    fn particle(&mut self, i: u32) {
        let (dx, r2, mj) = self.distance(i as usize);
        if r2 != T::ZERO {
            self.g(dx, r2 + self.args.size.get(i as usize), mj);
        }
    }

    #[inline(always)]
    fn cell(&mut self, cell: u32) {
        let (dx, r2, mj) = self.distance(self.entry(cell));
        self.g(dx, r2, mj);
    }
}

#[inline(always)]
fn tree_gm<T: Real>(args: TreeGm<T>) {
    let gid = thread::index();
    if gid >= args.links.n_particles as usize {
        return;
    }
    let Vec4([x, y, z, _]) = args.pos.get(gid);
    let mut gravity = Gravity { args, p: [x, y, z], acc: [T::ZERO; 4] };
    args.links.walk(&mut gravity);
    args.acc_g.set(gid, Vec4(gravity.acc));
}

/// Arguments of [`ENTRIES`]: a thread is an entry.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Entries<T> {
    /// Sources (x, y, z, m) in the links' order.
    pub sources: View<Vec4<T>>,
    /// Centre of mass and squared opening distance, by box.
    pub cell: View<Vec4<T>>,
    /// Multipoles; the first vector of box b, at `stride` b, has its mass last.
    pub multipole: View<Vec4<T>>,
    /// Number of vectors of a multipole.
    pub stride: u32,
    /// Squared softening length ε².
    pub softening2: T,
    /// Output: position and mass of particles and cells.
    pub pos: ViewMut<Vec4<T>>,
    /// Output: softening of particles and size of cells.
    pub size: ViewMut<T>,
}

#[inline(always)]
fn entries<T: Real>(args: Entries<T>) {
    let (i, n) = (thread::index(), args.sources.len());
    if i < n {
        args.pos.set(i, args.sources.get(i));
        args.size.set(i, args.softening2);
    } else if i - n < args.cell.len() {
        let Vec4([.., opening2]) = args.cell.get(i - n);
        args.pos.set(i, args.multipole.get((i - n) * args.stride as usize));
        args.size.set(i, opening2);
    }
}

float_kernels! {
    /// Kernel `tree_gm`.
    pub TREE_GM<T: Real> = tree_gm, TreeGm;
    /// Fills the paper's arrays.
    pub ENTRIES<T: Real> = entries, Entries;
}
