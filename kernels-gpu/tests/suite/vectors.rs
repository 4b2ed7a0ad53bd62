//! Products, combinations and traces of vectors, against the same on the host.

use kernels_gpu::device::{Plain, Real, Vec4};
use kernels_gpu::machine::{Buffer, DeviceSlice, Machine, MachineError};
use kernels_gpu::vectors::{FieldTrace, VectorSpace};

on_every_machine!(
    products_are_those_of_the_host,
    combinations_are_those_of_the_host,
    traces_are_those_of_the_host,
    other_lengths_are_refused,
);

/// Numbers of both signs that f32 holds.
fn numbers<T: Real>(count: usize, step: f64) -> Vec<T> {
    (0..count).map(|i| T::from_f64(f64::from(((i as f64 * step).fract() - 0.4) as f32))).collect()
}

/// Products of `count` vectors of `n` numbers; errors are a few roundings of Σ|v w|, whatever the order of the additions.
fn products<M: Machine + Clone, T: Real>(machine: &M, n: usize, count: usize) {
    let (vectors, with) = (numbers::<T>(count * n, 0.819_172_5), numbers::<T>(n, 0.671_043_6));
    let mut space = VectorSpace::new(machine.clone(), n);
    let [on_device, beside] = [&vectors, &with].map(|v| machine.buffer_of(v).unwrap());
    let found = space.products(on_device.slice(), beside.slice()).unwrap();
    let again = space.products(on_device.slice(), beside.slice()).unwrap();
    assert_eq!((found.len(), &found), (count, &again), "sums depend on time");
    for (vector, found) in vectors.chunks_exact(n).zip(found) {
        let terms = || vector.iter().zip(&with).map(|(v, w)| v.to_f64() * w.to_f64());
        let bound = f64::EPSILON * (n as f64).sqrt() * terms().map(f64::abs).sum::<f64>();
        let expected: f64 = terms().sum();
        assert!((found - expected).abs() <= bound, "{n} {found} {expected}");
    }
}

fn products_are_those_of_the_host<M: Machine + Clone>(machine: &M) {
    // A part of a warp, several blocks with an end, and more numbers than threads, so that a thread has several.
    for (n, count) in [(1, 1), (31, 4), (1000, 7), (70_001, 2)] {
        products::<M, f32>(machine, n, count);
        products::<M, f64>(machine, n, count);
    }
    let zeros = machine.buffer_of(&[0.0; 3]).unwrap();
    let none =
        VectorSpace::new(machine.clone(), 3).products::<f64>(DeviceSlice::EMPTY, zeros.slice());
    assert_eq!(none, Ok(vec![]));
}

fn combinations_are_those_of_the_host<M: Machine + Clone>(machine: &M) {
    const N: usize = 300;
    let factors = [0.5, -2.0, 0.25];
    let (vectors, before) = (numbers::<f64>(3 * N, 0.754_877_6), numbers::<f64>(N, 0.569_840_2));
    let on_device = machine.buffer_of(&vectors).unwrap();
    let mut space = VectorSpace::new(machine.clone(), N);
    for (scale, count) in [(0.0, 3), (1.0, 2), (-3.0, 0)] {
        // Memory without content does not matter where the scale is 0.
        let start = if scale == 0.0 { vec![f64::NAN; N] } else { before.clone() };
        let mut vector = machine.buffer_of(&start).unwrap();
        let some = on_device.slice().part(0..count * N).unwrap();
        space.combine(some, &factors[..count], scale, vector.slice_mut()).unwrap();
        let expected: Vec<f64> = (0..N)
            .map(|i| {
                let first = if scale == 0.0 { 0.0 } else { scale * before[i] };
                (0..count).fold(first, |sum, k| sum + factors[k] * vectors[k * N + i])
            })
            .collect();
        let found = machine.items_of(&vector).unwrap();
        let is_close = |(a, b): (&f64, &f64)| (a - b).abs() <= 4.0 * f64::EPSILON;
        assert!(found.iter().zip(&expected).all(is_close), "{scale} {count}");
    }
}

fn traces<M: Machine + Clone, T: Real>(machine: &M)
where
    Vec4<T>: Plain,
{
    const N: usize = 500;
    let four = |step| -> Vec<Vec4<T>> {
        numbers::<T>(4 * N, step).as_chunks().0.iter().map(|v| Vec4(*v)).collect()
    };
    let [field, weights] = [four(0.819_172_5), four(0.437_912_7)];
    let [diagonal, vector] = [0.671_043_6, 0.549_700_4].map(|step| numbers::<T>(N, step));
    let space = VectorSpace::new(machine.clone(), N);
    let [f, w] = [&field, &weights].map(|v| machine.buffer_of(v).unwrap());
    let [d, v] = [&diagonal, &vector].map(|v| machine.buffer_of(v).unwrap());
    let [mut trace, mut product] = [(); 2].map(|()| machine.allocate::<T>(N).unwrap());
    space
        .trace(FieldTrace {
            field: f.slice(),
            weights: w.slice(),
            diagonal: d.slice(),
            vector: v.slice(),
            trace: trace.slice_mut(),
        })
        .unwrap();
    space.multiply(d.slice(), v.slice(), product.slice_mut()).unwrap();
    let [trace, product] = [&trace, &product].map(|v| machine.items_of(v).unwrap());
    // Five terms below 0.36, each rounded twice; f32 rounds to 6e-8.
    let rounding = if size_of::<T>() == 4 { 6e-8 } else { 1.2e-16 };
    for i in 0..N {
        let own = diagonal[i].to_f64() * vector[i].to_f64();
        let terms = (0..4).map(|k| field[i].0[k].to_f64() * weights[i].0[k].to_f64());
        let expected = terms.sum::<f64>() + own;
        assert!((trace[i].to_f64() - expected).abs() < 10.0 * rounding, "{i}");
        assert!((product[i].to_f64() - own).abs() < rounding, "{i}");
    }
}

fn traces_are_those_of_the_host<M: Machine + Clone>(machine: &M) {
    traces::<M, f32>(machine);
    traces::<M, f64>(machine);
}

fn other_lengths_are_refused<M: Machine + Clone>(machine: &M) {
    let mut space = VectorSpace::new(machine.clone(), 4);
    let mut buffer = machine.buffer_of(&[0.0; 9]).unwrap();
    let refused = MachineError::Length { found: 9, expected: 8 };
    let four = buffer.slice().part(0..4).unwrap();
    assert_eq!(space.products(buffer.slice(), four), Err(refused));
    let refused = MachineError::Length { found: 9, expected: 4 };
    assert_eq!(space.combine(DeviceSlice::EMPTY, &[], 2.0, buffer.slice_mut()), Err(refused));
}
