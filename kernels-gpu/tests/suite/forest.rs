//! Trees on a device, made on the host from `octree::Octree`, and expansions to compare with.

use crate::random::random;
use expansions::BoxPoints;
use kernels_gpu::device::{Plain, Vec4};
use kernels_gpu::machine::{Buffer, Launcher};
use kernels_gpu::operators::coefficients::groups;
use kernels_gpu::operators::{Boxes, Geometry, NONE, Operator, Tree};
use octree::{Depth, Key, Octree};
use std::collections::HashMap;

/// Points in part of a cube far from the origin, with charges of both signs; all numbers are exact in f32.
pub(crate) fn points(n: u64, clustered: bool) -> Vec<[f64; 4]> {
    let place = |i: u64, d: u64| {
        let shrink = if clustered { 0.5_f64.powi((i % 5) as i32) } else { 1.0 };
        f64::from((3.0 + 2.0 * shrink * random(4 * i + d)) as f32)
    };
    (0..n)
        .map(|i| {
            [place(i, 0), place(i, 1), place(i, 2), f64::from(random(4 * i + 3) as f32) - 0.25]
        })
        .collect()
}

/// The boxes of an octree in the device's order.
pub(crate) struct Forest {
    pub(crate) octree: Octree,
    /// (x, y, z, charge) in the tree's order.
    pub(crate) points: Vec<[f64; 4]>,
    /// By box.
    pub(crate) keys: Vec<Key>,
    pub(crate) range: Vec<Vec4<u32>>,
    pub(crate) parent: Vec<u32>,
    /// At octant · B + box.
    pub(crate) child: Vec<u32>,
    /// At direction · B + box.
    pub(crate) colleague: Vec<u32>,
    pub(crate) level_start: Vec<u32>,
    pub(crate) leaves: Vec<u32>,
}

impl Forest {
    pub(crate) fn new(points: &[[f64; 4]], depth: Depth) -> Self {
        let positions: Vec<_> = points.iter().map(|[x, y, z, _]| [*x, *y, *z]).collect();
        let octree = Octree::build(&positions, depth).unwrap();
        let points = octree.source_permutation().iter().map(|&i| points[i as usize]).collect();
        let mut order: Vec<usize> = (0..octree.n_boxes()).collect();
        order.sort_by_key(|&b| {
            (octree.key(b).level(), octree.key(b).octant(), octree.key(b).code())
        });
        let keys: Vec<Key> = order.iter().map(|&b| octree.key(b)).collect();
        let place: HashMap<Key, u32> =
            keys.iter().enumerate().map(|(b, k)| (*k, b as u32)).collect();
        let of = |key: Option<Key>| key.and_then(|key| place.get(&key).copied()).unwrap_or(NONE);
        let is_leaf = |b: u32| octree.is_leaf(order[b as usize]);
        let colleague = |key: Key, d: usize| {
            let shift = [d % 3, d / 3 % 3, d / 9];
            let last = (1i64 << key.level()) - 1;
            let at = [0, 1, 2].map(|i| i64::from(key.coordinates()[i]) + shift[i] as i64 - 1);
            if at.iter().any(|c| *c < 0 || *c > last) {
                return NONE;
            }
            let there = Key::from_coordinates(key.level(), at.map(|c| c as u32));
            let own = of(Some(there));
            if own != NONE {
                return own;
            }
            let above = (0..key.level()).rev().map(|level| of(Some(there.ancestor(level))));
            above.into_iter().find(|&b| b != NONE).filter(|&b| is_leaf(b)).unwrap_or(NONE)
        };
        let slot = |key: &Key| 8 * u32::from(key.level()) + u32::from(key.octant());
        Self {
            range: order
                .iter()
                .map(|&b| {
                    let range = octree.sources(b);
                    let [begin, end] = [range.start as u32, range.end as u32];
                    Vec4([begin, end, begin, end])
                })
                .collect(),
            parent: keys.iter().map(|key| of(key.parent())).collect(),
            child: (0..8)
                .flat_map(|octant| keys.iter().map(move |key| (octant, *key)))
                .map(
                    |(octant, key)| {
                        if key.level() < 21 { of(Some(key.child(octant))) } else { NONE }
                    },
                )
                .collect(),
            colleague: (0..27)
                .flat_map(|d| keys.iter().map(move |key| (d, *key)))
                .map(|(d, key)| colleague(key, d))
                .collect(),
            level_start: (0..=176)
                .map(|s| keys.iter().filter(|key| slot(key) < s).count() as u32)
                .collect(),
            leaves: (0..keys.len() as u32).filter(|&b| is_leaf(b)).collect(),
            keys,
            octree,
            points,
        }
    }

    pub(crate) fn n_boxes(&self) -> usize {
        self.keys.len()
    }

    pub(crate) fn centre(&self, b: usize) -> [f64; 3] {
        self.octree.cube().center(self.keys[b])
    }

    pub(crate) fn side(&self, b: usize) -> f64 {
        self.octree.cube().side_at(self.keys[b].level())
    }

    /// The points and charges of a box, relative to box `to`.
    pub(crate) fn box_points(&self, b: usize, to: usize) -> (BoxPoints<f64>, Vec<f64>) {
        let Vec4([begin, end, ..]) = self.range[b];
        let points = &self.points[begin as usize..end as usize];
        let axis = |d: usize| points.iter().map(|point| point[d]).collect::<Vec<_>>();
        let [x, y, z, charges] = [axis(0), axis(1), axis(2), axis(3)];
        let mut out = BoxPoints::new();
        out.set(self.centre(to), self.side(to), [&x, &y, &z]);
        (out, charges)
    }

    /// Steps from box `a` to box `b` of its level.
    pub(crate) fn offset(&self, a: usize, b: usize) -> [i32; 3] {
        let [a, b] = [self.keys[a], self.keys[b]].map(Key::coordinates);
        [0, 1, 2].map(|d| b[d] as i32 - a[d] as i32)
    }

    /// All pairs of box and far box: V.
    pub(crate) fn far_pairs(&self) -> Vec<[usize; 2]> {
        let near = |a: usize, b: usize| self.offset(a, b).iter().all(|c| c.abs() < 2);
        let n = self.n_boxes();
        let pairs = (0..n).flat_map(|a| (0..n).map(move |b| [a, b]));
        let far = |[a, b]: &[usize; 2]| {
            self.keys[*a].level() == self.keys[*b].level()
                && !near(*a, *b)
                && near(self.parent[*a] as usize, self.parent[*b] as usize)
        };
        pairs
            .filter(|[a, b]| self.keys[*a].level() > 1 && self.keys[*b].level() > 1)
            .filter(far)
            .collect()
    }
}

/// The arrays of a [`Forest`] on a device.
pub(crate) struct Planted<M: Launcher, T: Operator> {
    boxes: Boxes<T>,
    leaves: M::Buffer<u32>,
    level_start: Vec<u32>,
    pub(crate) points: M::Buffer<Vec4<T>>,
    _words: Vec<M::Buffer<u32>>,
    _key: M::Buffer<u64>,
    _range: M::Buffer<Vec4<u32>>,
}

impl<M: Launcher, T: Operator> Planted<M, T> {
    pub(crate) fn new(machine: &M, forest: &Forest) -> Self {
        let cube = forest.octree.cube();
        let level: Vec<u32> = forest.keys.iter().map(|key| u32::from(key.level())).collect();
        let codes: Vec<u64> = forest.keys.iter().map(|key| key.code()).collect();
        let key = machine.buffer_of(&codes).unwrap();
        let range = machine.buffer_of(&forest.range).unwrap();
        let words = [&level, &forest.parent, &forest.child, &forest.colleague, &forest.level_start];
        let words: Vec<_> = words.iter().map(|items| machine.buffer_of(items).unwrap()).collect();
        let boxes = Boxes {
            cube: Geometry::new(cube.corner(), cube.side()),
            count: forest.n_boxes() as u32,
            key: key.view(),
            level: words[0].view(),
            range: range.view(),
            parent: words[1].view(),
            child: words[2].view(),
            colleague: words[3].view(),
            level_start: words[4].view(),
        };
        let points: Vec<_> =
            forest.points.iter().map(|point| Vec4(point.map(T::from_f64))).collect();
        Self {
            boxes,
            leaves: machine.buffer_of(&forest.leaves).unwrap(),
            level_start: forest.level_start.clone(),
            points: machine.buffer_of(&points).unwrap(),
            _words: words,
            _key: key,
            _range: range,
        }
    }

    pub(crate) fn tree(&self) -> Tree<'_, T> {
        Tree { boxes: self.boxes, level_start: &self.level_start, leaves: self.leaves.view() }
    }
}

/// Expansions by box, as the crate `expansions` has them.
pub(crate) struct Expansions {
    pub(crate) order: usize,
    pub(crate) rows: Vec<f64>,
}

impl Expansions {
    pub(crate) fn zero(order: usize, n: usize) -> Self {
        Self { order, rows: vec![0.0; n * expansions::layout::row_length(order)] }
    }

    /// Numbers that fall with the degree, as those of a multipole do.
    pub(crate) fn random(order: usize, n: usize) -> Self {
        let mut out = Self::zero(order, n);
        for b in 0..n {
            for (c, x) in out.row_mut(b).iter_mut().enumerate() {
                *x = f64::from(
                    ((random((1000 * b + c) as u64) - 0.5) * 0.8_f64.powi(c.isqrt() as i32)) as f32,
                );
            }
        }
        out
    }

    pub(crate) fn row(&self, b: usize) -> &[f64] {
        &self.rows[b * expansions::layout::row_length(self.order)..][..self.order * self.order]
    }

    pub(crate) fn row_mut(&mut self, b: usize) -> &mut [f64] {
        let length = expansions::layout::row_length(self.order);
        &mut self.rows[b * length..][..self.order * self.order]
    }

    fn n(&self) -> usize {
        self.rows.len() / expansions::layout::row_length(self.order)
    }

    /// On a device, coefficient by coefficient.
    pub(crate) fn plant<M: Launcher, T: Operator>(&self, machine: &M) -> M::Buffer<Vec4<T>> {
        let n = self.n();
        let mut items = vec![Vec4([T::ZERO; 4]); n * groups(self.order)];
        for b in 0..n {
            for (c, x) in self.row(b).iter().enumerate() {
                items[c / 4 * n + b].0[c % 4] = T::from_f64(*x);
            }
        }
        machine.buffer_of(&items).unwrap()
    }

    /// Asserts that a device's numbers are these, within `tolerance` of the largest of their box, for boxes that `which`
    /// chooses.
    pub(crate) fn assert_close<T: Operator>(
        &self,
        items: &[Vec4<T>],
        tolerance: f64,
        which: impl Fn(usize) -> bool,
        what: &str,
    ) {
        let n = self.n();
        for b in (0..n).filter(|&b| which(b)) {
            let largest = self.row(b).iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            for (c, want) in self.row(b).iter().enumerate() {
                let got = items[c / 4 * n + b].0[c % 4].to_f64();
                let error = (got - want).abs();
                assert!(
                    error <= tolerance * largest,
                    "{what}: box {b}, {c}: {got:e}, not {want:e}"
                );
            }
        }
    }
}

/// All items of a type on a device.
pub(crate) fn items<M: Launcher, T: Plain>(machine: &M, buffer: &M::Buffer<T>) -> Vec<T> {
    machine.items_of(buffer).unwrap()
}
