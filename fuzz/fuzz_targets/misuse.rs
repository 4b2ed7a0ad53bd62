//! Bytes as a sequence of wrong calls of a plan.

#![no_main]

use libfuzzer_sys::fuzz_target;
use testbed::fuzz::{Dice, misuse};

fuzz_target!(|bytes: &[u8]| {
    if let Err(failure) = misuse::throw(&mut Dice::from_bytes(bytes)) {
        panic!("{failure}");
    }
});
