//! Which columns of a file are the positions and which the charge.

use std::fmt;
use std::str::FromStr;

use crate::error::Fault;

/// Columns to read. The default finds them by name, or by place where there are no names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Columns of x, y, z. `None`: the columns named so; without names the first three, if there
    /// are no more than four columns.
    pub positions: Option<PositionColumns>,
    /// Where the charges (or masses) come from.
    pub charges: Charges,
}

/// Where the charges (or masses) come from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Charges {
    /// The column named q, charge, charges, m, mass or masses; without names the fourth of four.
    #[default]
    Named,
    /// This column.
    Column(Column),
    /// Every point has the charge 1.
    Unit,
    /// No charges are read: receivers.
    Ignored,
}

/// A column by name, or by number from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// A name of the header; capitals are the same as small letters.
    Name(String),
    /// A number, counted from 1.
    Number(usize),
}

/// The columns of x, y and z, written `x,y,z` or `2,3,4`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PositionColumns(pub [Column; 3]);

/// A text that selects no column.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectionError {
    /// An empty name.
    #[error("a column has no name; give a name or a number from 1")]
    Empty,
    /// The number 0.
    #[error("column 0; columns are counted from 1")]
    Zero,
    /// Not three columns.
    #[error("found {0} columns, expected three such as x,y,z or 2,3,4")]
    NotThree(usize),
}

impl FromStr for Column {
    type Err = SelectionError;

    fn from_str(text: &str) -> Result<Column, SelectionError> {
        match (text.trim(), text.trim().parse()) {
            ("", _) => Err(SelectionError::Empty),
            (_, Ok(0)) => Err(SelectionError::Zero),
            (_, Ok(number)) => Ok(Column::Number(number)),
            (name, Err(_)) => Ok(Column::Name(name.to_owned())),
        }
    }
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Column::Name(name) => write!(f, "{name:?}"),
            Column::Number(number) => write!(f, "{number}"),
        }
    }
}

impl FromStr for PositionColumns {
    type Err = SelectionError;

    fn from_str(text: &str) -> Result<PositionColumns, SelectionError> {
        let columns = text.split(',').map(str::parse).collect::<Result<Vec<Column>, _>>()?;
        let found = columns.len();
        columns.try_into().map(PositionColumns).map_err(|_| SelectionError::NotThree(found))
    }
}

/// Names of a column of charges, tried in this order.
pub(crate) const CHARGE_NAMES: [&str; 6] = ["q", "charge", "charges", "m", "mass", "masses"];

/// Columns that a selection picks from rows, counted from 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Picked {
    pub(crate) position: [usize; 3],
    pub(crate) charge: Option<usize>,
}

impl Selection {
    /// Finds the columns in rows of `width` fields; `names` is empty where there is no header.
    pub(crate) fn pick(&self, names: &[String], width: usize) -> Result<Picked, Fault> {
        let find = |column: &Column| {
            position_of(column, names, width).ok_or_else(|| Fault::NoColumn {
                wanted: column.clone(),
                available: available(names, width),
            })
        };
        let named = |name: &str| names.iter().position(|n| n.eq_ignore_ascii_case(name));

        let position = match &self.positions {
            Some(PositionColumns([x, y, z])) => [find(x)?, find(y)?, find(z)?],
            None if !names.is_empty() => match ["x", "y", "z"].map(named) {
                [Some(x), Some(y), Some(z)] => [x, y, z],
                _ => return Err(Fault::NoPositions { available: available(names, width) }),
            },
            None if width < 3 => {
                return Err(Fault::NoPositions { available: available(names, width) });
            }
            None if width > 4 => return Err(Fault::Unnamed { width }),
            None => [0, 1, 2],
        };
        let charge = match &self.charges {
            Charges::Column(column) => Some(find(column)?),
            Charges::Unit | Charges::Ignored => None,
            Charges::Named if names.is_empty() && self.positions.is_none() && width == 4 => Some(3),
            Charges::Named => {
                let found = CHARGE_NAMES.iter().find_map(|name| named(name));
                Some(found.ok_or(Fault::NoCharges)?)
            }
        };
        Ok(Picked { position, charge })
    }
}

fn position_of(column: &Column, names: &[String], width: usize) -> Option<usize> {
    match column {
        Column::Name(name) => names
            .iter()
            .position(|n| n == name)
            .or_else(|| names.iter().position(|n| n.eq_ignore_ascii_case(name))),
        Column::Number(number) => number.checked_sub(1).filter(|&index| index < width),
    }
}

fn available(names: &[String], width: usize) -> String {
    match (names, width) {
        ([], 1) => "1, without a name".to_owned(),
        ([], _) => format!("1 to {width}, without names"),
        _ => names.join(", "),
    }
}
