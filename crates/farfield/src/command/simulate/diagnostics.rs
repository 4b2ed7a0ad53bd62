//! The table of conserved quantities, as CSV.

use std::fmt::Write;

use nbody::Diagnostics;

/// Names of the columns.
const NAMES: &str = "time,steps,kinetic,potential,energy,momentum_x,momentum_y,momentum_z,\
                     angular_momentum_x,angular_momentum_y,angular_momentum_z\n";

/// Difference that sums of one state may have on two machines, over the sums: rounding of f32.
const ROUNDING: f64 = 1e-5;

/// The text of the table, and the energies that a summary needs.
pub(super) struct Table {
    text: String,
    /// Energy of the first row.
    first: Option<f64>,
    /// Sums of the last row; of one that was read, the energies alone.
    last: Option<Diagnostics>,
}

impl Table {
    pub(super) fn new() -> Self {
        Self { text: NAMES.to_owned(), first: None, last: None }
    }

    /// The first rows of a text; `None` where there are fewer.
    pub(super) fn parse(text: &str, rows: u64) -> Option<Self> {
        let mut table = Self::new();
        let mut lines = text.split_inclusive('\n').skip(1).filter(|line| line.ends_with('\n'));
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
        self.note(*sums);
        let vectors = momentum.iter().chain(angular_momentum);
        let vectors: String = vectors.map(|value| format!(",{value:?}")).collect();
        // Writing to a String cannot fail.
        let _ = writeln!(
            self.text,
            "{time:?},{steps},{kinetic:?},{potential:?},{:?}{vectors}",
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

    /// Relative change of the energy from the first row to the last, for a reader; of an energy of 0 there is none.
    pub(super) fn energy_change(&self) -> Option<String> {
        let (first, last) = (self.first?, self.last?.energy());
        if !(first.is_finite() && last.is_finite()) {
            return Some("the energy is not a number".to_owned());
        }
        let change = (last - first) / first.abs();
        (first != 0.0).then(|| format!("energy changed by {change:.1e} of itself"))
    }
}
