//! Yokota and Barba, section 5.2: M2L in the paper's form, Listings 3 to 5 with O(p⁴), beside this library's forms, dense
//! and by rotations with O(p³).

use std::convert::Infallible;

use expansions::operators::{FarOffset, M2l, M2lForm};
use expansions::papers::listings::{M2lShared, OFFSET_STRIDE, m2l_kernel};
use expansions::{RowPair, layout};
use kernels_gpu::device::{Vec4, View, ViewMut};
use kernels_gpu::lists::Lists;
use kernels_gpu::machine::{Buffer, Launcher, MachineError};
use kernels_gpu::operators::{self, Boxes, Geometry, Operators, coefficients};
use kernels_gpu::papers::m2l_dense::{DenseM2l, MAX_DENSE_ORDER};
use kernels_gpu::papers::m2l_listing::{Listing, m2l_listing, m2l_listing_calls};
use kernels_gpu::tree::{Sets, Tree};
use octree::{Depth, InteractionLists, ListOptions, Octree};
use testbed::clouds;

use crate::timing::{fastest_of, median_seconds};
use crate::{Outcome, Settings};
use testbed::record::Table;

const ORDERS: [usize; 9] = [2, 3, 4, 5, 6, 8, 10, 12, 16];

/// Columns of the listings as printed, with tabulated cosines, of the dense form and of rotations.
pub(super) const FORMS: [&str; 4] =
    ["as printed / ns", "Listings 3–5 / ns", "dense / ns", "rotation / ns"];

/// Terms of equation 4 that the listings sum on a core, at most: a second.
const TERMS: usize = 20_000_000;

/// The columns of a record.
fn columns() -> impl Iterator<Item = &'static str> {
    std::iter::once("p").chain(FORMS)
}

/// Measures nanoseconds of a pair in f32 on one core. The listings on the host call cosines, as printed.
pub(crate) fn measure(settings: Settings) -> Outcome<Table> {
    let level = settings.pick(2, 4, 4);
    let positions = clouds::uniform_cube(8 << (3 * level), 1).positions;
    let tree = Octree::build(&positions, Depth::Uniform(level))?;
    let lists = InteractionLists::build(&tree, ListOptions::default());
    let mut by_offset: Vec<(FarOffset, Vec<RowPair>)> = Vec::new();
    for b in 0..tree.n_boxes() {
        for (source, offset) in lists.far_pairs(b) {
            let offset = FarOffset::new(offset).ok_or("a far box is not far")?;
            let pair = [source as u32, b as u32];
            match by_offset.iter_mut().find(|(other, _)| *other == offset) {
                Some((_, pairs)) => pairs.push(pair),
                None => by_offset.push((offset, vec![pair])),
            }
        }
    }
    let mut table = Table::new(columns());
    for &p in settings.pick(&ORDERS[..2], &ORDERS[..], &ORDERS[..]) {
        let forms = [M2lForm::Dense, M2lForm::Rotation].map(|form| {
            let dense = form == M2lForm::Dense;
            (!dense || p <= MAX_DENSE_ORDER).then(|| {
                let m2l = M2l::<f32>::new(p, form);
                let mut rows = vec![0.0f32; tree.n_boxes() * layout::row_length(p)];
                let multipoles = rows.clone();
                let seconds = least_seconds(|| {
                    let pairs = by_offset.iter().map(|(offset, pairs)| (*offset, &pairs[..]));
                    m2l.apply(pairs, &multipoles, &mut rows);
                });
                1e9 * seconds / lists.far().n_items() as f64
            })
        });
        let printed = Some(1e9 * by_host_listing(&tree, &lists, p));
        table.push([Some(p as f64), printed, None, forms[0], forms[1]]);
    }
    Ok(table)
}

/// Seconds of a pair by the listings on the host, over the first boxes of the deepest level that have enough terms.
fn by_host_listing(tree: &Octree, lists: &InteractionLists, order: usize) -> f64 {
    let (records, count) = (records(tree, lists, order), order * (order + 1) / 2);
    let terms = order * order * count;
    let (mut blocks, mut pairs) = (Vec::new(), 0);
    for b in (0..tree.n_boxes()).rev() {
        if pairs * terms > TERMS {
            break;
        }
        pairs += lists.far().row(b).len();
        blocks.push(b);
    }
    let sources = vec![0.0f32; 2 * count * tree.n_boxes()];
    let mut targets = sources.clone();
    let mut shared = M2lShared::new(order);
    let seconds = least_seconds(|| {
        for b in &blocks {
            m2l_kernel(*b, &records, 1.0, &mut targets, &sources, &mut shared);
        }
    });
    seconds / pairs.max(1) as f64
}

/// Least seconds of three runs.
fn least_seconds(mut work: impl FnMut()) -> f64 {
    let Ok(seconds) = fastest_of(3, || {
        work();
        Ok::<(), Infallible>(())
    });
    seconds
}

/// Measures nanoseconds of a pair in f32 on a device.
pub(crate) fn measure_on<M: Launcher + Clone>(machine: &M, settings: Settings) -> Outcome<Table> {
    let level = settings.pick(2, 5, 5);
    let positions = clouds::uniform_cube(8 << (3 * level), 1).positions;
    let tree = Octree::build(&positions, Depth::Uniform(level))?;
    let lists = InteractionLists::build(&tree, ListOptions::default());
    let points: Vec<Vec4<f32>> =
        positions.iter().map(|x| Vec4([x[0] as f32, x[1] as f32, x[2] as f32, 1.0])).collect();
    let points = machine.buffer_of(&points)?;
    let structure = Structure::new(machine, points.view(), level)?;
    let mut table = Table::new(columns());
    for &p in settings.pick(&ORDERS[..2], &ORDERS[..], &ORDERS[..]) {
        let a_pair = |seconds: f64| 1e9 * seconds / lists.far().n_items() as f64;
        let printed = a_pair(by_listing(machine, &tree, &lists, p, m2l_listing_calls)?);
        let listing = a_pair(by_listing(machine, &tree, &lists, p, m2l_listing)?);
        let rotation = a_pair(by_operators(machine, &structure, p)?);
        let dense = match p <= MAX_DENSE_ORDER {
            true => Some(a_pair(by_matrices(machine, &structure, p)?)),
            false => None,
        };
        table.push([Some(p as f64), Some(printed), Some(listing), dense, Some(rotation)]);
    }
    Ok(table)
}

/// Tree and interaction lists on the device.
pub(super) struct Structure<M: Launcher> {
    pub(super) tree: Tree<M>,
    lists: Lists<M>,
}

impl<M: Launcher> Structure<M> {
    pub(super) fn new(machine: &M, points: View<Vec4<f32>>, level: u8) -> Outcome<Self> {
        let tree = Tree::build::<f32>(machine, points, Sets::One, Depth::Uniform(level), 1.0)?;
        let mut lists = Lists::new();
        lists.rebuild(machine, &tree, ListOptions::default())?;
        Ok(Self { tree, lists })
    }

    /// Multipoles of all boxes, and local expansions, all zero.
    fn expansions(&self, machine: &M, order: usize) -> Outcome<[M::Buffer<Vec4<f32>>; 2]> {
        let length = coefficients::groups(order) * self.tree.n_boxes();
        let zeros = || -> Outcome<_> {
            let mut zeros = machine.allocate::<Vec4<f32>>(length)?;
            machine.fill(0, &mut zeros)?;
            Ok(zeros)
        };
        Ok([zeros()?, zeros()?])
    }

    /// Boxes as the operators take them, in the points' unit of length.
    pub(super) fn boxes(&self) -> operators::Tree<'_, f32> {
        let Self { tree, lists } = self;
        let boxes = Boxes {
            cube: Geometry::new(tree.cube().corner(), tree.cube().side()),
            count: tree.n_boxes() as u32,
            key: tree.key(),
            level: tree.level(),
            range: tree.range(),
            parent: tree.parent(),
            child: tree.child(),
            colleague: lists.colleague(),
            level_start: tree.level_start(),
        };
        operators::Tree { boxes, level_start: tree.level_starts(), leaves: tree.leaves() }
    }
}

/// Seconds of this library's M2L over all boxes of the tree.
pub(super) fn by_operators<M: Launcher + Clone>(
    machine: &M,
    structure: &Structure<M>,
    order: usize,
) -> Outcome<f64> {
    let operators = Operators::<M, f32>::new(machine, order)?;
    let tree = structure.boxes();
    let [multipole, mut local] = structure.expansions(machine, order)?;
    let local = local.view_mut();
    let m2l = || operators.m2l(machine, &tree, multipole.view(), local, ViewMut::EMPTY);
    Ok(median_seconds(machine, m2l)?)
}

/// Seconds of M2L by dense matrices.
fn by_matrices<M: Launcher + Clone>(
    machine: &M,
    structure: &Structure<M>,
    order: usize,
) -> Outcome<f64> {
    let dense = DenseM2l::<M, f32>::new(machine, order)?;
    let tree = structure.boxes();
    let [multipole, mut local] = structure.expansions(machine, order)?;
    let local = local.view_mut();
    Ok(median_seconds(machine, || dense.m2l(machine, &tree, multipole.view(), local))?)
}

/// Seconds of a form of the paper's kernel over the same pairs.
fn by_listing<M: Launcher>(
    machine: &M,
    tree: &Octree,
    lists: &InteractionLists,
    order: usize,
    launch: impl Fn(&M, usize, Listing<f32>) -> Result<(), MachineError>,
) -> Outcome<f64> {
    let (boxes, count) = (tree.n_boxes(), order * (order + 1) / 2);
    let records = machine.buffer_of(&records(tree, lists, order))?;
    let mut sources = machine.allocate::<f32>(2 * count * boxes)?;
    machine.fill(0, &mut sources)?;
    let mut targets = machine.allocate::<f32>(2 * count * boxes)?;
    let args = Listing {
        num_expansions: order as u32,
        device_offset: records.view(),
        box_size: 1.0,
        device_mnm_source: sources.view(),
        device_lnm_target: targets.view_mut(),
    };
    Ok(median_seconds(machine, || launch(machine, boxes, args))?)
}

/// The paper's array `deviceOffset`: the far boxes of each box.
fn records(tree: &Octree, lists: &InteractionLists, order: usize) -> Vec<i32> {
    let count = order * (order + 1) / 2;
    let mut records = vec![0; tree.n_boxes() * OFFSET_STRIDE];
    for (b, record) in records.chunks_exact_mut(OFFSET_STRIDE).enumerate() {
        record[0] = lists.far().row(b).len() as i32;
        for (k, (source, offset)) in lists.far_pairs(b).enumerate() {
            let entry = &mut record[1 + 4 * k..][..4];
            entry[0] = source as i32 * count as i32;
            for (entry, offset) in entry[1..].iter_mut().zip(offset) {
                *entry = -i32::from(offset);
            }
        }
    }
    records
}
