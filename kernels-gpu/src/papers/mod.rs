//! Reproductions of the papers' own kernels and data structures, for tests and tables. No product path uses them.
//!
//! | file | content | paper |
//! |---|---|---|
//! | [`grid`] | data structures of one level: pseudo-sort, bookmarks, neighbour lists | Hu, Gumerov and Duraiswami (2012), Algs 1–5 |
//! | [`links`] | construction of the links `next` and `more` of a tree | Nakasato (2012), fig. 5 |
//! | [`visitor`] | general walk along the links, one thread a receiver | Nakasato (2012), figs 4 and 6 |
//! | [`nakasato`] | kernel `tree_gm`: monopoles, one thread a particle | Nakasato (2012), appendix, fig. 11 |
//! | [`p2p_listing`] | P2P over neighbouring cells, padded blocks | Yokota and Barba (2011), section 5.1, Listings 1 and 2 |
//! | [`m2l_listing`] | M2L in O(p⁴), one thread a coefficient | Yokota and Barba (2011), section 5.2, Listings 3–5 |
//! | [`thread_a_target`] | P2M, M2M, M2P, L2L and L2P in the same form, one thread a coefficient or a particle | Yokota and Barba (2011), section 3, Figure 4 |
//! | [`m2l_dense`] | M2L by one dense matrix an offset, to compare with the listings | Yokota and Barba (2011), eq. 4 as a matrix |

mod azimuth;
pub mod grid;
pub mod links;
pub mod m2l_dense;
pub mod m2l_listing;
pub mod nakasato;
pub mod p2p_listing;
pub mod thread_a_target;
pub mod visitor;
