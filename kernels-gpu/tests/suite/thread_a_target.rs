//! Yokota and Barba's kernels with one thread a target against the product's operators on the same machine.

use crate::forest::{Forest, Planted, items, points};
use expansions::papers::complex::{Complex64, coefficient_count, real_map};
use kernels_gpu::device::{Vec2, Vec4, View, ViewMut};
use kernels_gpu::lists::ListRows;
use kernels_gpu::machine::{Buffer, Launcher};
use kernels_gpu::operators::{Accumulation, FarBoxes, L2pArrays, M2pArrays, Operators, label};
use kernels_gpu::papers::m2l_listing::Listing;
use kernels_gpu::papers::thread_a_target::{
    AtPoints, MAX_CHILDREN, P2mTargets, POINT_THREADS, TRANSLATION_STRIDE, l2l, l2p, m2m, m2p, p2m,
};
use octree::Depth;

const ORDERS: [usize; 5] = [1, 2, 4, 9, 16];

/// Kinds of expansions, whose scales differ.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Multipole,
    Local,
}

/// A tree whose leaves have up to several strides of particles, in f64 for the product and in f32 for the paper's kernels.
struct Trial<M: Launcher> {
    order: usize,
    forest: Forest,
    product: Planted<M, f64>,
    operators: Operators<M, f64>,
    points: M::Buffer<Vec4<f32>>,
}

/// Records of the target boxes of a translation.
struct Records {
    /// [`TRANSLATION_STRIDE`] numbers a box.
    numbers: Vec<i32>,
    /// Length of which the records have multiples.
    unit: f64,
}

impl<M: Launcher> Trial<M> {
    fn new(machine: &M, order: usize) -> Self {
        let forest = Forest::new(&points(150, true), Depth::Uniform(3));
        let product = Planted::new(machine, &forest);
        let narrow: Vec<_> = forest.points.iter().map(|p| Vec4(p.map(|x| x as f32))).collect();
        let operators = Operators::new(machine, order).unwrap();
        Self { order, product, operators, points: machine.buffer_of(&narrow).unwrap(), forest }
    }

    fn count(&self) -> usize {
        coefficient_count(self.order)
    }

    /// Rounding errors, as a share of the largest number: those of the device's cosines of angles of up to pπ among them.
    fn tolerance(&self) -> f64 {
        16.0 * (self.order + 2) as f64 * f64::from(f32::EPSILON)
    }

    /// The product's multipoles of all boxes.
    fn multipoles(&self, machine: &M) -> M::Buffer<Vec4<f64>> {
        let mut multipole = machine.allocate(self.operators.length(self.forest.n_boxes())).unwrap();
        machine.fill(0, &mut multipole).unwrap();
        let (tree, sources) = (self.product.tree(), self.product.points.view());
        self.operators.p2m(machine, &tree, sources, multipole.view_mut()).unwrap();
        let (out, scratch) = (multipole.view_mut(), ViewMut::EMPTY);
        self.operators.m2m(machine, &tree, out, 0, scratch).unwrap();
        multipole
    }

    /// The product's local expansions of all boxes, due to their far boxes alone.
    fn locals(&self, machine: &M) -> M::Buffer<Vec4<f64>> {
        let multipole = self.multipoles(machine);
        let mut local = machine.allocate(self.operators.length(self.forest.n_boxes())).unwrap();
        let (tree, from) = (self.product.tree(), multipole.view());
        self.operators.m2l(machine, &tree, from, local.view_mut(), ViewMut::EMPTY).unwrap();
        local
    }

    /// The product's coefficients as the paper has them: real and imaginary parts in turn, by box.
    fn as_printed(&self, machine: &M, kind: Kind, from: &M::Buffer<Vec4<f64>>) -> Vec<f64> {
        let (n, from) = (self.forest.n_boxes(), items(machine, from));
        let of_box = |b: usize| {
            let real: Vec<f64> =
                (0..self.order * self.order).map(|c| from[c / 4 * n + b].0[c % 4]).collect();
            let mut complex = vec![Complex64::new(0.0, 0.0); self.count()];
            let map = match kind {
                Kind::Multipole => real_map::multipole_from_real,
                Kind::Local => real_map::local_from_real,
            };
            map(self.order, self.forest.side(b), &real, &mut complex);
            complex.into_iter().flat_map(|c| [c.re, c.im])
        };
        (0..n).flat_map(of_box).collect()
    }

    /// Size that degree n of a box may have: a multipole's is bounded by its charges, of which a translation cancels some.
    fn scale(&self, kind: Kind, b: usize, n: usize, degree: &[f64]) -> f64 {
        let largest = degree.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        if kind == Kind::Local {
            return largest;
        }
        let Vec4([begin, end, ..]) = self.forest.range[b];
        let charges = &self.forest.points[begin as usize..end as usize];
        let charges: f64 = charges.iter().map(|point| point[3].abs()).sum();
        largest.max(charges * (0.5 * self.forest.side(b)).powi(n as i32))
    }

    /// Asserts that the numbers of boxes are those of the product. Centres are rounded to f32, which the n-th power of a
    /// distance takes n times.
    fn assert_close(&self, kind: Kind, boxes: &[usize], got: &[f32], want: &[f64], what: &str) {
        let length = 2 * self.count();
        for (got, b) in got.chunks_exact(length).zip(boxes) {
            let want = &want[b * length..][..length];
            let farthest = self.forest.centre(*b).into_iter().fold(0.0, f64::max);
            let rounding = f64::from(f32::EPSILON) * farthest / (0.5 * self.forest.side(*b));
            for n in 0..self.order {
                let degree = n * (n + 1)..(n + 1) * (n + 2);
                let scale = self.scale(kind, *b, n, &want[degree.clone()]);
                let bound = (self.tolerance() + n as f64 * rounding) * scale;
                for i in degree {
                    let error = (f64::from(got[i]) - want[i]).abs();
                    let (p, got, want) = (self.order, got[i], want[i]);
                    assert!(error <= bound, "{what}, p = {p}, box {b}, {i}: {got}, not {want}");
                }
            }
        }
    }

    /// Records of a translation: a block for each box, with its relatives at half-side steps.
    fn records(&self, boxes: &[usize], relatives: impl Fn(usize) -> Vec<u32>) -> Records {
        let mut numbers = vec![0; boxes.len() * TRANSLATION_STRIDE];
        let mut unit = f64::INFINITY;
        for (record, b) in numbers.chunks_exact_mut(TRANSLATION_STRIDE).zip(boxes) {
            let sources = relatives(*b);
            assert!(sources.len() <= MAX_CHILDREN);
            record[0] = sources.len() as i32;
            for (k, source) in sources.into_iter().enumerate() {
                let source = source as usize;
                unit = 0.5 * self.forest.side(*b).min(self.forest.side(source));
                record[1 + 4 * k] = (source * self.count()) as i32;
                let (to, from) = (self.forest.centre(*b), self.forest.centre(source));
                for d in 0..3 {
                    record[2 + 4 * k + d] = ((to[d] - from[d]) / unit).round() as i32;
                }
            }
        }
        Records { numbers, unit }
    }

    fn level(&self, level: u8) -> Vec<usize> {
        let keys = self.forest.keys.iter().enumerate();
        keys.filter(|(_, key)| key.level() == level).map(|(b, _)| b).collect()
    }

    /// The arguments of a kernel that ends at particles, for the leaves and the boxes that act on each.
    fn at_points(
        &self,
        machine: &M,
        numbers: &[f64],
        acting: impl Fn(usize) -> Vec<u32>,
        launch: impl Fn(AtPoints),
    ) -> Vec<Vec4<f32>> {
        let (mut blocks, mut cells) = (Vec::new(), Vec::new());
        for leaf in &self.forest.leaves {
            let (begin, Vec4([mut first, end, ..])) =
                (cells.len() as u32, self.forest.range[*leaf as usize]);
            cells.extend(acting(*leaf as usize));
            while first < end {
                let here = (end - first).min(POINT_THREADS);
                blocks.push(Vec4([first, here, begin, cells.len() as u32]));
                first += here;
            }
        }
        let centres: Vec<_> = (0..self.forest.n_boxes()).map(|b| centre(&self.forest, b)).collect();
        let narrow: Vec<f32> = numbers.iter().map(|x| *x as f32).collect();
        let (blocks, cells) =
            (machine.buffer_of(&blocks).unwrap(), machine.buffer_of(&cells).unwrap());
        let centres = machine.buffer_of(&centres).unwrap();
        let narrow = machine.buffer_of(&narrow).unwrap();
        let mut field = machine.allocate(self.forest.points.len()).unwrap();
        launch(AtPoints {
            num_expansions: self.order as u32,
            device_offset: blocks.view(),
            device_cell: cells.view(),
            device_center: centres.view(),
            device_source: narrow.view(),
            device_pos_target: self.points.view(),
            device_field: field.view_mut(),
        });
        items(machine, &field)
    }

    /// Asserts that fields are those of the product, within the largest of their kind.
    fn assert_field(&self, got: &[Vec4<f32>], want: &[Vec4<f64>], what: &str) {
        for d in 0..4 {
            let scale = want.iter().fold(0.0_f64, |m, w| m.max(w.0[d].abs()));
            assert!(scale > 0.0, "{what}: the product's field is 0");
            for (i, (got, want)) in got.iter().zip(want).enumerate() {
                let error = (f64::from(got.0[d]) - want.0[d]).abs();
                let p = self.order;
                assert!(
                    error <= self.tolerance() * scale,
                    "{what}, p = {p}, {i}: {got:?}, not {want:?}"
                );
            }
        }
    }
}

fn centre(forest: &Forest, b: usize) -> Vec4<f32> {
    let [x, y, z] = forest.centre(b).map(|x| x as f32);
    Vec4([x, y, z, 0.0])
}

pub(crate) fn multipoles_of_leaves<M: Launcher>(machine: &M) {
    for order in ORDERS {
        let trial = Trial::new(machine, order);
        let forest = &trial.forest;
        let want = trial.as_printed(machine, Kind::Multipole, &trial.multipoles(machine));
        // Every box can be a leaf: P2M of all its points is what M2M gives.
        let boxes: Vec<usize> = (0..forest.n_boxes()).collect();
        let offsets: Vec<_> = boxes
            .iter()
            .map(|b| Vec2([forest.range[*b].0[0], forest.range[*b].0[1] - forest.range[*b].0[0]]))
            .collect();
        assert!(
            offsets.iter().any(|o| o.0[1] as usize > 2 * trial.count().next_multiple_of(32))
                || order > 4
        );
        let centres: Vec<_> = boxes.iter().map(|b| centre(forest, *b)).collect();
        let (offsets, centres) =
            (machine.buffer_of(&offsets).unwrap(), machine.buffer_of(&centres).unwrap());
        let mut got = machine.allocate(2 * trial.count() * boxes.len()).unwrap();
        let args = P2mTargets {
            num_expansions: order as u32,
            device_offset: offsets.view(),
            device_center: centres.view(),
            device_pos_source: trial.points.view(),
            device_mnm_target: got.view_mut(),
        };
        p2m(machine, args).unwrap();
        trial.assert_close(Kind::Multipole, &boxes, &items(machine, &got), &want, "P2M");
    }
}

/// Launches a translation of product numbers to the boxes of a level, and gives what it leaves in targets that were `before`.
fn translated<M: Launcher>(
    machine: &M,
    trial: &Trial<M>,
    numbers: &[f64],
    records: &Records,
    before: &[f32],
    launch: impl Fn(usize, Listing<f32>),
) -> Vec<f32> {
    let boxes = records.numbers.len() / TRANSLATION_STRIDE;
    let narrow: Vec<f32> = numbers.iter().map(|x| *x as f32).collect();
    let (source, offsets) =
        (machine.buffer_of(&narrow).unwrap(), machine.buffer_of(&records.numbers).unwrap());
    let mut target = machine.buffer_of(before).unwrap();
    let args = Listing {
        num_expansions: trial.order as u32,
        device_offset: offsets.view(),
        box_size: records.unit as f32,
        device_mnm_source: source.view(),
        device_lnm_target: target.view_mut(),
    };
    launch(boxes, args);
    items(machine, &target)
}

pub(crate) fn multipoles_of_parents<M: Launcher>(machine: &M) {
    for order in ORDERS {
        let trial = Trial::new(machine, order);
        let want = trial.as_printed(machine, Kind::Multipole, &trial.multipoles(machine));
        for level in 0..3 {
            let boxes = trial.level(level);
            let n = trial.forest.n_boxes();
            let children = |b: usize| {
                let all = (0..8).map(|octant| trial.forest.child[octant * n + b]);
                all.filter(|child| (*child as usize) < n).collect()
            };
            let records = trial.records(&boxes, children);
            let before = vec![7.0; 2 * trial.count() * boxes.len()];
            let got = translated(machine, &trial, &want, &records, &before, |count, args| {
                m2m(machine, count, args).unwrap();
            });
            trial.assert_close(Kind::Multipole, &boxes, &got, &want, "M2M");
        }
    }
}

pub(crate) fn locals_of_children<M: Launcher>(machine: &M) {
    for order in ORDERS {
        let trial = Trial::new(machine, order);
        let mut local = trial.locals(machine);
        let before = trial.as_printed(machine, Kind::Local, &local);
        let (tree, out) = (trial.product.tree(), local.view_mut());
        trial.operators.l2l(machine, &tree, out, ViewMut::EMPTY).unwrap();
        let want = trial.as_printed(machine, Kind::Local, &local);
        let boxes = trial.level(3);
        let length = 2 * trial.count();
        let own: Vec<f32> = boxes
            .iter()
            .flat_map(|b| before[b * length..][..length].iter().map(|x| *x as f32))
            .collect();
        let records = trial.records(&boxes, |b| vec![trial.forest.parent[b]]);
        let got = translated(machine, &trial, &want, &records, &own, |count, args| {
            l2l(machine, count, args).unwrap();
        });
        trial.assert_close(Kind::Local, &boxes, &got, &want, "L2L");
    }
}

pub(crate) fn fields_of_locals<M: Launcher>(machine: &M) {
    for order in ORDERS.into_iter().skip(1) {
        let trial = Trial::new(machine, order);
        let local = trial.locals(machine);
        let numbers = trial.as_printed(machine, Kind::Local, &local);
        let n = trial.forest.points.len();
        let (mut leaf_of, mut want) = (machine.allocate(n).unwrap(), machine.allocate(n).unwrap());
        let (tree, receivers) = (trial.product.tree(), trial.product.points.view());
        label(machine, &tree, leaf_of.view_mut()).unwrap();
        let (leaf_of, local, field) = (leaf_of.view(), local.view(), want.view_mut());
        let arrays = L2pArrays { leaf_of, receivers, local, field };
        trial.operators.l2p(machine, &tree, arrays, Accumulation::Overwrite).unwrap();
        let got = trial.at_points(
            machine,
            &numbers,
            |leaf| vec![leaf as u32],
            |args| {
                l2p(machine, args).unwrap();
            },
        );
        trial.assert_field(&got, &items(machine, &want), "L2P");
    }
}

pub(crate) fn fields_of_multipoles<M: Launcher>(machine: &M) {
    for order in ORDERS {
        let trial = Trial::new(machine, order);
        let forest = &trial.forest;
        let multipole = trial.multipoles(machine);
        let numbers = trial.as_printed(machine, Kind::Multipole, &multipole);
        let n = forest.points.len();
        let mut want = machine.buffer_of(&vec![Vec4([0.0; 4]); n]).unwrap();
        let offsets = machine.buffer_of(&vec![0; forest.leaves.len() + 1]).unwrap();
        let tree = trial.product.tree();
        let arrays = M2pArrays {
            leaves: tree.leaves,
            rows: ListRows { offsets: offsets.view(), items: View::EMPTY },
            receivers: trial.product.points.view(),
            multipole: multipole.view(),
            field: want.view_mut(),
        };
        trial.operators.m2p(machine, &tree, arrays, FarBoxes::Included).unwrap();
        let pairs = forest.far_pairs();
        let acting = |leaf: usize| {
            let mut ancestors = vec![leaf];
            while (forest.parent[*ancestors.last().unwrap()] as usize) < forest.n_boxes() {
                ancestors.push(forest.parent[*ancestors.last().unwrap()] as usize);
            }
            let far = pairs.iter().filter(|[to, _]| ancestors.contains(to));
            far.map(|[_, from]| *from as u32).collect()
        };
        let got = trial.at_points(machine, &numbers, acting, |args| m2p(machine, args).unwrap());
        trial.assert_field(&got, &items(machine, &want), "M2P");
    }
}
