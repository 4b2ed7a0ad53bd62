//! Messages of `distributed::Error`.

use distributed::{Error, RankList, RowValues};

#[test]
fn of_communication() {
    let rows = [
        (
            Error::Left { rank: 2 },
            "rank 2 left while other ranks waited for its messages; see its error or panic, and let every rank make the same calls",
        ),
        (
            Error::Aborted { rank: 2 },
            "rank 2 failed in this phase; end the phase with `agree` to learn why",
        ),
        (Error::NoSuchRank { rank: 7, size: 4 }, "there is no rank 7; ranks are 0 to 3"),
        (
            Error::WrongSize { what: RankList::OutgoingMessages, found: 3, size: 4 },
            "3 entries of outgoing messages for 4 ranks; give one a rank",
        ),
        (
            Error::WrongLength { what: RowValues::Rows, expected: 4, found: 3 },
            "3 values of rows, 4 expected; give one a row and component",
        ),
        (
            Error::Message { rank: 2, expected: 16, found: 8 },
            "rank 2 sent 8 bytes, 16 expected; let every rank make the same calls with lengths that fit",
        ),
        (
            Error::Unreadable { rank: 2 },
            "a message of rank 2 cannot be read; let every rank make the same calls",
        ),
        (
            Error::TooManyRows { rows: 1 << 33 },
            "8589934592 rows of one rank, and rows are numbered below 2^32; give them to more ranks",
        ),
        (
            Error::NoSuchRow { row: 9, rows: 8, rank: 2 },
            "row 9 of 8 is named for rank 2 twice or does not exist; name each row once a rank",
        ),
        (Error::RankCount { size: 600 }, "600 ranks cannot run as threads; give 1 to 512"),
        (
            Error::Thread { rank: 300, reason: "Resource temporarily unavailable".into() },
            "the thread of rank 300 did not start: Resource temporarily unavailable; run fewer ranks",
        ),
        (
            Error::Mpi { reason: "it was finalised; connect once a process" },
            "MPI cannot be used: it was finalised; connect once a process",
        ),
    ];
    let texts = rows.map(|(error, text)| {
        assert_eq!(fmm::Error::from(error.clone()).to_string(), error.to_string());
        (error.to_string(), text)
    });
    // A panic has no cure but in the program.
    super::check(&texts, &["../distributed/src/error.rs"], 1);
}
