//! Cores and a GPU at once: the GPU sums the near pairs while the cores build and translate expansions.
//!
//! Tree and lists are those of the [cores](crate::cpu); `near.rs` has the near pairs on the GPU.

mod near;

use std::fmt;
use std::sync::Arc;

use expansions::operators::PairAccuracy;
use kernels_gpu::machine::Launcher;
use octree::{InteractionLists, Octree};

use crate::api::{Error, Field, MemoryEstimate, Report, Request, SampledError, Stage};
use crate::choose::{self, Abilities, Treecodes};
use crate::cpu::{self, CpuEngine, Geometry, NearDevice, NearPairs};
use crate::engine::{Charges, Engine, PointCounts, PointSets, Scalar, Workspace};
use crate::gpu::Number;
use near::GpuPairs;

/// Abilities of cores and GPU together: the treecode has no part for the GPU, whose pairs have all digits.
fn abilities<T: Scalar>() -> Abilities {
    let pair_accuracies = &[PairAccuracy::Full];
    Abilities { treecodes: Treecodes::None, pair_accuracies, ..cpu::abilities::<T>() }
}

/// The engine of the cores and one machine.
struct HybridEngine<M: Launcher, T: Number> {
    machine: M,
    cores: CpuEngine<T>,
    near: GpuPairs<M, T>,
}

/// The engine of the cores and a machine, with its points.
pub(crate) fn engine<M, T>(
    machine: M,
    request: Request,
    points: &PointSets<'_, T>,
) -> Result<Arc<dyn Engine<T>>, Error>
where
    M: Launcher + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    GpuPairs<M, T>: Send + Sync,
{
    let cores =
        CpuEngine::new(request, abilities::<T>(), choose::of_hybrid(choose::of_cores()), points)?;
    Ok(Arc::new(HybridEngine::new(machine, cores)?))
}

/// A machine that sums the near pairs of a geometry, with softening in the caller's unit.
pub(crate) fn near_device<M, T>(
    machine: M,
    geometry: &Geometry<T>,
    softening: f64,
) -> Result<Arc<dyn NearDevice<T>>, Error>
where
    M: Launcher + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    GpuPairs<M, T>: NearDevice<T>,
{
    Ok(Arc::new(GpuPairs::new(machine, &NearPairs::new(geometry, softening))?))
}

/// Memory of the host that a request takes for so many points.
pub(crate) fn estimate<T: Scalar>(
    request: &Request,
    counts: PointCounts,
) -> Result<MemoryEstimate, Error> {
    cpu::estimate::<T>(request, abilities::<T>(), choose::of_hybrid(choose::of_cores()), counts)
}

impl<M, T> HybridEngine<M, T>
where
    M: Launcher + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    GpuPairs<M, T>: Send + Sync,
{
    /// Copies the near pairs of the cores' geometry to the machine.
    fn new(machine: M, mut cores: CpuEngine<T>) -> Result<Self, Error> {
        let mut seconds = cores.report().seconds;
        let near = seconds
            .time(Stage::Transfer, || GpuPairs::new(machine.clone(), &cores.near_pairs()))?;
        let report = cores.report_mut();
        report.instructions = format!("{} and {}", report.instructions, machine.name()).into();
        report.bytes += near.bytes();
        report.seconds = seconds;
        Ok(Self { machine, cores, near })
    }

    fn with_points(&self, points: &PointSets<'_, T>) -> Result<Self, Error> {
        let cores = self.cores.with_points(points)?;
        Self::new(self.machine.clone(), cores)
    }
}

impl<M, T> Engine<T> for HybridEngine<M, T>
where
    M: Launcher + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    GpuPairs<M, T>: Send + Sync,
{
    fn build(&mut self, points: &PointSets<'_, T>) -> Result<(), Error> {
        *self = self.with_points(points)?;
        Ok(())
    }

    fn rebuilt(&self, points: &PointSets<'_, T>) -> Result<Arc<dyn Engine<T>>, Error> {
        Ok(Arc::new(self.with_points(points)?))
    }

    fn evaluate(
        &self,
        charges: &Charges<'_, T>,
        fields: &mut [Field<T>],
        workspace: &mut Workspace,
    ) -> Result<(), Error> {
        self.cores.evaluate_beside(Some(&self.near), charges, fields, workspace)
    }

    fn sample_error(
        &self,
        charges: &[T],
        field: &Field<T>,
        count: usize,
    ) -> Result<SampledError, Error> {
        self.cores.sample_error(charges, field, count)
    }

    fn report(&self) -> &Report {
        self.cores.report()
    }

    fn tree(&self) -> Option<(&Octree, &InteractionLists)> {
        self.cores.tree()
    }
}

impl<M: Launcher, T: Number> fmt::Debug for HybridEngine<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HybridEngine").field("name", &self.machine.name()).finish_non_exhaustive()
    }
}
