//! Vectors and sizes as texts of arguments.

use std::str::FromStr;

use crate::camera::Size;
use crate::scale::Scale;

/// Three numbers, written `x,y,z`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vector(pub [f64; 3]);

/// A text that is no vector, size or range of densities.
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
