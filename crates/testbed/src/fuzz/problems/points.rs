//! Placements of points and kinds of charges.

use super::super::Dice;
use super::{Precision, Problem, Settings};
use fmm::Device;

/// A problem with these settings.
pub(super) fn random(dice: &mut Dice, mut settings: Settings) -> Problem {
    let n = count(dice, settings.device);
    let mut sources = placed(dice, n);
    let receivers = dice.chance(35).then(|| receivers(dice, &sources, settings.device));
    let mut charges = charges(dice, n);
    let (scale, offset) = frame(dice, settings.precision);
    let mut all = receivers;
    let narrow = settings.precision == Precision::F32;
    for point in sources.iter_mut().chain(all.iter_mut().flatten()) {
        *point = [0, 1, 2].map(|axis| rounded(scale * (point[axis] + offset[axis]), narrow));
    }
    let narrow = settings.precision != Precision::F64;
    charges.iter_mut().for_each(|charge| *charge = rounded(*charge, narrow));
    settings.softening *= scale;
    Problem { settings, sources, charges, receivers: all }
}

/// Mostly up to 200 points, now and then 3000; an emulator takes few.
fn count(dice: &mut Dice, device: Device) -> usize {
    let most = match dice.below(100) {
        0..15 => 4,
        15..55 => 60,
        55..95 => 200,
        _ => 3000,
    };
    let n = dice.below(most + 1);
    if device == Device::Cpu { n } else { n.min(40) }
}

/// A number, rounded to f32 if it is to be narrow.
fn rounded(x: f64, narrow: bool) -> f64 {
    if narrow { f64::from(x as f32) } else { x }
}

/// A scale and an offset in that scale: mostly 1 and none.
fn frame(dice: &mut Dice, precision: Precision) -> (f64, [f64; 3]) {
    let (usual, largest) = if precision == Precision::F32 { (8.0, 24.0) } else { (40.0, 160.0) };
    let scale = match dice.below(20) {
        0 | 1 => dice.magnitude(-usual, usual),
        2 => dice.magnitude(-largest, largest),
        _ => 1.0,
    };
    let offset = match dice.below(12) {
        0 => [0; 3].map(|_| dice.magnitude(0.0, 6.0)),
        1 => [dice.magnitude(0.0, 9.0), 0.0, 0.0],
        _ => [0.0; 3],
    };
    (scale, offset)
}

/// Points of one placement, or of several.
fn placed(dice: &mut Dice, n: usize) -> Vec<[f64; 3]> {
    let mut points = Vec::with_capacity(n);
    while points.len() < n {
        let left = n - points.len();
        let part = if dice.chance(75) { left } else { 1 + dice.below(left) };
        let mut more = placement(dice, part);
        if dice.chance(10) {
            let (factor, by) = (dice.magnitude(-9.0, 9.0), [0; 3].map(|_| dice.between(-1.0, 1.0)));
            more = more.iter().map(|x| [0, 1, 2].map(|k| factor * (x[k] + by[k]))).collect();
        }
        points.extend(more);
    }
    points
}

/// `n` points of extent 1.
fn placement(dice: &mut Dice, n: usize) -> Vec<[f64; 3]> {
    let mut cube = |_| [0; 3].map(|_| dice.unit());
    let kind = (cube(0)[0] * 12.0) as usize;
    let points: Vec<[f64; 3]> = (0..n).map(&mut cube).collect();
    let direction = points.first().copied().unwrap_or([1.0, 0.0, 0.0]);
    let side = (1..).find(|side: &usize| side.pow(3) >= n).unwrap_or(1);
    let step = 1.0 / side as f64;
    let place = |(i, x): (usize, &[f64; 3])| match kind {
        0 => direction,
        1 => [x[0], 0.0, 0.0],
        2 => direction.map(|part| part * x[0]),
        3 => [x[0], x[1], 0.25],
        4 | 5 => [i % side, i / side % side, i / side / side].map(|k| k as f64 * step),
        6 => x.map(|part| (3.0 * part).floor()),
        7 => cusp(*x),
        8 => x.map(|part| if part < 0.5 { 0.0 } else { 1.0 }),
        9 => sphere(*x),
        _ => *x,
    };
    points.iter().enumerate().map(place).collect()
}

fn sphere([a, b, _]: [f64; 3]) -> [f64; 3] {
    let (z, angle) = (2.0 * a - 1.0, std::f64::consts::TAU * b);
    let radius = (1.0 - z * z).max(0.0).sqrt();
    [radius * angle.cos(), radius * angle.sin(), z]
}

/// A radius uniform in the logarithm, over eight powers of ten.
fn cusp(x: [f64; 3]) -> [f64; 3] {
    sphere(x).map(|part| part * 10.0_f64.powf(-8.0 * x[2]))
}

fn receivers(dice: &mut Dice, sources: &[[f64; 3]], device: Device) -> Vec<[f64; 3]> {
    let n = count(dice, device);
    match dice.below(6) {
        0 => Vec::new(),
        1 if !sources.is_empty() => (0..n).map(|_| dice.pick(sources)).collect(),
        2 => {
            let far = dice.magnitude(0.5, 6.0);
            placed(dice, n).iter().map(|x| x.map(|part| part + far)).collect()
        }
        3 => {
            let radius = dice.magnitude(0.3, 4.0);
            (0..n).map(|_| sphere([0; 3].map(|_| dice.unit())).map(|x| x * radius)).collect()
        }
        4 => {
            let size = dice.magnitude(-9.0, -1.0);
            placed(dice, n).iter().map(|x| x.map(|part| 0.5 + size * part)).collect()
        }
        _ => placed(dice, n),
    }
}

fn charges(dice: &mut Dice, n: usize) -> Vec<f64> {
    let unit = if dice.chance(10) { dice.magnitude(-30.0, 30.0) } else { 1.0 };
    let kind = dice.below(12);
    let mut one = |i: usize| match kind {
        0 => 1.0,
        1 | 2 => dice.unit(),
        3 | 4 => dice.unit() - 0.5,
        5 => [1.0, -1.0][i % 2],
        6 => 0.0,
        7 => f64::from(i == 0),
        8 => dice.magnitude(-6.0, 3.0) * dice.pick(&[1.0, -1.0]),
        9 => -dice.unit(),
        10 => dice.pick(&[0.0, 0.0, 0.0, 1.0, -1.0]),
        _ => {
            if i.is_multiple_of(40) {
                1e6
            } else {
                dice.unit() - 0.5
            }
        }
    };
    let mut charges: Vec<f64> = (0..n).map(|i| unit * one(i)).collect();
    if n > 0 && dice.chance(15) {
        // Neutral but for rounding.
        let mean = charges.iter().sum::<f64>() / n as f64;
        charges.iter_mut().for_each(|charge| *charge -= mean);
    }
    charges
}
