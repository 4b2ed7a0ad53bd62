//! Engines by device, and what is instantiated here for each float type.

use std::sync::Arc;

use distributed::Communicator;

use super::front;
use crate::api::{Device, Error, MemoryEstimate, Request};
use crate::choose;
use crate::cpu::{self, CpuEngine};
#[cfg(not(feature = "gpu"))]
use crate::engine::Scalar as OnDevices;
use crate::engine::{Engine, Instantiated, PointCounts, PointSets, Scalar};
use crate::ranks::{self, Devices};
#[cfg(feature = "gpu")]
use crate::{gpu, gpu::Number as OnDevices, hybrid};

/// The engine of a request's device, with all points.
fn device_engine<T: Scalar + OnDevices>(
    request: Request,
    points: &PointSets<'_, T>,
) -> Result<Arc<dyn Engine<T>>, Error> {
    Ok(match request.device {
        Device::Cpu => {
            let abilities = cpu::abilities::<T>();
            Arc::new(CpuEngine::new(request, abilities, choose::of_cores(), points)?)
        }
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

/// The engine of one rank of several, with its points, on a request's device. Collective.
fn rank_engine<T: Scalar + OnDevices>(
    request: Request,
    communicator: Arc<dyn Communicator>,
    points: &PointSets<'_, T>,
) -> Result<Arc<dyn Engine<T>>, Error> {
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

/// Costs of such cores and GPUs together; of the cores alone where this build knows no GPUs.
fn of_hybrid(cores: choose::Costs) -> choose::Costs {
    #[cfg(feature = "gpu")]
    return choose::of_hybrid(cores);
    #[cfg(not(feature = "gpu"))]
    return cores;
}

/// Memory that a request takes for so many points.
fn estimate<T: Scalar>(request: Request, counts: PointCounts) -> Result<MemoryEstimate, Error> {
    match request.device {
        Device::Cpu => {
            cpu::estimate::<T>(&request, cpu::abilities::<T>(), choose::of_cores(), counts)
        }
        #[cfg(feature = "cuda")]
        Device::Hybrid(_) => hybrid::estimate::<T>(&request, counts),
        #[cfg(feature = "emulator")]
        Device::EmulatedHybrid => hybrid::estimate::<T>(&request, counts),
        #[cfg(feature = "gpu")]
        _ => gpu::estimate::<T>(&request, counts),
        #[cfg(not(feature = "gpu"))]
        device => Err(Error::DeviceNotBuilt { device }),
    }
}

macro_rules! instantiate {
    ($($t:ident of f64 by $of_f64:path),*) => {$(
        impl Instantiated for $t {
            #[expect(private_interfaces, reason = "nobody outside this crate can name or call it")]
            fn engine(
                request: Request,
                ranks: Option<&Arc<dyn Communicator>>,
                points: &PointSets<'_, Self>,
            ) -> Result<Arc<dyn Engine<Self>>, Error> {
                front::whole_engine(request, ranks, points)
            }

            #[expect(private_interfaces, reason = "nobody outside this crate can name or call it")]
            fn engine_of_f64(
                request: Request,
                ranks: Option<&Arc<dyn Communicator>>,
                points: &PointSets<'_, f64>,
            ) -> Result<Arc<dyn Engine<Self>>, Error> {
                $of_f64(request, ranks, points)
            }

            #[expect(private_interfaces, reason = "nobody outside this crate can name or call it")]
            fn device_engine(
                request: Request,
                ranks: Option<&Arc<dyn Communicator>>,
                points: &PointSets<'_, Self>,
            ) -> Result<Arc<dyn Engine<Self>>, Error> {
                match ranks {
                    Some(ranks) => rank_engine(request, Arc::clone(ranks), points),
                    None => device_engine(request, points),
                }
            }

            #[expect(private_interfaces, reason = "nobody outside this crate can name or call it")]
            fn estimate(request: Request, counts: PointCounts) -> Result<MemoryEstimate, Error> {
                estimate::<Self>(request, counts)
            }
        }
    )*};
}

instantiate!(f32 of f64 by front::narrow_engine, f64 of f64 by front::whole_engine);
