//! Weights of a field's receivers in a check: the squares of their outputs, and the errors to expect of their places.
//!
//! The formulas are those of [`importance`] and [`expected`], which the cores use too. Receivers are in the tree's order, so
//! that picks are spread over the tree.

use super::{CHECK_THREADS, OfWarps};
use crate::device::shared::Arena;
use crate::device::{Real, Vec4, View, ViewMut, thread};
use crate::float_kernels;
use crate::operators::Boxes;
use crate::operators::expected::{AtReceiver, BoxErrors};
use crate::transfer::SummedField;
use expansions::numerics::expected;
use expansions::numerics::importance::{self, BLOCK, Limits, Sums, Weights};

/// Places of receivers in their leaves.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Places<T> {
    /// The tree, in the unit of the receivers.
    pub boxes: Boxes<T>,
    /// Receivers (x, y, z, any) in the tree's order.
    pub receivers: View<Vec4<T>>,
    /// Leaf of each receiver; no items where no local expansions act.
    pub leaf_of: View<u32>,
    /// Errors to expect in the leaves.
    pub errors: BoxErrors,
    /// Order of the local expansions.
    pub order: u32,
}

/// Place of a receiver in its leaf, and the errors to expect there.
#[derive(Clone, Copy)]
struct InLeaf {
    extremes: expected::Extremes,
    errors: AtReceiver,
}

impl<T: Real> Places<T> {
    /// Place of receiver `i` in its leaf.
    #[inline(always)]
    fn in_leaf(self, i: usize) -> InLeaf {
        if self.leaf_of.is_empty() {
            return InLeaf { extremes: [0.0; 2], errors: AtReceiver::NONE };
        }
        let Vec4([x, y, z, _]) = self.receivers.get(i);
        let leaf = self.leaf_of.get(i) as usize;
        let in_cube = self.boxes.in_cube([x, y, z]);
        let off_centre = Boxes::off_centre(self.boxes.level.get(leaf), in_cube);
        let extremes = expected::extremes(off_centre.map(T::to_f32));
        InLeaf { extremes, errors: self.errors.at(leaf, in_cube) }
    }

    /// Squares of the errors to expect at a place in a leaf.
    #[inline(always)]
    fn expected_errors(self, InLeaf { extremes, errors }: InLeaf) -> [f64; 2] {
        match self.leaf_of.is_empty() {
            true => [0.0; 2],
            false => expected::expected_errors(extremes, self.order, errors.sizes(self.order)),
        }
    }
}

/// Value and place of a receiver, from which its weights follow. Threads look at several receivers before they weigh the first, so that all
/// loads are on their way.
#[derive(Clone, Copy)]
pub(super) struct Look<T> {
    value: Vec4<T>,
    at: InLeaf,
}

/// A field, and what its receivers weigh.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct WeighedField<T> {
    /// The field, in the order to which `permutation` leads.
    pub field: SummedField<T>,
    /// Index in the field of each receiver in the tree's order; no items where the field is in that order.
    pub permutation: View<u32>,
    /// Factors of gradient and potential that keep squares in range; 0 for an output that does not count.
    pub factors: [f64; 2],
    /// Places of the receivers.
    pub places: Places<T>,
}

impl<T: Real> WeighedField<T> {
    /// Gradient and potential of receiver `i` in the tree's order.
    #[inline(always)]
    pub(super) fn value(self, i: usize) -> [f64; 4] {
        let Vec4(value) = self.at(i);
        value.map(T::to_f64)
    }

    #[inline(always)]
    fn at(self, i: usize) -> Vec4<T> {
        let in_order = self.permutation.is_empty();
        self.field.at(if in_order { i } else { self.permutation.get(i) as usize })
    }

    /// Weights of receiver `i` in the tree's order.
    #[inline(always)]
    pub(super) fn weights(self, i: usize) -> Weights {
        self.weigh(self.look(i))
    }

    /// Look at receiver `i` in the tree's order.
    #[inline(always)]
    pub(super) fn look(self, i: usize) -> Look<T> {
        Look { value: self.at(i), at: self.places.in_leaf(i) }
    }

    /// Weights of a receiver.
    #[inline(always)]
    pub(super) fn weigh(self, Look { value: Vec4(value), at }: Look<T>) -> Weights {
        let [potential, gradient] = importance::squares(value.map(T::to_f64), self.factors);
        let [corner, face] = self.places.expected_errors(at);
        [potential, gradient, corner, face]
    }
}

/// Rows of the sums over a group of receivers.
pub const SUM_ROWS: usize = 2;

/// The sums in their rows.
#[inline(always)]
pub(super) fn rows_of([a, b, c, d, e, f]: Sums) -> [[f64; 4]; SUM_ROWS] {
    [[a, b, c, d], [e, f, 0.0, 0.0]]
}

/// The sums that rows hold.
#[inline(always)]
pub(super) fn sums_of_rows([first, second]: [Vec4<f64>; SUM_ROWS]) -> Sums {
    let (Vec4([a, b, c, d]), Vec4([e, f, ..])) = (first, second);
    [a, b, c, d, e, f]
}

/// The sums of group `k`.
#[inline(always)]
pub(super) fn sums_of(rows: View<Vec4<f64>>, k: usize) -> Sums {
    sums_of_rows([rows.get(SUM_ROWS * k), rows.get(SUM_ROWS * k + 1)])
}

/// The limits of outliers.
#[inline(always)]
pub(super) fn limits_of(limits: View<f64>) -> Limits {
    [limits.get(0), limits.get(1)]
}

/// Receivers of a thread, where a block looks at [`BLOCK`].
pub(super) const EACH: usize = BLOCK / CHECK_THREADS as usize;

/// Arguments of [`FIELD_WEIGHTS`]: a block takes [`BLOCK`] receivers.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FieldWeights<T> {
    /// The field.
    pub weighed: WeighedField<T>,
    /// Limits of potential and gradient.
    pub limits: View<f64>,
    /// Output: sums of each block, [`SUM_ROWS`] rows a block.
    pub sums: ViewMut<Vec4<f64>>,
}

/// Sums of the weights of a block of receivers. Each value goes to its `destination`, of which a thread knows all before it
/// weighs the first, as it does of the values.
#[inline(always)]
fn weigh_block<T: Real, D: Copy>(
    args: FieldWeights<T>,
    destination: impl Fn(usize) -> D,
    put: impl Fn(D, Vec4<T>),
) {
    let t = thread::thread_idx_x() as usize;
    let block = thread::block_idx_x() as usize;
    let end = args.weighed.field.len().min((block + 1) * BLOCK);
    let limits = limits_of(args.limits);
    let place = |k: usize| block * BLOCK + k * CHECK_THREADS as usize + t;
    let looks: [(Look<T>, D); EACH] = core::array::from_fn(|k| {
        let at = place(k).min(end - 1);
        (args.weighed.look(at), destination(at))
    });
    let mut sums = [0.0f64; 6];
    for (k, (look, destination)) in looks.into_iter().enumerate() {
        if place(k) < end {
            put(destination, look.value);
            sums = importance::add(sums, importance::within(args.weighed.weigh(look), limits));
        }
    }
    let [a, b, c, d, e, f] = sums;
    let of_sums = OfWarps::new(&mut Arena::new(), [a, b, c, d, e, f, 0.0, 0.0]);
    thread::sync_threads();
    if t < SUM_ROWS {
        args.sums.set(SUM_ROWS * block + t, of_sums.row(t));
    }
}

#[inline(always)]
fn field_weights<T: Real>(args: FieldWeights<T>) {
    weigh_block(args, |_| (), |(), _| ());
}

/// Arguments of [`SCATTER_WEIGHED`]: a block takes [`BLOCK`] receivers.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ScatterWeighed<T> {
    /// Weights of a field that is in the tree's order.
    pub weights: FieldWeights<T>,
    /// Permutation: the caller's index of each receiver in the tree's order.
    pub permutation: View<u32>,
    /// Output: the field in the caller's order.
    pub output: ViewMut<Vec4<T>>,
}

#[inline(always)]
fn scatter_weighed<T: Real>(args: ScatterWeighed<T>) {
    let destination = |i: usize| args.permutation.get(i) as usize;
    weigh_block(args.weights, destination, |i, value| args.output.set(i, value));
}

/// Arguments of [`EXPECTED_ERRORS`]: a thread is a receiver.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct ExpectedErrors<T> {
    /// Places of the receivers, with their leaves.
    pub places: Places<T>,
    /// Permutation: the caller's index of each receiver in the tree's order.
    pub permutation: View<u32>,
    /// Output: the squares of the two errors to expect of each receiver's place, in the caller's order, as bits of f32.
    pub errors: ViewMut<u32>,
}

#[inline(always)]
fn expected_errors<T: Real>(args: ExpectedErrors<T>) {
    let i = thread::index();
    if i < args.permutation.len() {
        let errors = args.places.expected_errors(args.places.in_leaf(i));
        let [corner, face] = errors.map(|error| (error as f32).to_bits());
        let row = 2 * args.permutation.get(i) as usize;
        args.errors.set(row, corner);
        args.errors.set(row + 1, face);
    }
}

float_kernels! {
    /// Sums of the weights of a field.
    pub FIELD_WEIGHTS<T: Real> = field_weights, FieldWeights;
    /// Field to the caller's order, and sums of its weights.
    pub SCATTER_WEIGHED<T: Real> = scatter_weighed, ScatterWeighed;
    /// Errors to expect of the places of receivers.
    pub EXPECTED_ERRORS<T: Real> = expected_errors, ExpectedErrors;
}
