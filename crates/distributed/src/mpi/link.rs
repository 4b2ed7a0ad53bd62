//! Link to other processes: the thread that talks to MPI.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use ::mpi::environment::{Universe, is_finalized, is_initialized, threading_support};
use ::mpi::topology::SimpleCommunicator;
use ::mpi::traits::Communicator as _;
use ::mpi::{Threading, initialize_with_threading};

use super::worker::Worker;
use crate::Error;
use crate::endpoint::{Frame, Inbox, Link};

/// Sender of frames to the thread that talks to MPI. Dropping the link waits until all ranks have left.
#[derive(Debug)]
pub(super) struct Processes {
    /// Empty while the link is dropped.
    frames: Option<Sender<Vec<(usize, Frame)>>>,
    thread: Option<JoinHandle<()>>,
}

/// Rank, number of ranks and inbox, told by the thread when MPI is ready.
type Ready = Result<(usize, usize, Arc<Inbox>), Error>;

/// Starts the thread, with its rank, the number of ranks, and the inbox that it fills.
pub(super) fn connect(piece: usize) -> Result<(Processes, usize, usize, Arc<Inbox>), Error> {
    let (tell, ready) = channel();
    let (sender, frames) = channel();
    let thread = Builder::new()
        .name("mpi".to_owned())
        .spawn(move || talk(&tell, frames, piece))
        .map_err(|error| Error::Thread { rank: 0, reason: error.to_string() })?;
    let ended = Error::Mpi { reason: "its thread ended at the start" };
    let (rank, size, inbox) = ready.recv().unwrap_or(Err(ended))?;
    Ok((Processes { frames: Some(sender), thread: Some(thread) }, rank, size, inbox))
}

impl Link for Processes {
    fn send(&self, frames: Vec<(usize, Frame)>) {
        if let Some(sender) = self.frames.as_ref().filter(|_| !frames.is_empty()) {
            // The thread ends after this link only, or with the process.
            let _ = sender.send(frames);
        }
    }

    fn is_one_process(&self) -> bool {
        false
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        self.frames = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread ended the process.
            let _ = thread.join();
        }
    }
}

/// Body of the thread: MPI from initialisation to its end.
fn talk(tell: &Sender<Ready>, frames: Receiver<Vec<(usize, Frame)>>, piece: usize) {
    let (universe, world) = match begin() {
        Ok(begun) => begun,
        Err(error) => {
            let _ = tell.send(Err(error));
            return;
        }
    };
    let (rank, size) = (world.rank() as usize, world.size() as usize);
    let inbox = Arc::new(Inbox::new(rank, size, Duration::ZERO));
    let _ = tell.send(Ok((rank, size, inbox.clone())));
    let mut worker = Worker::new(&world, &inbox, frames, piece);
    // Without this thread the rank can neither go on nor tell the others, so that all processes end.
    if catch_unwind(AssertUnwindSafe(|| worker.run())).is_err() {
        world.abort(1);
    }
    drop(world);
    drop(universe);
}

/// Initialises MPI, unless the program did, and duplicates the world.
fn begin() -> Result<(Option<Universe>, SimpleCommunicator), Error> {
    let refuse = |reason| Err(Error::Mpi { reason });
    if is_initialized() {
        if is_finalized() {
            return refuse("it was finalised; connect once a process");
        }
        if threading_support() != Threading::Multiple {
            return refuse(
                "it was initialised without MPI_THREAD_MULTIPLE; ask for that, or leave it to `connect`",
            );
        }
        return Ok((None, SimpleCommunicator::world().duplicate()));
    }
    let Some((universe, threading)) = initialize_with_threading(Threading::Funneled) else {
        return refuse("another thread initialised it at the same time");
    };
    if threading == Threading::Single {
        return refuse("it was built without threads; use a build with MPI_THREAD_FUNNELED");
    }
    let world = universe.world().duplicate();
    Ok((Some(universe), world))
}
