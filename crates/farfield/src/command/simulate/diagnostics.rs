//! The table of conserved quantities, as CSV.

use std::fmt::Write;

use nbody::{Diagnostics, System};

/// Names of the columns.
const NAMES: &str = "time,steps,kinetic,potential,energy,momentum_x,momentum_y,momentum_z,\
                     angular_momentum_x,angular_momentum_y,angular_momentum_z,mass,inertia\n";
/// Place of the column of masses.
const MASS: usize = 11;

/// Difference that sums of one state may have on two machines, over the sums: rounding of f32.
const ROUNDING: f64 = 1e-5;

/// The text of the table, and the energies that a summary needs.
pub(super) struct Table {
    text: String,
    /// Energy of the first row.
    first: Option<f64>,
    /// Sums of the last row; of one that was read, the energies alone.
    last: Option<Diagnostics>,
    /// Mass and moment of inertia in each row.
    extent: Extent,
}

/// Mass Σ m and moment of inertia Σ m x² of the first state, beside which changes of momentum and angular momentum are small
/// or large: with the kinetic energy T, Σ m |v| is √(2 Σ m T) at most, and Σ m |x × v| is √(2 Σ m x² T).
#[derive(Clone, Copy)]
struct Extent {
    mass: f64,
    inertia: f64,
}

impl Extent {
    fn of(system: &System) -> Self {
        let squared = |x: &[f64; 3]| x.iter().map(|c| c * c).sum::<f64>();
        let terms = system.masses.iter().zip(&system.positions);
        Self {
            mass: system.masses.iter().sum(),
            inertia: terms.map(|(mass, position)| mass * squared(position)).sum(),
        }
    }

    /// Mass and moment of inertia in a row that was written.
    fn parse(row: &str) -> Option<Self> {
        let mut numbers = row.trim_end().split(',').skip(MASS).map(|number| number.parse().ok());
        Some(Self { mass: numbers.next()??, inertia: numbers.next()?? })
    }
}

impl Table {
    /// A table without rows of a run that begins with a system.
    pub(super) fn new(system: &System) -> Self {
        Self::with(Extent::of(system))
    }

    fn with(extent: Extent) -> Self {
        Self { text: NAMES.to_owned(), first: None, last: None, extent }
    }

    /// The first rows of a text; `None` where there are fewer.
    pub(super) fn parse(text: &str, rows: u64) -> Option<Self> {
        let mut lines = text.split_inclusive('\n').skip(1).filter(|line| line.ends_with('\n'));
        let mut table = Self::with(Extent::parse(lines.clone().next()?)?);
        for _ in 0..rows {
            let line = lines.next()?;
            table.text += line;
            let mut numbers = line.split(',').skip(2).map(|number| number.parse().ok());
            let mut next = || numbers.next().flatten();
            let [kinetic, potential, _energy] = [next()?, next()?, next()?];
            table.note(Diagnostics { kinetic, potential, ..Diagnostics::default() });
        }
        Some(table)
    }

    /// Adds a row.
    pub(super) fn push(&mut self, time: f64, steps: u64, sums: &Diagnostics) {
        let Diagnostics { kinetic, potential, momentum, angular_momentum } = sums;
        let Extent { mass, inertia } = self.extent;
        self.note(*sums);
        let vectors = momentum.iter().chain(angular_momentum);
        let vectors: String = vectors.map(|value| format!(",{value:?}")).collect();
        // Writing to a String cannot fail.
        let _ = writeln!(
            self.text,
            "{time:?},{steps},{kinetic:?},{potential:?},{:?}{vectors},{mass:?},{inertia:?}",
            sums.energy(),
        );
    }

    fn note(&mut self, sums: Diagnostics) {
        self.first = self.first.or(Some(sums.energy()));
        self.last = Some(sums);
    }

    /// Whether the last row can be that of a state with these sums, evaluated to a tolerance.
    pub(super) fn ends_at(&self, sums: &Diagnostics, tolerance: f64) -> bool {
        // Infinite sums differ by no number.
        let near =
            |a: f64, b: f64, share: f64| a == b || (a - b).abs() <= share * a.abs().max(b.abs());
        self.last.is_some_and(|last| {
            near(sums.kinetic, last.kinetic, ROUNDING)
                && near(sums.potential, last.potential, tolerance.max(ROUNDING))
        })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Relative change of the energy from the first row to the last; of an energy of 0 there is none, and of one that is not
    /// a number it is NaN.
    pub(super) fn energy_change(&self) -> Option<f64> {
        let (first, last) = (self.first?, self.last?.energy());
        if !(first.is_finite() && last.is_finite()) {
            return Some(f64::NAN);
        }
        (first != 0.0).then(|| (last - first) / first.abs())
    }
}
