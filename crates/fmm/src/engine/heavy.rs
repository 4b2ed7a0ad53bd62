//! Heavy charges: the few that outweigh all others act on every receiver by P2P.
//!
//! The tables of orders are made from errors of many charges of like size, which average over the
//! places that charges have in their boxes. A single charge in the corner of its box has an error
//! many times that. So where charges are concentrated the heaviest [`FEW`] are summed directly: each
//! of the others then has less than a part in [`FEW`] of Σq², and their errors average again. That
//! costs [`FEW`] pairs a receiver, little beside its near field.
//!
//! On cores pairs of heavy charges have all digits of f64. At one receiver of thousands the pulls of heavy charges may cancel:
//! what is left of them, beside the small field of all others, no sample of receivers finds. Where the others are
//! uneven as well, their pairs have all digits of the precision.

use super::charges::VectorFacts;
use super::scalar::Scalar;

/// Number of charges that are summed directly: a few per cent of the pairs of a near field, which has some 1000 a
/// receiver.
pub(crate) const FEW: usize = 64;

/// The heaviest charges of a vector, apart from the others.
#[derive(Clone, Debug)]
pub(crate) struct Heavy<T> {
    /// Indices of the heavy charges, ascending.
    pub(crate) indices: Vec<usize>,
    pub(crate) charges: Vec<T>,
    /// Facts about the others.
    pub(crate) others: VectorFacts,
}

impl<T> Default for Heavy<T> {
    fn default() -> Self {
        Self { indices: Vec::new(), charges: Vec::new(), others: VectorFacts::default() }
    }
}

impl<T: Scalar> Heavy<T> {
    /// Takes the [`FEW`] heaviest charges out of `charges` and leaves zeros: for vectors of which
    /// [`VectorFacts::have_heavy`] is true.
    pub(crate) fn take_from(charges: &mut [T]) -> Self {
        let indices = Self::heaviest(charges);
        let taken =
            indices.iter().map(|at| std::mem::replace(&mut charges[*at], T::ZERO)).collect();
        let (others, _) = VectorFacts::of(charges);
        Self { indices, charges: taken, others }
    }

    /// Indices of the [`FEW`] heaviest charges, ascending.
    pub(crate) fn heaviest(charges: &[T]) -> Vec<usize> {
        let mut indices: Vec<usize> = (0..charges.len()).collect();
        if indices.len() > FEW {
            let heavier = |a: &usize, b: &usize| {
                let [at_a, at_b] = [*a, *b].map(|at| charges[at].widen().abs());
                at_b.total_cmp(&at_a).then(a.cmp(b))
            };
            indices.select_nth_unstable_by(FEW, heavier);
            indices.truncate(FEW);
            indices.sort_unstable();
        }
        indices
    }

    /// Facts about what is left of a vector with these facts.
    #[cfg(feature = "gpu")]
    pub(crate) fn left_of(&self, facts: VectorFacts) -> VectorFacts {
        if self.indices.is_empty() { facts } else { self.others }
    }

    /// Puts the heavy charges back where they were taken from.
    pub(crate) fn put_back(&self, charges: &mut [T]) {
        for (at, charge) in self.indices.iter().zip(&self.charges) {
            charges[*at] = *charge;
        }
    }

    /// Number of heavy charges.
    pub(crate) fn len(&self) -> usize {
        self.indices.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heaviest_are_taken() {
        let mut charges: Vec<f64> = (0..4000).map(|i| f64::from(i % 7) - 3.0).collect();
        for i in 0..FEW {
            charges[i * 50 + 3] = if i % 2 == 0 { 1e6 } else { -1e6 };
        }
        let before = charges.clone();
        let heavy = Heavy::take_from(&mut charges);
        assert_eq!(heavy.len(), FEW);
        assert!(charges.iter().all(|q| q.abs() <= 3.0));
        assert!(heavy.charges.iter().all(|q| q.abs() == 1e6));
        heavy.put_back(&mut charges);
        assert_eq!(charges, before);
    }
}
