//! The communicator of one rank over a link that carries frames: the same code for threads and for MPI.
//!
//! | file | what |
//! |---|---|
//! | `frame` | what travels between ranks |
//! | `queue` | messages of one rank, taken in the order of posting |
//! | `inbox` | the queues of all ranks, who left, who failed; waiting |
//! | `pending` | a post under way |
//! | `communicator` | [`Endpoint`], the communicator |
//! | `agreement` | the collective by which ranks agree on a fault |

mod agreement;
mod communicator;
mod frame;
mod inbox;
mod pending;
mod queue;

pub(crate) use communicator::{Endpoint, Link};
pub(crate) use frame::Frame;
#[cfg(feature = "mpi")]
pub(crate) use frame::Kind;
pub(crate) use inbox::Inbox;
