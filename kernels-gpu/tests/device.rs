//! The emulator.
use kernels_gpu::machine::{Grid, Machine, Emulator, Buffer};
use kernels_gpu::test_kernels::*;
#[test]
fn smoke() {
    let machine = Emulator;
    let input: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let input = machine.buffer_of(&input).unwrap();
    let mut output = machine.allocate(1000).unwrap();
    let args = Scale { input: input.view(), output: output.view_mut(), factor: 2.0 };
    machine.launch(&SCALE, Grid::over(1000, 128).shared(512), args).unwrap();
    let output = machine.items_of(&output).unwrap();
    assert_eq!(output[5], 2.0 * 6.0 + u32::MAX as f32 - 8.0);
}
