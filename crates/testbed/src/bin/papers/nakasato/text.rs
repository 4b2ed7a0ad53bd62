//! Texts of the page, items and errata.

use crate::page::Erratum;

pub(super) const TITLE: &str = "Nakasato (2012)";

pub(super) const INTRODUCTION: &str = "\
N. Nakasato, \"Implementation of a parallel tree method on a GPU\", Journal of Computational Science 3, 132. The paper's \
processors are a Radeon HD 5870 and, for the construction of the tree, two Xeon E5520. K is 1024.

`cargo xtask papers --pages` writes this page from its records; [the index](README.md) says how to measure anew.";

pub(super) const DIRECT: &str = "\
Direct sum of potential and force in f32. By convention a pair counts 38 operations; the paper's kernel has 22. The paper \
reaches 2.6 Tflop/s on a Radeon HD 5870, from 150 000 particles on.";

pub(super) const BY_NUMBER: &str = "\
A uniform sphere, monopoles, l/θ + s < d with θ = 0.6, f32. *One by one* is the kernel of the paper's appendix alone, over \
particles in random order, along the Morton curve, and along the Peano–Hilbert curve. *Build* is its construction: on the CPU \
tree, moments and links, on the GPU tree and links. *Groups* is the treecode of the product: its construction, and its walk. \
The paper's totals include the construction.";

pub(super) const BY_NUMBER_HEADS: [&str; 11] = [
    "N",
    "paper, unsorted: total",
    "build",
    "paper, Morton: total",
    "build",
    "build",
    "unsorted",
    "Morton",
    "Peano–Hilbert",
    "groups: build",
    "walk",
];

pub(super) const AGAINST_DIRECT: &str = "\
The same sphere; totals of all treecodes include their construction. The paper's figure is a plot, of which the text gives the \
crossover.";

pub(super) const FORMS: &str = "\
The paper compares a kernel in IL on a GPU, the same in OpenCL on that GPU (2.5 times slower), and in OpenCL on 16 threads of a \
CPU (as fast as the second). Here the forms are the kernel of the appendix and the walk by groups, on GPU and CPU:";

pub(super) const HITS: &str = "\
Hit rates in % of the first-level and the second-level cache in the walk one by one, θ = 0.6, by NVIDIA's profiler `ncu`. The \
paper's are those of the cache of its GPU, unsorted and in Morton order. Rates \
slightly above 100 % come of counters that `ncu` reads in different replays of the kernel.";

pub(super) const BY_ANGLE: &str = "\
800K particles along the Morton curve, milliseconds. *Interactions* is the mean number of cells and particles that act on a \
particle in the walk one by one. Hit rates are in %, here of the first-level and the second-level cache.";

pub(super) const BY_ANGLE_HEADS: [&str; 9] = [
    "θ",
    "paper, total",
    "CPU: one by one",
    "groups",
    "GPU: one by one",
    "groups",
    "interactions",
    "paper, hits",
    "hits",
];

pub(super) const ERRORS: &str = "\
Monopoles, the walk one by one and l/θ + s < d on a disk galaxy of bulge, disk and halo with masses 1 : 2 : 12. The paper's galaxy \
is drawn by GalactICS, its sums are in f32 and their mean is over all particles; here the galaxy has the same components, drawn \
by `nbody`, and the mean is over 1000 particles, against a compensated direct sum in f64.";

pub(super) const CAUSES: &str = "\
Errors of a treecode depend on where boxes cut the set, and the error of the potential most of all, because few large boxes \
near the root carry it. The paper does not say where its cube lies, nor how many particles each component has. The experiment \
repeats θ = 0.6 with the cube placed in six other ways (by a particle without mass outside of the halo), with two other galaxies \
of the model, and with as many particles in each component at the same masses.";

pub(super) const FMM: &str = "\
2²⁰ particles uniform in a cube: an FMM with p = 4 (Gumerov and Duraiswami 2008) and the treecode with θ = 0.6. Here p = 4 is the \
order of the expansions, and the treecode is that by groups; milliseconds, mean relative errors.";

pub(super) const FMM_HEADS: [&str; 6] = [
    "",
    "FMM, ms",
    "its potential error",
    "treecode, ms",
    "its potential error",
    "its force error",
];

pub(super) const RATES: &str = "\
Gaburov et al. make lists in a walk and sum them in a kernel of its own (100 Gflop/s); the paper sums on the fly (30 Gflop/s). \
Both kinds at 800K particles and θ = 0.6, with 38 operations for each interaction of the walk one by one. Groups make more \
interactions, which are not counted, and their time includes the construction:";

pub(super) const ITEMS: [[&str; 3]; 12] = [
    ["NK-1, 2", "direct sum, Figure 2", "`Method::Direct`; this page: `nk-fig2`"],
    [
        "NK-3, 4",
        "tree with leaves of one particle, recursive walk",
        "`octree/src/papers/walk/recursive.rs`",
    ],
    [
        "NK-5",
        "general walk",
        "`octree/src/papers/walk/visitor.rs`, `kernels-gpu/src/papers/visitor.rs`",
    ],
    [
        "NK-6",
        "links next and more",
        "`octree/src/papers/walk/links.rs`, `kernels-gpu/src/papers/links`",
    ],
    ["NK-7", "criterion l/θ + s < d", "`fmm`: `Opening::Nakasato`"],
    ["NK-8", "kernel `tree_gm`", "`kernels-gpu/src/papers/nakasato.rs`"],
    ["NK-9", "pipeline", "`kernels-gpu/src/walk`, all on the device"],
    ["NK-10, 11", "Tables 2 and 3", "this page: `nk-table2`, `nk-table3`"],
    ["NK-12, 15", "Tables 4 and 5", "this page: `nk-table4`, `nk-table5`"],
    ["NK-13, 14", "Figures 9 and 10", "this page: `nk-fig9`, `nk-fig10`"],
    [
        "NK-16, 17",
        "Tables 6 and 7, sums in f64",
        "this page: `nk-table6`, `nk-table7`, `nk-causes`",
    ],
    ["NK-18, 19", "comparisons", "this page: `nk-fmm`, `nk-octgrav`"],
];

pub(super) const ERRATA: [Erratum; 4] = [
    Erratum {
        place: "Table 2, 50K",
        printed: "construction 1.1e-3 s",
        correct: "does not fit \"20–28 %\" of the total; 1.1e-2 s would",
    },
    Erratum {
        place: "Table 3 and Table 5",
        printed: "0.566 s and 0.682 s, hit rates of 80 % and 68 %, both for 800K and θ = 0.6",
        correct: "the two contradict each other; both are shown",
    },
    Erratum {
        place: "section 5",
        printed: "Morton order is faster by 1.5 to 2.2",
        correct: "the tables give 1.3 to 2.4",
    },
    Erratum {
        place: "Table 6, 500K",
        printed: "5.73e-3 at θ = 0.2, ascribed to sums in f32",
        correct: "far above what f32 loses in 10⁴ terms; no such floor here, in f32 either",
    },
];
