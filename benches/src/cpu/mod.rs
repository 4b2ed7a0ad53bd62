//! The fixed set of the CPU bench: whole pipelines beside their errors, their stages beside what the
//! operators alone would take, and the figures that a user asks about next.
//!
//! A section prints one Markdown table. Times are medians.

pub mod choices;
pub mod direct;
pub mod gravity;
#[cfg(target_arch = "x86_64")]
mod loops;
pub mod pipeline;
pub mod record;

use std::time::Instant;

use fmm::{Field, Fmm, Scalar};
use rayon::ThreadPoolBuilder;
use testbed::{charges, clouds::Cloud, norms, reference, sample};

/// Size of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// A minute: small sets.
    Quick,
    /// Ten minutes: up to 10⁶ points.
    Whole,
}

/// Error of a section.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Points with charges and the exact field at some of them.
#[derive(Debug)]
pub struct CheckedCloud {
    /// Name in tables.
    pub name: String,
    /// Positions.
    pub positions: Vec<[f64; 3]>,
    /// Charges in the order of `positions`.
    pub charges: Vec<f64>,
    /// Receivers whose field is known, ascending.
    checked: Vec<usize>,
    /// Potential and gradient at the checked receivers.
    exact: (Vec<f64>, Vec<[f64; 3]>),
}

impl CheckedCloud {
    /// A cloud with charges of both signs, or with masses; a sample of receivers is checked.
    pub fn new(cloud: Cloud, mixed: bool) -> Self {
        let n = cloud.positions.len();
        let charges = if mixed { charges::mixed(n, 3) } else { charges::masses(n, 2) };
        let checked = sample(n, 1000, 4);
        let receivers: Vec<_> = checked.iter().map(|i| cloud.positions[*i]).collect();
        let exact = reference::direct(&cloud.positions, &charges, &receivers, 0.0);
        let name = format!("{} {n}{}", cloud.name, if mixed { ", ±" } else { ", masses" });
        Self { name, positions: cloud.positions, charges, checked, exact }
    }

    /// Relative L2 errors of potential and gradient.
    pub fn errors<T: Scalar>(&self, field: &Field<T>) -> [f64; 2] {
        let potential: Vec<f64> =
            self.checked.iter().map(|i| field.potential[*i].widen()).collect();
        let gradient: Vec<[f64; 3]> =
            self.checked.iter().map(|i| field.gradient[*i].map(T::widen)).collect();
        [norms::scalar(&potential, &self.exact.0).l2, norms::vector(&gradient, &self.exact.1).l2]
    }
}

/// Plan and evaluation: seconds and field of the run of median time.
///
/// # Errors
///
/// An [`fmm::Error`] of a plan or an evaluation.
pub fn run<T: Scalar>(
    fmm: Fmm,
    positions: &[[T; 3]],
    charges: &[T],
    repeats: usize,
) -> Result<(f64, Field<T>), Failure> {
    let mut runs = Vec::new();
    for _ in 0..repeats {
        let clock = Instant::now();
        let field = fmm.plan(positions)?.evaluate(charges)?;
        runs.push((clock.elapsed().as_secs_f64(), field));
    }
    runs.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(runs.swap_remove(repeats / 2))
}

/// Runs `work` in a pool of `threads` threads.
///
/// # Errors
///
/// The error of `work`, or that of a pool that cannot be made.
pub fn with_threads<R: Send>(
    threads: usize,
    work: impl FnOnce() -> Result<R, Failure> + Send,
) -> Result<R, Failure> {
    ThreadPoolBuilder::new().num_threads(threads).build()?.install(work)
}

/// A row of a Markdown table.
pub fn row(cells: &[String]) {
    println!("| {} |", cells.join(" | "));
}

/// The head of a Markdown table with a title.
pub fn head(title: &str, columns: &[&str]) {
    println!("\n{title}\n\n| {} |\n|{}", columns.join(" | "), "---|".repeat(columns.len()));
}

/// Seconds for a table.
pub fn seconds(s: f64) -> String {
    if s < 0.01 { format!("{:.3} ms", 1e3 * s) } else { format!("{s:.3}") }
}
