//! GPUs that are not there, and launches that a GPU refuses, are typed errors.

use kernels_gpu::device::probe::{PROBE, Probe};
use kernels_gpu::machine::{Buffer, Cuda, Grid, Launcher, Machine, MachineError};

/// Holds with and without a driver.
#[test]
fn a_missing_device_is_an_error_with_a_cure() {
    let error = Cuda::new(4096).unwrap_err();
    let typed =
        matches!(error, MachineError::Driver { .. } | MachineError::Device { index: 4096, .. });
    assert!(typed && error.to_string().contains("Device::Cpu"), "{error}");
}

#[test]
#[ignore = "takes an NVIDIA GPU"]
fn too_much_memory_is_refused_and_harms_nothing() {
    let machine = Cuda::new(0).unwrap();
    let before = machine.free_bytes().unwrap();
    let bytes = machine.total_bytes() + (1 << 30);
    let refused = machine.allocate::<u32>(bytes / 4);
    assert!(
        matches!(refused, Err(MachineError::Memory { bytes: asked }) if asked == bytes / 4 * 4)
    );
    assert!(matches!(machine.allocate::<f64>(usize::MAX), Err(MachineError::Memory { .. })));
    let half = machine.allocate::<u32>(before / 8).unwrap();
    assert!(machine.free_bytes().unwrap() < before - before / 3);
    drop(half);
    machine.synchronize().unwrap();
    assert!(machine.free_bytes().unwrap() > before - before / 8);
    // Freed memory is used again, in pieces of another size too.
    let parts: Vec<_> = (0..8).map(|_| machine.allocate::<u32>(before / 40).unwrap()).collect();
    drop(parts);
    drop(machine.allocate::<u32>(before / 16 * 3).unwrap());
}

#[test]
#[ignore = "takes an NVIDIA GPU"]
fn a_launch_that_is_too_large_is_refused() {
    let machine = crate::common::cuda();
    let empty = machine.allocate::<f32>(0).unwrap();
    let args = Probe {
        input: empty.view(),
        words: machine.allocate(0).unwrap().view_mut(),
        numbers: machine.allocate(0).unwrap().view_mut(),
        pairs: machine.allocate(0).unwrap().view_mut(),
        count: machine.allocate(0).unwrap().view_mut(),
    };
    for grid in [Grid::of(1, 4096), Grid::of(1, 32).shared(1 << 20)] {
        let refused = machine.launch(&PROBE, grid, args);
        assert!(matches!(refused, Err(MachineError::Failed { place: "PROBE", .. })), "{refused:?}");
    }
    // More than 48 KB is asked for, and granted.
    machine.launch(&PROBE, Grid::of(2, 96).shared(96 << 10), args).unwrap();
    machine.synchronize().unwrap();
}
