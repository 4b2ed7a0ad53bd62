//! Table 3 and Figure 5 on a GPU: keys, sort, bookmarks and neighbour lists of sources and receivers.

use kernels_gpu::device::Vec4;
use kernels_gpu::machine::{Buffer, Launcher};
use kernels_gpu::papers::grid::UniformGrid;
use testbed::clouds::{self, Cloud};

use super::structures::{columns, levels, numbers};
use crate::timing::median_seconds;
use crate::{Outcome, Settings};
use testbed::record::Table;

/// Measures Table 3: 2²⁰ sources and 2²⁰ receivers, uniform in a cube, in f32.
pub(crate) fn by_level<M: Launcher>(machine: &M, settings: Settings) -> Outcome<Table> {
    let n = settings.pick(1 << 10, 1 << 20, 1 << 20);
    let mut structures = Structures::new(machine, clouds::uniform_cube, n)?;
    let mut table = Table::new(["lmax", "time / ms"]);
    for level in levels(settings) {
        table.push([Some(f64::from(level)), Some(structures.milliseconds(level)?)]);
    }
    Ok(table)
}

/// Measures Figure 5: as many sources as receivers, on a sphere, in f32.
pub(crate) fn by_number<M: Launcher>(machine: &M, settings: Settings) -> Outcome<Table> {
    let mut table = Table::new(columns(settings));
    for n in numbers(settings) {
        let mut structures = Structures::new(machine, clouds::sphere_surface, n)?;
        let mut row = vec![Some(n as f64)];
        for level in levels(settings) {
            row.push(Some(structures.milliseconds(level)?));
        }
        table.push(row);
    }
    Ok(table)
}

/// Points on the device, and the grid that is built of them.
struct Structures<'a, M: Launcher> {
    machine: &'a M,
    points: M::Buffer<Vec4<f32>>,
    n_sources: usize,
    grid: UniformGrid<M, f32>,
}

impl<'a, M: Launcher> Structures<'a, M> {
    /// `n` sources and as many receivers.
    fn new(machine: &'a M, cloud: fn(usize, u64) -> Cloud, n: usize) -> Outcome<Self> {
        let point = |x: [f64; 3]| Vec4([x[0] as f32, x[1] as f32, x[2] as f32, 1.0]);
        let sets = [cloud(n, 1), cloud(n, 2)];
        let points: Vec<_> = sets.into_iter().flat_map(|set| set.positions).map(point).collect();
        Ok(Self {
            machine,
            points: machine.buffer_of(&points)?,
            n_sources: n,
            grid: UniformGrid::new(),
        })
    }

    fn milliseconds(&mut self, level: u8) -> Outcome<f64> {
        let Self { machine, points, n_sources, grid } = self;
        let rebuild = || grid.rebuild(*machine, points.view(), *n_sources, u32::from(level));
        Ok(1e3 * median_seconds(*machine, rebuild)?)
    }
}
