//! The operators' tables for one order.

use expansions::operators::{L2l, M2l, M2lForm, M2m};
use expansions::{Gradient, Harmonics};

use crate::Scalar;

/// Everything that depends on the order and nothing else.
#[derive(Clone, Debug)]
pub(crate) struct Operators<T> {
    pub(crate) harmonics: Harmonics<T>,
    /// Of one order more, for the gradient of multipoles.
    pub(crate) harmonics_above: Harmonics<T>,
    pub(crate) gradient: Gradient<T>,
    pub(crate) m2m: M2m<T>,
    pub(crate) m2l: M2l<T>,
    pub(crate) l2l: L2l<T>,
}

impl<T: Scalar> Operators<T> {
    /// Makes the tables. Cost: about 60 p³ numbers for M2L.
    pub(crate) fn new(order: usize) -> Self {
        Self {
            harmonics: Harmonics::new(order),
            harmonics_above: Harmonics::new(order + 1),
            gradient: Gradient::new(order + 1),
            m2m: M2m::new(order),
            m2l: M2l::new(order, M2lForm::fastest(order)),
            l2l: L2l::new(order),
        }
    }

    pub(crate) fn order(&self) -> usize {
        self.harmonics.order()
    }
}
