//! Numbers on their way to a device: cores fill staging buffers, and one thread starts their copies.
//!
//! The calling thread fills buffers by itself until others have woken, so that the bus has work at once, and starts the copy of
//! each buffer that it or another has filled. Chunks go to their places in any order.

use std::collections::VecDeque;
use std::slice::Chunks;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use kernels_gpu::device::ViewMut;
use kernels_gpu::machine::{Machine, MachineError, StagingBuffer};

use super::super::Number;
use super::{ALONE, chunk, staging};

/// Numbers in chunks, and the buffers that they travel in.
struct Chunked<'n, S, T> {
    numbers: &'n [T],
    /// Numbers of a chunk; the last may have fewer.
    each: usize,
    /// Chunks that are filled, or being filled.
    begun: AtomicUsize,
    /// Buffers to be filled. The first ones have travelled longest.
    idle: Mutex<VecDeque<S>>,
    /// Buffers to be sent, with the numbers of their chunks.
    filled: Mutex<Vec<(usize, Result<S, MachineError>)>>,
}

/// What came of an attempt to fill a buffer.
#[derive(PartialEq, Eq)]
enum Turn {
    Filled,
    /// All buffers wait to be sent.
    NoBuffer,
    /// All chunks are begun.
    Over,
}

/// Copies numbers to a device, in the order of a machine. They have been read when this returns.
pub(super) fn send<M: Machine, T: Number>(
    machine: &M,
    numbers: &[T],
    to: ViewMut<T>,
) -> Result<(), MachineError> {
    let buffers = staging::<M, T>(machine, numbers.len())?;
    let chunked = Chunked {
        numbers,
        each: chunk::<T>(numbers.len(), buffers.len()),
        begun: AtomicUsize::new(0),
        idle: Mutex::new(buffers.into()),
        filled: Mutex::default(),
    };
    if size_of_val(numbers) <= ALONE {
        return chunked.send(to);
    }
    let others = rayon::current_num_threads() - 1;
    let fill = |_| while chunked.fill_one_more() {};
    parallel::join(|| chunked.send(to), || parallel::for_each(others, &fill)).0
}

impl<S: StagingBuffer, T: Number> Chunked<'_, S, T> {
    fn chunks(&self) -> Chunks<'_, T> {
        self.numbers.chunks(self.each)
    }

    /// Fills a buffer with the next chunk.
    fn fill(&self) -> Turn {
        if self.begun.load(Ordering::Relaxed) >= self.chunks().len() {
            return Turn::Over;
        }
        let Some(mut buffer) = held(&self.idle).pop_front() else { return Turn::NoBuffer };
        let k = self.begun.fetch_add(1, Ordering::Relaxed);
        let Some(numbers) = self.chunks().nth(k) else { return Turn::Over };
        let filled = buffer.fill(numbers).map(|()| buffer);
        held(&self.filled).push((k, filled));
        Turn::Filled
    }

    /// Fills a buffer, unless all are waited for. Tells whether chunks are left.
    fn fill_one_more(&self) -> bool {
        let turn = self.fill();
        if turn == Turn::NoBuffer {
            thread::yield_now();
        }
        turn != Turn::Over
    }

    /// Starts the copies of all chunks, and fills buffers while none waits for that.
    fn send(&self, to: ViewMut<T>) -> Result<(), MachineError> {
        let mut left = self.chunks().len();
        while left > 0 {
            let filled = std::mem::take(&mut *held(&self.filled));
            if filled.is_empty() && self.fill() != Turn::Filled {
                // Others fill the last ones.
                thread::yield_now();
            }
            left -= filled.len();
            for (k, buffer) in filled {
                let sent = buffer.and_then(|mut buffer| {
                    let first = k * self.each;
                    buffer.send(to.part(first, self.each.min(to.len() - first)))?;
                    Ok(buffer)
                });
                // Others begin no chunk after a failure.
                let end = |_: &MachineError| self.begun.store(usize::MAX / 2, Ordering::Relaxed);
                held(&self.idle).push_back(sent.inspect_err(end)?);
            }
        }
        Ok(())
    }
}

/// Lock of buffers, of which a panic leaves none half-made.
fn held<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
