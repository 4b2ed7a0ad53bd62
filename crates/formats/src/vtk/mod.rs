//! Legacy VTK files: fields and snapshots as unstructured grids of vertices, for ParaView and meshio, and points of
//! polydata and unstructured grids to read.
//!
//! | file | what |
//! |---|---|
//! | `write.rs` | unstructured grids, one vertex a point |
//! | `dataset.rs` | sections of a file: points and the arrays that belong to them |
//! | `cells.rs` | what joins points: vertices, lines, polygons |
//! | `source.rs` | lines of keywords, and the numbers between them |
//! | `numbers.rs` | types of numbers |
//! | `columns.rs` | points from arrays by name |
//!
//! The format is that of the VTK User's Guide ("VTK File Formats"), and version 5.1 of VTK 9, whose cells are offsets and
//! connectivity.

pub(crate) mod cells;
mod columns;
mod dataset;
mod numbers;
mod source;
mod write;

pub(crate) use dataset::{Array, Dataset, Keep};
pub(crate) use numbers::Numbers;
pub(crate) use write::{doubles, head, points, scalars, write, write_points};

/// Beginning of every legacy VTK file.
pub(crate) const SIGNATURE: &[u8] = b"# vtk DataFile Version ";
