//! Bytes as choices of a small problem, which is summed and compared with a sum in double-double arithmetic.

#![no_main]

use libfuzzer_sys::fuzz_target;
use testbed::fuzz::{Dice, problems};

fuzz_target!(|bytes: &[u8]| {
    if let Err((failure, problem)) = problems::throw(&mut Dice::from_bytes(bytes)) {
        panic!("{failure}\n{problem}");
    }
});
