//! Models with velocities follow their theory.

mod equilibria;
mod galaxy;
mod king;
mod shells;
mod systems;
