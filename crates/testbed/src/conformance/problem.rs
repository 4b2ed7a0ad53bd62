//! A sum to compute: by one process, or over ranks that are threads and bring uneven shares of the points.

use std::sync::Arc;

use distributed::{Communicator, threads};
use fmm::{Error, Field, Fmm, Plan, Report, Scalar};

use super::narrow;
use crate::clouds::Cloud;
use crate::shares::{join, share};

/// A sum to compute.
#[derive(Clone, Debug)]
pub struct Problem<T> {
    /// Name in messages.
    pub name: String,
    /// Positions that carry the charges.
    pub sources: Vec<[T; 3]>,
    /// Positions to evaluate at; `None` for the sources.
    pub receivers: Option<Vec<[T; 3]>>,
    /// Charges in the order of `sources`.
    pub charges: Vec<T>,
}

impl<T: Scalar> Problem<T> {
    /// Sources that are the receivers, rounded to `T`.
    pub fn new(name: impl Into<String>, positions: &[[f64; 3]], charges: &[f64]) -> Self {
        let charges = charges.iter().copied().map(T::narrow).collect();
        Self { name: name.into(), sources: narrow(positions), receivers: None, charges }
    }

    /// The points of a cloud, which are the receivers, with these charges, rounded to `T`.
    pub fn of(cloud: &Cloud, charges: &[f64]) -> Self {
        Self::new(cloud.name, &cloud.positions, charges)
    }

    /// The problem with receivers of its own, rounded to `T`.
    pub fn at(self, receivers: &[[f64; 3]]) -> Self {
        Self { receivers: Some(narrow(receivers)), ..self }
    }

    /// Positions at which the sum is evaluated.
    pub fn receivers(&self) -> &[[T; 3]] {
        self.receivers.as_deref().unwrap_or(&self.sources)
    }

    /// A plan for the problem.
    ///
    /// # Errors
    ///
    /// The error of the plan.
    pub fn plan(&self, fmm: Fmm) -> Result<Plan<T>, Error> {
        match &self.receivers {
            None => fmm.plan(&self.sources),
            Some(receivers) => fmm.plan((&self.sources, receivers)),
        }
    }

    /// The field of a plan for the problem.
    ///
    /// # Errors
    ///
    /// The error of the plan or of its evaluation.
    pub fn field(&self, fmm: Fmm) -> Result<Field<T>, Error> {
        self.plan(fmm)?.evaluate(&self.charges)
    }
}

impl<T: Scalar> Problem<T> {
    /// The plan of one rank for its shares of sources and receivers, and its share of the charges. Collective.
    ///
    /// # Errors
    ///
    /// Errors of [`Fmm::plan_over`].
    pub fn plan_over(
        &self,
        fmm: Fmm,
        ranks: &Arc<dyn Communicator>,
    ) -> Result<(Plan<T>, &[T]), Error> {
        let of = |n| share(ranks.rank(), ranks.size(), n);
        let own = &self.sources[of(self.sources.len())];
        let plan = match &self.receivers {
            None => fmm.plan_over(ranks, own),
            Some(all) => fmm.plan_over(ranks, (own, &all[of(all.len())])),
        };
        Ok((plan?, &self.charges[of(self.charges.len())]))
    }

    /// The report of the first rank's plan and the field of all ranks, on so many ranks, each by the builder for its number.
    ///
    /// # Errors
    ///
    /// The error of the plan or of its evaluation.
    pub fn field_over(
        &self,
        fmm: impl Fn(usize) -> Fmm + Sync,
        size: usize,
    ) -> Result<(Report, Field<T>), Error> {
        let fields = threads::run(size, |ranks| {
            let (plan, charges) = self.plan_over(fmm(ranks.rank()), &ranks)?;
            let field = plan.evaluate(charges)?;
            Ok((plan.report().clone(), field))
        })?;
        let (reports, fields): (Vec<Report>, Vec<Field<T>>) =
            fields.into_iter().collect::<Result<Vec<_>, Error>>()?.into_iter().unzip();
        Ok((reports[0].clone(), join(&fields)))
    }

    /// The field of all ranks, on so many ranks with the same builder; its report is that of the first.
    ///
    /// # Errors
    ///
    /// Errors of [`field_over`](Self::field_over).
    pub fn over(&self, fmm: Fmm, size: usize) -> Result<Field<T>, Error> {
        Ok(self.field_over(|_| fmm, size)?.1)
    }
}
