//! The form of M2L: by plane waves, by rotation or by dense matrices.

use super::Chooser;
use super::abilities::Abilities;
use super::errors::FarField;
use super::points::TreeStatistics;
use crate::api::M2l;

impl Chooser {
    /// The largest order with kernels for a form of M2L.
    pub(super) fn largest_order(&self, far: FarField) -> usize {
        let Abilities { largest_order, largest_pairwise, .. } = self.abilities;
        match far {
            FarField::Waves => largest_order,
            FarField::Translations => largest_order.min(largest_pairwise),
        }
    }

    /// The form of M2L for which leaves are made: by plane waves where they may be used.
    pub(super) fn usual_far_field(&self) -> FarField {
        match self.request.m2l {
            Some(form) => form.into(),
            None if self.accuracy.is_proven() => FarField::Translations,
            None if self.abilities.m2l.contains(&M2l::PlaneWaves) => FarField::Waves,
            None => FarField::Translations,
        }
    }

    /// The faster form of M2L at an order on a tree that stands.
    pub(super) fn faster_far_field(&self, tree: &TreeStatistics, order: usize) -> FarField {
        let usual = self.usual_far_field();
        if self.request.m2l.is_some() || usual == FarField::Translations {
            return usual;
        }
        if order > self.abilities.largest_pairwise {
            return FarField::Waves;
        }
        let (pairs, boxes) = (tree.far_pairs as f64, tree.far_boxes as f64);
        let waves = self.costs.waves_of_tree(order, boxes, tree.families as f64);
        match waves < self.costs.translations_of_tree(order, pairs, boxes) {
            true => FarField::Waves,
            false => FarField::Translations,
        }
    }

    /// The form of M2L at an order: the one asked for, or the faster of those pair by pair.
    pub(super) fn form(&self, order: usize, far: FarField) -> M2l {
        let dense = order <= self.abilities.largest_fast_dense;
        match (far, self.request.m2l) {
            (FarField::Waves, _) => M2l::PlaneWaves,
            (FarField::Translations, Some(form)) => form,
            (FarField::Translations, None) if dense => M2l::Dense,
            (FarField::Translations, None) => M2l::Rotation,
        }
    }
}
