//! Columns of a file, by name or number.

use std::fmt;
use std::str::FromStr;

/// A column by name, or by number from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// A name of the header; capitals are the same as small letters.
    Name(String),
    /// A number, counted from 1.
    Number(usize),
}

/// The columns of positions, written `x,y,z` or `2,3,4`, or as one name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PositionColumns {
    /// Columns of x, y and z.
    Each([Column; 3]),
    /// Name of an array (N, 3) of an archive; in other files the columns `name_x`, `name_y` and `name_z`, as a vector of VTK
    /// has them.
    Vector(String),
}

impl PositionColumns {
    /// Columns one by one.
    pub(crate) fn each(&self) -> [Column; 3] {
        match self {
            Self::Each(columns) => columns.clone(),
            Self::Vector(name) => AXES.map(|axis| Column::Name(format!("{name}_{axis}"))),
        }
    }
}

/// Endings of the columns of a vector.
pub(crate) const AXES: [&str; 3] = ["x", "y", "z"];

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
    #[error("found {0} columns; expected three such as x,y,z or 2,3,4")]
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
        match <[Column; 3]>::try_from(columns) {
            Ok(columns) => Ok(PositionColumns::Each(columns)),
            Err(columns) => match columns.as_slice() {
                [Column::Name(name)] => Ok(PositionColumns::Vector(name.clone())),
                _ => Err(SelectionError::NotThree(found)),
            },
        }
    }
}
