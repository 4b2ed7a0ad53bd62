//! Tables 2, 3 and 5 and Figures 9 and 10 on a GPU: the kernel of the paper's appendix, the walk by groups, and the direct
//! sum.

use fmm::{Device, Fmm, Method, Opening, Stage, Tolerance, Treecode};
use kernels_gpu::device::{Vec4, ViewMut};
use kernels_gpu::machine::{Buffer, Grid, Launcher, MachineError};
use kernels_gpu::papers::links::Links;
use kernels_gpu::papers::nakasato::{TREE_GM, TreeGm};
use kernels_gpu::papers::visitor::LinkViews;
use kernels_gpu::tree::{Sets, Tree, TreeError};
use octree::Depth;
use octree::papers::curve::Curve;
use testbed::clouds::Cloud;

use super::paper::{BY_ANGLE, THETA};
use super::particles::{Particles, sphere};
use super::walks::{BY_ANGLE_COLUMNS, BY_NUMBER_COLUMNS, interactions, thousands, watched};
use crate::timing::{fastest, median_seconds, seconds};
use crate::{Outcome, Settings};
use testbed::record::Table;

/// Runs of which the fastest counts.
const RUNS: usize = 5;

/// Measures Tables 2 and 3: a uniform sphere of N particles.
pub(crate) fn by_number<M: Launcher>(machine: &M, settings: Settings) -> Outcome<Table> {
    let mut table = Table::new(BY_NUMBER_COLUMNS);
    for thousands in thousands(settings) {
        let cloud = sphere(thousands);
        let mut row = vec![cloud.positions.len() as f64, build(machine, &cloud)?];
        for curve in [Curve::Given, Curve::Morton, Curve::Hilbert] {
            let arrays = Arrays::new(machine, Particles::new(&cloud, curve)?)?;
            row.push(arrays.seconds(machine, THETA)?);
        }
        row.extend(groups(settings.device, &cloud, THETA)?);
        let direct = Fmm::new().method(Method::Direct).tolerance(1e-4).device(settings.device);
        row.push(seconds(&fastest(direct, &cloud, RUNS)?));
        table.push(row.into_iter().map(Some));
    }
    Ok(table)
}

/// Measures Table 5: 800K particles along the Morton curve.
pub(crate) fn by_angle<M: Launcher>(machine: &M, settings: Settings) -> Outcome<Table> {
    let mut table = Table::new(BY_ANGLE_COLUMNS);
    let cloud = sphere(settings.pick(1, 800, 800));
    let arrays = Arrays::new(machine, Particles::new(&cloud, Curve::Morton)?)?;
    for (theta, ..) in BY_ANGLE {
        let [build, walk] = groups(settings.device, &cloud, theta)?;
        let count = interactions(&arrays.particles, theta);
        let row = [theta, arrays.seconds(machine, theta)?, count, build, walk];
        table.push(row.map(Some));
    }
    Ok(table)
}

/// Launches the kernel of the paper's appendix once, for a profiler: curve, thousands of particles and θ.
pub(crate) fn launch_walk<M: Launcher>(machine: &M, words: &[String]) -> Outcome {
    let (curve, thousands, theta) = watched(words)?;
    let arrays = Arrays::new(machine, Particles::new(&sphere(thousands), curve)?)?;
    arrays.with_walk(machine, theta, |walk| walk())?;
    Ok(machine.synchronize()?)
}

/// Seconds of the tree with leaves of one particle and of its links, built on the device.
fn build<M: Launcher>(machine: &M, cloud: &Cloud) -> Outcome<f64> {
    let point = |x: &[f64; 3]| Vec4([x[0] as f32, x[1] as f32, x[2] as f32, 1.0]);
    let points: Vec<Vec4<f32>> = cloud.positions.iter().map(point).collect();
    let points = machine.buffer_of(&points)?;
    let depth = Depth::Adaptive { leaf_capacity: 1 };
    let mut tree = Tree::build::<f32>(machine, points.view(), Sets::One, depth, 1.0)?;
    let mut links = Links::new();
    let rebuild = || -> Result<(), TreeError> {
        tree.rebuild(machine, points.view(), Sets::One, depth, 1.0)?;
        links.rebuild(machine, &tree)
    };
    Ok(median_seconds(machine, rebuild)?)
}

/// Seconds of the treecode by groups: construction, and walk with the rest.
fn groups(device: Device, cloud: &Cloud, theta: f64) -> Outcome<[f64; 2]> {
    let fmm = Fmm::new().method(Treecode::new().opening(Opening::Nakasato { theta }));
    let report = fastest(fmm.tolerance(Tolerance::Order(1)).device(device), cloud, RUNS)?;
    let construction = [Stage::Sort, Stage::Lists, Stage::P2m, Stage::M2m];
    let build = construction.map(|stage| report.seconds.of(stage)).iter().sum();
    Ok([build, seconds(&report) - build])
}

/// The paper's arrays on the device.
struct Arrays<M: Launcher> {
    particles: Particles,
    pos: M::Buffer<Vec4<f32>>,
    next: M::Buffer<u32>,
    more: M::Buffer<u32>,
}

impl<M: Launcher> Arrays<M> {
    fn new(machine: &M, particles: Particles) -> Result<Self, MachineError> {
        let pos: Vec<Vec4<f32>> = particles.bodies.iter().map(|body| Vec4(*body)).collect();
        Ok(Self {
            pos: machine.buffer_of(&pos)?,
            next: machine.buffer_of(particles.links.next())?,
            more: machine.buffer_of(particles.links.more())?,
            particles,
        })
    }

    /// Seconds of the kernel of the paper's appendix.
    fn seconds(&self, machine: &M, theta: f64) -> Result<f64, MachineError> {
        self.with_walk(machine, theta, |walk| median_seconds(machine, walk))
    }

    /// Calls `work` with a function that launches the kernel of the paper's appendix.
    fn with_walk<R>(
        &self,
        machine: &M,
        theta: f64,
        work: impl FnOnce(&dyn Fn() -> Result<(), MachineError>) -> Result<R, MachineError>,
    ) -> Result<R, MachineError> {
        let n = self.particles.n();
        let mut size = vec![0.0; n];
        size.extend(self.particles.sizes(theta));
        let size = machine.buffer_of(&size)?;
        let mut acc_g = machine.allocate(n)?;
        let links = LinkViews {
            next: self.next.view(),
            more: self.more.view(),
            root: self.particles.links.root(),
            n_particles: n as u32,
        };
        let acc_g: ViewMut<Vec4<f32>> = acc_g.view_mut();
        let args = TreeGm { pos: self.pos.view(), size: size.view(), links, acc_g };
        work(&|| machine.launch(&TREE_GM(), Grid::over(n, 128), args))
    }
}
