//! Table 3 and Figure 5 on the cores: keys, sort, bookmarks and neighbour lists of sources and receivers.

use octree::papers::grid::Grid;
use testbed::clouds::{self, Cloud};

use super::paper::BY_LEVEL;
use crate::timing::fastest_of;
use crate::{Outcome, Settings};
use testbed::record::Table;

/// Levels of the paper.
pub(super) fn levels(settings: Settings) -> Vec<u8> {
    let most = settings.pick(4, 8, 8);
    BY_LEVEL.iter().map(|row| row.0).filter(|level| *level <= most).collect()
}

/// Numbers of sources of Figure 5: powers of two.
pub(super) fn numbers(settings: Settings) -> Vec<usize> {
    (10..=settings.pick(10, 23, 23)).map(|k| 1 << k).collect()
}

/// Name of the column of a level.
pub(super) fn column(level: u8) -> String {
    format!("lmax {level} / ms")
}

/// Columns of Figure 5.
pub(super) fn columns(settings: Settings) -> Vec<String> {
    std::iter::once("N".to_owned()).chain(levels(settings).into_iter().map(column)).collect()
}

/// Measures Table 3: 2²⁰ sources and 2²⁰ receivers, uniform in a cube.
pub(crate) fn by_level(settings: Settings) -> Outcome<Table> {
    let n = settings.pick(1 << 10, 1 << 20, 1 << 20);
    let sets = [1, 2].map(|seed| clouds::uniform_cube(n, seed));
    let mut table = Table::new(["lmax", "time / ms"]);
    for level in levels(settings) {
        table.push([Some(f64::from(level)), Some(milliseconds(&sets, level, 3)?)]);
    }
    Ok(table)
}

/// Measures Figure 5: as many sources as receivers, on a sphere.
pub(crate) fn by_number(settings: Settings) -> Outcome<Table> {
    let mut table = Table::new(columns(settings));
    for n in numbers(settings) {
        let sets = [1, 2].map(|seed| clouds::sphere_surface(n, seed));
        let mut row = vec![Some(n as f64)];
        for level in levels(settings) {
            let runs = if n < 1 << 20 { 3 } else { 1 };
            row.push(Some(milliseconds(&sets, level, runs)?));
        }
        table.push(row);
    }
    Ok(table)
}

/// Milliseconds of the data structures of a level, the fastest of some runs.
fn milliseconds([sources, receivers]: &[Cloud; 2], level: u8, runs: usize) -> Outcome<f64> {
    let build = || Grid::build(&sources.positions, &receivers.positions, level);
    Ok(1e3 * fastest_of(runs, build)?)
}
