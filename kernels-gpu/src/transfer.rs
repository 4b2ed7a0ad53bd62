//! Transfers between the caller's order and units and those of the tree: points and charges in, fields out. Vectors of three
//! numbers become vectors of four here, so that the bus carries three.

use crate::device::{Real, Vec4, View, ViewMut, thread};
use crate::{float_kernels, kernel};

/// Arguments of [`UNPACK`]: a thread is a vector.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Unpack<T> {
    /// Vectors (x, y, z) one after the other: three numbers a vector.
    pub packed: View<T>,
    /// Output: the vectors (x, y, z, 0).
    pub vectors: ViewMut<Vec4<T>>,
}

#[inline(always)]
fn unpack<T: Real>(args: Unpack<T>) {
    let i = thread::index();
    if i < args.vectors.len() {
        let [x, y, z] = [0, 1, 2].map(|axis| args.packed.get(3 * i + axis));
        args.vectors.set(i, Vec4([x, y, z, T::ZERO]));
    }
}

/// Arguments of [`GATHER_POINTS`]: a thread is a point.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct GatherPoints<T> {
    /// Points (x, y, z, charge) in the caller's order and units.
    pub points: View<Vec4<T>>,
    /// Permutation: the caller's index of each point in the tree's order.
    pub permutation: View<u32>,
    /// Factor of coordinates.
    pub length_factor: T,
    /// Factor of charges.
    pub charge_factor: T,
    /// Output: the points in the tree's order and units.
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

/// Arguments of [`PUT_CHARGES`]: a thread is a point.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PutCharges<T> {
    /// Charges in the caller's order.
    pub charges: View<T>,
    /// Permutation: the caller's index of each point in the tree's order.
    pub permutation: View<u32>,
    /// Factor of charges.
    pub factor: T,
    /// Output: points in the tree's order, of which the fourth number is written.
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

/// Arguments of [`GATHER`]: a thread is an item.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Gather<T> {
    /// Numbers.
    pub from: View<T>,
    /// Index of each gathered number.
    pub permutation: View<u32>,
    /// Output: the numbers in the order of the permutation.
    pub gathered: ViewMut<T>,
}

#[inline(always)]
fn gather<T: Real>(args: Gather<T>) {
    let i = thread::index();
    if i < args.permutation.len() {
        args.gathered.set(i, args.from.get(args.permutation.get(i) as usize));
    }
}

/// Field as sums, which factors bring to other units.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct SummedField<T> {
    /// Gradient and potential (gx, gy, gz, Φ).
    pub sums: View<Vec4<T>>,
    /// Second sums that are added to the first; may have no items.
    pub more: View<Vec4<T>>,
    /// Factor of the gradient.
    pub gradient_factor: T,
    /// Factor of the potential.
    pub potential_factor: T,
}

impl<T: Real> SummedField<T> {
    /// A field that is there in its units.
    pub fn whole(field: View<Vec4<T>>) -> Self {
        let one = T::from_f64(1.0);
        Self { sums: field, more: View::EMPTY, gradient_factor: one, potential_factor: one }
    }

    /// Number of receivers.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.sums.len()
    }

    /// Whether there are no receivers.
    pub fn is_empty(&self) -> bool {
        self.sums.is_empty()
    }

    /// Gradient and potential of a receiver.
    #[inline(always)]
    pub(crate) fn at(self, i: usize) -> Vec4<T> {
        let Vec4(mut sums) = self.sums.get(i);
        if !self.more.is_empty() {
            let Vec4(more) = self.more.get(i);
            sums = [0, 1, 2, 3].map(|k| sums[k] + more[k]);
        }
        let [x, y, z, potential] = sums;
        let [x, y, z] = [x, y, z].map(|g| g * self.gradient_factor);
        Vec4([x, y, z, potential * self.potential_factor])
    }
}

/// Arguments of [`SCATTER_FIELD`]: a thread is a receiver.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Scatter<T> {
    /// The field in the tree's order.
    pub summed: SummedField<T>,
    /// Permutation: the caller's index of each receiver in the tree's order.
    pub permutation: View<u32>,
    /// Output: the field in the caller's order and units.
    pub field: ViewMut<Vec4<T>>,
}

#[inline(always)]
fn scatter<T: Real>(args: Scatter<T>) {
    let i = thread::index();
    if i < args.permutation.len() {
        args.field.set(args.permutation.get(i) as usize, args.summed.at(i));
    }
}

/// Arguments of [`PICK`]: a thread is an item.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Pick<T> {
    /// Points in any order.
    pub points: View<Vec4<T>>,
    /// Indices of the picked points; empty for all.
    pub which: View<u32>,
    /// Factor of coordinates.
    pub factor: f64,
    /// Output: the picked points, in f64.
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

/// Arguments of [`COPY_WORDS`]: a thread is a word.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CopyWords {
    /// Words of a device.
    pub from: View<u32>,
    /// Output: the words, in memory that may be the host's.
    pub to: ViewMut<u32>,
}

fn copy_words(args: CopyWords) {
    let i = thread::index();
    if i < args.to.len() {
        args.to.set(i, args.from.get(i));
    }
}

kernel! {
    /// Copies of a few words.
    pub COPY_WORDS = copy_words, (CopyWords);
}

float_kernels! {
    /// Vectors as the host has them to those of kernels.
    pub UNPACK<T: Real> = unpack, Unpack;
    /// Points to the tree's order and units.
    pub GATHER_POINTS<T: Real> = gather_points, GatherPoints;
    /// Numbers in another order.
    pub GATHER<T: Real> = gather, Gather;
    /// Charges to points in the tree's order.
    pub PUT_CHARGES<T: Real> = put_charges, PutCharges;
    /// Fields to the caller's order and units.
    pub SCATTER_FIELD<T: Real> = scatter, Scatter;
    /// Points in f64.
    pub PICK<T: Real> = pick, Pick;
}
