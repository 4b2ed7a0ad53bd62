//! The table of conserved quantities, as CSV.

use std::fmt::Write;

use nbody::Diagnostics;

/// Names of the columns.
const NAMES: &str = "time,steps,kinetic,potential,energy,momentum_x,momentum_y,momentum_z,\
                     angular_momentum_x,angular_momentum_y,angular_momentum_z\n";

/// The text of the table, and the energies that a summary needs.
pub(super) struct Table {
    text: String,
    first: Option<f64>,
    last: Option<f64>,
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
            table.note(line.split(',').nth(4)?.parse().ok()?);
        }
        Some(table)
    }

    /// Adds a row.
    pub(super) fn push(&mut self, time: f64, steps: u64, sums: &Diagnostics) {
        let Diagnostics { kinetic, potential, momentum, angular_momentum } = sums;
        let energy = sums.energy();
        self.note(energy);
        let vectors = momentum.iter().chain(angular_momentum);
        let vectors: String = vectors.map(|value| format!(",{value:?}")).collect();
        // Writing to a String cannot fail.
        let _ =
            writeln!(self.text, "{time:?},{steps},{kinetic:?},{potential:?},{energy:?}{vectors}");
    }

    fn note(&mut self, energy: f64) {
        self.first = self.first.or(Some(energy));
        self.last = Some(energy);
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Relative change of the energy from the first row to the last.
    pub(super) fn energy_change(&self) -> f64 {
        match (self.first, self.last) {
            (Some(first), Some(last)) => (last - first) / first.abs(),
            _ => 0.0,
        }
    }
}
