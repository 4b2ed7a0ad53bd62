//! Memory lent from one type of items to another.

use crate::device::{Plain, ViewMut};

/// The 32-bit words of items, for a use that needs none of their values.
pub fn words<T: Plain>(items: ViewMut<T>) -> ViewMut<u32> {
    const { assert!(align_of::<T>() >= align_of::<u32>()) };
    let len = items.len() * (size_of::<T>() / size_of::<u32>());
    // SAFETY: the words lie within the items, all bits are a word, and who may use them is said of the items.
    unsafe { ViewMut::from_raw(items.start() as *mut u32, len) }
}
