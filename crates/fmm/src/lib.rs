//! Sums of 1/r and their gradients by direct sum, treecode or fast multipole method, to the tolerance asked for.
//!
//! For sources y_j with charges q_j and receivers x_i, the sums are
//!
//! > Φ(x_i) = Σ_j q_j / |x_i − y_j| and ∇Φ(x_i) = Σ_j q_j (y_j − x_i) / |x_i − y_j|³.
//!
//! - The sums have no factor 1/4π. Lengths and charges are in the caller's units.
//! - Pairs of coincident points are left out, so sources can be receivers.
//! - Gravity's acceleration is G ∇Φ with masses as charges; the force on an electric charge q is −q ∇Φ.
//! - Space is free, without periodic images, and the kernel is 1/r, with or without [softening](Fmm::softening).
//! - Dipoles are three charge vectors, one a component: their potential is the sum of −∂Φ_a/∂x_a over the vectors.
//!
//! # First sum
//!
//! ```
//! use fmm::Fmm;
//!
//! let positions: Vec<[f64; 3]> =
//!     (0..5000).map(|i| [2.0, 3.0, 5.0].map(|c: f64| (c.sqrt() * f64::from(i)).fract())).collect();
//! let masses = vec![1.0 / 5000.0; 5000];
//!
//! let plan = Fmm::new().tolerance(1e-6).plan(&positions)?; // receivers = sources
//! let field = plan.evaluate(&masses)?; // in the order of `positions`
//! println!("{}", field.report); // method, order, tree, pairs, seconds by stage
//! # Ok::<(), fmm::Error>(())
//! ```
//!
//! [`Fmm`] is the request and has defaults for everything, [`Plan`] keeps all that depends on positions alone, and
//! [`Field`] is the result. Positions are `[f64; 3]` or `[f32; 3]`, with the feature `nalgebra` `Point3` and `Vector3`,
//! and through `bytemuck` other types of three floats, without a copy: see [`Point`].
//!
//! # Choosing a method
//!
//! | method | cost for N sources, M receivers | use it for |
//! |---|---|---|
//! | [`Method::Auto`] | least of the others, by a model of the cost | everything, unless there is a reason |
//! | [`Method::Direct`] | O(N·M) | a few thousand points; references |
//! | [`Method::Treecode`] | O(M log N) | low accuracy; comparison with other treecodes |
//! | [`Method::Fmm`] | O(N + M) | many points, any accuracy |
//!
//! # Tolerance
//!
//! | tolerance | promise | kind |
//! |---|---|---|
//! | [`Tolerance::L2`], or a number | ‖f − f*‖₂ ≤ ε ‖f*‖₂ over receivers, for each output; f* is the exact sum | measured over many point sets |
//! | [`Tolerance::Guaranteed`] | \|Φ − Φ*\| ≤ ε Σ_j \|q_j\| / \|x − y_j\|, and with squares of distances for ∇Φ, at every receiver | proven; about five times the order |
//! | [`Tolerance::Order`] | none: expansions of order p | set by hand |
//!
//! *Order p* counts terms: degrees 0 … p − 1, p² coefficients. The monopole is p = 1; what the literature of treecodes
//! calls quadrupole order is p = 3. FMM3D's `nterms` is p − 1, exafmm's `P` is p.
//!
//! An evaluation for a relative tolerance is checked, and repeated where it fails. Sums that no method brings below the tolerance, such
//! as charges that cancel to fewer digits than f64 has, are given all the same, and the report tells by which factor they miss:
//!
//! ```
//! # let positions = [[0.0; 3], [1.0, 0.0, 0.0]];
//! let field = fmm::Fmm::new().plan(&positions)?.evaluate(&[1.0, -1.0])?;
//! if let Some(factor) = field.report.excess() {
//!     eprintln!("the error is {factor} times the tolerance");
//! }
//! # Ok::<(), fmm::Error>(())
//! ```
//!
//! [`Plan::sample_error`] measures the error, against the direct sum in f64 at some of the receivers:
//!
//! ```
//! use fmm::{Fmm, Method, Tolerance};
//! # let positions: Vec<[f64; 3]> =
//! #     (0..20_000).map(|i| [2.0, 3.0, 5.0].map(|c: f64| (c.sqrt() * f64::from(i)).fract())).collect();
//! # let masses = vec![1.0 / 20_000.0; 20_000];
//!
//! for tolerance in [Tolerance::L2(1e-3), Tolerance::Guaranteed(1e-2), Tolerance::Order(4)] {
//!     let plan = Fmm::new().method(Method::Fmm).tolerance(tolerance).plan(&positions)?;
//!     let field = plan.evaluate(&masses)?;
//!     let error = plan.sample_error(&masses, &field, 200)?;
//!     println!("{tolerance:?}: order {}, error {:.0e}", field.report.order, error.l2());
//!     match tolerance {
//!         Tolerance::L2(epsilon) => assert!(error.l2() < epsilon),
//!         Tolerance::Guaranteed(epsilon) => assert!(error.potential.unwrap().max < epsilon), // masses: Φ is the sum of |q|/r
//!         _ => {} // Order promises nothing: look at the error.
//!     }
//! }
//! # Ok::<(), fmm::Error>(())
//! ```
//!
//! # Plans
//!
//! A plan builds tree, lists and tables once. Iterative solvers, time steps and several right-hand sides share one plan.
//!
//! ```
//! use fmm::{Field, Fmm, Workspace};
//! # let mut positions: Vec<[f64; 3]> =
//! #     (0..2000).map(|i| [2.0, 3.0, 5.0].map(|c: f64| (c.sqrt() * f64::from(i)).fract())).collect();
//! # let (charges, ones, twos) = (vec![0.5; 2000], vec![1.0; 2000], vec![2.0; 2000]);
//! let mut plan = Fmm::new().tolerance(1e-4).plan(&positions)?;
//!
//! // Other charges: field and workspace keep their memory.
//! let (mut field, mut workspace) = (Field::default(), Workspace::new());
//! plan.evaluate_into(&charges, &mut field, &mut workspace)?;
//!
//! // Several charge vectors at once cost less than one after the other.
//! let fields = plan.evaluate_many(&[&ones, &twos])?;
//! assert_eq!(fields.len(), 2);
//!
//! // Moved points: a new tree with the old settings.
//! positions.iter_mut().for_each(|x| x[2] *= 2.0);
//! plan.update_positions(&positions)?;
//! plan.evaluate_into(&charges, &mut field, &mut workspace)?;
//! # Ok::<(), fmm::Error>(())
//! ```
//!
//! Longer examples in the package: `gmres`, `leapfrog`, `receivers`, `vectors`, `nalgebra`.
//!
//! # Devices
//!
//! [`Device::Cpu`] runs in the caller's rayon pool, with the best vector instructions of the processor, and gives the
//! same bits for any number of threads. [`Device::Cuda`] runs on an NVIDIA GPU, [`Device::Hybrid`] on the cores and a GPU
//! at once. Both need the feature `cuda`; neither CUDA nor a GPU is needed to build, because NVIDIA's driver is loaded
//! when a plan asks for it. A missing feature, driver, GPU or memory is an [`Error`] of [`Fmm::plan`], so a program can
//! fall back:
//!
//! ```
//! use fmm::{Device, Fmm};
//! # let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]];
//!
//! let request = Fmm::new().tolerance(1e-4);
//! let plan = request.device(Device::Cuda(0)).plan(&positions).or_else(|error| {
//!     eprintln!("{error}"); // "this build does not know the device cuda:0; build with the feature cuda, …"
//!     request.plan(&positions)
//! })?;
//! println!("on {}", plan.report().device);
//! # Ok::<(), fmm::Error>(())
//! ```
//!
//! # Many processes
//!
//! [`Fmm::plan_over`] makes a plan over ranks: processes of MPI, or threads. Each rank brings its points and charges and gets
//! the field at its receivers; the sum is over the points of all ranks, and equals that of one process but for rounding.
//! [`distributed`] has the ranks.
//!
//! # Errors
//!
//! Bad input is refused: an [`Error`] holds index and value for the program, and its message ends with the cure.
//!
//! ```
//! use fmm::{Error, Fmm};
//!
//! let positions = [[0.0_f32, 0.0, 0.0], [1.0, 0.0, 0.0]];
//! let plan = match Fmm::new().tolerance(1e-12).plan(&positions) {
//!     Err(Error::ToleranceOutOfReach { smallest, .. }) => Fmm::new().tolerance(smallest).plan(&positions)?,
//!     other => other?,
//! };
//! if let Err(error @ Error::ChargeCount { found, expected, .. }) = plan.evaluate(&[1.0, 2.0, 3.0]) {
//!     assert_eq!((found, expected), (3, 2));
//!     println!("{error}"); // "charge vector 0 has 3 charges for 2 sources; give one charge a source, …"
//! }
//! # Ok::<(), fmm::Error>(())
//! ```
//!
//! # Should I use this crate?
//!
//! - Readers of point files, initial conditions and a command come with [`farfield`](https://docs.rs/farfield), the facade
//!   that has this crate at its top level.
//! - Neighbour searches, tree walks and interaction lists for a method of one's own are in [`octree`].
//! - Multipole and local expansions with their operators, without a tree, are in [`expansions`].
//!
//! # Contents
//!
//! | folder | contents |
//! |---|---|
//! | `api` | types of a request and of a result |
//! | `choose` | the one chooser: method, order, form of M2L, tree shape; error and cost tables |
//! | `engine` | the trait that all engines implement, and their shared parts |
//! | `cpu`, `gpu`, `hybrid` | the engines |
//! | `plan` | the builder [`Fmm`], [`Plan`], [`Point`]; the front, where coincident points are merged before a device sees them |
//! | `ranks` | the engine of several processes, each with a device of its own |
//! | `verify` | sampled errors, net force |
//!
//! Spans of planning and of each [`Stage`] go to `tracing`, from threads of the pool too: to the subscriber of the process.

mod api;
mod choose;
mod cpu;
mod engine;
#[cfg(feature = "gpu")]
mod gpu;
#[cfg(feature = "gpu")]
mod hybrid;
mod plan;
mod ranks;
mod verify;

pub use api::{
    Device, DeviceMemory, Error, Errors, Field, M2l, MemoryEstimate, Method, Opening, Output,
    Outputs, PlanStep, Precision, RankCuts, RankReport, RanksReport, Report, SampledError, Seconds,
    Setting, Stage, Tolerance, Treecode, UnknownDevice, UnknownMethod,
};
pub use engine::{Scalar, Workspace};
#[cfg(feature = "gpu")]
pub use gpu::device;
pub use octree::Depth;
pub use plan::{Fmm, Plan, Point, Points};
pub use {distributed, octree};
