//! Texts of the page, items and errata.

use crate::page::Erratum;

/// Operations of a pair of coefficients (of m and −m together) in M2P and in M2L, as the paper's program counts them.
pub(super) const M2P_FLOPS: f64 = 56.0;
pub(super) const M2L_FLOPS: f64 = 48.0;

pub(super) const TITLE: &str = "Yokota and Barba (2011)";

pub(super) const INTRODUCTION: &str = "\
R. Yokota and L. A. Barba, \"Treecode and fast multipole method for N-body simulation with CUDA\", GPU Computing Gems \
Emerald Edition, chapter 9. The paper's processors are one core of an Intel Core i7 at 2.67 GHz and a GeForce GTX 295. \
Farfield's columns *one core* are from one thread.

`cargo xtask papers --pages` writes this page from its records; [the index](README.md) says how to measure anew.";

pub(super) const TIMES: &str = "\
Points uniform in a cube, masses, potential and force in f32, relative L2 error of the force 10⁻⁴, milliseconds from \
unsorted points to the field; copies between host and device are left out. The errors are those that each evaluation \
estimates by direct sums, whose time is included. The paper's program has a softening and normalises its error by particle; the errors here are \
‖a − a*‖₂ / ‖a*‖₂.";

pub(super) const TIMES_HEADS: [&str; 11] = [
    "N",
    "one core: direct, ms",
    "treecode, ms",
    "FMM, ms",
    "treecode error",
    "FMM error",
    "GPU: direct, ms",
    "treecode, ms",
    "FMM, ms",
    "treecode error",
    "FMM error",
];

pub(super) const FACTORS: &str = "\
Factor of the fast methods over the direct sum (section 7). Where the direct sum was not measured at N, its time is that of \
the most points measured, times the square of the ratio of the numbers:";

pub(super) const SHARES: &str = "\
Figure 6 has N = 10⁷ on the GPU. The treecode takes the FMM's neighbour lists, as the paper's does. On a GPU P2P runs beside \
the far field: the stage P2P is the time beyond that of the far field, whose stages are longer than they would be alone. \
*Other* has gathering, scattering, P2L and the check of the error. The paper's bars are in seconds; these are in %, because the two times differ much.";

pub(super) const NO_M2M_TIMER: &str = "\
The record of the GPU is from before M2M had a timer of its own: its P2M includes M2M.";

pub(super) const RATES: &str = "\
Operations are counted as the paper's program (gemsfmm) counts them: 19 a pair in P2P, 56 for each of p(p+1)/2 coefficients \
a pair in M2P, and 48 for each of (p(p+1)/2)² pairs of coefficients in M2L, p being the order in use. Farfield's M2P and M2L \
take fewer operations for the same result, so that these Gflop/s compare speeds and are no share of a peak. On the GPU P2P and \
M2L are launched alone, over leaves of about 64 points.";

pub(super) const RATES_HEADS: [&str; 10] = [
    "device",
    "N",
    "P2P, Gflop/s",
    "M2P, Gflop/s",
    "M2L, Gflop/s",
    "P2P, pairs/s",
    "M2P, pairs/s",
    "M2L, pairs/s",
    "M2P order",
    "M2L order",
];

pub(super) const TRANSLATIONS: &str = "\
Nanoseconds of a translation in f32, on the GPU over all far pairs of a tree of five levels. The kernels of Listings 3 to 5 have \
one coefficient a thread. *As printed*, every thread does all of stage one, and calls sine and cosine in the inner loop: on \
the GPU by the instructions that nvcc makes of them under the paper's option `-use_fast_math`, on a core by the standard \
library. *Tabulated*, the threads of a block share stage one out, and cosines come from a table that they make for each source. \
In both, powers of 1/ρ go along in equation 8, since (2m−1)!! alone leaves f32 at m = 30.";

pub(super) const TARGETS: &str = "\
Section 3 and Figure 4: a block is a target box, and a thread is one coefficient of it or one particle in it. Nanoseconds in f32 \
on the GPU, of the paper's form and of the product's operators: P2M and L2P by particle, M2M and L2L by child, M2P by pair of cell \
and particle. P2M, M2P and L2P have leaves of about 64 points in a tree of four levels, M2M and L2L all boxes of a tree of five. \
The paper prints M2L only; the other kernels follow its text.";

pub(super) const ITEMS: [[&str; 3]; 14] = [
    [
        "YB-1",
        "model problem",
        "`fmm`: `Fmm`, `Method::Direct`; convention in [formulas](../theory/formulas.md)",
    ],
    ["YB-2, 3", "expansions and operators", "`expansions`, `kernels-gpu/src/operators`"],
    [
        "YB-4, 11",
        "treecode on neighbour lists, θ = 2/3",
        "`fmm`: `Opening::Neighbours`, `Opening::BarnesHut`",
    ],
    ["YB-5", "FMM", "`fmm`: `Method::Fmm`"],
    ["YB-6", "direct sum in tiles", "`kernels-gpu/src/direct`"],
    [
        "YB-7, 8",
        "P2P by leaves, padding",
        "`kernels-gpu/src/papers/p2p_listing`; the product's: `kernels-gpu/src/near`",
    ],
    [
        "YB-9",
        "kernels with one coefficient a thread",
        "`kernels-gpu/src/papers/m2l_listing.rs` and `thread_a_target`; this page: `yb-targets`",
    ],
    ["YB-10, 12, 13", "Figures 5, 6 and 7", "this page: `yb-fig5`, `yb-fig6`, `yb-fig7`"],
    ["YB-14, 15", "Listings 1 and 2", "`kernels-gpu/src/papers/p2p_listing`"],
    [
        "YB-16 to 20",
        "M2L, equation 4, Listings 3 to 5",
        "`expansions/src/papers`, `kernels-gpu/src/papers/m2l_listing.rs`",
    ],
    ["YB-21", "M2L in O(p³)", "`expansions`, `kernels-gpu/src/operators`; this page: `yb-m2l`"],
    ["YB-22", "tuned CPU", "`lanes`, `expansions`"],
    ["YB-23", "factors", "this page: `yb-factors`"],
    ["YB-24", "extensions of section 6", "`distributed`, plane waves of `expansions`"],
];

pub(super) const ERRATA: [Erratum; 5] = [
    Erratum {
        place: "equation 8",
        printed: "(2m−1)!",
        correct: "(2m−1)!!, as Listing 3 computes it",
    },
    Erratum {
        place: "equation 1",
        printed: "F = −∇Φ with Φ = +Σ m/r: repulsive",
        correct: "Listing 1 attracts; Farfield returns ∇Φ, and a = G ∇Φ",
    },
    Erratum {
        place: "Listing 5, line 13",
        printed: "`sharedYnm[numCoefficients]`, p(p+1)/2 entries",
        correct: "Listing 3 writes p(2p+1) entries",
    },
    Erratum {
        place: "Listing 2, line 28",
        printed: "reads a whole chunk",
        correct: "the last chunk would pass the end of the sources; here it does not",
    },
    Erratum {
        place: "Listing 4",
        printed: "sine, cosine and root in the inner loop; factorials to 2p − 1",
        correct: "factorials overflow f32 from p = 18 on; the product's recurrences have none",
    },
];
