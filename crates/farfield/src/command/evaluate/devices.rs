//! The device that the user names: one, or all GPUs of this host.

use std::fmt;
use std::num::NonZeroUsize;
use std::str::FromStr;

use fmm::{Device, UnknownDevice};

use super::gpus::n_gpus;

/// Name of all GPUs.
const ALL: &str = "cuda:all";

/// A device, or all GPUs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Devices {
    One(Device),
    AllGpus,
}

impl Devices {
    /// The device of the first rank.
    pub(super) fn first(self) -> Device {
        match self {
            Self::One(device) => device,
            Self::AllGpus => Device::Cuda(0),
        }
    }

    /// Ranks of this process, one for each GPU; `None` for one device. One rank where no GPU is found, for the message.
    pub(super) fn ranks(self) -> Option<NonZeroUsize> {
        match self {
            Self::One(_) => None,
            Self::AllGpus => n_gpus().and_then(NonZeroUsize::new).or(Some(NonZeroUsize::MIN)),
        }
    }
}

impl FromStr for Devices {
    type Err = UnknownDevice;

    fn from_str(text: &str) -> Result<Self, UnknownDevice> {
        if text == ALL { Ok(Self::AllGpus) } else { text.parse().map(Self::One) }
    }
}

impl fmt::Display for Devices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(device) => device.fmt(f),
            Self::AllGpus => f.write_str(ALL),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for devices in [Devices::One(Device::Cpu), Devices::One(Device::Cuda(1)), Devices::AllGpus]
        {
            assert_eq!(devices.to_string().parse(), Ok(devices));
        }
        assert_eq!(Devices::AllGpus.first(), Device::Cuda(0));
        assert!(Devices::AllGpus.ranks().is_some());
        assert!("hybrid:all".parse::<Devices>().is_err());
    }
}
