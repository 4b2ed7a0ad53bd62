//! Legacy VTK files: fields and snapshots as polydata for ParaView, and points of polydata and unstructured grids to read.
//!
//! | file | what |
//! |---|---|
//! | `write.rs` | polydata, one vertex a point |
//! | `dataset.rs` | sections of a file: points and the arrays that belong to them |
//! | `source.rs` | lines of keywords, and the numbers between them |
//! | `numbers.rs` | types of numbers |
//! | `columns.rs` | points from arrays by name |
//!
//! The format is that of the VTK User's Guide ("VTK File Formats"), and version 5.1 of VTK 9, whose cells are offsets and
//! connectivity.

mod columns;
mod dataset;
mod numbers;
mod source;
mod write;

pub(crate) use dataset::{Array, Dataset};
pub(crate) use numbers::Numbers;
pub(crate) use write::{check, doubles, points, scalars, write};

/// Beginning of every legacy VTK file.
pub(crate) const SIGNATURE: &[u8] = b"# vtk DataFile Version ";
