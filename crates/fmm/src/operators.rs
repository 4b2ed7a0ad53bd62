//! The operators' tables for one order.

use std::sync::OnceLock;

use expansions::operators::{L2l, M2l, M2lForm, M2m, Waves};
use expansions::order::{FarField, Quantity, Signs, expected_error};
use expansions::{Gradient, Harmonics};

use crate::Scalar;

/// Everything that depends on the order and nothing else.
#[derive(Clone, Debug)]
pub(crate) struct Operators<T> {
    pub(crate) harmonics: Harmonics<T>,
    /// Of one order more, for the gradient of multipoles.
    pub(crate) harmonics_above: Harmonics<T>,
    pub(crate) gradient: Gradient<T>,
    m2m: OnceLock<M2m<T>>,
    m2l: OnceLock<M2l<T>>,
    waves: OnceLock<Waves<T>>,
    l2l: OnceLock<L2l<T>>,
}

/// The error of the waves, in units of the relative error expected of the order, that leaves the whole error as it is
/// with rotation. From order 20 on that is larger: waves have few angular orders, and those that they have not are
/// where rotation has most of its error.
fn wave_share(order: usize) -> f64 {
    if order < 20 { 0.6 } else { 2.0 }
}

impl<T: Scalar> Operators<T> {
    /// Makes the tables for points and expansions; those for translations are made when first used.
    pub(crate) fn new(order: usize) -> Self {
        Self {
            harmonics: Harmonics::new(order),
            harmonics_above: Harmonics::new(order + 1),
            gradient: Gradient::new(order + 1),
            m2m: OnceLock::new(),
            m2l: OnceLock::new(),
            waves: OnceLock::new(),
            l2l: OnceLock::new(),
        }
    }

    pub(crate) fn order(&self) -> usize {
        self.harmonics.order()
    }

    pub(crate) fn m2m(&self) -> &M2m<T> {
        self.m2m.get_or_init(|| M2m::new(self.order()))
    }

    /// Cost of the tables: about 60 p³ numbers.
    pub(crate) fn m2l(&self) -> &M2l<T> {
        self.m2l.get_or_init(|| M2l::new(self.order(), M2lForm::fastest(self.order())))
    }

    /// Cost of the tables: about 15 p³ numbers.
    pub(crate) fn waves(&self) -> &Waves<T> {
        self.waves.get_or_init(|| {
            let order = self.order();
            let error =
                expected_error(order, Quantity::Potential, Signs::Mixed, FarField::Translations);
            Waves::new(order, wave_share(order) * error)
        })
    }

    pub(crate) fn l2l(&self) -> &L2l<T> {
        self.l2l.get_or_init(|| L2l::new(self.order()))
    }
}
