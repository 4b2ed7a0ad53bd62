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
use kernels_gpu::machine::{Launcher, MachineError, StagingBuffer};

use super::{ALONE, chunk, staging};
use crate::gpu::Number;

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

/// Copies numbers to a device, in the order of a machine. They have been read when this returns.
pub(super) fn send<M: Launcher, T: Number>(
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
    match size_of_val(numbers) <= ALONE {
        true => chunked.send(to),
        false => chunked.send_with_others(to),
    }
}

impl<S: StagingBuffer, T: Number> Chunked<'_, S, T> {
    fn chunks(&self) -> Chunks<'_, T> {
        self.numbers.chunks(self.each)
    }

    fn all_begun(&self) -> bool {
        self.begun.load(Ordering::Relaxed) >= self.chunks().len()
    }

    /// Fills a buffer with the next chunk. Tells whether there was such a chunk, and a buffer that does not wait to be sent.
    fn fill(&self) -> bool {
        if self.all_begun() {
            return false;
        }
        let Some(mut buffer) = held(&self.idle).pop_front() else { return false };
        let k = self.begun.fetch_add(1, Ordering::Relaxed);
        let Some(numbers) = self.chunks().nth(k) else { return false };
        let filled = buffer.fill(numbers).map(|()| buffer);
        held(&self.filled).push((k, filled));
        true
    }

    /// Fills a buffer, or leaves the core to those who fill and send the others.
    fn fill_or_yield(&self) {
        if !self.fill() {
            thread::yield_now();
        }
    }

    /// [`Self::send`], while other cores fill buffers, too.
    fn send_with_others(&self, to: ViewMut<T>) -> Result<(), MachineError> {
        let others = rayon::current_num_threads() - 1;
        let fill = |_| {
            while !self.all_begun() {
                self.fill_or_yield();
            }
        };
        parallel::join(|| self.send(to), || parallel::for_each(others, &fill)).0
    }

    /// Starts the copies of all chunks, and fills buffers while none waits for that.
    fn send(&self, to: ViewMut<T>) -> Result<(), MachineError> {
        let mut left = self.chunks().len();
        while left > 0 {
            let filled = std::mem::take(&mut *held(&self.filled));
            if filled.is_empty() {
                self.fill_or_yield();
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use kernels_gpu::device::{Plain, View};
    use kernels_gpu::machine::Launcher;
    use kernels_gpu::memory::Grown;

    use super::*;
    use crate::gpu::unchecked::emulator;

    /// A buffer of a device that fails at a fill or a copy.
    struct Failing<S> {
        buffer: S,
        /// Fills and copies that are left.
        left: Arc<AtomicUsize>,
    }

    impl<S> Failing<S> {
        fn step(&self) -> Result<(), MachineError> {
            let less = |left: usize| left.checked_sub(1);
            let left = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
            left.map(|_| ()).map_err(|_| MachineError::Memory { bytes: 7 })
        }
    }

    impl<S: StagingBuffer> StagingBuffer for Failing<S> {
        fn fill<T: Plain>(&mut self, items: &[T]) -> Result<(), MachineError> {
            self.step()?;
            self.buffer.fill(items)
        }
        fn send<T: Plain>(&mut self, to: ViewMut<T>) -> Result<(), MachineError> {
            self.step()?;
            self.buffer.send(to)
        }
        fn fetch<T: Plain>(&mut self, from: View<T>) -> Result<(), MachineError> {
            self.buffer.fetch(from)
        }
        fn fetched<T: Plain, R>(
            &mut self,
            read: impl FnOnce(&[T]) -> R,
        ) -> Result<R, MachineError> {
            self.buffer.fetched(read)
        }
    }

    /// Three buffers for forty chunks, so that all are used again and cores wait for some. A failure of any step ends all.
    #[test]
    fn all_numbers_arrive_or_a_failure_ends_the_copies() {
        let numbers: Vec<f32> = (0..1999).map(|i| i as f32).collect();
        for steps in [0, 1, 2, 7, 40, 79, 80] {
            let mut memory = Grown::new();
            memory.upload(&emulator(), &vec![-1.0; numbers.len()]).unwrap();
            let left = Arc::new(AtomicUsize::new(steps));
            let failing =
                |_| Failing { buffer: emulator().staging().unwrap(), left: Arc::clone(&left) };
            let chunked = Chunked {
                numbers: &numbers,
                each: 50,
                begun: AtomicUsize::new(0),
                idle: Mutex::new((0..3).map(failing).collect()),
                filled: Mutex::default(),
            };
            let sent = chunked.send_with_others(memory.view_mut(numbers.len()));
            match steps {
                80 => assert_eq!(sent, Ok(())),
                _ => assert_eq!(sent, Err(MachineError::Memory { bytes: 7 })),
            }
            let mut found = vec![0.0; numbers.len()];
            memory.download(&emulator(), &mut found).unwrap();
            assert!(steps < 80 || found == numbers);
        }
    }
}
