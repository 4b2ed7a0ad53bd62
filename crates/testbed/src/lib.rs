//! The test bed of the workspace: point sets, charges, a compensated direct sum and error norms.
//!
//! The reference shares no code with the crates under test: [`mod@reference`] is written from the
//! formula alone, so a mistake in the `fmm` crate cannot hide in its own reference.
//!
//! ```
//! use testbed::{charges, clouds, norms, reference};
//!
//! let cloud = clouds::uniform_cube(50, 1);
//! let masses = charges::masses(50, 2);
//! let (potential, _gradient) = reference::direct(&cloud.positions, &masses, &cloud.positions, 0.0);
//! assert_eq!(norms::scalar(&potential, &potential).l2, 0.0);
//! ```

pub mod attack;
pub mod charges;
pub mod clouds;
pub mod conformance;
pub mod fit;
pub mod fuzz;
pub mod hostile;
pub mod norms;
pub mod origin;
pub mod ranks;
pub mod record;
pub mod reference;
mod sample;
pub mod shares;
pub mod twofold;

pub use sample::sample;
