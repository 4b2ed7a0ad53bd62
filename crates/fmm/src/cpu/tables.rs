//! Tables of the operators for one order.

use std::sync::OnceLock;

use expansions::operators::{L2l, M2l, M2lForm, M2m, M2pTables, Waves};
use expansions::{Gradient, Harmonics};

use crate::choose::wave_error;
use crate::engine::Scalar;

/// Tables that depend on the order and on no points.
#[derive(Clone, Debug)]
pub(crate) struct Tables<T> {
    pub(crate) harmonics: Harmonics<T>,
    pub(crate) m2p: M2pTables<T>,
    m2m: OnceLock<M2m<T>>,
    /// Tables of M2L by dense matrices, and by rotation.
    m2l: [OnceLock<M2l<T>>; 2],
    waves: OnceLock<Waves<T>>,
    l2l: OnceLock<L2l<T>>,
}

impl<T: Scalar> Tables<T> {
    /// Makes the tables for points and expansions; those for translations are made when first used.
    pub(crate) fn new(order: usize) -> Self {
        Self {
            harmonics: Harmonics::new(order),
            m2p: M2pTables::new(order),
            m2m: OnceLock::new(),
            m2l: [OnceLock::new(), OnceLock::new()],
            waves: OnceLock::new(),
            l2l: OnceLock::new(),
        }
    }

    /// Memory of the tables made so far, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let m2l: usize = self.m2l.iter().filter_map(OnceLock::get).map(M2l::bytes).sum();
        self.harmonics.bytes()
            + self.m2p.bytes()
            + self.m2m.get().map_or(0, M2m::bytes)
            + m2l
            + self.waves.get().map_or(0, Waves::bytes)
            + self.l2l.get().map_or(0, L2l::bytes)
    }

    pub(crate) fn order(&self) -> usize {
        self.harmonics.order()
    }

    pub(crate) fn gradient(&self) -> &Gradient<T> {
        self.m2p.gradient()
    }

    pub(crate) fn m2m(&self) -> &M2m<T> {
        self.m2m.get_or_init(|| M2m::new(self.order()))
    }

    /// Tables of M2L pair by pair. Their size is [`M2lForm::table_numbers`].
    pub(crate) fn m2l(&self, form: M2lForm) -> &M2l<T> {
        self.m2l[form as usize].get_or_init(|| M2l::new(self.order(), form))
    }

    /// Tables of M2L by plane waves. Their size is [`Waves::table_numbers`].
    pub(crate) fn waves(&self) -> &Waves<T> {
        self.waves.get_or_init(|| Waves::new(self.order(), wave_error(self.order())))
    }

    pub(crate) fn l2l(&self) -> &L2l<T> {
        self.l2l.get_or_init(|| L2l::new(self.order()))
    }
}
