//! The ranks of a plan: their communicator, and totals over all of them.

use std::sync::Arc;

use bytemuck::Pod;
use distributed::{Communicator, Reduction, Transport};
use octree::Aabb;

use crate::api::{Error, Field};
use crate::engine::{Call, Compensated};
use crate::verify;

/// All ranks of a plan, as one of them sees them.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    communicator: Arc<dyn Communicator>,
    /// Way of multipoles and ghosts.
    pub(crate) transport: Transport,
}

impl Group {
    pub(crate) fn new(communicator: Arc<dyn Communicator>) -> Self {
        Self { communicator, transport: Transport::Neighbours }
    }

    pub(crate) fn communicator(&self) -> &dyn Communicator {
        &*self.communicator
    }

    /// The communicator, for another engine of the same ranks.
    pub(crate) fn shared(&self) -> Arc<dyn Communicator> {
        Arc::clone(&self.communicator)
    }

    pub(crate) fn rank(&self) -> usize {
        self.communicator.rank()
    }

    pub(crate) fn size(&self) -> usize {
        self.communicator.size()
    }

    /// Runs a call that all ranks make. If it fails or panics on one of them, all end with its error.
    pub(crate) fn phase<R>(&self, run: impl FnOnce() -> Result<R, Error>) -> Result<R, Error> {
        Ok(distributed::phase(self.communicator(), run)?)
    }

    /// Agrees that no rank refuses the call that follows, and that all make the same; a refusal is that of all.
    pub(crate) fn consent(&self, refusal: Option<Error>, call: Call) -> Result<(), Error> {
        self.phase(|| {
            refusal.map_or(Ok(()), Err)?;
            let calls = self.gather(&call.numbers())?;
            let calls = calls.as_chunks::<2>().0;
            let differ = |of: usize| calls.iter().any(|other| other[of] != calls[0][of]);
            match [differ(0), differ(1)] {
                [true, _] => Err(Error::CallsDiffer),
                [_, true] => Err(Error::VectorsDiffer),
                _ => Ok(()),
            }
        })
    }

    /// Runs an evaluation and puts what it finds into `fields`; a refusal leaves them as they were.
    pub(crate) fn evaluate<T>(
        &self,
        fields: &mut [Field<T>],
        run: impl FnOnce() -> Result<Vec<Field<T>>, Error>,
    ) -> Result<(), Error> {
        let found = self.phase(run)?;
        for (field, found) in fields.iter_mut().zip(found) {
            *field = found;
        }
        Ok(())
    }

    /// Sums over all ranks.
    pub(crate) fn sum(&self, values: &mut [u64]) -> Result<(), Error> {
        Ok(distributed::reduce(self.communicator(), Reduction::Sum, values)?)
    }

    /// The largest over all ranks, element by element.
    pub(crate) fn largest(&self, values: &mut [f64]) -> Result<(), Error> {
        Ok(distributed::reduce(self.communicator(), Reduction::Max, values)?)
    }

    /// The bounds of what all ranks have, from those of each.
    pub(crate) fn bounds(&self, Aabb { min, max }: Aabb) -> Result<Aabb, Error> {
        let mut ends = [min.map(|x| -x), max];
        self.largest(ends.as_flattened_mut())?;
        Ok(Aabb { min: ends[0].map(|x| -x), max: ends[1] })
    }

    /// The values of every rank, one rank after the other.
    pub(crate) fn gather<A: Pod>(&self, values: &[A]) -> Result<Vec<A>, Error> {
        Ok(distributed::all_gather_joined(self.communicator(), values)?)
    }

    /// The values of every rank, by rank.
    pub(crate) fn gather_by_rank<A: Pod>(&self, values: &[A]) -> Result<Vec<Vec<A>>, Error> {
        Ok(distributed::all_gather(self.communicator(), values)?)
    }

    /// Runs a part of the partition, which adds integers over all ranks and knows no errors of communication.
    pub(crate) fn with_totals<R>(
        &self,
        run: impl FnOnce(&mut dyn octree::partition::Totals) -> R,
    ) -> Result<R, Error> {
        let mut totals = Integers { group: self, failure: None };
        let result = run(&mut totals);
        totals.failure.map_or(Ok(result), Err)
    }
}

/// Totals of integers that keep the first failure: later totals are those of the rank alone.
struct Integers<'a> {
    group: &'a Group,
    failure: Option<Error>,
}

impl Integers<'_> {
    fn reduce(&mut self, reduction: Reduction, values: &mut [u64]) {
        if self.failure.is_none() {
            let reduced = distributed::reduce(self.group.communicator(), reduction, values);
            self.failure = reduced.err().map(Error::from);
        }
    }
}

impl octree::partition::Totals for Integers<'_> {
    fn sum(&mut self, values: &mut [u64]) {
        self.reduce(Reduction::Sum, values);
    }

    fn max(&mut self, values: &mut [u64]) {
        self.reduce(Reduction::Max, values);
    }
}

impl verify::Totals for Group {
    fn add_up(&self, sums: &mut [f64]) -> Result<(), Error> {
        let parts = self.gather_by_rank(sums)?;
        for (k, sum) in sums.iter_mut().enumerate() {
            let terms = parts.iter().map(|part| part[k]);
            *sum = terms.fold(Compensated::default(), Compensated::with).total();
        }
        Ok(())
    }
}
