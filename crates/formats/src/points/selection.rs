//! Selection of the columns that hold positions and charges.

use crate::available::Available;
use crate::error::Fault;
use crate::message::excerpt;
use crate::points::column::{Column, PositionColumns};

/// Columns to read. The default finds them by name, or by place where there are no names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Columns of x, y, z. `None`: the columns named so; without names the first three, if there
    /// are no more than four columns.
    pub positions: Option<PositionColumns>,
    /// Origin of the charges (or masses).
    pub charges: Charges,
}

/// The option of the command that names columns of positions.
const OPTION: &str = "--columns";

/// Origin of the charges (or masses).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Charges {
    /// The column named q, charge, charges, initial_charges, m, mass or masses; without names the fourth of four.
    #[default]
    Named,
    /// The column of [`Named`](Charges::Named), but m, mass or masses where q, charge or charges is there too: gravity is
    /// that of masses.
    Masses,
    /// The column named or numbered here.
    Column(Column),
    /// Every point has the charge 1.
    Unit,
    /// No charges are read: receivers.
    Ignored,
}

impl Charges {
    /// Names of a column that is found by its name, tried in this order.
    pub(crate) fn names(&self) -> [&'static str; 7] {
        match self {
            Charges::Masses => ["m", "mass", "masses", "q", "charge", "charges", "initial_charges"],
            _ => ["q", "charge", "charges", "initial_charges", "m", "mass", "masses"],
        }
    }
}

/// Columns that a selection picks from rows, counted from 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Picked {
    pub(crate) position: [usize; 3],
    pub(crate) charge: Option<usize>,
}

impl Selection {
    /// Positions with masses: those of a snapshot, found by their names.
    pub fn of_masses() -> Self {
        Selection { charges: Charges::Masses, ..Selection::default() }
    }

    /// Finds the columns in rows of `width` fields; `names` is empty where there is no header.
    pub(crate) fn pick(&self, names: &[String], width: usize) -> Result<Picked, Fault> {
        let find = |column: &Column| {
            let index = match column {
                Column::Name(name) => only(names, name)?,
                Column::Number(number) => number.checked_sub(1).filter(|&index| index < width),
            };
            index.ok_or_else(|| Fault::NoColumn {
                wanted: column.clone(),
                available: Available::of_columns(names, width),
            })
        };

        let no_positions = || {
            let available = Available::of_columns(names, width);
            Err(Fault::NoPositions { available, option: OPTION })
        };
        let position = match &self.positions {
            Some(columns) => {
                let [x, y, z] = columns.each();
                [find(&x)?, find(&y)?, find(&z)?]
            }
            None if !names.is_empty() => {
                match [only(names, "x")?, only(names, "y")?, only(names, "z")?] {
                    [Some(x), Some(y), Some(z)] => [x, y, z],
                    _ => return no_positions(),
                }
            }
            None if width < 3 => return no_positions(),
            None if width > 4 => {
                let charges = self.charges != Charges::Ignored;
                return Err(Fault::Unnamed { width, option: OPTION, charges });
            }
            None => [0, 1, 2],
        };
        let charge = match &self.charges {
            Charges::Column(column) => Some(find(column)?),
            Charges::Unit | Charges::Ignored => None,
            Charges::Named | Charges::Masses
                if names.is_empty() && self.positions.is_none() && width == 4 =>
            {
                Some(3)
            }
            Charges::Named | Charges::Masses => {
                let known = self.charges.names();
                let found = known.iter().find_map(|name| only(names, name).transpose());
                let none = || Fault::NoCharges { available: Available::of_columns(names, width) };
                Some(found.ok_or_else(none)??)
            }
        };
        Ok(Picked { position, charge })
    }
}

/// Index of the column of this name; capitals are the same as small letters, if no name fits as it is.
fn only(names: &[String], name: &str) -> Result<Option<usize>, Fault> {
    let exact = names.iter().any(|n| n == name);
    let fits = |n: &String| if exact { n == name } else { n.eq_ignore_ascii_case(name) };
    let mut fitting = (0..names.len()).filter(|&index| fits(&names[index]));
    match (fitting.next(), fitting.next()) {
        (Some(_), Some(_)) => Err(Fault::Ambiguous { things: "columns", name: excerpt(name) }),
        (index, _) => Ok(index),
    }
}
