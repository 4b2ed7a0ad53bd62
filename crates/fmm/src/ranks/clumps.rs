//! Clumps over ranks: which there are, and a part of the sum of each of them.
//!
//! All ranks find the same clumps, from counts of boxes that they gather. The points of a clump are a sum of their own over
//! all ranks, which cuts them by their own curve: two ranks that own a cluster each do not work while the others wait.

use std::ops::Range;

use octree::partition::{BoxRecord, Partition, SharedBoxes};
use octree::{Key, Octree, SplitRule};

use super::RankPart;
use super::group::Group;
use super::{Devices, Stretch};
use crate::api::{Device, Error, Report, Request};
use crate::choose::TreeShape;
use crate::cpu::{
    BoxCount, Buffers, Census, ClumpKeys, ClumpPoints, Clumps, Ends, InnerRoom, last_level,
    neighborhoods,
};
use crate::engine::{Charges, Scalar};

/// Counts of boxes of all ranks' parts of a tree.
pub(super) struct PartsCensus<'a> {
    pub(super) group: &'a Group,
    pub(super) part: &'a Octree,
    pub(super) partition: &'a Partition,
    pub(super) shared: &'a SharedBoxes,
}

impl PartsCensus<'_> {
    /// Boxes of all ranks that this one has to name, those that several share being known to all. Collective.
    fn of_all(
        &self,
        own: impl Iterator<Item = usize>,
        names: impl Fn(&BoxCount) -> bool,
    ) -> Result<Vec<BoxCount>, Error> {
        let own = own.filter(|b| !self.partition.is_shared(self.part.key(*b)));
        let named = own.map(|b| BoxCount::of(self.part, b)).filter(&names);
        let words = |count: BoxCount| {
            let [n_sources, n_receivers] = [count.n_sources, count.n_receivers].map(|n| n as u32);
            BoxRecord { key: count.key, n_sources, n_receivers, is_leaf: false }.to_words()
        };
        let rows: Vec<[u64; 3]> = named.map(words).collect();
        let by_rank = self.group.gather_by_rank(&rows)?;
        let mut counts = Vec::new();
        for (rank, rows) in by_rank.into_iter().enumerate() {
            for row in rows {
                let record = BoxRecord::from_words(row);
                let BoxRecord { key, n_sources, n_receivers, .. } =
                    record.ok_or(distributed::Error::Unreadable { rank })?;
                let [n_sources, n_receivers] = [n_sources, n_receivers].map(|n| n as usize);
                counts.push(BoxCount { key, n_sources, n_receivers });
            }
        }
        let shared = self.shared.keys().iter().enumerate().map(|(i, key)| {
            let [n_sources, n_receivers] = self.shared.totals(i).map(|n| n as usize);
            BoxCount { key: *key, n_sources, n_receivers }
        });
        counts.extend(shared.filter(|count| count.is_above(0) && names(count)));
        counts.sort_unstable();
        Ok(counts)
    }

    /// Levels of the whole tree. Collective.
    fn n_levels(&self) -> Result<usize, Error> {
        let mut levels = [self.part.n_levels() as f64];
        self.group.largest(&mut levels)?;
        Ok(levels[0] as usize)
    }
}

impl Census for PartsCensus<'_> {
    fn above(&self, level: usize, limit: usize) -> Result<Vec<BoxCount>, Error> {
        let boxes = if level < self.part.n_levels() { self.part.level(level) } else { 0..0 };
        let names =
            |count: &BoxCount| usize::from(count.key.level()) == level && count.is_above(limit);
        self.of_all(boxes, names)
    }

    fn around(&self, keys: &[Key]) -> Result<Vec<BoxCount>, Error> {
        let around = neighborhoods(keys);
        let own = around.iter().filter_map(|key| self.part.find(*key));
        self.of_all(own, |count| around.binary_search(&count.key).is_ok())
    }
}

/// Clumps of a tree, or a better tree for them.
pub(super) enum Found {
    Clumps(ClumpKeys),
    /// Clumps for whose sake the tree should end at a higher level.
    EndsAt(usize),
}

/// The clumps of a tree by a rule, which may be of a shape or end higher than the shape for the sake of clumps. Collective.
pub(super) fn find(
    census: &PartsCensus<'_>,
    rule: &SplitRule,
    shape: &TreeShape,
) -> Result<Found, Error> {
    let deepest = usize::from(rule.deepest());
    if rule.depth() != shape.depth {
        return Ok(Found::Clumps(ClumpKeys::new(census, shape, deepest)?));
    }
    match last_level(census, rule.cube(), census.n_levels()?, shape)? {
        None => Ok(Found::Clumps(ClumpKeys::default())),
        Some(level) if level < deepest => Ok(Found::EndsAt(level)),
        Some(level) => Ok(Found::Clumps(ClumpKeys::new(census, shape, level)?)),
    }
}

/// The part of a rank in the sum of a clump.
#[derive(Clone, Debug)]
pub(super) struct InnerPart<T> {
    /// Own sources as positions in the outer tree.
    sources: Vec<Range<usize>>,
    /// Receivers as positions in the outer tree.
    receivers: Vec<Range<usize>>,
    part: RankPart<T>,
    report: Report,
}

impl<T: Scalar> InnerPart<T> {
    /// The rank's parts in all clumps of a layout, whose points these are. Collective.
    pub(super) fn all(
        request: Request,
        group: &Group,
        devices: Devices<T>,
        clumps: &Clumps,
        points: Vec<ClumpPoints<T>>,
    ) -> Result<Vec<Self>, Error> {
        let request = Request { device: Device::Cpu, ..request };
        let mut parts = Vec::new();
        for (clump, points) in clumps.all.iter().zip(points) {
            let Ends(mut ends) = points.ends();
            group.largest(&mut ends)?;
            let points = points.about(Ends(ends));
            let (part, report) = RankPart::new(request, group, &points.sets(), devices, None)?;
            let (sources, receivers) = (clump.sources.clone(), clump.receivers.clone());
            parts.push(Self { sources, receivers, part, report });
        }
        Ok(parts)
    }

    /// The report of the clump's plan.
    pub(super) fn report(&self) -> &Report {
        &self.report
    }
}

impl<T: Scalar> Stretch<T> {
    /// Evaluates the clumps for the charges in the buffers, one after the other. `earlier` is an earlier gradient in the order
    /// in which the receivers came. Collective.
    pub(super) fn sum_clumps(
        &self,
        group: &Group,
        n_vectors: usize,
        earlier: Option<&[[T; 3]]>,
        buffers: &mut Buffers<T>,
    ) -> Result<(), Error> {
        let Buffers { charges: vectors, charge_units: units, clumps: rooms, .. } = buffers;
        rooms.resize_with(self.inner.len(), InnerRoom::default);
        let order = self.layout.geometry.tree.receiver_permutation();
        for (inner, room) in self.inner.iter().zip(rooms) {
            let earlier: Option<Vec<[T; 3]>> = earlier.map(|earlier| {
                let indices = inner.receivers.iter().flat_map(|run| &order[run.clone()]);
                indices.map(|index| earlier[*index as usize]).collect()
            });
            room.take_charges(&vectors[..n_vectors], units, &inner.sources);
            let n_sources = inner.sources.iter().map(Range::len).sum();
            let (vectors, fields, workspace) = room.parts();
            let charges = Charges::new(&vectors, n_sources, earlier.as_deref())?;
            let found = inner.part.evaluate(group, &inner.report, &charges, workspace)?;
            for (field, found) in fields.iter_mut().zip(found) {
                *field = found;
            }
        }
        Ok(())
    }

    /// Adds the fields of the clumps to the sums, and their counts and memory to the report.
    pub(super) fn add_clumps(&self, buffers: &mut Buffers<T>, report: &mut Report) {
        let Buffers { sums, charge_units, clumps: rooms, .. } = buffers;
        for (inner, room) in self.inner.iter().zip(&*rooms) {
            room.add_to(&inner.receivers, self.layout.geometry.unit, charge_units, sums);
            if let Some(field) = room.fields.first() {
                report.add_inner(&field.report);
                report.bytes += room.bytes();
            }
        }
    }
}
