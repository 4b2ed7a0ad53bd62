//! Emulated block of threads: coroutines that take turns until all wait at the same barrier.

use super::SharedMemory;
use super::context::{Context, Exchange, Wait, enter};
use super::stack::ThreadStack;
use crate::machine::Grid;
use corosensei::{Coroutine, CoroutineResult};
use std::cell::{Cell, RefCell};
use std::vec::Vec;

type Thread = Coroutine<(), Wait, (), ThreadStack>;

/// Thread of a block, none once it has ended.
type Place = Option<Thread>;

/// Memory of a block and stacks of its threads. Blocks run one after the other and reuse both; the next launch of a host's thread
/// reuses the stacks.
pub(super) struct Block {
    grid: Grid,
    shared: SharedMemory,
    stacks: Vec<ThreadStack>,
}

const WARP: usize = 32;

std::thread_local! {
    /// Stacks that no block uses: the system takes longer to give one than a short thread runs.
    static IDLE: RefCell<Vec<ThreadStack>> = const { RefCell::new(Vec::new()) };
}

impl Block {
    pub(super) fn new(grid: Grid) -> Self {
        let shared = std::vec![0; grid.shared_bytes.div_ceil(16) as usize];
        Self { grid, shared, stacks: IDLE.take() }
    }

    /// Runs all threads of block `index` to their end.
    pub(super) fn run<A: Copy + 'static>(&mut self, index: [u32; 2], kernel: fn(A), args: A) {
        let threads = self.grid.threads as usize;
        // Nothing may rely on what an earlier block left.
        self.shared.fill(0x7ff8_dead_7ff8_dead_7ff8_dead_7ff8_dead);
        let mut exchanges = std::vec![Exchange::default(); threads.div_ceil(WARP)];
        let mut places: Vec<Place> = (0..self.grid.threads)
            .map(|thread| {
                let stack = self.stacks.pop().unwrap_or_else(|| {
                    ThreadStack::new(thread as usize)
                        .expect("the emulator needs a stack for each thread")
                });
                let (grid, shared) = (self.grid, self.shared.as_mut_ptr().cast());
                let exchange: *mut Exchange = &raw mut exchanges[thread as usize / WARP];
                Some(Coroutine::with_stack(stack, move |yielder, ()| {
                    let exchanges = Cell::new(0);
                    let context = Context {
                        thread,
                        block: index,
                        grid,
                        shared,
                        exchanges,
                        exchange,
                        yielder,
                    };
                    enter(&raw const context);
                    kernel(args);
                }))
            })
            .collect();
        while places.iter().any(Option::is_some) {
            for warp in places.chunks_mut(WARP) {
                run_warp(warp, &mut self.stacks);
            }
        }
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        IDLE.set(std::mem::take(&mut self.stacks));
    }
}

/// Runs a warp until all its threads have ended or wait for the block.
///
/// # Panics
/// If threads that have not ended wait for different things.
fn run_warp(warp: &mut [Place], stacks: &mut Vec<ThreadStack>) {
    loop {
        let mut barrier = None;
        for place in warp.iter_mut() {
            let Some(thread) = place else { continue };
            match thread.resume(()) {
                CoroutineResult::Yield(wait) => assert!(
                    *barrier.get_or_insert(wait) == wait,
                    "threads that should wait together wait for different things"
                ),
                CoroutineResult::Return(()) => {
                    stacks.extend(place.take().map(Coroutine::into_stack));
                }
            }
        }
        if matches!(barrier, None | Some(Wait::Block)) {
            return;
        }
    }
}
