//! A sum, by one process or over ranks that bring uneven parts of the points.

use std::fmt::Debug;
use std::sync::Arc;

use distributed::{Communicator, threads};
use fmm::{Error, Field, Fmm, Plan, Report, Scalar};
use testbed::clouds::{self, Cloud};
pub(crate) use testbed::shares::{join, share as part};
use testbed::{charges, norms, shares};

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

impl<T: Scalar> Sum<T> {
    /// Asserts that the fields over so many ranks are that of one process, to `largest`, with the same counts. Returns the field
    /// of one process and the reports over ranks.
    pub(crate) fn is_that_of_one<C: PartialEq + Debug>(
        &self,
        fmm: Fmm,
        sizes: &[usize],
        largest: f64,
        counts: impl Fn(&Report) -> C,
    ) -> (Field<T>, Vec<Report>) {
        let alone = self.plan(fmm).evaluate(&self.charges).unwrap();
        let over = |size: &usize| {
            let over = self.over(fmm, *size);
            let difference = difference(&over, &alone);
            let what = format!("{} on {size} ranks: {difference:e}", self.name);
            assert!(difference <= largest, "{what}");
            assert_eq!(counts(&over.report), counts(&alone.report), "{what}");
            over.report
        };
        let reports = sizes.iter().map(over).collect();
        (alone, reports)
    }
}

/// Sets of these shapes, with charges of one sign and of both, and receivers apart.
pub(crate) fn sums_of(shapes: &[fn(usize, u64) -> Cloud], n: usize) -> Vec<Sum<f64>> {
    let sum = |(k, cloud): (usize, &fn(usize, u64) -> Cloud)| {
        let kind = if k % 2 == 0 { charges::masses } else { charges::mixed };
        Sum::new(&cloud(n, k as u64 + 1), &kind(n, 5))
    };
    let mut sums: Vec<Sum<f64>> = shapes.iter().enumerate().map(sum).collect();
    let apart = clouds::plummer(n / 2, 8).positions;
    sums.push(Sum::new(&clouds::uniform_cube(n, 7), &charges::mixed(n, 9)).at(&apart));
    sums
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
