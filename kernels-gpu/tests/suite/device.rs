//! The facade: indices, barriers, shared memory, collectives, atomics and arithmetic do what their documentation says.

use kernels_gpu::device::probe::{PROBE, PROBE_SHARED, PROBE_THREADS, Probe};
use kernels_gpu::machine::{Buffer, Grid, Launcher, Machine};

fn facade<M: Launcher>(machine: &M) {
    let n = 250;
    let values: Vec<f32> = (0..n).map(|i| 0.5 + i as f32).collect();
    let input = machine.buffer_of(&values).unwrap();
    let mut words = machine.allocate(n).unwrap();
    let mut numbers = machine.allocate(n).unwrap();
    let mut pairs = machine.allocate(n).unwrap();
    let mut count = machine.buffer_of(&[0u32]).unwrap();
    let args = Probe {
        input: input.view(),
        words: words.view_mut(),
        numbers: numbers.view_mut(),
        pairs: pairs.view_mut(),
        count: count.view_mut(),
    };
    machine.launch(&PROBE, Grid::over(n, PROBE_THREADS).shared(PROBE_SHARED), args).unwrap();

    assert_eq!(machine.items_of(&count).unwrap(), [n as u32]);
    let (words, pairs) = (machine.items_of(&words).unwrap(), machine.items_of(&pairs).unwrap());
    let numbers = machine.items_of(&numbers).unwrap();
    let value = |i: usize| values.get(i).copied().unwrap_or(1.0);
    for i in 0..n {
        let block = PROBE_THREADS as usize;
        let (t, first) = (i % block, i % block / 32 * 32);
        let sum: usize = (first..first + 32).sum();
        let scan: usize = (first..=t).sum();
        let odd = 0xaaaa_aaaa;
        assert_eq!(words[i].0, [sum as u32, scan as u32, odd, PROBE_THREADS], "thread {i}");
        assert_eq!(pairs[i].0, [t as u32, PROBE_THREADS]);
        let x = f64::from(value(i));
        let other = f64::from(value(i / block * block + (t ^ 1)));
        let neighbor = 2.0 * f64::from(value(i / block * block + (t + 1) % block));
        let [single, double, fused, shared] = numbers[i].0;
        assert!((single * x.sqrt() - 1.0).abs() < 4.0 * f64::from(f32::EPSILON), "{single} {x}");
        assert!((double * x.sqrt() - 1.0).abs() < 4.0 * f64::EPSILON, "{double} {x}");
        assert_eq!([fused, shared], [x.mul_add(other, -1.0), neighbor]);
    }
}

#[test]
fn the_facade_keeps_its_word() {
    facade(&crate::common::emulator());
}

/// Views outlive their memory, so that a kernel alone may look at them.
#[test]
#[should_panic(expected = "inside a kernel only")]
fn views_are_read_inside_a_kernel_only() {
    facade(&crate::common::emulator());
    let buffer = crate::common::emulator().buffer_of(&[1.0_f32]).unwrap();
    let _ = buffer.view().get(0);
}
