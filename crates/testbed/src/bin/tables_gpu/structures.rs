//! Hu, Gumerov and Duraiswami (2012), Table 3 and Figure 5: keys, sort, bookmarks and neighbour lists of sources and
//! receivers.

use kernels_gpu::device::Vec4;
use kernels_gpu::machine::{Buffer, Machine};
use kernels_gpu::papers::grid::UniformGrid;
use testbed::clouds::{self, Cloud};

use crate::{Outcome, median_seconds};

/// lmax, and the paper's milliseconds on a GTX 480 (Table 3).
const BY_LEVEL: [(u32, f64); 6] =
    [(3, 7.7), (4, 13.9), (5, 13.0), (6, 34.6), (7, 70.8), (8, 124.9)];

pub(super) fn print<M: Machine>(machine: &M, small: bool) -> Outcome {
    let n = if small { 1 << 10 } else { 1 << 20 };
    println!("Data structures of {n} sources and {n} receivers, uniform in a cube, f32, ms.\n");
    println!("| lmax | paper GPU | here | receiver boxes | neighbours |\n|--:|--:|--:|--:|--:|");
    let rows = if small { &BY_LEVEL[..2] } else { &BY_LEVEL[..] };
    let mut structures = Structures::new(machine, clouds::uniform_cube, n)?;
    for &(level, paper) in rows {
        let ms = structures.milliseconds(level)?;
        let (boxes, neighbors) =
            (structures.grid.receivers().n_boxes(), structures.grid.n_neighbors());
        println!("| {level} | {paper} | {ms:.3} | {boxes} | {neighbors} |");
    }

    println!("\nThe same for points on a sphere, ms.\n");
    let numbers: Vec<usize> =
        if small { vec![1 << 10] } else { (10..=23).map(|k| 1 << k).collect() };
    let levels: Vec<u32> = rows.iter().map(|(level, _)| *level).collect();
    let heads: Vec<String> = levels.iter().map(|level| format!("lmax = {level}")).collect();
    println!("| N | {} |\n|--:|{}", heads.join(" | "), "--:|".repeat(levels.len()));
    for n in numbers {
        let mut structures = Structures::new(machine, clouds::sphere_surface, n)?;
        print!("| {n} |");
        for &level in &levels {
            print!(" {:.3} |", structures.milliseconds(level)?);
        }
        println!();
    }
    println!();
    Ok(())
}

/// Points on the device, and the grid that is built of them.
struct Structures<'a, M: Machine> {
    machine: &'a M,
    points: M::Buffer<Vec4<f32>>,
    n_sources: usize,
    grid: UniformGrid<M, f32>,
}

impl<'a, M: Machine> Structures<'a, M> {
    /// `n` sources and as many receivers.
    fn new(
        machine: &'a M,
        cloud: fn(usize, u64) -> Cloud,
        n: usize,
    ) -> Result<Self, Box<dyn std::error::Error>> {
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

    fn milliseconds(&mut self, level: u32) -> Result<f64, kernels_gpu::papers::grid::GridError> {
        let Self { machine, points, n_sources, grid } = self;
        let rebuild = || grid.rebuild(*machine, points.view(), *n_sources, level);
        Ok(1e3 * median_seconds(*machine, rebuild)?)
    }
}
