//! Uniform and Plummer clouds, and what holds for every cloud.

use crate::statistics::{assert_isotropic, assert_uniform, radius};
use nbody::Cloud;
use nbody::initial_conditions::{
    disk_galaxy, plummer, sphere_surface, uniform_cube, uniform_sphere,
};

type Generator = fn(usize, u64) -> Cloud;
const GENERATORS: [Generator; 5] =
    [uniform_cube, uniform_sphere, sphere_surface, plummer, disk_galaxy];
const N: usize = 20_000;

#[test]
fn one_seed_is_one_cloud() {
    for generate in GENERATORS {
        assert_eq!(generate(100, 7), generate(100, 7));
        assert_ne!(generate(100, 7), generate(100, 8));
    }
}

#[test]
fn clouds_of_one_kind_begin_alike() {
    for generate in [uniform_cube, uniform_sphere, sphere_surface, plummer] {
        assert_eq!(generate(100, 7).positions[..50], generate(50, 7).positions);
    }
}

#[test]
fn the_bits_are_the_recorded_ones() {
    let bits = |p: [f64; 3]| p.map(f64::to_bits);
    assert_eq!(bits(uniform_cube(1, 1).positions[0]), RECORDED[0]);
    assert_eq!(bits(sphere_surface(1, 1).positions[0]), RECORDED[1]);
    assert_eq!(bits(plummer(1, 1).positions[0]), RECORDED[2]);
    assert_eq!(bits(uniform_sphere(2, 1).positions[1]), RECORDED[3]);
    let galaxy = disk_galaxy(15, 1).positions;
    assert_eq!([0, 1, 14].map(|i| bits(galaxy[i])), RECORDED[4..]);
}

#[test]
fn none_one_and_two() {
    for generate in GENERATORS {
        assert_eq!(generate(0, 1), Cloud::default());
        assert_eq!(generate(1, 1).positions.len(), 1);
        assert_eq!(generate(1, 1).masses, [1.0]);
        assert_eq!(generate(2, 1).masses, [0.5; 2]);
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
        assert_uniform("coordinate", cloud.positions.iter().map(|p| p[axis]));
    }
    assert!(cloud.positions.iter().flatten().all(|x| (0.0..1.0).contains(x)));
}

#[test]
fn the_ball_is_uniform() {
    let cloud = uniform_sphere(N, 3);
    assert!(cloud.positions.iter().all(|p| radius(p) < 1.0));
    assert_uniform("radius", cloud.positions.iter().map(|p| radius(p).powi(3)));
    assert_isotropic("ball", &cloud.positions);
}

#[test]
fn the_sphere_is_uniform() {
    let cloud = sphere_surface(N, 3);
    assert!(cloud.positions.iter().all(|p| (radius(p) - 1.0).abs() < 4.0 * f64::EPSILON));
    // Archimedes: each coordinate of a uniform point of the sphere is uniform in [−1, 1].
    for axis in 0..3 {
        assert_uniform("coordinate", cloud.positions.iter().map(|p| 0.5 * (p[axis] + 1.0)));
    }
}

#[test]
fn plummer_follows_its_mass_profile() {
    let cloud = plummer(N, 3);
    let enclosed = |p: &[f64; 3]| (radius(p) / (1.0 + radius(p).powi(2)).sqrt()).powi(3);
    assert!(cloud.positions.iter().all(|p| enclosed(p) < 0.999 + 1e-12));
    assert_uniform("mass", cloud.positions.iter().map(|p| enclosed(p) / 0.999));
    assert_isotropic("plummer", &cloud.positions);
}

/// Bit patterns of points of seed 1, so that a change of the stream is noticed.
const RECORDED: [[u64; 3]; 7] = [
    [0x3fd9_c253_3aa3_2902, 0x3fb4_9406_d8fc_0e88, 0x3fe3_1705_6066_c0e0],
    [0xbfcc_45b2_ebc9_023d, 0xbfee_6a2d_dd48_68b3, 0x3fcb_fee1_3334_e240],
    [0xbfda_96fc_d73d_ae87, 0xbffc_9ad4_02b6_36f1, 0x3fda_5462_0248_cf28],
    [0xbfe1_f696_08e7_3dfe, 0xbfdb_b006_d615_721c, 0x3fda_f546_9b74_f110],
    [0xbfc1_9d07_fed7_1021, 0x3fc1_263a_e7aa_a0df, 0xbf99_5906_5fa9_9885],
    [0xbfd0_9a0f_ccaa_ddb2, 0xbff3_9961_f5b2_b216, 0xbfad_02d3_ca39_cca0],
    [0x400b_3556_4924_f4da, 0x4017_fa89_f67f_7394, 0x4018_b016_fa98_b7b7],
];
