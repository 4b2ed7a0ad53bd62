//! Properties of every model, and refusals of a check.

use nbody::models::{
    cold_cube, disk_galaxy, galaxy_collision, hernquist, king, plummer, uniform_sphere,
};
use nbody::{Quantity, System, SystemError, initial_conditions};

fn models(n: usize, seed: u64) -> [System; 7] {
    [
        cold_cube(n, seed),
        uniform_sphere(n, seed, 0.5),
        plummer(n, seed),
        hernquist(n, seed),
        king(n, seed, 5.0).unwrap(),
        disk_galaxy(n, seed),
        galaxy_collision(n, seed),
    ]
}

#[test]
fn one_seed_is_one_system_of_any_size() {
    let (same, other) = (models(60, 7), models(60, 8));
    for ((a, b), c) in models(60, 7).iter().zip(&same).zip(&other) {
        assert_eq!(a, b);
        assert_ne!(a, c);
    }
    for n in [1, 2, 3, 14] {
        for model in models(n, 3) {
            assert_eq!(model.len(), n);
            model.check().unwrap();
        }
    }
    for model in models(0, 3) {
        assert!(model.is_empty());
    }
}

#[test]
fn models_do_not_drift() {
    for model in models(500, 3) {
        for axis in 0..3 {
            let each = model.velocities.iter().zip(&model.masses);
            let momentum: f64 = each.map(|(v, m)| m * v[axis]).sum();
            assert!(momentum.abs() < 1e-14, "{momentum}");
        }
    }
}

#[test]
fn clouds_and_models_share_positions() {
    assert_eq!(plummer(50, 3).positions, initial_conditions::plummer(50, 3).positions);
    assert_eq!(cold_cube(50, 3).positions, initial_conditions::uniform_cube(50, 3).positions);
    let ball = initial_conditions::uniform_sphere(50, 3);
    assert_eq!(uniform_sphere(50, 3, 1.0).positions, ball.positions);
}

#[test]
fn the_bits_are_the_recorded_ones() {
    let bits = models(15, 1).map(|model| model.velocities[1].map(f64::to_bits));
    assert_eq!(bits, RECORDED);
}

#[test]
fn faults_are_found() {
    let good = plummer(5, 1);
    let change = |change: fn(&mut System)| {
        let mut system = good.clone();
        change(&mut system);
        system.check().unwrap_err()
    };
    let rows = SystemError::Rows { quantity: Quantity::Velocity, found: 4, expected: 5 };
    assert_eq!(change(|s| s.velocities.truncate(4)), rows);
    let rows = SystemError::Rows { quantity: Quantity::Mass, found: 6, expected: 5 };
    assert_eq!(change(|s| s.masses.push(1.0)), rows);
    let infinite =
        SystemError::NotFinite { quantity: Quantity::Velocity, index: 3, value: f64::INFINITY };
    assert_eq!(change(|s| s.velocities[3][1] = f64::INFINITY), infinite);
    assert!(
        change(|s| s.positions[2][0] = f64::NAN)
            .to_string()
            .starts_with("the position of particle 2")
    );
    let negative = SystemError::NegativeMass { index: 4, value: -1.0 };
    assert_eq!(change(|s| s.masses[4] = -1.0), negative);
    assert_eq!(change(|s| s.masses.fill(0.0)), SystemError::NoMass);
}

/// Bit patterns of the velocity of the second particle of each model of seed 1, so that a change of the stream or of a
/// function is noticed.
const RECORDED: [[u64; 3]; 7] = [
    [0, 0, 0],
    [0xbfe3_7f07_f29b_f2a8, 0xbfab_5d9c_26b0_1940, 0x3fb8_738d_431a_bfcc],
    [0x3fd0_f5af_5888_2116, 0x3fa3_74fa_15d5_7efc, 0x3fd9_08a1_595a_8da6],
    [0xbfde_946e_8b97_2506, 0xbfc9_e526_da44_2506, 0x3fb9_21dd_bb5d_8a54],
    [0xbfd0_a43e_201d_80d3, 0x3fe8_cd77_6d30_9343, 0x3f9c_1cc4_2aea_03dc],
    [0x3fd6_2d04_c982_caf9, 0xbfa2_e8de_0be1_31b2, 0x3f92_3c5d_1020_ea42],
    [0x3fde_186b_0d28_0aeb, 0xbfab_2452_b7ee_4d29, 0x3f9d_9cb9_905f_a063],
];
