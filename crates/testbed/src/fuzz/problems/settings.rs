//! Settings of random plans.

use fmm::{Depth, Device, Fmm, M2l, Method, Opening, Outputs, Tolerance, Treecode};

use super::super::Dice;

/// Float type of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// Single precision.
    F32,
    /// Single precision, of positions in double precision.
    F32OfF64,
    /// Double precision.
    F64,
}

/// Settings of a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The method.
    pub method: Method,
    /// The treecode's opening criterion, if it is set.
    pub opening: Option<Opening>,
    /// The form of M2L, if it is set.
    pub m2l: Option<M2l>,
    /// The accuracy asked for.
    pub tolerance: Tolerance,
    /// The float type.
    pub precision: Precision,
    /// The outputs.
    pub outputs: Outputs,
    /// Plummer softening.
    pub softening: f64,
    /// Depth set by hand.
    pub depth: Option<Depth>,
    /// The device.
    pub device: Device,
    /// Number of charge vectors that are evaluated at once: the first is the problem's, the others are its negative.
    pub vectors: usize,
}

impl Settings {
    /// The builder with these settings.
    pub fn fmm(&self) -> Fmm {
        let method = match (self.method, self.opening) {
            (Method::Treecode(_), Some(opening)) => Treecode::new().opening(opening).into(),
            (method, _) => method,
        };
        let fmm = Fmm::new().method(method).tolerance(self.tolerance).outputs(self.outputs);
        let fmm = fmm.softening(self.softening).device(self.device).vectors(self.vectors);
        let fmm = self.depth.map_or(fmm, |depth| fmm.depth(depth));
        self.m2l.map_or(fmm, |form| fmm.m2l(form))
    }
}

/// Random settings; softening is a share of the points' extent, which is not known here.
pub(super) fn random(dice: &mut Dice) -> Settings {
    let precision = match dice.below(100) {
        0..20 => Precision::F32,
        20..30 => Precision::F32OfF64,
        _ => Precision::F64,
    };
    let treecode = Method::Treecode(Treecode::new());
    let method = dice.pick(&[Method::Auto, Method::Direct, treecode, Method::Fmm, Method::Fmm]);
    let device = match dice.below(200) {
        0 => Device::Emulated,
        1 => Device::EmulatedHybrid,
        _ => Device::Cpu,
    };
    Settings {
        method,
        opening: (method == treecode && dice.chance(20)).then(|| opening(dice)),
        m2l: (method == Method::Fmm && dice.chance(15))
            .then(|| dice.pick(&[M2l::Dense, M2l::Rotation, M2l::PlaneWaves])),
        tolerance: tolerance(dice, precision),
        precision,
        outputs: dice.pick(&[
            Outputs::PotentialAndGradient,
            Outputs::PotentialAndGradient,
            Outputs::Potential,
            Outputs::Gradient,
        ]),
        softening: if dice.chance(12) { dice.magnitude(-6.0, 1.0) } else { 0.0 },
        depth: dice.chance(20).then(|| depth(dice)),
        device,
        vectors: if dice.chance(10) { 2 + dice.below(3) } else { 1 },
    }
}

fn opening(dice: &mut Dice) -> Opening {
    match dice.below(4) {
        0 => Opening::Neighbours,
        1 => Opening::BarnesHut { theta: dice.between(0.1, 1.2) },
        2 => Opening::Nakasato { theta: dice.between(0.1, 1.2) },
        _ => Opening::Relative { alpha: dice.magnitude(-6.0, 0.0) },
    }
}

fn tolerance(dice: &mut Dice, precision: Precision) -> Tolerance {
    let smallest = if precision == Precision::F64 { -13.0 } else { -5.69 };
    let value = dice.magnitude(smallest, -1.0);
    match dice.below(12) {
        0 => Tolerance::Guaranteed(value.max(1e-9)),
        1 => Tolerance::Order(1 + dice.below(20)),
        _ => Tolerance::L2(value),
    }
}

fn depth(dice: &mut Dice) -> Depth {
    match dice.below(3) {
        0 => Depth::Uniform(dice.below(6) as u8),
        1 => Depth::Adaptive { leaf_capacity: 1 + dice.below(200) },
        _ => {
            Depth::AdaptiveTo { leaf_capacity: 1 + dice.below(20), max_level: dice.below(22) as u8 }
        }
    }
}
