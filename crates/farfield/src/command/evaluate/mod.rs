//! `farfield evaluate`: the potential and its gradient at every receiver.
//!
//! | file | what |
//! |---|---|
//! | `arguments.rs` | the arguments, the request and the points that they name |
//! | `devices.rs` | the device that the user names |
//! | `single.rs` | the evaluation of one process |
//! | `ranks.rs` | the part of one rank: from the files to the file of rank 0 |
//! | `parts.rs` | points on their way from the files to the ranks |
//! | `gathered.rs` | fields on their way from the ranks to the file |
//! | `gpus.rs` | number of GPUs of this host |
//! | `host.rs` | cores and GPUs that the ranks of a host share |
//! | `output.rs` | the file of the field and the report |
//! | `totals.rs` | net charge and potential energy |

mod arguments;
mod devices;
mod gathered;
mod gpus;
mod host;
mod output;
mod parts;
mod ranks;
mod single;
mod totals;

use std::sync::Arc;

use distributed::{Communicator, threads};

use super::error::Error;
pub(crate) use arguments::Arguments;
pub(crate) use totals::Totals;

/// Evaluates in this process: as one, or with `--ranks` or on all GPUs over ranks that are threads.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Error> {
    let Some(count) = arguments.ranks.or_else(|| arguments.device.ranks()) else {
        return single::run(arguments);
    };
    let count = count.get();
    let ends = threads::run(count, |ranks| ranks::run(arguments, &ranks, count))?;
    // All ranks end alike.
    ends.into_iter().collect()
}

/// Evaluates as one of several processes, each of them a rank. Collective.
#[cfg_attr(not(feature = "mpi"), expect(dead_code, reason = "processes need MPI"))]
pub(crate) fn run_rank(arguments: &Arguments, ranks: &Arc<dyn Communicator>) -> Result<(), Error> {
    ranks::run(arguments, ranks, 1)
}
