//! Memory of ranks: what they tell, against what they take.

use distributed::threads;

use super::super::limited_machine::LimitedMachine;
use super::engine;
use crate::api::{Field, Method, Request, Tolerance};
use crate::engine::{Charges, PointSets, Workspace};

/// Points that fill a cube, of which a rank of two brings every second one.
fn points(rank: usize, n: usize) -> Vec<[f64; 3]> {
    let roots = [2.0_f64, 3.0, 5.0].map(f64::sqrt);
    let point = |i: usize| roots.map(|root| (root * (i * i) as f64).fract());
    (0..n).map(|i| point(2 * i + rank)).collect()
}

#[test]
fn ranks_tell_the_memory_that_they_take() {
    let cases =
        [(Method::Fmm, 1e-3, 16_000), (Method::Fmm, 1e-9, 16_000), (Method::Direct, 1e-3, 4000)];
    for (method, tolerance, n) in cases {
        let request = Request { method, tolerance: Tolerance::L2(tolerance), ..Request::default() };
        let rows = threads::run(2, |ranks| {
            let rank = ranks.rank();
            let machine = LimitedMachine::new(usize::MAX);
            let brought = points(rank, n);
            let sets = PointSets { sources: &brought, receivers: None };
            let here = || Ok((machine.clone(), String::new()));
            let engine = engine(here, true, request, ranks, &sets).unwrap();
            let masses = vec![1.0; n];
            let vectors = [&masses[..]];
            let charges = Charges::new(&vectors, n, None).unwrap();
            let mut fields = [Field::default()];
            engine.evaluate(&charges, &mut fields, &mut Workspace::new()).unwrap();
            let told = fields[0].report.ranks.as_ref().unwrap().ranks[rank].bytes;
            (told, machine.peak())
        });
        for (told, counted) in rows.unwrap() {
            let within = counted <= told + told / 20 && told < counted + counted / 4;
            assert!(within, "{method:?} at {tolerance:e}: told {told}, took {counted}");
        }
    }
}
