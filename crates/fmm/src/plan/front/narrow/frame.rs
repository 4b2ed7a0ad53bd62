//! The frame: positions in f64, in a unit and about an origin by which f32 keeps most of their digits.

use std::ops::Range;

use octree::{Aabb, PointSet};

use super::TASK;
use crate::api::Error;
use crate::engine::{PointSets, Unit, bounds_of_sets};
use crate::ranks::Group;
use crate::verify::Wide;

/// Smallest distance of coordinates in f32, 2⁻³⁸ of the unit, 3.6e-12. Near the origin f32 has smaller ones, at which its sums leave
/// pairs out as coincident: those nearer than 6.3e-13 of the sums' unit ([`expansions::operators::Sources`]). That is up to 4 of this
/// one, since the cube is up to two times the extent, which is below 2, and rounded up to few bits. In whole numbers of the step,
/// points are farther apart or at one place.
const STEP: f64 = 1.0 / (1_u64 << 38) as f64;

/// Positions in a unit of their own, by which no digit is lost.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) unit: Unit,
    /// The longest side of the box around the positions.
    pub(super) extent: f64,
    /// The middle of the positions, from which they are taken before they are narrowed.
    origin: [f64; 3],
    pub(super) sources: Vec<[f64; 3]>,
    /// `None`: the receivers are the sources.
    pub(super) receivers: Option<Vec<[f64; 3]>>,
}

impl Frame {
    /// The frame of the points of all ranks, which are refused if they are not finite or too large. Collective.
    pub(super) fn new(ranks: Option<&Group>, points: &PointSets<'_, f64>) -> Result<Self, Error> {
        let receivers = points.receivers.unwrap_or_default();
        let sets = [(PointSet::Sources, points.sources), (PointSet::Receivers, receivers)];
        for (set, positions) in sets {
            let bad = |i: usize| !positions[i].iter().all(|x| x.is_finite());
            if let Some(index) = parallel::first(positions.len(), TASK, bad) {
                let position = positions[index];
                return Err(octree::Error::NotFinite { set, index, position }.into());
            }
        }
        let own = bounds_of_sets([points.sources, receivers]);
        let all = ranks.map_or(Ok(own), |group| group.bounds(own))?;
        let (Aabb { min: low, max: high }, side) = (all, all.extent());
        let magnitude = low.iter().chain(&high).fold(0.0, |m: f64, c| m.max(c.abs()));
        let empty = low[0] > high[0];
        if !empty && magnitude > f64::MAX / 4.0 {
            return Err(octree::Error::TooLarge { magnitude }.into());
        }
        let unit = Unit::of(if empty || side == 0.0 { 1.0 } else { side });
        let middle =
            if empty { [0.0; 3] } else { [0, 1, 2].map(|d| low[d] + 0.5 * (high[d] - low[d])) };
        let scaled = |positions: &[[f64; 3]]| {
            let point = |i: usize| positions[i].map(|c| unit.shrink(c));
            parallel::collect(positions.len(), TASK, point)
        };
        let (sources, receivers) = (scaled(points.sources), points.receivers.map(scaled));
        let (extent, origin) =
            (unit.shrink(if empty { 0.0 } else { side }), middle.map(|c| unit.shrink(c)));
        Ok(Self { unit, extent, origin, sources, receivers })
    }

    /// Sources and receivers in f32; see [`Self::narrow`].
    pub(super) fn narrowed(&self) -> (Vec<[f32; 3]>, Option<Vec<[f32; 3]>>) {
        let narrowed = |positions: &[[f64; 3]]| {
            parallel::collect(positions.len(), TASK, |i| self.narrow(positions[i]))
        };
        (narrowed(&self.sources), self.receivers.as_deref().map(narrowed))
    }

    /// A position of the frame in f32, about the origin and in whole numbers of [`STEP`].
    pub(super) fn narrow(&self, position: [f64; 3]) -> [f32; 3] {
        let coordinate = |x: f64| (STEP * (x / STEP).round_ties_even()) as f32;
        [0, 1, 2].map(|d| coordinate(position[d] - self.origin[d]))
    }

    pub(super) fn receivers(&self) -> &[[f64; 3]] {
        self.receivers.as_deref().unwrap_or(&self.sources)
    }

    /// Coordinates of some receivers by axis.
    pub(super) fn at(&self, places: &[usize]) -> [Vec<f64>; 3] {
        let receivers = self.receivers();
        [0, 1, 2].map(|axis| places.iter().map(|place| receivers[*place][axis]).collect())
    }

    /// Copies ranges of the sources, with their charges.
    pub(super) fn wide<'a>(
        &'a self,
        charges: &'a [f64],
    ) -> impl Fn(Range<usize>) -> Wide + Sync + 'a {
        move |range| {
            let points = &self.sources[range.clone()];
            let [x, y, z] = [0, 1, 2].map(|axis| points.iter().map(|point| point[axis]).collect());
            [x, y, z, charges[range].to_vec()]
        }
    }
}
