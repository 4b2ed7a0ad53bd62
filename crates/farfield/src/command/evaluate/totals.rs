//! Totals of a set whose receivers are its sources: net charge and potential energy.

use distributed::{Communicator, Error, all_gather};
use fmm::{Field, Scalar};

/// Net charge Σ q and potential energy ½ Σ q Φ, in the units of the file and without a constant such as G.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Totals {
    pub(crate) net_charge: f64,
    pub(crate) potential_energy: f64,
}

impl Totals {
    /// Totals of charges with the field at their places; `None` where the field has no potential.
    ///
    /// Cost: one pass. The rounding of the sums is that of f64 relative to the sums of magnitudes, for any number of charges.
    pub(super) fn of<T: Scalar>(charges: &[f64], field: &Field<T>) -> Option<Self> {
        let potential = &field.potential;
        let terms = charges.iter().zip(potential).map(|(charge, phi)| charge * phi.widen());
        (potential.len() == charges.len()).then(|| Self {
            net_charge: sum(charges.iter().copied()),
            potential_energy: 0.5 * sum(terms),
        })
    }

    /// Totals of all ranks from those of each. Collective.
    pub(super) fn over(self, ranks: &dyn Communicator) -> Result<Self, Error> {
        let all = all_gather(ranks, &[self.net_charge, self.potential_energy])?;
        let total = |k: usize| sum(all.iter().map(|of_rank| of_rank[k]));
        Ok(Self { net_charge: total(0), potential_energy: total(1) })
    }
}

/// Sum with a compensation term (Neumaier 1974).
fn sum(terms: impl Iterator<Item = f64>) -> f64 {
    let (mut total, mut compensation) = (0.0f64, 0.0);
    for term in terms {
        let next = total + term;
        compensation += match total.abs() >= term.abs() {
            true => (total - next) + term,
            false => (term - next) + total,
        };
        total = next;
    }
    // A sum beyond the range has no compensation.
    if total.is_finite() { total + compensation } else { total }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(potential: Vec<f32>) -> Field<f32> {
        Field { potential, ..Field::default() }
    }

    #[test]
    fn charges_that_cancel_keep_their_digits() {
        let charges = [1e16, 1.0, 1.0, -1e16];
        let totals = Totals::of(&charges, &field(vec![0.0, 2.0, -6.0, 0.0]));
        assert_eq!(totals, Some(Totals { net_charge: 2.0, potential_energy: -2.0 }));
        assert_eq!(Totals::of(&charges, &field(Vec::new())), None);
        let beyond = Totals::of(&[1e308, 1e308], &field(vec![1.0, 1.0]));
        assert_eq!(beyond.map(|totals| totals.net_charge), Some(f64::INFINITY));
    }
}
