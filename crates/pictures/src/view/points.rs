//! Points of a frame: chosen by identity number, with 16 bits for each coordinate and 8 for the colour.

use formats::Snapshot;

use super::PointColours;

/// The cube in which coordinates are counted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cube {
    pub(super) centre: [f64; 3],
    /// Half of the side.
    pub(super) half: f64,
}

impl Cube {
    /// Coordinates in steps of the side / 65535, from the lower corner; `None` outside.
    fn quantised(&self, position: &[f64; 3]) -> Option<[u16; 3]> {
        let mut steps = [0; 3];
        for ((step, x), middle) in steps.iter_mut().zip(position).zip(self.centre) {
            let place = 0.5 + 0.5 * (x - middle) / self.half;
            // Rounding may put the farthest point just outside.
            if !(-1e-9..=1.0 + 1e-9).contains(&place) {
                return None;
            }
            *step = (place * f64::from(u16::MAX)).round() as u16;
        }
        Some(steps)
    }
}

/// The points of a frame that are shown.
pub(super) struct Shown {
    /// Identity numbers, ascending.
    pub(super) ids: Vec<u64>,
    /// Coordinates of all points, little-endian, then their colours: 7 bytes a point.
    pub(super) bytes: Vec<u8>,
    /// Chosen points outside of the cube.
    pub(super) outside: usize,
}

impl Shown {
    /// The share of the particles, and one at least where one is inside of the cube.
    pub(super) fn of(
        snapshot: &Snapshot,
        cube: &Cube,
        share: f64,
        colours: PointColours,
        fastest: f64,
    ) -> Shown {
        let Snapshot { positions, velocities, ids, .. } = snapshot;
        let is_inside = |&i: &usize| cube.quantised(&positions[i]).is_some();
        let particles = 0..positions.len();
        let mut chosen: Vec<usize> = particles.clone().filter(|&i| place(ids[i]) < share).collect();
        if !chosen.iter().any(is_inside) {
            let first = particles.filter(is_inside);
            chosen.extend(first.min_by(|&a, &b| place(ids[a]).total_cmp(&place(ids[b]))));
        }
        chosen.sort_unstable_by_key(|&i| (ids[i], i));
        let count = chosen.len();
        let mut shown = Shown { ids: Vec::new(), bytes: Vec::new(), outside: 0 };
        let mut tints = Vec::new();
        for (rank, &i) in chosen.iter().enumerate() {
            let Some(steps) = cube.quantised(&positions[i]) else {
                shown.outside += 1;
                continue;
            };
            let tint = match colours {
                PointColours::Identity => rank as f64 / count as f64,
                PointColours::Speed if fastest > 0.0 => (speed(&velocities[i]) / fastest).sqrt(),
                PointColours::Speed => 0.0,
            };
            shown.ids.push(ids[i]);
            shown.bytes.extend(steps.iter().flat_map(|step| step.to_le_bytes()));
            tints.push((tint * 255.0) as u8);
        }
        shown.bytes.extend(tints);
        shown
    }
}

/// Length of a velocity.
pub(super) fn speed([x, y, z]: &[f64; 3]) -> f64 {
    x.hypot(*y).hypot(*z)
}

/// A place from 0 to 1 that belongs to an identity number (the mixing function of SplitMix64, Steele et al. 2014).
fn place(id: u64) -> f64 {
    let mut bits = id.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (bits ^ (bits >> 31)) as f64 / u64::MAX as f64
}
