//! Several vectors of charges: near pairs, which share distances, are summed together when the first vector is, and all far
//! fields are made beside them, one after the other.
//!
//! Sums over near pairs depend on the tree and the charges alone, so they serve every attempt of an evaluation that asks for no
//! more digits. Far fields serve attempts by the same expansions.

use expansions::operators::PairAccuracy;
use kernels_gpu::device::{Vec4, View};
use kernels_gpu::machine::{Launcher, MachineError};
use kernels_gpu::operators::Accumulation;

use super::Pipeline;
use super::form::Form;
use crate::api::Error;
use crate::choose::FarBy;
use crate::gpu::Number;
use crate::gpu::launches::Pairs;
use crate::gpu::memory::together::{Summed, Together};
use crate::gpu::timers::Timers;

impl<M: Launcher + Clone, T: Number> Pipeline<M, T> {
    /// Takes the sources with their charges as those of a vector of several.
    pub(crate) fn take_vector(&mut self, vector: usize) -> Result<(), MachineError> {
        let sources = self.sorted_sources();
        let Some(together) = &mut self.together else { return Ok(()) };
        let all = together.sources.view_mut(together.vectors * together.n_sources);
        let own = all.part(vector * together.n_sources, together.n_sources);
        self.machine.copy(sources, self.machine.home(), own)
    }

    /// P2P of several vectors over the near lists, if there are several and they are not summed yet; says whether that gives the
    /// sums of the vector at hand. One that asks for more digits than the first did is summed alone.
    pub(super) fn near_together(&mut self, pairs: Pairs) -> Result<bool, MachineError> {
        let Some(mut together) = self.together.take() else { return Ok(false) };
        if together.summed == Summed::Nothing {
            let (sources, sums) = (together.all_sources(), together.all_sums());
            let lists = self.near_lists(sources, pairs.softening, sums);
            self.near.sum_vectors(&self.machine, lists, together.vectors, pairs.accuracy)?;
            together.summed = Summed::Near(pairs.accuracy);
        }
        let serves = together.has_near(pairs.accuracy);
        together.serves = serves;
        self.together = Some(together);
        Ok(serves)
    }

    /// P2P of several vectors between all points, if there are several and nothing else is summed; says whether so.
    pub(super) fn all_together(&mut self, pairs: Pairs) -> Result<bool, MachineError> {
        let Some(mut together) = self.together.take() else { return Ok(false) };
        if together.summed == Summed::Nothing {
            let law = self.law(pairs);
            let (sources, sums) = (together.all_sources(), together.all_sums());
            let points = [sources, self.sorted_receivers()];
            self.direct.sum_vectors(&self.machine, points, law, together.vectors, sums)?;
            together.summed = Summed::All(pairs.accuracy);
        }
        let serves = matches!(together.summed, Summed::All(accuracy) if accuracy >= pairs.accuracy);
        together.serves = serves;
        self.together = Some(together);
        Ok(serves)
    }

    /// Makes the far fields of the vectors after the first, by the tables at `place`, if there are several whose near pairs are
    /// on their way: those take so long that all far fields are hidden beside them, not the first alone.
    pub(super) fn go_ahead(
        &mut self,
        machine: &M,
        (place, form): (usize, Form),
        timers: &mut Timers<M>,
    ) -> Result<(), Error> {
        let Some(mut together) = self.together.take() else { return Ok(()) };
        let made = match together.may_go_ahead && together.ahead.is_none() {
            true => self.make_ahead(machine, &mut together, place, timers),
            false => Ok(()),
        };
        if together.may_go_ahead && made.is_ok() {
            together.ahead.get_or_insert(form);
        }
        self.together = Some(together);
        made
    }

    fn make_ahead(
        &mut self,
        machine: &M,
        together: &mut Together<M, T>,
        place: usize,
        timers: &mut Timers<M>,
    ) -> Result<(), Error> {
        let n_receivers = together.n_receivers;
        let accumulation = match self.far_by {
            FarBy::M2l => Accumulation::Overwrite,
            FarBy::M2p => {
                together.more.fill(machine, 0)?;
                Accumulation::Add
            }
        };
        for vector in 1..together.vectors {
            let sources = together.sources_of(vector);
            let far = self.far_boxes(machine, place, [sources; 2], timers)?;
            let all = together.more.view_mut(together.vectors * n_receivers);
            let sums = all.part(vector * n_receivers, n_receivers);
            self.far_receivers(machine, far, (sums, accumulation), timers)?;
            self.find_expected(machine, far, vector)?;
        }
        Ok(())
    }

    /// Sums through expansions of the vector that is evaluated, if they were made with those of the first and by this form. The
    /// sums over its near pairs are there, too, to this accuracy.
    pub(super) fn made_ahead(
        &mut self,
        form: Form,
        accuracy: PairAccuracy,
    ) -> Option<View<Vec4<T>>> {
        let together = self.together.as_mut()?;
        let made = together.ahead == Some(form) && together.has_near(accuracy);
        if together.current == 0 || !made {
            return None;
        }
        together.serves = true;
        self.checked_vector = together.current;
        let all = together.more.view(together.vectors * together.n_receivers);
        Some(all.part(together.current * together.n_receivers, together.n_receivers))
    }

    /// Sums over pairs of the last run.
    pub(super) fn pair_sums(&self) -> View<Vec4<T>> {
        let n_receivers = self.tree.n_receivers();
        match &self.together {
            Some(together) if together.serves => {
                let all = together.sums.view(together.vectors * n_receivers);
                all.part(together.current * n_receivers, n_receivers)
            }
            _ => self.sums.view(n_receivers),
        }
    }
}
