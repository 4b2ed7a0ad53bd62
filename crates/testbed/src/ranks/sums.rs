//! Whole sums over ranks that take turns, by `Fmm::plan_over`: seconds of each rank, none of them spent waiting.

use std::sync::Arc;

use distributed::Communicator;
use fmm::{Depth, Fmm, Method, Stage, Tolerance};

use super::Outcome;
use super::turns::{self, Turns};
use crate::clouds::Cloud;
use crate::fit::least;

/// Settings of a sum: order and leaves are given, so that runs differ in points and ranks alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Order p of the expansions.
    pub order: usize,
    /// Most points of a leaf.
    pub leaf_capacity: usize,
    /// Plans, and evaluations of them, of which the fastest counts, rank by rank and stage by stage.
    pub repeats: usize,
    /// Imbalance of work above which a plan cuts anew; infinite for cuts by points.
    pub imbalance_limit: f64,
}

/// Seconds of one rank's own turns, and what it sent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RankSum {
    /// Seconds of the plan: partition, tree, lists, all of the data structure.
    pub structure: f64,
    /// Seconds of an evaluation.
    pub evaluation: f64,
    /// Seconds of P2P in it, which a GPU would do beside the translations.
    pub near: f64,
    /// Seconds of all passes with expansions in it.
    pub far: f64,
    /// Messages of the plan, those without content included.
    pub plan_messages: u64,
    /// Messages of an evaluation, those without content included.
    pub messages: u64,
    /// Bytes sent in the plan.
    pub plan_bytes: u64,
    /// Bytes sent in an evaluation.
    pub bytes: u64,
    /// Imbalance of work by the plan's own count.
    pub imbalance: f64,
    /// Pairs of points, of all ranks.
    pub near_pairs: u64,
    /// Pairs of boxes, of all ranks.
    pub far_pairs: u64,
}

/// Stages with expansions.
const FAR: [Stage; 7] =
    [Stage::P2m, Stage::M2m, Stage::M2l, Stage::P2l, Stage::L2l, Stage::L2p, Stage::M2p];

impl RankSum {
    /// Seconds of the region in which P2P and translations can run side by side: here one after the other.
    pub fn region(&self) -> f64 {
        self.near + self.far
    }

    /// Seconds of an evaluation outside of that region: charges and results on their way, multipoles packed and unpacked.
    pub fn overhead(&self) -> f64 {
        self.evaluation - self.region()
    }

    /// Sums over a cloud, of which rank r brings every P-th point, starting with the r-th; by rank.
    ///
    /// # Errors
    ///
    /// Errors of the plan and of its evaluations.
    pub fn of_all(cloud: &Cloud, n_ranks: usize, settings: Settings) -> Outcome<Vec<Self>> {
        let sums = turns::run(n_ranks, |turns| of_rank(turns, cloud, settings))?;
        sums.into_iter().collect()
    }
}

fn of_rank(turns: &Arc<Turns>, cloud: &Cloud, settings: Settings) -> Outcome<RankSum> {
    let (rank, size) = (turns.rank(), turns.size());
    let points: Vec<[f64; 3]> = cloud.positions.iter().skip(rank).step_by(size).copied().collect();
    let masses: Vec<f64> = cloud.charges.iter().skip(rank).step_by(size).copied().collect();
    let Settings { order, leaf_capacity, repeats, imbalance_limit } = settings;
    let fmm = Fmm::new().method(Method::Fmm).tolerance(Tolerance::Order(order));
    let fmm = fmm.depth(Depth::Adaptive { leaf_capacity }).imbalance_limit(imbalance_limit);
    let runs = (0..repeats.max(1)).map(|_| once(turns, fmm, &points, &masses));
    let runs = runs.collect::<Outcome<Vec<RankSum>>>()?;
    let of = |seconds: fn(&RankSum) -> f64| least(runs.iter().map(seconds));
    Ok(RankSum {
        structure: of(|run| run.structure),
        evaluation: of(|run| run.evaluation),
        near: of(|run| run.near),
        far: of(|run| run.far),
        ..runs[0]
    })
}

/// One plan and two evaluations, of which the second counts: the first one takes its memory from the system.
fn once(turns: &Arc<Turns>, fmm: Fmm, points: &[[f64; 3]], masses: &[f64]) -> Outcome<RankSum> {
    let communicator: Arc<dyn Communicator> = turns.clone();
    let sent = || (turns.posted(), turns.traffic().sent.bytes);
    let start = sent();
    let (plan, structure) = turns.time(|| fmm.plan_over(&communicator, points));
    let plan = plan?;
    let planned = sent();
    plan.evaluate(masses)?;
    let before = sent();
    let (field, evaluation) = turns.time(|| plan.evaluate(masses));
    let (report, of_plan) = (field?.report, plan.report().seconds);
    let after = sent();
    let stage = |stage| report.seconds.of(stage) - of_plan.of(stage);
    Ok(RankSum {
        structure,
        evaluation,
        near: stage(Stage::P2p),
        far: FAR.into_iter().map(stage).sum(),
        plan_messages: planned.0 - start.0,
        messages: after.0 - before.0,
        plan_bytes: planned.1 - start.1,
        bytes: after.1 - before.1,
        imbalance: report.ranks.map_or(0.0, |ranks| ranks.imbalance),
        near_pairs: report.p2p_pairs,
        far_pairs: report.m2l_pairs,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clouds;
    use crate::ranks::anatomy::{Anatomy, Counts, Problem};
    use octree::partition::point_bounds;
    use octree::{Cube, SplitRule};

    #[test]
    fn seconds_of_ranks_have_their_parts_and_pairs_do_not_depend_on_ranks() {
        let cloud = clouds::plummer(3000, 41);
        let settings = Settings { order: 4, leaf_capacity: 30, repeats: 2, imbalance_limit: 0.05 };
        let alone = RankSum::of_all(&cloud, 1, settings).unwrap()[0];
        assert!(alone.far_pairs > 0 && alone.near_pairs > 0);
        assert_eq!((alone.messages, alone.bytes), (0, 0));
        for sum in RankSum::of_all(&cloud, 3, settings).unwrap() {
            assert_eq!(sum.near_pairs, alone.near_pairs);
            assert_eq!(sum.far_pairs, alone.far_pairs);
            assert!(sum.near > 0.0 && sum.far > 0.0 && sum.structure > 0.0);
            assert!(sum.overhead() > 0.0 && sum.messages > 0 && sum.bytes > 0);
        }
    }

    /// Orders differ in the rows of multipoles, parts and sums of shared boxes alone: p² coefficients a row.
    #[test]
    fn bytes_of_multipoles_are_those_of_the_lists() {
        // Leaves of one level, 8 points each: no list depends on what `fmm` asks of lists W and X.
        let (leaf_capacity, n) = (8, 16 * 16 * 16);
        let mut n_sums = 0;
        let place = |i: usize| [i % 16, i / 16 % 16, i / 256].map(|c| c as f64);
        let positions: Vec<[f64; 3]> = (0..n).map(place).collect();
        let cloud = Cloud { name: "lattice", positions, charges: vec![1.0; n] };
        let points = &cloud.positions;
        let cube = Cube::around(point_bounds(points, None).unwrap()).unwrap();
        let rule = SplitRule::new(cube, Depth::Adaptive { leaf_capacity }).unwrap();
        for n_ranks in [2, 7, 32, 50] {
            let problem = Problem { points, weights: None, rule: &rule, n_ranks };
            let parts = Anatomy::of_all(&problem).unwrap();
            let of_rank = |counts: &Counts| counts.imports + counts.parts + counts.sums;
            let rows: usize = parts.iter().map(|part| of_rank(&part.counts)).sum();
            n_sums += parts.iter().map(|part| part.counts.sums).sum::<usize>();
            let bytes = |order| {
                let imbalance_limit = f64::INFINITY;
                let settings = Settings { order, leaf_capacity, repeats: 1, imbalance_limit };
                let sums = RankSum::of_all(&cloud, n_ranks, settings).unwrap();
                sums.iter().map(|sum| sum.bytes).sum::<u64>()
            };
            let more = bytes(5) - bytes(3);
            assert_eq!(more, (rows * (5 * 5 - 3 * 3) * size_of::<f64>()) as u64, "{n_ranks}");
        }
        assert!(n_sums > 0, "no shared box was on a list");
    }
}
