//! Where a sum is computed.

use std::fmt;
use std::str::FromStr;

/// The processor that plans and evaluates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Device {
    /// The cores of the caller's rayon pool.
    #[default]
    Cpu,
    /// The NVIDIA GPU of this index: tree, lists, expansions and sums stay on it. Needs the feature `cuda`.
    ///
    /// What [`Tolerance::L2`](crate::Tolerance::L2) does for charges that outweigh all others and for receivers away
    /// from all sources is done on the CPU only, and so is the limit to the depth that softening sets: check with
    /// [`Plan::sample_error`](crate::Plan::sample_error), and set the depth by hand where softening is large.
    Cuda(usize),
    /// The kernels of [`Device::Cuda`] in an emulator on the host, for tests: thousands of times slower. Needs
    /// the feature `emulator`.
    Emulated,
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(index) => write!(f, "cuda:{index}"),
            Self::Emulated => f.write_str("emulated"),
        }
    }
}

/// A name that is none of a device's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no device '{0}'; choose cpu, cuda, cuda:1 or emulated")]
pub struct UnknownDevice(String);

impl FromStr for Device {
    type Err = UnknownDevice;

    fn from_str(text: &str) -> Result<Self, UnknownDevice> {
        let (name, index) = match text.split_once(':') {
            Some((name, index)) => (name, index.parse().ok()),
            None => (text, Some(0)),
        };
        match (name, index) {
            ("cpu", Some(0)) => Ok(Self::Cpu),
            ("emulated", Some(0)) => Ok(Self::Emulated),
            ("cuda", Some(index)) => Ok(Self::Cuda(index)),
            _ => Err(UnknownDevice(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for device in [Device::Cpu, Device::Cuda(3), Device::Emulated] {
            assert_eq!(device.to_string().parse(), Ok(device));
        }
        assert_eq!("cuda".parse(), Ok(Device::Cuda(0)));
        for wrong in ["gpu", "cuda:", "cuda:-1", "cpu:1", ""] {
            assert!(wrong.parse::<Device>().is_err(), "{wrong}");
        }
    }
}
