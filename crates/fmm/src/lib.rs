//! Sums of 1/r and their gradients, to the tolerance asked for.
//!
//! For sources y_j with charges q_j and receivers x_i, the sums are
//!
//! > Φ(x_i) = Σ_j q_j / |x_i − y_j| and ∇Φ(x_i) = Σ_j q_j (y_j − x_i) / |x_i − y_j|³,
//!
//! without a factor 1/4π; a point and itself, and pairs of coincident points, are left out. In gravity
//! the charges are masses and the acceleration is G ∇Φ; the force on a charge q is −q ∇Φ.
//!
//! ```
//! use fmm::{Field, Fmm, Workspace};
//!
//! # fn main() -> Result<(), fmm::Error> {
//! let positions: Vec<[f64; 3]> =
//!     (0..5000).map(|i| [0.31, 0.57, 0.83].map(|c| (c * f64::from(i)).fract())).collect();
//! let masses = vec![1.0 / 5000.0; 5000];
//!
//! let plan = Fmm::new().tolerance(1e-6).plan(&positions)?; // receivers = sources
//! let field = plan.evaluate(&masses)?; // in the caller's order
//! println!("{}", field.report);
//!
//! // Measured, not assumed: against the direct sum at 500 receivers.
//! let error = plan.sample_error(&masses, &field, 500)?;
//! assert!(error.gradient.l2 < 1e-6);
//!
//! // Other charges: the plan, the field and the workspace are used again.
//! let (mut field, mut workspace) = (Field::default(), Workspace::new());
//! plan.evaluate_into(&masses, &mut field, &mut workspace)?;
//! # Ok(())
//! # }
//! ```
//!
//! | method | cost | use it for |
//! |---|---|---|
//! | [`Method::Direct`] | O(N·M) | a few thousand points, references |
//! | [`Method::Treecode`] | O(M log N) | low accuracy, and results that compare with other treecodes |
//! | [`Method::Fmm`] | O(N + M) | everything else |
//! | [`Method::Auto`] | | the direct sum or the FMM, whichever a model of the cost prefers |
//!
//! [`Tolerance`] says what a tolerance promises, [`Opening`] which cells the treecode lets act as a
//! whole, [`Report`] what was chosen and where the time went. Work runs in the caller's rayon pool,
//! and the same input gives the same bits for any number of threads; or on a [`Device`] of the caller's
//! choice. Spans of the stages go to `tracing`.

mod api;
mod choose;
mod cpu;
mod engine;
#[cfg(feature = "gpu")]
mod gpu;
#[cfg(feature = "gpu")]
mod hybrid;
mod plan;
mod verify;

pub use api::{
    Device, Error, Errors, Field, M2l, Method, Opening, Outputs, Report, SampledError, Seconds,
    Stage, Tolerance, Treecode, UnknownDevice, UnknownMethod,
};
pub use engine::{Scalar, Workspace};
pub use octree::Depth;
pub use plan::{Fmm, Plan, Point, Points};
