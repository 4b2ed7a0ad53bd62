//! The place where a snapshot is densest.

use formats::Snapshot;

use crate::extent::Extent;

/// Particles of the last sphere, and of a density; fewer where there are few.
const FEW: usize = 100;
/// Particles of a leaf at most.
const LEAF: usize = 64;

/// The place where a snapshot is densest; `None` where it has no extent. Two spheres shrink to it: one around most of the
/// mass, which fluctuations do not draw aside, and one around the densest leaf of a k-d tree, which does not come to rest
/// between two clusters. Cost: O(N log N).
pub(super) fn densest(snapshot: &Snapshot) -> Option<[f64; 3]> {
    /// Factor of densities above which the leaf's sphere wins: fluctuations of [`FEW`] particles stay below.
    const DENSER: f64 = 1.5;
    let all = shrunk(snapshot, Extent::of(snapshot)?);
    let mut indices: Vec<usize> = (0..snapshot.positions.len()).collect();
    let leaf = shrunk(snapshot, leaf(snapshot, &mut indices).1);
    let densities = [all, leaf].map(|centre| concentration(snapshot, centre));
    Some(if densities[1] > DENSER.cbrt() * densities[0] { leaf } else { all })
}

/// The densest leaf of a k-d tree that is split at medians: its concentration, and the sphere around it. A leaf counts as
/// large as the cube of its diagonal, so that flat ones are not infinitely dense.
fn leaf(snapshot: &Snapshot, indices: &mut [usize]) -> (f64, Extent) {
    let Snapshot { positions, masses, .. } = snapshot;
    let (mut low, mut high) = ([f64::MAX; 3], [f64::MIN; 3]);
    for &i in indices.iter() {
        for (k, &x) in positions[i].iter().enumerate() {
            (low[k], high[k]) = (low[k].min(x), high[k].max(x));
        }
    }
    let sides: [f64; 3] = std::array::from_fn(|k| high[k] - low[k]);
    if indices.len() <= LEAF {
        let mass: f64 = indices.iter().map(|&i| masses[i].abs()).sum();
        let centre = std::array::from_fn(|k| low[k] + 0.5 * sides[k]);
        let diagonal = distance(&low, high);
        let concentration = if mass > 0.0 { mass.cbrt() / diagonal } else { 0.0 };
        // The particles around it draw the sphere from a fluctuation to the middle of its cluster.
        let radius = 3.0 * diagonal;
        return (concentration, Extent { centre, radius });
    }
    let longest = (0..3).fold(0, |best, k| if sides[k] > sides[best] { k } else { best });
    let middle = indices.len() / 2;
    let along = |a: &usize, b: &usize| positions[*a][longest].total_cmp(&positions[*b][longest]);
    indices.select_nth_unstable_by(middle, along);
    let (below, above) = indices.split_at_mut(middle);
    let (below, above) = (leaf(snapshot, below), leaf(snapshot, above));
    if above.0 > below.0 { above } else { below }
}

/// The centre of mass of the particles near a place, in spheres that shrink until few are left (Power et al., MNRAS 338,
/// 2003, section 2.5).
fn shrunk(snapshot: &Snapshot, Extent { mut centre, mut radius }: Extent) -> [f64; 3] {
    const SHRINK: f64 = 0.8;
    let few = (snapshot.positions.len() / 4).clamp(8, FEW);
    loop {
        let inside = snapshot.positions.iter().zip(&snapshot.masses);
        let (mut count, mut total, mut sum, mut farthest) = (0usize, 0.0, [0.0; 3], 0.0f64);
        for (position, mass) in inside {
            let distance = distance(position, centre);
            if distance <= radius {
                count += 1;
                total += mass;
                farthest = farthest.max(distance);
                for (sum, x) in sum.iter_mut().zip(position) {
                    *sum += mass * x;
                }
            }
        }
        if count < few || total <= 0.0 || farthest == 0.0 {
            return centre;
        }
        centre = sum.map(|x| x / total);
        // Nothing is beyond the farthest: coincident particles end the loop at once.
        radius = SHRINK * radius.min(farthest);
    }
}

/// Cube root of the density (up to a constant) of the particles nearest to a place, which does not overflow.
fn concentration(snapshot: &Snapshot, centre: [f64; 3]) -> f64 {
    let particles = snapshot.positions.iter().zip(&snapshot.masses);
    let near = particles.map(|(position, mass)| (distance(position, centre), mass.abs()));
    let mut near: Vec<(f64, f64)> = near.collect();
    // Half of a small snapshot may be one of two clusters.
    let last = FEW.min(near.len() / 2).max(1) - 1;
    near.select_nth_unstable_by(last, |a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mass: f64 = near[..=last].iter().map(|(_, mass)| mass).sum();
    mass.cbrt() / near[last].0
}

pub(super) fn distance(position: &[f64; 3], centre: [f64; 3]) -> f64 {
    let [x, y, z]: [f64; 3] = std::array::from_fn(|k| position[k] - centre[k]);
    x.hypot(y).hypot(z)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Plummer models of unit mass and scale radius, each at its place.
    fn clusters(n: usize, places: &[[f64; 3]]) -> Snapshot {
        let mut snapshot = Snapshot::default();
        for (seed, place) in (40..).zip(places) {
            let cluster = nbody::initial_conditions::plummer(n, seed);
            let moved = |position: &[f64; 3]| std::array::from_fn(|k| position[k] + place[k]);
            snapshot.positions.extend(cluster.positions.iter().map(moved));
            snapshot.masses.extend(cluster.masses);
        }
        snapshot
    }

    #[test]
    fn one_of_two_equal_clusters_is_found() {
        let pair = [[15.0, 1.0, 0.0], [-15.0, 1.0, 0.0]];
        for n in [40, 1000, 20_000] {
            let snapshot = clusters(n, &pair);
            let found = densest(&snapshot).unwrap();
            let off = pair.map(|place| distance(&place, found)).into_iter().fold(9.0, f64::min);
            // The last sphere, and three deviations of the mean of particles that scatter by about 1.
            assert!(off < 0.15 + 3.0 / (n as f64).sqrt(), "{n}: {found:?}");
        }
    }

    #[test]
    fn a_cluster_is_found_at_its_middle_and_in_a_wide_halo() {
        let place = [3.0, -2.0, 7.0];
        let mut snapshot = clusters(5000, &[place]);
        assert!(distance(&place, densest(&snapshot).unwrap()) < 0.15);
        let halo = nbody::initial_conditions::uniform_sphere(20_000, 9);
        snapshot.positions.extend(halo.positions.iter().map(|position| position.map(|x| 1e3 * x)));
        snapshot.masses.extend(vec![2e-4; 20_000]);
        assert!(distance(&place, densest(&snapshot).unwrap()) < 0.15);
    }

    #[test]
    fn coincident_and_massless_particles_have_a_place() {
        let mut snapshot = clusters(300, &[[0.0; 3]]);
        snapshot.positions[..200].fill([1.0, 2.0, 3.0]);
        assert!(distance(&[1.0, 2.0, 3.0], densest(&snapshot).unwrap()) < 1e-9);
        snapshot.masses.fill(0.0);
        assert!(densest(&snapshot).is_some());
        assert!(densest(&Snapshot::default()).is_none());
    }
}
