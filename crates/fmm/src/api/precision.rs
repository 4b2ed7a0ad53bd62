//! Precisions: float types of sums.

use std::fmt;
use std::ops::Range;

/// Float type of positions, charges and results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Precision {
    /// Floats of 32 bits.
    F32,
    /// Floats of 64 bits.
    #[default]
    F64,
}

impl Precision {
    /// Bytes of a number.
    pub const fn bytes(self) -> usize {
        match self {
            Self::F32 => size_of::<f32>(),
            Self::F64 => size_of::<f64>(),
        }
    }

    /// Largest relative error of a number that is rounded to this precision.
    pub const fn unit_roundoff(self) -> f64 {
        match self {
            Self::F32 => 0.5 * f32::EPSILON as f64,
            Self::F64 => 0.5 * f64::EPSILON,
        }
    }

    /// Binary exponents between which numbers have all their digits.
    pub(crate) fn normal_exponents(self) -> Range<f64> {
        match self {
            Self::F32 => f64::from(f32::MIN_EXP - 1)..f64::from(f32::MAX_EXP),
            Self::F64 => f64::from(f64::MIN_EXP - 1)..f64::from(f64::MAX_EXP),
        }
    }
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        })
    }
}
