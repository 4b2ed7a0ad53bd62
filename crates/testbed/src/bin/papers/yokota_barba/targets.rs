//! Yokota and Barba, section 3: P2M, M2M, M2P, L2L and L2P with one thread a coefficient or a particle, as the paper's kernels,
//! beside the product's. M2L is in `translations.rs`.

use kernels_gpu::device::{Vec2, Vec4, View, ViewMut};
use kernels_gpu::lists::ListRows;
use kernels_gpu::machine::{Buffer, Launcher};
use kernels_gpu::operators::{Accumulation, FarBoxes, L2pArrays, M2pArrays, Operators, label};
use kernels_gpu::papers::m2l_listing::Listing;
use kernels_gpu::papers::thread_a_target::{
    AtPoints, P2mTargets, POINT_THREADS, TRANSLATION_STRIDE, l2l, l2p, m2m, m2p, p2m,
};
use octree::{Depth, InteractionLists, ListOptions, Octree};
use testbed::clouds;

use super::translations::Structure;
use crate::timing::median_seconds;
use crate::{Outcome, Settings};
use testbed::record::Table;

const ORDERS: [usize; 6] = [3, 4, 6, 8, 10, 14];

/// Operators with the unit of a record's number.
pub(super) const OPERATORS: [(&str, &str); 5] = [
    ("P2M", "particle"),
    ("M2M", "child"),
    ("M2P", "cell and particle"),
    ("L2L", "child"),
    ("L2P", "particle"),
];

/// Coarsest level of boxes whose expansions count.
const TOP: usize = 2;

/// Names of an operator's columns: the paper's kernel and the product's.
pub(super) fn columns(operator: &str) -> [String; 2] {
    [format!("{operator} / ns"), format!("{operator}, product / ns")]
}

/// Measures nanoseconds of a particle, child, or pair of cell and particle, in f32.
pub(crate) fn measure<M: Launcher + Clone>(machine: &M, settings: Settings) -> Outcome<Table> {
    let names = OPERATORS.map(|(operator, _)| columns(operator)).concat();
    let mut table = Table::new(std::iter::once("p".to_owned()).chain(names));
    let leaves = Trial::new(machine, settings.pick(2, 4, 4), settings.pick(1, 64, 64))?;
    let boxes = Trial::new(machine, settings.pick(3, 5, 5), 1)?;
    for &p in settings.pick(&ORDERS[..1], &ORDERS[..], &ORDERS[..]) {
        let product = leaves.product(machine, p)?;
        let translations = boxes.product(machine, p)?;
        let [m2m, l2l] = boxes.translations(machine, p)?;
        let pairs = [
            [leaves.p2m(machine, p)?, product[0]],
            [m2m, translations[1]],
            [leaves.at_points(machine, p, true)?, product[2]],
            [l2l, translations[3]],
            [leaves.at_points(machine, p, false)?, product[4]],
        ];
        let units = [
            leaves.points.len() as f64,
            boxes.children(TOP) as f64,
            leaves.cells_of_particles() as f64,
            boxes.children(TOP) as f64,
            leaves.points.len() as f64,
        ];
        let numbers = pairs.iter().zip(units).flat_map(|(pair, unit)| {
            pair.map(|seconds| (unit > 0.0).then(|| 1e9 * seconds / unit))
        });
        table.push(std::iter::once(Some(p as f64)).chain(numbers));
    }
    Ok(table)
}

/// A tree of uniform depth on the host, and the same on a device.
struct Trial<M: Launcher> {
    tree: Octree,
    lists: InteractionLists,
    structure: Structure<M>,
    /// Points (x, y, z, 1) in the tree's order.
    points: M::Buffer<Vec4<f32>>,
}

impl<M: Launcher + Clone> Trial<M> {
    /// About `points` points a leaf.
    fn new(machine: &M, level: u8, points: usize) -> Outcome<Self> {
        let positions = clouds::uniform_cube(points << (3 * level), 1).positions;
        let tree = Octree::build(&positions, Depth::Uniform(level))?;
        let lists = InteractionLists::build(&tree, ListOptions::default());
        let point = |i: &u32| {
            let [x, y, z] = positions[*i as usize].map(|c| c as f32);
            Vec4([x, y, z, 1.0])
        };
        let sorted: Vec<Vec4<f32>> = tree.source_permutation().iter().map(point).collect();
        let points = machine.buffer_of(&sorted)?;
        let structure = Structure::new(machine, points.view(), level)?;
        Ok(Self { tree, lists, structure, points })
    }

    /// Boxes whose parents are of level `top` or deeper.
    fn children(&self, top: usize) -> usize {
        let deep = |b: &usize| usize::from(self.tree.key(*b).level()) > top;
        (0..self.tree.n_boxes()).filter(deep).count()
    }

    /// Far boxes of a leaf and of the boxes above it.
    fn acting(&self, leaf: usize) -> impl Iterator<Item = u32> + '_ {
        let above = std::iter::successors(Some(leaf), |b| self.tree.parent(*b));
        above.flat_map(|b| self.lists.far().row(b).iter().copied())
    }

    fn cells_of_particles(&self) -> usize {
        let of = |leaf: &u32| {
            self.tree.sources(*leaf as usize).len() * self.acting(*leaf as usize).count()
        };
        self.tree.leaves().iter().map(of).sum()
    }

    fn centre(&self, b: usize) -> Vec4<f32> {
        let [x, y, z] = self.tree.cube().center(self.tree.key(b)).map(|c| c as f32);
        Vec4([x, y, z, 0.0])
    }

    /// Seconds of the product's P2M, M2M, M2P, L2L and L2P over the tree.
    fn product(&self, machine: &M, order: usize) -> Outcome<[f64; 5]> {
        let operators = Operators::<M, f32>::new(machine, order)?;
        let (tree, points) = (self.structure.boxes(), self.points.view());
        let length = operators.length(self.structure.tree.n_boxes());
        let mut multipole = machine.allocate::<Vec4<f32>>(length)?;
        let mut local = machine.allocate::<Vec4<f32>>(length)?;
        machine.fill(0, &mut multipole)?;
        machine.fill(0, &mut local)?;
        let mut field = machine.allocate::<Vec4<f32>>(points.len())?;
        machine.fill(0, &mut field)?;
        let mut leaf_of = machine.allocate::<u32>(points.len())?;
        label(machine, &tree, leaf_of.view_mut())?;
        let (multipole, local, field) = (multipole.view_mut(), local.view_mut(), field.view_mut());
        let none = machine.buffer_of(&vec![0; self.tree.leaves().len() + 1])?;
        let rows = ListRows { offsets: none.view(), items: View::EMPTY };
        let (leaves, read) = (tree.leaves, multipole.read_only());
        let of_leaves = M2pArrays { leaves, rows, receivers: points, multipole: read, field };
        let (labels, read) = (leaf_of.view(), local.read_only());
        let of_points = L2pArrays { leaf_of: labels, receivers: points, local: read, field };
        let scratch = ViewMut::EMPTY;
        let seconds = |work: &dyn Fn() -> Result<(), kernels_gpu::machine::MachineError>| {
            median_seconds(machine, work)
        };
        Ok([
            seconds(&|| operators.p2m(machine, &tree, points, multipole))?,
            seconds(&|| operators.m2m(machine, &tree, multipole, TOP, scratch))?,
            seconds(&|| operators.m2p(machine, &tree, of_leaves, FarBoxes::Included))?,
            seconds(&|| operators.l2l(machine, &tree, local, scratch))?,
            seconds(&|| operators.l2p(machine, &tree, of_points, Accumulation::Overwrite))?,
        ])
    }

    /// Seconds of the paper's P2M.
    fn p2m(&self, machine: &M, order: usize) -> Outcome<f64> {
        let leaves = self.tree.leaves();
        let offset = |leaf: &u32| {
            let sources = self.tree.sources(*leaf as usize);
            Vec2([sources.start as u32, sources.len() as u32])
        };
        let offsets = machine.buffer_of(&leaves.iter().map(offset).collect::<Vec<_>>())?;
        let centres: Vec<_> = leaves.iter().map(|leaf| self.centre(*leaf as usize)).collect();
        let centres = machine.buffer_of(&centres)?;
        let mut target = machine.allocate(order * (order + 1) * leaves.len())?;
        let args = P2mTargets {
            num_expansions: order as u32,
            device_offset: offsets.view(),
            device_center: centres.view(),
            device_pos_source: self.points.view(),
            device_mnm_target: target.view_mut(),
        };
        Ok(median_seconds(machine, || p2m(machine, args))?)
    }

    /// Seconds of the paper's M2M and L2L over all levels.
    fn translations(&self, machine: &M, order: usize) -> Outcome<[f64; 2]> {
        let (tree, count) = (&self.tree, order * (order + 1) / 2);
        let levels = tree.leaves().first().map_or(0, |leaf| tree.key(*leaf as usize).level());
        let mut source = machine.allocate::<f32>(2 * count * tree.n_boxes())?;
        machine.fill(0, &mut source)?;
        let mut target = machine.allocate::<f32>(2 * count * tree.n_boxes())?;
        machine.fill(0, &mut target)?;
        let (source, target) = (source.view(), target.view_mut());
        let args = |records: View<i32>, level: u8| Listing {
            num_expansions: order as u32,
            device_offset: records,
            box_size: 0.5 * tree.cube().side_at(level) as f32,
            device_mnm_source: source,
            device_lnm_target: target,
        };
        let (mut up, mut down) = (Vec::new(), Vec::new());
        for level in TOP as u8..levels {
            up.push((level, self.records(machine, order, level, true)?));
            down.push((level + 1, self.records(machine, order, level + 1, false)?));
        }
        let m2m = median_seconds(machine, || {
            up.iter().rev().try_for_each(|(level, (boxes, records))| {
                m2m(machine, *boxes, args(records.view(), level + 1))
            })
        })?;
        let l2l = median_seconds(machine, || {
            down.iter().try_for_each(|(level, (boxes, records))| {
                l2l(machine, *boxes, args(records.view(), *level))
            })
        })?;
        Ok([m2m, l2l])
    }

    /// Records of the boxes of a level with their children, or with their parent, and the number of boxes.
    fn records(
        &self,
        machine: &M,
        order: usize,
        level: u8,
        children: bool,
    ) -> Outcome<(usize, M::Buffer<i32>)> {
        let tree = &self.tree;
        let count = order * (order + 1) / 2;
        let side = 0.5 * tree.cube().side_at(if children { level + 1 } else { level });
        let mut all = Vec::new();
        let boxes = (0..tree.n_boxes()).filter(|b| tree.key(*b).level() == level);
        for b in boxes {
            let sources: Vec<usize> = match children {
                true => tree.children(b).collect(),
                false => tree.parent(b).into_iter().collect(),
            };
            let to = tree.cube().center(tree.key(b));
            let begin = all.len();
            all.push(sources.len() as i32);
            for source in sources {
                let from = tree.cube().center(tree.key(source));
                all.push((source * count) as i32);
                all.extend([0, 1, 2].map(|d| ((to[d] - from[d]) / side).round() as i32));
            }
            all.resize(begin + TRANSLATION_STRIDE, 0);
        }
        Ok((all.len() / TRANSLATION_STRIDE, machine.buffer_of(&all)?))
    }

    /// Seconds of the paper's M2P or L2P.
    fn at_points(&self, machine: &M, order: usize, multipoles: bool) -> Outcome<f64> {
        let (mut blocks, mut cells) = (Vec::new(), Vec::new());
        for leaf in self.tree.leaves() {
            let begin = cells.len() as u32;
            match multipoles {
                true => cells.extend(self.acting(*leaf as usize)),
                false => cells.push(*leaf),
            }
            let sources = self.tree.sources(*leaf as usize);
            for first in sources.clone().step_by(POINT_THREADS as usize) {
                let here = (sources.end - first).min(POINT_THREADS as usize);
                blocks.push(Vec4([first as u32, here as u32, begin, cells.len() as u32]));
            }
        }
        let centres: Vec<_> = (0..self.tree.n_boxes()).map(|b| self.centre(b)).collect();
        let (blocks, cells) = (machine.buffer_of(&blocks)?, machine.buffer_of(&cells)?);
        let centres = machine.buffer_of(&centres)?;
        let mut numbers = machine.allocate(order * (order + 1) * self.tree.n_boxes())?;
        machine.fill(0, &mut numbers)?;
        let mut field = machine.allocate(self.points.len())?;
        let args = AtPoints {
            num_expansions: order as u32,
            device_offset: blocks.view(),
            device_cell: cells.view(),
            device_center: centres.view(),
            device_source: numbers.view(),
            device_pos_target: self.points.view(),
            device_field: field.view_mut(),
        };
        Ok(median_seconds(machine, || match multipoles {
            true => m2p(machine, args),
            false => l2p(machine, args),
        })?)
    }
}
