//! The way of points between the ranks that brought them and their owners.
//!
//! A rank sorts what it brought by owner, and an owner has what it was given in the order of ranks. What stays on a rank goes
//! to its place while the rest travels, and so do later pieces of many points.

use std::ops::Range;

use kernels_gpu::device::{Plain, Vec4, View, ViewMut};
use kernels_gpu::machine::{Grid, Launcher, MachineError};
use kernels_gpu::memory::Grown;
use kernels_gpu::partition::{OwnerOrder, PointsInCube};
use kernels_gpu::transfer::{GATHER, Gather, SCATTER_FIELD, Scatter, SummedField};
use kernels_gpu::tree::TreeError;
use octree::partition::Partition;

use crate::api::Error;
use crate::gpu::Number;
use crate::gpu::host_slices::{packed_len, unpack};
use crate::gpu::launches::{THREADS, refusal};
use crate::gpu::wire::{Items, Wire};

/// Most pieces of the points that a rank brings, and fewest bytes of one: between two pieces ranks wait for each other.
const PIECES: usize = 8;
const FEWEST_BYTES: usize = 1 << 25;

/// Numbers of a point on its way.
const COORDINATES: usize = 3;

/// Order of the points that a rank brought by owner, and numbers of those that it was given.
pub(super) struct Way<M: Launcher> {
    wire: Wire,
    order: OwnerOrder<M>,
    owned: Owned,
}

/// Owned points by the rank that brought them.
struct Owned {
    n_pieces: usize,
    /// First of each piece of the points of each rank, then the number of all.
    pieces: Vec<usize>,
    /// First of the points of each rank, then the number of all.
    firsts: Vec<usize>,
}

/// Items of points on their way to owners.
struct PointItems<'s, T> {
    /// Number of items a point.
    stride: usize,
    /// Items of the points that the rank brought, by owner.
    outgoing: View<T>,
    /// First point of each owner, then the number of all.
    starts: &'s [usize],
    /// Items of the owned points.
    incoming: ViewMut<T>,
}

impl Owned {
    /// Exchanges items that are made in pieces: `make` gets the pieces of points that one has. Collective.
    fn exchange<M: Launcher, T: Plain>(
        &self,
        machine: &M,
        wire: &Wire,
        items: &PointItems<'_, T>,
        mut make: impl FnMut(Range<usize>) -> Result<(), MachineError>,
        arrived: impl FnMut(&M, usize, Range<usize>) -> Result<(), MachineError>,
    ) -> Result<(), Error> {
        let stride = items.stride;
        let outgoing = parts(wire, stride, items.starts, |places| part(items.outgoing, places));
        let incoming = parts(wire, stride, &self.firsts, |places| part_mut(items.incoming, places));
        // Pieces of charges are as large as those of points.
        let at_once = (COORDINATES / stride).min(self.n_pieces);
        let pieces = |k: usize| k * at_once..self.n_pieces.min((k + 1) * at_once);
        let piece = |rank: usize, k: usize| {
            let Range { start, end } = pieces(k);
            let place = |piece| self.pieces[rank * self.n_pieces + piece] - self.firsts[rank];
            stride * place(start)..stride * place(end)
        };
        let n_pieces = self.n_pieces.div_ceil(at_once);
        let items = Items { outgoing: &outgoing, incoming: &incoming };
        let make = |k| make(pieces(k));
        wire.exchange_as_made(machine, items, n_pieces, make, piece, arrived)
    }
}

impl<M: Launcher> Way<M> {
    /// The way of `points` to the owners of `partition`, in the memory of another order; all ranks bring `n_all`.
    /// Collective.
    pub(super) fn new<T: Number>(
        machine: &M,
        wire: &Wire,
        points: PointsInCube<'_, T>,
        n_all: usize,
        partition: &Partition,
        mut order: OwnerOrder<M>,
    ) -> Result<Self, Error> {
        let cuts = partition.cuts();
        let n_ranks = cuts.len() - 1;
        let n_pieces = (n_all / n_ranks * size_of::<Vec4<T>>() / FEWEST_BYTES).clamp(1, PIECES);
        order
            .count(machine, points, &cuts[1..n_ranks], n_pieces)
            .map_err(|error| refusal(TreeError::from(error)))?;
        let pieces = (0..n_ranks).flat_map(|rank| (0..n_pieces).map(move |piece| (rank, piece)));
        let counts: Vec<u64> =
            pieces.map(|(rank, piece)| order.piece(rank, piece).len() as u64).collect();
        let by_rank = wire.group().gather_by_rank(&counts)?;
        let mut pieces = vec![0];
        let mut n_owned = 0;
        for counts in by_rank {
            for n in &counts[wire.rank() * n_pieces..][..n_pieces] {
                n_owned += *n as usize;
                pieces.push(n_owned);
            }
        }
        let firsts = pieces.iter().copied().step_by(n_pieces).collect();
        Ok(Self { wire: wire.clone(), order, owned: Owned { n_pieces, pieces, firsts } })
    }

    /// The order, whose memory another way may take.
    pub(super) fn into_order(self) -> OwnerOrder<M> {
        self.order
    }

    /// Bytes on the device.
    pub(super) fn bytes(&self) -> usize {
        self.order.bytes()
    }

    /// Number of points that the rank owns.
    pub(super) fn n_owned(&self) -> usize {
        self.owned.firsts.last().copied().unwrap_or(0)
    }

    /// The points that the rank brought, by owner, once they are at their places.
    pub(super) fn order(&self) -> View<u32> {
        self.order.permutation()
    }

    /// Brings points to their owners, by way of `sorted` and `arriving`. Collective.
    pub(super) fn points<T: Number>(
        &mut self,
        machine: &M,
        points: PointsInCube<'_, T>,
        [sorted, arriving]: [&mut Grown<M, Vec4<T>>; 2],
        owned: ViewMut<Vec4<T>>,
    ) -> Result<(), Error> {
        let [_, own] = self.staying();
        let leaving = numbers(machine, sorted, points.points.len())?;
        let coming = numbers(machine, arriving, owned.len())?;
        let staying = part_mut(owned, own);
        let Self { wire, order, owned: of_ranks } = self;
        let starts = order.starts().to_vec();
        let make = |mut pieces: Range<usize>| {
            pieces.try_for_each(|piece| {
                order.place(machine, points, wire.rank(), piece, leaving, staying)
            })
        };
        let arrived = |machine: &M, rank: usize, piece: Range<usize>| {
            let first = of_ranks.firsts[rank];
            let packed = COORDINATES * first + piece.start..COORDINATES * first + piece.end;
            let points = first + piece.start / COORDINATES..first + piece.end / COORDINATES;
            unpack(machine, part(coming.read_only(), packed), part_mut(owned, points))
        };
        let outgoing = leaving.read_only();
        let items = PointItems { stride: COORDINATES, outgoing, starts: &starts, incoming: coming };
        of_ranks.exchange(machine, wire, &items, make, arrived)
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
            if stretch.is_empty() {
                return Ok(());
            }
            let permutation = part(self.order(), stretch.clone());
            let gather = Gather { from: charges, permutation, gathered };
            machine.launch(&GATHER(), Grid::over(stretch.len(), THREADS), gather)
        };
        let [brought, own] = self.staying();
        let mut side = None;
        let make = |pieces: Range<usize>| {
            self.wire.others().try_for_each(|rank| {
                let [first, last] =
                    [pieces.start, pieces.end - 1].map(|piece| self.order.piece(rank, piece));
                let stretch = first.start..last.end;
                gather(machine, stretch.clone(), part_mut(sorted, stretch))
            })?;
            // Those that stay go to their places while the first piece travels.
            if side.is_none() {
                let stay = side.insert(machine.fork()?);
                gather(stay, brought.clone(), part_mut(owned, own.clone()))?;
            }
            Ok(())
        };
        let (outgoing, starts) = (sorted.read_only(), self.order.starts());
        let items = PointItems { stride: 1, outgoing, starts, incoming: owned };
        let arrived = |_: &M, _, _| Ok(());
        let crossed = self.owned.exchange(machine, &self.wire, &items, make, arrived);
        if let Some(side) = side {
            machine.join(&side)?;
        }
        crossed
    }

    /// Brings fields of owned points back to the ranks that brought the points, in their order: those that have come go to their
    /// places while others travel. Collective.
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
        let side = machine.fork()?;
        let scatter = |stretch: Range<usize>, sums: View<Vec4<T>>| {
            let scatter = Scatter {
                summed: SummedField::whole(sums),
                permutation: part(self.order(), stretch.clone()),
                field: fields,
            };
            side.launch(&SCATTER_FIELD(), Grid::over(stretch.len(), THREADS), scatter)
        };
        let [brought, own] = self.staying();
        let stayed = scatter(brought, part(owned, own));
        let arrived = |rank: usize, piece: Range<usize>| {
            side.join(machine)?;
            let first = self.order.starts()[rank];
            let stretch = first + piece.start..first + piece.end;
            scatter(stretch.clone(), part(sorted.read_only(), stretch))
        };
        let wire = &self.wire;
        let incoming = parts(wire, 1, self.order.starts(), |places| part_mut(sorted, places));
        let outgoing = parts(wire, 1, &self.owned.firsts, |places| part(owned, places));
        let crossed = wire.exchange_in_pieces(machine, &outgoing, &incoming, arrived);
        machine.join(&side)?;
        stayed?;
        crossed
    }

    /// Places of the points that the rank brought and owns, in the order of owners and among those owned.
    fn staying(&self) -> [Range<usize>; 2] {
        let own = self.wire.rank();
        [self.order.starts(), &self.owned.firsts].map(|first| first[own]..first[own + 1])
    }
}

/// Items of each other rank, `stride` a point: `part` of the places of its points, which begin at `firsts`.
fn parts<V>(
    wire: &Wire,
    stride: usize,
    firsts: &[usize],
    part: impl Fn(Range<usize>) -> V,
) -> Vec<V> {
    wire.others().map(|rank| part(stride * firsts[rank]..stride * firsts[rank + 1])).collect()
}

/// Room for the coordinates of `n` points.
fn numbers<M: Launcher, T: Number>(
    machine: &M,
    memory: &mut Grown<M, Vec4<T>>,
    n: usize,
) -> Result<ViewMut<T>, MachineError> {
    memory.reserve(machine, packed_len(n))?;
    Ok(memory.view_mut(packed_len(n)).numbers().part(0, COORDINATES * n))
}

fn part<T: Plain>(items: View<T>, Range { start, end }: Range<usize>) -> View<T> {
    items.part(start, end - start)
}

fn part_mut<T: Plain>(items: ViewMut<T>, Range { start, end }: Range<usize>) -> ViewMut<T> {
    items.part(start, end - start)
}
