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
    /// Exchange of words between the lanes of a warp, a barrier as well.
    Exchange,
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
    /// Number of the last exchange that the thread took part in. All lanes of a warp that have not ended have the same number,
    /// because threads that wait together wait for the same thing.
    pub(super) exchanges: Cell<u32>,
    pub(super) exchange: *mut Exchange,
    pub(super) yielder: *const Yielder<(), Wait>,
}

/// Words that the lanes of a warp exchange. Two take turns, so that a thread that is ahead does not overwrite a word that another
/// has still to read.
pub(super) type Exchange = [Words; 2];

/// Words of one exchange.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Words {
    /// Number of the exchange.
    number: u32,
    /// Lanes that take part, one bit each.
    lanes: u32,
    /// Bitwise or of their words, for the collectives that ask for no more: a vote is the or of one bit a lane.
    pub(super) or: u64,
    words: [u64; 32],
}

impl Words {
    /// Adds the word of a lane. The first lane of an exchange begins anew.
    pub(super) fn add(&mut self, number: u32, lane: u32, word: u64) {
        if self.number != number {
            (self.number, self.lanes, self.or) = (number, 0, 0);
        }
        self.lanes |= 1 << lane;
        self.or |= word;
        self.words[lane as usize] = word;
    }

    /// Word of a lane, none if the lane has ended.
    pub(super) fn of(&self, lane: u32) -> Option<u64> {
        (self.lanes >> lane & 1 == 1).then_some(self.words[lane as usize])
    }
}

std::thread_local! {
    static CURRENT: Cell<*const Context> = const { Cell::new(ptr::null()) };
}

/// Time of a launch: what ran before runs on afterwards, whether the launch ends or panics.
#[derive(Debug)]
pub(super) struct Launch {
    before: *const Context,
}

impl Launch {
    pub(super) fn begin() -> Self {
        Self { before: CURRENT.get() }
    }
}

impl Drop for Launch {
    fn drop(&mut self) {
        CURRENT.set(self.before);
    }
}

/// Registers `context` as that of the calling coroutine.
pub(super) fn enter(context: *const Context) {
    CURRENT.set(context);
}

/// Context of the thread that runs.
#[inline(always)]
pub(super) fn current() -> &'static Context {
    let context = inside();
    // SAFETY: set by `enter` or `wait` to the context on the stack of the coroutine that runs, and taken back by `Launch`.
    unsafe { &*context }
}

/// Refuses what a kernel alone may do.
///
/// # Panics
/// Outside a kernel.
#[inline(always)]
pub(super) fn inside() -> *const Context {
    let context = CURRENT.get();
    if context.is_null() {
        outside();
    }
    context
}

#[cold]
#[inline(never)]
fn outside() -> ! {
    panic!("device functions run inside a kernel only");
}

/// Suspends the thread until all threads that it waits for have arrived.
#[inline]
pub(super) fn wait(wait: Wait) {
    let context: *const Context = current();
    // SAFETY: the context and the yielder live as long as their coroutine, whose stack this is.
    unsafe { (*(*context).yielder).suspend(wait) };
    CURRENT.set(context);
}
