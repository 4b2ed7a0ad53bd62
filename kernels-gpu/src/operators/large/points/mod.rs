//! Operators between points and expansions of large orders.
//!
//! | file | kernels | a lane is |
//! |---|---|---|
//! | [`from_points`] | P2M, P2L | a source; a warp is an azimuthal index m of a box |
//! | [`to_points`] | L2P, M2P | a receiver; a block is a leaf |
//! | `series.rs` | coefficients of these in shared memory | a receiver |
//! | [`constants`] | factors of the harmonics of an order | – |

pub mod constants;
pub mod from_points;
pub(crate) mod series;
pub mod to_points;
