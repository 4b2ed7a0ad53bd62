//! Agreement on faults: either every rank goes on, or every rank ends with the same fault.

use std::any::Any;
use std::fmt::{self, Display};
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::{Communicator, Error};

/// Failure of a phase, the same on every rank. Displayed, the rank stands before a message that does not begin with ranks
/// itself, as `rank 2 left …` does.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Fault {
    /// The lowest rank that failed by itself, not because of another.
    pub rank: usize,
    /// Error of that rank, or the text of its panic.
    pub message: String,
}

impl Fault {
    /// Whether the message begins with ranks itself.
    pub fn names_ranks(&self) -> bool {
        ["rank ", "ranks ", "some ranks "].iter().any(|begin| self.message.starts_with(begin))
    }
}

impl Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rank, message } = self;
        match self.names_ranks() {
            true => f.write_str(message),
            false => write!(f, "rank {rank}: {message}"),
        }
    }
}

/// The result of this rank if all ranks succeeded; otherwise the same fault on every rank.
///
/// Every rank calls this function, successful or not. A rank that waits for messages of a failed rank wakes with
/// [`Error::Aborted`] and is expected to come here, too. Messages of a failed phase are discarded.
///
/// log₂ P messages, and P − 1 from a rank that failed.
///
/// # Errors
/// [`Fault`] of the lowest rank that failed, or that left before it came here.
pub fn agree<T, E: Display>(
    communicator: &dyn Communicator,
    result: Result<T, E>,
) -> Result<T, Fault> {
    let message = result.as_ref().err().map(ToString::to_string);
    let agreed = communicator.agree(message.as_deref());
    match (result, agreed) {
        (Ok(value), Ok(None)) => Ok(value),
        (_, Ok(Some(fault))) => Err(fault),
        (Err(error), Ok(None)) => {
            Err(Fault { rank: communicator.rank(), message: error.to_string() })
        }
        (_, Err(error)) => Err(of_error(communicator, &error)),
    }
}

/// Runs one phase of a computation and agrees on its result. A panic of a rank becomes the fault of all.
///
/// A program that has phases communicates in phases only: a rank that is ahead and fails in the next phase aborts whatever
/// others still do outside of one.
///
/// Values that the closure borrows mutably may be left half changed after a fault.
///
/// # Errors
/// [`Fault`] of the lowest rank that failed, panicked or left.
pub fn phase<T, E: Display>(
    communicator: &dyn Communicator,
    run: impl FnOnce() -> Result<T, E>,
) -> Result<T, Fault> {
    let result = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(panic) => Err(panic_text(&*panic)),
    };
    agree(communicator, result)
}

/// Text of a panic.
pub(crate) fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("panic: {}", text.unwrap_or("without text"))
}

/// The fault of an agreement that could not be reached.
fn of_error(communicator: &dyn Communicator, error: &Error) -> Fault {
    let rank = match error {
        Error::Left { rank } | Error::Aborted { rank } | Error::Unreadable { rank } => *rank,
        _ => communicator.rank(),
    };
    Fault { rank, message: error.to_string() }
}
