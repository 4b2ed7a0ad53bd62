//! Integrators on orbits that are known, and on small clusters.

mod blocks;
mod clusters;
mod orbits;
