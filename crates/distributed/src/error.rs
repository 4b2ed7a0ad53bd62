//! Errors of communication, each with the rank that it is about and the cure.

use std::fmt;

/// Error of a communicator or of what is built on one.
///
/// An error on one rank does not reach the others by itself: [`crate::agree`] and [`crate::phase`] tell them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A rank dropped its communicator, returned or panicked while others waited for its messages.
    #[error(
        "rank {rank} left while other ranks waited for its messages; see its error or panic, and let every rank make the same calls"
    )]
    Left {
        /// The rank that left first, where one departure caused others.
        rank: usize,
    },
    /// Another rank failed in the phase that is running.
    #[error("rank {rank} failed in this phase; end the phase with `agree` to learn why")]
    Aborted {
        /// The lowest rank whose failure is known.
        rank: usize,
    },
    /// A rank that the communicator does not have.
    #[error("there is no rank {rank}; ranks are 0 to {}", size.saturating_sub(1))]
    NoSuchRank {
        /// The rank named.
        rank: usize,
        /// Number of ranks.
        size: usize,
    },
    /// A list with one entry a rank that has another length.
    #[error("{found} entries of {what} for {size} ranks; give one a rank")]
    WrongSize {
        /// The list.
        what: RankList,
        /// Entries found.
        found: usize,
        /// Number of ranks.
        size: usize,
    },
    /// A slice that does not fit the rows.
    #[error("{found} values of {what}, {expected} expected; give one a row and component")]
    WrongLength {
        /// The slice.
        what: RowValues,
        /// Length required.
        expected: usize,
        /// Length found.
        found: usize,
    },
    /// More rows of one rank than 32 bits number.
    #[error("{rows} rows of one rank, and rows are numbered below 2^32; give them to more ranks")]
    TooManyRows {
        /// Rows that the rank gives.
        rows: usize,
    },
    /// A message of another length than the receiver knows it to have.
    #[error(
        "rank {rank} sent {found} bytes, {expected} expected; let every rank make the same calls with lengths that fit"
    )]
    Message {
        /// The rank that sent.
        rank: usize,
        /// Bytes expected.
        expected: usize,
        /// Bytes found.
        found: usize,
    },
    /// A message that does not tell its own parts.
    #[error("a message of rank {rank} cannot be read; let every rank make the same calls")]
    Unreadable {
        /// The rank that sent.
        rank: usize,
    },
    /// A row that a route names, but that is not there or occurs twice for one rank.
    #[error(
        "row {row} of {rows} is named for rank {rank} twice or does not exist; name each row once a rank"
    )]
    NoSuchRow {
        /// Row named.
        row: usize,
        /// Number of rows.
        rows: usize,
        /// Rank that would receive the row.
        rank: usize,
    },
    /// Too few or too many ranks on threads.
    #[error("{size} ranks cannot run as threads; give 1 to {}", crate::threads::MOST_RANKS)]
    RankCount {
        /// Number asked for.
        size: usize,
    },
    /// A thread could not be started.
    #[error("the thread of rank {rank} did not start: {reason}; run fewer ranks")]
    Thread {
        /// The first rank without a thread.
        rank: usize,
        /// Reason of the system.
        reason: String,
    },
    /// A rank panicked outside of a phase.
    #[error("rank {rank} panicked: {message}")]
    Panicked {
        /// The lowest rank that panicked.
        rank: usize,
        /// Text of the panic.
        message: String,
    },
    /// MPI could not be used.
    #[error("MPI cannot be used: {reason}")]
    Mpi {
        /// Reason and cure.
        reason: &'static str,
    },
}

/// List with one entry a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RankList {
    /// Rows to send along a [`Route`](crate::Route).
    RowsToSend,
    /// Numbers of rows to receive along a [`Route`](crate::Route).
    RowsToReceive,
    /// Numbers of rows for each owner.
    RowCounts,
    /// Messages of an exchange.
    OutgoingMessages,
    /// A [`Route`](crate::Route) over other ranks than those of the communicator.
    Route,
    /// A [`Redistribution`](crate::Redistribution) over other ranks than those of the communicator.
    Redistribution,
}

impl fmt::Display for RankList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RankList::RowsToSend => "rows to send",
            RankList::RowsToReceive => "numbers of rows to receive",
            RankList::RowCounts => "counts of rows",
            RankList::OutgoingMessages => "outgoing messages",
            RankList::Route => "a route",
            RankList::Redistribution => "a redistribution",
        })
    }
}

/// Slice with values for rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowValues {
    /// Values of the rows that the rank gives.
    Rows,
    /// Values of the rows that the rank owns.
    OwnedRows,
    /// Values of the rows that a rank has for itself.
    RowsForItself,
    /// Numbers of the rows, in the order of their owners.
    Order,
}

impl fmt::Display for RowValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RowValues::Rows => "rows",
            RowValues::OwnedRows => "owned rows",
            RowValues::RowsForItself => "a rank's rows for itself",
            RowValues::Order => "an order",
        })
    }
}
