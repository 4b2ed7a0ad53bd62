//! Memory of ranks: what they tell, against what they take; points and charges that go to
//! their owners in pieces.

use std::sync::Arc;

use distributed::threads;
use kernels_gpu::device::Vec4;
use kernels_gpu::machine::{Buffer, Machine};
use kernels_gpu::memory::Grown;
use kernels_gpu::partition::{OwnerOrder, PointsInCube};
use octree::Cube;
use octree::partition::Partition;

use super::engine;
use super::way::Way;
use crate::api::{Error, Field, Method, Request, Tolerance};
use crate::engine::{Charges, Engine, PointSets, Workspace};
use crate::gpu::limited_machine::LimitedMachine;
use crate::gpu::unchecked::emulator;
use crate::gpu::wire::Wire;
use crate::ranks::Group;

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
            let here = || Ok(machine.clone());
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

/// Points that are refused before the old ones go leave all as it was; those that find no memory afterwards leave a plan that
/// says so, until points are accepted.
#[test]
fn refused_points_leave_the_old_ones_or_none() {
    let (few, many) = (2000, 16_000);
    let ranks = threads::run(2, |ranks| {
        let limit = match ranks.rank() {
            0 => None,
            _ => Some(7 << 20),
        };
        let (method, memory_limit) = (Method::Fmm, limit);
        let request = Request { method, memory_limit, ..Request::default() };
        let rank = ranks.rank();
        let machine = LimitedMachine::new(usize::MAX);
        let brought = points(rank, few);
        let sets = |sources| PointSets { sources, receivers: None };
        let here = || Ok(machine.clone());
        let mut engine = engine(here, true, request, ranks, &sets(&brought)).unwrap();
        let masses = vec![1.0; few];
        let vectors = [&masses[..]];
        let evaluate = |engine: &dyn Engine<f64>| {
            let mut fields = [Field::default()];
            let charges = Charges::new(&vectors, few, None).unwrap();
            engine.evaluate(&charges, &mut fields, &mut Workspace::new())?;
            let [field] = fields;
            let errors = engine.sample_error(&masses, &field, 50)?;
            Ok::<_, Error>((field.potential, field.gradient, errors))
        };
        let before = evaluate(&*engine).unwrap();
        // Too large for a cube: refused before the points go.
        let far = vec![[1e308 * (1.0 - 2.0 * rank as f64); 3]; few];
        let refusal = Arc::get_mut(&mut engine).unwrap().build(&sets(&far)).unwrap_err();
        assert!(refusal.to_string().contains("magnitude"), "{refusal}");
        assert_eq!(evaluate(&*engine).unwrap(), before);
        // Too many for the memory that one of the ranks may take.
        let crowd = points(rank, many);
        let refusal = Arc::get_mut(&mut engine).unwrap().build(&sets(&crowd)).unwrap_err();
        assert!(refusal.to_string().starts_with("rank 1: "), "{refusal}");
        let lost = evaluate(&*engine).unwrap_err();
        assert!(lost.to_string().contains("has no points"), "{lost}");
        Arc::get_mut(&mut engine).unwrap().build(&sets(&brought)).unwrap();
        assert_eq!(evaluate(&*engine).unwrap(), before);
    });
    ranks.unwrap();
}

/// Owners have the points of all ranks in the order of ranks, each rank's in the order in which it brought them, whatever the
/// number of pieces; fields find the way back.
#[test]
fn pieces_come_in_the_order_of_ranks() {
    let cube = Cube::bounding([[0.0; 3], [1.0; 3]]).unwrap();
    let n = 9000;
    let of_rank = |rank: usize| -> Vec<Vec4<f64>> {
        let point = |(i, [x, y, z]): (usize, [f64; 3])| Vec4([x, y, z, (n * rank + i) as f64]);
        points(rank, n).into_iter().enumerate().map(point).collect()
    };
    // Numbers of points that all ranks bring, which decide the number of pieces.
    for n_all in [2 * n, usize::MAX / 64] {
        for reach in [false, true] {
            threads::run(2, |ranks| {
                let wire = Wire::new(Group::new(ranks), reach);
                let here = wire.rank();
                let brought = emulator().buffer_of(&of_rank(here)).unwrap();
                let codes: [Vec<u64>; 2] = [0, 1].map(|rank| {
                    of_rank(rank)
                        .iter()
                        .map(|p| cube.key(&[p.0[0], p.0[1], p.0[2]]).code())
                        .collect()
                });
                let mut sample: Vec<u64> = codes.concat();
                let partition = Partition::of_sample(&mut sample, 2, 21, 0.01);
                let points = PointsInCube { points: brought.view(), cube: &cube };
                let order = OwnerOrder::new();
                let mut way =
                    Way::new(&emulator(), &wire, points, n_all, &partition, order).unwrap();
                let nothing = vec![Vec4::default(); way.n_owned()];
                let mut owned = emulator().buffer_of(&nothing).unwrap();
                let (mut sorted, mut arriving) = (Grown::new(), Grown::new());
                let room = [&mut sorted, &mut arriving];
                way.points(&emulator(), points, room, owned.view_mut()).unwrap();
                let interval = partition.interval(here);
                let is_own =
                    |p: &Vec4<f64>| interval.contains(&cube.key(&[p.0[0], p.0[1], p.0[2]]).code());
                // What other ranks brought has three numbers on its way.
                let came = |rank: usize| {
                    let keep = move |Vec4([x, y, z, w])| {
                        Vec4([x, y, z, if rank == here { w } else { 0.0 }])
                    };
                    of_rank(rank).into_iter().filter(is_own).map(keep)
                };
                let expected: Vec<_> = (0..2).flat_map(came).collect();
                assert_eq!(emulator().items_of(&owned).unwrap(), expected);
                let of_rank = |rank: usize| -> Vec<f64> {
                    of_rank(rank).iter().map(|point| point.0[3]).collect()
                };
                let charges = emulator().buffer_of(&of_rank(here)).unwrap();
                let mut came = emulator().buffer_of(&vec![0.0; way.n_owned()]).unwrap();
                way.charges(&emulator(), charges.view(), &mut Grown::new(), came.view_mut())
                    .unwrap();
                let nothing = vec![Vec4::default(); n];
                let mut fields = emulator().buffer_of(&nothing).unwrap();
                // The field of a point is its charge.
                let came = emulator().items_of(&came).unwrap();
                let sums: Vec<_> = came.iter().map(|charge| Vec4([*charge; 4])).collect();
                let sums = emulator().buffer_of(&sums).unwrap();
                way.fields(&emulator(), sums.view(), &mut sorted, fields.view_mut()).unwrap();
                let expected: Vec<_> =
                    of_rank(here).iter().map(|charge| Vec4([*charge; 4])).collect();
                assert_eq!(emulator().items_of(&fields).unwrap(), expected);
            })
            .unwrap();
        }
    }
}
