//! Tables 6 and 7 at θ = 0.6 under changes that the paper leaves open: where boxes cut the galaxy, which galaxy of the same
//! model it is, and how many particles each component has.

use nbody::initial_conditions::GalaxyComponents;
use testbed::clouds::{self, Cloud};

use super::errors::by_angle;
use super::paper::{NUMBERS, THETA};
use crate::{Outcome, Settings};
use testbed::record::Table;

/// Corners that place the cube, in lengths of the model, whose halo ends at 21.4: a particle without mass stands there.
const CORNERS: [[f64; 3]; 6] = [
    [23.0, 22.0, 24.0],
    [27.0, -24.0, 30.0],
    [-33.0, 31.0, 28.0],
    [50.0, 35.0, 45.0],
    [-40.0, -55.0, 38.0],
    [60.0, 58.0, -52.0],
];

/// Seeds of other galaxies of the model.
const SEEDS: [u64; 2] = [2, 3];

/// Measures errors for each placement of the cube, for other galaxies, and for as many particles in each component.
pub(crate) fn measure(settings: Settings) -> Outcome<Table> {
    let kinds = [
        "as drawn",
        "placements, least",
        "placements, most",
        "seeds, least",
        "seeds, most",
        "equal numbers",
    ];
    let names = ["acceleration", "potential"]
        .iter()
        .flat_map(|output| kinds.map(|kind| format!("{output}: {kind}")));
    let mut table = Table::new(std::iter::once("N / K".to_owned()).chain(names));
    for &thousands in settings.pick(&[1][..], &NUMBERS[..4], &NUMBERS[..]) {
        let n = 1024 * thousands;
        let drawn = errors(&clouds::galaxy(n, 1))?;
        let placed = CORNERS.iter().map(|corner| errors(&placed(clouds::galaxy(n, 1), *corner)));
        let placed: Vec<[f64; 2]> = placed.collect::<Outcome<_>>()?;
        let seeds = SEEDS.iter().map(|seed| errors(&clouds::galaxy(n, *seed)));
        let seeds: Vec<[f64; 2]> = seeds.collect::<Outcome<_>>()?;
        let equal = errors(&equal_numbers(n))?;
        let mut row = vec![Some(thousands as f64)];
        for k in 0..2 {
            let ends = |all: &[[f64; 2]]| {
                let values = || all.iter().map(|errors| errors[k]);
                [values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max)]
            };
            let ([least, most], [seed_least, seed_most]) = (ends(&placed), ends(&seeds));
            let values = [drawn[k], least, most, seed_least, seed_most, equal[k]];
            row.extend(values.map(Some));
        }
        table.push(row);
    }
    Ok(table)
}

/// Mean relative errors of acceleration and potential.
fn errors(cloud: &Cloud) -> Outcome<[f64; 2]> {
    let measured = by_angle::<f64>(cloud, &[THETA])?[0];
    Ok([measured.gradient.mean_relative, measured.potential.mean_relative])
}

/// The cloud in the cube that a particle without mass at `corner` spans with it.
fn placed(mut cloud: Cloud, corner: [f64; 3]) -> Cloud {
    cloud.positions.push(corner);
    cloud.charges.push(0.0);
    cloud
}

/// A galaxy with as many particles in bulge, disk and halo, whose masses stay 1 : 2 : 12.
fn equal_numbers(n: usize) -> Cloud {
    let whole = clouds::galaxy(5 * n, 1);
    let third = n / 3;
    let GalaxyComponents { bulge, disk, halo } = GalaxyComponents::of(5 * n);
    let starts = [bulge.start, disk.start, halo.start];
    let shares = [1.0, 2.0, 12.0];
    let parts = starts.into_iter().zip(shares);
    let (mut positions, mut charges) = (Vec::new(), Vec::new());
    for (start, share) in parts {
        positions.extend_from_slice(&whole.positions[start..][..third]);
        charges.resize(positions.len(), share / (15.0 * third as f64));
    }
    Cloud { name: "galaxy of equal numbers", positions, charges }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bulge ends at 0.91, the disk at 5: the thirds are the components.
    #[test]
    fn thirds_are_components_with_their_masses() {
        let galaxy = equal_numbers(3000);
        let radius = |p: &[f64; 3]| p.iter().map(|x| x * x).sum::<f64>().sqrt();
        assert_eq!(galaxy.positions.len(), 3000);
        assert!(galaxy.positions[..1000].iter().all(|p| radius(p) < 0.95));
        let disk = &galaxy.positions[1000..2000];
        assert!(disk.iter().all(|p| p[0].hypot(p[1]) < 5.1));
        assert!(disk.iter().filter(|p| p[2].abs() < 0.3).count() > 900, "a disk is flat");
        assert!(galaxy.positions[2000..].iter().any(|p| radius(p) > 10.0));
        let masses = [0, 1000, 2000].map(|k| galaxy.charges[k..k + 1000].iter().sum::<f64>());
        assert!(
            (masses[2] / masses[0] - 12.0).abs() < 1e-9
                && (masses[1] / masses[0] - 2.0).abs() < 1e-9
        );
    }
}
