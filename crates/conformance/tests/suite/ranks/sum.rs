//! A sum, by one process or over ranks that bring uneven parts of the points.

use std::sync::Arc;

use distributed::{Communicator, threads};
use fmm::{Error, Field, Fmm, Plan, Scalar};
use testbed::clouds::Cloud;
pub(crate) use testbed::shares::{join, share as part};
use testbed::{norms, shares};

/// Points and charges of a sum.
pub(crate) struct Sum<T> {
    pub(crate) name: String,
    pub(crate) sources: Vec<[T; 3]>,
    /// `None`: the receivers are the sources.
    pub(crate) receivers: Option<Vec<[T; 3]>>,
    pub(crate) charges: Vec<T>,
}

impl<T: Scalar> Sum<T> {
    pub(crate) fn new(cloud: &Cloud, charges: &[f64]) -> Self {
        let narrow = |x: &[f64; 3]| x.map(T::narrow);
        Self {
            name: cloud.name.to_owned(),
            sources: cloud.positions.iter().map(narrow).collect(),
            receivers: None,
            charges: charges.iter().copied().map(T::narrow).collect(),
        }
    }

    pub(crate) fn at(self, receivers: &[[f64; 3]]) -> Self {
        let receivers = Some(receivers.iter().map(|x| x.map(T::narrow)).collect());
        Self { receivers, name: format!("{}, apart", self.name), ..self }
    }

    /// The plan of one process.
    pub(crate) fn plan(&self, fmm: Fmm) -> Plan<T> {
        let plan = match &self.receivers {
            None => fmm.plan(&self.sources),
            Some(receivers) => fmm.plan((&self.sources, receivers)),
        };
        plan.unwrap()
    }

    /// The plan of one rank, and its charges.
    pub(crate) fn plan_over(
        &self,
        fmm: Fmm,
        ranks: &Arc<dyn Communicator>,
    ) -> Result<(Plan<T>, &[T]), Error> {
        let plan = shares::plan_over(fmm, ranks, &self.sources, self.receivers.as_deref())?;
        Ok((plan, &self.charges[part(ranks.rank(), ranks.size(), self.charges.len())]))
    }

    /// The field of all ranks, with the report of the first.
    pub(crate) fn over(&self, fmm: Fmm, size: usize) -> Field<T> {
        let fields = threads::run(size, |ranks| {
            let (plan, charges) = self.plan_over(fmm, &ranks)?;
            plan.evaluate(charges)
        });
        join(&fields.unwrap().into_iter().collect::<Result<Vec<_>, Error>>().unwrap())
    }
}

/// Relative L2 difference of the worse output.
pub(crate) fn difference<T: Scalar>(a: &Field<T>, b: &Field<T>) -> f64 {
    let potential =
        |field: &Field<T>| field.potential.iter().map(|x| x.widen()).collect::<Vec<_>>();
    let gradient =
        |field: &Field<T>| field.gradient.iter().map(|g| g.map(T::widen)).collect::<Vec<_>>();
    let of_potential = norms::scalar(&potential(a), &potential(b)).l2;
    of_potential.max(norms::vector(&gradient(a), &gradient(b)).l2)
}
