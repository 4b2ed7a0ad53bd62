//! Charges on their way to the owners of their sources, heavy ones apart.

use std::borrow::Cow;

use kernels_gpu::device::Vec4;
use kernels_gpu::machine::Launcher;

use super::{Counts, RankEngine, State};
use crate::api::{Error, Seconds, Stage};
use crate::engine::{Heavy, Scalar, VectorFacts};
use crate::gpu::Number;
use crate::gpu::host_slices::send_rows;
use crate::ranks::facts_of_all_ranks;

/// Heavy charges of all ranks, as sources in the tree's units.
pub(super) type HeavySources<T> = Vec<Vec4<T>>;

/// Charges that are not heavy: those that a rank brought, and facts about those of all ranks.
pub(super) struct Light<'c, T: Clone> {
    pub(super) charges: Cow<'c, [T]>,
    pub(super) facts: VectorFacts,
}

impl<M, T> RankEngine<M, T>
where
    M: Launcher + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    State<M, T>: Send,
{
    /// Facts about a vector, which is sent to the device, whose stages do not wait for it.
    pub(super) fn send(
        &self,
        state: &mut State<M, T>,
        charges: &[T],
    ) -> Result<VectorFacts, Error> {
        let State { pipeline, charges: [brought, ..], .. } = state;
        send_rows(&self.machine, charges.as_chunks::<1>().0, brought)?;
        pipeline.look_at_vector(brought.view(charges.len()), (0, charges))
    }

    /// Gives the sources of all ranks charges, of which this one brought `charges`; they are sent unless they are there.
    /// Collective.
    pub(super) fn put(
        &self,
        state: &mut State<M, T>,
        charges: &[T],
        are_there: bool,
        unit: f64,
        heavy: &HeavySources<T>,
    ) -> Result<Seconds, Error> {
        let mut seconds = Seconds::default();
        let State { pipeline, ways, charges: [brought, sorted, owned], .. } = state;
        seconds.time(Stage::Transfer, || {
            if !are_there {
                send_rows(&self.machine, charges.as_chunks::<1>().0, brought)?;
            }
            // Charges of all ranks are there, for which no stage of a device is to wait.
            self.machine.synchronize()?;
            Ok::<_, Error>(self.wire.group().communicator().barrier()?)
        })?;
        let mut here = brought.view(charges.len());
        if let Some(ways) = ways {
            let n = ways.sources.n_owned();
            owned.reserve(&self.machine, n)?;
            let owned = owned.view_mut(n);
            let way = || ways.sources.charges(&self.machine, here, sorted, owned);
            seconds.time(Stage::Exchange, way)?;
            here = owned.read_only();
        }
        // As for one device, that sources get their charges belongs to the charges' way from the host.
        seconds.time(Stage::Transfer, || {
            pipeline.put_charges(here, unit)?;
            pipeline.put_heavy_sources(heavy)?;
            Ok::<_, Error>(self.machine.synchronize()?)
        })?;
        seconds.time(Stage::Exchange, || pipeline.exchange_sources())?;
        Ok(seconds)
    }

    /// Takes the heaviest charges of all ranks out of those that this one brought, where charges are concentrated; the others
    /// are those of `charges`, or new ones, and have facts of their own. Collective.
    pub(super) fn take_heavy<'c>(
        &self,
        state: &mut State<M, T>,
        charges: &'c [T],
        facts: VectorFacts,
    ) -> Result<(Light<'c, T>, HeavySources<T>), Error> {
        if !facts.have_heavy(&self.request, self.tree.expands) {
            return Ok((Light { charges: Cow::Borrowed(charges), facts }, Vec::new()));
        }
        let (mut light, unit) = (charges.to_vec(), facts.unit());
        let candidates = Heavy::heaviest(&light);
        let which: Vec<u32> = candidates.iter().map(|at| *at as u32).collect();
        let Counts { sources, points, .. } = state.counts;
        let brought = state.points.view(points).part(0, sources);
        let places = state.pipeline.places(brought, &which)?;
        let row = |(at, Vec4([x, y, z, _])): (&usize, &Vec4<f64>)| {
            [light[*at].widen() / unit, *x, *y, *z]
        };
        let rows: Vec<[f64; 4]> = candidates.iter().zip(&places).map(row).collect();
        let chosen = self.wire.group().take_heaviest(&mut light, (&candidates, &rows))?;
        let source = |[q, x, y, z]: [f64; 4]| Vec4([x, y, z, q].map(T::narrow));
        let facts = facts_of_all_ranks(self.wire.group(), &[VectorFacts::of(&light).0])?[0];
        let light = Light { charges: Cow::Owned(light), facts };
        Ok((light, chosen.into_iter().map(source).collect()))
    }
}
