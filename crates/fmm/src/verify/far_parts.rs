//! Sums over some sources at a few receivers: in f64, or in f32 where sources are far.
//!
//! Coordinates in f32 are taken as offsets from the middle of a part, in distances of its nearest far receiver, and charges in the
//! largest of the part. Offsets are rounded by at most 2⁻²⁴ of themselves, whatever the origin and
//! the unit. That is 2⁻²² of the shortest distance, and 2⁻²³ of distances that are long beside the part: a term of the
//! potential is wrong by as much of itself and one of the gradient by twice that. Errors of different parts are
//! independent. Near parts are summed in f64.

use expansions::operators::{PairAccuracy, PointSums, Sources, p2p};

/// Sources of a part: p2p adds so many plainly, and a shorter part has fewer receivers near.
const PART: usize = 512;

/// Distance from the bounding box of a part from which receivers are far, in half diagonals of the box.
const FAR: f64 = 0.5;

/// Far receivers of a part, at least: a vector of f64 on the widest processors, in which the near ones take as long.
const FEWEST: usize = 8;

/// A few receivers, and the softening of their sums.
#[derive(Clone, Copy)]
pub(crate) struct FewReceivers<'a> {
    pub(crate) at: &'a [Vec<f64>; 3],
    pub(crate) softening: f64,
}

impl FewReceivers<'_> {
    /// Adds potential and gradient (Φ, gx, gy, gz) of some sources, in f64; none where the arrays of the gradient are empty.
    pub(crate) fn add(
        self,
        coordinates: [&[f64]; 3],
        charges: &[f64],
        [potential, x, y, z]: &mut [Vec<f64>; 4],
    ) {
        p2p(
            &Sources { coordinates, charges: &[charges] },
            std::slice::from_ref(&(0..charges.len())),
            self.at.each_ref().map(Vec::as_slice),
            self.softening,
            PairAccuracy::Full,
            &mut [PointSums { potential, gradient: [x, y, z] }],
        );
    }

    /// Adds the pairs with far parts of the sources in f32. Cost: half where most are far.
    pub(super) fn add_far_in_f32(
        self,
        coordinates: [&[f64]; 3],
        charges: &[f64],
        sums: &mut [Vec<f64>; 4],
    ) {
        for start in (0..charges.len()).step_by(PART) {
            let range = start..charges.len().min(start + PART);
            let part = Part::new(coordinates.map(|axis| &axis[range.clone()]), &charges[range]);
            let all = 0..sums[0].len();
            let (far, near): (Vec<usize>, Vec<usize>) =
                all.partition(|place| part.is_far(self.at, *place));
            if far.len() < FEWEST {
                self.add(part.coordinates, part.charges, sums);
                continue;
            }
            part.add_far(self, &far, sums);
            if !near.is_empty() {
                let at = self.at.each_ref().map(|axis| near.iter().map(|i| axis[*i]).collect());
                let mut found = [(); 4].map(|()| vec![0.0; near.len()]);
                FewReceivers { at: &at, ..self }.add(part.coordinates, part.charges, &mut found);
                scatter(&found, &near, [1.0; 4], sums);
            }
        }
    }
}

/// Sources that follow each other.
struct Part<'a> {
    coordinates: [&'a [f64]; 3],
    charges: &'a [f64],
    middle: [f64; 3],
    /// Half of the bounding box's sides.
    halves: [f64; 3],
}

impl<'a> Part<'a> {
    fn new(coordinates: [&'a [f64]; 3], charges: &'a [f64]) -> Self {
        let bounds = coordinates.map(bounds);
        let middle = bounds.map(|[low, high]| 0.5 * (low + high));
        let halves = bounds.map(|[low, high]| 0.5 * (high - low));
        Self { coordinates, charges, middle, halves }
    }

    /// Whether a receiver is far from the bounding box, for its size. Squares beyond the range of f64 are not far.
    fn is_far(&self, at: &[Vec<f64>; 3], place: usize) -> bool {
        let beside = [0, 1, 2].map(|axis| {
            let offset = (at[axis][place] - self.middle[axis]).abs();
            (offset - self.halves[axis]).max(0.0)
        });
        square(beside) > FAR * FAR * square(self.halves)
    }

    /// Adds the sums at far receivers.
    fn add_far(&self, receivers: FewReceivers<'_>, far: &[usize], sums: &mut [Vec<f64>; 4]) {
        let [lowest, highest] = bounds(self.charges);
        let largest = highest.max(-lowest);
        if largest == 0.0 {
            return;
        }
        let offset = |axis: usize, place: &usize| receivers.at[axis][*place] - self.middle[axis];
        let squares = far.iter().map(|place| square([0, 1, 2].map(|axis| offset(axis, place))));
        let unit = squares.fold(f64::INFINITY, f64::min).sqrt();
        let scale = unit.recip();
        let at: [Vec<f32>; 3] = [0, 1, 2]
            .map(|axis| far.iter().map(|place| (offset(axis, place) * scale) as f32).collect());
        let offsets: [Vec<f32>; 3] = [0, 1, 2].map(|axis| {
            let middle = self.middle[axis];
            self.coordinates[axis].iter().map(|x| ((x - middle) * scale) as f32).collect()
        });
        let share = largest.recip();
        let charges: Vec<f32> = self.charges.iter().map(|q| (q * share) as f32).collect();
        let mut found = [(); 4].map(|()| vec![0.0_f32; far.len()]);
        let [potential, x, y, z] = &mut found;
        p2p(
            &Sources { coordinates: offsets.each_ref().map(Vec::as_slice), charges: &[&charges] },
            std::slice::from_ref(&(0..charges.len())),
            at.each_ref().map(Vec::as_slice),
            (receivers.softening * scale) as f32,
            PairAccuracy::Full,
            &mut [PointSums { potential, gradient: [x, y, z] }],
        );
        let (once, twice) = (largest / unit, largest / unit / unit);
        scatter(&found, far, [once, twice, twice, twice], sums);
    }
}

/// Adds sums at some receivers to those at all.
fn scatter<T: Copy + Into<f64>>(
    found: &[Vec<T>; 4],
    places: &[usize],
    factors: [f64; 4],
    sums: &mut [Vec<f64>; 4],
) {
    for ((found, factor), sums) in found.iter().zip(factors).zip(sums) {
        for (found, place) in found.iter().zip(places) {
            sums[*place] += factor * (*found).into();
        }
    }
}

/// The lowest and the highest of some numbers, found side by side in stretches, since one comparison waits for another.
fn bounds(values: &[f64]) -> [f64; 2] {
    const STRETCHES: usize = 8;
    let mut lows = [f64::INFINITY; STRETCHES];
    let mut highs = [f64::NEG_INFINITY; STRETCHES];
    for values in values.chunks(STRETCHES) {
        for ((low, high), value) in lows.iter_mut().zip(&mut highs).zip(values) {
            *low = if *value < *low { *value } else { *low };
            *high = if *value > *high { *value } else { *high };
        }
    }
    [
        lows.into_iter().fold(f64::INFINITY, f64::min),
        highs.into_iter().fold(f64::NEG_INFINITY, f64::max),
    ]
}

fn square([x, y, z]: [f64; 3]) -> f64 {
    x * x + y * y + z * z
}
