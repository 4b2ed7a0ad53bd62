//! Errors of a machine.

use std::string::String;

/// Error of a machine; each message names the cure.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MachineError {
    /// Copy of more items than the buffer has.
    #[error("{items} items do not fit a device buffer of {len}; allocate a larger one")]
    Copy {
        /// Items to be copied.
        items: usize,
        /// Length of the buffer.
        len: usize,
    },
    /// Slice of another length than the vectors of a space, or than the particles.
    #[error(
        "a slice has {found} items, expected {expected}; give one of whole vectors, or with an item for each particle"
    )]
    Length {
        /// Items of the slice.
        found: usize,
        /// Items of the vectors.
        expected: usize,
    },
    /// Part that leaves its slice.
    #[error("items {start}..{end} are not within a device slice of {len}; choose others")]
    Range {
        /// First item.
        start: usize,
        /// Item after the last one.
        end: usize,
        /// Length of the slice.
        len: usize,
    },
    /// Memory of another order of launches.
    #[error(
        "the memory is that of another machine; allocate it by this one, or by a clone, which shares the order of launches"
    )]
    Order,
    /// No NVIDIA driver.
    #[error("no NVIDIA driver answers ({reason}); install one, or choose Device::Cpu")]
    Driver {
        /// Message of the system.
        reason: String,
    },
    /// No device of this index.
    #[error(
        "there is no CUDA device {index}, the machine has {count}; choose a smaller index, or Device::Cpu"
    )]
    Device {
        /// Index asked for.
        index: usize,
        /// Number of devices.
        count: usize,
    },
    /// Not enough memory on the device.
    #[error(
        "the device has no {bytes} bytes left; use fewer points at once, a larger leaf capacity, or f32"
    )]
    Memory {
        /// Bytes asked for.
        bytes: usize,
    },
    /// Kernel that the device cannot run.
    #[error(
        "the device does not load {kernel}: {reason}; it takes compute capability 8.0 or later and a driver for CUDA 12"
    )]
    Load {
        /// Name of the kernel.
        kernel: &'static str,
        /// Message of the driver.
        reason: String,
    },
    /// Memory of `cust` outside the primary context.
    #[error(
        "the memory is not in the primary context of this machine's device; allocate it there (cust::context::Context::new)"
    )]
    Context,
    /// Failed launch or copy.
    #[error(
        "the device failed in or before {place}: {reason}; please report it with the points that cause it"
    )]
    Failed {
        /// Call in which the failure came to light.
        place: &'static str,
        /// Message of the driver.
        reason: String,
    },
}
