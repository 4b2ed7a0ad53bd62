//! What stands for the GPU in builds without one.

use std::convert::Infallible;
use std::marker::PhantomData;
use std::sync::Arc;

use expansions::order::Signs;

use crate::hybrid::{NearPairs, PairDevice};
use crate::stopwatch::Seconds;
use crate::verify::SampledError;
use crate::{Device, Error, Field, Fmm, Report};

/// What a GPU asks of a number: nothing in this build.
pub trait OnGpu {}

impl<T> OnGpu for T {}

/// What sums pairs on this device.
pub(crate) fn pair_device<T>(
    device: Device,
    _pairs: &NearPairs<'_, T>,
) -> Result<Arc<dyn PairDevice<T>>, Error> {
    Err(Error::DeviceNotBuilt { device })
}

/// There is none.
#[derive(Clone, Debug)]
pub(crate) struct Plan<T> {
    never: Infallible,
    number: PhantomData<T>,
}

impl<T> Plan<T> {
    pub(crate) fn new(
        settings: Fmm,
        _sources: &[[T; 3]],
        _receivers: Option<&[[T; 3]]>,
    ) -> Result<Self, Error> {
        Err(Error::DeviceNotBuilt { device: settings.device })
    }

    pub(crate) fn evaluate(
        &self,
        _charges: &[&[T]],
        _signs: &[Signs],
        _fields: &mut [Field<T>],
        _seconds: Seconds,
    ) -> Result<(), Error> {
        match self.never {}
    }

    pub(crate) fn rebuild(
        &mut self,
        _sources: &[[T; 3]],
        _receivers: Option<&[[T; 3]]>,
    ) -> Result<(), Error> {
        match self.never {}
    }

    pub(crate) fn sample_error(
        &self,
        _charges: &[T],
        _field: &Field<T>,
        _count: usize,
    ) -> Result<SampledError, Error> {
        match self.never {}
    }

    pub(crate) fn report(&self) -> &Report {
        match self.never {}
    }
}
