//! Vectors, sizes, ranges of densities and of identity numbers as texts of arguments.

use std::ops::Range;
use std::str::FromStr;

use formats::Snapshot;

use crate::camera::Size;
use crate::scale::Scale;

/// Three numbers, written `x,y,z`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vector(pub [f64; 3]);

/// Identity numbers of the particles to show, written `0..1000,5000..6000`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdRanges(pub Vec<Range<u64>>);

impl IdRanges {
    /// Whether a number is in one of the ranges.
    pub fn contains(&self, id: u64) -> bool {
        self.0.iter().any(|range| range.contains(&id))
    }

    /// Keeps the particles of these numbers.
    pub(crate) fn select(&self, snapshot: &mut Snapshot) {
        let Snapshot { positions, velocities, masses, ids, .. } = snapshot;
        let kept: Vec<bool> = ids.iter().map(|&id| self.contains(id)).collect();
        keep(positions, &kept);
        keep(velocities, &kept);
        keep(masses, &kept);
        keep(ids, &kept);
    }
}

fn keep<T>(values: &mut Vec<T>, kept: &[bool]) {
    let mut kept = kept.iter();
    values.retain(|_| kept.next().is_some_and(|kept| *kept));
}

impl FromStr for IdRanges {
    type Err = Form;

    fn from_str(text: &str) -> Result<IdRanges, Form> {
        let range = |part: &str| {
            let (first, end) = part.split_once("..")?;
            Some(first.trim().parse().ok()?..end.trim().parse().ok()?)
        };
        let ranges = text.split(',').map(range).collect::<Option<Vec<Range<u64>>>>();
        ranges.map(IdRanges).ok_or(Form::Ids)
    }
}

/// A text that is no vector, size or range.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Form {
    /// Not three finite numbers.
    #[error("expected three numbers such as 1,0,0.5; give x,y,z")]
    Vector,
    /// Not two whole numbers.
    #[error("expected columns and rows of pixels such as 1280x720; give both")]
    Size,
    /// Not two positive numbers in their order.
    #[error("expected two positive densities such as 1e-3,10; give the smaller one first")]
    Scale,
    /// Not ranges of whole numbers.
    #[error("expected ranges of numbers such as 0..1000,5000..6000; the ends are left out")]
    Ids,
}

impl FromStr for Vector {
    type Err = Form;

    fn from_str(text: &str) -> Result<Vector, Form> {
        numbers(text).map(Vector).ok_or(Form::Vector)
    }
}

impl FromStr for Size {
    type Err = Form;

    fn from_str(text: &str) -> Result<Size, Form> {
        let sides = text.split_once(['x', '×']).ok_or(Form::Size)?;
        match (sides.0.parse(), sides.1.parse()) {
            (Ok(width), Ok(height)) => Ok(Size { width, height }),
            _ => Err(Form::Size),
        }
    }
}

impl FromStr for Scale {
    type Err = Form;

    fn from_str(text: &str) -> Result<Scale, Form> {
        match numbers(text) {
            Some([low, high]) if 0.0 < low && low < high => Ok(Scale { low, high }),
            _ => Err(Form::Scale),
        }
    }
}

fn numbers<const N: usize>(text: &str) -> Option<[f64; N]> {
    let numbers =
        text.split(',').map(|part| part.trim().parse().ok().filter(|x: &f64| x.is_finite()));
    numbers.collect::<Option<Vec<f64>>>()?.try_into().ok()
}
