//! The way of points between the ranks that brought them and their owners.
//!
//! A rank sorts what it brought by owner, and an owner has what it was given in the order of ranks. What stays on a rank goes
//! to its place while the rest travels.

use std::ops::Range;

use kernels_gpu::device::{Plain, Vec4, View, ViewMut};
use kernels_gpu::machine::{Grid, Machine, MachineError};
use kernels_gpu::memory::Grown;
use kernels_gpu::partition::OwnerOrder;
use kernels_gpu::transfer::{Gather, GatherPoints, Scatter, SummedField};
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
        let cuts = partition.cuts();
        let order = OwnerOrder::new(machine, points, cube, &cuts[1..cuts.len() - 1])
            .map_err(|error| refusal(TreeError::from(error)))?;
        let counts: Vec<u64> =
            order.starts.windows(2).map(|pair| (pair[1] - pair[0]) as u64).collect();
        let by_rank = wire.group().gather_by_rank(&counts)?;
        let mut owned = vec![0];
        for (rank, counts) in by_rank.iter().enumerate() {
            owned.push(owned[rank] + counts[wire.rank()] as usize);
        }
        Ok(Self { wire: wire.clone(), order, owned })
    }

    /// Bytes on the device.
    pub(super) fn bytes(&self) -> usize {
        self.order.bytes()
    }

    /// Number of points that the rank owns.
    pub(super) fn n_owned(&self) -> usize {
        self.owned.last().copied().unwrap_or(0)
    }

    /// The points that the rank brought, by owner.
    pub(super) fn order(&self) -> View<u32> {
        self.order.permutation()
    }

    /// Brings points to their owners, by way of `sorted`. Collective.
    pub(super) fn points<T: Number>(
        &self,
        machine: &M,
        points: View<Vec4<T>>,
        sorted: &mut Grown<M, Vec4<T>>,
        owned: ViewMut<Vec4<T>>,
    ) -> Result<(), Error> {
        sorted.reserve(machine, points.len())?;
        let sorted = sorted.view_mut(points.len());
        let gather = |machine: &M, stretch: Range<usize>, gathered: ViewMut<Vec4<T>>| {
            let gather = GatherPoints {
                points,
                permutation: part(self.order(), stretch.clone()),
                length_factor: T::from_f64(1.0),
                charge_factor: T::from_f64(1.0),
                gathered,
            };
            machine.launch(&T::GATHER_POINTS, Grid::over(stretch.len(), THREADS), gather)
        };
        self.give(machine, (sorted, owned), gather)
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
        let sorted = sorted.view_mut(charges.len());
        let gather = |machine: &M, stretch: Range<usize>, gathered: ViewMut<T>| {
            let permutation = part(self.order(), stretch.clone());
            let gather = Gather { from: charges, permutation, gathered };
            machine.launch(&T::GATHER, Grid::over(stretch.len(), THREADS), gather)
        };
        self.give(machine, (sorted, owned), gather)
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
        let sorted = sorted.view_mut(n);
        let scatter = |machine: &M, stretch: Range<usize>, sums: View<Vec4<T>>| {
            let scatter = Scatter {
                summed: SummedField::whole(sums),
                permutation: part(self.order(), stretch.clone()),
                field: fields,
            };
            machine.launch(&T::SCATTER_FIELD, Grid::over(stretch.len(), THREADS), scatter)
        };
        let [brought, own] = self.staying();
        let stay = |side: &M| scatter(side, brought, part(owned, own));
        self.carry(machine, [&self.owned, &self.order.starts], (owned, sorted), stay)?;
        for stretch in self.leaving() {
            scatter(machine, stretch.clone(), part(sorted.read_only(), stretch))?;
        }
        Ok(())
    }

    /// Gives items to owners: `gather` puts a stretch of them, in the order of owners, into memory, by way of `sorted` those that
    /// leave, at once those that stay. Collective.
    fn give<T: Plain>(
        &self,
        machine: &M,
        (sorted, owned): (ViewMut<T>, ViewMut<T>),
        gather: impl Fn(&M, Range<usize>, ViewMut<T>) -> Result<(), MachineError>,
    ) -> Result<(), Error> {
        for stretch in self.leaving() {
            gather(machine, stretch.clone(), part_mut(sorted, stretch))?;
        }
        let [brought, own] = self.staying();
        let stay = |side: &M| gather(side, brought, part_mut(owned, own));
        self.carry(machine, [&self.order.starts, &self.owned], (sorted.read_only(), owned), stay)
    }

    /// Places, in the order of owners, of the points that other ranks own.
    fn leaving(&self) -> impl Iterator<Item = Range<usize>> {
        let own = self.wire.rank();
        let [n, first, next] =
            [self.order.starts.len() - 1, own, own + 1].map(|rank| self.order.starts[rank]);
        [0..first, next..n].into_iter().filter(|stretch| !stretch.is_empty())
    }

    /// Places of the points that the rank brought and owns, in the order of owners and among those owned.
    fn staying(&self) -> [Range<usize>; 2] {
        let own = self.wire.rank();
        [&self.order.starts, &self.owned].map(|first| first[own]..first[own + 1])
    }

    /// Exchanges stretches of memory with other ranks, between `[first]` here and there, while `stay` launches work on what
    /// stays, beside them.
    fn carry<T: Plain>(
        &self,
        machine: &M,
        [from, to]: [&[usize]; 2],
        (items, carried): (View<T>, ViewMut<T>),
        stay: impl FnOnce(&M) -> Result<(), MachineError>,
    ) -> Result<(), Error> {
        let side = machine.fork()?;
        stay(&side)?;
        let outgoing = |rank: usize| part(items, from[rank]..from[rank + 1]);
        let incoming = |rank: usize| part_mut(carried, to[rank]..to[rank + 1]);
        let outgoing: Vec<_> = self.wire.others().map(outgoing).collect();
        let incoming: Vec<_> = self.wire.others().map(incoming).collect();
        let exchanged = self.wire.exchange(machine, &outgoing, &incoming);
        machine.join(&side)?;
        exchanged
    }
}

fn part<T: Plain>(items: View<T>, Range { start, end }: Range<usize>) -> View<T> {
    items.part(start, end - start)
}

fn part_mut<T: Plain>(items: ViewMut<T>, Range { start, end }: Range<usize>) -> ViewMut<T> {
    items.part(start, end - start)
}
