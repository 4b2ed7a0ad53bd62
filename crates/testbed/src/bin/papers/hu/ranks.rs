//! Figures 6 to 8: scaling over ranks, which are threads that take turns, so that a rank's seconds are those of one core.

use octree::partition::point_bounds;
use octree::{Cube, Depth, SplitRule};
use testbed::clouds::{self, Cloud};
use testbed::fit::least;
use testbed::ranks::anatomy::Problem;
use testbed::ranks::carrying::Carrier;
use testbed::ranks::sums::{RankSum, Settings as Sum};

use crate::{Outcome, Settings};
use testbed::record::Table;

const COLUMNS: [&str; 8] = [
    "P",
    "N",
    "P2P / s",
    "translations / s",
    "region / s",
    "overhead / s",
    "exchange / s",
    "structure / s",
];

/// Order of the expansions.
pub(super) const ORDER: usize = 6;
/// Most points of a leaf.
pub(super) const LEAF: usize = 64;
pub(super) const SEED: u64 = 700;

fn ranks(settings: Settings) -> &'static [usize] {
    settings.pick(&[1, 2], &[1, 2, 4, 8, 16, 32], &[1, 2, 4, 8, 16, 32, 64])
}

/// Measures Figures 7 and 8: 2²⁰ points in a cube over P ranks.
pub(crate) fn strong(settings: Settings) -> Outcome<Table> {
    let n = settings.pick(4000, 1 << 20, 1 << 20);
    scaling(settings, |_| n)
}

/// Measures Figure 6: 2¹⁵ points a rank.
pub(crate) fn weak(settings: Settings) -> Outcome<Table> {
    let n = settings.pick(2000, 1 << 15, 1 << 15);
    scaling(settings, |ranks| n * ranks)
}

/// Seconds of the slowest rank, without a wire.
fn scaling(settings: Settings, n: impl Fn(usize) -> usize) -> Outcome<Table> {
    let repeats = settings.pick(1, 2, 5);
    let mut table = Table::new(COLUMNS);
    for &n_ranks in ranks(settings) {
        let cloud = clouds::uniform_cube(n(n_ranks), SEED);
        let sum =
            Sum { order: ORDER, leaf_capacity: LEAF, repeats, imbalance_limit: f64::INFINITY };
        let sums = RankSum::of_all(&cloud, n_ranks, sum)?;
        let most = |of: fn(&RankSum) -> f64| sums.iter().map(of).fold(0.0, f64::max);
        let row = [
            n_ranks as f64,
            cloud.positions.len() as f64,
            most(|sum| sum.near),
            most(|sum| sum.far),
            most(RankSum::region),
            most(RankSum::overhead),
            exchange(&cloud, n_ranks, repeats)?,
            most(|sum| sum.structure),
        ];
        table.push(row.map(Some));
    }
    Ok(table)
}

/// Seconds of the exchange of multipoles and ghosts between neighbours, of the slowest rank.
fn exchange(cloud: &Cloud, n_ranks: usize, repeats: usize) -> Outcome<f64> {
    let cube = Cube::around(point_bounds(&cloud.positions, None)?)?;
    let rule = SplitRule::new(cube, Depth::Adaptive { leaf_capacity: LEAF })?;
    let problem = Problem { points: &cloud.positions, weights: None, rule: &rule, n_ranks };
    let carriers = Carrier::of_all(&problem, &[ORDER], repeats)?;
    let slowest = carriers.iter().map(|carrier| -carrier.carried[0][2].seconds);
    Ok(-least(slowest))
}
