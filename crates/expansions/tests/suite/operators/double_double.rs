//! P2P in double-double arithmetic: sums of a linear quadrupole, which are 10¹⁸ times smaller than their terms.

use expansions::operators::p2p_double_double;

/// Half of the quadrupole's length.
const H: f64 = 1.0 / (1 << 30) as f64;

/// Charges 1, −2 and 1 on the x axis.
const SOURCES: [[f64; 3]; 3] = [[-H, 0.0, H], [0.0; 3], [0.0; 3]];
const CHARGES: [f64; 3] = [1.0, -2.0, 1.0];

/// More receivers than one vector has lanes, and a last vector that is not full.
fn distances() -> Vec<f64> {
    (0..19).map(|i| 1.0 + 0.37 * f64::from(i)).collect()
}

/// Sums (gx, gy, gz, Φ) at receivers.
fn sums(at: [&[f64]; 3], softening: f64) -> [Vec<f64>; 4] {
    let mut parts = [(); 2].map(|()| [(); 4].map(|()| vec![0.0; at[0].len()]));
    let [high, low] = parts.each_mut().map(|part| part.each_mut().map(Vec::as_mut_slice));
    let sources = SOURCES.each_ref().map(<[f64; 3]>::as_slice);
    p2p_double_double((sources, &CHARGES), at, softening, [high, low]);
    let [high, low] = parts;
    [0, 1, 2, 3].map(|of| high[of].iter().zip(&low[of]).map(|(high, low)| high + low).collect())
}

#[test]
fn a_quadrupole_keeps_its_digits() {
    let (x, zeros) = (distances(), [0.0; 19]);
    let [gx, gy, _, potential] = sums([&x, &zeros, &zeros], 0.0);
    for (i, r) in x.iter().enumerate() {
        // 1/(r−h) + 1/(r+h) − 2/r and its derivative.
        let expected = 2.0 * H * H / (r * (r * r - H * H));
        let slope = -2.0 * H * H * (3.0 * r * r - H * H) / (r * (r * r - H * H)).powi(2);
        assert!((potential[i] / expected - 1.0).abs() < 1e-11, "{r}: {} {expected}", potential[i]);
        assert!((gx[i] / slope - 1.0).abs() < 1e-11, "{r}: {} {slope}", gx[i]);
        assert_eq!(gy[i], 0.0);
    }
}

#[test]
fn softening_is_a_distance_across() {
    let (x, zeros, across) = (distances(), [0.0; 19], [0.7; 19]);
    let soft = sums([&x, &zeros, &zeros], 0.7);
    let apart = sums([&x, &across, &zeros], 0.0);
    for of in [0, 3] {
        for (soft, apart) in soft[of].iter().zip(&apart[of]) {
            assert!((soft / apart - 1.0).abs() < 1e-10, "{soft} {apart}");
        }
    }
}

#[test]
fn a_point_and_itself_are_left_out() {
    for softening in [0.0, H] {
        let [gx, _, _, potential] = sums([&[0.0], &[0.0], &[0.0]], softening);
        let expected = 2.0 / H.hypot(softening);
        assert!((potential[0] / expected - 1.0).abs() < 1e-15, "{} {expected}", potential[0]);
        assert_eq!(gx[0], 0.0);
    }
}
