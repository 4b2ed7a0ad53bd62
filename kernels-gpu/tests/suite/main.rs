//! Kernels and their drivers on every machine, in one program, because each would be linked with all kernels.

#[macro_use]
mod common;

mod at_points;
mod check;
mod clouds;
#[cfg(feature = "cuda")]
mod cuda;
#[cfg(feature = "cust")]
mod cust;
mod device;
mod direct;
mod expected;
mod forest;
mod grid;
mod leaves;
mod links;
mod lists;
mod machine;
mod motion;
mod near;
mod operators;
mod operators_listing;
mod pairs;
mod partition;
mod picks;
mod plane_waves;
mod random;
mod scan;
mod slices;
mod sort;
mod tables;
mod thread_a_target;
mod tree;
mod vectors;
mod walk;
mod walk_links;
