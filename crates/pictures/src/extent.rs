//! The extent of a snapshot: the view that shows most of it.

use formats::Snapshot;

/// Centre of mass, and the radius around it that holds most particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// Centre of mass (of absolute values).
    pub centre: [f64; 3],
    /// Radius that holds 90 % of the particles.
    pub radius: f64,
}

/// Share of the particles that a view shows at least.
const SHOWN: f64 = 0.9;

impl Extent {
    /// The extent of a snapshot; `None` where it has no particle or no finite extent. Cost: O(N).
    pub fn of(snapshot: &Snapshot) -> Option<Extent> {
        let Snapshot { positions, masses, .. } = snapshot;
        let total: f64 = masses.iter().map(|mass| mass.abs()).sum();
        // Points without mass count alike.
        let weight =
            |mass: &f64| if total > 0.0 { mass.abs() / total } else { 1.0 / masses.len() as f64 };
        let mut centre = [0.0; 3];
        for (position, mass) in positions.iter().zip(masses) {
            for (sum, x) in centre.iter_mut().zip(position) {
                *sum += weight(mass) * x;
            }
        }
        let distance = |position: &[f64; 3]| {
            let [x, y, z]: [f64; 3] = std::array::from_fn(|k| position[k] - centre[k]);
            x.hypot(y).hypot(z)
        };
        let mut distances: Vec<f64> = positions.iter().map(distance).collect();
        let last = distances.len().checked_sub(1)?;
        let (_, radius, _) =
            distances.select_nth_unstable_by((SHOWN * last as f64) as usize, f64::total_cmp);
        let radius = *radius;
        let finite = radius.is_finite() && centre.iter().all(|x| x.is_finite());
        finite.then_some(Extent { centre, radius })
    }

    /// The extent of several snapshots: the mean of their centres, and the largest radius around it.
    pub fn of_all(extents: &[Extent]) -> Option<Extent> {
        let count = extents.len() as f64;
        let centre: [f64; 3] =
            std::array::from_fn(|k| extents.iter().map(|extent| extent.centre[k] / count).sum());
        let reach = |extent: &Extent| {
            let [x, y, z]: [f64; 3] = std::array::from_fn(|k| extent.centre[k] - centre[k]);
            extent.radius + x.hypot(y).hypot(z)
        };
        let radius = extents.iter().map(reach).reduce(f64::max)?;
        Some(Extent { centre, radius })
    }
}
