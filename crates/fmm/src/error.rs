//! What can be wrong with a request.

/// Why a plan could not be made or evaluated.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Positions or depth that no tree can be built of.
    #[error(transparent)]
    Tree(#[from] octree::Error),
    /// A vector of charges of the wrong length.
    #[error(
        "charge vector {vector} has {found} charges for {expected} sources; give one charge a source, in the order of the positions"
    )]
    ChargeCount {
        /// Which of the vectors.
        vector: usize,
        /// Charges in it.
        found: usize,
        /// Sources of the plan.
        expected: usize,
    },
    /// A charge that is NaN or infinite.
    #[error("charge {index} of charge vector {vector} is {value}; charges must be finite")]
    ChargeNotFinite {
        /// Which of the vectors.
        vector: usize,
        /// Which charge.
        index: usize,
        /// Its value.
        value: f64,
    },
    /// A tolerance that the precision cannot reach, or that is no positive number.
    #[error("a tolerance of {tolerance:e} cannot be reached with {precision}; ask for {smallest:e} or more{}", cure(.precision))]
    ToleranceOutOfReach {
        /// What was asked for.
        tolerance: f64,
        /// The smallest that can be had.
        smallest: f64,
        /// The float type.
        precision: &'static str,
    },
    /// An order that the tables do not reach.
    #[error("an order of {order} is not supported with {precision}; choose 1 to {largest}")]
    OrderOutOfReach {
        /// What was asked for.
        order: usize,
        /// The largest.
        largest: usize,
        /// The float type.
        precision: &'static str,
    },
    /// A guaranteed tolerance with a criterion for which there is no proof.
    #[error(
        "the treecode's walks give no guarantee; use Opening::Neighbours, the FMM or an L2 tolerance"
    )]
    NoGuarantee,
    /// An opening angle or tolerance that is not positive, NaN or infinite.
    #[error(
        "an opening parameter of {parameter} makes no sense; give a positive number, such as 0.6"
    )]
    Opening {
        /// What was asked for.
        parameter: f64,
    },
    /// A tolerance that no order reaches with an opening criterion.
    #[error(
        "no order reaches a tolerance of {tolerance:e} with an opening parameter of {parameter}; give a smaller one, or leave the criterion to the tolerance"
    )]
    OpeningTooWide {
        /// What was asked for.
        tolerance: f64,
        /// θ or α.
        parameter: f64,
    },
    /// A softening length that is negative, NaN or infinite.
    #[error("a softening length of {softening} makes no sense; give 0 or a positive length")]
    Softening {
        /// What was asked for.
        softening: f64,
    },
    /// New positions of another number than the plan was made for.
    #[error("{found} new {set} positions for a plan of {expected}; make a new plan")]
    PositionCount {
        /// "source" or "receiver".
        set: &'static str,
        /// Positions given.
        found: usize,
        /// Positions of the plan.
        expected: usize,
    },
    /// Receivers were moved in a plan whose receivers are its sources, or left where it has both.
    #[error("{0}")]
    WrongSets(&'static str),
    /// A device that this build knows nothing of.
    #[error(
        "this build does not know the device {device}; build fmm or farfield with the feature cuda (emulator for the emulated ones), or choose cpu"
    )]
    DeviceNotBuilt {
        /// What was asked for.
        device: crate::Device,
    },
    /// The GPU failed or has not enough memory, or there is none.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Device(#[from] kernels_gpu::machine::MachineError),
    /// A plan that the GPU's memory does not hold, as far as can be told before it is made.
    #[error(
        "the plan takes about {needed} bytes on the GPU, which has {free}; use fewer points at once, a larger leaf capacity, f32 or Device::Cpu"
    )]
    DeviceMemory {
        /// Bytes that it takes.
        needed: usize,
        /// Bytes that there are.
        free: usize,
    },
    /// A request that GPUs do not serve.
    #[error("GPUs do not serve {what}; {cure}")]
    NotOnGpu {
        /// What was asked for.
        what: &'static str,
        /// What helps.
        cure: &'static str,
    },
    /// An order that the kernels do not reach.
    #[error(
        "it takes order {order}, and the kernels of the GPU end at {largest}; ask for less accuracy, or choose Method::Direct or Device::Cpu"
    )]
    OrderNotOnGpu {
        /// What the tolerance asks for.
        order: usize,
        /// The largest.
        largest: usize,
    },
    /// A field that does not belong to the plan.
    #[error(
        "the field has {found} receivers and the plan {expected}; give the field that this plan computed"
    )]
    FieldSize {
        /// Receivers of the field.
        found: usize,
        /// Receivers of the plan.
        expected: usize,
    },
}

fn cure(precision: &str) -> &'static str {
    if precision == "f32" { ", or use f64" } else { "" }
}
