//! Floats that the kernels compute with.

use std::sync::Arc;

use kernels_gpu::direct::Precision;
use kernels_gpu::near::NearPrecision;
use kernels_gpu::operators::Operator;
use kernels_gpu::transfer::Transferable;
use kernels_gpu::tree::PointReal;
use kernels_gpu::walk::WalkReal;

use super::plan::{self, Engine};
use crate::hybrid::{NearPairs, PairDevice};
use crate::{Device, Error, Fmm};

/// What a [`Pipeline`](super::Pipeline) asks of a number: `f32` and `f64` have it.
pub trait Number:
    PointReal + NearPrecision + Precision<Self> + Operator + Transferable + WalkReal
{
}

impl<T> Number for T where
    T: PointReal + NearPrecision + Precision<T> + Operator + Transferable + WalkReal
{
}

/// What [`Scalar`](crate::Scalar) asks of a number where plans can be made on a GPU: `f32` and `f64` have it.
///
/// It stands between the two because their traits have constants of the same names.
pub trait OnGpu: Sized {
    #[doc(hidden)]
    fn engine(settings: Fmm) -> Result<Arc<dyn Engine<Self>>, Error>;
    #[doc(hidden)]
    fn pairs(
        device: Device,
        pairs: &NearPairs<'_, Self>,
    ) -> Result<Arc<dyn PairDevice<Self>>, Error>;
}

impl OnGpu for f32 {
    fn engine(settings: Fmm) -> Result<Arc<dyn Engine<Self>>, Error> {
        plan::engine(settings)
    }

    fn pairs(
        device: Device,
        pairs: &NearPairs<'_, Self>,
    ) -> Result<Arc<dyn PairDevice<Self>>, Error> {
        plan::pairs(device, pairs)
    }
}

impl OnGpu for f64 {
    fn engine(settings: Fmm) -> Result<Arc<dyn Engine<Self>>, Error> {
        plan::engine(settings)
    }

    fn pairs(
        device: Device,
        pairs: &NearPairs<'_, Self>,
    ) -> Result<Arc<dyn PairDevice<Self>>, Error> {
        plan::pairs(device, pairs)
    }
}
