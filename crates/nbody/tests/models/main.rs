//! Models with velocities follow their theory.

mod equilibria;
mod galaxy;
mod king;
mod shells;
#[path = "../initial_conditions/statistics.rs"]
mod statistics;
mod systems;
