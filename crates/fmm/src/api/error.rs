//! Errors of planning and evaluation.

use super::memory::Bytes;
use super::plan_step::PlanStep;
use super::precision::Precision;
use super::settings::Setting;

/// Reason why a plan could not be made or evaluated, with index, value and cure.
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
        /// Index of the vector.
        vector: usize,
        /// Charges in it.
        found: usize,
        /// Sources of the plan.
        expected: usize,
    },
    /// A charge that is NaN or infinite.
    #[error("charge {index} of charge vector {vector} is {value}; charges must be finite")]
    ChargeNotFinite {
        /// Index of the vector.
        vector: usize,
        /// Index of the charge.
        index: usize,
        /// Value of the charge.
        value: f64,
    },
    /// A result that the float type does not hold: too large, too small for all its digits, or no number.
    #[error(
        "the {output} at receiver {index} by charge vector {vector} is {}; scale positions or charges{}", amount(.exponent, .precision), cure(.precision)
    )]
    ResultRange {
        /// Index of the charge vector.
        vector: usize,
        /// Index of a receiver with the largest result.
        index: usize,
        /// Potential or gradient.
        output: super::options::Output,
        /// Decimal exponent of the result; NaN if it is no number.
        exponent: f64,
        /// The float type.
        precision: Precision,
    },
    /// A result that the float type does not hold because pairs are softened by far more than their distances.
    #[error(
        "a softening length of {softening:?} makes the {output} {}; give a smaller one, or scale positions or charges{}", amount(.exponent, .precision), cure(.precision)
    )]
    SofteningRange {
        /// The value asked for.
        softening: f64,
        /// Potential or gradient.
        output: super::options::Output,
        /// Decimal exponent of the largest result; NaN if it is no number.
        exponent: f64,
        /// The float type.
        precision: Precision,
    },
    /// A pair of points that are apart, but so near that sums in f64 would leave it out as coincident.
    #[error(
        "{set} {index} is {distance:e} from the point {other:?}, too near for sums in f64 over an extent of {extent:e}; give both one position, which leaves their pair out, or move one"
    )]
    PairTooClose {
        /// The set that the point belongs to.
        set: octree::PointSet,
        /// The caller's index of the point.
        index: usize,
        /// Position of the other point.
        other: [f64; 3],
        /// Distance along the axis where it is largest.
        distance: f64,
        /// The longest side of the box around all points.
        extent: f64,
    },
    /// A softening length so far above the points' extent that gradients are no normal numbers.
    #[error(
        "a softening length of {softening:?} is too long for these points; give at most {largest:e}"
    )]
    SofteningTooLong {
        /// The value asked for.
        softening: f64,
        /// The largest for the points' extent.
        largest: f64,
    },
    /// A tolerance that the precision cannot reach, or that is no positive number.
    #[error("a tolerance of {tolerance:e} cannot be reached with {precision}; ask for {smallest:e} or more{}", cure(.precision))]
    ToleranceOutOfReach {
        /// The value asked for.
        tolerance: f64,
        /// The smallest that can be had.
        smallest: f64,
        /// The float type.
        precision: Precision,
    },
    /// A tolerance above 1, which a field of zeros keeps.
    #[error(
        "a tolerance of {tolerance:?} is no relative error; ask for a number between 0 and 1, such as 1e-6"
    )]
    Tolerance {
        /// The value asked for.
        tolerance: f64,
    },
    /// An order that the tables do not reach.
    #[error("an order of {order} is not supported with {precision}; choose 1 to {largest}")]
    OrderOutOfReach {
        /// The value asked for.
        order: usize,
        /// The largest.
        largest: usize,
        /// The float type.
        precision: Precision,
    },
    /// A guaranteed tolerance with a criterion for which there is no proof.
    #[error(
        "the treecode's walks give no guarantee; use Opening::Neighbours, the FMM or an L2 tolerance"
    )]
    NoGuarantee,
    /// A guaranteed tolerance of softened sums with a depth set by hand, whose boxes may be so small that softening matters between
    /// far ones.
    #[error(
        "with softening, a depth set by hand gives no guarantee; leave the depth to the plan, or ask for an L2 tolerance"
    )]
    DepthUnproven,
    /// An opening parameter, θ or α, that is zero, negative, NaN or infinite.
    #[error(
        "an opening parameter of {parameter:?} makes no sense; give a positive number, such as θ = 0.6 or α = 0.001"
    )]
    Opening {
        /// The value asked for.
        parameter: f64,
    },
    /// A tolerance that no order reaches with an opening criterion.
    #[error(
        "no order reaches a tolerance of {tolerance:e} with an opening parameter of {parameter:?}; give a smaller one, or leave the criterion to the tolerance"
    )]
    OpeningTooWide {
        /// The value asked for.
        tolerance: f64,
        /// θ or α.
        parameter: f64,
    },
    /// A tolerance that no walk of the treecode reaches for these charges on this device. The plan chose walks before charges were
    /// known, for charges of one sign.
    #[error(
        "the treecode's walks reach no tolerance of {tolerance:e} for these charges on this device; choose Opening::Neighbours, Method::Fmm or Method::Auto, or give a larger tolerance"
    )]
    WalksOutOfReach {
        /// The value asked for.
        tolerance: f64,
    },
    /// A softening length that is negative, NaN or infinite.
    #[error("a softening length of {softening:?} makes no sense; give 0 or a positive length")]
    Softening {
        /// The value asked for.
        softening: f64,
    },
    /// A limit of the imbalance among ranks that is negative or NaN.
    #[error("an imbalance limit of {limit:?} makes no sense; give 0 or more, such as 0.05")]
    ImbalanceLimit {
        /// The value asked for.
        limit: f64,
    },
    /// New positions of another number than the plan was made for.
    #[error("{found} new {set} positions for a plan of {expected}; make a new plan")]
    PositionCount {
        /// Sources or receivers.
        set: octree::PointSet,
        /// Positions given.
        found: usize,
        /// Positions of the plan.
        expected: usize,
    },
    /// One set of positions for a plan with separate receivers.
    #[error("the plan has separate receivers; give (&sources, &receivers)")]
    ReceiversMissing,
    /// Separate receivers for a plan whose receivers are its sources.
    #[error("the plan's receivers are its sources; give one set of positions")]
    ReceiversUnexpected,
    /// An earlier gradient for another number of receivers.
    #[error(
        "the earlier gradient has {found} receivers and the plan {expected}; give one vector a receiver"
    )]
    EarlierGradientSize {
        /// Vectors given.
        found: usize,
        /// Receivers of the plan.
        expected: usize,
    },
    /// An earlier gradient for a plan whose opening criterion takes none.
    #[error(
        "the plan takes no earlier gradient; use evaluate_into, or plan a treecode with Opening::Relative"
    )]
    EarlierGradientUnused,
    /// Charges in f64 for a plan of positions in f32.
    #[error(
        "the plan's positions are f32 and the charges f64; plan by plan_f32 with positions in f64, or give charges in f32"
    )]
    ChargesOfF64,
    /// Positions in f64 for a plan of positions in f32.
    #[error(
        "the plan's positions are f32 and the new ones f64; plan by plan_f32 with positions in f64, or give positions in f32"
    )]
    PositionsOfF64,
    /// A device whose feature is not in this build.
    #[error(
        "this build does not know the device {device}; build with the feature cuda, or choose cpu"
    )]
    DeviceNotBuilt {
        /// The value asked for.
        device: super::device::Device,
    },
    /// The GPU failed or has not enough memory, or there is none.
    #[cfg(feature = "gpu")]
    #[error(transparent)]
    Device(#[from] kernels_gpu::machine::MachineError),
    /// A sum that takes more memory than it may, as far as can be told before the memory is taken.
    #[error(
        "the sum takes about {} of memory and may take {}; use fewer points or charge vectors at once, f32 or a larger tolerance, or raise the memory limit if there is more",
        Bytes(*.needed), Bytes(*.limit)
    )]
    MemoryLimit {
        /// Bytes that it takes.
        needed: usize,
        /// Bytes that it may take: [`Fmm::memory_limit`](crate::Fmm::memory_limit), or what the machine has available.
        limit: usize,
    },
    /// A plan that the GPU's memory does not hold, as far as can be told before it is made.
    #[error(
        "the plan takes about {} on the GPU, which has {}; use fewer points at once, larger leaves (Fmm::depth), f32 or Device::Cpu",
        Bytes(*.needed), Bytes(*.free)
    )]
    DeviceMemory {
        /// Bytes that it takes.
        needed: usize,
        /// Bytes that there are.
        free: usize,
    },
    /// The treecode on a hybrid device.
    #[error("hybrid devices have no treecode; choose Method::Fmm, Device::Cuda or Device::Cpu")]
    TreecodeOnHybrid,
    /// A form of M2L for another method than the FMM.
    #[error("only the FMM has M2L; set Method::Fmm, or leave the form of M2L to the plan")]
    M2lUnused,
    /// A form of M2L that the device has no kernels for, or that has no proven bound.
    #[error(
        "M2L by {form} is not to be had here; choose rotation, or leave the form of M2L to the plan"
    )]
    M2lForm {
        /// The form asked for.
        form: super::options::M2l,
    },
    /// An order for which the tables of dense M2L are too large.
    #[error("dense M2L ends at order {largest}, not {order}; choose rotation, or a smaller order")]
    DenseOrder {
        /// The order that the request takes.
        order: usize,
        /// The largest.
        largest: usize,
    },
    /// A treecode order that the device has no kernels for.
    #[error(
        "the device walks with the orders {supported:?} only, not {order}; choose one of them, or Device::Cpu"
    )]
    TreecodeOrder {
        /// The order asked for.
        order: usize,
        /// Orders that there are.
        supported: &'static [usize],
    },
    /// More points than the GPU's kernels can number.
    #[error(
        "{found} points, and the GPU's kernels number at most {largest}; split the receivers, or choose Device::Cpu"
    )]
    TooManyPoints {
        /// Number of points.
        found: usize,
        /// The largest number.
        largest: usize,
    },
    /// More pairs of near boxes than the GPU's kernels can number.
    #[error(
        "{found} pairs of near boxes, and the GPU's kernels end at {largest}; choose Device::Cpu"
    )]
    TooManyNearBoxes {
        /// Pairs of near boxes.
        found: usize,
        /// The largest number.
        largest: usize,
    },
    /// An order that the device's kernels do not reach.
    #[error(
        "it takes order {order}, and the kernels of the device end at {largest}; ask for less accuracy, or choose Method::Auto or Device::Cpu"
    )]
    OrderOnDevice {
        /// Order for the tolerance.
        order: usize,
        /// The largest.
        largest: usize,
    },
    /// The treecode by walks over ranks with a GPU each.
    #[error(
        "over ranks with a GPU each the treecode goes on lists; choose Opening::Neighbours or leave the criterion to the plan, or choose Method::Fmm or Device::Cpu"
    )]
    WalkOverGpus,
    /// An earlier gradient on some ranks only.
    #[error(
        "some ranks give an earlier gradient and some do not; call evaluate_after on all of them or on none"
    )]
    EarlierGradientsDiffer,
    /// Requests that differ from rank to rank.
    #[error(
        "ranks 0 and {rank} ask for sums of different {setting}; give all the same request but for device and memory limit"
    )]
    RequestsDiffer {
        /// First rank whose request differs from that of rank 0.
        rank: usize,
        /// First setting in which it does.
        setting: Setting,
    },
    /// A plan on a GPU whose points were given up for others, which were refused or whose tree was not finished.
    #[error(
        "the plan has no points since others took their place and were refused; call update_positions with points that fit, or make a plan"
    )]
    PointsLost,
    /// An evaluation of a plan on device memory before a step that it needs.
    #[error("the plan is evaluated without {}; call {step} before evaluate", step.makes())]
    StepMissing {
        /// Step that was left out.
        step: PlanStep,
    },
    /// Groups of a walk without receivers.
    #[error("groups of no receivers; a group capacity is 1 or more")]
    NoGroupCapacity,
    /// Calls of a plan that differ from rank to rank.
    #[error(
        "ranks make different calls of a plan; make the same ones in the same order on every rank, with data of the same precision"
    )]
    CallsDiffer,
    /// Charge vectors of different numbers.
    #[error("ranks give different numbers of charge vectors; give as many on every rank")]
    VectorsDiffer,
    /// One set of points on some ranks, two on others.
    #[error(
        "some ranks give receivers and some do not; give two sets on all ranks, empty ones where need be"
    )]
    SetsDiffer,
    /// The failure of a rank, the same on all ranks.
    #[error(transparent)]
    Rank(#[from] distributed::Fault),
    /// A failure of the communication.
    #[error(transparent)]
    Communication(#[from] distributed::Error),
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

impl Error {
    /// The error of an evaluation with a softening length, by which results get too small or are no numbers.
    pub(crate) fn softened_by(self, softening: f64) -> Self {
        match self {
            Self::ResultRange { output, exponent, precision, .. }
                if softening > 0.0 && (exponent < 0.0 || exponent.is_nan()) =>
            {
                Self::SofteningRange { softening, output, exponent, precision }
            }
            other => other,
        }
    }
}

fn amount(exponent: &f64, precision: &Precision) -> String {
    match exponent.is_finite() {
        true => format!("about 1e{exponent:.0}, beyond the range of {precision}"),
        false => "no number".to_owned(),
    }
}

fn cure(precision: &Precision) -> &'static str {
    match precision {
        Precision::F32 => ", or use f64",
        Precision::F64 => "",
    }
}
