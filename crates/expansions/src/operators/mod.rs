//! The operators, under their names in the literature.
//!
//! | operator | from | to |
//! |---|---|---|
//! | [`p2m`] | charges | multipole of their box |
//! | [`m2m`](M2m) | multipole of a child | multipole of its parent |
//! | [`m2l`](M2l) | multipole of a box | local expansion of a far box of its level |
//! | [`p2l`] | charges of a far box | local expansion |
//! | [`l2l`](L2l) | local expansion of a parent | local expansion of a child |
//! | [`l2p`] | local expansion | potential and gradient at the points of its box |
//! | [`m2p`] | multipole of a far box | potential and gradient at points |
//! | [`m2p_cells`] | multipoles of many cells | potential and gradient at the points of a group |
//! | [`p2p`] | charges | potential and gradient at points |
//! | [`p2p_double_double`] | charges | the same with 106 bits |
//! | [`p2p_symmetric`] | charges of two sets of points | potential and gradient at the points of the other set |
//!
//! Lengths are in sides of the box at hand and expansions carry no unit of length, so tables serve
//! every level: Φ(x) = (1/s) Σ M_i I_i(x/s) = (1/s) Σ L_i R_i(x/s).

mod cells;
mod l2l;
mod l2p;
mod m2l;
mod m2m;
mod m2p;
mod m2p_cells;
mod p2l;
mod p2m;
mod p2p;
mod point_lanes;

pub use cells::{CellForm, CellMaker, Cells};
pub use l2l::L2l;
pub use l2p::l2p;
pub use m2l::{
    FarOffset, M2l, M2lForm, NO_ROW, Receiver, WaveAxis, WaveBuffer, WavePart, WaveScratch, Waves,
    wave_tables,
};
pub use m2m::M2m;
pub use m2p::{M2pTables, m2p};
pub use m2p_cells::m2p_cells;
pub use p2l::p2l;
pub use p2m::p2m;
pub use p2p::{
    CompensatedSums, Meeting, PairAccuracy, Sources, SymmetricPoints, add_double_doubles, p2p,
    p2p_double_double, p2p_symmetric,
};
pub use point_lanes::PointSums;

/// The kernels behind the functions, for [`Scalar`](crate::Scalar) to compile.
pub(crate) mod kernels {
    pub(crate) use super::{
        l2p::L2p,
        m2l::{ReceiveWaves, SendWaves},
        m2p::M2p,
        m2p_cells::M2pCells,
        p2l::P2l,
        p2m::P2m,
        p2p::{P2p, P2pSymmetric},
    };
}
