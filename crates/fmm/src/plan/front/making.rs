//! Making an engine: which kind points need, asked before it is made, beside that, and of its tree.
//!
//! A process alone learns from the tree of a GPU whether points may outgrow it, which few do: a look at all points takes a
//! quarter of the time of a plan. Ranks, and cores that stand in for a GPU, ask before there is a tree. Whether points are
//! beyond f32 or f64, which few are, cores find out while the GPU has work.

use std::sync::Arc;

use super::crowding::are_crowded;
use super::kind::Kind;
use super::prepared::Prepared;
use super::together;
use crate::api::{Device, Error, Precision, Request};
use crate::choose::may_be_crowded;
use crate::engine::{Engine, PointSets, Scalar};
use crate::ranks::{Group, Whole};

/// The kind of the cores, which stand in for a GPU.
const CORES: Kind = Kind::Of(Device::Cpu);

/// An engine with its kind.
pub(super) type Made<T> = (Kind, Arc<dyn Engine<T>>);

/// Making of an engine of ranks, or of one process.
#[derive(Clone, Copy)]
pub(super) struct Making<'a> {
    pub(super) request: &'a Request,
    pub(super) ranks: Option<&'a Group>,
    /// Whether points may need an engine for positions in f64.
    pub(super) may_widen: bool,
    /// Kind of the engine that the points before had.
    pub(super) before: Option<Kind>,
}

impl Making<'_> {
    /// Points on their way to an engine, and its kind as far as they tell. Collective.
    pub(super) fn prepare<T: Scalar>(
        &self,
        points: &PointSets<'_, T>,
    ) -> Result<(Prepared<T>, Kind), Error> {
        together(self.ranks, || {
            let prepared = Prepared::new(self.ranks, points, self.asks_for_crowds_first())?;
            if self.may_widen && prepared.merged.is_some() {
                return Ok((prepared, Kind::Widened));
            }
            let looks = self.looks_beyond::<T>() && self.looks_first();
            let kind = match looks && prepared.are_beyond_f32(self.ranks, points, self.request)? {
                true => Kind::Widened,
                false if prepared.outgrown => CORES,
                false => Kind::Of(self.request.device),
            };
            Ok((prepared, kind))
        })
    }

    /// The engine of a kind, by `make`; another one where a look beside tells that points are beyond f32. Collective.
    pub(super) fn make<T: Scalar>(
        &self,
        kind: Kind,
        (prepared, points): (&Prepared<T>, &PointSets<'_, T>),
        make: &mut impl FnMut(Kind, &PointSets<'_, T>) -> Result<Arc<dyn Engine<T>>, Error>,
    ) -> Result<Made<T>, Error> {
        let places = prepared.points(points);
        let looks = self.looks_beyond::<T>() && !self.looks_first() && kind != Kind::Widened;
        if !looks {
            return Ok((kind, make(kind, &places)?));
        }
        let look = || prepared.are_beyond_f32(None, points, self.request);
        let (engine, are_beyond) = parallel::beside(|| make(kind, &places), look);
        let engine = engine?;
        match are_beyond? {
            true => Ok((Kind::Widened, make(Kind::Widened, &places)?)),
            false => Ok((kind, engine)),
        }
    }

    /// The engine of the cores in place of that of a GPU whose tree tells that points outgrow it.
    pub(super) fn stand_in<T: Scalar>(
        &self,
        (kind, engine): Made<T>,
        places: &PointSets<'_, T>,
        make: &mut impl FnMut(Kind, &PointSets<'_, T>) -> Result<Arc<dyn Engine<T>>, Error>,
    ) -> Result<Made<T>, Error> {
        let of_gpu = self.request.device.is_gpu() && kind != Kind::Widened;
        let asks = of_gpu && !self.asks_for_crowds_first() && may_be_crowded(engine.report());
        if asks
            && let Some(whole) = Whole::new(None, places)?
            && are_crowded(&whole)?
            // Where the cores have no room for the points, the GPU sums them: right, but slow.
            && let Ok(of_cores) = make(CORES, places)
        {
            return Ok((CORES, of_cores));
        }
        Ok((kind, engine))
    }

    /// Whether points that outgrow a GPU are found before there is a tree.
    fn asks_for_crowds_first(&self) -> bool {
        self.request.device.is_gpu() && (self.ranks.is_some() || self.before == Some(CORES))
    }

    /// Whether points may be beyond the floats of an engine.
    fn looks_beyond<T: Scalar>(&self) -> bool {
        self.may_widen || T::PRECISION == Precision::F64
    }

    /// Whether such points are found before an engine is made, where nothing runs beside.
    fn looks_first(&self) -> bool {
        let on_cores = !self.request.device.is_gpu();
        on_cores || self.ranks.is_some() || self.before == Some(Kind::Widened)
    }
}
