//! Devices on which a sum is computed.

use std::fmt;
use std::str::FromStr;

/// The processor that plans and evaluates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Device {
    /// The cores of the caller's rayon pool.
    #[default]
    Cpu,
    /// The NVIDIA GPU of this index: tree, lists, expansions and sums stay on it. Needs the feature `cuda`. Points that crowd boxes
    /// of the deepest level are summed on the cores, and the report's device is [`Device::Cpu`] then.
    Cuda(usize),
    /// The cores and that GPU at once, for [`Method::Fmm`](crate::Method::Fmm) and
    /// [`Method::Direct`](crate::Method::Direct): the GPU sums the near pairs while the cores build and translate
    /// expansions (Hu, Gumerov & Duraiswami 2011). For GPUs that are slow in f64, and for orders at which a GPU alone
    /// ends: in f32 and with guaranteed tolerances before those of the cores.
    ///
    /// In a report, [`Stage::P2p`](crate::Stage::P2p) is the time that the cores wait for the GPU when they are done.
    Hybrid(usize),
    /// The kernels of [`Device::Cuda`] in an emulator on the host, for tests: thousands of times slower.
    #[cfg(feature = "emulator")]
    Emulated,
    /// [`Device::Hybrid`] with the emulator in place of the GPU, for tests.
    #[cfg(feature = "emulator")]
    EmulatedHybrid,
}

impl Device {
    /// Whether cores and a GPU work together.
    pub(crate) fn is_hybrid(self) -> bool {
        match self {
            Self::Hybrid(_) => true,
            #[cfg(feature = "emulator")]
            Self::EmulatedHybrid => true,
            _ => false,
        }
    }

    /// The cores of the host with the GPU of a device; a device that is no GPU stays as it is.
    pub(crate) fn with_cores(self) -> Self {
        match self {
            Self::Cuda(index) => Self::Hybrid(index),
            #[cfg(feature = "emulator")]
            Self::Emulated => Self::EmulatedHybrid,
            device => device,
        }
    }

    /// Whether all of an evaluation runs on a GPU.
    pub fn is_gpu(self) -> bool {
        match self {
            Self::Cuda(_) => true,
            #[cfg(feature = "emulator")]
            Self::Emulated => true,
            _ => false,
        }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cpu => f.write_str("cpu"),
            Self::Cuda(index) => write!(f, "cuda:{index}"),
            Self::Hybrid(index) => write!(f, "hybrid:{index}"),
            #[cfg(feature = "emulator")]
            Self::Emulated => f.write_str("emulated"),
            #[cfg(feature = "emulator")]
            Self::EmulatedHybrid => f.write_str("emulated-hybrid"),
        }
    }
}

/// Error of reading a name that is none of a device's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "there is no device '{0}'; choose cpu, cuda or hybrid (cuda:1, hybrid:1 for the second GPU)"
)]
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
            #[cfg(feature = "emulator")]
            ("emulated", Some(0)) => Ok(Self::Emulated),
            #[cfg(feature = "emulator")]
            ("emulated-hybrid", Some(0)) => Ok(Self::EmulatedHybrid),
            ("cuda", Some(index)) => Ok(Self::Cuda(index)),
            ("hybrid", Some(index)) => Ok(Self::Hybrid(index)),
            _ => Err(UnknownDevice(text.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for device in [Device::Cpu, Device::Cuda(3), Device::Hybrid(2)] {
            assert_eq!(device.to_string().parse(), Ok(device));
        }
        #[cfg(feature = "emulator")]
        for device in [Device::Emulated, Device::EmulatedHybrid] {
            assert_eq!(device.to_string().parse(), Ok(device));
        }
        assert_eq!("cuda".parse(), Ok(Device::Cuda(0)));
        assert_eq!("hybrid".parse(), Ok(Device::Hybrid(0)));
        for wrong in ["gpu", "cuda:", "cuda:-1", "hybrid:x", "cpu:1", ""] {
            assert!(wrong.parse::<Device>().is_err(), "{wrong}");
        }
    }
}
