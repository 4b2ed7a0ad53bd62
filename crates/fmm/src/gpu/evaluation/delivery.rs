//! Results of attempts on their way to the host, which cores read while they are checked.
//!
//! The engine's state is locked during attempts, so nothing waits for the pool meanwhile: jobs of a scope that ends after the
//! lock read the results of the first attempt. Most first attempts keep the tolerance; results of another are read when the
//! lock is gone.

use std::sync::OnceLock;

use rayon::Scope;

use kernels_gpu::device::{Vec4, View};
use kernels_gpu::machine::{Launcher, MachineError};

use crate::api::{Field, Outputs};
use crate::engine::Scalar;
use crate::gpu::Number;
use crate::gpu::host_slices::{Arrivals, Course};

/// The field that cores write during a check, and how that ended.
pub(crate) struct Early<'scope, T> {
    pub(crate) field: &'scope mut Field<T>,
    pub(crate) read: &'scope OnceLock<Result<(), MachineError>>,
}

/// Results of attempts on their way to the host.
pub(crate) struct Delivery<'s, 'scope, M: Launcher, T: Number> {
    scope: &'s Scope<'scope>,
    outputs: Outputs,
    /// Until cores have begun.
    early: Option<Early<'scope, T>>,
    /// Results of the last run, until cores read them.
    arrivals: Option<Arrivals<M::Staging, T>>,
    course: Option<Course<M>>,
}

impl<'s, 'scope, M, T> Delivery<'s, 'scope, M, T>
where
    M: Launcher,
    M::Staging: 'scope,
    T: Scalar + Number,
{
    /// Nothing on its way yet.
    pub(crate) fn new(scope: &'s Scope<'scope>, outputs: Outputs, early: Early<'scope, T>) -> Self {
        Self { scope, outputs, early: Some(early), arrivals: None, course: None }
    }

    /// Sends the field of a run.
    pub(crate) fn begin(&mut self, machine: &M, field: View<Vec4<T>>) -> Result<(), MachineError> {
        let (arrivals, course) = Arrivals::begin(machine, field)?;
        (self.arrivals, self.course) = (Some(arrivals), Some(course));
        Ok(())
    }

    /// Takes back what is on its way: the field is to be written again.
    pub(crate) fn stop(&mut self, machine: &M) -> Result<(), MachineError> {
        self.arrivals = None;
        self.course.take().map_or(Ok(()), |course| course.stop(machine))
    }

    /// Lets cores read the first field, for which they wait, while this thread waits for its check. Cores that slept wake
    /// meanwhile.
    pub(super) fn read_early(&mut self) {
        if self.arrivals.as_ref().is_some_and(Arrivals::is_large)
            && let Some(Early { field, read }) = self.early.take()
            && let Some(arrivals) = self.arrivals.take()
        {
            let outputs = self.outputs;
            self.scope.spawn(move |_| {
                // Nobody else sets it.
                let _ = read.set(arrivals.read(outputs, field));
            });
        }
    }

    /// Results of the last run, if no core reads them yet.
    pub(crate) fn end(self) -> Option<Arrivals<M::Staging, T>> {
        self.arrivals
    }
}

#[cfg(test)]
mod tests {
    use kernels_gpu::memory::Grown;

    use super::*;
    use crate::gpu::unchecked::emulator;

    /// Results of the last attempt are those that arrive, whoever reads them.
    #[test]
    fn results_of_a_failed_attempt_are_thrown_away() {
        let n = 20_000;
        let values = |attempt: usize| -> Vec<Vec4<f64>> {
            (0..n).map(|i| Vec4([0.0, 1.0, 2.0, 3.0].map(|k| k + (i * attempt) as f64))).collect()
        };
        for attempts in 1..4 {
            let (mut field, mut memory, read) = (Field::default(), Grown::new(), OnceLock::new());
            let early = Early { field: &mut field, read: &read };
            let left = rayon::in_place_scope(|scope| {
                let mut delivery = Delivery::new(scope, Outputs::default(), early);
                for attempt in 1..=attempts {
                    delivery.stop(&emulator()).unwrap();
                    memory.upload(&emulator(), &values(attempt)).unwrap();
                    delivery.begin(&emulator(), memory.view(n)).unwrap();
                    delivery.read_early();
                    // A closer check of the same attempt.
                    delivery.read_early();
                }
                delivery.end()
            });
            assert_eq!(left.is_some(), attempts > 1);
            match left {
                Some(arrivals) => arrivals.read(Outputs::default(), &mut field).unwrap(),
                None => read.into_inner().unwrap().unwrap(),
            }
            for (i, Vec4([x, y, z, potential])) in values(attempts).into_iter().enumerate() {
                assert_eq!((field.gradient[i], field.potential[i]), ([x, y, z], potential));
            }
        }
    }
}
