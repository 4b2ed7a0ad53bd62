//! Number types of points that are parted among owners.

use crate::device::{Kernel, Real};
use crate::partition::owners::{
    COUNT_OWNERS_F32, COUNT_OWNERS_F64, CountOwners, PART_POINTS_F32, PART_POINTS_F64, PartPoints,
};
use crate::partition::sample::{
    COUNT_BESIDE_F32, COUNT_BESIDE_F64, CountBeside, SAMPLE_KEYS_F32, SAMPLE_KEYS_F64, SampleKeys,
};

/// Number types with kernels that part points among owners.
pub trait Parted: Real {
    /// Kernel: keys of some points.
    const SAMPLE_KEYS: Kernel<SampleKeys<Self>>;
    /// Kernel: points beside cuts.
    const COUNT_BESIDE: Kernel<CountBeside<Self>>;
    /// Kernel: owners of points by tile.
    const COUNT_OWNERS: Kernel<CountOwners<Self>>;
    /// Kernel: points in the order of their owners.
    const PART_POINTS: Kernel<PartPoints<Self>>;
}

impl Parted for f32 {
    const SAMPLE_KEYS: Kernel<SampleKeys<Self>> = SAMPLE_KEYS_F32;
    const COUNT_BESIDE: Kernel<CountBeside<Self>> = COUNT_BESIDE_F32;
    const COUNT_OWNERS: Kernel<CountOwners<Self>> = COUNT_OWNERS_F32;
    const PART_POINTS: Kernel<PartPoints<Self>> = PART_POINTS_F32;
}

impl Parted for f64 {
    const SAMPLE_KEYS: Kernel<SampleKeys<Self>> = SAMPLE_KEYS_F64;
    const COUNT_BESIDE: Kernel<CountBeside<Self>> = COUNT_BESIDE_F64;
    const COUNT_OWNERS: Kernel<CountOwners<Self>> = COUNT_OWNERS_F64;
    const PART_POINTS: Kernel<PartPoints<Self>> = PART_POINTS_F64;
}
