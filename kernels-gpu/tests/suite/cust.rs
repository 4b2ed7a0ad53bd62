//! Memory of rust-cuda's host crate `cust` in the launches of this crate, and buffers of this crate in copies of `cust`.

use crate::pairs::{cube, errors, fields, vectors};
use cust::context::Context;
use cust::context::legacy::{ContextFlags, ContextStack};
use cust::device::Device;
use cust::memory::{CopyDestination, DeviceBuffer};
use kernels_gpu::device::Vec4;
use kernels_gpu::direct::DirectSum;
use kernels_gpu::machine::{Buffer, Cuda, Machine, MachineError, Unchecked};

/// The first GPU of `cust`, and its primary context, current in this thread.
fn cust_context() -> (Device, Context) {
    cust::init(cust::CudaFlags::empty()).unwrap();
    let device = Device::get_device(0).unwrap();
    (device, Context::new(device).unwrap())
}

/// Sources and field are memory of `cust`; the sum is this crate's.
#[test]
#[ignore = "takes an NVIDIA GPU"]
fn cuda_sums_in_memory_of_cust() {
    let _context = cust_context();
    let points = cube(1000, 1, 0.1);
    let items = vectors::<f32>(&points);
    let mut sources = DeviceBuffer::from_slice(&items).unwrap();
    let mut field = DeviceBuffer::from_slice(&vec![Vec4([f32::NAN; 4]); items.len()]).unwrap();

    let machine = Cuda::new(0).unwrap();
    {
        // SAFETY: both are dropped at the end of this block.
        let (sources, mut sums) = unsafe {
            let sources = machine.borrow_from_cust(&mut sources).unwrap();
            (sources, machine.borrow_from_cust(&mut field).unwrap())
        };
        assert_eq!((sources.len(), sums.len()), (1000, 1000));
        // SAFETY: both buffers live until the end of this block, where they wait for the launch.
        let machine = unsafe { Unchecked::new(machine.clone()) };
        let mut direct = DirectSum::<_, f32>::new();
        let (points, output) = (sources.view(), sums.view_mut());
        direct.sum(&machine, points, points, 0.0_f32, output).unwrap();
    }

    let mut found = vec![Vec4([0.0; 4]); items.len()];
    field.copy_to(&mut found).unwrap();
    let found = errors(&found, &fields(&points, &points, 0.0));
    assert!(found.iter().all(|error| *error < 8.0 * f64::from(f32::EPSILON)), "{found:?}");
    // The memory is still that of cust, which frees it without an error.
    DeviceBuffer::drop(sources).map_err(|(error, _)| error).unwrap();
    DeviceBuffer::drop(field).map_err(|(error, _)| error).unwrap();
}

/// Memory is this crate's; the copies are those of `cust`.
#[test]
#[ignore = "takes an NVIDIA GPU"]
fn cuda_buffers_are_memory_to_cust() {
    let _context = cust_context();
    let machine = Cuda::new(0).unwrap();
    let items: Vec<u32> = (0..5000).collect();
    let mut buffer = machine.buffer_of(&items).unwrap();
    let squares: Vec<u32> = items.iter().map(|i| i.wrapping_mul(*i)).collect();
    {
        // SAFETY: it is dropped at the end of this block.
        let mut slice = unsafe { buffer.lend_to_cust().unwrap() };
        assert_eq!(slice.as_host_vec().unwrap(), items);
        slice.copy_from(&squares).unwrap();
    }
    assert_eq!(machine.items_of(&buffer).unwrap(), squares);
    assert!(!buffer.as_device_pointer().is_null());
    let mut empty = machine.allocate::<f64>(0).unwrap();
    // SAFETY: the slice is dropped at once.
    let lent = unsafe { empty.lend_to_cust().unwrap().len() };
    assert!(empty.as_device_pointer().is_null() && lent == 0);
}

#[test]
#[ignore = "takes an NVIDIA GPU"]
fn cuda_refuses_memory_of_other_contexts() {
    let (device, _context) = cust_context();
    let machine = Cuda::new(0).unwrap();
    let flags = ContextFlags::SCHED_AUTO;
    let other = cust::context::legacy::Context::create_and_push(flags, device).unwrap();
    let mut foreign = DeviceBuffer::from_slice(&[1_u32, 2, 3]).unwrap();
    // SAFETY: the buffer is dropped at once.
    let refused = unsafe { machine.borrow_from_cust(&mut foreign).map(|buffer| buffer.len()) };
    assert!(matches!(refused, Err(MachineError::Context)), "{refused:?}");
    cust::context::CurrentContext::set_current(&other).unwrap();
    drop(foreign);
    ContextStack::pop().unwrap();
}
