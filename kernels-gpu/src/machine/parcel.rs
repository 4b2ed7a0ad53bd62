//! Items on their way to another device: their address, for devices of this process, or their bytes.

use super::{Launcher, Machine, MachineError};
use crate::device::{Plain, View, ViewMut};
use std::vec::Vec;

/// Items in the memory of a device of this process, for a machine of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parcel {
    start: u64,
    len: u64,
    home: u64,
}

impl Parcel {
    /// Items of `machine`, whose launches that write them must have ended, and which live until the parcel is fetched.
    pub fn new<M: Machine, T: Plain>(machine: &M, items: View<T>) -> Self {
        Self { start: items.start(), len: items.len() as u64, home: machine.home() }
    }

    /// The parcel as three words, to be sent within the process.
    pub fn to_words(self) -> [u64; 3] {
        [self.start, self.len, self.home]
    }

    /// The parcel of [`to_words`](Self::to_words) of this process, whose items still live: a duty of the [`Launcher`] that
    /// fetches it.
    pub fn from_words([start, len, home]: [u64; 3]) -> Self {
        Self { start, len, home }
    }

    /// Number of items.
    pub fn len(self) -> usize {
        self.len as usize
    }

    /// Whether there are no items.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Copies the items from `first` on, which are of the type that the parcel was made with, to those of a view.
    ///
    /// # Errors
    /// If there are fewer than the view has, or the copy fails.
    pub fn fetch<M: Launcher, T: Plain>(
        self,
        machine: &M,
        first: usize,
        to: ViewMut<T>,
    ) -> Result<(), MachineError> {
        let left = self.len().checked_sub(first).filter(|left| to.len() <= *left);
        let Some(_) = left else {
            return Err(MachineError::Copy { items: first + to.len(), len: self.len() });
        };
        // SAFETY: the holder of the machine vouches that the words are those of `to_words` and that the items live.
        let from = unsafe { View::from_raw(self.start as *const T, self.len()) };
        machine.copy(from.part(first, to.len()), self.home, to)
    }
}

/// Bytes of items.
pub fn to_bytes<T: Plain>(items: &[T]) -> Vec<u8> {
    // SAFETY: plain data has no padding.
    let bytes = unsafe { std::slice::from_raw_parts(items.as_ptr().cast(), size_of_val(items)) };
    <[u8]>::to_vec(bytes)
}

/// Items of [`to_bytes`]; `None` if the number of bytes is that of no items.
pub fn items_of_bytes<T: Plain>(bytes: &[u8]) -> Option<Vec<T>> {
    if !bytes.len().is_multiple_of(size_of::<T>()) {
        return None;
    }
    let mut items = std::vec![T::default(); bytes.len() / size_of::<T>()];
    // SAFETY: the items have as many bytes, and all bits are a value of plain data.
    unsafe {
        std::ptr::copy_nonoverlapping(bytes.as_ptr(), items.as_mut_ptr().cast(), bytes.len());
    }
    Some(items)
}
