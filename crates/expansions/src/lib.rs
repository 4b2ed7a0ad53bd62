//! Solid-harmonic expansions of 1/r and the operators of treecodes and fast multipole methods.

#![cfg_attr(not(test), no_std)]

extern crate alloc;

mod axial;
pub mod bounds;
mod gradient;
mod harmonics;
pub mod layout;
mod matrix;
mod octants;
pub mod operators;
mod points;
pub mod reference;
mod rotation;
mod scalar;
mod translation;

pub use gradient::Gradient;
pub use harmonics::Harmonics;
pub use points::BoxPoints;
pub use scalar::Scalar;
pub use translation::RowPair;
