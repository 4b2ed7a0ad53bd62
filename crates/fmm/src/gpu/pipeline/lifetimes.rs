//! Ends of phases: memory that is given back.

use kernels_gpu::machine::Launcher;

use super::Pipeline;
use crate::gpu::Number;
use crate::gpu::memory::keeping::Keeping;

impl<M: Launcher + Clone, T: Number> Pipeline<M, T> {
    /// Gives back what the last evaluation used, before points are sorted.
    pub(crate) fn begin_build(&mut self) {
        if self.keeping == Keeping::All {
            return;
        }
        for memory in [
            &mut self.multipole,
            &mut self.local,
            &mut self.sources,
            &mut self.receivers,
            &mut self.sums,
            &mut self.more,
        ] {
            memory.release();
        }
        self.leaf_of.release();
        self.expected.release();
        self.scratch.release();
        self.lists.release();
        self.near.release();
        self.treecode.release();
    }

    /// Gives back what the sort used.
    pub(crate) fn end_sort(&mut self) {
        if self.keeping > Keeping::All {
            self.tree.release_scratch();
        }
    }

    /// Gives back the leaves of the receivers, whose memory the errors to expect take, if no more than the least is kept.
    pub(super) fn end_leaves(&mut self) {
        if self.keeping == Keeping::Least {
            self.leaf_of.release();
        }
    }

    /// Releases multipoles and scratch, which nothing reads once there are local expansions, if no more than the least is kept.
    pub(super) fn end_multipoles(&mut self) {
        self.end_leaves();
        if self.keeping == Keeping::Least {
            self.multipole.release();
            self.scratch.release();
        }
    }

    /// Gives back expansions, whose memory the field takes, if no more than the least is kept.
    pub(super) fn end_far(&mut self) {
        self.end_multipoles();
        if self.keeping == Keeping::Least {
            self.local.release();
        }
    }

    /// Gives back what the making of lists used.
    pub(crate) fn end_lists(&mut self) {
        if self.keeping > Keeping::All {
            self.lists.release_scratch();
            self.near.release_scratch();
        }
    }
}
