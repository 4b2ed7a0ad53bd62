//! Initial conditions for N-body work: uniform cube and sphere, sphere surface, Plummer
//! model, disk galaxy.
//!
//! Every cloud is a function of its size and seed alone, with the same bits on every platform.
//!
//! ```
//! let cluster = nbody::initial_conditions::plummer(1000, 1);
//! assert_eq!(cluster.positions.len(), 1000);
//! assert_eq!(cluster, nbody::initial_conditions::plummer(1000, 1));
//! ```

pub mod initial_conditions;

pub use initial_conditions::Cloud;
