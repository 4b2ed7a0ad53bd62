//! The way of points between the ranks that brought them and their owners.
//!
//! A rank sorts what it brought by owner, and an owner has what it was given in the order of ranks.

use kernels_gpu::device::{Plain, Vec4, View, ViewMut};
use kernels_gpu::machine::{Grid, Machine};
use kernels_gpu::memory::Grown;
use kernels_gpu::partition::OwnerOrder;
use kernels_gpu::transfer::{Gather, GatherPoints, Scatter};
use kernels_gpu::tree::TreeError;
use octree::Cube;
use octree::partition::Partition;

use super::super::Number;
use super::super::launches::{THREADS, refusal};
use super::super::wire::Wire;
use crate::api::Error;

/// Order of the points that a rank brought by owner, and numbers of those that it was given.
pub(super) struct Way<M: Machine> {
    wire: Wire,
    order: OwnerOrder<M>,
    /// First of the points of each owner among those brought, then their number.
    starts: Vec<usize>,
    /// First of the points of each rank among those owned, then their number.
    owned: Vec<usize>,
}

impl<M: Machine> Way<M> {
    /// The way of `points` to the owners of `partition`. Collective.
    pub(super) fn new<T: Number>(
        machine: &M,
        wire: &Wire,
        points: View<Vec4<T>>,
        cube: &Cube,
        partition: &Partition,
    ) -> Result<Self, Error> {
        let mut order = OwnerOrder::new();
        let cuts = partition.cuts();
        let sorted = order.sort(machine, points, cube, &cuts[1..cuts.len() - 1]);
        let starts = sorted.map_err(|error| refusal(TreeError::from(error)))?;
        let counts: Vec<u64> = starts.windows(2).map(|pair| (pair[1] - pair[0]) as u64).collect();
        let by_rank = wire.group().gather_by_rank(&counts)?;
        let mut owned = vec![0];
        for (rank, counts) in by_rank.iter().enumerate() {
            owned.push(owned[rank] + counts[wire.rank()] as usize);
        }
        Ok(Self { wire: wire.clone(), order, starts, owned })
    }

    /// Number of points that the rank owns.
    pub(super) fn n_owned(&self) -> usize {
        self.owned.last().copied().unwrap_or(0)
    }

    /// Brings points to their owners. Collective.
    pub(super) fn points<T: Number>(
        &self,
        machine: &M,
        points: View<Vec4<T>>,
        owned: ViewMut<Vec4<T>>,
    ) -> Result<(), Error> {
        let permutation = self.order.permutation();
        let mut sorted = Grown::<M, Vec4<T>>::new();
        sorted.reserve(machine, points.len())?;
        let gather = GatherPoints {
            points,
            permutation,
            length_factor: T::from_f64(1.0),
            charge_factor: T::from_f64(1.0),
            gathered: sorted.view_mut(points.len()),
        };
        machine.launch(&T::GATHER_POINTS, Grid::over(points.len(), THREADS), gather)?;
        self.carry(machine, [&self.starts, &self.owned], sorted.view(points.len()), owned)
    }

    /// Brings charges to their owners, in the order of the points. Collective.
    pub(super) fn charges<T: Number>(
        &self,
        machine: &M,
        charges: View<T>,
        sorted: &mut Grown<M, T>,
        owned: ViewMut<T>,
    ) -> Result<(), Error> {
        sorted.reserve(machine, charges.len())?;
        let gather = Gather {
            from: charges,
            permutation: self.order.permutation(),
            gathered: sorted.view_mut(charges.len()),
        };
        machine.launch(&T::GATHER, Grid::over(charges.len(), THREADS), gather)?;
        self.carry(machine, [&self.starts, &self.owned], sorted.view(charges.len()), owned)
    }

    /// Brings fields of owned points back to the ranks that brought the points, in their order. Collective.
    pub(super) fn fields<T: Number>(
        &self,
        machine: &M,
        owned: View<Vec4<T>>,
        sorted: &mut Grown<M, Vec4<T>>,
        fields: ViewMut<Vec4<T>>,
    ) -> Result<(), Error> {
        let n = fields.len();
        sorted.reserve(machine, n)?;
        self.carry(machine, [&self.owned, &self.starts], owned, sorted.view_mut(n))?;
        let scatter = Scatter {
            sums: sorted.view(n),
            more: View::EMPTY,
            permutation: self.order.permutation(),
            gradient_factor: T::from_f64(1.0),
            potential_factor: T::from_f64(1.0),
            field: fields,
        };
        Ok(machine.launch(&T::SCATTER_FIELD, Grid::over(n, THREADS), scatter)?)
    }

    /// Exchanges stretches of memory, by rank, between `[first]` here and there.
    fn carry<T: Plain>(
        &self,
        machine: &M,
        [from, to]: [&[usize]; 2],
        items: View<T>,
        carried: ViewMut<T>,
    ) -> Result<(), Error> {
        let outgoing = |rank: usize| items.part(from[rank], from[rank + 1] - from[rank]);
        let incoming = |rank: usize| carried.part(to[rank], to[rank + 1] - to[rank]);
        let own = self.wire.rank();
        machine.copy(outgoing(own), machine.home(), incoming(own))?;
        let others = self.wire.others();
        let outgoing: Vec<_> = others.clone().map(outgoing).collect();
        let incoming: Vec<_> = others.map(incoming).collect();
        self.wire.exchange(machine, &outgoing, &incoming)
    }
}
