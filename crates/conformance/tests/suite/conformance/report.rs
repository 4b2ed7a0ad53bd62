//! The report tells what was done: counts are those of the lists, seconds add up, and the method is
//! the one that ran.

use fmm::{Fmm, Method, Plan, Stage, Treecode};
use testbed::conformance::{Bed, Precision, Problem};
use testbed::{charges, clouds};

/// Plans over a cloud with all four lists, self and apart.
fn plans<T: Precision>(bed: Bed, fmm: Fmm) -> Vec<(Problem<T>, Plan<T>)> {
    let n = bed.points(6000);
    let cloud = clouds::plummer(n, 1);
    let receivers = clouds::uniform_cube(n / 3, 2).positions;
    let same = Problem::new("self", &cloud.positions, &charges::masses(n, 3));
    let apart = same.clone().at(&receivers);
    let plan = |problem: Problem<T>| {
        let plan = problem.plan(fmm).unwrap();
        (problem, plan)
    };
    vec![plan(same), plan(apart)]
}

fn counts_are_those_of_the_lists<T: Precision>(bed: Bed, fmm: Fmm) {
    for (problem, plan) in plans::<T>(bed, fmm) {
        let report = plan.report();
        let Some((tree, lists)) = plan.octree().zip(plan.lists()) else { continue };
        if report.method.is_treecode() {
            // A walk makes its lists as it goes.
            continue;
        }
        let (sources, receivers) =
            (|b: u32| tree.sources(b as usize).len(), |b| tree.receivers(b).len());
        let [mut p2p, mut m2l, mut m2p, mut p2l, mut covered] = [0; 5];
        for b in 0..tree.n_boxes() {
            let all = |boxes: &[u32]| boxes.iter().map(|s| sources(*s)).sum::<usize>();
            p2p += receivers(b) * all(lists.near().row(b));
            m2l += lists.far().row(b).len();
            m2p += receivers(b) * lists.m2p().row(b).len();
            p2l += all(lists.p2l().row(b));
            for list in [lists.near(), lists.far(), lists.m2p(), lists.p2l()] {
                covered += receivers(b) * all(list.row(b));
            }
        }
        assert_eq!(report.p2p_pairs, p2p as u64);
        assert_eq!(report.m2l_pairs, m2l as u64);
        assert_eq!(report.m2p_pairs, m2p as u64);
        assert_eq!(report.p2l_pairs, p2l as u64);
        // Every pair of points once.
        assert_eq!(covered, problem.sources.len() * problem.receivers().len());
        assert_eq!(report.boxes, tree.n_boxes());
        assert_eq!(report.levels, tree.n_levels());
        assert_eq!(report.leaves, tree.leaves().len());
        assert_eq!(report.n_sources, problem.sources.len());
        assert_eq!(report.n_receivers, problem.receivers().len());
        assert_eq!(report.precision, T::PRECISION);
    }
}

fn counts_are_those_of_the_lists_for_every_engine(bed: Bed) {
    for engine in bed.engines() {
        counts_are_those_of_the_lists::<f64>(bed, engine.fmm());
        counts_are_those_of_the_lists::<f32>(bed, engine.fmm().tolerance(1e-3));
    }
}

fn seconds_add_up(bed: Bed) {
    for engine in bed.engines() {
        for (problem, plan) in plans::<f64>(bed, engine.fmm()) {
            let field = plan.evaluate(&problem.charges).unwrap();
            let (before, after) = (plan.report().seconds, field.report.seconds);
            assert_eq!(after.iter().map(|(_, seconds)| seconds).sum::<f64>(), after.total());
            assert!(after.iter().all(|(_, seconds)| seconds >= 0.0));
            assert_eq!(after.iter().count(), Stage::ALL.len());
            // An evaluation adds its own to the plan's.
            assert!(after.of(Stage::Sort) > 0.0 && after.of(Stage::P2p) > 0.0);
            assert_eq!(before.of(Stage::P2p), 0.0);
            assert_eq!(after.of(Stage::Sort), before.of(Stage::Sort));
            let fmm = [Stage::P2m, Stage::M2m, Stage::M2l, Stage::L2l, Stage::L2p].as_slice();
            let treecode = [Stage::P2m, Stage::Walk].as_slice();
            for (method, stages) in
                [(Method::Fmm, fmm), (Method::Treecode(Treecode::new()), treecode)]
            {
                let ran = stages.iter().all(|stage| after.of(*stage) > 0.0);
                assert!(
                    bed.is_slow() || bed.is_hybrid() || ran == (engine.method == method),
                    "{engine:?}"
                );
            }
        }
    }
}

fn choices_are_reported(bed: Bed) {
    for engine in bed.engines() {
        for (problem, plan) in plans::<f64>(bed, engine.fmm().tolerance(1e-5)) {
            let report = plan.evaluate(&problem.charges).unwrap().report;
            assert_eq!((report.method, report.n_vectors), (engine.method, 1));
            assert_eq!(plan.report().n_vectors, 0);
            let expansions = engine.method != Method::Direct;
            // So few points may do without, on an emulator or beside a GPU.
            if !(bed.is_slow() || bed.is_hybrid()) {
                assert_eq!(report.order > 0, expansions);
                assert_eq!(report.m2l_pairs + report.m2p_pairs > 0, expansions);
                assert_eq!(report.predicted_error > 0.0, expansions);
            }
            assert!(report.predicted_error <= 1e-5);
            // A form of M2L is in use where the FMM has expansions.
            for report in [&report, plan.report()] {
                let translates = engine.method == Method::Fmm && report.order > 0;
                assert_eq!(report.m2l.is_some(), translates, "{engine:?}");
                assert!(translates || report.m2l_pairs == 0, "{engine:?}");
            }
            let numbers = 4 * (problem.sources.len() + problem.receivers().len());
            assert!(report.bytes >= numbers * size_of::<f64>());
            let text = report.to_string();
            let sources = format!("sources     {}", problem.sources.len());
            let form = report.m2l.map_or(String::new(), |m2l| format!("M2L by      {m2l}"));
            let names = [&sources, report.method.name(), "f64", &report.instructions, &form];
            assert!(names.iter().all(|name| text.contains(name)), "{text}");
        }
    }
}

#[test]
fn the_method_is_never_automatic() {
    for n in [0, 1, 300, 30_000] {
        let plan = Fmm::new().tolerance(1e-3).plan(&clouds::uniform_cube(n, 4).positions).unwrap();
        assert_ne!(plan.report().method, Method::Auto);
        assert!(n != 0 || plan.report().boxes <= 1);
    }
}

on_every_device! {
    counts_are_those_of_the_lists_for_every_engine,
    seconds_add_up,
    choices_are_reported,
}
