//! Readers and writers of point sets, fields and snapshots: PQR, XYZ, tables, NPY/NPZ, VTK, TIPSY, GADGET.
//!
//! [`read_points`] takes the format from the extension (`.gz` on top of it, too) and checks every
//! number; [`read_stream`] takes the format from the beginning of a stream. What is read takes bounded
//! memory, whatever it announces. [`write_points`] and [`write_field`] never leave a partial file. An
//! [`Error`] is one line with the file, the line, what was found there and the cure.
//! [`read_snapshot`] and [`write_snapshot`] do the same for the state of a simulation.
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

mod column;
mod error;
mod field;
mod input;
mod limits;
mod memory;
mod message;
mod npy;
mod npy_header;
mod npy_integers;
mod npy_numbers;
mod npz;
mod output;
mod pack;
mod partial;
mod path;
mod places;
mod points;
mod pqr;
mod rows;
mod selection;
mod snapshot;
mod sniff;
mod table;
mod text;
mod vtk;
mod xyz;
mod zip_directory;
mod zip_writer;

pub use column::{Column, PositionColumns, SelectionError};
pub use error::{Error, Fault};
pub use field::{FieldArray, FieldParts, FieldTable};
pub use input::{has_rows, read_located_points, read_point_rows, read_points, read_stream};
pub use message::one_line;
pub use output::{
    check_field_path, check_points_path, write_field, write_field_parts, write_moving_points,
    write_points, write_text,
};
pub use partial::{PartialFile, WritingStopped, remove_partial_files};
pub use places::{LocatedPoints, Places, PointRows};
pub use points::PointTable;
pub use selection::{Charges, Selection};
pub use snapshot::{
    PartialSnapshot, Snapshot, SnapshotFormat, check_snapshot_path, read_snapshot, write_snapshot,
};
