//! Walks over ranks: cells, groups and sums are those of one process, by every criterion.

use distributed::threads;
use fmm::{Depth, Device, Error, Field, Fmm, Opening, Outputs, Tolerance, Treecode, Workspace};
use testbed::charges;
use testbed::clouds::{self, Cloud};
use testbed::conformance::Problem;

use super::comparison::{difference, is_that_of_one, join, part, sums_of};

const SIZES: [usize; 5] = [1, 2, 3, 5, 8];

const CRITERIA: [Opening; 3] = [
    Opening::BarnesHut { theta: 0.5 },
    Opening::Nakasato { theta: 0.7 },
    Opening::Relative { alpha: 1e-4 },
];

/// The treecode by a criterion.
fn walks(opening: Opening) -> Fmm {
    Fmm::new().method(Treecode::new().opening(opening))
}

/// Sets of several shapes, with charges of one sign and of both, and receivers apart.
fn sums(n: usize) -> Vec<Problem<f64>> {
    sums_of(&[clouds::uniform_cube, clouds::plummer, clouds::two_clusters], n)
}

#[test]
fn all_shapes_by_all_criteria() {
    for sum in sums(5000) {
        for opening in CRITERIA {
            let alone = is_that_of_one(&sum, walks(opening).tolerance(1e-5), &SIZES);
            assert!(alone.report.m2p_pairs > 0, "{} by {opening}", sum.name);
        }
    }
}

/// Without a criterion, ranks take the walk that one process takes.
#[test]
fn the_best_walk() {
    for tolerance in [1e-3, 1e-8] {
        let fmm = Fmm::new().method(Treecode::new()).tolerance(tolerance);
        for sum in sums(3000) {
            is_that_of_one(&sum, fmm, &[2, 5]);
        }
    }
}

/// Groups of one receiver and of many, which several ranks have parts of; leaves of one point; uniform trees.
#[test]
fn groups_and_trees_of_all_sizes() {
    let n = 2000;
    let sum = Problem::<f64>::of(&clouds::plummer(n, 11), &charges::mixed(n, 12));
    for opening in CRITERIA {
        for capacity in [1, 7, 150, 900, n] {
            let options = Treecode::new().opening(opening).group_capacity(capacity);
            let fmm = Fmm::new().method(options).tolerance(1e-4);
            is_that_of_one(&sum, fmm, &[3, 8]);
            is_that_of_one(&sum, fmm.depth(Depth::Adaptive { leaf_capacity: 1 }), &[5]);
        }
        is_that_of_one(&sum, walks(opening).tolerance(1e-4).depth(Depth::Uniform(3)), &[3]);
    }
}

#[test]
fn settings_of_all_kinds() {
    let n = 3000;
    let plummer = clouds::plummer(n, 21);
    let sum = Problem::<f64>::of(&plummer, &charges::masses(n, 22));
    for opening in CRITERIA {
        let fmm = walks(opening).tolerance(1e-4);
        is_that_of_one(&sum, fmm.outputs(Outputs::Potential), &[3]);
        is_that_of_one(&sum, fmm.outputs(Outputs::Gradient), &[3]);
        is_that_of_one(&sum, fmm.softening(0.01), &[3]);
        for order in [1, 4, 9] {
            is_that_of_one(&sum, walks(opening).tolerance(Tolerance::Order(order)), &[4]);
        }
    }
    // A few charges that outweigh all others are summed directly, whichever ranks have them.
    let mut heavy = charges::mixed(n, 23);
    (0..40).for_each(|k| heavy[k * 71] *= 1e4);
    is_that_of_one(&Problem::<f64>::of(&plummer, &heavy), walks(CRITERIA[1]).tolerance(1e-5), &[5]);
    let single = Problem::<f32>::of(&clouds::uniform_cube(n, 31), &charges::masses(n, 32));
    let fmm = walks(CRITERIA[1]).tolerance(1e-4);
    let alone = single.field(fmm).unwrap();
    assert!(difference(&single.over(fmm, 4).unwrap(), &alone) <= 1e-6);
}

#[test]
fn few_points_one_place_and_hundreds_of_ranks() {
    let charges = charges::mixed(600, 1);
    let mut sums = vec![Problem::<f64>::of(&clouds::coincident(300), &charges[..300])];
    for n in [0, 1, 2, 5] {
        sums.push(Problem::of(&clouds::uniform_cube(n, 2), &charges[..n]));
    }
    for sum in &sums {
        for opening in CRITERIA {
            let fmm = walks(opening).tolerance(1e-3);
            let alone = sum.field(fmm).unwrap();
            for size in [1, 2, 5, 16] {
                let over = sum.over(fmm, size).unwrap();
                assert!(difference(&over, &alone) <= 1e-12, "{} on {size}", sum.name);
            }
        }
    }
    let sum = Problem::<f64>::of(&clouds::plummer(600, 3), &charges);
    is_that_of_one(&sum, walks(CRITERIA[0]).tolerance(1e-3), &[100]);
}

/// Softened masses, which one process sums by walks of monopoles.
#[test]
fn the_automatic_method_with_softening() {
    let n = 20_000;
    let sum = Problem::<f64>::of(&clouds::uniform_cube(n, 41), &charges::masses(n, 42));
    let fmm = Fmm::new().tolerance(1e-2).softening(0.02);
    let alone = is_that_of_one(&sum, fmm, &[2, 3]);
    assert!(alone.report.method.is_treecode(), "{:?}", alone.report.method);
}

/// Clusters that the tree cannot split, with walks of their own.
#[test]
fn clusters_far_apart() {
    let n = 16_000;
    let mut positions = clouds::plummer(n / 2, 51).positions;
    positions
        .extend(clouds::plummer(n / 2, 52).positions.iter().map(|p| [p[0] + 1e12, p[1], p[2]]));
    let cloud = Cloud { name: "clusters", positions, charges: charges::masses(n, 53) };
    let sum = Problem::<f64>::of(&cloud, &cloud.charges);
    for opening in CRITERIA {
        let alone = is_that_of_one(&sum, walks(opening).tolerance(1e-3), &[2, 5]);
        assert!(alone.report.clumps > 0);
    }
    let fmm = walks(CRITERIA[2]).tolerance(1e-3);
    let earlier = sum.field(fmm).unwrap().gradient;
    after(&sum, fmm, &earlier, 3);
}

/// Evaluates with an earlier gradient, over ranks and alone.
fn after(sum: &Problem<f64>, fmm: Fmm, earlier: &[[f64; 3]], size: usize) {
    let mut alone = Field::default();
    let plan = sum.plan(fmm).unwrap();
    plan.evaluate_after_into(&sum.charges, earlier, &mut alone, &mut Workspace::new()).unwrap();
    let fields = threads::run(size, |ranks| {
        let (plan, own) = sum.plan_over(fmm, &ranks)?;
        let mut field = Field::default();
        let earlier = &earlier[part(ranks.rank(), size, earlier.len())];
        plan.evaluate_after_into(own, earlier, &mut field, &mut Workspace::new())?;
        Ok(field)
    });
    let over = join(&fields.unwrap().into_iter().collect::<Result<Vec<_>, Error>>().unwrap());
    let difference = difference(&over, &alone);
    assert!(difference <= 1e-12, "{} on {size} ranks: {difference:e}", sum.name);
    let pairs = |field: &Field<f64>| [field.report.p2p_pairs, field.report.m2p_pairs];
    assert_eq!(pairs(&over), pairs(&alone));
}

/// An earlier gradient comes to the ranks that have the receivers, and from all ranks or from none.
#[test]
fn an_earlier_gradient() {
    let n = 3000;
    let fmm = walks(CRITERIA[2]).tolerance(1e-4);
    let sum = Problem::<f64>::of(&clouds::plummer(n, 61), &charges::masses(n, 62));
    let mut earlier = sum.field(fmm).unwrap().gradient;
    // A receiver without a gradient opens all cells of its group.
    earlier[n / 3] = [0.0; 3];
    for size in [1, 2, 5] {
        after(&sum, fmm, &earlier, size);
    }
    let receivers = clouds::uniform_cube(n / 2, 63).positions;
    let sum = sum.at(&receivers);
    let earlier = sum.field(fmm).unwrap().gradient;
    after(&sum, fmm, &earlier, 4);
    let errors = threads::run(3, |ranks| {
        let (plan, own) = sum.plan_over(fmm, &ranks)?;
        let (mut field, mut workspace) = (Field::default(), Workspace::new());
        let rows = part(ranks.rank(), 3, earlier.len());
        let end = rows.end - usize::from(ranks.rank() == 2);
        let short = &earlier[rows.start..end];
        let short = plan.evaluate_after_into(own, short, &mut field, &mut workspace).unwrap_err();
        let some = match ranks.rank() {
            0 => plan.evaluate_into(own, &mut field, &mut workspace),
            _ => plan.evaluate_after_into(own, &earlier[rows], &mut field, &mut workspace),
        };
        Ok::<_, Error>([short, some.unwrap_err()])
    });
    for errors in errors.unwrap() {
        let [short, some] = errors.unwrap().map(|error| error.to_string());
        assert!(short.starts_with("rank 2: ") && short.contains("receivers"), "{short}");
        assert!(some.contains("earlier gradient"), "{some}");
    }
}

/// Several vectors, moved points, memory that is used again, the plan's own check.
#[test]
fn plans_that_go_on() {
    let n = 2500;
    let [before, moved] =
        [71, 72].map(|seed| Problem::of(&clouds::plummer(n, seed), &charges::masses(n, 73)));
    let other = charges::mixed(n, 74);
    for opening in CRITERIA {
        let fmm = walks(opening).tolerance(1e-4);
        let alone = before.plan(fmm).unwrap().evaluate_many(&[&before.charges, &other]).unwrap();
        let after = moved.field(fmm).unwrap();
        let over = threads::run(4, |ranks| {
            let rows = part(ranks.rank(), 4, n);
            let (mut plan, own) = before.plan_over(fmm, &ranks)?;
            let fields = plan.evaluate_many(&[own, &other[rows.clone()]])?;
            let error = plan.sample_error(own, &fields[0], 200)?.l2();
            plan.update_positions(&moved.sources[rows])?;
            let (mut field, mut workspace) = (Field::default(), Workspace::new());
            for _ in 0..2 {
                plan.evaluate_into(own, &mut field, &mut workspace)?;
            }
            Ok((fields, error, field))
        });
        let over: Vec<_> = over.unwrap().into_iter().collect::<Result<Vec<_>, Error>>().unwrap();
        for (k, alone) in alone.iter().enumerate() {
            let fields: Vec<_> = over.iter().map(|rank| rank.0[k].clone()).collect();
            assert!(difference(&join(&fields), alone) <= 1e-12, "{opening}: vector {k}");
        }
        assert!(over.iter().all(|rank| rank.1 <= 1e-4));
        let fields: Vec<_> = over.into_iter().map(|rank| rank.2).collect();
        assert!(difference(&join(&fields), &after) <= 1e-12, "{opening}: moved");
    }
}

/// Ranks with cores alone and with a GPU beside them walk on the cores; ranks with a GPU each refuse.
#[test]
fn devices() {
    let n = 800;
    let sum = Problem::<f64>::of(&clouds::plummer(n, 81), &charges::masses(n, 82));
    let fmm = walks(CRITERIA[1]).tolerance(1e-4);
    let alone = sum.field(fmm).unwrap();
    let over = |devices: [Device; 3]| {
        let fields = threads::run(3, |ranks| {
            let (plan, own) = sum.plan_over(fmm.device(devices[ranks.rank()]), &ranks)?;
            plan.evaluate(own)
        });
        fields.unwrap().into_iter().collect::<Result<Vec<_>, Error>>()
    };
    let mixed = over([Device::Cpu, Device::EmulatedHybrid, Device::Emulated]).unwrap();
    assert!(difference(&join(&mixed), &alone) <= 1e-12);
    for device in [Device::Emulated, Device::EmulatedHybrid] {
        let refused = over([device; 3]).unwrap_err().to_string();
        assert!(refused.contains("treecode"), "{refused}");
    }
}
