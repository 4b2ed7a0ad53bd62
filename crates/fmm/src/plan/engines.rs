//! Engines by device, instantiated for each float type.

use std::sync::Arc;

use crate::api::{Device, Error, MemoryEstimate, Request};
use crate::choose;
use crate::cpu::{self, CpuEngine};
use crate::engine::{Engine, Engines, PointCounts, PointSets};
#[cfg(feature = "gpu")]
use crate::{gpu, hybrid};

macro_rules! engines {
    ($($t:ident),*) => {$(
        impl Engines for $t {
            #[expect(private_interfaces, reason = "nobody outside this crate can name or call it")]
            fn new_engine(
                request: Request,
                points: &PointSets<'_, Self>,
            ) -> Result<Arc<dyn Engine<Self>>, Error> {
                Ok(match request.device {
                    Device::Cpu => Arc::new(CpuEngine::new(
                        request,
                        cpu::abilities::<Self>(),
                        choose::of_cores(),
                        points,
                    )?),
                    #[cfg(feature = "cuda")]
                    Device::Cuda(index) => {
                        let machine = gpu::Cuda::new(index)?;
                        let name = machine.name().to_owned();
                        gpu::engine(machine, &name, request, points)?
                    }
                    #[cfg(feature = "cuda")]
                    Device::Hybrid(index) => {
                        let machine = gpu::Cuda::new(index)?;
                        let name = machine.name().to_owned();
                        hybrid::engine(machine, &name, request, points)?
                    }
                    #[cfg(feature = "emulator")]
                    Device::Emulated => gpu::engine(gpu::Emulator, "emulator", request, points)?,
                    #[cfg(feature = "emulator")]
                    Device::EmulatedHybrid => {
                        hybrid::engine(gpu::Emulator, "emulator", request, points)?
                    }
                    #[cfg(not(feature = "cuda"))]
                    device => return Err(Error::DeviceNotBuilt { device }),
                })
            }

            #[expect(private_interfaces, reason = "nobody outside this crate can name or call it")]
            fn estimate(request: Request, counts: PointCounts) -> Result<MemoryEstimate, Error> {
                match request.device {
                    Device::Cpu => cpu::estimate::<Self>(
                        &request,
                        cpu::abilities::<Self>(),
                        choose::of_cores(),
                        counts,
                    ),
                    #[cfg(feature = "cuda")]
                    Device::Hybrid(_) => hybrid::estimate::<Self>(&request, counts),
                    #[cfg(feature = "emulator")]
                    Device::EmulatedHybrid => hybrid::estimate::<Self>(&request, counts),
                    #[cfg(feature = "gpu")]
                    _ => gpu::estimate_of_host::<Self>(&request, counts),
                    #[cfg(not(feature = "gpu"))]
                    device => Err(Error::DeviceNotBuilt { device }),
                }
            }
        }
    )*};
}

engines!(f32, f64);
