//! The operators of the real basis: on paths against direct sums, against each other, against the
//! complex reference, and at the limits of order and scale.

mod batches;
mod bounds;
mod cells;
mod complex;
mod double_double;
mod exactness;
mod expected;
mod pairs;
mod paths;
mod scales;
mod support;
mod symmetric_pairs;
mod symmetries;
