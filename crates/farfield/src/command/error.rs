//! Errors that end the command early.

use std::io;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error(transparent)]
    File(#[from] formats::Error),
    #[error(transparent)]
    Request(#[from] fmm::Error),
    #[error("an opening criterion is the treecode's and the method is {0}; add --method treecode")]
    NotATreecode(fmm::Method),
    #[error("{parameter} is no parameter of this criterion; use it with --criterion {of}")]
    NoSuchParameter { parameter: &'static str, of: &'static str },
    #[error("cannot start {count} threads ({source}); choose fewer with --threads")]
    Threads { count: usize, source: rayon::ThreadPoolBuildError },
    #[error("cannot write the report ({0}); check where stdout goes")]
    Report(#[source] io::Error),
}
