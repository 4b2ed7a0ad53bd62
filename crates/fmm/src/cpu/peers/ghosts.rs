//! Ghosts: sources of other processes among those of this one, and boxes whose multipoles come from there.

use std::ops::Range;

use crate::api::Error;

/// Parts of a geometry that belong to other processes.
#[derive(Clone, Debug)]
pub(crate) struct Ghosts {
    /// Tree positions of this process's own sources, which follow each other; all others are ghosts.
    pub(crate) own: Range<usize>,
    /// Whether each box has sources, here or elsewhere.
    pub(crate) acts: Vec<bool>,
    /// Whether expansions act in any process, so that all exchange multipoles.
    pub(crate) expands: bool,
}

/// The other processes, as the passes of an evaluation see them.
pub(crate) trait Peers<T>: Sync {
    /// Begins to send the multipoles that others need, one row of an order by box.
    fn start<'a>(
        &'a self,
        multipoles: &[T],
        order: usize,
    ) -> Result<Box<dyn Coming<T> + 'a>, Error>;
}

/// Multipoles of other processes under way.
pub(crate) trait Coming<T> {
    /// Waits for them, and completes those of boxes that several processes share.
    fn finish(self: Box<Self>, multipoles: &mut [T], order: usize) -> Result<(), Error>;
}
