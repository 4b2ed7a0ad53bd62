//! P2P of the FMM and of the direct sum on a device.

use expansions::operators::PairAccuracy;
use kernels_gpu::device::{Vec4, View, ViewMut};
use kernels_gpu::machine::{Launcher, MachineError};
use kernels_gpu::near::Near;

use super::Pipeline;
use crate::api::{Error, Stage};
use crate::gpu::Number;
use crate::gpu::launches::{Pairs, Sums};
use crate::gpu::memory::keeping::Keeping;
use crate::gpu::timers::{Launched, Timers};

impl<M: Launcher + Clone, T: Number> Pipeline<M, T> {
    /// P2P over the near lists, unless an earlier attempt has left sums as accurate; between all points in a tree of one box,
    /// where no sums are begun.
    pub(super) fn near_field(&mut self, pairs: Pairs, sums: Sums) -> Result<(), MachineError> {
        let field = self.sums.view_mut(self.tree.n_receivers());
        if self.list_tree().n_boxes() <= 1 {
            return self.all_pairs(self.all_sources(), pairs, field);
        }
        if self.near_together(pairs)? {
            return Ok(());
        }
        if self.near_summed >= Some(pairs.accuracy) {
            return Ok(());
        }
        // Where the least memory is kept, sums through expansions are added to these.
        self.near_summed = Some(pairs.accuracy).filter(|_| self.keeping < Keeping::Least);
        let lists = self.near_lists(self.all_sources(), pairs.softening, field);
        let lists = Near { add: u32::from(sums == Sums::Begun), ..lists };
        self.near.sum(&self.machine, lists, pairs.accuracy)
    }

    /// P2P over the near lists: sums of sources in the tree's units, which replace the content of `field`.
    pub(super) fn near_lists(
        &self,
        sources: View<Vec4<T>>,
        softening: f64,
        field: ViewMut<Vec4<T>>,
    ) -> Near<T> {
        let (tree, rows) = (self.list_tree(), self.lists.near());
        let softening = self.unit.shrink(softening);
        Near {
            sources,
            receivers: self.sorted_receivers(),
            range: tree.range(),
            leaves: tree.leaves(),
            offsets: rows.offsets,
            items: rows.items,
            later: View::EMPTY,
            sorted_tasks: View::EMPTY,
            softening2: T::from_f64(softening * softening),
            add: 0,
            field,
        }
    }

    /// P2P between sources in the tree's units and all receivers; of several vectors, if they are summed together.
    pub(crate) fn all_pairs(
        &mut self,
        sources: View<Vec4<T>>,
        pairs: Pairs,
        field: ViewMut<Vec4<T>>,
    ) -> Result<(), MachineError> {
        if self.all_together(pairs)? {
            return Ok(());
        }
        let points = [sources, self.sorted_receivers()];
        let law = self.law(pairs);
        self.direct.sum_vectors(&self.machine, points, law, 1, field)
    }

    /// Softening in the tree's units, and accuracy of 1/r, as the direct sum takes them.
    pub(crate) fn law(&self, Pairs { softening, accuracy }: Pairs) -> (T, PairAccuracy) {
        (T::from_f64(self.unit.shrink(softening)), accuracy)
    }

    /// Writes the field by summing all pairs, whatever the tree. The device may not be done when this returns.
    pub(crate) fn sum_all_pairs(
        &mut self,
        pairs: Pairs,
        field: ViewMut<Vec4<T>>,
    ) -> Result<Launched<M>, Error> {
        self.sum_pairs(self.sorted_sources(), pairs, field)
    }

    /// Writes the field by summing all pairs with `sources`, which are in the tree's units.
    pub(crate) fn sum_pairs(
        &mut self,
        sources: View<Vec4<T>>,
        pairs: Pairs,
        field: ViewMut<Vec4<T>>,
    ) -> Result<Launched<M>, Error> {
        let machine = self.machine.clone();
        let mut timers = Timers::start(&machine)?;
        (self.local_order, self.near_summed) = (None, None);
        let n_receivers = self.tree.n_receivers();
        self.sums.reserve(&machine, n_receivers)?;
        let sums = self.sums.view_mut(n_receivers);
        self.all_pairs(sources, pairs, sums)?;
        let more = self.heavy_field(pairs.softening)?;
        timers.end(Stage::P2p)?;
        self.scatter(more, field, &mut timers)?;
        Ok(Launched::alone(timers))
    }
}

#[cfg(test)]
mod tests {
    use kernels_gpu::device::Vec4;
    use kernels_gpu::machine::Machine;
    use kernels_gpu::memory::Grown;
    use octree::Depth;

    use super::super::form::Form;
    use super::*;
    use crate::api::{Field, Method, Request, Tolerance};
    use crate::engine::{Charges, Engine, PointSets, Workspace};
    use crate::gpu::engine::GpuEngine;
    use crate::gpu::limited_machine::LimitedMachine;

    type Values = Vec<[f64; 4]>;

    fn field(
        pipeline: &mut Pipeline<LimitedMachine, f64>,
        order: usize,
        accuracy: PairAccuracy,
    ) -> Values {
        let pairs = Pairs { softening: 0.0, accuracy };
        let (machine, n) = (pipeline.machine.clone(), pipeline.tree.n_receivers());
        let mut field = Grown::new();
        pipeline.evaluate(Form { order, waves: false }, pairs, &mut field).unwrap();
        let mut values = vec![Vec4::default(); n];
        field.download(&machine, &mut values).unwrap();
        values.into_iter().map(|Vec4(value)| value).collect()
    }

    /// Sums over near pairs are made once for charges and serve each attempt that asks no more; others make them anew.
    #[test]
    fn near_pairs_are_summed_once_for_all_attempts() {
        let roots = [2.0_f64, 3.0, 5.0].map(f64::sqrt);
        let points: Vec<[f64; 3]> =
            (0..600).map(|i| roots.map(|root| (root * f64::from(i * i)).fract())).collect();
        let request = Request {
            method: Method::Fmm,
            tolerance: Tolerance::Order(4),
            depth: Some(Depth::Adaptive { leaf_capacity: 20 }),
            ..Request::default()
        };
        let machine = LimitedMachine::new(usize::MAX);
        let mut engine = GpuEngine::<_, f64>::new(machine.clone(), request).unwrap();
        engine.build(&PointSets { sources: &points, receivers: None }).unwrap();
        let charges = vec![1.0; points.len()];
        let vectors = [&charges[..]];
        let of_engine = Charges::new(&vectors, charges.len(), None).unwrap();
        let mut fields = [Field::default()];
        engine.evaluate(&of_engine, &mut fields, &mut Workspace::new()).unwrap();

        let mut guard = engine.state();
        let pipeline = &mut guard.pipeline;
        let [few, all] = [PairAccuracy::Digits4, PairAccuracy::Full];
        assert_eq!(pipeline.near_summed, Some(all));
        let kept = field(pipeline, 7, all);
        pipeline.near_summed = None;
        assert_ne!(kept, field(pipeline, 7, few));
        assert_eq!(kept, field(pipeline, 7, all));
        assert_eq!(kept, field(pipeline, 7, few));

        // Without the sums, a repeated attempt lacks the near pairs; charges bring them back.
        pipeline.sums.fill(&machine, 0).unwrap();
        assert_ne!(kept, field(pipeline, 7, all));
        let on_device = machine.buffer_of(&charges).unwrap();
        let unit = pipeline.charge_unit;
        pipeline.put_charges(kernels_gpu::machine::Buffer::view(&on_device), unit).unwrap();
        assert_eq!(kept, field(pipeline, 7, all));
    }
}
