//! Settings by name, for the ranks of a sum, whose requests have to agree.

use std::fmt;

/// Settings of [`Fmm`](crate::Fmm) that all ranks of a sum share.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Setting {
    /// Float type of the plan.
    Precision,
    /// [`Fmm::tolerance`](crate::Fmm::tolerance).
    Tolerance,
    /// [`Fmm::method`](crate::Fmm::method).
    Method,
    /// [`Fmm::outputs`](crate::Fmm::outputs).
    Outputs,
    /// [`Fmm::m2l`](crate::Fmm::m2l).
    M2l,
    /// [`Fmm::depth`](crate::Fmm::depth).
    Depth,
    /// [`Fmm::softening`](crate::Fmm::softening).
    Softening,
    /// [`Fmm::vectors`](crate::Fmm::vectors).
    Vectors,
    /// [`Fmm::imbalance_limit`](crate::Fmm::imbalance_limit).
    ImbalanceLimit,
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Precision => "precision",
            Self::Tolerance => "tolerance",
            Self::Method => "method",
            Self::Outputs => "outputs",
            Self::M2l => "form of M2L",
            Self::Depth => "depth",
            Self::Softening => "softening",
            Self::Vectors => "number of vectors",
            Self::ImbalanceLimit => "imbalance limit",
        })
    }
}
