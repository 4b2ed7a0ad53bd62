//! M2L pair by pair, by dense matrices or by rotation and coaxial translation.

use alloc::collections::BTreeMap;
use alloc::sync::Arc;
use alloc::vec;
use alloc::vec::Vec;

use super::FarOffset;
use crate::Scalar;
use crate::coaxial::{CoaxialTranslation, Kind};
use crate::rotation::{PolarRotation, Wigner};
use crate::translation::{RowPair, Translation, translate};

/// Form of the M2L of one pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum M2lForm {
    /// Dense matrices, one for each of the 316 offsets: p⁴ multiply-adds a pair.
    Dense,
    /// Rotation, translation along z, rotation back: 2p³.
    Rotation,
}

impl M2lForm {
    /// The faster form at an order.
    pub fn fastest(order: usize) -> Self {
        if order <= 5 { Self::Dense } else { Self::Rotation }
    }

    /// Numbers that the tables of an order take, about: those of rotations are shared by many offsets, and the fit is to what
    /// [`M2l::bytes`] finds.
    pub const fn table_numbers(self, order: usize) -> usize {
        match self {
            Self::Dense => FarOffset::COUNT * order.pow(4),
            Self::Rotation => 46 * order.pow(3) + 1500 * order + 1500,
        }
    }
}

/// Translations over the 316 offsets between boxes of one level that are far from each other but
/// whose parents are near (the E4 neighbourhood, list V).
///
/// Yokota & Barba, eq. 4; Greengard & Rokhlin (1997). Tables of the rotation form share the polar
/// rotation among offsets of one latitude and the coaxial matrices among those of one length.
#[derive(Clone, Debug)]
pub struct M2l<T> {
    order: usize,
    form: M2lForm,
    /// Index in `translations`, by the offset's slot; unused at the 27 near ones.
    slots: Vec<u16>,
    translations: Vec<Translation<T>>,
}

impl<T: Scalar> M2l<T> {
    /// Tables for expansions of order `order`.
    pub fn new(order: usize, form: M2lForm) -> Self {
        let wigner = Wigner::new(order);
        let mut polar = BTreeMap::<(i32, i32), Arc<PolarRotation<T>>>::new();
        let mut coaxial = BTreeMap::<i32, Arc<CoaxialTranslation<T>>>::new();
        let mut slots = vec![0; 343];
        let mut translations = Vec::with_capacity(FarOffset::COUNT);
        for offset in FarOffset::all() {
            // The way leads from the source to the receiver.
            let [x, y, z] = offset.components().map(|c| -i32::from(c));
            let (across2, length2) = (x * x + y * y, x * x + y * y + z * z);
            let polar = polar.entry((across2, z)).or_insert_with(|| {
                let across = num_traits::Float::sqrt(f64::from(across2));
                let theta = num_traits::Float::atan2(across, f64::from(z));
                Arc::new(PolarRotation::new(&wigner, theta))
            });
            let coaxial = coaxial.entry(length2).or_insert_with(|| {
                let distance = num_traits::Float::sqrt(f64::from(length2));
                Arc::new(CoaxialTranslation::new(order, Kind::M2l, distance))
            });
            let phi = num_traits::Float::atan2(f64::from(y), f64::from(x));
            let rotated = Translation::rotated(order, phi, polar.clone(), coaxial.clone());
            slots[offset.slot()] = translations.len() as u16;
            translations.push(match form {
                M2lForm::Dense => rotated.to_dense(order),
                M2lForm::Rotation => rotated,
            });
        }
        Self { order, form, slots, translations }
    }
}

impl<T: Scalar> M2l<T> {
    /// Order of the expansions.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Memory of the tables, in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.slots.as_slice()) + Translation::bytes(&self.translations)
    }

    /// The form in use.
    pub fn form(&self) -> M2lForm {
        self.form
    }

    /// Adds to local expansions the multipoles of far boxes. Each batch is an offset and the rows
    /// `[multipole, local]` of the pairs with that offset; no row `local` comes twice in a batch.
    pub fn apply<'p>(
        &self,
        batches: impl Iterator<Item = (FarOffset, &'p [RowPair])>,
        multipoles: &[T],
        locals: &mut [T],
    ) {
        let translation =
            |offset: FarOffset| &self.translations[self.slots[offset.slot()] as usize];
        let batches = batches.map(|(offset, pairs)| (translation(offset), pairs));
        translate(self.order, batches, multipoles, locals);
    }
}
