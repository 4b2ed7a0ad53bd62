//! Columns and arrays that a file has in place of those that were looked for.

use std::fmt::{self, Display, Formatter};

/// Names that a message lists, at most.
const LISTED: usize = 20;

/// Columns or arrays of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Available {
    names: Vec<String>,
    /// Columns without names.
    unnamed: usize,
}

impl Available {
    /// Columns of these names, or so many where they have none.
    pub(crate) fn of_columns(names: &[String], width: usize) -> Self {
        Self { names: names.to_vec(), unnamed: if names.is_empty() { width } else { 0 } }
    }

    /// All names; empty where columns have none.
    pub fn names(&self) -> &[String] {
        &self.names
    }
}

/// Columns or arrays of these names.
impl<S: Into<String>> FromIterator<S> for Available {
    fn from_iter<I: IntoIterator<Item = S>>(names: I) -> Self {
        Self { names: names.into_iter().map(Into::into).collect(), unnamed: 0 }
    }
}

/// The first names, or the numbers of columns without names.
impl Display for Available {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match (&self.names[..], self.unnamed) {
            ([], 0) => f.write_str("none"),
            ([], 1) => f.write_str("1, without a name"),
            ([], unnamed) => write!(f, "1 to {unnamed}, without names"),
            (names, _) => f.write_str(&names[..names.len().min(LISTED)].join(", ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_names_or_numbers() {
        let names = |n: usize| (0..n).map(|k| format!("c{k}")).collect::<Vec<_>>();
        for (names, width, told) in [
            (vec![], 0, "none".to_owned()),
            (vec![], 1, "1, without a name".to_owned()),
            (vec![], 3, "1 to 3, without names".to_owned()),
            (names(2), 2, "c0, c1".to_owned()),
            (names(30), 30, names(LISTED).join(", ")),
        ] {
            let available = Available::of_columns(&names, width);
            assert_eq!((available.to_string(), available.names()), (told, &names[..]));
        }
    }
}
