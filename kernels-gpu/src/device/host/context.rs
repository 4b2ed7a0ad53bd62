//! Context of the emulated thread that runs, and its waits.

use crate::machine::Grid;
use corosensei::Yielder;
use std::cell::Cell;
use std::ptr;

/// Barrier that a thread waits at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// Barrier of the warp.
    Warp,
    /// Barrier of the block.
    Block,
}

/// Indices, memory and coroutine of the thread that runs.
#[derive(Debug)]
pub(super) struct Context {
    pub(super) thread: u32,
    pub(super) block: [u32; 2],
    pub(super) grid: Grid,
    pub(super) shared: *mut u8,
    pub(super) exchange: *mut Exchange,
    pub(super) yielder: *const Yielder<(), Wait>,
}

/// Words that the lanes of a warp exchange, each with the number of the exchange. Two buffers take turns, so that a thread
/// that is ahead does not overwrite a word that another has still to read.
#[derive(Clone, Debug, Default)]
pub(super) struct Exchange {
    pub(super) words: [[(u32, u32); 32]; 2],
    pub(super) count: [u32; 32],
}

std::thread_local! {
    static CURRENT: Cell<*const Context> = const { Cell::new(ptr::null()) };
}

/// Registers `context` as that of the calling coroutine.
pub(super) fn enter(context: *const Context) {
    CURRENT.set(context);
}

/// Context of the thread that runs.
#[inline]
pub(super) fn current() -> &'static Context {
    let context = CURRENT.get();
    assert!(!context.is_null(), "device functions run inside a kernel only");
    // SAFETY: set by `enter` or `wait` to the context on the stack of the coroutine that runs.
    unsafe { &*context }
}

/// Suspends the thread until all threads that it waits for have arrived.
#[inline]
pub(super) fn wait(wait: Wait) {
    let context: *const Context = current();
    // SAFETY: the context and the yielder live as long as their coroutine, whose stack this is.
    unsafe { (*(*context).yielder).suspend(wait) };
    CURRENT.set(context);
}
