//! What a device refuses.

use std::string::String;

/// A device cannot do what it was asked for.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MachineError {
    /// A copy does not fit.
    #[error("{items} items do not fit a device buffer of {len}; allocate a larger one")]
    Copy {
        /// Items to be copied.
        items: usize,
        /// Length of the buffer.
        len: usize,
    },
    /// There is no NVIDIA driver.
    #[error("no NVIDIA driver answers ({reason}); install one, or choose Device::Cpu")]
    Driver {
        /// What the system says.
        reason: String,
    },
    /// There is no such device.
    #[error(
        "there is no CUDA device {index}, the machine has {count}; choose a smaller index, or Device::Cpu"
    )]
    Device {
        /// The device asked for.
        index: usize,
        /// How many there are.
        count: usize,
    },
    /// The device has not enough memory.
    #[error(
        "the device has no {bytes} bytes left; use fewer points at once, a larger leaf capacity, or f32"
    )]
    Memory {
        /// Bytes asked for.
        bytes: usize,
    },
    /// The device does not run the kernels.
    #[error(
        "the device does not load {kernel}: {reason}; it takes compute capability 8.0 or later and a driver for CUDA 12"
    )]
    Load {
        /// The kernel.
        kernel: &'static str,
        /// What the driver says.
        reason: String,
    },
    /// Memory that is lent to the machine belongs to another context.
    #[error(
        "the memory is not in the primary context of this machine's device; allocate it there (cust::context::Context::new)"
    )]
    Context,
    /// A launch or a copy failed.
    #[error(
        "the device failed in or before {place}: {reason}; please report it with the points that cause it"
    )]
    Failed {
        /// Where it came to light.
        place: &'static str,
        /// What the driver says.
        reason: String,
    },
}
