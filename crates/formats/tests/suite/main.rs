//! Readers and writers, in one program.

mod binary_snapshots;
mod common;
mod faults;
mod hostile_arrays;
mod hostile_text;
mod moving_points;
mod other_readers;
mod parts;
mod reading;
mod snapshots;
mod vtk;
mod writing;
