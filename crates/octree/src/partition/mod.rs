//! The octree over many processes: who owns which boxes, and what crosses between ranks. Geometry only: the caller
//! brings the communication.
//!
//! Ranks own consecutive intervals of the Morton curve, cut at boxes of the tree. Their parts together are exactly the
//! tree that one process would build of all points, and their lists are its lists.
//!
//! | here | what | paper | cost |
//! |---|---|---|---|
//! | [`Totals`], [`OneProcess`] | sums and maxima over processes, which the caller provides | – | – |
//! | [`point_bounds`], [`global_bounds`] | bounds of all points, hence one [`Cube`](crate::Cube) and one [`SplitRule`](crate::SplitRule) | – | O(N) |
//! | [`SortedPoints`] | points of a process along the curve, and with the cuts by owner | – | O(N) |
//! | [`Partition`], [`Balance`] | cuts, owners, regions; cuts that balance, or are kept | HU sec. 3.2 | O(P log N) a level |
//! | [`Partition::of_sample`], [`CutCounts`] | cuts from a sample of the points, moved off the leaves where the sample leaves doubt | – | O(m P log P) |
//! | [`DeviceRanks`] | process i, device j ↔ rank i g + j | HU sec. 3.2 | O(1) |
//! | [`Octree::build_part`](crate::Octree::build_part) | a rank's part of the tree | – | O(N + B log N) |
//! | [`SharedBoxes`] | boxes of several owners, and their points on each | HU's level l_crit | O(P l_par) |
//! | [`TopTree`] | shared boxes and their children, which all ranks know | Salmon and Warren's shared top | O(P l_par) |
//! | [`halo`], [`BoxRecord`] | what a rank tells another of its boxes | – | O(records) |
//! | [`EssentialTree`] | own, shared and remote boxes in one structure | Salmon and Warren's local essential tree | O(B log B) |
//! | [`Exchange`], [`Cargo`] | lists of own receivers; imports and exports, without requests | HU sec. 3.2 | O(B) |
//! | [`SharedSums`] | sums of shared boxes: parts, who adds them up, who needs them | HU's sum at l_crit | O(B + P l_par) |
//! | [`EssentialTree::fill`] | the tree with its ghosts | – | O(N + B) |
//! | [`BoxKind`] | domestic, export, import, root, other | HU Alg. 6, corrected | O(B) |
//!
//! | file | what |
//! |---|---|
//! | `totals` | totals over processes; bounds of all points |
//! | `cuts` | the partition: owners, regions, shared boxes |
//! | `balance` | the search for balanced cuts |
//! | `keep` | cuts of an earlier partition |
//! | `devices` | ranks of devices |
//! | `local` | a rank's part of the tree |
//! | `region` | sight of a rank, with the proof that halos suffice |
//! | `sampled` | cuts from a sample of the points |
//! | `sorted` | points of a process along the curve |
//! | `shared` | counts of shared boxes |
//! | `halo` | records for other ranks |
//! | `essential` | the merged structure |
//! | `exchange` | lists, imports, exports |
//! | `sums` | shared boxes: parts and needs |
//! | `top` | shared boxes, and the boxes of one owner below them |
//! | `fill` | points and ghosts in the structure |
//! | `kinds` | kinds of boxes |
//!
//! One process, which is all ranks at once, runs the same steps as many:
//!
//! ```
//! use octree::partition::{
//!     Balance, EssentialTree, OneProcess, Partition, SharedBoxes, SortedPoints, global_bounds, halo, point_bounds,
//! };
//! use octree::{Cube, Depth, ListOptions, Octree, SplitRule};
//!
//! # fn main() -> Result<(), octree::Error> {
//! let points: Vec<[f64; 3]> = (0..1000).map(|i| [0.31, 0.57, 0.83].map(|c| (c * f64::from(i)).fract())).collect();
//! let totals = &mut OneProcess;
//! let (rank, n_ranks) = (0, 1);
//!
//! // Agree on the cube and the rule, then on the cuts.
//! let bounds = global_bounds(point_bounds(&points, None)?, totals);
//! let rule = SplitRule::new(Cube::around(bounds)?, Depth::Adaptive { leaf_capacity: 20 })?;
//! let sorted = SortedPoints::new(&rule, &points, None);
//! let partition = Partition::balanced(&rule, &sorted, Balance::new(n_ranks), totals)?.partition;
//! let (order, counts) = (sorted.sources().order(), sorted.sources().counts(&partition));
//! // ... send the first counts[0] points in this order to rank 0, and so on
//! # assert_eq!((order.len(), counts), (1000, vec![1000]));
//! let part = Octree::build_part(&rule, &partition, rank, &points, None)?;
//! let shared = SharedBoxes::collect(&part, &partition, rank, totals);
//! let records: Vec<_> = (0..n_ranks).map(|other| halo(&part, &partition, other)).collect();
//! // ... send each rank its records
//! let halos = records;
//! let essential = EssentialTree::assemble(&part, &partition, rank, &shared, &halos)?;
//! let exchange = essential.exchange(ListOptions::default(), |_, _| false);
//! // ... send exports, receive imports
//! let tree = essential.fill(&exchange)?;
//! assert_eq!((tree.keys(), exchange.n_ghosts()), (part.keys(), 0));
//! # Ok(())
//! # }
//! ```

mod balance;
mod cuts;
mod devices;
mod essential;
mod exchange;
mod fill;
mod halo;
mod keep;
mod kinds;
mod local;
mod region;
mod sampled;
mod shared;
mod sorted;
mod sums;
mod top;
mod totals;

pub use crate::error::RecordFault;

pub use self::{
    balance::{Balance, Balanced, Weights, imbalance},
    cuts::Partition,
    devices::DeviceRanks,
    essential::{EssentialTree, Holder},
    exchange::{Cargo, Exchange, PointBlock},
    halo::{BoxRecord, halo},
    kinds::BoxKind,
    local::point_bounds,
    sampled::CutCounts,
    shared::SharedBoxes,
    sorted::{SortedPoints, SortedSet},
    sums::SharedSums,
    top::{TopBox, TopTree},
    totals::{OneProcess, Totals, global_bounds},
};
