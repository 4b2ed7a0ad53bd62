//! Hulls: boxes around groups of receivers, by which other ranks know how far the groups of a rank open cells.

use std::collections::BTreeMap;
use std::ops::Range;

use octree::walk::{Criterion, ReceiverGroup};
use octree::{Aabb, Octree};

use super::super::group::Group;
use super::Groups;
use crate::api::Error;
use crate::cpu::{CellShape, Geometry, GroupPart, OwnWalks, bounds, least_squared, reach_factor};
use crate::engine::Scalar;

/// Hulls of a rank, at most, besides those of groups that it shares with others: cells are tested against each of them.
const MOST_HULLS: usize = 64;

/// A box around groups that follow each other, or around one group that several ranks have receivers of.
#[derive(Clone, Copy, Debug)]
struct Hull {
    bounds: Aabb,
    /// The largest extent of a group.
    extent: f64,
    /// Name of a group of several ranks; zeros for groups of one.
    name: [u64; 2],
}

/// Hulls of the groups of all ranks.
#[derive(Clone, Debug)]
pub(super) struct Hulls {
    /// Hulls of each rank, by rank.
    all: Vec<Vec<Hull>>,
    /// Receivers of each of this rank's hulls, as tree positions.
    receivers: Vec<Range<usize>>,
    rank: usize,
}

/// A hull, and how far cells are opened for it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    bounds: Aabb,
    factor: f64,
    least2: f64,
}

impl Reach {
    /// Whether a group in the hull may open a cell. It is certain where one does: distances, like all that they are
    /// compared with, are rounded alike, so that those of the hull are no larger and its reach is no smaller.
    pub(super) fn opens(&self, cell: &CellShape) -> bool {
        cell.is_opened_for(&self.bounds, self.factor, self.least2)
    }
}

/// Reaches of the hulls of a vector of charges.
pub(super) struct Reaches {
    /// Reaches of each rank, by rank.
    pub(super) all: Vec<Vec<Reach>>,
    /// Parts that this rank has in groups of several ranks.
    pub(super) cut_groups: Vec<GroupPart>,
}

impl Hull {
    const NO_NAME: [u64; 2] = [0; 2];

    fn to_words(self) -> [u64; 9] {
        let [a, b, c] = self.bounds.min.map(f64::to_bits);
        let [d, e, f] = self.bounds.max.map(f64::to_bits);
        [a, b, c, d, e, f, self.extent.to_bits(), self.name[0], self.name[1]]
    }

    fn from_words([a, b, c, d, e, f, extent, one, other]: [u64; 9]) -> Self {
        let bounds =
            Aabb { min: [a, b, c].map(f64::from_bits), max: [d, e, f].map(f64::from_bits) };
        Self { bounds, extent: f64::from_bits(extent), name: [one, other] }
    }

    fn is_cut(&self) -> bool {
        self.name != Self::NO_NAME
    }
}

impl Hulls {
    /// The hulls of all ranks' groups. Collective.
    pub(super) fn new<T: Scalar>(
        group: &Group,
        geometry: &Geometry<T>,
        groups: &Groups,
    ) -> Result<Self, Error> {
        let (own, receivers) = own_hulls(geometry, groups);
        let words: Vec<[u64; 9]> = own.into_iter().map(Hull::to_words).collect();
        let by_rank = group.gather_by_rank(&words)?;
        let hulls = |words: Vec<[u64; 9]>| words.into_iter().map(Hull::from_words).collect();
        let mut all: Vec<Vec<Hull>> = by_rank.into_iter().map(hulls).collect();
        let mut whole = BTreeMap::<[u64; 2], Aabb>::new();
        for hull in all.iter().flatten() {
            let bounds = whole.entry(hull.name).or_insert(Aabb::EMPTY);
            *bounds = bounds.union(hull.bounds);
        }
        for hull in all.iter_mut().flatten().filter(|hull| hull.is_cut()) {
            hull.bounds = whole[&hull.name];
            hull.extent = hull.bounds.extent();
        }
        Ok(Self { all, receivers, rank: group.rank() })
    }

    /// Whether a rank has receivers.
    pub(super) fn has_receivers(&self, rank: usize) -> bool {
        !self.all[rank].is_empty()
    }

    /// Distances up to which cells are opened for the hulls. Collective.
    pub(super) fn reaches<T: Scalar>(
        &self,
        group: &Group,
        own: &OwnWalks<'_, T>,
    ) -> Result<Reaches, Error> {
        let least = match own.walk.criterion {
            Criterion::Relative { .. } => self.least_gradients(group, own.gradients)?,
            _ => self.all.iter().map(|hulls| vec![1.0; hulls.len()]).collect(),
        };
        let reach = |(hull, gradient): (&Hull, &f64)| Reach {
            bounds: hull.bounds,
            factor: match own.walk.criterion {
                Criterion::Relative { .. } => reach_factor(*gradient),
                _ => 1.0,
            },
            least2: least_squared(own.least_share, hull.extent),
        };
        let of_rank = |(hulls, least): (&Vec<Hull>, &Vec<f64>)| {
            hulls.iter().zip(least).map(reach).collect::<Vec<Reach>>()
        };
        let all = self.all.iter().zip(&least).map(of_rank).collect();
        let here = self.all[self.rank].iter().zip(&self.receivers).zip(&least[self.rank]);
        let cut = here.filter(|((hull, _), _)| hull.is_cut());
        let part = |((hull, receivers), gradient): ((&Hull, &Range<usize>), &f64)| GroupPart {
            start: receivers.start,
            bounds: hull.bounds,
            gradient: *gradient,
        };
        Ok(Reaches { all, cut_groups: cut.map(part).collect() })
    }

    /// The smallest magnitude of the earlier gradient in each hull. Collective.
    fn least_gradients(&self, group: &Group, gradients: &[f64]) -> Result<Vec<Vec<f64>>, Error> {
        let smallest = |a: f64, b: &f64| a.min(*b);
        let of_run =
            |run: &Range<usize>| gradients[run.clone()].iter().fold(f64::INFINITY, smallest);
        let here: Vec<f64> = self.receivers.iter().map(of_run).collect();
        let mut least = group.gather_by_rank(&here)?;
        if let Some(rank) =
            (0..least.len()).find(|rank| least[*rank].len() != self.all[*rank].len())
        {
            return Err(distributed::Error::Unreadable { rank }.into());
        }
        let mut whole = BTreeMap::<[u64; 2], f64>::new();
        for (hull, gradient) in self.all.iter().flatten().zip(least.iter().flatten()) {
            let smallest = whole.entry(hull.name).or_insert(f64::INFINITY);
            *smallest = smallest.min(*gradient);
        }
        for (hull, gradient) in self.all.iter().flatten().zip(least.iter_mut().flatten()) {
            if hull.is_cut() {
                *gradient = whole[&hull.name];
            }
        }
        Ok(least)
    }
}

/// Hulls of this rank's groups, and the receivers of each.
fn own_hulls<T: Scalar>(geometry: &Geometry<T>, groups: &Groups) -> (Vec<Hull>, Vec<Range<usize>>) {
    let tree = &geometry.tree;
    let level = level_of_hulls(tree, &groups.all);
    let mut hulls: Vec<Hull> = Vec::new();
    let mut receivers: Vec<Range<usize>> = Vec::new();
    let mut cell_before = None;
    for (index, group) in groups.all.iter().enumerate() {
        let bounds = bounds(geometry.receivers().slices(group.receivers.clone()));
        let cut = groups.cut.iter().find(|cut| cut.index == index);
        let cell = (cut.is_none()).then(|| cell_at(tree, group, level));
        if let (true, Some(hull), Some(run)) =
            (cell.is_some() && cell == cell_before, hulls.last_mut(), receivers.last_mut())
        {
            hull.bounds = hull.bounds.union(bounds);
            hull.extent = hull.extent.max(bounds.extent());
            run.end = group.receivers.end;
        } else {
            let name = cut.map_or(Hull::NO_NAME, |cut| cut.name);
            hulls.push(Hull { bounds, extent: bounds.extent(), name });
            receivers.push(group.receivers.clone());
        }
        cell_before = cell;
    }
    (hulls, receivers)
}

/// The deepest level whose boxes make few enough hulls.
fn level_of_hulls(tree: &Octree, groups: &[ReceiverGroup]) -> u8 {
    let n_hulls = |level: u8| {
        let cells =
            |pair: &[ReceiverGroup]| [&pair[0], &pair[1]].map(|of| cell_at(tree, of, level));
        1 + groups.windows(2).map(cells).filter(|[one, next]| one != next).count()
    };
    (0..tree.n_levels() as u8).rev().find(|level| n_hulls(*level) <= MOST_HULLS).unwrap_or(0)
}

/// The box of a level, or of the group's own if that is higher, that holds a group.
fn cell_at(tree: &Octree, group: &ReceiverGroup, level: u8) -> octree::Key {
    let key = tree.key(group.cell);
    key.ancestor(level.min(key.level()))
}
