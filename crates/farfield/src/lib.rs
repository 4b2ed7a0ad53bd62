//! N-body sums of 1/r by fast multipole method, treecode or direct sum, on CPU and GPU, to the tolerance asked for.
//!
//! For sources y_j with charges q_j, Farfield evaluates the potential and its gradient at receivers x_i:
//!
//! > Φ(x_i) = Σ_j q_j / |x_i − y_j| and ∇Φ(x_i) = Σ_j q_j (y_j − x_i) / |x_i − y_j|³.
//!
//! The crate `farfield` is the one dependency that a program needs:
//!
//! ```toml
//! [dependencies]
//! farfield = { version = "0.1", default-features = false }
//! ```
//!
//! # First sum
//!
//! A plan keeps everything that depends on positions alone; evaluating it takes the charges. Gravity's charges are
//! masses, and its acceleration is G ∇Φ.
//!
//! ```
//! use farfield::Fmm;
//! use farfield::nbody::{Cloud, initial_conditions};
//!
//! let Cloud { positions, masses } = initial_conditions::plummer(5000, 1);
//! let plan = Fmm::new().tolerance(1e-6).plan(&positions)?; // receivers = sources
//! let field = plan.evaluate(&masses)?; // in the order of `positions`
//! println!("{}", field.report);
//!
//! // Measured error: 500 receivers are compared with the direct sum.
//! let error = plan.sample_error(&masses, &field, 500)?;
//! assert!(error.l2() < 1e-6);
//! # Ok::<(), farfield::Error>(())
//! ```
//!
//! # From a file to a file
//!
//! [`formats`] reads PQR, XYZ, tables, NPY, NPZ, VTK, TIPSY and GADGET, and writes fields as NPZ, tables or VTK.
//!
//! ```
//! use farfield::Fmm;
//! use farfield::formats::{FieldTable, Selection, read_points, write_field};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let name = |extension| std::env::temp_dir().join(format!("farfield-{}.{extension}", std::process::id()));
//! # let (stars, output) = (name("csv"), name("npz"));
//! # std::fs::write(&stars, "x,y,z,mass\n0,0,0,1\n1,0,0,2\n0,2,0,3\n")?;
//! let points = read_points(&stars, &Selection::default())?; // columns x, y, z and mass
//! let field = Fmm::new().plan(&points.positions)?.evaluate(&points.charges)?;
//! let table = FieldTable {
//!     positions: &points.positions,
//!     charges: Some(&points.charges),
//!     potential: &field.potential,
//!     gradient: &field.gradient,
//! };
//! write_field(&output, &table)?;
//! # std::fs::remove_file(&stars)?;
//! # std::fs::remove_file(&output)?;
//! # Ok(())
//! # }
//! ```
//!
//! # Contents
//!
//! | module | contents | package |
//! |---|---|---|
//! | top level | [`Fmm`], [`Plan`], [`Field`], [`Method`], [`Tolerance`], [`Device`], [`Report`], [`Error`] … | `farfield-fmm` |
//! | [`distributed`] | ranks for [`Fmm::plan_over`]: threads of one process, or processes of MPI | `farfield-distributed` |
//! | [`octree`] | octrees, Morton keys, interaction lists, tree walks, neighbour searches | `farfield-octree` |
//! | [`expansions`] | multipole and local expansions of 1/r and their operators | `farfield-expansions` |
//! | [`formats`] | readers of point sets, writers of fields | `farfield-formats` |
//! | [`nbody`] | simulations: initial conditions, integrators over any force, diagnostics; [`Gravity`] is the force by [`Fmm`], [`DeviceSystem`] a system that stays on a GPU | `farfield-nbody` |
//!
//! A program that needs one of these modules alone depends on its package instead; the library names are those of the
//! modules.
//!
//! # Features
//!
//! - `command` (default): the program `farfield` and what it depends on. Libraries switch it off.
//! - `cuda`: NVIDIA GPUs through their driver, which is loaded when a plan asks for it; neither CUDA nor a GPU is needed
//!   to build. The kernels come compiled.
//! - `emulator`: the GPU's kernels on the host, for tests.
//! - `mpi`: ranks that are processes of MPI. Building needs a C compiler, MPI with headers, and libclang.

mod device_system;
mod frame;
mod gravity;
#[cfg(doctest)]
pub mod guide;
mod pull;

pub use device_system::{DeviceError, DeviceScalar, DeviceState, DeviceSystem};
pub use gravity::Gravity;
pub use {distributed, expansions, formats, nbody, octree};

#[doc(inline)]
pub use fmm::*;

/// The README, so that its example is compiled and run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[derive(Debug)]
pub struct Readme;
