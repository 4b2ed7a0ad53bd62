//! Nakasato (2012), Tables 2, 3 and 5, and Figure 9: the treecode one by one and by groups, and the direct sum.

use fmm::{Device, Fmm, Method, Opening, Stage, Tolerance, Treecode};
use kernels_gpu::device::{Vec4, ViewMut};
use kernels_gpu::machine::{Buffer, Grid, Machine, MachineError};
use kernels_gpu::papers::nakasato::{TREE_GM_F32, TreeGm};
use kernels_gpu::papers::visitor::LinkViews;
use octree::papers::curve::Curve;
use testbed::clouds::Cloud;
use testbed::nakasato::{BY_ANGLE, BY_NUMBER, Particles, sphere};

use crate::{Outcome, median_seconds, milliseconds, reports};

const THETA: f64 = 0.6;

pub(super) fn print<M: Machine>(machine: &M, device: Device, small: bool) -> Outcome {
    println!(
        "Uniform sphere, θ = {THETA}, f32, ms; one by one without, by groups with the tree's construction.\n"
    );
    println!(
        "| N | paper, unsorted | paper, Morton | one by one: unsorted | Morton | Peano–Hilbert | groups: all | walk | direct |"
    );
    println!("|--:|{}", "--:|".repeat(8));
    let rows = if small { &BY_NUMBER[..0] } else { &BY_NUMBER[..] };
    let numbers = rows.iter().map(|(thousands, unsorted, morton)| {
        (*thousands, [format!("{:.1}", 1e3 * unsorted[0]), format!("{:.1}", 1e3 * morton[0])])
    });
    let few: &[usize] = if small { &[1] } else { &[1, 3, 10, 30] };
    let few = few.iter().map(|thousands| (*thousands, ["–".to_owned(), "–".to_owned()]));
    for (thousands, paper) in few.chain(numbers) {
        let cloud = sphere(thousands);
        print!("| {thousands}K | {} | {} |", paper[0], paper[1]);
        for curve in [Curve::Given, Curve::Morton, Curve::Hilbert] {
            let arrays = Arrays::new(machine, Particles::new(&cloud, curve)?)?;
            print!(" {:.3} |", arrays.milliseconds(machine, THETA)?);
        }
        let [all, walk] = groups(device, &cloud, THETA)?;
        println!(" {all:.3} | {walk:.3} | {:.3} |", direct(device, &cloud)?);
    }

    let thousands = if small { 1 } else { 800 };
    let cloud = sphere(thousands);
    println!("\nUniform sphere, {thousands}K particles in Morton order, f32, ms.\n");
    println!("| θ | paper, total | one by one | groups: all | walk |\n|--:|--:|--:|--:|--:|");
    let arrays = Arrays::new(machine, Particles::new(&cloud, Curve::Morton)?)?;
    for (theta, paper) in BY_ANGLE {
        let alone = arrays.milliseconds(machine, theta)?;
        let [all, walk] = groups(device, &cloud, theta)?;
        println!("| {theta} | {:.0} | {alone:.3} | {all:.3} | {walk:.3} |", 1e3 * paper);
    }
    println!();
    Ok(())
}

/// One launch for each number and order of particles, which are printed in the order of the launches.
pub(super) fn launch_each<M: Machine>(machine: &M, small: bool) -> Outcome {
    let paper = BY_NUMBER.iter().map(|(thousands, ..)| *thousands);
    for thousands in if small { vec![1] } else { paper.collect() } {
        let cloud = sphere(thousands);
        for curve in [Curve::Given, Curve::Morton, Curve::Hilbert] {
            println!("{thousands}K, {curve:?}");
            let arrays = Arrays::new(machine, Particles::new(&cloud, curve)?)?;
            arrays.with_walk(machine, THETA, |walk| walk())?;
        }
    }
    machine.synchronize()?;
    Ok(())
}

/// Milliseconds of the treecode by groups from unsorted points, copies left out, and of its walk alone.
fn groups(device: Device, cloud: &Cloud, theta: f64) -> Result<[f64; 2], fmm::Error> {
    let fmm = Fmm::new().method(Treecode::new().opening(Opening::Nakasato { theta }));
    by_plan(fmm.tolerance(Tolerance::Order(1)).device(device), cloud)
}

/// Milliseconds of the direct sum.
fn direct(device: Device, cloud: &Cloud) -> Result<f64, fmm::Error> {
    by_plan(Fmm::new().method(Method::Direct).tolerance(1e-4).device(device), cloud)
        .map(|[all, _]| all)
}

/// Milliseconds of all stages but copies, and of the walk: medians of five.
fn by_plan(fmm: Fmm, cloud: &Cloud) -> Result<[f64; 2], fmm::Error> {
    let report = &reports(fmm, cloud, 5)?[2];
    Ok([milliseconds(report), 1e3 * report.seconds.of(Stage::Walk)])
}

/// The paper's arrays on the device.
struct Arrays<M: Machine> {
    particles: Particles,
    pos: M::Buffer<Vec4<f32>>,
    next: M::Buffer<u32>,
    more: M::Buffer<u32>,
}

impl<M: Machine> Arrays<M> {
    fn new(machine: &M, particles: Particles) -> Result<Self, MachineError> {
        let pos: Vec<Vec4<f32>> = particles.bodies.iter().map(|body| Vec4(*body)).collect();
        Ok(Self {
            pos: machine.buffer_of(&pos)?,
            next: machine.buffer_of(particles.links.next())?,
            more: machine.buffer_of(particles.links.more())?,
            particles,
        })
    }

    /// Milliseconds of the kernel of the paper's appendix.
    fn milliseconds(&self, machine: &M, theta: f64) -> Result<f64, MachineError> {
        self.with_walk(machine, theta, |walk| Ok(1e3 * median_seconds(machine, walk)?))
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
        work(&|| machine.launch(&TREE_GM_F32, Grid::over(n, 128), args))
    }
}
