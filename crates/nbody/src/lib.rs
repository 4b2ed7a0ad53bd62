//! N-body simulations: initial conditions with velocities, integrators, diagnostics.
//!
//! - [`models`] draws systems in motion: Plummer, Hernquist and King models, a disk galaxy, a collision of two. A seed names
//!   the same system on every platform. [`initial_conditions`] has the clouds of points below them.
//! - A [`Stepper`] advances a [`System`] by a [`Scheme`] over any [`Force`]. Here is [`DirectSum`], for some thousand
//!   particles; the package `farfield` has `Gravity`, by the fast multipole method.
//! - Particles in other memory than the host's, such as a GPU's, are a [`Motion`], which the same schemes advance.
//! - [`Diagnostics`] are what a simulation conserves.
//!
//! Units are those with G = 1 unless a force says otherwise.
//!
//! # Ten steps of a star cluster
//!
//! ```
//! use nbody::{Diagnostics, DirectSum, Scheme, Stepper, models};
//!
//! let mut cluster = models::plummer(1000, 1);
//! let mut force = DirectSum::new(&cluster.masses).softening(0.05);
//! let mut stepper = Stepper::new(Scheme::Leapfrog, 0.02)?;
//!
//! let potentials = stepper.start(&cluster, &mut force)?;
//! let before = Diagnostics::new(&cluster, potentials);
//! assert!((before.virial_ratio() - 1.0).abs() < 0.1, "a model in equilibrium");
//!
//! stepper.advance(&mut cluster, &mut force, 0.2, |time| println!("time {time:.2}"))?;
//!
//! let potentials = stepper.start(&cluster, &mut force)?;
//! let after = Diagnostics::new(&cluster, potentials);
//! let error = (after.energy() / before.energy() - 1.0).abs();
//! println!("energy error after ten steps: {error:.1e}");
//! assert!(error < 1e-4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod diagnostics;
mod direct_sum;
pub mod initial_conditions;
mod integrate;
pub mod models;
mod system;

pub use diagnostics::Diagnostics;
pub use direct_sum::DirectSum;
pub use initial_conditions::Cloud;
pub use integrate::{Force, MOST_LEVELS, Motion, Scheme, StepError, StepParameter, Stepper, Steps};
pub use system::{Quantity, System, SystemError};
