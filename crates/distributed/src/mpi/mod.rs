//! Ranks that are processes of MPI.
//!
//! | file | what |
//! |---|---|
//! | `link` | the thread that talks to MPI, and its end |
//! | `worker` | the loop of that thread |
//! | `wire` | frames as messages of MPI, long ones in pieces |
//!
//! One thread of its own makes all calls of MPI, so that messages travel while the rank computes, and so that a rank that
//! fails still tells the others. Only messages between two ranks are used; every collective is made of them, with the
//! same order of sums as on threads. The thread sleeps between looks at the network while nothing comes, and takes about
//! one percent of a core then.
//!
//! ```sh
//! mpirun -n 4 program          # the program calls distributed::mpi::connect() once
//! ```

mod link;
mod wire;
mod worker;

use std::sync::Arc;

use crate::endpoint::Endpoint;
use crate::{Communicator, Error};

/// Longest piece of a message, in bytes, unless the caller chooses. MPI counts in 32 bits with a sign; 1 GiB is well below.
pub const PIECE: usize = 1 << 30;

/// Communicator of all processes that the launcher started. Collective.
///
/// MPI is initialised if it is not yet, and finalised when the communicator is dropped, which waits until all ranks drop
/// theirs. A program that initialised MPI itself asks for `MPI_THREAD_MULTIPLE`, drops the communicator before it
/// finalises MPI, and keeps its own messages: this communicator is a duplicate of the world.
///
/// A rank that returns or panics leaves when its communicator is dropped. A process that ends in another way, as by
/// `std::process::exit`, is noticed by the launcher, which ends all processes.
///
/// # Errors
/// [`Error::Mpi`]: an MPI that was finalised or does not serve threads.
pub fn connect() -> Result<Arc<dyn Communicator>, Error> {
    connect_with_pieces(PIECE)
}

/// Communicator of [`connect`], with messages in pieces of at most `piece` bytes, the same number on every rank.
///
/// # Errors
/// [`Error::Mpi`]: pieces that MPI cannot count; errors of [`connect`].
pub fn connect_with_pieces(piece: usize) -> Result<Arc<dyn Communicator>, Error> {
    let largest = i32::MAX as usize;
    if piece == 0 || piece > largest {
        return Err(Error::Mpi { reason: "pieces have 1 to 2147483647 bytes" });
    }
    let (link, rank, size, inbox) = link::connect(piece)?;
    Ok(Arc::new(Endpoint::new(rank, size, inbox, link)))
}
