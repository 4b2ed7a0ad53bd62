//! The error of a field whose points were rounded from points of f64 on the device.

use kernels_gpu::device::Vec4;
use kernels_gpu::direct::DirectSum;
use kernels_gpu::machine::{DeviceSlice, Grid, Launcher, Machine, Unchecked};
use kernels_gpu::memory::Grown;
use kernels_gpu::transfer::{PICK, Pick};

use super::DevicePlan;
use crate::api::{Error, Tolerance};
use crate::engine::Scalar;
use crate::gpu::Number;
use crate::gpu::launches::THREADS;
use crate::verify::{self, Estimate, Picks};

impl<M, T> DevicePlan<M, T>
where
    M: Machine + Clone,
    T: Scalar + Number,
{
    /// The relative L2 error of the last field, that of the worse output, against the sum of `sources` (x, y, z, q) at `receivers`
    /// (x, y, z, any) of f64, from which points and charges were rounded; 0 without receivers.
    ///
    /// An evaluation checks itself against the points that it has. This tells what rounding them costs, by the direct sum in
    /// f64 at some 500 receivers, or at 64 where these have twice a tolerance asked for. The field is copied to the host.
    ///
    /// # Errors
    ///
    /// [`Error::FieldSize`]: there is no field of as many receivers; `Error::Device`: a failure of the device.
    pub fn error_of_rounding(
        &self,
        sources: DeviceSlice<'_, Vec4<f64>>,
        receivers: DeviceSlice<'_, Vec4<f64>>,
    ) -> Result<f64, Error> {
        let (machine, request) = (&self.engine.machine, &self.engine.request);
        let (n, expected) = (self.n_field, receivers.len());
        if n != expected {
            return Err(Error::FieldSize { found: n, expected });
        }
        let mut field = vec![Vec4::default(); n];
        self.field().download(machine, &mut field)?;
        let (sources, receivers) = (sources.view_for(machine)?, receivers.view_for(machine)?);
        let value = |place: usize| field[place].0.map(|part: T| part.widen());
        let tolerance = match request.tolerance {
            Tolerance::L2(tolerance) => Some(tolerance),
            _ => None,
        };
        let mut direct = DirectSum::<Unchecked<M>, f64>::new();
        verify::error_of_rounded(tolerance, n, false, |count| {
            let outputs = request.outputs;
            let picks =
                Picks::new(n, count, |place| verify::weights_of_rounded(value(place), outputs));
            let count = picks.places.len();
            if count == 0 {
                return Ok(Estimate::default());
            }
            let which: Vec<u32> = picks.places.iter().map(|place| *place as u32).collect();
            let (mut indices, mut picked, mut sums) = (Grown::new(), Grown::new(), Grown::new());
            indices.upload(machine, &which)?;
            picked.reserve(machine, count)?;
            sums.reserve(machine, count)?;
            let (which, into) = (indices.view(count), picked.view_mut(count));
            let pick = Pick { points: receivers, which, factor: 1.0, picked: into };
            machine.launch(&PICK(), Grid::over(count, THREADS), pick)?;
            let (at, into) = (picked.view(count), sums.view_mut(count));
            direct.sum(machine, sources, at, request.softening, into)?;
            let mut references = vec![Vec4([0.0; 4]); count];
            sums.download(machine, &mut references)?;
            let references: Vec<[f64; 4]> = references.iter().map(|Vec4(sum)| *sum).collect();
            let values: Vec<[f64; 4]> = picks.places.iter().map(|place| value(*place)).collect();
            // How far the sums cancel is not known.
            let error = picks.worse_error(&values, &references, outputs);
            Ok(Estimate { cancellation: f64::INFINITY, ..Estimate::of(error) })
        })
    }
}
