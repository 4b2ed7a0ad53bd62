//! Ranks of a distributed N-body sum: communicators on threads and on MPI, redistribution of rows to their owners,
//! exchange of boxes, and agreement on faults.
//!
//! | module | what |
//! |---|---|
//! | `communicator` | [`Communicator`]: messages of bytes, exchange, all-gather, barrier |
//! | `collective` | typed collectives with the same bits on every rank: [`reduce`], [`broadcast`], [`exclusive_sum`] … |
//! | [`threads`] | ranks that are threads: 1 to 512, blocked while they wait |
//! | `mpi` | ranks that are processes of MPI, with the feature `mpi` |
//! | `agree` | [`phase`], [`agree`]: all ranks go on, or all end with the same [`Fault`] |
//! | `redistribute` | [`Redistribution`]: rows to their owner, results back |
//! | `route` | [`Route`]: which rows go to which ranks |
//! | `transport` | [`Transport`]: rows of boxes along a route, by the manager, many-to-many or between neighbours |
//! | `traffic` | [`Traffic`]: messages and bytes of a rank |
//! | `endpoint` | the communicator beneath `threads` and `mpi` |
//! | `pack` | values as bytes |
//!
//! Errors of one rank do not hang the others: whoever waits for a rank that returned, panicked or failed in the phase
//! wakes with an [`Error`] that names the rank.
//!
//! ```
//! use distributed::{Error, Redistribution, Reduction, phase, reduce, threads};
//!
//! // Four ranks have five numbers each. The owner of a number is its remainder by 4.
//! let results = threads::run(4, |communicator| {
//!     let communicator = &*communicator;
//!     let mine: Vec<u64> = (0..5).map(|i| 5 * communicator.rank() as u64 + i).collect();
//!     phase(communicator, || {
//!         let owners = Redistribution::new(communicator, 5, |row| (mine[row] % 4) as usize)?;
//!         let owned = owners.to_owners(communicator, &mine)?;
//!         let mut sum = [owned.iter().sum::<u64>()];
//!         reduce(communicator, Reduction::Sum, &mut sum)?;
//!         Ok::<_, Error>(sum[0])
//!     })
//! })?;
//! assert_eq!(results, vec![Ok(190); 4]);
//!
//! // A rank that fails ends the phase on all ranks, with one fault.
//! let results = threads::run(4, |communicator| {
//!     phase(&*communicator, || match communicator.rank() {
//!         2 => Err("out of memory".to_owned()),
//!         _ => communicator.barrier().map_err(|error| error.to_string()),
//!     })
//! })?;
//! for result in results {
//!     assert_eq!(result.unwrap_err().to_string(), "rank 2: out of memory");
//! }
//! # Ok::<(), Error>(())
//! ```

#![warn(clippy::missing_errors_doc)]

mod agree;
mod collective;
mod communicator;
mod endpoint;
mod error;
mod host;
#[cfg(feature = "mpi")]
pub mod mpi;
mod pack;
mod redistribute;
mod route;
pub mod threads;
mod traffic;
mod transport;

pub use agree::{Fault, agree, phase};
pub use collective::{
    Number, Reduction, all_gather, all_gather_joined, broadcast, exchange, exclusive_sum, reduce,
};
pub use communicator::{Communicator, Message, Pending};
pub use error::{Error, RankList, RowValues};
pub use host::hosts;
pub use redistribute::Redistribution;
pub use route::Route;
pub use traffic::{Traffic, Volume};
pub use transport::{Rows, Transfer, Transport};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
