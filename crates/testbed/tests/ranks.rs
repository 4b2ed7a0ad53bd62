//! Sums over ranks against the sum of one process that has all points.

use distributed::threads;
use fmm::{Field, Fmm, Method, Points};
use testbed::clouds::{self, Cloud};
use testbed::{charges, norms};

/// Points of one rank among `n`: uneven parts, of which some are empty.
fn part(rank: usize, size: usize, n: usize) -> std::ops::Range<usize> {
    let cut = |rank: usize| {
        let even = rank * n / size;
        // The second rank has nothing.
        if rank == 1 && size > 2 { 2 * n / size } else { even }
    };
    cut(rank)..cut(rank + 1)
}

/// A sum with its own receivers or without.
struct Sum {
    name: String,
    sources: Vec<[f64; 3]>,
    receivers: Option<Vec<[f64; 3]>>,
    charges: Vec<f64>,
}

impl Sum {
    fn new(cloud: &Cloud, charges: Vec<f64>) -> Self {
        let (name, sources) = (cloud.name.to_owned(), cloud.positions.clone());
        Self { name, sources, receivers: None, charges }
    }

    fn at(self, receivers: Vec<[f64; 3]>) -> Self {
        Self { receivers: Some(receivers), name: format!("{}, apart", self.name), ..self }
    }

    fn n_receivers(&self) -> usize {
        self.receivers.as_ref().map_or(self.sources.len(), Vec::len)
    }

    fn alone(&self, fmm: Fmm) -> Field<f64> {
        let plan = match &self.receivers {
            None => fmm.plan(&self.sources),
            Some(receivers) => fmm.plan((&self.sources, receivers)),
        };
        plan.unwrap().evaluate(&self.charges).unwrap()
    }

    /// The fields of all ranks, one after the other.
    fn over(&self, fmm: Fmm, size: usize) -> Field<f64> {
        let fields = threads::run(size, |ranks| {
            let own = part(ranks.rank(), size, self.sources.len());
            let receivers = part(ranks.rank(), size, self.n_receivers());
            let sources = &self.sources[own.clone()];
            let points: Points<'_, [f64; 3]> = match &self.receivers {
                None => sources.into(),
                Some(all) => (sources, &all[receivers]).into(),
            };
            let plan = fmm.plan_over(&ranks, points)?;
            plan.evaluate(&self.charges[own])
        });
        let fields: Vec<Field<f64>> =
            fields.unwrap().into_iter().collect::<Result<_, _>>().unwrap();
        let report = fields[0].report.clone();
        assert!(
            fields.iter().all(|field| field.report.ranks.as_ref().unwrap().ranks.len() == size)
        );
        let potential = fields.iter().flat_map(|field| field.potential.clone()).collect();
        let gradient = fields.iter().flat_map(|field| field.gradient.clone()).collect();
        Field { potential, gradient, report, ..Field::default() }
    }
}

fn difference(a: &Field<f64>, b: &Field<f64>) -> f64 {
    let potential = norms::scalar(&a.potential, &b.potential).l2;
    potential.max(norms::vector(&a.gradient, &b.gradient).l2)
}

fn sums(n: usize) -> Vec<Sum> {
    let sets = [
        clouds::uniform_cube(n, 1),
        clouds::sphere_surface(n, 2),
        clouds::plummer(n, 3),
        clouds::two_clusters(n, 4),
    ];
    let mut sums: Vec<Sum> = sets
        .iter()
        .enumerate()
        .map(|(k, cloud)| {
            let charges = if k % 2 == 0 { charges::masses(n, 5) } else { charges::mixed(n, 6) };
            Sum::new(cloud, charges)
        })
        .collect();
    let apart = clouds::plummer(n / 2, 8).positions;
    sums.push(Sum::new(&clouds::uniform_cube(n, 7), charges::mixed(n, 9)).at(apart));
    sums
}

#[test]
fn ranks_find_what_one_process_finds() {
    for sum in sums(8000) {
        let fmm = Fmm::new().tolerance(1e-5).method(Method::Fmm);
        let alone = sum.alone(fmm);
        assert!(alone.report.m2l_pairs > 0);
        for size in [1, 2, 3, 4, 7, 8, 64] {
            let over = sum.over(fmm, size);
            let difference = difference(&over, &alone);
            let (report, of_alone) = (&over.report, &alone.report);
            println!("{} on {size}: {difference:e}", sum.name);
            assert_eq!(report.order, of_alone.order, "{}", sum.name);
            assert_eq!(
                [report.levels, report.boxes, report.leaves],
                [of_alone.levels, of_alone.boxes, of_alone.leaves]
            );
            assert_eq!(report.m2l_pairs, of_alone.m2l_pairs);
            assert!(difference < 1e-12, "{} on {size}: {difference:e}", sum.name);
        }
    }
}
