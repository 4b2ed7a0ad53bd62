//! Codes that come as a few ascending runs, as those of points that several processes sent in order: merged in sequential
//! passes, some three times as fast as the pseudo-sort.

use super::Sorted;

/// Most runs that are merged: four passes over the codes, as long as the pseudo-sort takes for codes in no order.
const MOST_RUNS: usize = 16;

/// Places that one task merges.
const TASK: usize = parallel::min_length(1.3);

/// The sorted codes, equal ones in the order given, if the codes are at most [`MOST_RUNS`] ascending runs.
///
/// Codes in no order are told after a few of them.
pub(super) fn merged(codes: &[u64]) -> Option<Sorted> {
    let mut starts = vec![0];
    for (i, pair) in codes.windows(2).enumerate() {
        if pair[1] < pair[0] {
            if starts.len() == MOST_RUNS {
                return None;
            }
            starts.push(i + 1);
        }
    }
    starts.push(codes.len());
    let mut permutation: Vec<u32> = (0..codes.len() as u32).collect();
    if starts.len() > 2 {
        let mut other = permutation.clone();
        merge_runs(codes, &starts, &mut permutation, &mut other);
    }
    let sorted = permutation.iter().map(|&i| codes[i as usize]).collect();
    Some(Sorted { permutation, codes: sorted })
}

/// Merges the runs that begin and end at `ends` into `to`. Both slices hold the places of these runs, in the order given.
fn merge_runs(codes: &[u64], ends: &[usize], to: &mut [u32], scratch: &mut [u32]) {
    let n_runs = ends.len() - 1;
    if n_runs < 2 {
        return;
    }
    let middle = n_runs / 2;
    let cut = ends[middle] - ends[0];
    let (low, high) = scratch.split_at_mut(cut);
    let (low_to, high_to) = to.split_at_mut(cut);
    parallel::join(
        || merge_runs(codes, &ends[..=middle], low, low_to),
        || merge_runs(codes, &ends[middle..], high, high_to),
    );
    merge(codes, low, high, to);
}

/// Merges two sorted lists of places; of equal codes, those of `a` come first.
fn merge(codes: &[u64], a: &[u32], b: &[u32], to: &mut [u32]) {
    let code = |i: u32| codes[i as usize];
    if to.len() > TASK {
        let (in_a, in_b) = match a.len() >= b.len() {
            true => (a.len() / 2, b.partition_point(|&i| code(i) < code(a[a.len() / 2]))),
            false => (a.partition_point(|&i| code(i) <= code(b[b.len() / 2])), b.len() / 2),
        };
        let (low, high) = to.split_at_mut(in_a + in_b);
        parallel::join(
            || merge(codes, &a[..in_a], &b[..in_b], low),
            || merge(codes, &a[in_a..], &b[in_b..], high),
        );
        return;
    }
    let (mut i, mut j) = (0, 0);
    for place in to {
        let from_b = i == a.len() || j < b.len() && code(b[j]) < code(a[i]);
        *place = if from_b { b[j] } else { a[i] };
        i += usize::from(!from_b);
        j += usize::from(from_b);
    }
}
