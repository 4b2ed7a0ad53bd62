//! Errors of the subcommands that draw; each message ends with the cure.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("{0} frames do not fit into one .png; name a folder, or a --movie")]
    OneFrame(usize),
    #[error("the folder {} cannot be made ({error}); name another", .folder.display())]
    Frames { folder: PathBuf, error: io::Error },
    #[error(
        "frames are written as .png and {} is none; name a folder or a .png, or give --movie", .output.display()
    )]
    NotPng { output: PathBuf },
    #[error("the output {} would be written twice; name another file", .output.display())]
    Twice { output: PathBuf },
    #[error("a rate of {0:?} frames a second shows nothing; give a positive number such as 20")]
    Rate(f64),
    #[error(
        "--rotate {0:?} turns the camera from frame to frame and there is one; drop it, or add --frames 120"
    )]
    Still(f64),
    #[error(
        "--columns, --charge and --unit-charges are for profiles of snapshots; add --kind profile, or drop them"
    )]
    NoColumns,
    #[error("an energy diagram takes one table and {0} are given; name one file")]
    OneTable(usize),
    #[error("cost is a line through two reports or more and {0} are given; name more files")]
    FewReports(usize),
    #[error(
        "{}: fewer than two shells have {least} particles and a density within f64, as a profile needs; name a larger snapshot", .path.display()
    )]
    Shells { path: PathBuf, least: usize },
    #[error("{}: holds no reports of evaluate --json ({cause}); write them again", .path.display())]
    Reports { path: PathBuf, cause: String },
}
