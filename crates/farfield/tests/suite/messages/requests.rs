//! Messages of `fmm::Error` and of `octree::Error`, which it hands on.

use fmm::{Device, Error, M2l, PlanStep, Precision, Setting, Tolerance};
use octree::PointSet;

type Rows = Vec<(Error, &'static str)>;

/// Messages about points that sums do not serve.
fn of_points() -> Rows {
    vec![
        (
            Error::PairTooClose {
                set: PointSet::Sources,
                index: 7,
                other: [0.0, 0.25, -1e-110],
                distance: 2e-110,
                extent: 1.5,
            },
            "source 7 is 2e-110 from the point [0.0, 0.25, -1e-110], too near for sums in f64 over an extent of 1.5e0; give both one position, which leaves their pair out, or move one",
        ),
        (
            Error::SofteningTooLong { softening: 1e120, largest: 8.5e99 },
            "a softening length of 1e120 is too long for these points; give at most 8.5e99",
        ),
    ]
}

/// Messages about charges and accuracy.
fn of_charges_and_accuracy() -> Rows {
    vec![
        (
            Error::ChargeCount { vector: 1, found: 9, expected: 10 },
            "charge vector 1 has 9 charges for 10 sources; give one charge a source, in the order of the positions",
        ),
        (
            Error::ChargeNotFinite { vector: 0, index: 7, value: f64::NAN },
            "charge 7 of charge vector 0 is NaN; charges must be finite",
        ),
        (
            Error::ResultRange {
                vector: 0,
                index: 7,
                output: fmm::Output::Gradient,
                exponent: 40.2,
                precision: Precision::F32,
            },
            "the gradient at receiver 7 by charge vector 0 is about 1e40, beyond the range of f32; scale positions or charges, or use f64",
        ),
        (
            Error::SofteningRange {
                softening: 1e160,
                output: fmm::Output::Potential,
                exponent: f64::NAN,
                precision: Precision::F64,
            },
            "a softening length of 1e160 makes the potential no number; give a smaller one, or scale positions or charges",
        ),
        (
            Error::ToleranceOutOfReach {
                tolerance: 1e-9,
                smallest: 2e-6,
                precision: Precision::F32,
            },
            "a tolerance of 1e-9 cannot be reached with f32; ask for 2e-6 or more, or use f64",
        ),
        (
            Error::OrderOutOfReach { order: 99, largest: 54, precision: Precision::F64 },
            "an order of 99 is not supported with f64; choose 1 to 54",
        ),
        (
            Error::Tolerance { tolerance: 6.0 },
            "a tolerance of 6.0 is no relative error; ask for a number between 0 and 1, such as 1e-6",
        ),
        (
            Error::DepthUnproven,
            "with softening, a depth set by hand gives no guarantee; leave the depth to the plan, or ask for an L2 tolerance",
        ),
        (
            Error::NoGuarantee,
            "the treecode's walks give no guarantee; use Opening::Neighbours, the FMM or an L2 tolerance",
        ),
        (Error::NoGroupCapacity, "groups of no receivers; a group capacity is 1 or more"),
        (
            Error::Opening { parameter: -1e300 },
            "an opening parameter of -1e300 makes no sense; give a positive number, such as θ = 0.6 or α = 0.001",
        ),
        (
            Error::OpeningTooWide { tolerance: 1e-9, parameter: 1.5 },
            "no order reaches a tolerance of 1e-9 with an opening parameter of 1.5; give a smaller one, or leave the criterion to the tolerance",
        ),
        (
            Error::WalksOutOfReach { tolerance: 1e-10 },
            "the treecode's walks reach no tolerance of 1e-10 for these charges on this device; choose Opening::Neighbours, Method::Fmm or Method::Auto, or give a larger tolerance",
        ),
        (
            Error::Softening { softening: -1e300 },
            "a softening length of -1e300 makes no sense; give 0 or a positive length",
        ),
        (
            Error::ImbalanceLimit { limit: -1e300 },
            "an imbalance limit of -1e300 makes no sense; give 0 or more, such as 0.05",
        ),
    ]
}

/// Messages about positions, fields and M2L.
fn of_positions_and_fields() -> Rows {
    vec![
        (
            Error::PositionCount { set: PointSet::Receivers, found: 9, expected: 10 },
            "9 new receiver positions for a plan of 10; make a new plan",
        ),
        (Error::ReceiversMissing, "the plan has separate receivers; give (&sources, &receivers)"),
        (
            Error::ReceiversUnexpected,
            "the plan's receivers are its sources; give one set of positions",
        ),
        (
            Error::EarlierGradientSize { found: 9, expected: 10 },
            "the earlier gradient has 9 receivers and the plan 10; give one vector a receiver",
        ),
        (
            Error::EarlierGradientUnused,
            "the plan takes no earlier gradient; use evaluate_into, or plan a treecode with Opening::Relative",
        ),
        (
            Error::ChargesOfF64,
            "the plan's positions are f32 and the charges f64; plan by plan_f32 with positions in f64, or give charges in f32",
        ),
        (
            Error::PositionsOfF64,
            "the plan's positions are f32 and the new ones f64; plan by plan_f32 with positions in f64, or give positions in f32",
        ),
        (
            Error::M2lUnused,
            "only the FMM has M2L; set Method::Fmm, or leave the form of M2L to the plan",
        ),
        (
            Error::M2lForm { form: M2l::PlaneWaves },
            "M2L by plane waves is not to be had here; choose rotation, or leave the form of M2L to the plan",
        ),
        (
            Error::DenseOrder { order: 30, largest: 20 },
            "dense M2L ends at order 20, not 30; choose rotation, or a smaller order",
        ),
        (
            Error::FieldSize { found: 9, expected: 10 },
            "the field has 9 receivers and the plan 10; give the field that this plan computed",
        ),
    ]
}

/// Messages about devices.
fn of_devices() -> Rows {
    vec![
        (
            Error::DeviceNotBuilt { device: Device::Cuda(0) },
            "this build does not know the device cuda:0; build with the feature cuda, or choose cpu",
        ),
        (
            Error::DeviceMemory { needed: 90, free: 80 },
            "the plan takes about 90 bytes on the GPU, which has 80 bytes; use fewer points at once, larger leaves (Fmm::depth), f32 or Device::Cpu",
        ),
        (
            Error::MemoryLimit { needed: 2_500_000_000, limit: 1_000_000_000 },
            "the sum takes about 2.5 GB of memory and may take 1.0 GB; use fewer points or charge vectors at once, f32 or a larger tolerance, or raise the memory limit if there is more",
        ),
        (
            Error::TreecodeOnHybrid,
            "hybrid devices have no treecode; choose Method::Fmm, Device::Cuda or Device::Cpu",
        ),
        (
            Error::TreecodeOrder { order: 9, supported: &[1, 3, 4, 5] },
            "the device walks with the orders [1, 3, 4, 5] only, not 9; choose one of them, or Device::Cpu",
        ),
        (
            Error::TooManyPoints { found: 90, largest: 80 },
            "90 points, and the GPU's kernels number at most 80; split the receivers, or choose Device::Cpu",
        ),
        (
            Error::TooManyNearBoxes { found: 90, largest: 80 },
            "90 pairs of near boxes, and the GPU's kernels end at 80; choose Device::Cpu",
        ),
        (
            Error::StepMissing { step: PlanStep::Build },
            "the plan is evaluated without a tree of its points; call build before evaluate",
        ),
        (
            Error::PointsLost,
            "the plan has no points since others took their place and were refused; call update_positions with points that fit, or make a plan",
        ),
        (
            Error::OrderOnDevice { order: 30, largest: 16 },
            "it takes order 30, and the kernels of the device end at 16; ask for less accuracy, or choose Method::Auto or Device::Cpu",
        ),
    ]
}

/// Messages about ranks.
fn of_ranks() -> Rows {
    vec![
        (
            Error::WalkOverGpus,
            "over ranks with a GPU each the treecode goes on lists; choose Opening::Neighbours or leave the criterion to the plan, or choose Method::Fmm or Device::Cpu",
        ),
        (
            Error::EarlierGradientsDiffer,
            "some ranks give an earlier gradient and some do not; call evaluate_after on all of them or on none",
        ),
        (
            Error::RequestsDiffer { rank: 3, setting: Setting::Tolerance },
            "ranks 0 and 3 ask for sums of different tolerance; give all the same request but for device and memory limit",
        ),
        (
            Error::CallsDiffer,
            "ranks make different calls of a plan; make the same ones in the same order on every rank, with data of the same precision",
        ),
        (
            Error::VectorsDiffer,
            "ranks give different numbers of charge vectors; give as many on every rank",
        ),
        (
            Error::SetsDiffer,
            "some ranks give receivers and some do not; give two sets on all ranks, empty ones where need be",
        ),
    ]
}

#[test]
fn of_requests() {
    let all = [of_points(), of_charges_and_accuracy(), of_positions_and_fields()];
    let all = [all.concat(), of_devices(), of_ranks()].concat();
    let rows: Vec<_> = all.into_iter().map(|(error, text)| (error.to_string(), text)).collect();
    // Those of trees, of GPUs, of other ranks and of communication are handed on.
    super::check(&rows, &["../fmm/src/api/error.rs"], 4);
}

#[test]
fn of_trees() {
    use octree::Error;
    use octree::partition::RecordFault;

    let set = PointSet::Sources;
    let rows = [
        (Error::NoRanks, "a partition over 0 ranks owns nothing; give 1 rank or more"),
        (
            Error::NotACut { index: 3, cut: u64::MAX },
            "cut 3 of the partition, 0xffffffffffffffff, is out of order or inside a box of the deepest level; give ascending first codes of boxes from 0 to 2^63",
        ),
        (
            Error::NotATolerance { tolerance: -1.0 },
            "an imbalance of -1 is not a tolerance; give 0 or more",
        ),
        (
            Error::NotOwned { set, index: 7, owner: 2, rank: 1 },
            "source 7 belongs to rank 2, not to rank 1; send it to its owner first",
        ),
        (
            Error::WrongRecord {
                key: octree::Key::root(),
                rank: 2,
                reason: RecordFault::BelowLeaf,
            },
            "the record of Key(level 0, [0, 0, 0]) from rank 2 does not fit: its parent is a leaf; exchange halos of one partition",
        ),
        (
            Error::NotFinite { set, index: 7, position: [0.0, f64::NAN, 1e300] },
            "source 7 is at [0.0, NaN, 1e300]: a coordinate is not finite; repair or remove this point",
        ),
        (
            Error::TooLarge { magnitude: 1.5e308 },
            "a coordinate has magnitude 1.5e308; choose a larger unit of length (at most 2e307)",
        ),
        (Error::NoLeafCapacity, "a leaf capacity of 0 holds no point; give 1 or more"),
        (Error::TooDeep { level: 99 }, "level 99 is deeper than keys can name; give at most 21"),
        (
            Error::TooManyPoints { set, count: 5_000_000_000 },
            "5000000000 sources are more than 32-bit positions can name; split them over several trees",
        ),
        (
            Error::TooManyEntries { count: 5_000_000_000 },
            "5000000000 sources and boxes are more than 32-bit links can name; give a larger leaf capacity",
        ),
        (
            Error::NotAPermutation { index: 3, value: 4 },
            "the permutation has source 4 at 3, which does not exist or came before; give each source once",
        ),
        (
            Error::WrongLength { what: "charges", expected: 10, found: 9 },
            "9 values of charges for 10 points; give one a point",
        ),
        (
            Error::NotADistance { index: 3, radius: -1.0 },
            "radius -1 of receiver 3 is not a distance; give 0 or more",
        ),
        (
            Error::TooManyBoxes { count: 3_000_000_000 },
            "3000000000 boxes are more than 31-bit numbers can name; give a larger leaf capacity or a lower level",
        ),
    ];
    let texts = rows.map(|(error, text)| {
        assert_eq!(fmm::Error::from(error.clone()).to_string(), error.to_string());
        (error.to_string(), text)
    });
    super::check(&texts, &["../octree/src/error.rs"], 0);
}

#[test]
fn tolerances_beyond_f64_have_no_other_precision() {
    let request = fmm::Fmm::new().tolerance(Tolerance::L2(1e-30));
    let message = request.plan(&[[0.0_f64; 3]]).unwrap_err().to_string();
    assert!(
        message.starts_with("a tolerance of 1e-30 cannot be reached with f64; ask for "),
        "{message}"
    );
    assert!(message.ends_with("or more"), "{message}");
}
