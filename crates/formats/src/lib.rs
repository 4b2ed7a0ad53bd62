//! Readers and writers of point sets, fields and snapshots: PQR, XYZ, tables, NPY/NPZ, VTK, TIPSY, GADGET.
//!
//! [`read_points`] takes the format from the extension (`.gz` on top of it, too) and checks every
//! number; [`read_stream`] takes the format from the beginning of a stream. What is read takes bounded
//! memory, whatever it announces. [`write_points`] and [`write_field`] never leave a partial file. An
//! [`Error`] is one line with the file, the line, what was found there and the cure.
//! [`read_snapshot`] and [`write_snapshot`] do the same for the state of a simulation.
//!
//! | file | what |
//! |---|---|
//! | `input.rs` | points from a path or a stream |
//! | `output/` | points and fields to files: complete, or not at all |
//! | `points/` | points with charges, the columns that hold them, and their places in a file |
//! | `text/` | tables, PQR and XYZ |
//! | `npy/`, `npz/` | arrays of numpy, one or many |
//! | `vtk/` | legacy VTK |
//! | `snapshot/` | states of a simulation: NPZ, VTK, TIPSY, GADGET, text |
//! | `path.rs`, `sniff.rs` | formats by extension, and by the beginning of a stream |
//! | `error.rs`, `message.rs` | faults, each told in one line with the cure |
//! | `available.rs` | columns and arrays in place of those that were looked for |
//! | `limits.rs`, `memory.rs`, `pack.rs` | limits of what is read, memory in bounds, numbers as bytes |
//!
//! ```
//! use formats::{PointTable, Selection, read_points, write_points};
//!
//! let path = std::env::temp_dir().join(format!("formats-{}.csv.gz", std::process::id()));
//! let pair = PointTable { positions: vec![[0.0; 3], [1.0, 0.5, 0.1]], charges: vec![1.0, -1.0] };
//! write_points(&path, &pair)?;
//! assert_eq!(read_points(&path, &Selection::default())?, pair);
//! # std::fs::remove_file(&path)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod available;
mod error;
mod input;
mod limits;
mod memory;
mod message;
mod npy;
mod npz;
mod output;
mod pack;
mod path;
mod points;
mod snapshot;
mod sniff;
mod text;
mod vtk;

pub use available::Available;
pub use error::{Error, Fault};
pub use input::{has_rows, read_located_points, read_point_rows, read_points, read_stream};
pub use message::one_line;
pub use output::field::{FieldArray, FieldParts, FieldTable};
pub use output::partial::{PartialFile, WritingStopped, remove_partial_files};
pub use output::points::{check_points_path, write_moving_points, write_points};
pub use output::{check_field_path, write_field, write_field_parts, write_text};
pub use points::PointTable;
pub use points::column::{Column, PositionColumns, SelectionError};
pub use points::places::{LocatedPoints, Places, PointRows};
pub use points::selection::{Charges, Selection};
pub use snapshot::{
    PartialSnapshot, Snapshot, SnapshotFormat, check_snapshot_path, read_selected_snapshot,
    read_snapshot, read_softenings, unread_velocities, write_snapshot,
};
pub use vtk::cells::Cells;
