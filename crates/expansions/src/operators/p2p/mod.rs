//! P2P: direct sums over pairs.
//!
//! | here | pairs | charges |
//! |---|---|---|
//! | [`p2p`] | sources act on receivers: `one_way` for one vector of charges, `vectors` for several | one or more vectors |
//! | [`p2p_double_double`] | the same, with 106 bits | one vector |
//! | [`p2p_symmetric`] | points of two sets act on each other: one distance serves both | one vector |
//!
//! Kernels are compiled once for each variant: with or without gradient, with or without softening, and with
//! 1/√ to 14, 27 or all bits (`variants`). What a pair adds is in `pair`.

mod accuracy;
mod arguments;
mod double_double;
mod one_way;
mod pair;
mod symmetric;
mod variants;
mod vectors;

pub use accuracy::PairAccuracy;
pub(crate) use arguments::P2p;
pub use arguments::Sources;
pub use double_double::{add_double_doubles, p2p_double_double};
pub use one_way::p2p;
pub(crate) use symmetric::P2pSymmetric;
pub use symmetric::{CompensatedSums, Meeting, SymmetricPoints, p2p_symmetric};
