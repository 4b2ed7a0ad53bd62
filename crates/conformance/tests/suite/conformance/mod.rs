//! The conformance suite: every engine on every device, in every precision, keeps what the documentation promises.
//!
//! Checks are generic over `testbed::conformance::{Bed, Precision}`; each file is one promise. On an emulator they take
//! few points. Those on a GPU run with `cargo test -p conformance --features cuda -- --ignored`.

/// The test of a check on one device.
macro_rules! test_on {
    ($name:ident $check:ident $bed:expr) => {
        #[test]
        fn $name() {
            super::$check($bed);
        }
    };
    (cpu $check:ident) => {
        test_on! { cpu $check testbed::conformance::Bed::CPU }
    };
    (emulated $check:ident) => {
        test_on! { emulated $check testbed::conformance::Bed::of(fmm::Device::Emulated) }
    };
    (emulated_hybrid $check:ident) => {
        test_on! {
            emulated_hybrid $check testbed::conformance::Bed::of(fmm::Device::EmulatedHybrid)
        }
    };
    (ranks $check:ident) => {
        test_on! { ranks $check testbed::conformance::Bed::of_ranks(fmm::Device::Cpu) }
    };
    (emulated_ranks $check:ident) => {
        test_on! {
            emulated_ranks $check testbed::conformance::Bed::of_ranks(fmm::Device::Emulated)
        }
    };
    (cuda $check:ident) => {
        #[cfg(feature = "cuda")]
        #[test]
        #[ignore = "takes an NVIDIA GPU"]
        fn cuda() {
            super::$check(testbed::conformance::Bed::of(fmm::Device::Cuda(0)));
        }
    };
    (cuda_ranks $check:ident) => {
        #[cfg(feature = "cuda")]
        #[test]
        #[ignore = "takes NVIDIA GPUs, in turn where there are several"]
        fn cuda_ranks() {
            super::$check(testbed::conformance::Bed::of_ranks(fmm::Device::Cuda(0)));
        }
    };
    (hybrid $check:ident) => {
        #[cfg(feature = "cuda")]
        #[test]
        #[ignore = "takes an NVIDIA GPU"]
        fn hybrid() {
            super::$check(testbed::conformance::Bed::of(fmm::Device::Hybrid(0)));
        }
    };
}

/// Makes tests of `fn check(bed: Bed)` on the devices that are named.
macro_rules! on_devices {
    ($($check:ident: $($device:ident)+;)*) => {$(
        mod $check {
            $(test_on! { $device $check })+
        }
    )*};
}

/// Makes tests of `fn check(bed: Bed)` on all devices.
macro_rules! on_every_device {
    ($($check:ident,)*) => {
        on_devices! { $($check: cpu emulated emulated_hybrid cuda hybrid;)* }
    };
}

/// Makes tests of `fn check(bed: Bed)` on all devices and over ranks, with cores each or a GPU each; such a check evaluates
/// by `Engine::run`. Ranks with an emulator each, which are slow, are named in `on_devices!` for some.
macro_rules! on_devices_and_ranks {
    ($($check:ident,)*) => {
        on_devices! { $($check: cpu emulated emulated_hybrid cuda hybrid ranks cuda_ranks;)* }
    };
}

mod beyond_walks;
mod bits;
mod cancelling;
mod choices;
mod close;
mod clumps;
mod coincident;
mod degenerate;
mod errors;
mod hostile;
mod openings;
mod promise;
mod properties;
mod refined;
mod report;
mod scales;
mod single_walks;
mod softening;
