//! Engines by device, instantiated for each float type.

use std::sync::Arc;

use distributed::Communicator;

use super::front;
use crate::api::{Device, Error, MemoryEstimate, Request};
use crate::choose;
use crate::cpu::{self, CpuEngine};
use crate::engine::{Engine, Engines, PointCounts, PointSets};
use crate::ranks::{self, Devices};
#[cfg(feature = "gpu")]
use crate::{gpu, hybrid};

/// Costs of such cores and GPUs together; of the cores alone where this build knows no GPUs.
fn of_hybrid(cores: choose::Costs) -> choose::Costs {
    #[cfg(feature = "gpu")]
    return choose::of_hybrid(cores);
    #[cfg(not(feature = "gpu"))]
    return cores;
}

macro_rules! engines {
    ($($t:ident of f64 by $of_f64:path),*) => {$(
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
                    Device::Cuda(index) => gpu::engine(gpu::cuda(index)?, request, points)?,
                    #[cfg(feature = "cuda")]
                    Device::Hybrid(index) => hybrid::engine(gpu::cuda(index)?, request, points)?,
                    #[cfg(feature = "emulator")]
                    Device::Emulated => gpu::engine(gpu::emulator(), request, points)?,
                    #[cfg(feature = "emulator")]
                    Device::EmulatedHybrid => hybrid::engine(gpu::emulator(), request, points)?,
                    #[cfg(not(feature = "cuda"))]
                    device => return Err(Error::DeviceNotBuilt { device }),
                })
            }

            #[expect(private_interfaces, reason = "nobody outside this crate can name or call it")]
            fn new_engine_over(
                request: Request,
                communicator: Arc<dyn Communicator>,
                points: &PointSets<'_, Self>,
            ) -> Result<Arc<dyn Engine<Self>>, Error> {
                #[cfg(feature = "gpu")]
                match request.device {
                    #[cfg(feature = "cuda")]
                    Device::Cuda(index) => {
                        let machine = || Ok(gpu::cuda(index)?);
                        return gpu::engine_over(machine, true, request, communicator, points);
                    }
                    #[cfg(feature = "emulator")]
                    Device::Emulated => {
                        let machine = || Ok(gpu::emulator());
                        return gpu::engine_over(machine, false, request, communicator, points);
                    }
                    _ => {}
                }
                #[cfg(feature = "gpu")]
                let near = |device, geometry: &_, softening| match device {
                    Device::Cpu => Ok(None),
                    #[cfg(feature = "cuda")]
                    Device::Hybrid(index) => {
                        hybrid::near_device(gpu::cuda(index)?, geometry, softening).map(Some)
                    }
                    #[cfg(feature = "emulator")]
                    Device::EmulatedHybrid => {
                        hybrid::near_device(gpu::emulator(), geometry, softening).map(Some)
                    }
                    device => Err(Error::DeviceNotBuilt { device }),
                };
                #[cfg(not(feature = "gpu"))]
                let near = |device, _: &_, _| match device {
                    Device::Cpu => Ok(None),
                    device => Err(Error::DeviceNotBuilt { device }),
                };
                let devices = Devices { of_hybrid, near };
                ranks::engine(request, communicator, points, devices)
            }

            #[expect(private_interfaces, reason = "nobody outside this crate can name or call it")]
            fn new_engine_of_f64(
                request: Request,
                ranks: Option<&Arc<dyn Communicator>>,
                points: &PointSets<'_, f64>,
            ) -> Result<Arc<dyn Engine<Self>>, Error> {
                $of_f64(request, ranks, points)
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
                    _ => gpu::estimate::<Self>(&request, counts),
                    #[cfg(not(feature = "gpu"))]
                    device => Err(Error::DeviceNotBuilt { device }),
                }
            }
        }
    )*};
}

engines!(f32 of f64 by front::narrow_engine, f64 of f64 by front::whole_engine);
