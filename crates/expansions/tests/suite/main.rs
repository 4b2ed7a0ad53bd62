//! Operators of both bases and the listings of papers, in one program.

mod complex_operators;
mod complex_support;
mod listings;
mod operators;
mod table_sizes;
mod waves;
