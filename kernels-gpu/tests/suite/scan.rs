//! Prefix sums against those of the host, for lengths around a tile's.

use kernels_gpu::machine::{Buffer, Machine};
use kernels_gpu::scan::{SCAN_TILE, Scanner};

fn sums_agree<M: Machine>(machine: &M) {
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

on_every_machine!(sums_agree);
