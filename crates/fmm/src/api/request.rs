//! A request: everything that the builder collects.

use octree::Depth;

use super::device::Device;
use super::error::Error;
use super::opening::Opening;
use super::options::{M2l, Method, Outputs, Tolerance, Treecode};
use super::settings::Setting;

/// Settings of a plan, checked by [`Request::check`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Request {
    pub(crate) tolerance: Tolerance,
    pub(crate) method: Method,
    pub(crate) outputs: Outputs,
    /// Form of M2L, where it is set by hand.
    pub(crate) m2l: Option<M2l>,
    /// Depth of the tree, where it is set by hand.
    pub(crate) depth: Option<Depth>,
    /// Plummer softening, in the caller's unit of length.
    pub(crate) softening: f64,
    /// Charge vectors that will be evaluated at once; a hint.
    pub(crate) vectors: usize,
    pub(crate) device: Device,
    /// Bytes that plan and evaluation may take; what the machine has available if not set.
    pub(crate) memory_limit: Option<usize>,
    /// Imbalance of work above which ranks are cut anew.
    pub(crate) imbalance_limit: f64,
}

impl Default for Request {
    fn default() -> Self {
        Self {
            tolerance: Tolerance::default(),
            method: Method::default(),
            outputs: Outputs::default(),
            m2l: None,
            depth: None,
            softening: 0.0,
            vectors: 1,
            device: Device::default(),
            memory_limit: None,
            imbalance_limit: Self::IMBALANCE_LIMIT,
        }
    }
}

impl Request {
    /// Imbalance of work that ranks may have: the spread of measured times of equal work is about as large.
    pub(crate) const IMBALANCE_LIMIT: f64 = 0.05;

    /// The settings that all ranks share, and the precision of their plans, each with a text that tells its value.
    pub(crate) fn shared_settings(&self, precision: &str) -> [(Setting, String); 9] {
        let Self {
            tolerance,
            method,
            outputs,
            m2l,
            depth,
            softening,
            vectors,
            imbalance_limit,
            device: _,
            memory_limit: _,
        } = self;
        [
            (Setting::Precision, precision.to_owned()),
            (Setting::Tolerance, format!("{tolerance:?}")),
            (Setting::Method, format!("{method:?}")),
            (Setting::Outputs, format!("{outputs:?}")),
            (Setting::M2l, format!("{m2l:?}")),
            (Setting::Depth, format!("{depth:?}")),
            (Setting::Softening, format!("{softening:?}")),
            (Setting::Vectors, format!("{vectors}")),
            (Setting::ImbalanceLimit, format!("{imbalance_limit:?}")),
        ]
    }

    /// Refuses numbers that make no sense, whatever the device.
    pub(crate) fn check(&self) -> Result<(), Error> {
        let softening = self.softening;
        if !(softening >= 0.0 && softening.is_finite()) {
            return Err(Error::Softening { softening });
        }
        let limit = self.imbalance_limit;
        if limit.is_nan() || limit < 0.0 {
            return Err(Error::ImbalanceLimit { limit });
        }
        if self.m2l.is_some() && self.method != Method::Fmm {
            return Err(Error::M2lUnused);
        }
        if self.treecode().and_then(Treecode::asked_group_capacity) == Some(0) {
            return Err(Error::NoGroupCapacity);
        }
        match self.treecode().and_then(Treecode::asked_opening).and_then(Opening::parameter) {
            Some(parameter) if !(parameter > 0.0 && parameter.is_finite()) => {
                Err(Error::Opening { parameter })
            }
            _ => Ok(()),
        }
    }

    /// The treecode's options, where the treecode is asked for.
    pub(crate) fn treecode(&self) -> Option<Treecode> {
        match self.method {
            Method::Treecode(options) => Some(options),
            _ => None,
        }
    }

    /// Whether the error to keep is relative to the result, so that it has to hold for any charges.
    pub(crate) fn is_relative(&self) -> bool {
        matches!(self.tolerance, Tolerance::L2(_))
    }

    /// Whether leaves or groups of a walk are set by hand, and may be smaller than those of the error tables.
    pub(crate) fn walks_by_hand(&self) -> bool {
        let group = self.treecode().and_then(Treecode::asked_group_capacity);
        self.depth.is_some() || group.is_some()
    }
}
