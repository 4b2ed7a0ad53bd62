//! The report: what was chosen, what was counted and where the time went.

use std::borrow::Cow;
use std::fmt;

use super::device::Device;
use super::memory::DeviceMemory;
use super::opening::Opening;
use super::options::{M2l, Method, Tolerance};
use super::precision::Precision;
use super::stage::Seconds;

/// Account of a plan or an evaluation: choices, counts, memory, seconds by stage.
///
/// [`Plan::report`](crate::Plan::report) gives a plan's, and [`Field::report`](crate::Field::report) an evaluation's,
/// which repeats the plan's entries and adds its own. `Display` prints a line an entry, in the words of the glossary.
/// Counts of pairs do not grow with the number of charge vectors, but for heavy charges that are summed directly.
///
/// ```
/// use fmm::{Fmm, Precision, Stage};
///
/// let plan = Fmm::new().plan(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])?;
/// let report = plan.evaluate(&[1.0, 2.0])?.report;
/// assert_eq!((report.n_receivers, report.precision), (2, Precision::F64));
/// println!("{} by {}, P2P {:.1e} s", report.device, report.method, report.seconds.of(Stage::P2p));
/// # Ok::<(), fmm::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Report {
    /// Number of sources.
    pub n_sources: usize,
    /// Number of receivers.
    pub n_receivers: usize,
    /// Numbers of places of sources and of receivers, where many points coincide and those of one place are merged; `None`
    /// where no points are. Counts of pairs are then those of places.
    pub places: Option<[usize; 2]>,
    /// Charge vectors evaluated at once; 0 in a plan's report.
    pub n_vectors: usize,
    /// The method in use: never [`Method::Auto`], and [`Method::Direct`] where a check of the tolerance ended in the direct
    /// sum. The treecode has the options of the request.
    pub method: Method,
    /// The treecode's opening criterion in use; `None` for other methods.
    pub opening: Option<Opening>,
    /// The form of M2L in use; `None` for methods other than the FMM.
    pub m2l: Option<M2l>,
    /// The device in use.
    pub device: Device,
    /// The vector instructions in use, or the name of the GPU.
    pub instructions: Cow<'static, str>,
    /// The float type of positions, charges and results.
    pub precision: Precision,
    /// The tolerance asked for.
    pub tolerance: Tolerance,
    /// Order p of the expansions, degrees 0 … p − 1; 0 where there are none.
    pub order: usize,
    /// Expected relative L2 error of the worse of the outputs, from measurements: that of expansions, 0 where there are none.
    /// Pairs and rounding add less than the tolerance.
    pub predicted_error: f64,
    /// Relative L2 error of the worse of the outputs and charge vectors, estimated at a few receivers against the direct
    /// sum; `None` in a plan's report, and where no relative tolerance was asked for.
    pub estimated_error: Option<f64>,
    /// The softening length asked for; 0 without softening.
    pub softening: f64,
    /// Most sources, and most receivers, of a leaf above [`level_limit`](Self::level_limit) in trees of adaptive depth; `None`
    /// for other trees.
    pub leaf_capacity: Option<usize>,
    /// Deepest level that a tree of adaptive depth may have, where softening or the request limits it. Leaves of this level
    /// hold any number of points.
    pub level_limit: Option<usize>,
    /// Levels of the tree.
    pub levels: usize,
    /// Boxes that are not empty.
    pub boxes: usize,
    /// Boxes without children.
    pub leaves: usize,
    /// Pairs of a source and a receiver summed by P2P.
    pub p2p_pairs: u64,
    /// Pairs of boxes translated by M2L.
    pub m2l_pairs: u64,
    /// Pairs of a box and a receiver evaluated by M2P.
    pub m2p_pairs: u64,
    /// Pairs of a source and a box expanded by P2L.
    pub p2l_pairs: u64,
    /// Clumps of points that the deepest level does not split and that have a tree of their own, which sums their near
    /// pairs. Counts of pairs include theirs; levels, boxes and leaves are those of the tree of all points.
    pub clumps: usize,
    /// |Σ q ∇Φ| / Σ |q ∇Φ|, where the receivers are the sources and there is a gradient: the total force
    /// on an isolated system, which is zero but for errors.
    pub net_force: Option<f64>,
    /// Memory of plan and workspace in bytes, estimated; in a plan's report, of the plan alone. On a GPU, that of the device.
    pub bytes: usize,
    /// Memory of the GPU by part; `None` on the cores.
    pub device_memory: Option<DeviceMemory>,
    /// Seconds by stage: planning, and in an evaluation's report the evaluation added. Over ranks, those of this rank.
    pub seconds: Seconds,
    /// Account of each rank, for a plan over ranks; counts of points, boxes and pairs are then those of all ranks.
    pub ranks: Option<RanksReport>,
}

/// Ranks of a plan over several processes.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RanksReport {
    /// The rank of this report.
    pub rank: usize,
    /// Work of the rank with the most over the mean, minus 1. Work is the seconds of an evaluation by the cost table, for
    /// the pairs and boxes that each rank counts in its lists; in the direct sum, and over ranks with a GPU each, its number of
    /// receivers.
    pub imbalance: f64,
    /// Points of the rank with the most over the mean, minus 1.
    pub imbalance_of_points: f64,
    /// The origin of the cuts between ranks.
    pub cuts: RankCuts,
    /// Entries of all ranks, by rank.
    pub ranks: Vec<RankReport>,
}

/// Origin of the cuts between ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RankCuts {
    /// No cuts: each rank has the receivers that it brought, for the direct sum.
    #[default]
    AsBrought,
    /// Cuts by numbers of points, whose imbalance of work was within the limit or could not be made much better.
    ByPoints,
    /// Cuts by the work that ranks counted between earlier cuts.
    ByWork,
    /// Cuts of the plan before the points moved.
    Kept,
}

impl fmt::Display for RankCuts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AsBrought => "as brought",
            Self::ByPoints => "by points",
            Self::ByWork => "by work",
            Self::Kept => "kept",
        })
    }
}

/// Account of one rank.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct RankReport {
    /// Seconds by stage.
    pub seconds: Seconds,
    /// Messages sent since the communicator was made.
    pub messages: u64,
    /// Bytes of those messages.
    pub bytes_sent: u64,
    /// Bytes received.
    pub bytes_received: u64,
    /// Memory of plan and workspace in bytes.
    pub bytes: usize,
}

impl Report {
    /// Estimated error over the tolerance, where the tolerance was not reached: the attempts that were worth their time
    /// had larger errors. `None` where the tolerance holds, or none was asked for.
    pub fn excess(&self) -> Option<f64> {
        let (Tolerance::L2(tolerance), Some(error)) = (self.tolerance, self.estimated_error) else {
            return None;
        };
        match error <= tolerance {
            true => None,
            // An error that is no number is an excess too.
            false => Some(error / tolerance),
        }
    }

    /// Adds pairs, clumps and memory of a clump's plan or evaluation, and takes its expected error if that is larger.
    pub(crate) fn add_inner(&mut self, inner: &Self) {
        self.p2p_pairs += inner.p2p_pairs;
        self.m2l_pairs += inner.m2l_pairs;
        self.m2p_pairs += inner.m2p_pairs;
        self.p2l_pairs += inner.p2l_pairs;
        self.clumps += 1 + inner.clumps;
        self.bytes += inner.bytes;
        self.predicted_error = self.predicted_error.max(inner.predicted_error);
    }

    /// Subtracts the pairs of a clump's plan.
    pub(crate) fn subtract_pairs(&mut self, inner: &Self) {
        self.p2p_pairs -= inner.p2p_pairs;
        self.m2l_pairs -= inner.m2l_pairs;
        self.m2p_pairs -= inner.m2p_pairs;
        self.p2l_pairs -= inner.p2l_pairs;
    }
}

/// Share of all pairs from which on a report tells that expansions have little part in a sum.
const MOST_PAIRS: f64 = 0.5;

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write_request(f)?;
        if self.order > 0 {
            self.write_tree(f)?;
        }
        self.write_error(f)?;
        self.write_pairs(f)?;
        self.write_costs(f)
    }
}

/// Lines of the report, by what they tell of.
impl Report {
    fn write_request(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { n_sources, n_receivers, method, device, instructions, precision, .. } = self;
        writeln!(f, "sources     {n_sources}")?;
        writeln!(f, "receivers   {n_receivers}")?;
        if let Some([of_sources, of_receivers]) = self.places {
            writeln!(f, "places      {of_sources} of sources, {of_receivers} of receivers")?;
        }
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
        if self.softening > 0.0 {
            writeln!(f, "softening   {}", self.softening)?;
        }
        Ok(())
    }

    fn write_tree(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { order, predicted_error, levels, boxes, leaves, .. } = self;
        let capacity = self.leaf_capacity;
        let capacity = capacity.map_or(String::new(), |c| format!(", at most {c} points a leaf"));
        let limit = self.level_limit.filter(|limit| levels > limit);
        let limit = limit.map_or(String::new(), |limit| format!(" above level {limit}"));
        writeln!(f, "order       {order} (expected error {predicted_error:.1e})")?;
        if let Some(m2l) = self.m2l {
            writeln!(f, "M2L by      {m2l}")?;
        }
        writeln!(f, "tree        {levels} levels, {boxes} boxes, {leaves} leaves{capacity}{limit}")
    }

    fn write_error(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(error) = self.estimated_error {
            writeln!(f, "error       {error:.1e} (estimated)")?;
        }
        if let Some(excess) = self.excess() {
            writeln!(f, "            the tolerance is NOT reached: {excess:.1} times as large")?;
        }
        Ok(())
    }

    fn write_pairs(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.clumps > 0 {
            writeln!(f, "clumps      {} with trees of their own", self.clumps)?;
        }
        let Self { m2l_pairs, m2p_pairs, p2l_pairs, p2p_pairs, .. } = *self;
        let pairs =
            [("M2L", m2l_pairs), ("M2P", m2p_pairs), ("P2L", p2l_pairs), ("P2P", p2p_pairs)];
        for (name, pairs) in pairs.into_iter().filter(|(_, pairs)| *pairs > 0) {
            writeln!(f, "{name} pairs   {:.3e}", pairs as f64)?;
        }
        let all_pairs = self.n_sources as f64 * self.n_receivers as f64;
        if self.method != Method::Direct && p2p_pairs as f64 > MOST_PAIRS * all_pairs {
            writeln!(f, "            most pairs are summed one by one, as the direct sum does")?;
        }
        if let Some(net_force) = self.net_force {
            writeln!(f, "net force   {net_force:.1e} of the sum of magnitudes")?;
        }
        Ok(())
    }

    fn write_costs(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.device_memory {
            Some(memory) => writeln!(f, "memory      {memory}")?,
            None => writeln!(f, "memory      {:.1} MB", self.bytes as f64 / 1e6)?,
        }
        writeln!(f, "seconds     {:.4}", self.seconds.total())?;
        for (stage, seconds) in self.seconds.iter().filter(|(_, seconds)| *seconds > 0.0) {
            let share = 100.0 * seconds / self.seconds.total();
            writeln!(f, "  {stage:<9} {seconds:.4}  {share:5.1} %")?;
        }
        Ok(())
    }
}
