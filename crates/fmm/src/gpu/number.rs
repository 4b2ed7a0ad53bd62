//! Floats that the kernels compute with.

use kernels_gpu::check::Checkable;
use kernels_gpu::direct::Precision;
use kernels_gpu::near::NearPrecision;
use kernels_gpu::operators::Operator;

/// Float types of plans on a device: `f32` and `f64` have all kernels.
pub trait Number: NearPrecision + Precision<Self> + Checkable + Operator {}

impl<T> Number for T where T: NearPrecision + Precision<T> + Checkable + Operator {}
