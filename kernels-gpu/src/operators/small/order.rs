//! The order of an expansion in a kernel: a constant of the code, or an argument.

use super::constants::{CONSTANTS, MAX_ORDER};
use crate::device::{Real, View};

/// Order as kernels know it: P degrees, or with P = 0 as many as the argument says, up to [`MAX_ORDER`].
///
/// With P > 0 the compiler unrolls all loops over degrees: coefficients live in registers and constants in instructions.
/// With P = 0 loops stay, coefficients are in local memory and constants are loaded.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Order<T> {
    /// Number of degrees.
    pub degrees: u32,
    /// Buffer of the constants, read where P = 0.
    pub constants: View<T>,
}

/// [`Order`] in a kernel of P, whose expansions have N = P² numbers, or `MAX_ORDER²` if P = 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Degrees<T, const P: usize>(Order<T>);

/// Numbers of an expansion that the arrays of a kernel of P must hold.
pub(crate) const fn room(degrees: usize) -> usize {
    if degrees == 0 { MAX_ORDER * MAX_ORDER } else { degrees * degrees }
}

impl<T: Real> Order<T> {
    #[inline(always)]
    pub(crate) fn of<const P: usize>(self) -> Degrees<T, P> {
        Degrees(self)
    }
}

impl<T: Real, const P: usize> Degrees<T, P> {
    /// Number of degrees.
    #[inline(always)]
    pub(crate) fn count(self) -> usize {
        if P == 0 { self.0.degrees as usize } else { P }
    }

    /// Number of coefficients.
    #[inline(always)]
    pub(crate) fn coefficients(self) -> usize {
        self.count() * self.count()
    }

    /// The constant at a place that `constants` names.
    #[inline(always)]
    pub(crate) fn constant(self, place: usize) -> T {
        if P == 0 { self.0.constants.get(place) } else { T::from_f64(CONSTANTS[place]) }
    }
}
