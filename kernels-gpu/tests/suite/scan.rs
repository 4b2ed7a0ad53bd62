//! Prefix sums against those of the host, for lengths around a tile's.

use kernels_gpu::lists::{LIST_ENDS, ListEnds};
use kernels_gpu::machine::{Buffer, Grid, Launcher};
use kernels_gpu::scan::{SCAN_TILE, Scanner};

fn sums_agree<M: Launcher>(machine: &M) {
    let mut scanner = Scanner::new();
    for n in [0, 1, 31, 32, 257, SCAN_TILE - 1, SCAN_TILE, SCAN_TILE + 1, 40 * SCAN_TILE + 77] {
        // Large values, so that sums wrap around.
        let mut items: Vec<u32> = (0..n as u32).map(|i| i.wrapping_mul(2_654_435_761)).collect();
        items.push(99);
        let mut data = machine.buffer_of(&items).unwrap();
        scanner.exclusive(machine, data.view_mut()).unwrap();
        let mut sum = 0u32;
        for item in &mut items[..n] {
            sum = sum.wrapping_add(std::mem::replace(item, sum));
        }
        items[n] = sum;
        assert!(machine.items_of(&data).unwrap() == items, "{n} items");
    }
}

/// Sums of all tiles that are larger than the sum of one may be.
fn totals_pass_32_bits<M: Launcher>(machine: &M) {
    let mut scanner = Scanner::new();
    for tiles in [1, 3, 70] {
        let len = tiles * SCAN_TILE + 1;
        let mut items = vec![0; len];
        items.iter_mut().step_by(SCAN_TILE).take(tiles).for_each(|item| *item = u32::MAX);
        let mut data = machine.buffer_of(&items).unwrap();
        scanner.exclusive(machine, data.view_mut()).unwrap();
        let total = u64::from(u32::MAX) * tiles as u64;
        // As lists ask whether their items have numbers.
        let mut ends = machine.buffer_of(&[7; 4]).unwrap();
        let (places, sum) = (data.view(), scanner.total(len));
        let args = ListEnds { places, total: sum, ends: ends.view_mut(), n_leaves: 0 };
        machine.launch(&LIST_ENDS, Grid::of(1, 32), args).unwrap();
        assert_eq!(machine.items_of(&ends).unwrap()[3], (total >> 32) as u32);
        assert_eq!(machine.items_of(&data).unwrap()[len - 1], total as u32);
    }
}

on_every_machine!(sums_agree, totals_pass_32_bits);
