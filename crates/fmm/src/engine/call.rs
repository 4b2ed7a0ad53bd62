//! Calls of a plan, which all ranks make together.

/// A call of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    pub(crate) kind: CallKind,
    /// Vectors of charges that it brings for sums.
    pub(crate) n_vectors: usize,
}

/// Kind of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CallKind {
    Evaluate,
    /// An evaluation of charges in f64 by sums in f32.
    EvaluateF64,
    Move,
    /// A move to positions in f64 of a plan in f32.
    MoveF64,
    SampleError,
    /// A sampled error against charges in f64 of a field in f32.
    SampleErrorF64,
}

impl Call {
    /// A call without vectors for sums.
    pub(crate) fn of(kind: CallKind) -> Self {
        Self { kind, n_vectors: 0 }
    }

    /// A call with vectors.
    pub(crate) fn of_vectors(kind: CallKind, n_vectors: usize) -> Self {
        Self { kind, n_vectors }
    }

    /// Numbers that tell calls apart, for messages.
    pub(crate) fn numbers(self) -> [u64; 2] {
        [self.kind as u64, self.n_vectors as u64]
    }
}
