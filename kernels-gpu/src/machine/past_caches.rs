//! Copies past the caches of a core, for memory that a device reads next.
//!
//! Lines that cores have written and that lie in their caches are fetched from there, when a device reads them over the bus.
//! Where 15 cores filled 12 MiB so, an H200's engine of copies read 20 GB/s, and 39 GB/s of what had gone past the caches.

use crate::device::Plain;

/// Copies items to memory that this core will not read soon.
///
/// # Panics
/// If there are others than have room.
pub(super) fn copy<T: Plain>(items: &[T], room: &mut [T]) {
    assert_eq!(items.len(), room.len(), "items that are copied have room");
    let bytes = size_of_val(items);
    // SAFETY: both are as many bytes, which any may be, and nothing else has the room.
    unsafe { copy_bytes(items.as_ptr().cast(), room.as_mut_ptr().cast(), bytes) }
}

/// # Safety
/// Both memories have so many bytes and do not overlap.
#[cfg(target_arch = "x86_64")]
unsafe fn copy_bytes(from: *const u8, to: *mut u8, bytes: usize) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_sfence, _mm_stream_si128};
    const VECTOR: usize = size_of::<__m128i>();
    let before = to.align_offset(VECTOR).min(bytes);
    let vectors = (bytes - before) / VECTOR;
    let after = before + vectors * VECTOR;
    // SAFETY: all offsets are below `bytes`, and vectors are written at multiples of their size. The fence orders these writes
    // before those that follow, as the language has it for all others.
    unsafe {
        std::ptr::copy_nonoverlapping(from, to, before);
        for k in 0..vectors {
            let offset = before + k * VECTOR;
            let vector = _mm_loadu_si128(from.add(offset).cast());
            _mm_stream_si128(to.add(offset).cast(), vector);
        }
        _mm_sfence();
        std::ptr::copy_nonoverlapping(from.add(after), to.add(after), bytes - after);
    }
}

/// # Safety
/// Both memories have so many bytes and do not overlap.
#[cfg(not(target_arch = "x86_64"))]
unsafe fn copy_bytes(from: *const u8, to: *mut u8, bytes: usize) {
    // SAFETY: the caller's.
    unsafe { std::ptr::copy_nonoverlapping(from, to, bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_items_come_to_their_places_whatever_the_alignment() {
        let items: Vec<u8> = (0..200).map(|i| i as u8).collect();
        for (first, count) in [(0, 0), (0, 200), (1, 16), (3, 5), (7, 64), (15, 100), (16, 33)] {
            let mut found = [255u8; 240];
            copy(&items[..count], &mut found[first..first + count]);
            assert_eq!(found[first..first + count], items[..count]);
            assert!(found[..first].iter().chain(&found[first + count..]).all(|byte| *byte == 255));
        }
    }
}
