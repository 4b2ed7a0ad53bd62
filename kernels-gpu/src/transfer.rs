//! Between the caller's order and units and the tree's: charges in, fields out.

use crate::device::{Real, Vec4, View, ViewMut, thread};
use crate::kernel;

/// Arguments of [`GATHER_POINTS_F32`]: a thread is a point.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct GatherPoints<T> {
    /// Points (x, y, z, charge) in the caller's order and units.
    pub points: View<Vec4<T>>,
    /// The caller's index of each point in the tree's order.
    pub permutation: View<u32>,
    /// What coordinates are multiplied by.
    pub length_factor: T,
    /// What charges are multiplied by.
    pub charge_factor: T,
    /// The same in the tree's order: written.
    pub gathered: ViewMut<Vec4<T>>,
}

#[inline(always)]
fn gather_points<T: Real>(args: GatherPoints<T>) {
    let i = thread::index();
    if i < args.permutation.len() {
        let Vec4([x, y, z, charge]) = args.points.get(args.permutation.get(i) as usize);
        let [x, y, z] = [x, y, z].map(|c| c * args.length_factor);
        args.gathered.set(i, Vec4([x, y, z, charge * args.charge_factor]));
    }
}

/// Arguments of [`PUT_CHARGES_F32`]: a thread is a point.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PutCharges<T> {
    /// Charges in the caller's order.
    pub charges: View<T>,
    /// The caller's index of each point in the tree's order.
    pub permutation: View<u32>,
    /// What charges are multiplied by.
    pub factor: T,
    /// Points in the tree's order, whose fourth number is written.
    pub points: ViewMut<Vec4<T>>,
}

#[inline(always)]
fn put_charges<T: Real>(args: PutCharges<T>) {
    let i = thread::index();
    if i < args.permutation.len() {
        let Vec4([x, y, z, _]) = args.points.get(i);
        let charge = args.charges.get(args.permutation.get(i) as usize) * args.factor;
        args.points.set(i, Vec4([x, y, z, charge]));
    }
}

/// Arguments of [`SCATTER_FIELD_F32`]: a thread is a receiver.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Scatter<T> {
    /// Gradient and potential (gx, gy, gz, Φ) in the tree's order.
    pub sums: View<Vec4<T>>,
    /// What is added to them, in the same order, or nothing.
    pub more: View<Vec4<T>>,
    /// The caller's index of each receiver in the tree's order.
    pub permutation: View<u32>,
    /// What the gradient is multiplied by.
    pub gradient_factor: T,
    /// What the potential is multiplied by.
    pub potential_factor: T,
    /// The same in the caller's order: written.
    pub field: ViewMut<Vec4<T>>,
}

#[inline(always)]
fn scatter<T: Real>(args: Scatter<T>) {
    let i = thread::index();
    if i < args.permutation.len() {
        let Vec4(mut sums) = args.sums.get(i);
        if !args.more.is_empty() {
            let Vec4(more) = args.more.get(i);
            sums = [0, 1, 2, 3].map(|k| sums[k] + more[k]);
        }
        let [x, y, z, potential] = sums;
        let gradient = [x, y, z].map(|g| g * args.gradient_factor);
        let [x, y, z] = gradient;
        let field = Vec4([x, y, z, potential * args.potential_factor]);
        args.field.set(args.permutation.get(i) as usize, field);
    }
}

/// Arguments of [`PICK_F32`]: a thread is an item.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Pick<T> {
    /// Any points.
    pub points: View<Vec4<T>>,
    /// Which of them; empty for all.
    pub which: View<u32>,
    /// What coordinates are multiplied by.
    pub factor: f64,
    /// They, in f64: written.
    pub picked: ViewMut<Vec4<f64>>,
}

#[inline(always)]
fn pick<T: Real>(args: Pick<T>) {
    let i = thread::index();
    if i < args.picked.len() {
        let from = if args.which.is_empty() { i } else { args.which.get(i) as usize };
        let Vec4([x, y, z, charge]) = args.points.get(from);
        let [x, y, z] = [x, y, z].map(|c| c.to_f64() * args.factor);
        args.picked.set(i, Vec4([x, y, z, charge.to_f64()]));
    }
}

kernel! {
    /// Brings points to the tree's order and units.
    pub GATHER_POINTS_F32 = gather_points::<f32>, (GatherPoints<f32>);
    /// Brings points to the tree's order and units.
    pub GATHER_POINTS_F64 = gather_points::<f64>, (GatherPoints<f64>);
    /// Gives points their charges.
    pub PUT_CHARGES_F32 = put_charges::<f32>, (PutCharges<f32>);
    /// Gives points their charges.
    pub PUT_CHARGES_F64 = put_charges::<f64>, (PutCharges<f64>);
    /// Brings fields to the caller's order and units.
    pub SCATTER_FIELD_F32 = scatter::<f32>, (Scatter<f32>);
    /// Brings fields to the caller's order and units.
    pub SCATTER_FIELD_F64 = scatter::<f64>, (Scatter<f64>);
    /// Copies points to f64.
    pub PICK_F32 = pick::<f32>, (Pick<f32>);
    /// Copies points to f64.
    pub PICK_F64 = pick::<f64>, (Pick<f64>);
}

#[cfg(not(target_arch = "nvptx64"))]
mod transferable {
    use super::*;
    use crate::device::Kernel;

    /// Numbers whose kernels exist.
    pub trait Transferable: Real {
        /// Points to the tree.
        const GATHER_POINTS: Kernel<GatherPoints<Self>>;
        /// Charges to the tree.
        const PUT_CHARGES: Kernel<PutCharges<Self>>;
        /// Fields to the caller.
        const SCATTER_FIELD: Kernel<Scatter<Self>>;
        /// Points in f64.
        const PICK: Kernel<Pick<Self>>;
    }

    impl Transferable for f32 {
        const GATHER_POINTS: Kernel<GatherPoints<Self>> = GATHER_POINTS_F32;
        const PUT_CHARGES: Kernel<PutCharges<Self>> = PUT_CHARGES_F32;
        const SCATTER_FIELD: Kernel<Scatter<Self>> = SCATTER_FIELD_F32;
        const PICK: Kernel<Pick<Self>> = PICK_F32;
    }

    impl Transferable for f64 {
        const GATHER_POINTS: Kernel<GatherPoints<Self>> = GATHER_POINTS_F64;
        const PUT_CHARGES: Kernel<PutCharges<Self>> = PUT_CHARGES_F64;
        const SCATTER_FIELD: Kernel<Scatter<Self>> = SCATTER_FIELD_F64;
        const PICK: Kernel<Pick<Self>> = PICK_F64;
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub use transferable::Transferable;
