//! The test bed of the workspace: point sets, charges, error norms, and the sums of [`mod@reference`] with which methods are
//! compared.
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
mod sample;
pub mod shares;

pub use reference;
pub use sample::sample;
