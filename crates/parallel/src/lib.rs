//! Parallel loops on rayon's threads, compiled once.
//!
//! An iterator of rayon is compiled anew for each closure and each type: some 3,500 lines of intermediate code a loop, which
//! were a third of `octree` and `fmm`. Loops of this crate hand a reference of their body to one loop over task numbers, so that
//! a loop costs its body alone. A task pays one call through a pointer and, for parts, one free lock: some 20 ns, so tasks
//! take a microsecond or more. Loops run in the pool that they are called in, as rayon's do.
//!
//! | A loop over | Function |
//! |---|---|
//! | task numbers | [`for_each`], [`map`] |
//! | ranges of items | [`map_ranges`] |
//! | parts that each task owns or may change | [`for_parts`], [`map_parts`] |
//! | the chunks of a slice that is written | [`for_chunks`] |
//! | items of which each has a value | [`collect`], [`fill`] |
//! | items until one is found | [`first`] |
//! | two works | [`join`], [`beside`] |
//!
//! Results are in the order of the tasks, whatever the number of threads. [`min_length`] gives the items that a task takes.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

/// Nanoseconds of a task, at least: ten times the start of one.
const SHORTEST: f64 = 10_000.0;

/// Items that one task takes at least, where one item takes a thread so many nanoseconds: a power of two, 10 to 20 µs of work.
///
/// A thread starts a task of its own in 50 ns. Another one that is idle finds it, and fetches its data from the first one's
/// cache, in up to 1 µs. At ten times that, starts cost a tenth of a loop at most, and a loop of twice that length takes two
/// threads already. Longer tasks would leave threads idle at the end of a loop.
///
/// The time of an item is known within a factor of two, between machines and between arrays in cache and in memory. Powers of
/// two say no more than that. The length depends on neither the machine nor the pool, so sums by task have the same bits
/// everywhere.
///
/// ```
/// /// Points that one task copies: three numbers are read and written in 1.3 ns.
/// const TASK: usize = parallel::min_length(1.3);
/// assert_eq!(TASK, 1 << 13);
/// assert_eq!(parallel::min_length(1e6), 1);
/// ```
pub const fn min_length(nanoseconds: f64) -> usize {
    // No item takes less than a thousandth of a nanosecond, so the power of two does not overflow.
    let items = SHORTEST / nanoseconds.max(1e-3);
    let whole = items as usize;
    let rounded = if items > whole as f64 { whole + 1 } else { whole };
    rounded.next_power_of_two()
}

/// Calls `body` for each number below `n_tasks`. A task that is not begun can be taken by any idle thread.
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
///
/// let sum = AtomicUsize::new(0);
/// parallel::for_each(5, &|task| drop(sum.fetch_add(task, Ordering::Relaxed)));
/// assert_eq!(sum.into_inner(), 10);
/// ```
#[inline(never)]
pub fn for_each(n_tasks: usize, body: &(dyn Fn(usize) + Sync)) {
    (0..n_tasks).into_par_iter().with_max_len(1).for_each(body);
}

/// `of(task)` for each number below `n_tasks`, in their order.
pub fn map<R: Send>(n_tasks: usize, of: impl Fn(usize) -> R + Sync) -> Vec<R> {
    map_parts(0..n_tasks, |_, task| of(task))
}

/// Calls `body(task, part)` for each part, which the task owns: mutable slices, say.
pub fn for_parts<P: Send>(parts: impl IntoIterator<Item = P>, body: impl Fn(usize, P) + Sync) {
    for_locked(&parts.into_iter().map(|part| Mutex::new(Some(part))).collect::<Vec<_>>(), &body);
}

/// [`for_parts`], compiled once for each type of parts. Each lock is taken once, by the task that takes the part.
fn for_locked<P: Send>(parts: &[Mutex<Option<P>>], body: &(dyn Fn(usize, P) + Sync)) {
    for_each(parts.len(), &|task| {
        let part = parts[task].lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(part) = part {
            body(task, part);
        }
    });
}

/// `of(task, part)` for each part, in their order.
pub fn map_parts<P: Send, R: Send>(
    parts: impl IntoIterator<Item = P>,
    of: impl Fn(usize, P) -> R + Sync,
) -> Vec<R> {
    let parts: Vec<P> = parts.into_iter().collect();
    let mut results: Vec<Option<R>> = parts.iter().map(|_| None).collect();
    for_parts(parts.into_iter().zip(&mut results), |task, (part, result)| {
        *result = Some(of(task, part));
    });
    results.into_iter().flatten().collect()
}

/// `of(range)` for each range of `length` items, the last one maybe shorter, in their order.
///
/// ```
/// assert_eq!(parallel::map_ranges(3..10, 4, |range| range.len()), [4, 3]);
/// ```
pub fn map_ranges<R: Send>(
    items: Range<usize>,
    length: usize,
    of: impl Fn(Range<usize>) -> R + Sync,
) -> Vec<R> {
    let end = items.end;
    map_parts(items.step_by(length), |_, start| of(start..end.min(start + length)))
}

/// Calls `body(first, chunk)` for each chunk of `length` values, the last one maybe shorter; `first` is the place of its first
/// value.
pub fn for_chunks<T: Send>(values: &mut [T], length: usize, body: impl Fn(usize, &mut [T]) + Sync) {
    for_parts(values.chunks_mut(length), |chunk, values| body(chunk * length, values));
}

/// `of(item)` for each number below `n`, in their order; a task takes `length` of them.
///
/// ```
/// assert_eq!(parallel::collect(1000, 64, |item| item as u32)[999], 999);
/// ```
pub fn collect<T: Copy + Default + Send>(
    n: usize,
    length: usize,
    of: impl Fn(usize) -> T + Sync,
) -> Vec<T> {
    let mut values = vec![T::default(); n];
    fill(&mut values, length, of);
    values
}

/// Makes each value `of` its place; a task takes `length` of them.
pub fn fill<T: Send>(values: &mut [T], length: usize, of: impl Fn(usize) -> T + Sync) {
    for_chunks(values, length, |first, chunk| {
        for (place, value) in (first..).zip(chunk) {
            *value = of(place);
        }
    });
}

/// The first number below `n` for which `holds`; a task looks at `length` of them.
pub fn first(n: usize, length: usize, holds: impl Fn(usize) -> bool + Sync) -> Option<usize> {
    map_ranges(0..n, length, |mut items| items.find(|item| holds(*item)))
        .into_iter()
        .flatten()
        .next()
}

/// Both results; an idle thread takes `b` while this one does `a`.
pub fn join<A: Send, B: Send>(
    a: impl FnOnce() -> A + Send,
    b: impl FnOnce() -> B + Send,
) -> (A, B) {
    let (mut of_a, mut of_b) = (None, None);
    let (mut a, mut b) = (Some(a), Some(b));
    both(&mut || of_a = a.take().map(|a| a()), &mut || of_b = b.take().map(|b| b()));
    match (of_a, of_b) {
        (Some(a), Some(b)) => (a, b),
        _ => unreachable!("both works ran"),
    }
}

/// Both results; this thread does `a`, whether it is one of the pool or not, and an idle one of the pool takes `b` meanwhile.
///
/// ```
/// assert_eq!(parallel::beside(|| 1, || 2), (1, 2));
/// ```
pub fn beside<A, B: Send>(a: impl FnOnce() -> A, b: impl FnOnce() -> B + Send) -> (A, B) {
    let mut of_b = None;
    let of_a = rayon::in_place_scope(|scope| {
        scope.spawn(|_| of_b = Some(b()));
        a()
    });
    match of_b {
        Some(of_b) => (of_a, of_b),
        None => unreachable!("the scope ends after its tasks"),
    }
}

#[inline(never)]
fn both(a: &mut (dyn FnMut() + Send), b: &mut (dyn FnMut() + Send)) {
    rayon::join(a, b);
}

/// Scratch memory of tasks: one takes what another gave back, so that there is one for each task at work.
#[derive(Debug)]
pub struct Scratches<S>(Mutex<Vec<S>>);

impl<S> Default for Scratches<S> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<S> Scratches<S> {
    /// Runs `work` with scratch memory, as an earlier task left it or as `make` gives it.
    pub fn with<R>(&self, make: impl FnOnce() -> S, work: impl FnOnce(&mut S) -> R) -> R {
        let free = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = free().pop();
        let mut scratch = taken.unwrap_or_else(make);
        let result = work(&mut scratch);
        free().push(scratch);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_tasks() {
        for n in [0, 1, 2, 1000] {
            assert_eq!(map(n, |task| 3 * task), (0..n).map(|task| 3 * task).collect::<Vec<_>>());
            assert_eq!(collect(n, 7, |item| item), (0..n).collect::<Vec<_>>());
            let names: Vec<String> = (0..n).map(|i| i.to_string()).collect();
            assert_eq!(map_parts(names.clone(), |_, name| name), names);
            assert_eq!(first(n, 16, |item| item % 500 == 499), (n == 1000).then_some(499));
        }
    }

    #[test]
    fn each_part_is_written_by_its_task() {
        let mut values = vec![0; 100];
        for_chunks(&mut values, 30, |first, chunk| chunk.fill(first));
        assert_eq!([0, 29, 30, 99].map(|i| values[i]), [0, 0, 30, 90]);
        assert_eq!(join(|| 1, || "two"), (1, "two"));
    }

    #[test]
    fn tasks_last_once_or_twice_the_shortest() {
        for nanoseconds in [0.3, 0.61, 1.3, 2.5, 40.0, 160.0, 700.0, 5000.0, 9000.0] {
            let length = min_length(nanoseconds);
            let lasts = length as f64 * nanoseconds;
            assert!(
                length.is_power_of_two() && (SHORTEST..2.0 * SHORTEST).contains(&lasts),
                "{lasts}"
            );
        }
        for (nanoseconds, length) in [(f64::INFINITY, 1), (0.0, 1 << 24), (f64::NAN, 1 << 24)] {
            assert_eq!(min_length(nanoseconds), length);
        }
    }

    #[test]
    fn scratch_memory_is_used_again() {
        let scratches = Scratches::default();
        for_each(100, &|_| scratches.with(Vec::new, |taken: &mut Vec<u8>| taken.push(0)));
        let all = scratches.0.into_inner().unwrap();
        assert_eq!(all.iter().map(Vec::len).sum::<usize>(), 100);
        assert!(all.len() <= rayon::current_num_threads());
    }

    #[test]
    #[should_panic(expected = "third")]
    fn a_panic_of_a_task_reaches_the_caller() {
        for_parts(["first", "second", "third"], |task, part| assert!(task < 2, "{part}"));
    }
}
