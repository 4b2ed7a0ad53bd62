//! Density profiles of snapshots: mass per volume of spherical shells.

use formats::Snapshot;

use super::energy::with_unit;
use super::{Axis, Figure, Panel, Series};
use crate::extent::Extent;
use crate::numbers::short;

/// Shells of a factor ten in radius.
const PER_DECADE: f64 = 8.0;
/// Particles of a shell at least; shells of fewer are left out.
const LEAST: usize = 8;

/// Density of spherical shells around a centre.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Time of the snapshot.
    pub time: f64,
    /// Radius (geometric mean of inner and outer) and density of each shell, from the inside.
    pub shells: Vec<(f64, f64)>,
}

impl Profile {
    /// The profile of a snapshot around the point where it is densest: the centre of mass of the particles near it, in
    /// spheres that shrink (Power et al., MNRAS 338, 2003, section 2.5). Cost: O(N).
    pub fn of(snapshot: &Snapshot) -> Profile {
        let Some(centre) = centre(snapshot) else {
            return Profile { time: snapshot.time, shells: Vec::new() };
        };
        let shell = |radius: f64| (radius.log10() * PER_DECADE).floor() as i64;
        let mut sums = std::collections::BTreeMap::<i64, (usize, f64)>::new();
        for (position, mass) in snapshot.positions.iter().zip(&snapshot.masses) {
            let radius = distance(position, centre);
            if radius > 0.0 {
                let (count, sum) = sums.entry(shell(radius)).or_default();
                *count += 1;
                *sum += mass;
            }
        }
        let edge = |shell: f64| 10f64.powf(shell / PER_DECADE);
        let shells =
            sums.into_iter().filter(|(_, (count, _))| *count >= LEAST).map(|(shell, (_, mass))| {
                let (inner, outer) = (edge(shell as f64), edge(shell as f64 + 1.0));
                let volume = 4.0 / 3.0 * std::f64::consts::PI * (outer.powi(3) - inner.powi(3));
                (edge(shell as f64 + 0.5), mass / volume)
            });
        Profile { time: snapshot.time, shells: shells.collect() }
    }
}

/// The densest place: spheres around the centre of mass shrink until few particles are left.
fn centre(snapshot: &Snapshot) -> Option<[f64; 3]> {
    const SHRINK: f64 = 0.8;
    const FEW: usize = 100;
    let Extent { mut centre, mut radius } = Extent::of(snapshot)?;
    loop {
        let inside = snapshot.positions.iter().zip(&snapshot.masses);
        let inside = inside.filter(|(position, _)| distance(position, centre) <= radius);
        let (mut count, mut total, mut sum) = (0usize, 0.0, [0.0; 3]);
        for (position, mass) in inside {
            count += 1;
            total += mass;
            for (sum, x) in sum.iter_mut().zip(position) {
                *sum += mass * x;
            }
        }
        if count < FEW || total <= 0.0 || radius == 0.0 {
            return Some(centre);
        }
        centre = sum.map(|x| x / total);
        radius *= SHRINK;
    }
}

fn distance(position: &[f64; 3], centre: [f64; 3]) -> f64 {
    let [x, y, z]: [f64; 3] = std::array::from_fn(|k| position[k] - centre[k]);
    x.hypot(y).hypot(z)
}

/// Densities against radius, a line for each profile.
pub fn profiles(profiles: &[Profile], length_unit: &str, time_unit: &str) -> Figure {
    let series = profiles.iter().map(|profile| Series {
        name: format!("t = {} {time_unit}", short(profile.time)).trim_end().to_owned(),
        points: profile.shells.clone(),
    });
    let panel = Panel {
        title: "Density profile".to_owned(),
        x: Axis::logarithmic(with_unit("radius", length_unit)),
        y: Axis::logarithmic("density: mass / volume"),
        series: series.collect(),
    };
    Figure { panels: vec![panel] }
}
