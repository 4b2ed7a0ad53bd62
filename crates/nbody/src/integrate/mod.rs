//! Integrators of the equations of motion, over any [`Force`].
//!
//! | scheme | order | forces a step | when |
//! |---|--:|--:|---|
//! | [`Scheme::Leapfrog`] | 2 | 1 | the usual choice: collisionless systems with softening |
//! | [`Scheme::Adaptive`] | 2 | 1 | collapses and encounters, where all of the system speeds up |
//! | [`Scheme::Block`] | 2 | 1 a particle's step | few particles are much faster than the others |
//! | [`Scheme::FourthOrder`] | 4 | 4 | few particles, small errors |
//!
//! Leapfrog and the fourth-order scheme are symplectic and, but for rounding, reversible: with all velocities negated they
//! return. Steps that follow the accelerations lose both.
//!
//! | file | what |
//! |---|---|
//! | `force.rs` | the trait that integrators need |
//! | `motion.rs` | particles that are moved all at once, in whatever memory they are |
//! | `stepper.rs` | schemes, and the stepper that runs one |
//! | `together.rs` | steps that all particles take together |
//! | `on_host.rs` | kicks and drifts of a system on the host |
//! | `leapfrog.rs` | the leapfrog |
//! | `criterion.rs` | steps from accelerations |
//! | `block.rs` | steps of each particle's own, in powers of two |
//! | `fourth_order.rs` | the fourth-order scheme |

mod block;
mod criterion;
mod force;
mod fourth_order;
mod leapfrog;
mod motion;
mod on_host;
mod stepper;
mod together;

pub use criterion::MOST_LEVELS;
pub use force::Force;
pub use motion::Motion;
pub use stepper::{Scheme, StepError, StepParameter, Stepper};
pub use together::Steps;
