//! Sums over ranks: equal to those of one process that has all points, and with one end for all ranks.

mod balance;
mod comparison;
mod crowded;
mod equality;
mod faults;
mod plans;

mod walks;
