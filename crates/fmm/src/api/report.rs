//! The report: what was chosen, what was counted and where the time went.

use std::borrow::Cow;
use std::fmt;

use super::device::Device;
use super::opening::Opening;
use super::options::{M2l, Method, Tolerance};
use super::stage::Seconds;

/// Account of a plan or an evaluation. `Display` prints it for people.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// Number of sources.
    pub n_sources: usize,
    /// Number of receivers.
    pub n_receivers: usize,
    /// Charge vectors evaluated at once; 0 in a plan's report.
    pub n_vectors: usize,
    /// The method in use: never [`Method::Auto`]. The treecode has the options of the request.
    pub method: Method,
    /// The treecode's opening criterion in use.
    pub opening: Option<Opening>,
    /// The form of M2L in use, in the FMM.
    pub m2l: Option<M2l>,
    /// The device in use.
    pub device: Device,
    /// The vector instructions in use, or the name of the GPU.
    pub instructions: Cow<'static, str>,
    /// `"f32"` or `"f64"`.
    pub precision: &'static str,
    /// The tolerance asked for.
    pub tolerance: Tolerance,
    /// Order p of the expansions, degrees 0 … p − 1; 0 where there are none.
    pub order: usize,
    /// Expected relative L2 error of the worse of the outputs, from measurements; 0 where rounding
    /// is all there is.
    pub predicted_error: f64,
    /// A box with more points than this was split, in trees of adaptive depth.
    pub leaf_capacity: Option<usize>,
    /// Levels of the tree.
    pub levels: usize,
    /// Boxes that are not empty.
    pub boxes: usize,
    /// Boxes without children.
    pub leaves: usize,
    /// Pairs of points summed by P2P.
    pub p2p_pairs: u64,
    /// Pairs of boxes translated by M2L.
    pub m2l_pairs: u64,
    /// Pairs of box and point evaluated by M2P.
    pub m2p_pairs: u64,
    /// Pairs of point and box expanded by P2L.
    pub p2l_pairs: u64,
    /// |Σ q ∇Φ| / Σ |q ∇Φ|, where the receivers are the sources and there is a gradient: the total force
    /// on an isolated system, which is zero but for errors.
    pub net_force: Option<f64>,
    /// Memory of plan and workspace, estimated.
    pub bytes: usize,
    /// Seconds per stage: those of the plan, and in an evaluation's report the evaluation's added.
    pub seconds: Seconds,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n_sources, n_receivers, method, device, instructions, precision, .. } = self;
        writeln!(f, "sources     {n_sources}")?;
        writeln!(f, "receivers   {n_receivers}")?;
        writeln!(f, "method      {method} on {device} ({instructions}, {precision})")?;
        if let Some(opening) = self.opening {
            writeln!(f, "opening     {opening}")?;
        }
        match self.tolerance {
            Tolerance::L2(tolerance) => writeln!(f, "tolerance   {tolerance:.1e} (relative L2)")?,
            Tolerance::Guaranteed(tolerance) => {
                writeln!(f, "tolerance   {tolerance:.1e} (guaranteed)")?;
            }
            Tolerance::Order(order) => writeln!(f, "tolerance   that of order {order}")?,
        }
        if self.order > 0 {
            let capacity = self
                .leaf_capacity
                .map_or(String::new(), |c| format!(", at most {c} points a leaf"));
            writeln!(
                f,
                "order       {} (expected error {:.1e})",
                self.order, self.predicted_error
            )?;
            if let Some(m2l) = self.m2l {
                writeln!(f, "M2L by      {m2l}")?;
            }
            writeln!(
                f,
                "tree        {} levels, {} boxes, {} leaves{capacity}",
                self.levels, self.boxes, self.leaves
            )?;
        }
        for (name, pairs) in [
            ("M2L", self.m2l_pairs),
            ("M2P", self.m2p_pairs),
            ("P2L", self.p2l_pairs),
            ("P2P", self.p2p_pairs),
        ] {
            if pairs > 0 {
                writeln!(f, "{name} pairs   {:.3e}", pairs as f64)?;
            }
        }
        if let Some(net_force) = self.net_force {
            writeln!(f, "net force   {net_force:.1e} of the sum of magnitudes")?;
        }
        writeln!(f, "memory      {:.1} MB", self.bytes as f64 / 1e6)?;
        writeln!(f, "seconds     {:.4}", self.seconds.total())?;
        for (stage, seconds) in self.seconds.iter().filter(|(_, seconds)| *seconds > 0.0) {
            let share = 100.0 * seconds / self.seconds.total();
            writeln!(f, "  {stage:<9} {seconds:.4}  {share:5.1} %")?;
        }
        Ok(())
    }
}
