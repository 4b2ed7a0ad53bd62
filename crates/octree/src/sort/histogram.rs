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
    let mut histograms: Vec<Vec<u32>> = codes
        .par_chunks(chunk_len)
        .map(|chunk| {
            let mut bins = vec![0; n_bins];
            for &code in chunk {
                bins[bin_of(code)] += 1;
            }
            bins
        })
        .collect();

    let mut bookmarks = Vec::with_capacity(n_bins + 1);
    let mut place = 0;
    for bin in 0..n_bins {
        bookmarks.push(place);
        for histogram in &mut histograms {
            let count = histogram[bin];
            histogram[bin] = place;
            place += count;
        }
    }
    bookmarks.push(place);

    // Places of different chunks are disjoint; atomics only make that known to the compiler.
    let permutation: Vec<AtomicU32> = codes.iter().map(|_| AtomicU32::new(0)).collect();
    codes.par_chunks(chunk_len).zip(&mut histograms).enumerate().for_each(
        |(c, (chunk, places))| {
            for (i, &code) in (c * chunk_len..).zip(chunk) {
                let place = &mut places[bin_of(code)];
                permutation[*place as usize].store(i as u32, Ordering::Relaxed);
                *place += 1;
            }
        },
    );
    (permutation.into_iter().map(AtomicU32::into_inner).collect(), bookmarks)
}
