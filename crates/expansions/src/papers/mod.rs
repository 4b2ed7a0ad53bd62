//! Reproductions of the papers' own equations and kernels, which no product path uses.
//!
//! Paper: R. Yokota and L. A. Barba, *Treecode and fast multipole method for N-body simulation with
//! CUDA*, GPU Computing Gems (2011), [arXiv:1010.1482](https://arxiv.org/abs/1010.1482). Tests
//! compare the crate's real basis with these; `testbed` reruns the paper's tables.
//!
//! | here | what | paper |
//! |---|---|---|
//! | [`complex`] | expansions and operators in the complex basis | eqs 2–10 |
//! | [`listings`] | the two-stage M2L kernel | Listings 3–5 |

pub mod complex;
pub mod listings;
