//! The library as its callers use it, in one program.

mod fields;
mod memory;
mod narrow;
mod points;
mod pool;
