//! The clouds follow their distributions, and a seed names one cloud.

mod clouds;
mod galaxy;
mod milky_way_a;
