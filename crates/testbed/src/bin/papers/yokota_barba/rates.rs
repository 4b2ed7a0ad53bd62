//! Figure 7: pairs a second of P2P, M2P and M2L, by the number of points.
//!
//! On the cores a stage runs alone. On a GPU P2P runs beside the far field, so that its stage has the time beyond that
//! only: here the kernels of P2P and M2L are launched alone, over the lists of a tree of one level of leaves.

use expansions::operators::PairAccuracy;
use fmm::{Fmm, Method, Opening, Report, Stage, Treecode};
use kernels_gpu::device::{Vec4, View};
use kernels_gpu::lists::ListRows;
use kernels_gpu::machine::{Buffer, Launcher};
use kernels_gpu::near::{Near, NearSum};
use octree::{Depth, InteractionLists, ListOptions, Octree};
use testbed::clouds::{self, Cloud};

use super::methods::TOLERANCE;
use super::translations::{Structure, by_operators};
use crate::timing::{fastest, median_seconds};
use crate::{Outcome, Settings};
use testbed::record::Table;

const COLUMNS: [&str; 6] =
    ["N", "P2P / pairs/s", "M2P / pairs/s", "M2P order", "M2L / pairs/s", "M2L order"];

/// Points of a leaf, about.
const LEAF: f64 = 64.0;

fn numbers(settings: Settings) -> Vec<usize> {
    let most = if settings.is_on_gpu() { 10_000_000 } else { 1_000_000 };
    settings.up_to(&[1_000, 10_000, 100_000, 1_000_000, 10_000_000], [1_000, most, 10_000_000])
}

fn report(method: Method, cloud: &Cloud, settings: Settings) -> Outcome<Report> {
    let fmm = Fmm::new().method(method).device(settings.device).tolerance(TOLERANCE);
    Ok(fastest(fmm, cloud, 2)?)
}

/// Rate of M2P of the treecode on neighbour lists, and its order.
fn m2p(cloud: &Cloud, settings: Settings) -> Outcome<[Option<f64>; 2]> {
    let treecode = Treecode::new().opening(Opening::Neighbours);
    let report = report(Method::Treecode(treecode), cloud, settings)?;
    Ok([rate(report.m2p_pairs, report.seconds.of(Stage::M2p)), Some(report.order as f64)])
}

/// Pairs a second; `None` where there are no pairs.
fn rate(pairs: u64, seconds: f64) -> Option<f64> {
    (pairs > 0 && seconds > 0.0).then(|| pairs as f64 / seconds)
}

/// Measures the stages on the cores.
pub(crate) fn measure(settings: Settings) -> Outcome<Table> {
    let mut table = Table::new(COLUMNS);
    for n in numbers(settings) {
        let cloud = clouds::uniform_cube(n, 1);
        let fmm = report(Method::Fmm, &cloud, settings)?;
        let [m2p, m2p_order] = m2p(&cloud, settings)?;
        let of = |pairs, stage| rate(pairs, fmm.seconds.of(stage));
        let (p2p, m2l) = (of(fmm.p2p_pairs, Stage::P2p), of(fmm.m2l_pairs, Stage::M2l));
        table.push([Some(n as f64), p2p, m2p, m2p_order, m2l, Some(fmm.order as f64)]);
    }
    Ok(table)
}

/// Measures the kernels on a device.
pub(crate) fn measure_on<M: Launcher + Clone>(machine: &M, settings: Settings) -> Outcome<Table> {
    let mut table = Table::new(COLUMNS);
    for n in numbers(settings) {
        let cloud = clouds::uniform_cube(n, 1);
        let level = ((n as f64 / LEAF).log2() / 3.0).round().max(2.0) as u8;
        let tree = Octree::build(&cloud.positions, Depth::Uniform(level))?;
        let lists = InteractionLists::build(&tree, ListOptions::default());
        let p2p = p2p_alone(machine, &cloud, &tree, &lists)?;
        let order = report(Method::Fmm, &cloud, settings)?.order;
        let points: Vec<Vec4<f32>> = cloud.positions.iter().map(vector).collect();
        let points = machine.buffer_of(&points)?;
        let structure = Structure::new(machine, points.view(), level)?;
        let seconds = by_operators(machine, &structure, order)?;
        let m2l = rate(lists.far().n_items() as u64, seconds);
        let [m2p, m2p_order] = m2p(&cloud, settings)?;
        table.push([Some(n as f64), p2p, m2p, m2p_order, m2l, Some(order as f64)]);
    }
    Ok(table)
}

fn vector(point: &[f64; 3]) -> Vec4<f32> {
    Vec4([point[0] as f32, point[1] as f32, point[2] as f32, 1.0])
}

/// Pairs a second of the kernel of P2P over the near lists of a tree.
fn p2p_alone<M: Launcher>(
    machine: &M,
    cloud: &Cloud,
    tree: &Octree,
    lists: &InteractionLists,
) -> Outcome<Option<f64>> {
    let order = tree.source_permutation();
    let sources: Vec<Vec4<f32>> =
        order.iter().map(|i| vector(&cloud.positions[*i as usize])).collect();
    let ends = |b| {
        let sources = tree.sources(b);
        let (begin, end) = (sources.start as u32, sources.end as u32);
        Vec4([begin, end, begin, end])
    };
    let range: Vec<Vec4<u32>> = (0..tree.n_boxes()).map(ends).collect();
    let (mut offsets, mut items, mut pairs) = (vec![0u32], Vec::new(), 0);
    for leaf in tree.leaves() {
        let row = lists.near().row(*leaf as usize);
        items.extend_from_slice(row);
        offsets.push(items.len() as u32);
        let near: usize = row.iter().map(|b| tree.sources(*b as usize).len()).sum();
        pairs += (tree.sources(*leaf as usize).len() * near) as u64;
    }
    let n = sources.len();
    let sources = machine.buffer_of(&sources)?;
    let (range, leaves) = (machine.buffer_of(&range)?, machine.buffer_of(tree.leaves())?);
    let (offsets, items) = (machine.buffer_of(&offsets)?, machine.buffer_of(&items)?);
    let mut field = machine.allocate::<Vec4<f32>>(n)?;
    let field = field.view_mut();
    let mut near = NearSum::new();
    let rows = ListRows { offsets: offsets.view(), items: items.view() };
    near.prepare::<f32>(machine, range.view(), leaves.view(), rows, n)?;
    let args = || Near {
        sources: sources.view(),
        receivers: sources.view(),
        range: range.view(),
        leaves: leaves.view(),
        offsets: offsets.view(),
        items: items.view(),
        later: View::EMPTY,
        sorted_tasks: View::EMPTY,
        softening2: 0.0,
        add: 0,
        field,
    };
    Ok(rate(pairs, median_seconds(machine, || near.sum(machine, args(), PairAccuracy::Full))?))
}
