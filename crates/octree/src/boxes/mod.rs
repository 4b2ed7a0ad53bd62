//! Boxes: cells of the cube that have a level and integer coordinates, and boxes of any size around points.
//!
//! | file | what |
//! |---|---|
//! | `key.rs` | a box as integers: its level and its Morton code |
//! | `cube.rs` | the cube around all points; keys of points, centres of boxes |
//! | `neighborhood.rs` | E1 to E4 of a box |
//! | `offsets.rs` | the offsets between boxes of one level that are far from each other |
//! | `aabb.rs` | bounds along the axes |
//! | `coordinate.rs` | the float types of coordinates |

pub(crate) mod aabb;
pub(crate) mod coordinate;
pub(crate) mod cube;
pub(crate) mod key;
pub mod neighborhood;
pub(crate) mod offsets;
