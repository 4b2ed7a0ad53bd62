//! Solid-harmonic expansions of 1/r and the operators of treecodes and fast multipole methods.
//!
//! The potential is Φ(x) = Σ_j q_j / |x − y_j|, without 1/4π, and a gradient is ∇Φ. Far from a box,
//! p² numbers stand for the charges in the box: the multipole. Inside a box, p² numbers stand for the
//! charges of all far boxes: the local expansion. This crate makes, translates and evaluates both, for
//! vectors of boxes or points at a time, in `f32` or `f64`.
//!
//! An expansion of *order* p has the degrees n = 0 … p − 1; p = 1 is the monopole. Each degree has
//! the azimuthal indices m = −n … n.
//!
//! # When to use this crate
//!
//! | purpose | start with |
//! |---|---|
//! | sums of 1/r and their gradients, complete | the crate `fmm` |
//! | FMM on a tree of one's own | [`operators`]; the example below; `examples/two_boxes.rs` |
//! | treecode on a tree of one's own | [`m2p_cells`](operators::m2p_cells) with [`Cells`](operators::Cells) |
//! | direct sums, fast | [`p2p`](operators::p2p()) |
//! | an order for a tolerance in the worst case | [`bounds::guaranteed_order`] |
//! | the papers' equations, to test a kernel | [`papers`] |
//!
//! The crate knows boxes but no tree: the caller decides which box acts on which.
//!
//! # What is where
//!
//! | operator | from → to | paper | cost, multiply-adds | tables |
//! |---|---|---|---|---|
//! | [`p2m`](operators::p2m) | charges → multipole | YB eq. 2 | 2.5p² a charge | [`Harmonics`] of order p |
//! | [`m2m`](operators::M2m) | children's multipoles → parent's | CGR | 2p³ a child | [`M2m`](operators::M2m) |
//! | [`m2l`](operators::M2l) | multipole → local expansion of a far box | YB eq. 4, CGR | 2p³ a pair, or p⁴ | [`M2l`](operators::M2l) |
//! | M2L by [`Waves`](operators::Waves) | multipoles of a level → local expansions | GR, CGR | that of 10 to 50 pairs, a box | [`Waves`](operators::Waves) |
//! | [`p2l`](operators::p2l) | charges → local expansion of a far box | YB eq. 3 | 2.5p² a charge | [`Harmonics`] of order p |
//! | [`l2l`](operators::L2l) | parent's local expansion → children's | CGR | 2p³ a child | [`L2l`](operators::L2l) |
//! | [`l2p`](operators::l2p) | local expansion → Φ, ∇Φ in its box | YB eq. 3 | 5.5p² a point | [`Harmonics`], [`Gradient`] of order p |
//! | [`m2p`](operators::m2p) | multipole → Φ, ∇Φ at far points | YB eq. 2 | 5.5p² a point | [`M2pTables`](operators::M2pTables) |
//! | [`m2p_cells`](operators::m2p_cells) | multipoles of many cells → Φ, ∇Φ of a group | YB eq. 2 | 35 to 168 vector operations a cell at orders 2 to 6, 7p² above | [`Cells`](operators::Cells) |
//! | [`p2p`](operators::p2p()), [`p2p_symmetric`](operators::p2p_symmetric) | charges → Φ, ∇Φ | YB Listing 1 | 21 a pair | none |
//!
//! YB is Yokota and Barba (2011), GR is Greengard and Rokhlin (1997), CGR is Cheng, Greengard and Rokhlin (1999).
//! Tables depend on the order alone: make them once. Lengths are in sides of the box at hand
//! ([`BoxPoints`]), so that one table serves every level and no order over- or underflows.
//!
//! | module | content |
//! |---|---|
//! | [`operators`] | operators and their tables |
//! | [`layout`] | positions of the coefficients in an expansion |
//! | [`numerics`] | formulas that device code shares |
//! | [`bounds`] | rigorous error bounds, and the order that they guarantee |
//! | [`papers`] | equations and kernels of the papers as printed, to compare with |
//!
//! Formulas and their derivations are in `docs/theory/formulas.md`.
//!
//! Without the feature `host`, which is on by default, the crate is [`numerics`] alone, which needs no allocation, so
//! that `kernels-gpu` compiles it for devices.
//!
//! # Example: FMM between two boxes
//!
//! Charges in one box act on points in another box, two sides away. `examples/two_boxes.rs` measures the error of
//! this for orders up to 32, beside the bounds.
//!
//! ```
//! use expansions::layout::{n_coefficients, row_length};
//! use expansions::operators::{FarOffset, M2l, M2lForm, PointSums, l2p, p2m};
//! use expansions::{BoxPoints, Gradient, Harmonics, bounds};
//!
//! let (order, side) = (12, 1.0);
//! let (source_center, receiver_center) = ([2.0, 1.0, 0.0], [0.0; 3]);
//! let [x, y, z] = [[1.7, 2.4, 2.0], [0.8, 1.3, 1.0], [0.4, -0.2, 0.1]];
//! let charges = [1.0, -0.5, 2.0];
//! let target = [[0.3], [-0.2], [0.1]];
//!
//! // Tables, once for an order.
//! let harmonics = Harmonics::<f64>::new(order);
//! let gradient = Gradient::new(order);
//! let m2l = M2l::new(order, M2lForm::fastest(order));
//!
//! // P2M: one row, that of the source box.
//! let mut points = BoxPoints::new();
//! points.set(source_center, side, [&x, &y, &z]);
//! let mut multipoles = vec![0.0; row_length(order)];
//! p2m(&harmonics, &points, &charges, &mut multipoles[..n_coefficients(order)]);
//!
//! // M2L: the source box is seen at (2, 1, 0); row 0 of the multipoles acts on row 0 of the locals.
//! let mut locals = vec![0.0; row_length(order)];
//! if let Some(offset) = FarOffset::new([2, 1, 0]) {
//!     m2l.apply([(offset, &[[0, 0]][..])].into_iter(), &multipoles, &mut locals);
//! }
//!
//! // L2P: adds to what is there.
//! let (mut potential, mut pull) = ([0.0], [[0.0]; 3]);
//! points.set(receiver_center, side, target.each_ref().map(|c| &c[..]));
//! let [dx, dy, dz] = &mut pull;
//! let mut sums = PointSums { potential: &mut potential, gradient: [dx, dy, dz] };
//! l2p(&harmonics, &gradient, &locals, &points, &mut sums);
//!
//! let direct: f64 = (0..3)
//!     .map(|j| {
//!         let d = [x[j] - target[0][0], y[j] - target[1][0], z[j] - target[2][0]];
//!         charges[j] / d.iter().map(|d| d * d).sum::<f64>().sqrt()
//!     })
//!     .sum();
//! let radius = 0.75_f64.sqrt();
//! let bound = 3.5 * bounds::local_bound(order, radius, radius, 5.0_f64.sqrt());
//! assert!((potential[0] - direct).abs() < bound);
//! assert!((potential[0] - direct).abs() < 1e-5);
//! ```

#![cfg_attr(not(test), no_std)]

#[cfg(feature = "host")]
extern crate alloc;

#[cfg(feature = "host")]
pub mod bounds;
#[cfg(feature = "host")]
mod coaxial;
#[cfg(feature = "host")]
mod dispatch;
#[cfg(feature = "host")]
mod gradient;
#[cfg(feature = "host")]
mod harmonics;
#[cfg(feature = "host")]
pub mod layout;
#[cfg(feature = "host")]
mod matrix;
pub mod numerics;
#[cfg(feature = "host")]
pub mod operators;
#[cfg(feature = "host")]
pub mod papers;
#[cfg(feature = "host")]
mod parent_child;
#[cfg(feature = "host")]
mod points;
#[cfg(feature = "host")]
mod rotation;
#[cfg(feature = "host")]
mod scalar;
#[cfg(feature = "host")]
mod translation;

#[cfg(feature = "host")]
pub use self::{
    bounds::MAX_ORDER, gradient::Gradient, harmonics::Harmonics, points::BoxPoints, scalar::Scalar,
    translation::RowPair,
};
