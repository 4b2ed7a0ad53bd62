//! A plan on a device, whichever it is, and what sums pairs for a plan of the host.

use std::fmt;
use std::sync::Arc;

use expansions::order::Signs;
use rayon::prelude::*;

use octree::PointSet;

use super::Number;
#[cfg(any(feature = "cuda", feature = "emulator"))]
use super::{pairs::Pairs, resident::Resident};
use crate::hybrid::{NearPairs, PairDevice};
use crate::stopwatch::Seconds;
use crate::verify::SampledError;
use crate::{Device, Error, Field, Fmm, Report, Scalar};

/// A plan whose points, tree and sums are in a device's memory.
#[derive(Clone, Debug)]
pub(crate) struct Plan<T> {
    engine: Arc<dyn Engine<T>>,
    report: Report,
}

/// A device at work on one set of points.
pub trait Engine<T>: fmt::Debug + Send + Sync {
    /// Sorts points into a tree and returns what is to be reported.
    fn build(&self, sources: &[[T; 3]], receivers: Option<&[[T; 3]]>) -> Result<Report, Error>;

    /// The field of one vector of charges, with what it reports of itself.
    fn evaluate(
        &self,
        charges: &[T],
        signs: Signs,
        field: &mut Field<T>,
        report: &Report,
    ) -> Result<(), Error>;

    /// Errors of a field of these charges.
    fn sample_error(
        &self,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> Result<SampledError, Error>;

    /// The same device and settings, without points.
    fn anew(&self) -> Result<Arc<dyn Engine<T>>, Error>;
}

impl<T: Scalar> Plan<T> {
    pub(crate) fn new(
        settings: Fmm,
        sources: &[[T; 3]],
        receivers: Option<&[[T; 3]]>,
    ) -> Result<Self, Error> {
        let engine = T::engine(settings)?;
        let report = engine.build(sources, receivers)?;
        Ok(Self { engine, report })
    }

    pub(crate) fn evaluate(
        &self,
        charges: &[&[T]],
        signs: &[Signs],
        fields: &mut [Field<T>],
        seconds: Seconds,
    ) -> Result<(), Error> {
        let report = Report {
            n_vectors: charges.len(),
            seconds: self.report.seconds + seconds,
            ..self.report.clone()
        };
        for ((charges, signs), field) in charges.iter().zip(signs).zip(fields) {
            self.engine.evaluate(charges, *signs, field, &report)?;
        }
        Ok(())
    }

    pub(crate) fn rebuild(
        &mut self,
        sources: &[[T; 3]],
        receivers: Option<&[[T; 3]]>,
    ) -> Result<(), Error> {
        // What could be refused is refused before the old points go. Clones of the plan keep them.
        finite(sources, PointSet::Sources)?;
        finite(receivers.unwrap_or_default(), PointSet::Receivers)?;
        if Arc::get_mut(&mut self.engine).is_none() {
            self.engine = self.engine.anew()?;
        }
        self.report = self.engine.build(sources, receivers)?;
        Ok(())
    }

    pub(crate) fn sample_error(
        &self,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> Result<SampledError, Error> {
        self.engine.sample_error(charges, field, count)
    }

    pub(crate) fn report(&self) -> &Report {
        &self.report
    }
}

/// The engine of the device that is asked for.
pub(super) fn engine<T: Scalar + Number>(settings: Fmm) -> Result<Arc<dyn Engine<T>>, Error> {
    match settings.device {
        #[cfg(feature = "emulator")]
        Device::Emulated => {
            Ok(Arc::new(Resident::new(super::Emulator, "emulator".to_owned(), settings)?))
        }
        #[cfg(feature = "cuda")]
        Device::Cuda(index) => {
            let machine = super::Cuda::new(index)?;
            let name = machine.name().to_owned();
            Ok(Arc::new(Resident::new(machine, name, settings)?))
        }
        device => Err(Error::DeviceNotBuilt { device }),
    }
}

/// What sums pairs on this device.
pub(crate) fn pair_device<T: Scalar>(
    device: Device,
    pairs: &NearPairs<'_, T>,
) -> Result<Arc<dyn PairDevice<T>>, Error> {
    T::pairs(device, pairs)
}

/// The machine for pairs that is asked for.
pub(super) fn pairs<T: Scalar + Number>(
    device: Device,
    pairs: &NearPairs<'_, T>,
) -> Result<Arc<dyn PairDevice<T>>, Error> {
    match device {
        #[cfg(feature = "emulator")]
        Device::EmulatedHybrid => {
            Ok(Arc::new(Pairs::new(super::Emulator, "emulator".to_owned(), pairs)?))
        }
        #[cfg(feature = "cuda")]
        Device::Hybrid(index) => {
            let machine = super::Cuda::new(index)?;
            let name = machine.name().to_owned();
            Ok(Arc::new(Pairs::new(machine, name, pairs)?))
        }
        device => Err(Error::DeviceNotBuilt { device }),
    }
}

/// Refuses positions that are not finite.
fn finite<T: Scalar>(positions: &[[T; 3]], set: PointSet) -> Result<(), Error> {
    let bad = |position: &[T; 3]| position.iter().any(|x| !x.is_finite());
    match positions.par_iter().position_first(bad) {
        None => Ok(()),
        Some(index) => {
            let position = positions[index].map(T::widen);
            Err(octree::Error::NotFinite { set, index, position }.into())
        }
    }
}
