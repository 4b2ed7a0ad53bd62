//! Steps of a plan on device memory.

use std::fmt;

/// Steps of a plan on device memory, which come before its evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PlanStep {
    /// `DevicePlan::build`, which makes the tree.
    Build,
    /// `DevicePlan::set_charges`.
    SetCharges,
}

impl PlanStep {
    /// Part of the plan that the step makes.
    pub(super) fn makes(self) -> &'static str {
        match self {
            Self::Build => "a tree of its points",
            Self::SetCharges => "charges of its sources",
        }
    }
}

impl fmt::Display for PlanStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Build => "build",
            Self::SetCharges => "set_charges",
        })
    }
}
