//! Memory of the pipeline: reserved for a form of the expansions, and what stands between evaluations.

use kernels_gpu::machine::{Launcher, MachineError};
use kernels_gpu::operators::coefficients::groups;

use super::Pipeline;
use super::form::{Expansions, Form};
use crate::api::{DeviceMemory, Error};
use crate::engine::{COARSEST_FAR_LEVEL, PointCounts, TreeSize};
use crate::gpu::Number;
use crate::gpu::memory::keeping::Keeping;
use crate::gpu::memory::together::Together;
use crate::gpu::memory::{Demand, shares};

impl<M: Launcher + Clone, T: Number> Pipeline<M, T> {
    /// Whether the tree is deep enough for anything to be far from anything.
    pub(super) fn has_far(&self) -> bool {
        let own = || self.tree.n_levels();
        self.ghosts.as_ref().map_or_else(own, |ghosts| ghosts.n_all_levels) > COARSEST_FAR_LEVEL
    }

    /// Takes the memory of an evaluation by expansions, and makes their tables, whose place it returns; there is none in a
    /// tree without far boxes.
    pub(crate) fn reserve(&mut self, form: Form) -> Result<Option<usize>, MachineError> {
        let order = form.order;
        let (n_boxes, n_receivers) = (self.list_tree().n_boxes(), self.tree.n_receivers());
        self.sums.reserve(&self.machine, n_receivers)?;
        if !self.has_far() {
            return Ok(None);
        }
        let place = self.prepare(form)?;
        let scratch = self.scratch_length(place);
        self.scratch.reserve(&self.machine, scratch)?;
        let own = groups(order) * self.tree.n_boxes();
        self.multipole.reserve(&self.machine, own)?;
        self.local.reserve(&self.machine, groups(order) * n_boxes)?;
        if let Some(ghosts) = &mut self.ghosts {
            ghosts.reserve(&self.machine, groups(order))?;
        }
        if self.keeping < Keeping::Least {
            self.reserve_expected()?;
            self.more.reserve(&self.machine, n_receivers)?;
        }
        self.leaf_of.reserve(&self.machine, n_receivers)?;
        Ok(Some(place))
    }

    /// Memory of the plan by part.
    pub(crate) fn memory(&self, expansions: Expansions) -> DeviceMemory {
        let together = self.together.as_ref().map_or(0, Together::bytes);
        let memory = self.demand(expansions).memory(self.keeping);
        let (results, peak) = (memory.results + together, memory.peak + together);
        DeviceMemory { results, peak, ..memory }
    }

    /// Bytes of the plan that are there between evaluations.
    pub(crate) fn held(&self, expansions: Expansions) -> usize {
        self.demand(expansions).held(self.keeping)
    }

    /// Keeps less, where a tree that stands takes more than was `granted` and does not fit beside what other plans have; so
    /// many bytes of this one are `waiting` outside the pipeline, besides its points. Refuses what does not fit if no less than
    /// `least` is kept.
    pub(crate) fn keep_what_fits(
        &mut self,
        expansions: Expansions,
        granted: usize,
        waiting: usize,
        (limit, least): (Option<usize>, Keeping),
    ) -> Result<(), Error> {
        let demand = self.demand(expansions);
        if demand.memory(self.keeping).peak <= granted {
            return Ok(());
        }
        let taken = demand.standing(self.keeping).saturating_add(waiting);
        let free = self.machine.free_bytes()?.saturating_add(taken);
        let free = free.min(limit.unwrap_or(usize::MAX));
        self.keeping = demand.keeping_within(free, self.keeping..=least)?;
        self.end_sort();
        self.end_lists();
        Ok(())
    }

    /// The size of the plan, now that tree and lists stand.
    fn demand(&self, expansions: Expansions) -> Demand {
        let tree = self.list_tree();
        let (n_boxes, n_leaves) = (tree.n_boxes(), tree.n_leaves());
        let families = n_boxes.saturating_sub(n_leaves) as f64;
        let deepest = 8 * tree.n_levels().saturating_sub(1);
        let counts = PointCounts {
            n_sources: tree.n_sources(),
            n_receivers: tree.n_receivers(),
            one_set: tree.sources_are_receivers(),
        };
        Demand {
            counts,
            size: TreeSize { boxes: n_boxes as f64, families },
            // What a sum before took stays.
            shares: shares(counts, expansions, n_boxes as f64).max(self.direct.share_vectors()),
            upper: f64::from(tree.level_starts().get(deepest).copied().unwrap_or_default()),
            items: self.lists.n_items().iter().sum::<usize>() as f64,
            expansions,
            float_bytes: size_of::<T>(),
        }
    }
}
