//! What the user can choose.

use std::fmt;
use std::str::FromStr;

/// How the sum is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Method {
    /// [`Method::Direct`] or [`Method::Fmm`], the faster for the points at hand.
    #[default]
    Auto,
    /// Every pair: O(N·M), exact to rounding.
    Direct,
    /// The treecode: O(M log N), to the tolerance or by an [`Opening`](crate::Opening) criterion.
    Treecode,
    /// The fast multipole method: O(N + M), to the tolerance.
    Fmm,
}

impl Method {
    /// All of them, with the names that the command and reports use.
    const NAMES: [(Self, &'static str); 4] = [
        (Self::Auto, "auto"),
        (Self::Direct, "direct"),
        (Self::Treecode, "treecode"),
        (Self::Fmm, "fmm"),
    ];

    /// The method's name.
    pub fn name(self) -> &'static str {
        Self::NAMES.into_iter().find(|(method, _)| *method == self).map_or("", |(_, name)| name)
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A name that is none of a method's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no method '{0}'; choose auto, direct, treecode or fmm")]
pub struct UnknownMethod(String);

impl FromStr for Method {
    type Err = UnknownMethod;

    fn from_str(text: &str) -> Result<Self, UnknownMethod> {
        let named = Self::NAMES.into_iter().find(|(_, name)| *name == text);
        named.map(|(method, _)| method).ok_or_else(|| UnknownMethod(text.to_owned()))
    }
}

/// What is computed at the receivers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Outputs {
    /// Φ only.
    Potential,
    /// Φ and ∇Φ.
    #[default]
    PotentialAndGradient,
}

/// How accurate the result has to be.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Tolerance {
    /// The relative L2 error, over all receivers, of each output asked for: ‖Φ − Φ*‖₂ ≤ ε ‖Φ*‖₂ and
    /// ‖∇Φ − ∇Φ*‖₂ ≤ ε ‖∇Φ*‖₂. A statistical promise, from measurements over many sets of points.
    ///
    /// Where few charges outweigh the others, those are summed directly. Where most receivers have no
    /// source in their leaf, an evaluation is checked against the direct sum at 256 receivers and
    /// repeated at a higher order until it keeps ε; what no order reaches is summed directly, and the
    /// [`Report`](crate::Report) says so.
    ///
    /// It is relative to the sum. Where all receivers lie where the sum nearly cancels, such as at the
    /// centre of a cluster, with sources near, the error can exceed ε as much as the terms exceed their
    /// sum: check with [`Plan::sample_error`](crate::Plan::sample_error), and ask for more.
    L2(f64),
    /// Expansions of this order, that is of the degrees 0 … p − 1.
    Order(usize),
    /// A proven bound on the potential at every receiver: |Φ − Φ*| ≤ ε Σ_j |q_j| / |x − y_j|, but for
    /// rounding. The proof covers charges that conspire, so it takes about five times the order of
    /// [`Tolerance::L2`], and nothing below 1.2e-5 can be had. Far pairs are not softened.
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
