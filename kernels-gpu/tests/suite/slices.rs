//! Borrowed memory of a device: parts, copies, and refusals that are typed errors.

use kernels_gpu::device::View;
use kernels_gpu::machine::{Buffer, DeviceSlice, DeviceSliceMut, Machine, MachineError};
use kernels_gpu::memory::Grown;

on_every_machine!(parts_are_those_of_the_items, what_leaves_a_slice_is_refused);

fn parts_are_those_of_the_items<M: Machine>(machine: &M) {
    let mut memory = Grown::<M, u32>::new();
    memory.upload(machine, &[1, 2, 3, 4, 5, 6]).unwrap();
    let mut items = [0; 2];
    memory.slice(6).unwrap().part(3..5).unwrap().download(machine, &mut items).unwrap();
    assert_eq!(items, [4, 5]);
    let [mut first, mut rest] = memory.slice_mut(6).unwrap().split_at(4).unwrap();
    first.reborrow().part(1..3).unwrap().upload(machine, &[20, 30]).unwrap();
    rest.upload(machine, &[50, 60]).unwrap();
    first.upload(machine, &[10, 21, 31, 40]).unwrap();
    assert_eq!((first.len(), rest.into_slice().len()), (4, 2));
    let mut items = [0; 6];
    memory.slice(6).unwrap().download(machine, &mut items).unwrap();
    assert_eq!(items, [10, 21, 31, 40, 50, 60]);
}

fn what_leaves_a_slice_is_refused<M: Machine>(machine: &M) {
    let mut memory = Grown::<M, u32>::new();
    let none = MachineError::Range { start: 0, end: 1, len: 0 };
    assert_eq!(memory.slice(1).map(|slice| slice.len()), Err(none.clone()));
    assert_eq!(memory.slice_mut(1).map(|slice| slice.len()), Err(none));
    assert!(memory.slice(0).unwrap().is_empty() && memory.slice_mut(0).unwrap().is_empty());
    memory.upload(machine, &[1, 2, 3]).unwrap();
    let refused = |start, end| MachineError::Range { start, end, len: 3 };
    assert_eq!(memory.slice(4).map(|slice| slice.len()), Err(refused(0, 4)));
    assert_eq!(memory.slice_mut(4).map(|slice| slice.len()), Err(refused(0, 4)));
    for (start, end) in [(2, 4), (2, 1), (usize::MAX, 1), (4, usize::MAX)] {
        let slice = memory.slice(3).unwrap();
        assert_eq!(slice.part(start..end).map(|part| part.len()), Err(refused(start, end)));
        let slice = memory.slice_mut(3).unwrap();
        assert_eq!(slice.part(start..end).map(|part| part.len()), Err(refused(start, end)));
    }
    let split = memory.slice_mut(3).unwrap().split_at(4);
    assert_eq!(split.map(|parts| parts.len()), Err(refused(4, 4)));
    let mut slice = memory.slice_mut(3).unwrap();
    assert_eq!(slice.upload(machine, &[0; 2]), Err(MachineError::Copy { items: 2, len: 3 }));
    let short = slice.into_slice().download(machine, &mut [0; 2]);
    assert!(matches!(short, Err(MachineError::Copy { .. })), "{short:?}");
}

/// Memory of other orders of launches may be given back before a launch here has ended.
#[test]
fn memory_of_other_machines_is_refused() {
    let machine = crate::common::emulator();
    let mut items = [1.0_f64, 2.0];
    let address = items.as_mut_ptr() as *const f64;
    // SAFETY: the items outlive the slice, which is refused before they are read.
    let foreign = unsafe { DeviceSlice::from_view(View::from_raw(address, 2), 7) };
    assert_eq!(foreign.download(&machine, &mut [0.0; 2]), Err(MachineError::Order));
    assert_eq!(foreign.part(1..1).unwrap().download(&machine, &mut []), Ok(()));
    assert_eq!(DeviceSlice::<f64>::EMPTY.download(&machine, &mut []), Ok(()));
    let mut none = DeviceSliceMut::<f64>::EMPTY;
    assert_eq!(none.upload(&machine, &[]), Ok(()));
    let own = machine.buffer_of(&items).unwrap();
    assert_eq!(own.slice().download(&machine, &mut [0.0; 2]), Ok(()));
}
