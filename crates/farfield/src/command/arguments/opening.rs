//! The arguments that choose the treecode's opening criterion.

use clap::{Args, ValueEnum};
use fmm::{Method, Opening};

use crate::command::error::Error;

/// Opening angle θ of the papers, taken where none is given.
const THETA: f64 = 0.6;
/// Tolerated error α of a cell, taken where none is given.
const ALPHA: f64 = 1e-3;

#[derive(Args)]
pub(crate) struct OpeningArguments {
    /// The treecode's opening criterion [default: nakasato, with a theta for the tolerance]
    #[arg(long, value_enum, value_name = "CRITERION")]
    criterion: Option<Criterion>,
    /// Opening angle of barnes-hut or nakasato [default: 0.6 with --criterion or --order]
    #[arg(long, value_name = "THETA", allow_negative_numbers = true)]
    theta: Option<f64>,
    /// Tolerated error of one cell relative to the sum, for relative [default: 0.001]
    #[arg(long, value_name = "ALPHA", conflicts_with = "theta", allow_negative_numbers = true)]
    alpha: Option<f64>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Criterion {
    /// Cells act on boxes of their level that do not touch them
    Neighbours,
    /// l/d < theta
    BarnesHut,
    /// l/theta + s < d
    Nakasato,
    /// By each cell's share of the sum: q l^2/d^4 < alpha times the gradient
    Relative,
}

impl OpeningArguments {
    /// The criterion, if any was asked for.
    pub(crate) fn opening(&self, method: Method) -> Result<Option<Opening>, Error> {
        let Self { criterion, theta, alpha } = *self;
        let criterion = match (criterion, theta, alpha) {
            (None, None, None) => return Ok(None),
            _ if !method.is_treecode() => return Err(Error::NotATreecode(method)),
            (Some(criterion), ..) => criterion,
            (None, _, Some(_)) => Criterion::Relative,
            (None, ..) => Criterion::Nakasato,
        };
        let opening = match criterion {
            Criterion::Neighbours if theta.is_some() => return Err(NO_THETA),
            Criterion::Relative if theta.is_some() => return Err(NO_THETA),
            Criterion::Relative => Opening::Relative { alpha: alpha.unwrap_or(ALPHA) },
            _ if alpha.is_some() => return Err(NO_ALPHA),
            Criterion::Neighbours => Opening::Neighbours,
            Criterion::BarnesHut => Opening::BarnesHut { theta: theta.unwrap_or(THETA) },
            Criterion::Nakasato => Opening::Nakasato { theta: theta.unwrap_or(THETA) },
        };
        Ok(Some(opening))
    }
}

const NO_THETA: Error =
    Error::NoSuchParameter { parameter: "--theta", of: "barnes-hut or nakasato" };
const NO_ALPHA: Error = Error::NoSuchParameter { parameter: "--alpha", of: "relative" };
