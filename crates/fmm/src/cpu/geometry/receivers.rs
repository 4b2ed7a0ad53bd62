//! Receivers dealt out to the tasks that write to them, and their sums.

use std::ops::{AddAssign, Range};

use expansions::operators::PointSums;
use octree::Octree;

use crate::cpu::expected::Expected;
use crate::engine::{clear, make_room};

/// Receivers of a task, at least: with some 1000 pairs each, 100 µs of work, well worth a start.
const TASK: usize = 256;

/// Receivers of one box that a pass takes at once, at most: their sums, 16 kB in f64, stay in the first-level cache.
pub(crate) const SEGMENT: usize = 512;

/// Points of a segment of the symmetric P2P, at most: within a segment pairs are summed one way. Sums and compensation
/// terms of two segments, 16 kB in f64, stay in the first-level cache.
pub(crate) const SYMMETRIC_SEGMENT: usize = 128;

/// Consecutive receivers in one box that is dealt with as a whole.
#[derive(Clone, Debug)]
pub(crate) struct Segment {
    /// A leaf, or a group of the treecode.
    pub(crate) leaf: usize,
    /// Tree positions.
    pub(crate) receivers: Range<usize>,
}

/// Consecutive segments, written by one task.
#[derive(Clone, Debug)]
pub(crate) struct ReceiverTask {
    pub(crate) segments: Vec<Segment>,
    pub(crate) receivers: Range<usize>,
}

impl ReceiverTask {
    /// Range of a segment's receivers among the task's.
    pub(crate) fn part(&self, segment: &Segment) -> Range<usize> {
        let start = self.receivers.start;
        segment.receivers.start - start..segment.receivers.end - start
    }
}

/// The receivers of `boxes`, in tree order, in segments of at most `longest`.
pub(crate) fn segments(tree: &Octree, boxes: &[u32], longest: usize) -> Vec<Segment> {
    let leaves = boxes.iter().map(|leaf| *leaf as usize);
    let parts = |leaf: usize| {
        let Range { start, end } = tree.receivers(leaf);
        let starts = (start..end).step_by(longest);
        starts.map(move |start| Segment { leaf, receivers: start..end.min(start + longest) })
    };
    leaves.flat_map(parts).collect()
}

/// Tasks that cover all receivers in tree order, which are those of `boxes`, in segments of at most
/// `longest`. They depend on the tree only, so that the sums are the same for any number of threads.
pub(crate) fn receiver_tasks(tree: &Octree, boxes: &[u32], longest: usize) -> Vec<ReceiverTask> {
    bundle(segments(tree, boxes, longest), TASK)
}

/// Tasks of consecutive segments with at least `fewest` receivers, but for the last.
pub(in crate::cpu) fn bundle(
    segments: impl IntoIterator<Item = Segment>,
    fewest: usize,
) -> Vec<ReceiverTask> {
    let mut tasks = Vec::new();
    let mut task = ReceiverTask { segments: Vec::new(), receivers: 0..0 };
    for segment in segments {
        let end = segment.receivers.end;
        task.segments.push(segment);
        task.receivers.end = end;
        if task.receivers.len() >= fewest {
            let next = ReceiverTask { segments: Vec::new(), receivers: end..end };
            tasks.push(std::mem::replace(&mut task, next));
        }
    }
    if !task.segments.is_empty() {
        tasks.push(task);
    }
    tasks
}

/// Sums that one thread adds.
const ADDED: usize = parallel::min_length(0.7);

/// Potential and gradient in tree order, in the plan's unit; the gradient's arrays are empty where
/// it is not wanted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sums<T> {
    pub(crate) potential: Vec<T>,
    pub(crate) gradient: [Vec<T>; 3],
    /// Errors to expect at each receiver; empty where there are none, or no check that asks for them.
    pub(crate) expected: Vec<Expected>,
    /// Sums over the receivers of the squares of Σ|q|/r and of what the pulls' lengths add up to at least, of heavy charges.
    pub(crate) of_heavy: [f64; 2],
}

impl<T: Copy + Default + Send + Sync> Sums<T> {
    /// Zeros at `n` receivers.
    pub(crate) fn reset(&mut self, n: usize, with_gradient: bool) {
        self.each(n, with_gradient, clear);
        self.expected.clear();
        self.of_heavy = [0.0; 2];
    }

    /// Room for sums at `n` receivers, of any values.
    pub(crate) fn make_room(&mut self, n: usize, with_gradient: bool) {
        self.each(n, with_gradient, make_room);
    }

    fn each(&mut self, n: usize, with_gradient: bool, make: impl Fn(&mut Vec<T>, usize)) {
        make(&mut self.potential, n);
        for array in &mut self.gradient {
            make(array, if with_gradient { n } else { 0 });
        }
    }

    /// The sums at all receivers.
    pub(crate) fn all(&mut self) -> PointSums<'_, T> {
        PointSums {
            potential: &mut self.potential,
            gradient: self.gradient.each_mut().map(Vec::as_mut_slice),
        }
    }

    /// Adds others of the same length.
    pub(crate) fn add(&mut self, other: &Self)
    where
        T: AddAssign,
    {
        let [x, y, z] = &mut self.gradient;
        let others = std::iter::once(&other.potential).chain(&other.gradient);
        for (sums, others) in [&mut self.potential, x, y, z].into_iter().zip(others) {
            let parts = sums.chunks_mut(ADDED).zip(others.chunks(ADDED));
            parallel::for_parts(parts, |_, (sums, others)| {
                sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += *other);
            });
        }
    }

    /// The part of each task.
    pub(crate) fn split(&mut self, tasks: &[ReceiverTask]) -> Vec<PointSums<'_, T>> {
        self.split_by(&tasks.iter().map(|task| task.receivers.len()))
    }

    /// The part of each task, with its part of the errors to expect, which are cleared: of all receivers, or of none unless
    /// `with_expected`.
    pub(crate) fn split_with_expected(
        &mut self,
        tasks: &[ReceiverTask],
        with_expected: bool,
    ) -> Vec<(PointSums<'_, T>, &mut [Expected])> {
        let Self { potential, gradient, expected, of_heavy: _ } = self;
        clear(expected, if with_expected { potential.len() } else { 0 });
        let lengths = tasks.iter().map(|task| task.receivers.len());
        let expected = cut(expected, lengths.clone());
        cut_sums(potential, gradient, &lengths).zip(expected).collect()
    }

    /// Parts of these lengths.
    pub(crate) fn split_by(
        &mut self,
        lengths: &(impl Iterator<Item = usize> + Clone),
    ) -> Vec<PointSums<'_, T>> {
        cut_sums(&mut self.potential, &mut self.gradient, lengths).collect()
    }
}

/// Cuts potential and gradient into parts of the given lengths.
fn cut_sums<'a, T>(
    potential: &'a mut [T],
    [x, y, z]: &'a mut [Vec<T>; 3],
    lengths: &(impl Iterator<Item = usize> + Clone),
) -> impl Iterator<Item = PointSums<'a, T>> {
    let cut = |array| cut(array, lengths.clone());
    let gradient = cut(x).into_iter().zip(cut(y)).zip(cut(z));
    let sums = cut(potential).into_iter().zip(gradient);
    sums.map(|(potential, ((x, y), z))| PointSums { potential, gradient: [x, y, z] })
}

/// For each task, its part of each of several sums.
pub(crate) fn split_sums<'a, T: Copy + Default + Send + Sync>(
    sums: &'a mut [Sums<T>],
    tasks: &[ReceiverTask],
) -> Vec<Vec<PointSums<'a, T>>> {
    let mut parts: Vec<Vec<_>> = tasks.iter().map(|_| Vec::with_capacity(sums.len())).collect();
    for sums in sums {
        for (part, sums) in parts.iter_mut().zip(sums.split(tasks)) {
            part.push(sums);
        }
    }
    parts
}

/// Cuts a slice into parts of the given lengths; an empty slice into empty ones.
pub(crate) fn cut<T>(mut slice: &mut [T], lengths: impl Iterator<Item = usize>) -> Vec<&mut [T]> {
    lengths
        .map(|length| {
            let length = length.min(slice.len());
            slice.split_off_mut(..length).unwrap_or_default()
        })
        .collect()
}
