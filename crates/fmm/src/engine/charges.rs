//! Charges: their checks, kind and concentration.

use std::time::Instant;

use super::folds::{all_finite, fold_lanes};
use super::scalar::Scalar;
use super::units::unit_of_largest;
use crate::api::{Error, Request};

/// Kind of the charges, by which errors of sums are tabled: relative to the sum, those of unlike charges are larger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ChargeKind {
    /// Charges of one sign, many of which have weight.
    Alike,
    /// Charges of both signs, whose sums nearly cancel; or charges of which few outweigh all others. Errors of few charges do not
    /// average, and are as large beside the sum as those of both signs.
    Unlike,
}

impl ChargeKind {
    /// Kind of the charges of all vectors: unlike if those of one are.
    pub(crate) fn of_all(vectors: &[VectorFacts]) -> Self {
        match vectors.iter().any(|facts| facts.kind() == Self::Unlike) {
            true => Self::Unlike,
            false => Self::Alike,
        }
    }
}

/// Facts about one vector of charges, or about a part of it; [`with`](Self::with) joins parts, those of ranks too.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct VectorFacts {
    /// The smallest charge, or 0 if none is negative.
    pub(crate) low: f64,
    /// The largest charge, or 0 if none is positive.
    pub(crate) high: f64,
    /// Sums of |q| and q² in a unit of charge of their own, in which squares neither over- nor underflow.
    pub(crate) shares: [f64; 2],
    pub(crate) share_unit: f64,
}

/// Charge vectors of one evaluation.
#[derive(Clone, Debug)]
pub(crate) struct Charges<'a, T> {
    /// Vectors in the caller's order, one charge a source.
    pub(crate) vectors: &'a [&'a [T]],
    /// Kind of the charges of all vectors.
    pub(crate) kind: ChargeKind,
    /// Facts about each vector; none where the engine looks at the charges.
    pub(crate) facts: Vec<VectorFacts>,
    /// An earlier gradient at the receivers, for the relative opening criterion.
    pub(crate) earlier: Option<&'a [[T; 3]]>,
    /// Seconds that the checks took.
    pub(crate) seconds: f64,
}

impl<'a, T: Scalar> Charges<'a, T> {
    /// Refuses vectors of another length and charges that are not finite.
    pub(crate) fn new(
        vectors: &'a [&'a [T]],
        n_sources: usize,
        earlier: Option<&'a [[T; 3]]>,
    ) -> Result<Self, Error> {
        let start = Instant::now();
        let facts = Self::check(vectors, n_sources)?;
        let kind = ChargeKind::of_all(&facts);
        let seconds = start.elapsed().as_secs_f64();
        Ok(Self { vectors, kind, facts, earlier, seconds })
    }

    /// A vector at which the engine looks: what [`Engine::looks_at_charges`](super::Engine::looks_at_charges) tells.
    pub(crate) fn unseen(
        vectors: &'a [&'a [T]],
        n_sources: usize,
        earlier: Option<&'a [[T; 3]]>,
    ) -> Result<Self, Error> {
        vectors.iter().enumerate().try_for_each(|(k, q)| check_count(k, q, n_sources))?;
        Ok(Self { vectors, kind: ChargeKind::Unlike, facts: Vec::new(), earlier, seconds: 0.0 })
    }

    /// Kind of the charges of all vectors, one of which has these facts.
    #[cfg(feature = "gpu")]
    pub(crate) fn kind_with(&self, facts: VectorFacts) -> ChargeKind {
        if self.facts.is_empty() { facts.kind() } else { self.kind }
    }

    /// Facts about each vector, which has to be of the right length and finite.
    pub(crate) fn check(vectors: &[&[T]], n_sources: usize) -> Result<Vec<VectorFacts>, Error> {
        let facts = |(k, charges): (usize, &&[T])| facts_of_vector(k, charges, n_sources);
        vectors.iter().enumerate().map(facts).collect()
    }
}

/// Facts about a vector that has a finite charge for each source.
fn facts_of_vector<T: Scalar>(
    vector: usize,
    charges: &[T],
    n_sources: usize,
) -> Result<VectorFacts, Error> {
    check_count(vector, charges, n_sources)?;
    let (facts, is_finite) = VectorFacts::of(charges);
    if !is_finite && let Some(index) = charges.iter().position(|q| !q.is_finite()) {
        let value = charges[index].widen();
        return Err(Error::ChargeNotFinite { vector, index, value });
    }
    Ok(facts)
}

fn check_count<T>(vector: usize, charges: &[T], expected: usize) -> Result<(), Error> {
    let found = charges.len();
    if found == expected { Ok(()) } else { Err(Error::ChargeCount { vector, found, expected }) }
}

/// Charges that one task looks at.
const TASK: usize = parallel::min_length(0.7);

impl VectorFacts {
    /// Facts about charges, which are read from memory once, and whether all are finite.
    pub(crate) fn of<T: Scalar>(charges: &[T]) -> (Self, bool) {
        // Tasks of fixed length: the same bits for any number of threads.
        let parts = parallel::map_parts(charges.chunks(TASK), |_, part| Self::of_part(part));
        let join = |(facts, finite): (Self, bool), (more, all)| (facts.with(more), finite & all);
        parts.into_iter().fold((Self::default(), true), join)
    }

    /// Charges of one task, which are near the core after the first of these folds.
    fn of_part<T: Scalar>(charges: &[T]) -> (Self, bool) {
        let lows: [T; 16] = fold_lanes(charges, T::ZERO, |low, q| if q < low { q } else { low });
        let highs: [T; 16] =
            fold_lanes(charges, T::ZERO, |high, q| if q > high { q } else { high });
        let low = lows.into_iter().map(T::widen).fold(0.0, f64::min);
        let high = highs.into_iter().map(T::widen).fold(0.0, f64::max);
        let ends = Self { low, high, ..Self::default() };
        let share_unit = ends.unit();
        let factor = share_unit.recip();
        let share = |q: T| q.widen().abs() * factor;
        let sums: [f64; 8] = fold_lanes(charges, 0.0, |sum, q| sum + share(q));
        let squares: [f64; 8] = fold_lanes(charges, 0.0, |sum, q| sum + share(q) * share(q));
        let shares = [sums, squares].map(|lanes| lanes.into_iter().sum());
        (Self { share_unit, shares, ..ends }, all_finite(charges))
    }

    /// Kind of the charges.
    pub(crate) fn kind(self) -> ChargeKind {
        match self.low < 0.0 && self.high > 0.0 || self.is_concentrated() {
            true => ChargeKind::Unlike,
            false => ChargeKind::Alike,
        }
    }

    /// Unit of charge: the power of two that makes the largest of order 1.
    pub(crate) fn unit(self) -> f64 {
        unit_of_largest(self.largest())
    }

    /// Participation (Σ|q|)² / Σq²: the number of the charges, were they of equal size; 1 if all are zero.
    #[cfg(feature = "gpu")]
    pub(crate) fn participation(self) -> f64 {
        participation(self.shares)
    }

    /// The largest magnitude.
    fn largest(self) -> f64 {
        self.high.max(-self.low)
    }

    /// Facts about the charges of both.
    pub(crate) fn with(self, other: Self) -> Self {
        let (low, high) = (self.low.min(other.low), self.high.max(other.high));
        // Charges that are all zero have no unit.
        let units =
            [self, other].map(|part| if part.largest() > 0.0 { part.share_unit } else { 0.0 });
        let share_unit = f64::max(units[0], units[1]);
        let factors = units.map(|of| if share_unit > 0.0 { of / share_unit } else { 0.0 });
        let shares = [1, 2].map(|power| {
            let k = power as usize - 1;
            self.shares[k] * factors[0].powi(power) + other.shares[k] * factors[1].powi(power)
        });
        Self { low, high, shares, share_unit }
    }

    /// Whether the heaviest charges act on all receivers by P2P, apart from the others: few outweigh all others in a sum whose
    /// expansions have a relative error to keep.
    pub(crate) fn have_heavy(self, request: &Request, expands: bool) -> bool {
        expands && request.is_relative() && self.is_concentrated()
    }

    /// Whether cores take the heaviest of `n` charges out, whose pairs they sum in f64 to all digits.
    pub(crate) fn have_heavy_for_cores(self, request: &Request, expands: bool, n: usize) -> bool {
        self.have_heavy(request, expands) || request.is_relative() && self.are_uneven(n)
    }

    /// Whether `n` charges of both signs are few, or differ so much in size, that large pulls may cancel at one receiver of
    /// thousands, as within a crystal of large charges amid small ones: no sample of receivers tells what errors of pairs and
    /// cells cost there.
    pub(crate) fn may_hide_errors(self, n: usize) -> bool {
        self.kind() == ChargeKind::Unlike && (n < FEW_CHARGES || self.differ_in_size(n))
    }

    /// Whether few of `n` charges outweigh the others, so that no sample of receivers tells what errors of their pairs cost: beside
    /// them, at one receiver of thousands, large pulls may cancel.
    pub(crate) fn are_uneven(self, n: usize) -> bool {
        self.is_concentrated() && self.differ_in_size(n)
    }

    fn differ_in_size(self, n: usize) -> bool {
        let [sum, squares] = self.shares;
        sum * sum < UNEVEN * n as f64 * squares
    }

    /// Whether few outweigh all others: the participation (Σ|q|)² / Σq², the number of charges were they of equal size, is small.
    fn is_concentrated(self) -> bool {
        self.largest() > 0.0 && is_few(self.shares)
    }
}

/// Smallest effective number of charges for which errors average: to a 32nd of a single charge's.
const MANY: f64 = 1024.0;

/// Charges below which a close group of them may be most of all, and more digits for their pairs take less than a millisecond.
const FEW_CHARGES: usize = 1 << 12;

/// Participation of uneven charges, at most, over their number. That of equal charges is 1, of normally distributed ones 0.64, of
/// masses that fall exponentially 0.5.
const UNEVEN: f64 = 0.5;

/// Participation from Σ|q| and Σq².
pub(crate) fn participation([sum, squares]: [f64; 2]) -> f64 {
    if squares > 0.0 { sum * sum / squares } else { 1.0 }
}

/// Whether charges with these sums are few by their participation.
fn is_few([sum, squares]: [f64; 2]) -> bool {
    sum * sum < MANY * squares
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Tolerance;

    fn is_concentrated<T: Scalar>(charges: &[T]) -> bool {
        VectorFacts::of(charges).0.is_concentrated()
    }

    #[test]
    fn heavy_charges_outweigh_others_in_relative_sums_of_expansions() {
        let alike = VectorFacts::of(&[1.0; 4000]).0;
        let mut charges = vec![1.0; 4000];
        charges[17] = 1e6;
        let few = VectorFacts::of(&charges).0;
        let relative = Request { tolerance: Tolerance::L2(1e-3), ..Request::default() };
        assert!(few.have_heavy(&relative, true));
        assert!(!alike.have_heavy(&relative, true));
        assert!(!few.have_heavy(&relative, false));
        let by_order = Request { tolerance: Tolerance::Order(4), ..relative };
        assert!(!few.have_heavy(&by_order, true));
    }

    #[test]
    fn concentration_is_seen_at_any_scale() {
        let mut charges: Vec<f64> = (0..4000).map(|i| f64::from(i % 7) - 3.5).collect();
        for scale in [1e-300, 1.0, 1e300] {
            let scaled = |charges: &[f64]| charges.iter().map(|q| q * scale).collect::<Vec<_>>();
            assert!(!is_concentrated(&scaled(&charges)));
            assert!(is_concentrated(&scaled(&charges[..500])));
            charges[17] = -1e4;
            assert!(is_concentrated(&scaled(&charges)));
            charges[17] = 0.5;
        }
        assert!(!is_concentrated(&[0.0; 10]));
        assert!(!is_concentrated::<f32>(&[]));
    }
}
