//! The gravity of particles as a request, shared by the forces of host and device.

use fmm::{Error, Fmm, Output, Outputs, Precision};

/// Request, masses and units of a gravity.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "gpu"), expect(dead_code, reason = "devices alone read it"))]
pub(crate) struct Pull {
    /// Request of the sums, with the softening in the unit of the positions.
    pub(crate) fmm: Fmm,
    /// Masses over their sum.
    pub(crate) shares: Vec<f64>,
    pub(crate) mass: f64,
    pub(crate) constant: f64,
}

/// The request of sums of positions in a unit, in which its softening is.
pub(crate) fn request_in(fmm: Fmm, unit: f64, outputs: Outputs) -> Fmm {
    fmm.softening(fmm.softening_length() / unit).outputs(outputs)
}

/// The error of a result that is no number in the system's units.
pub(crate) fn no_number(output: Output, index: usize) -> Error {
    Error::ResultRange { vector: 0, index, output, exponent: f64::NAN, precision: Precision::F64 }
}

/// The larger excess over a tolerance. One that is no number is the largest.
pub(crate) fn larger(excess: Option<f64>, found: Option<f64>) -> Option<f64> {
    match (excess, found) {
        (Some(a), Some(b)) if a >= b => Some(a),
        (excess, found) => found.or(excess),
    }
}
