//! Workloads shared by the benches.

pub mod cpu;
