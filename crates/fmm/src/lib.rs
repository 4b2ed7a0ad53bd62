//! fmm
mod accuracy;
mod builder;
mod choices;
mod error;
mod field;
mod hierarchy;
mod operators;
mod passes;
mod plan;
mod points;
mod report;
mod schedule;
mod stopwatch;
mod tasks;
mod treecode;
mod tuning;
mod verify;
mod workspace;

pub use builder::Fmm;
pub use choices::{Method, Outputs, Tolerance, UnknownMethod};
pub use error::Error;
pub use field::Field;
pub use octree::Depth;
pub use plan::Plan;
pub use report::Report;
pub use stopwatch::{Seconds, Stage};
pub use treecode::Opening;
pub use verify::{Errors, SampledError};
pub use workspace::Workspace;

/// `f32` or `f64`.
pub trait Scalar: expansions::Scalar + octree::Coordinate {}

impl<T: expansions::Scalar + octree::Coordinate> Scalar for T {}
