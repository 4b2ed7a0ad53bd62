//! Options of a sum: method, outputs, tolerance.

use std::fmt;
use std::str::FromStr;

use octree::walk::Criterion;

use super::opening::Opening;

/// Method by which the sum is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Method {
    /// The fastest of the others for the points and the tolerance at hand, by a model of the cost.
    #[default]
    Auto,
    /// Every pair: O(N·M). 1/r has the digits that the tolerance asks for, or all with [`Tolerance::Order`] and for the
    /// smallest tolerances: references take one of these.
    Direct,
    /// The treecode: O(M log N), to the tolerance or by an [`Opening`] criterion.
    Treecode(Treecode),
    /// The fast multipole method: O(N + M), to the tolerance.
    Fmm,
}

/// Options of the treecode.
///
/// ```
/// use fmm::{Fmm, Method, Opening, Tolerance, Treecode};
///
/// // Barnes and Hut's monopoles, as in many N-body codes.
/// let options = Treecode::new().opening(Opening::BarnesHut { theta: 0.5 });
/// let fmm = Fmm::new().method(Method::Treecode(options)).tolerance(Tolerance::Order(1));
/// # let _ = fmm;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[must_use]
pub struct Treecode {
    opening: Option<Opening>,
    group_capacity: Option<usize>,
}

impl Treecode {
    /// Criterion and groups for the tolerance.
    pub const fn new() -> Self {
        Self { opening: None, group_capacity: None }
    }

    /// The opening criterion; [`Opening::Nakasato`] with the θ of least cost for the tolerance if not set.
    /// With a criterion, the tolerance sets the order only: give
    /// [`Tolerance::Order`], 1 for monopoles, 3 for quadrupoles.
    pub const fn opening(self, opening: Opening) -> Self {
        Self { opening: Some(opening), ..self }
    }

    /// The largest number of receivers that walk the tree together, 1 or more. 1, with leaves of one point, is the
    /// walk of the papers: less accurate at the same criterion, and far slower. A bound: where a device ends at smaller groups,
    /// as a GPU does, these are made.
    pub const fn group_capacity(self, receivers: usize) -> Self {
        Self { group_capacity: Some(receivers), ..self }
    }

    /// The criterion that was set.
    pub(crate) fn asked_opening(self) -> Option<Opening> {
        self.opening
    }

    /// The criterion of walks that was set.
    pub(crate) fn asked_criterion(self) -> Option<Criterion> {
        self.opening.and_then(Opening::criterion)
    }

    /// The group size that was set.
    pub(crate) fn asked_group_capacity(self) -> Option<usize> {
        self.group_capacity
    }
}

impl From<Treecode> for Method {
    fn from(options: Treecode) -> Self {
        Self::Treecode(options)
    }
}

impl Method {
    /// The method's name in commands and reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Direct => "direct",
            Self::Treecode(_) => "treecode",
            Self::Fmm => "fmm",
        }
    }

    /// Whether this is the treecode, with any options.
    pub fn is_treecode(self) -> bool {
        matches!(self, Self::Treecode(_))
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Error of reading a name that is none of a method's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no method '{0}'; choose auto, direct, treecode or fmm")]
pub struct UnknownMethod(String);

impl FromStr for Method {
    type Err = UnknownMethod;

    fn from_str(text: &str) -> Result<Self, UnknownMethod> {
        let all = [Self::Auto, Self::Direct, Self::Treecode(Treecode::new()), Self::Fmm];
        let named = all.into_iter().find(|method| method.name() == text);
        named.ok_or_else(|| UnknownMethod(text.to_owned()))
    }
}

/// Form of M2L in the FMM: multipoles become local expansions of far boxes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum M2l {
    /// Dense matrices, one an offset: O(p⁴) a pair.
    Dense,
    /// Rotation, translation along z, rotation back: O(p³) a pair.
    Rotation,
    /// Plane waves, which all pairs of a box share: O(p²) a pair and O(p³) a box.
    PlaneWaves,
}

impl fmt::Display for M2l {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Dense => "dense",
            Self::Rotation => "rotation",
            Self::PlaneWaves => "plane waves",
        })
    }
}

/// Quantities that are computed at the receivers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Outputs {
    /// Φ only.
    Potential,
    /// ∇Φ only.
    Gradient,
    /// Φ and ∇Φ.
    #[default]
    PotentialAndGradient,
}

impl Outputs {
    /// Whether the potential is returned.
    pub fn has_potential(self) -> bool {
        self != Self::Gradient
    }

    /// Whether the gradient is returned.
    pub fn has_gradient(self) -> bool {
        self != Self::Potential
    }

    /// The outputs that are returned.
    pub(crate) fn each(self) -> impl Iterator<Item = Output> {
        let potential = self.has_potential().then_some(Output::Potential);
        potential.into_iter().chain(self.has_gradient().then_some(Output::Gradient))
    }
}

/// One output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Output {
    /// Φ
    Potential,
    /// ∇Φ
    Gradient,
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Potential => "potential",
            Self::Gradient => "gradient",
        })
    }
}

/// Accuracy that the result has to have.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Tolerance {
    /// The relative L2 error, over all receivers, of each output asked for: ‖Φ − Φ*‖₂ ≤ ε ‖Φ*‖₂ and
    /// ‖∇Φ − ∇Φ*‖₂ ≤ ε ‖∇Φ*‖₂. A statistical promise, from measurements over many sets of points.
    ///
    /// Each evaluation is checked against the direct sum at a few receivers, for a small share of its time, and repeated at a
    /// higher order and with more digits until it keeps ε; the last resort is the direct sum. Where none of this keeps ε,
    /// as where the sum cancels beyond the digits of the float type, [`Report::excess`](crate::Report::excess) says by how
    /// much. Charges that outweigh the others are summed directly.
    L2(f64),
    /// Expansions of this order p: p terms, of the degrees 0 … p − 1.
    Order(usize),
    /// A proven bound at every receiver for each output asked for, but for rounding: |Φ − Φ*| ≤ ε Σ_j |q_j| / |x − y_j| and
    /// |∇Φ − ∇Φ*| ≤ ε Σ_j |q_j| / |x − y_j|². The proof covers charges that conspire, so it takes about five times the
    /// order of [`Tolerance::L2`], and for the gradient some 20 orders more than for the potential. The error of a smaller ε
    /// names the smallest that can be had. Far pairs are not softened, which takes up to half of ε where there is softening.
    Guaranteed(f64),
}

impl Default for Tolerance {
    fn default() -> Self {
        Self::L2(1e-6)
    }
}

impl From<f64> for Tolerance {
    fn from(tolerance: f64) -> Self {
        Self::L2(tolerance)
    }
}
