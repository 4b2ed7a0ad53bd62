//! The radix sort against the host's stable sort.

use crate::random::random_bits;
use kernels_gpu::machine::Launcher;
use kernels_gpu::memory::Grown;
use kernels_gpu::sort::{Sortable, Sorter, pass::TILE};

fn is_stable_sort<M: Launcher, K: Sortable + Ord + std::fmt::Debug>(
    machine: &M,
    sorter: &mut Sorter<M, K>,
    keys: &[K],
    bits: u32,
) {
    let n = keys.len();
    let mut expected: Vec<u32> = (0..n as u32).collect();
    expected.sort_by_key(|&i| keys[i as usize]);
    let (mut sorted, mut order) = (Grown::new(), Grown::new());
    sorted.upload(machine, keys).unwrap();
    sorter.sort(machine, &mut sorted, &mut order, n, bits).unwrap();
    let (mut found_keys, mut found) = (vec![K::default(); n], vec![0; n]);
    sorted.download(machine, &mut found_keys).unwrap();
    order.download(machine, &mut found).unwrap();
    assert!(found == expected, "{n} keys of {bits} bits");
    assert!(found.iter().zip(&found_keys).all(|(&i, key)| keys[i as usize] == *key));
}

fn wide_narrow_constant_and_clustered_keys<M: Launcher>(machine: &M) {
    let mut sorter = Sorter::new();
    for (n, bits) in [(0, 63), (1, 64), (300, 9), (TILE, 16), (2 * TILE + 77, 24), (TILE + 1, 63)] {
        let keys: Vec<u64> = (0..n as u64).map(|i| random_bits(i) >> (64 - bits)).collect();
        is_stable_sort(machine, &mut sorter, &keys, bits);
    }
    is_stable_sort(machine, &mut sorter, &[u64::MAX; 1000], 64);
    // All but a few keys in one bin of each digit, and the largest digit filled.
    let clustered: Vec<u64> =
        (0..5000).map(|i| if i % 99 == 0 { random_bits(i) } else { u64::MAX - i % 3 }).collect();
    is_stable_sort(machine, &mut sorter, &clustered, 64);
}

fn keys_of_32_bits<M: Launcher>(machine: &M) {
    let mut sorter = Sorter::new();
    for (n, bits) in [(5, 1), (TILE - 1, 12), (2 * TILE, 32)] {
        let keys: Vec<u32> =
            (0..n as u64).map(|i| (random_bits(i) >> (64 - bits)) as u32).collect();
        is_stable_sort(machine, &mut sorter, &keys, bits);
    }
}

fn values_follow_their_keys<M: Launcher>(machine: &M) {
    let n = 3000;
    let keys: Vec<u32> = (0..n as u64).map(|i| random_bits(i) as u32 >> 20).collect();
    let mut pairs: Vec<(u32, u32)> = keys.iter().zip((0..n).rev()).map(|(&k, v)| (k, v)).collect();
    let values: Vec<u32> = pairs.iter().map(|pair| pair.1).collect();
    let (mut on_device, mut moved) = (Grown::new(), Grown::new());
    on_device.upload(machine, &keys).unwrap();
    moved.upload(machine, &values).unwrap();
    Sorter::new().sort_pairs(machine, &mut on_device, &mut moved, n as usize, 12).unwrap();
    pairs.sort_by_key(|pair| pair.0);
    let mut found = vec![0; n as usize];
    moved.download(machine, &mut found).unwrap();
    assert!(found.iter().eq(pairs.iter().map(|pair| &pair.1)));
}

on_every_machine!(
    wide_narrow_constant_and_clustered_keys,
    keys_of_32_bits,
    values_follow_their_keys
);
