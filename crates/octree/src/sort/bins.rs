//! Sorting inside the bins of the first digit: each bin by itself, all bins in parallel.

use super::pseudo_sort;

/// Points that one task takes.
const TASK: usize = 1 << 13;

/// Bins of more points than this are pseudo-sorted again; smaller ones by comparison, in cache.
const LARGE_BIN: usize = 1 << 12;

/// Completes `permutation` inside the bins and writes the `sorted` codes.
///
/// `bookmarks`: the ends of the bins as places in the whole permutation. `permutation`, `sorted`: the part that belongs
/// to these bins. `open`: whether codes inside a bin may differ.
pub(super) fn sort_bins(
    codes: &[u64],
    bookmarks: &[u32],
    permutation: &mut [u32],
    sorted: &mut [u64],
    open: bool,
) {
    let n_bins = bookmarks.len() - 1;
    if n_bins > 1 && permutation.len() > TASK {
        let middle = n_bins / 2;
        let cut = (bookmarks[middle] - bookmarks[0]) as usize;
        let (low, high) = permutation.split_at_mut(cut);
        let (sorted_low, sorted_high) = sorted.split_at_mut(cut);
        parallel::join(
            || sort_bins(codes, &bookmarks[..=middle], low, sorted_low, open),
            || sort_bins(codes, &bookmarks[middle..], high, sorted_high, open),
        );
        return;
    }
    if !open {
        for (code, &i) in sorted.iter_mut().zip(permutation.iter()) {
            *code = codes[i as usize];
        }
        return;
    }
    let mut pairs = Vec::new();
    for bin in bookmarks.windows(2) {
        let range = (bin[0] - bookmarks[0]) as usize..(bin[1] - bookmarks[0]) as usize;
        sort_bin(codes, &mut permutation[range.clone()], &mut sorted[range], &mut pairs);
    }
}

fn sort_bin(
    codes: &[u64],
    permutation: &mut [u32],
    sorted: &mut [u64],
    pairs: &mut Vec<(u64, u32)>,
) {
    if permutation.len() > LARGE_BIN {
        let places = permutation.to_vec();
        let bin = parallel::collect(places.len(), TASK, |i| codes[places[i] as usize]);
        let inner = pseudo_sort(&bin);
        let to = permutation.chunks_mut(TASK).zip(sorted.chunks_mut(TASK));
        let from = inner.permutation.chunks(TASK).zip(inner.codes.chunks(TASK));
        parallel::for_parts(to.zip(from), |_, ((permutation, sorted), (inner, codes))| {
            for (i, &inner) in permutation.iter_mut().zip(inner) {
                *i = places[inner as usize];
            }
            sorted.copy_from_slice(codes);
        });
        return;
    }
    pairs.clear();
    pairs.extend(permutation.iter().map(|&i| (codes[i as usize], i)));
    pairs.sort_unstable();
    for ((i, code), pair) in permutation.iter_mut().zip(sorted).zip(pairs) {
        (*code, *i) = *pair;
    }
}
