//! Stacks of emulated threads.

use corosensei::stack::{DefaultStack, Stack, StackPointer};
use std::io;

/// Stack that begins some cache lines below its end, as many as its colour says.
///
/// Stacks end at borders of pages, where the lines that threads use most would share one set of a cache: the threads of a warp, which
/// take turns at each collective, would displace each other's.
pub(super) struct ThreadStack {
    stack: DefaultStack,
    colour: usize,
}

const STACK_BYTES: usize = 256 << 10;

/// Bytes between the beginnings of stacks of neighbouring colours: an odd number of cache lines, so that no two of a warp's stacks
/// begin in the same set of a cache whose sets are a page long.
const COLOUR_BYTES: usize = 5 * 64;

impl ThreadStack {
    /// Stack of thread `thread` of a block.
    pub(super) fn new(thread: usize) -> io::Result<Self> {
        Ok(Self { stack: DefaultStack::new(STACK_BYTES)?, colour: thread % 64 })
    }
}

// SAFETY: the stack is a part of one that has a guard page, and less than a tenth is left out; a line of the cache keeps the alignment.
unsafe impl Stack for ThreadStack {
    #[inline]
    fn base(&self) -> StackPointer {
        let end = self.stack.base();
        StackPointer::new(end.get() - COLOUR_BYTES * self.colour).unwrap_or(end)
    }

    #[inline]
    fn limit(&self) -> StackPointer {
        self.stack.limit()
    }

    #[cfg(windows)]
    fn teb_fields(&self) -> corosensei::stack::StackTebFields {
        self.stack.teb_fields()
    }

    #[cfg(windows)]
    fn update_teb_fields(&mut self, stack_limit: usize, guaranteed_stack_bytes: usize) {
        self.stack.update_teb_fields(stack_limit, guaranteed_stack_bytes);
    }
}
