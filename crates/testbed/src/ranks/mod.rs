//! Ranks measured and modelled: parts of a partition, seconds of ranks that take turns, the cost model of Hu, Gumerov and
//! Duraiswami (2011), and projections to more ranks than a machine has cores.
//!
//! | file | what |
//! |---|---|
//! | `turns.rs` | ranks that compute one at a time, each with a clock of its own |
//! | `anatomy.rs` | parts of ranks: the steps from points to lists, their seconds and counts |
//! | `carrying.rs` | multipoles and ghosts along the three transports |
//! | `sums.rs` | whole sums by `Fmm::plan_over`: seconds of each rank |
//! | `cost_model.rs` | equations 5 to 9, fitted to runs |
//! | `work.rs` | work of each point, for balanced cuts |
//! | `wire.rs` | seconds of messages and bytes on a network |

pub mod anatomy;
pub mod carrying;
pub mod cost_model;
pub mod sums;
pub mod turns;
pub mod wire;
pub mod work;

/// An error of any crate that a run goes through.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A result with an error of any crate.
pub type Outcome<T = ()> = Result<T, Failure>;
