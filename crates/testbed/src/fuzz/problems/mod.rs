//! Small problems for plans and evaluations: points, charges and settings of every kind.
//!
//! | file | what |
//! |---|---|
//! | `points.rs` | placements of points and kinds of charges |
//! | `settings.rs` | methods, tolerances and other settings |
//! | `judge.rs` | plan, evaluation, and comparison with a sum in double-double arithmetic |
//! | `shrink.rs` | fewer points with the same failure |
//! | `text.rs` | problems as text, for the corpus |

mod judge;
mod points;
mod settings;
mod shrink;
mod text;

use super::{Dice, Failure};
pub use judge::{Outcome, judge};
pub use settings::{Precision, Settings};
pub use shrink::shrunk;
pub use text::NoProblem;

/// A sum to compute, with its settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// Settings of the plan.
    pub settings: Settings,
    /// Positions that carry the charges; numbers of f32 for [`Precision::F32`].
    pub sources: Vec<[f64; 3]>,
    /// Charges in the order of `sources`; numbers of f32 unless the precision is [`Precision::F64`].
    pub charges: Vec<f64>,
    /// Positions to evaluate at; `None` for the sources.
    pub receivers: Option<Vec<[f64; 3]>>,
}

impl Problem {
    /// Positions at which the sum is evaluated.
    pub fn receivers(&self) -> &[[f64; 3]] {
        self.receivers.as_deref().unwrap_or(&self.sources)
    }
}

/// A random problem.
pub fn random(dice: &mut Dice) -> Problem {
    let settings = settings::random(dice);
    points::random(dice, settings)
}

/// Makes a random problem and judges it.
///
/// # Errors
///
/// The failure, and the problem that it comes from.
pub fn throw(dice: &mut Dice) -> Result<Outcome, (Failure, Box<Problem>)> {
    let problem = random(dice);
    judge(&problem).map_err(|failure| (failure, Box::new(problem)))
}
