//! Near pairs on a GPU while the cores do the rest of an evaluation.
//!
//! Tree and lists are the host's. Points, boxes and near lists are copied when a plan is made; an evaluation sends charges,
//! and takes sums when the passes of the cores are done. Evaluations at the same time have buffers of their own.

use std::fmt;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use expansions::operators::{PairAccuracy, PointSums};

use kernels_gpu::device::{Vec4, View};
use kernels_gpu::direct::DirectSum;
use kernels_gpu::lists::ListRows;
use kernels_gpu::machine::{Grid, Launcher};
use kernels_gpu::memory::Grown;
use kernels_gpu::near::{MOST_VECTORS, Near, NearSum};
use kernels_gpu::transfer::{GATHER_POINTS, GatherPoints, PUT_CHARGES, PutCharges};

use crate::api::Error;
use crate::cpu::{NearDevice, NearPairs, Pending, Reach};
use crate::engine::Scalar;
use crate::gpu::{Number, THREADS, refusal};

/// Points that one task of the host adds.
const TASK: usize = parallel::min_length(1.3);

/// Points and near lists in the memory of one machine.
pub(crate) struct GpuPairs<M: Launcher, T: Number> {
    machine: M,
    n_sources: usize,
    n_receivers: usize,
    n_leaves: usize,
    n_boxes: usize,
    n_items: usize,
    softening: T,
    near: NearSum<M>,
    /// (x, y, z, 0) in tree order.
    sources: Grown<M, Vec4<T>>,
    /// `None`: the receivers are the sources.
    receivers: Option<Grown<M, Vec4<T>>>,
    range: Grown<M, Vec4<u32>>,
    leaves: Grown<M, u32>,
    offsets: Grown<M, u32>,
    items: Grown<M, u32>,
    /// The permutation 0, 1, 2 …
    order: Grown<M, u32>,
    /// Buffers that no evaluation uses.
    idle: Mutex<Vec<Buffers<M, T>>>,
}

/// Memory of one evaluation.
struct Buffers<M: Launcher, T: Number> {
    /// (x, y, z, q) in tree order, of the vectors that are summed together, one after the other.
    sources: Grown<M, Vec4<T>>,
    /// Number of vectors whose sources have their positions.
    placed: usize,
    direct: DirectSum<M, T>,
    /// Charges of each vector.
    charges: Vec<Grown<M, T>>,
    /// Field of each vector, one after the other.
    fields: Grown<M, Vec4<T>>,
    on_host: Vec<Vec4<T>>,
}

impl<M, T> GpuPairs<M, T>
where
    M: Launcher + Clone,
    T: Scalar + Number,
{
    pub(crate) fn new(machine: M, pairs: &NearPairs<'_, T>) -> Result<Self, Error> {
        let n_sources = pairs.sources[0].len();
        let n_receivers = pairs.receivers.map_or(n_sources, |receivers| receivers[0].len());
        let (found, largest) = (pairs.items.len(), u32::MAX as usize);
        let n_items =
            u32::try_from(found).map_err(|_| Error::TooManyNearBoxes { found, largest })?;
        let mut this = Self {
            n_sources,
            n_receivers,
            n_leaves: pairs.leaves.len(),
            n_boxes: pairs.range.len(),
            n_items: n_items as usize,
            softening: T::narrow(pairs.softening),
            near: NearSum::new(),
            sources: Grown::new(),
            receivers: pairs.receivers.map(|_| Grown::new()),
            range: Grown::new(),
            leaves: Grown::new(),
            offsets: Grown::new(),
            items: Grown::new(),
            order: Grown::new(),
            idle: Mutex::default(),
            machine,
        };
        let (needed, free) = (this.bytes_in_use(), this.machine.free_bytes()?);
        if needed > free {
            return Err(Error::DeviceMemory { needed, free });
        }
        let machine = &this.machine;
        this.sources.upload(machine, &vectors(pairs.sources))?;
        if let (Some(to), Some(receivers)) = (&mut this.receivers, pairs.receivers) {
            to.upload(machine, &vectors(receivers))?;
        }
        let range: Vec<Vec4<u32>> = pairs.range.iter().copied().map(Vec4).collect();
        this.range.upload(machine, &range)?;
        this.leaves.upload(machine, pairs.leaves)?;
        let offsets: Vec<u32> = pairs.offsets.iter().map(|offset| *offset as u32).collect();
        this.offsets.upload(machine, &offsets)?;
        this.items.upload(machine, &pairs.items)?;
        let order: Vec<u32> = (0..n_sources as u32).collect();
        this.order.upload(machine, &order)?;
        let (range, leaves) = (this.range.view(this.n_boxes), this.leaves.view(this.n_leaves));
        let rows = this.rows();
        let prepared = this.near.prepare::<T>(&this.machine, range, leaves, rows, n_receivers);
        prepared.map_err(|error| refusal(error.into()))?;
        Ok(this)
    }

    /// Memory of the plan and of one evaluation of one vector, in bytes.
    fn bytes_in_use(&self) -> usize {
        let vector = 4 * size_of::<T>();
        let receivers = if self.receivers.is_some() { self.n_receivers } else { 0 };
        let points = (2 * self.n_sources + receivers + self.n_receivers) * vector;
        let lists = 16 * self.n_boxes + 4 * (2 * self.n_leaves + self.n_items);
        points + self.n_sources * (size_of::<T>() + 4) + self.n_receivers / 16 + lists
    }

    /// The near lists.
    fn rows(&self) -> ListRows {
        ListRows {
            offsets: self.offsets.view(self.n_leaves + 1),
            items: self.items.view(self.n_items),
        }
    }

    /// Buffers for so many vectors.
    fn buffers(&self, vectors: usize) -> Result<Buffers<M, T>, Error> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut buffers = idle.unwrap_or_else(|| Buffers {
            sources: Grown::new(),
            placed: 0,
            direct: DirectSum::new(),
            charges: Vec::new(),
            fields: Grown::new(),
            on_host: Vec::new(),
        });
        buffers.fields.reserve(&self.machine, vectors * self.n_receivers)?;
        let together = vectors.min(MOST_VECTORS);
        if together > buffers.placed {
            buffers.sources.reserve(&self.machine, together * self.n_sources)?;
            for vector in 0..together {
                let all = buffers.sources.view_mut(together * self.n_sources);
                let copy = GatherPoints {
                    points: self.sources.view(self.n_sources),
                    permutation: self.order.view(self.n_sources),
                    length_factor: T::from_f64(1.0),
                    charge_factor: T::from_f64(1.0),
                    gathered: all.part(vector * self.n_sources, self.n_sources),
                };
                self.machine.launch(&GATHER_POINTS(), Grid::over(self.n_sources, THREADS), copy)?;
            }
            buffers.placed = together;
        }
        Ok(buffers)
    }
}

impl<M, T> GpuPairs<M, T>
where
    M: Launcher + Clone,
    T: Scalar + Number,
{
    /// Launches the sums of consecutive vectors, no more than [`MOST_VECTORS`], which share distances.
    fn launch(
        &self,
        buffers: &mut Buffers<M, T>,
        vectors: Range<usize>,
        reach: Reach,
    ) -> Result<(), Error> {
        let (machine, n_sources, n_receivers) = (&self.machine, self.n_sources, self.n_receivers);
        let Buffers { sources, direct, charges, fields, .. } = buffers;
        let all = sources.view_mut(vectors.len() * n_sources);
        for (place, charges) in charges[vectors.clone()].iter().enumerate() {
            let put = PutCharges {
                charges: charges.view(n_sources),
                permutation: self.order.view(n_sources),
                factor: T::from_f64(1.0),
                points: all.part(place * n_sources, n_sources),
            };
            machine.launch(&PUT_CHARGES(), Grid::over(n_sources, THREADS), put)?;
        }
        let sources = all.read_only();
        let receivers = match &self.receivers {
            None => sources.part(0, n_receivers),
            Some(receivers) => receivers.view(n_receivers),
        };
        let field = fields.view_mut(vectors.end * n_receivers);
        let field = field.part(vectors.start * n_receivers, vectors.len() * n_receivers);
        if reach == Reach::All || self.n_leaves <= 1 {
            let points = [sources, receivers];
            let law = (self.softening, PairAccuracy::Full);
            direct.sum_vectors(machine, points, law, vectors.len(), field)?;
            return Ok(());
        }
        let rows = self.rows();
        let lists = Near {
            sources,
            receivers,
            range: self.range.view(self.n_boxes),
            leaves: self.leaves.view(self.n_leaves),
            offsets: rows.offsets,
            items: rows.items,
            later: View::EMPTY,
            sorted_tasks: View::EMPTY,
            softening2: self.softening * self.softening,
            add: 0,
            field,
        };
        Ok(self.near.sum_vectors(machine, lists, vectors.len(), PairAccuracy::Full)?)
    }
}

impl<M, T> NearDevice<T> for GpuPairs<M, T>
where
    M: Launcher + Clone + Send + Sync + 'static,
    T: Scalar + Number,
    Self: Send + Sync,
{
    fn start<'a>(
        &'a self,
        charges: &[&[T]],
        reach: Reach,
    ) -> Result<Box<dyn Pending<T> + 'a>, Error> {
        let mut buffers = self.buffers(charges.len())?;
        let count = charges.len().max(buffers.charges.len());
        buffers.charges.resize_with(count, Grown::new);
        // All copies first: one that follows a launch waits for it.
        for (charges, to) in charges.iter().zip(&mut buffers.charges) {
            to.upload(&self.machine, charges)?;
        }
        for first in (0..charges.len()).step_by(MOST_VECTORS) {
            self.launch(&mut buffers, first..charges.len().min(first + MOST_VECTORS), reach)?;
        }
        Ok(Box::new(Working { pairs: self, buffers: Some(buffers) }))
    }

    fn bytes(&self) -> usize {
        self.bytes_in_use()
    }
}

/// An evaluation under way. The buffers serve the next evaluation if this one ends well.
struct Working<'a, M: Launcher, T: Number> {
    pairs: &'a GpuPairs<M, T>,
    buffers: Option<Buffers<M, T>>,
}

impl<M, T> Pending<T> for Working<'_, M, T>
where
    M: Launcher + Clone,
    T: Scalar + Number,
{
    fn wait(&mut self) -> Result<(), Error> {
        Ok(self.pairs.machine.synchronize()?)
    }

    fn add_to(&mut self, sums: &mut [PointSums<'_, T>]) -> Result<(), Error> {
        let Some(mut buffers) = self.buffers.take() else { return Ok(()) };
        let Buffers { fields, on_host, .. } = &mut buffers;
        let n_receivers = self.pairs.n_receivers;
        on_host.resize(n_receivers, Vec4::default());
        let all = fields.view(sums.len() * n_receivers);
        for (k, PointSums { potential, gradient }) in sums.iter_mut().enumerate() {
            self.pairs.machine.read(all.part(k * n_receivers, n_receivers), on_host)?;
            let [x, y, z] = gradient;
            // Those that are not wanted have no items.
            for (part, sums) in [&mut **x, y, z, potential].into_iter().enumerate() {
                let tasks = sums.chunks_mut(TASK).zip(on_host.chunks(TASK));
                parallel::for_parts(tasks, |_, (sums, found)| {
                    sums.iter_mut().zip(found).for_each(|(sum, Vec4(v))| *sum += v[part]);
                });
            }
        }
        self.pairs.idle.lock().unwrap_or_else(PoisonError::into_inner).push(buffers);
        Ok(())
    }
}

impl<M: Launcher, T: Number> fmt::Debug for GpuPairs<M, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("GpuPairs").field("name", &self.machine.name()).finish_non_exhaustive()
    }
}

/// (x, y, z, 0)
fn vectors<T: Scalar + Number>([x, y, z]: [&[T]; 3]) -> Vec<Vec4<T>> {
    parallel::collect(x.len(), TASK, |i| Vec4([x[i], y[i], z[i], T::narrow(0.0)]))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;

    use super::*;
    use crate::gpu::LimitedMachine;

    #[test]
    fn pairs_that_do_not_fit_are_refused_beforehand() {
        let points: Vec<[f64; 3]> = (0..500)
            .map(|i| [0.731, 0.577, 0.839].map(|c| (c * f64::from(i * i)).fract()))
            .collect();
        let axes = [0, 1, 2].map(|axis| points.iter().map(|p| p[axis]).collect::<Vec<f64>>());
        let pairs = NearPairs {
            sources: axes.each_ref().map(Vec::as_slice),
            receivers: None,
            range: vec![[0, 500, 0, 500]],
            leaves: &[0],
            offsets: vec![0, 1],
            items: vec![0],
            softening: 0.0,
        };
        let machine = LimitedMachine::new(10_000);
        let refused = GpuPairs::new(machine.clone(), &pairs).unwrap_err();
        let Error::DeviceMemory { needed, .. } = refused else { panic!("{refused}") };
        assert_eq!(machine.uploads.load(Ordering::Relaxed), 0);
        assert!(GpuPairs::new(LimitedMachine::new(needed), &pairs).is_ok());
    }
}
