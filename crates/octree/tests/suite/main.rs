//! Trees, lists, walks and partitions, in one program.

mod common;
mod curve;
mod keys;
mod lists;
mod neighbors;
mod papers_grid;
mod papers_walk;
mod partition_balance;
mod partition_exchange;
mod ranks;
mod tree;
mod walk;
