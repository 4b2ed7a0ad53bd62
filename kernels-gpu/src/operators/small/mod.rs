//! The operators of orders up to [`MAX_ORDER`]: expansions in the registers of a thread, and M2L by rotations.
//!
//! | file | content |
//! |---|---|
//! | [`p2m`], [`m2m`], [`m2l`], [`p2l`], [`l2l`], [`l2p`], [`m2p`] | one kernel each, for an order known to the compiler or for any |
//! | `m2l_any/` | M2L where an expansion is too long for registers |
//! | `order.rs`, `constants.rs` | the order as kernels know it, and the factors of every order |
//! | `translate.rs` | rotation, translation along z and rotation back, of which M2M, M2L and L2L consist |
//! | `tables.rs` | the host's tables of an order |

pub(crate) mod constants;
pub mod l2l;
pub mod l2p;
pub mod m2l;
pub(crate) mod m2l_any;
pub mod m2m;
pub mod m2p;
pub(crate) mod order;
pub mod p2l;
pub mod p2m;
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) mod tables;
pub(crate) mod translate;

pub use constants::MAX_ORDER;
pub use order::Order;
