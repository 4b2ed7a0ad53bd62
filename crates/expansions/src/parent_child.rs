//! Parent-child translations: the eight between a box and its children.

use alloc::sync::Arc;
use alloc::vec::Vec;

use lanes::Real;

use crate::coaxial::{CoaxialTranslation, Kind};
use crate::rotation::{PolarRotation, Wigner};
use crate::translation::{RowPair, Translation};

/// One translation an octant; bit 0 of its number is the upper half in x, bit 1 in y, bit 2 in z.
#[derive(Clone, Debug)]
pub(crate) struct ParentChild<T> {
    order: usize,
    translations: Vec<Translation<T>>,
}

impl<T: Real> ParentChild<T> {
    pub(crate) fn new(order: usize, kind: Kind) -> Self {
        // A child's centre lies a quarter of the parent's side from its parent's along each axis.
        let distance = num_traits::Float::sqrt(3.0_f64) / 4.0;
        let coaxial = Arc::new(CoaxialTranslation::new(order, kind, distance));
        let wigner = Wigner::new(order);
        let polar = |upper: bool| {
            let cosine = if upper { 1.0 } else { -1.0 } / num_traits::Float::sqrt(3.0_f64);
            Arc::new(PolarRotation::new(&wigner, num_traits::Float::acos(cosine)))
        };
        let polar = [polar(false), polar(true)];
        let translations = (0..8)
            .map(|octant: usize| {
                let side = |bit: usize| if octant >> bit & 1 == 1 { 1.0 } else { -1.0 };
                let phi = num_traits::Float::atan2(side(1), side(0));
                Translation::rotated(order, phi, polar[octant >> 2].clone(), coaxial.clone())
            })
            .collect();
        Self { order, translations }
    }

    /// Numbers that the tables of an order take, about: a fit to what [`bytes`](Self::bytes) finds.
    pub(crate) const fn table_numbers(order: usize) -> usize {
        33 * order.pow(3) / 20 + 50 * order
    }

    /// Memory in bytes.
    pub(crate) fn bytes(&self) -> usize {
        Translation::bytes(&self.translations)
    }

    pub(crate) fn order(&self) -> usize {
        self.order
    }

    pub(crate) fn batches<'a>(
        &'a self,
        pairs: &'a [Vec<RowPair>; 8],
    ) -> impl Iterator<Item = (&'a Translation<T>, &'a [RowPair])> {
        self.translations.iter().zip(pairs.iter().map(Vec::as_slice))
    }
}
