//! Pass of Alg. 1 over one digit: histogram, prefix sums, rank in the bin, scatter.
//!
//! The paper's line 6 reads the bin again after the atomic addition, by when another thread may have
//! raised it: the rank must be the value that the addition returns. Here every chunk of points has its own
//! histogram, and the prefix sum over (bin, chunk) gives each chunk its own places: no race, and the
//! caller's order inside a bin.

use std::sync::atomic::{AtomicU32, Ordering};

use rayon::prelude::*;

/// Permutation that sorts `codes` stably by `bin_of(code) < n_bins`, and the bookmarks: n_bins + 1 places, bin b
/// holds `bookmarks[b]..bookmarks[b + 1]`.
pub(super) fn distribute(
    codes: &[u64],
    n_bins: usize,
    bin_of: impl Fn(u64) -> usize + Sync,
) -> (Vec<u32>, Vec<u32>) {
    // The chunks decide the speed alone: a stable permutation is unique.
    let n_chunks = rayon::current_num_threads().min(codes.len() / n_bins).max(1);
    let chunk_len = codes.len().div_ceil(n_chunks);
    let mut histograms = parallel::map_parts(codes.chunks(chunk_len), |_, chunk| {
        let mut bins = vec![0; n_bins];
        for &code in chunk {
            bins[bin_of(code)] += 1;
        }
        bins
    });

    let bookmarks = first_places(&mut histograms, n_bins);

    // Places of different chunks are disjoint; atomics only make that known to the compiler.
    let permutation = zeros(codes.len());
    parallel::for_parts(codes.chunks(chunk_len).zip(&mut histograms), |c, (chunk, places)| {
        for (i, &code) in (c * chunk_len..).zip(chunk) {
            let place = &mut places[bin_of(code)];
            permutation[*place as usize].store(i as u32, Ordering::Relaxed);
            *place += 1;
        }
    });
    (permutation.into_iter().map(AtomicU32::into_inner).collect(), bookmarks)
}

/// Zeros that threads make together, so that the memory of each is near it.
fn zeros(n: usize) -> Vec<AtomicU32> {
    (0..n).into_par_iter().with_min_len(ZEROS).map(|_| AtomicU32::new(0)).collect()
}

/// Places that one task of [`zeros`] makes.
const ZEROS: usize = parallel::min_length(0.4);

/// Bins that one task sums up: with a histogram for each of some threads, 10 µs of work.
const BINS: usize = 1 << 10;

/// Turns counts into places: those of the chunks in a bin follow each other, bin after bin. Returns the first place of each
/// bin and the one past the last.
fn first_places(histograms: &mut [Vec<u32>], n_bins: usize) -> Vec<u32> {
    // For each task its bins of every chunk.
    let mut columns: Vec<Vec<&mut [u32]>> =
        (0..n_bins.div_ceil(BINS)).map(|_| Vec::new()).collect();
    for histogram in histograms {
        for (column, bins) in columns.iter_mut().zip(histogram.chunks_mut(BINS)) {
            column.push(bins);
        }
    }
    let count = |column: &Vec<&mut [u32]>| -> u32 {
        column.iter().map(|bins| bins.iter().sum::<u32>()).sum()
    };
    let counts = parallel::map(columns.len(), |task| count(&columns[task]));
    let starts = counts.iter().scan(0, |next, count| Some(std::mem::replace(next, *next + count)));
    let starts: Vec<u32> = starts.collect();
    let of_column = |_, (column, mut place): (&mut Vec<&mut [u32]>, u32)| -> Vec<u32> {
        let n = column.first().map_or(0, |bins| bins.len());
        let first_of_bin = |bin: usize| {
            let first = place;
            for bins in column.iter_mut() {
                let count = std::mem::replace(&mut bins[bin], place);
                place += count;
            }
            first
        };
        (0..n).map(first_of_bin).collect()
    };
    let parts = parallel::map_parts(columns.iter_mut().zip(starts), of_column);
    let mut bookmarks = parts.concat();
    bookmarks.push(counts.iter().sum());
    bookmarks
}
