//! Driver of the treecode: groups, upward pass and walk.

use super::entries::{GROUP_WALK, MOMENTS, ORDERS};
use super::group::{GroupWalk, WALK_THREADS, shared_bytes};
use super::groups::{GROUP, LIST_GROUPS, ListGroups, MARK_GROUPS, MarkGroups};
use super::moments::{MOMENTS_LANES, MOMENTS_THREADS, Moments, multipole_vectors, raw_vectors};
use super::relative::Relative;
use crate::device::{Kernel, Vec2, Vec4, View, ViewMut};
use crate::direct::pair::Pair;
use crate::machine::{Grid, Launcher, MachineError};
use crate::memory::Grown;
use crate::scan::Scanner;
use crate::tree::Tree;
use octree::walk::Criterion;
use std::fmt::Debug;
use std::vec;
use std::vec::Vec;

/// Kernels of the upward pass and of the walk.
pub type WalkKernels<T> = (Kernel<Moments<T>>, Kernel<GroupWalk<T>>);

/// Options of a walk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WalkOptions {
    /// Opening criterion.
    pub criterion: Criterion,
    /// Order p of the cells' multipoles, one of [`ORDERS`]: degrees 0 … p − 1.
    pub order: usize,
    /// Fewest sources of a cell that acts as a whole, 2 at least; those of others act one by one.
    pub fewest_sources: usize,
    /// Whether cells have dipoles: those of masses about their centre of mass have none.
    pub dipoles: bool,
    /// Softening length ε of pairs, and of cells of order 1.
    pub softening: f64,
    /// Distance below which cells are opened, because multipoles are not softened.
    pub unsoftened_from: f64,
}

/// Arrays of a walk.
#[derive(Clone, Copy, Debug)]
pub struct WalkArrays<T> {
    /// Sources (x, y, z, q) in the tree's order.
    pub sources: View<Vec4<T>>,
    /// Receivers (x, y, z, any) in the tree's order.
    pub receivers: View<Vec4<T>>,
    /// Earlier field (gx, gy, gz, any) for [`Criterion::Relative`], in the order in which the tree was given the
    /// receivers.
    pub before: View<Vec4<T>>,
    /// Factor from the gradient of `before` to one in the units of the points.
    pub before_factor: T,
    /// Output: gradient and potential in the tree's order.
    pub field: ViewMut<Vec4<T>>,
    /// Output, added to: numbers of pairs of receivers and cells, and of receivers and sources. Two items, or none.
    pub counts: ViewMut<u64>,
}

/// Error of the treecode.
#[derive(Debug, thiserror::Error)]
pub enum WalkError {
    /// Order without a kernel.
    #[error("order {order} has no kernel; take one of {ORDERS:?}")]
    Order {
        /// Order asked for.
        order: usize,
    },
    /// Error of the device.
    #[error(transparent)]
    Machine(#[from] MachineError),
}

/// Treecode on one tree: groups of receivers, and multipoles of the cells.
#[derive(Debug)]
pub struct Treecode<M: Launcher, T: Pair> {
    scanner: Scanner<M>,
    begins: Grown<M, u32>,
    ends: Grown<M, u32>,
    groups: Grown<M, Vec2<u32>>,
    n_receivers: usize,
    raw: Grown<M, Vec4<T>>,
    cell: Grown<M, Vec4<T>>,
    multipole: Grown<M, Vec4<T>>,
    /// Squared distances of the relative criterion.
    reach2: Grown<M, T>,
    ticket: Grown<M, u32>,
}

/// Number of blocks for each multiprocessor: more than run at a time.
const BLOCKS: u32 = 16;

impl<M: Launcher, T: Pair> Treecode<M, T> {
    /// Treecode without memory.
    pub const fn new() -> Self {
        Self {
            scanner: Scanner::new(),
            begins: Grown::new(),
            ends: Grown::new(),
            groups: Grown::new(),
            n_receivers: 0,
            raw: Grown::new(),
            cell: Grown::new(),
            multipole: Grown::new(),
            reach2: Grown::new(),
            ticket: Grown::new(),
        }
    }

    /// Divides the receivers of a tree into groups of at most `capacity`, 1 to [`GROUP`], once for each tree. Five
    /// launches.
    ///
    /// # Errors
    /// If the device fails or has not enough memory.
    pub fn group(
        &mut self,
        machine: &M,
        tree: &Tree<M>,
        capacity: usize,
    ) -> Result<(), MachineError> {
        let n = tree.n_receivers();
        self.n_receivers = n;
        self.begins.reserve(machine, n + 1)?;
        self.begins.fill(machine, 0)?;
        self.ends.reserve(machine, n)?;
        self.groups.reserve(machine, n)?;
        if n == 0 {
            return Ok(());
        }
        let begins = self.begins.view_mut(n + 1);
        let marks = MarkGroups {
            capacity: capacity.clamp(1, GROUP as usize) as u32,
            range: tree.range(),
            child: tree.child(),
            begins,
            ends: self.ends.view_mut(n),
        };
        machine.launch(&MARK_GROUPS, Grid::over(tree.n_boxes(), 128), marks)?;
        self.scanner.exclusive(machine, begins)?;
        let lists = ListGroups {
            before: self.begins.view(n + 1),
            ends: self.ends.view(n),
            groups: self.groups.view_mut(n),
        };
        machine.launch(&LIST_GROUPS, Grid::over(n, 256), lists)
    }

    /// Gives all memory back: receivers have to be grouped again.
    pub fn release(&mut self) {
        *self = Self::new();
    }

    /// Upward pass: centres of charge, multipoles and opening distances of all boxes from `sources` (x, y, z, q) in the
    /// tree's order. Coordinates of the sources are those of the tree's points times `unit`, a power of two. One launch
    /// a level.
    ///
    /// # Errors
    /// If there is no such order, or the device fails or has not enough memory.
    pub fn expand(
        &mut self,
        machine: &M,
        tree: &Tree<M>,
        unit: f64,
        sources: View<Vec4<T>>,
        options: WalkOptions,
    ) -> Result<(), WalkError> {
        let (kernel, _) = kernels::<T>(options.order)?;
        let n = tree.n_boxes();
        self.raw.reserve(machine, n * raw_vectors(options.order))?;
        self.cell.reserve(machine, n)?;
        self.multipole.reserve(machine, n * multipole_vectors(options.order))?;
        let (per_theta, shift, alpha) = match options.criterion {
            Criterion::Nakasato { theta } => (theta.recip(), 1.0, 0.0),
            Criterion::BarnesHut { theta } => (theta.recip(), 0.0, 0.0),
            Criterion::Relative { alpha } => (0.0, 0.0, alpha),
        };
        let n_reaches = reaches(options.criterion, n);
        self.reach2.reserve(machine, n_reaches)?;
        let cube = tree.cube();
        for level in (0..tree.n_levels()).rev() {
            let boxes = tree.level_range(level);
            let args = Moments {
                corner: cube.corner().map(|c| T::from_f64(c * unit)),
                side: T::from_f64(cube.side() * unit),
                per_theta: T::from_f64(per_theta),
                shift: T::from_f64(shift),
                least: T::from_f64(options.unsoftened_from),
                per_root_alpha: T::from_f64(alpha.sqrt().recip()),
                first: boxes.start as u32,
                count: boxes.len() as u32,
                sources,
                range: tree.range(),
                child: tree.child(),
                children: tree.children(),
                level: tree.level(),
                key: tree.key(),
                raw: self.raw.view_mut(n * raw_vectors(options.order)),
                cell: self.cell.view_mut(n),
                reach2: self.reach2.view_mut(n_reaches),
                multipole: self.multipole.view_mut(n * multipole_vectors(options.order)),
            };
            let grid = Grid::over(boxes.len() * MOMENTS_LANES, MOMENTS_THREADS);
            machine.launch(&kernel, grid, args)?;
        }
        Ok(())
    }

    /// Walk: writes gradient and potential at the receivers, after [`group`](Self::group) and [`expand`](Self::expand)
    /// with the same options. Two launches.
    ///
    /// # Errors
    /// If there is no such order, or the device fails.
    pub fn walk(
        &mut self,
        machine: &M,
        tree: &Tree<M>,
        options: WalkOptions,
        arrays: WalkArrays<T>,
    ) -> Result<(), WalkError> {
        let (_, kernel) = kernels::<T>(options.order)?;
        let (n, n_boxes) = (self.n_receivers, tree.n_boxes());
        if n == 0 || n_boxes == 0 {
            return Ok(());
        }
        self.ticket.reserve(machine, 1)?;
        self.ticket.fill(machine, 0)?;
        let softening = T::from_f64(options.softening);
        let WalkArrays { sources, receivers, before, before_factor, field, counts } = arrays;
        let reach2 = self.reach2.view(reaches(options.criterion, n_boxes));
        let args = GroupWalk {
            sources,
            receivers,
            range: tree.range(),
            child: tree.child(),
            children: tree.children(),
            cell: self.cell.view(n_boxes),
            multipole: self.multipole.view(n_boxes * multipole_vectors(options.order)),
            groups: self.groups.view(n),
            n_groups: self.begins.view(n + 1).part(n, 1),
            ticket: self.ticket.view_mut(1),
            few: options.fewest_sources.max(2) as u32 - 1,
            mixed: u32::from(options.dipoles),
            softening2: softening * softening,
            relative: Relative {
                reach2,
                before,
                permutation: tree.receiver_permutation(),
                factor: before_factor,
            },
            field,
            counts,
        };
        // No more warps than there may be groups.
        let blocks = (machine.multiprocessors() * BLOCKS).min(n as u32);
        let grid = Grid::of(blocks, WALK_THREADS).shared(shared_bytes::<T>(options.order));
        Ok(machine.launch(&kernel, grid, args)?)
    }

    /// Centre of charge and squared opening distance of each box; see [`moments`](super::moments).
    pub fn cells(&self, tree: &Tree<M>) -> View<Vec4<T>> {
        self.cell.view(tree.n_boxes())
    }

    /// Multipoles of order `order`, [`multipole_vectors`] a box.
    pub fn multipoles(&self, tree: &Tree<M>, order: usize) -> View<Vec4<T>> {
        self.multipole.view(tree.n_boxes() * multipole_vectors(order))
    }

    /// Copies [`cells`](Self::cells) and [`multipoles`](Self::multipoles) to the host.
    ///
    /// # Errors
    /// If a copy or a launch before it fails.
    pub fn cells_to_host(
        &self,
        machine: &M,
        tree: &Tree<M>,
        order: usize,
    ) -> Result<[Vec<Vec4<T>>; 2], MachineError> {
        let mut cells = vec![Vec4::default(); tree.n_boxes()];
        let mut multipoles = vec![Vec4::default(); tree.n_boxes() * multipole_vectors(order)];
        self.cell.download(machine, &mut cells)?;
        self.multipole.download(machine, &mut multipoles)?;
        Ok([cells, multipoles])
    }

    /// Copies the groups to the host: first receiver and end of each.
    ///
    /// # Errors
    /// If a copy or a launch before it fails.
    pub fn groups_to_host(&self, machine: &M) -> Result<Vec<[u32; 2]>, MachineError> {
        let mut before = vec![0; self.n_receivers + 1];
        self.begins.download(machine, &mut before)?;
        let mut groups = vec![Vec2::default(); before[self.n_receivers] as usize];
        self.groups.download(machine, &mut groups)?;
        Ok(groups.into_iter().map(|Vec2(ends)| ends).collect())
    }
}

impl<M: Launcher, T: Pair> Default for Treecode<M, T> {
    fn default() -> Self {
        Self::new()
    }
}

/// Length of `reach2` for `n_boxes` boxes.
fn reaches(criterion: Criterion, n_boxes: usize) -> usize {
    if matches!(criterion, Criterion::Relative { .. }) { n_boxes } else { 0 }
}

fn kernels<T: Pair>(order: usize) -> Result<WalkKernels<T>, WalkError> {
    let place = ORDERS.into_iter().position(|of_kernels| of_kernels == order);
    let place = place.ok_or(WalkError::Order { order })?;
    Ok((MOMENTS()[place], GROUP_WALK()[place]))
}
