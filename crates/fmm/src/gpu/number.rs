//! Floats that the kernels compute with.

use kernels_gpu::check::Checkable;
use kernels_gpu::direct::Precision;
use kernels_gpu::near::NearPrecision;
use kernels_gpu::operators::Operator;
use kernels_gpu::partition::Parted;
use kernels_gpu::partition::rows::Travelling;
use kernels_gpu::transfer::Transferable;
use kernels_gpu::tree::PointReal;
use kernels_gpu::walk::WalkReal;

/// Float types of plans on a device: `f32` and `f64` have all kernels.
pub trait Number:
    PointReal
    + NearPrecision
    + Precision<Self>
    + Checkable
    + Operator
    + Parted
    + Transferable
    + Travelling
    + WalkReal
{
}

impl<T> Number for T where
    T: PointReal
        + NearPrecision
        + Precision<T>
        + Checkable
        + Operator
        + Parted
        + Transferable
        + Travelling
        + WalkReal
{
}
