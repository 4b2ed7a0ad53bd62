//! Yokota and Barba, section 4: M2L in the paper's form, Listings 3 to 5 with O(p⁴), beside this library's forms, dense
//! and by rotations with O(p³).

use expansions::papers::listings::OFFSET_STRIDE;
use kernels_gpu::device::{Vec4, View, ViewMut};
use kernels_gpu::lists::Lists;
use kernels_gpu::machine::{Buffer, Machine};
use kernels_gpu::operators::{self, Boxes, Geometry, Operators};
use kernels_gpu::papers::m2l_dense::MAX_DENSE_ORDER;
use kernels_gpu::papers::m2l_listing::{Listing, m2l_listing};
use kernels_gpu::tree::{Sets, Tree};
use octree::{Depth, InteractionLists, ListOptions, Octree, far_offset};
use testbed::clouds;

use crate::timing::median_seconds;
use crate::{Outcome, Settings};
use testbed::record::Table;

const ORDERS: [usize; 9] = [2, 3, 4, 5, 6, 8, 10, 12, 16];

/// Measures nanoseconds of a pair, in f32.
pub(crate) fn measure<M: Machine + Clone>(machine: &M, settings: Settings) -> Outcome<Table> {
    let level = settings.pick(2, 5, 5);
    let positions = clouds::uniform_cube(8 << (3 * level), 1).positions;
    let tree = Octree::build(&positions, Depth::Uniform(level))?;
    let lists = InteractionLists::build(&tree, ListOptions::default());
    let points: Vec<Vec4<f32>> =
        positions.iter().map(|x| Vec4([x[0] as f32, x[1] as f32, x[2] as f32, 1.0])).collect();
    let points = machine.buffer_of(&points)?;
    let structure = Structure::new(machine, points.view(), level)?;
    let mut table = Table::new(["p", "Listings 3–5 / ns", "dense / ns", "rotation / ns"]);
    for &p in settings.pick(&ORDERS[..2], &ORDERS[..], &ORDERS[..]) {
        let a_pair = |seconds: f64| 1e9 * seconds / lists.far.n_items() as f64;
        let listing = a_pair(by_listing(machine, &tree, &lists, p)?);
        let rotation = a_pair(by_operators(machine, &structure, p, false)?);
        let dense = match p <= MAX_DENSE_ORDER {
            true => Some(a_pair(by_operators(machine, &structure, p, true)?)),
            false => None,
        };
        table.push([Some(p as f64), Some(listing), dense, Some(rotation)]);
    }
    Ok(table)
}

/// Tree and interaction lists on the device.
pub(super) struct Structure<M: Machine> {
    tree: Tree<M>,
    lists: Lists<M>,
}

impl<M: Machine> Structure<M> {
    pub(super) fn new(machine: &M, points: View<Vec4<f32>>, level: u8) -> Outcome<Self> {
        let tree = Tree::build::<f32>(machine, points, Sets::One, Depth::Uniform(level), 1.0)?;
        let mut lists = Lists::new();
        lists.rebuild(machine, &tree, ListOptions::default())?;
        Ok(Self { tree, lists })
    }

    /// Boxes as the operators take them, in the points' unit of length.
    fn boxes(&self) -> operators::Tree<'_, f32> {
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
pub(super) fn by_operators<M: Machine + Clone>(
    machine: &M,
    structure: &Structure<M>,
    order: usize,
    dense: bool,
) -> Outcome<f64> {
    let mut operators = Operators::<M, f32>::new(machine, order)?;
    if dense {
        operators = operators.with_matrices(machine)?;
    }
    let tree = structure.boxes();
    let length = operators.length(structure.tree.n_boxes());
    let mut multipole = machine.allocate::<Vec4<f32>>(length)?;
    machine.fill(0, &mut multipole)?;
    let mut local = machine.allocate::<Vec4<f32>>(length)?;
    let local = local.view_mut();
    let far = || operators.far(machine, &tree, multipole.view(), local, ViewMut::EMPTY);
    Ok(median_seconds(machine, far)?)
}

/// Seconds of the paper's kernel over the same pairs.
fn by_listing<M: Machine>(
    machine: &M,
    tree: &Octree,
    lists: &InteractionLists,
    order: usize,
) -> Outcome<f64> {
    let (boxes, count) = (tree.n_boxes(), order * (order + 1) / 2);
    let mut records = vec![0; boxes * OFFSET_STRIDE];
    for (b, record) in records.chunks_exact_mut(OFFSET_STRIDE).enumerate() {
        let sources = lists.far.row(b);
        record[0] = sources.len() as i32;
        let first = lists.far.offsets()[b];
        for (k, source) in sources.iter().enumerate() {
            let offset = far_offset(usize::from(lists.far_offset[first + k]));
            let entry = &mut record[1 + 4 * k..][..4];
            entry[0] = *source as i32 * count as i32;
            for (entry, offset) in entry[1..].iter_mut().zip(offset) {
                *entry = -i32::from(offset);
            }
        }
    }
    let records = machine.buffer_of(&records)?;
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
    Ok(median_seconds(machine, || m2l_listing(machine, boxes, args))?)
}
