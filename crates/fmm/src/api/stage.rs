//! Stages of planning and evaluation, and their seconds.

use std::fmt;
use std::time::Instant;

use tracing::span::EnteredSpan;

/// A stage of planning or evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Stage {
    /// Bounding cube, keys, pseudo-sort, boxes.
    Sort,
    /// Interaction lists and the sequence in which passes work through them.
    Lists,
    /// Charges to multipoles.
    P2m,
    /// Multipoles of children to those of parents.
    M2m,
    /// Multipoles to local expansions of far boxes.
    M2l,
    /// Charges to local expansions of smaller boxes.
    P2l,
    /// Local expansions of parents to those of children.
    L2l,
    /// Local expansions to points.
    L2p,
    /// The treecode's lists of cells and sources.
    Walk,
    /// Multipoles to points: of smaller boxes (list W) in the FMM, of all in the treecode.
    M2p,
    /// Pairs of points. P2P runs beside the far field: on the cores this is its share of the time, on a GPU its time beyond
    /// the far field's.
    P2p,
    /// Multipoles, charges and results between processes: the time that this one waits for them.
    Exchange,
    /// Copies between the host and a GPU, and the host's work on what is copied.
    Transfer,
    /// Direct sums at a few receivers, which tell the error of an evaluation.
    Check,
    /// Tables, checks of the input, gathering charges and scattering results.
    Other,
}

impl Stage {
    /// All stages, as they run one after the other.
    pub const ALL: [Self; 15] = [
        Self::Sort,
        Self::Lists,
        Self::P2m,
        Self::M2m,
        Self::M2l,
        Self::P2l,
        Self::L2l,
        Self::L2p,
        Self::Walk,
        Self::M2p,
        Self::P2p,
        Self::Exchange,
        Self::Transfer,
        Self::Check,
        Self::Other,
    ];

    /// The stage's name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sort => "sort",
            Self::Lists => "lists",
            Self::P2m => "p2m",
            Self::M2m => "m2m",
            Self::M2l => "m2l",
            Self::P2l => "p2l",
            Self::L2l => "l2l",
            Self::L2p => "l2p",
            Self::Walk => "walk",
            Self::M2p => "m2p",
            Self::P2p => "p2p",
            Self::Exchange => "exchange",
            Self::Transfer => "transfer",
            Self::Check => "check",
            Self::Other => "other",
        }
    }

    /// The stage's span, entered.
    pub(crate) fn span(self) -> EnteredSpan {
        tracing::debug_span!("stage", name = self.name()).entered()
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Seconds spent in each [`Stage`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Seconds([f64; Stage::ALL.len()]);

impl Seconds {
    /// Seconds in one stage.
    pub fn of(&self, stage: Stage) -> f64 {
        self.0[stage as usize]
    }

    /// Stages, each with its seconds.
    pub fn iter(&self) -> impl Iterator<Item = (Stage, f64)> {
        Stage::ALL.into_iter().map(|stage| (stage, self.of(stage)))
    }

    /// Seconds in all stages together.
    pub fn total(&self) -> f64 {
        self.0.iter().sum()
    }

    /// Seconds in all stages but copies between the host and a GPU.
    pub fn without_copies(&self) -> f64 {
        self.total() - self.of(Stage::Transfer)
    }

    /// Seconds by stage, in the order of [`Stage::ALL`].
    pub(crate) fn to_array(self) -> [f64; Stage::ALL.len()] {
        self.0
    }

    /// The inverse of [`Self::to_array`]; stages that are missing have none.
    pub(crate) fn from_slice(seconds: &[f64]) -> Self {
        let mut all = Self::default();
        all.0.iter_mut().zip(seconds).for_each(|(to, from)| *to = *from);
        all
    }

    /// Seconds of one stage alone.
    pub(crate) fn of_stage(stage: Stage, seconds: f64) -> Self {
        let mut all = Self::default();
        all.add(stage, seconds);
        all
    }

    /// Seconds of another total, shared among the stages as these are.
    pub(crate) fn with_total(self, total: f64) -> Self {
        let factor = total / self.total().max(f64::MIN_POSITIVE);
        Self(self.0.map(|seconds| factor * seconds))
    }

    /// Counts seconds for `stage`.
    pub(crate) fn add(&mut self, stage: Stage, seconds: f64) {
        self.0[stage as usize] += seconds;
    }

    /// Runs `work` and counts its time for `stage`.
    pub(crate) fn time<R>(&mut self, stage: Stage, work: impl FnOnce() -> R) -> R {
        let _span = stage.span();
        let start = Instant::now();
        let result = work();
        self.add(stage, start.elapsed().as_secs_f64());
        result
    }
}

impl std::ops::Add for Seconds {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        for (sum, seconds) in self.0.iter_mut().zip(other.0) {
            *sum += seconds;
        }
        self
    }
}
