//! Models, clouds and integrators, in one program.

mod initial_conditions;
mod integrate;
mod models;
mod statistics;
