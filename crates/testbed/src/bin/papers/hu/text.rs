//! Texts of the page, items and errata.

use crate::page::Erratum;

pub(super) const TITLE: &str = "Hu, Gumerov and Duraiswami (2012)";

pub(super) const INTRODUCTION: &str = "\
Q. Hu, N. A. Gumerov and R. Duraiswami, \"Parallel algorithms for constructing data structures for fast multipole methods\". The paper's processors are a Xeon X5560 and a GTX 480 on one node; on a cluster, up to 32 nodes with two Tesla \
C1060 each.

`cargo xtask papers --pages` writes this page from its records; [the index](README.md) says how to measure anew.";

pub(super) const BY_LEVEL: &str = "\
Keys, sort, bookmarks and neighbour lists of 2²⁰ sources and 2²⁰ other receivers, uniform in a cube, milliseconds. The paper's \
CPU columns are its older O(N log N) program and its O(N) algorithm, both on one core. Farfield's *one core* is the same algorithm \
in f64 on one thread, its *GPU* in f32.";

pub(super) const BY_LEVEL_HEADS: [&str; 8] = [
    "lmax",
    "paper, CPU",
    "paper, improved CPU",
    "paper, GPU",
    "one core",
    "GPU",
    "paper, improved CPU over GPU",
    "one core over GPU",
];

pub(super) const BY_NUMBER: &str = "\
As many sources as receivers, both on the surface of a sphere, from 2¹⁰ to 2²³ each. The paper's figure is a plot, whose text gives \
its speed-up.";

pub(super) const WEAK: &str = "\
2¹⁵ points a rank, uniform in a cube, f64, order 6. Ranks are threads that take turns, so that the seconds of a rank are those of one \
core without a wire; [ranks](../performance-ranks.md#how-ranks-are-measured) says how. The *region* is P2P and translations, which \
the paper runs at the same time on GPU and CPU and a core one after the other; *overhead* is the rest of an evaluation. The paper has \
2²³ points a node. Milliseconds of the slowest rank:";

pub(super) const STRONG: &str = "\
2²⁰ points over P ranks, in the same way; the paper has 2²³ and 2²⁴. Milliseconds of the slowest rank:";

pub(super) const SHARES: &str = "\
The same runs: the exchange of multipoles and of the charges of ghosts (the paper's data manager), and the data structures, which are \
the whole plan. The paper's curves are plots; its text says that the manager takes about 0.01 s where a run takes 1 or 0.1 s. More sets, ranks and the projection to GPUs are on the page of [ranks](../performance-ranks.md).";

pub(super) const TRAFFIC: &str = "\
Sums over P ranks, f64, order 6, leaves of at most 64 points, cut by work wherever the imbalance exceeds 5 %. The imbalance is that of \
the work that ranks count: the largest over the mean, less 1, in %. Messages and kilobytes are those that the rank with most sends in an \
evaluation, then kilobytes of all ranks, then those that the rank with most sends in the plan, where points that start on any rank go \
to their owners. The paper has plots of seconds, and no such counts.";

pub(super) const TRAFFIC_HEADS: [&str; 6] =
    ["P", "imbalance, %", "messages", "kB", "kB, all ranks", "kB, plan"];

pub(super) const SCALING_HEADS: [&str; 8] =
    ["P", "N", "P2P", "translations", "region", "overhead", "exchange", "structure"];

pub(super) const ITEMS: [[&str; 3]; 13] = [
    ["HU-1, 2", "separate sets, bound", "`fmm`: `Fmm::plan`; `expansions::bounds`"],
    [
        "HU-3, 4",
        "neighbourhoods, Morton index",
        "`octree/src/boxes/neighborhood.rs`, `octree/src/morton.rs`; this page: `hu-fig1`",
    ],
    ["HU-5", "Alg. 1, pseudo-sort", "`octree/src/sort`, `kernels-gpu/src/sort`"],
    ["HU-6 to 10", "Algs 2 to 5, E4", "`octree/src/papers/grid`, `kernels-gpu/src/papers/grid`"],
    ["HU-11", "linear cost", "this page: `hu-fig5`"],
    ["HU-12", "Table 3", "this page: `hu-table3`"],
    ["HU-13", "Figure 5", "this page: `hu-fig5`"],
    ["HU-14, 15", "partition, levels of shared boxes", "`octree/src/partition`, `fmm/src/ranks`"],
    ["HU-16", "kinds of boxes, Alg. 6", "`octree/src/partition`"],
    ["HU-17", "exchange", "`distributed`"],
    ["HU-18", "cost model", "[cost model](../performance-ranks.md#the-cost-model-measured)"],
    ["HU-19", "Figures 6 to 8", "this page: `hu-fig6`, `hu-fig7`, `hu-fig8`, `hu-traffic`"],
    [
        "HU-20, 21",
        "CPU beside GPU, transports",
        "`fmm`: `Device::Hybrid`; [transports](../performance-ranks.md#transports-counted-and-measured)",
    ],
];

pub(super) const ERRATA: [Erratum; 7] = [
    Erratum {
        place: "Figure 1",
        printed: "Morton index 40 at level 2",
        correct: "40 is on level 3 at least: 4² = 16 indices on level 2",
    },
    Erratum {
        place: "Alg. 1, line 6",
        printed: "reads Bin again after the atomicAdd",
        correct: "a race; the rank is what atomicAdd returns",
    },
    Erratum {
        place: "Alg. 3",
        printed: "Bin[i] > Bin[i − 1]",
        correct: "the scanned Bin is meant; the bookmark is the exclusive prefix sum",
    },
    Erratum {
        place: "Alg. 6, lines 28 to 33",
        printed: "overwrite IMPORT, OTHERS and DOMESTIC",
        correct: "only boxes without a kind get one there; IMPORT by neighbours comes before OTHERS",
    },
    Erratum {
        place: "Alg. 6, lines 16, 20, 24",
        printed: "children and ancestors at l_crit",
        correct: "at l_par",
    },
    Erratum {
        place: "section 3.2.2; section 3.3",
        printed: "if l* < l_crit; E4 has at most 27 boxes",
        correct: "l* > l_crit; at most 189",
    },
    Erratum { place: "section 1.3", printed: "the treecode is O(N)", correct: "O(N log N)" },
];
