//! The clouds follow their distributions, and a seed names one cloud.

use nbody::Cloud;
use nbody::initial_conditions::{plummer, sphere_surface, uniform_cube};

type Generator = fn(usize, u64) -> Cloud;
const GENERATORS: [Generator; 3] = [uniform_cube, sphere_surface, plummer];
const N: usize = 20_000;
/// Five standard errors of a mean of N samples with standard deviation 1.
const MARGIN: f64 = 5.0 / 141.0;

fn radius(p: &[f64; 3]) -> f64 {
    p.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn mean(values: impl Iterator<Item = f64>) -> f64 {
    values.sum::<f64>() / N as f64
}

/// Largest distance between the empirical distribution of `values` and the uniform one of [0, 1).
fn kolmogorov_distance(values: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = values.collect();
    sorted.sort_by(f64::total_cmp);
    let n = sorted.len() as f64;
    sorted.iter().enumerate().fold(0.0, |worst, (i, &u)| {
        let (below, above) = (u - i as f64 / n, (i + 1) as f64 / n - u);
        f64::max(worst, f64::max(below, above))
    })
}

/// Kolmogorov's distance that a right sample of N exceeds with probability 6e-7.
fn kolmogorov_limit() -> f64 {
    2.75 / (N as f64).sqrt()
}

#[test]
fn one_seed_is_one_cloud() {
    for generate in GENERATORS {
        assert_eq!(generate(100, 7), generate(100, 7));
        assert_ne!(generate(100, 7), generate(100, 8));
        assert_eq!(generate(100, 7).positions[..50], generate(50, 7).positions);
    }
}

#[test]
fn the_bits_are_the_recorded_ones() {
    let bits = |cloud: &Cloud| cloud.positions[0].map(f64::to_bits);
    assert_eq!(bits(&uniform_cube(1, 1)), RECORDED[0]);
    assert_eq!(bits(&sphere_surface(1, 1)), RECORDED[1]);
    assert_eq!(bits(&plummer(1, 1)), RECORDED[2]);
}

#[test]
fn none_and_one() {
    for generate in GENERATORS {
        assert_eq!(generate(0, 1), Cloud::default());
        assert_eq!(generate(1, 1).positions.len(), 1);
        assert_eq!(generate(1, 1).masses, [1.0]);
    }
}

#[test]
fn masses_are_equal_with_sum_one() {
    for generate in GENERATORS {
        assert_eq!(generate(8, 1).masses, [0.125; 8]);
    }
}

#[test]
fn the_cube_is_uniform() {
    let cloud = uniform_cube(N, 3);
    for axis in 0..3 {
        let distance = kolmogorov_distance(cloud.positions.iter().map(|p| p[axis]));
        assert!(distance < kolmogorov_limit(), "axis {axis}: {distance}");
    }
    assert!(cloud.positions.iter().flatten().all(|x| (0.0..1.0).contains(x)));
}

#[test]
fn the_sphere_is_uniform() {
    let cloud = sphere_surface(N, 3);
    assert!(cloud.positions.iter().all(|p| (radius(p) - 1.0).abs() < 4.0 * f64::EPSILON));
    // Archimedes: each coordinate of a uniform point of the sphere is uniform in [−1, 1].
    for axis in 0..3 {
        let distance = kolmogorov_distance(cloud.positions.iter().map(|p| 0.5 * (p[axis] + 1.0)));
        assert!(distance < kolmogorov_limit(), "axis {axis}: {distance}");
    }
}

#[test]
fn plummer_follows_its_mass_profile() {
    let cloud = plummer(N, 3);
    let enclosed = |r: f64| (r / (1.0 + r * r).sqrt()).powi(3);
    assert!(cloud.positions.iter().all(|p| enclosed(radius(p)) < 0.999 + 1e-12));
    let distance = kolmogorov_distance(cloud.positions.iter().map(|p| enclosed(radius(p)) / 0.999));
    assert!(distance < kolmogorov_limit(), "{distance}");
}

#[test]
fn plummer_is_isotropic() {
    let cloud = plummer(N, 3);
    for axis in 0..3 {
        let direction = |p: &[f64; 3]| p[axis] / radius(p);
        assert!(mean(cloud.positions.iter().map(direction)).abs() < MARGIN);
        let second = mean(cloud.positions.iter().map(|p| direction(p).powi(2)));
        assert!((second - 1.0 / 3.0).abs() < MARGIN, "axis {axis}: {second}");
    }
}

/// Bit patterns of the first point of seed 1, so that a change of the stream is noticed.
const RECORDED: [[u64; 3]; 3] = [
    [0x3fd9_c253_3aa3_2902, 0x3fb4_9406_d8fc_0e88, 0x3fe3_1705_6066_c0e0],
    [0xbfcc_45b2_ebc9_023d, 0xbfee_6a2d_dd48_68b3, 0x3fcb_fee1_3334_e240],
    [0xbfda_96fc_d73d_ae87, 0xbffc_9ad4_02b6_36f1, 0x3fda_5462_0248_cf28],
];
