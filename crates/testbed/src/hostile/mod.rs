//! Hostile problems: point sets and charges on which a code of this kind has once missed its tolerance, or may.
//!
//! [`case`] makes one by its name. Each is deterministic, of a size that an FMM sums in about a second, and drawn with
//! seeds that no calibration uses. Charges are rounded to f32, so that a reference serves both precisions.
//!
//! | file | problems |
//! |---|---|
//! | `lattices.rs` | points on corners, edges and faces of boxes |
//! | `cancelling.rs` | sums far below their terms: ions, neutral clouds, tracers |
//! | `crystals.rs` | sums far below their terms: crystals, plates, layers, a shell from inside |
//! | `symmetric.rs` | fields that cancel by symmetry, of charges of one sign too, seen from where they do |
//! | `patterns.rs` | other lattices and blocks, rings, spirals, molecules, charges of which most are tiny |
//! | `scales.rs` | offsets, units and sizes many powers of ten apart |
//! | `settings.rs` | depth and softening set by hand |
//! | `uneven.rs` | charges of which few count, pairs nearer than digits go, receivers on corners, in specks and far away |
//! | `ordinary.rs` | sets that a user is likely to have, published data among them |

mod cancelling;
mod crystals;
mod lattices;
mod ordinary;
mod patterns;
mod scales;
mod settings;
mod symmetric;
mod uneven;

use fmm::Depth;

/// A problem with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Name in the command and in tables.
    pub name: &'static str,
    /// Positions that carry the charges.
    pub sources: Vec<[f64; 3]>,
    /// Charges in the order of `sources`, each a number of f32.
    pub charges: Vec<f64>,
    /// Positions to evaluate at; `None` for the sources.
    pub receivers: Option<Vec<[f64; 3]>>,
    /// Plummer softening, in the unit of the positions.
    pub softening: f64,
    /// Depth set by hand.
    pub depth: Option<Depth>,
}

/// Number of points in a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// Enough for expansions at every tolerance.
    Full,
    /// A few hundred, for emulators.
    Small,
}

impl Size {
    /// The number for this size.
    fn of(self, full: usize, small: usize) -> usize {
        if self == Self::Full { full } else { small }
    }
}

/// Sources, charges and receivers of a case that has no name yet.
#[derive(Clone, Debug, Default)]
struct Parts {
    sources: Vec<[f64; 3]>,
    charges: Vec<f64>,
    receivers: Option<Vec<[f64; 3]>>,
    softening: f64,
    depth: Option<Depth>,
}

impl Parts {
    fn new(sources: Vec<[f64; 3]>, charges: Vec<f64>) -> Self {
        Self { sources, charges, ..Self::default() }
    }

    fn at(self, receivers: Vec<[f64; 3]>) -> Self {
        Self { receivers: Some(receivers), ..self }
    }
}

/// A named case and the function that makes it.
type Row = (&'static str, fn(Size) -> Parts);

/// Tables of the files, in the order of [`names`].
const TABLES: [&[Row]; 9] = [
    cancelling::ROWS,
    crystals::ROWS,
    symmetric::ROWS,
    lattices::ROWS,
    patterns::ROWS,
    scales::ROWS,
    settings::ROWS,
    uneven::ROWS,
    ordinary::ROWS,
];

/// Names of all cases.
pub fn names() -> impl Iterator<Item = &'static str> {
    TABLES.into_iter().flatten().map(|(name, _)| *name).chain(ordinary::DATA)
}

/// The case of a name; `Ok(None)` for an unknown name. Published data have one size.
///
/// # Errors
///
/// A data file that cannot be read.
pub fn case(name: &str, size: Size) -> Result<Option<Case>, formats::Error> {
    let row = TABLES.into_iter().flatten().find(|(known, _)| *known == name);
    let (name, parts) = match row {
        Some((name, make)) => (*name, make(size)),
        None => match ordinary::data(name)? {
            Some(data) => data,
            None => return Ok(None),
        },
    };
    let Parts { sources, charges, receivers, softening, depth } = parts;
    let charges = charges.into_iter().map(|charge| f64::from(charge as f32)).collect();
    Ok(Some(Case { name, sources, charges, receivers, softening, depth }))
}

impl Case {
    /// Positions at which the sum is evaluated.
    pub fn receivers(&self) -> &[[f64; 3]] {
        self.receivers.as_deref().unwrap_or(&self.sources)
    }

    /// `"both"` where charges of both signs occur, else `"one"`.
    pub fn signs(&self) -> &'static str {
        let has = |sign: f64| self.charges.iter().any(|charge| charge * sign > 0.0);
        if has(1.0) && has(-1.0) { "both" } else { "one" }
    }
}

/// Equal masses of sum 1.
fn equal(sources: Vec<[f64; 3]>) -> Parts {
    let charges = vec![1.0 / sources.len() as f64; sources.len()];
    Parts::new(sources, charges)
}

/// Charges of both signs, uniform in [−0.5, 0.5).
fn mixed(sources: Vec<[f64; 3]>) -> Parts {
    let charges = crate::charges::mixed(sources.len(), SEED + 1);
    Parts::new(sources, charges)
}

/// The first of the seeds of this module; those of calibration and conformance are below 1000.
const SEED: u64 = 120_000;

/// Points times a factor, moved.
fn placed(points: &[[f64; 3]], factor: f64, to: [f64; 3]) -> Vec<[f64; 3]> {
    points.iter().map(|x| [0, 1, 2].map(|axis| x[axis] * factor + to[axis])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_have_finite_numbers_and_one_charge_a_source() {
        for name in names() {
            for size in [Size::Full, Size::Small] {
                let case = case(name, size).unwrap().unwrap();
                assert_eq!((case.name, case.sources.len()), (name, case.charges.len()));
                assert!(case.receivers().len() >= 100, "{name}");
                let numbers = case.sources.iter().chain(case.receivers()).flatten();
                assert!(numbers.chain(&case.charges).all(|x| x.is_finite()), "{name}");
                assert!(case.charges.iter().all(|q| *q == f64::from(*q as f32)), "{name}");
                let small = case.sources.len().max(case.receivers().len()) <= 1500;
                assert!(small || size == Size::Full || ordinary::DATA.contains(&name), "{name}");
            }
        }
    }

    #[test]
    fn names_are_distinct_and_unknown_ones_are_no_case() {
        let mut all: Vec<_> = names().collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), names().count());
        assert_eq!(case("nonsense", Size::Full).unwrap(), None);
    }
}
