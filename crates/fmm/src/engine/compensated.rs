//! Sums of which rounding is compensated.

/// A sum and what rounding lost of it (Neumaier 1974).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Compensated {
    sum: f64,
    compensation: f64,
}

impl Compensated {
    /// The sum with one term more.
    #[must_use]
    pub(crate) fn with(self, term: f64) -> Self {
        let sum = self.sum + term;
        let is_smaller = self.sum.abs() >= term.abs();
        let (larger, smaller) = if is_smaller { (self.sum, term) } else { (term, self.sum) };
        Self { sum, compensation: self.compensation + ((larger - sum) + smaller) }
    }

    /// The sum and its compensation: two terms that stand for all.
    pub(crate) fn parts(self) -> [f64; 2] {
        [self.sum, self.compensation]
    }

    pub(crate) fn total(self) -> f64 {
        self.sum + self.compensation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_rounding_loses_is_kept() {
        let terms = [1.0, 1e100, 1.0, -1e100];
        let sum = terms.into_iter().fold(Compensated::default(), Compensated::with);
        assert_eq!(sum.total(), 2.0);
    }
}
