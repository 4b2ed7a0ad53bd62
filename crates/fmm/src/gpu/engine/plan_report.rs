//! Pairs of a plan, and its report.

use kernels_gpu::lists::census::PairCounts;
use kernels_gpu::machine::{Launcher, MachineError};
use kernels_gpu::tree::Tree;

use crate::api::{DeviceMemory, Report, Request};
use crate::choose::{ListPairs, Scheme, TreeStatistics};
use crate::engine::Scalar;
use crate::gpu::Number;
use crate::gpu::pipeline::Pipeline;

/// Trees and lists that were built, of one plan or of its parts together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Built {
    pub(crate) levels: usize,
    pub(crate) boxes: usize,
    pub(crate) leaves: usize,
    pub(crate) pairs: PairCounts,
    pub(crate) memory: DeviceMemory,
}

impl Built {
    pub(crate) fn of<M: Launcher>(tree: &Tree<M>, pairs: PairCounts, memory: DeviceMemory) -> Self {
        let (levels, boxes, leaves) = (tree.n_levels(), tree.n_boxes(), tree.n_leaves());
        Self { levels, boxes, leaves, pairs, memory }
    }

    /// The report of the plan, without seconds.
    pub(crate) fn report<T: Scalar>(
        &self,
        request: &Request,
        name: &str,
        tree: &TreeStatistics,
    ) -> Report {
        let (scheme, counts) = (&tree.scheme, tree.counts);
        let PairCounts { p2p, m2l, m2p, p2l, far_m2p } = self.pairs;
        let pairs = ListPairs { p2p, m2l, m2p, p2l, far_m2p };
        let mut report = Report {
            n_sources: counts.n_sources,
            n_receivers: counts.n_receivers,
            levels: self.levels,
            boxes: self.boxes,
            leaves: self.leaves,
            bytes: self.memory.peak,
            device_memory: Some(self.memory),
            ..scheme.plan_report::<T>(request, name.to_owned(), pairs)
        };
        scheme.report(tree.expands, &mut report);
        report
    }
}

/// Whether expansions or cells are in use, with these pairs.
pub(crate) fn expands(scheme: &Scheme, pairs: PairCounts) -> bool {
    scheme.algorithm.walks() || pairs.m2l + pairs.m2p + pairs.p2l > 0
}

impl<M: Launcher + Clone, T: Number> Pipeline<M, T> {
    /// Pairs of the lists. A walk makes its lists as it goes.
    pub(crate) fn count_pairs(&mut self, scheme: &Scheme) -> Result<PairCounts, MachineError> {
        let Self { machine, tree, lists, counts, .. } = self;
        if scheme.algorithm.walks() {
            return Ok(PairCounts::default());
        }
        if tree.n_boxes() > 1 {
            return lists.census(machine, tree, counts);
        }
        let p2p = tree.n_sources() as u64 * tree.n_receivers() as u64;
        Ok(PairCounts { p2p, ..PairCounts::default() })
    }
}
