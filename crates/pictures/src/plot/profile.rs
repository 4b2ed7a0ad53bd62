//! Density profiles of snapshots: mass per volume of spherical shells.

use formats::Snapshot;

use super::centre::{densest, distance};
use super::energy::with_unit;
use super::{Axis, Figure, Panel, Series};
use crate::numbers::short;

/// Shells of a factor ten in radius.
const PER_DECADE: f64 = 8.0;

/// Density of spherical shells around a centre.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Time of the snapshot.
    pub time: f64,
    /// Radius (geometric mean of inner and outer) and density of each shell, from the inside.
    pub shells: Vec<(f64, f64)>,
}

impl Profile {
    /// Particles of a shell at least; shells of fewer are left out.
    pub const LEAST: usize = 8;

    /// The profile of a snapshot around the point where it is densest. Shells whose density f64 does not hold, or is not
    /// positive, are left out. Cost: O(N log N).
    pub fn of(snapshot: &Snapshot) -> Profile {
        let Some(centre) = densest(snapshot) else {
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
        let filled = sums.into_iter().filter(|(_, (count, _))| *count >= Profile::LEAST);
        let shells = filled.map(|(shell, (_, mass))| {
            let (inner, outer) = (edge(shell as f64), edge(shell as f64 + 1.0));
            let volume = 4.0 / 3.0 * std::f64::consts::PI * (outer.powi(3) - inner.powi(3));
            (edge(shell as f64 + 0.5), mass / volume)
        });
        let shells = shells.filter(|(_, density)| *density > 0.0 && density.is_finite());
        Profile { time: snapshot.time, shells: shells.collect() }
    }
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
