//! Shares of the stages in the time of a sum, from reports.

use fmm::{Fmm, Method, Stage};
use nbody::initial_conditions::{Cloud, plummer, uniform_cube};

use super::Outcome;
use super::drawing::{Anchor, BLUE, Drawing, GREEN, GREY, ORANGE, PURPLE, RED, SKY, YELLOW};

const POINTS: usize = 300_000;
const TOLERANCES: [f64; 3] = [1e-3, 1e-6, 1e-9];

/// Runs of each sum. Whatever disturbs a run adds to its time, so the fastest of each stage counts.
const RUNS: usize = 20;

/// Groups of stages, each with its colour.
const GROUPS: [(&str, &[Stage], &str); 7] = [
    ("sort", &[Stage::Sort], GREY),
    ("lists", &[Stage::Lists], YELLOW),
    ("p2m, m2m", &[Stage::P2m, Stage::M2m], PURPLE),
    ("m2l", &[Stage::M2l], ORANGE),
    ("m2p, p2l", &[Stage::M2p, Stage::P2l], RED),
    ("l2l, l2p", &[Stage::L2l, Stage::L2p], GREEN),
    ("p2p", &[Stage::P2p], SKY),
];

/// Colour of the stages that are in no group.
const REST: &str = BLUE;

/// Place of a bar.
const LEFT: f64 = 140.0;
const WIDTH: f64 = 370.0;

/// Seconds of each stage, planning included: of the run in which the stage was fastest.
fn fastest(cloud: &Cloud, tolerance: f64) -> Result<[f64; Stage::ALL.len()], fmm::Error> {
    let fmm = Fmm::new().method(Method::Fmm).tolerance(tolerance);
    let mut best = [f64::INFINITY; Stage::ALL.len()];
    for _ in 0..RUNS {
        let seconds = fmm.plan(&cloud.positions)?.evaluate(&cloud.masses)?.report.seconds;
        for (best, stage) in best.iter_mut().zip(Stage::ALL) {
            *best = best.min(seconds.of(stage));
        }
    }
    Ok(best)
}

pub(crate) fn draw() -> Outcome {
    let sets = [("cube", uniform_cube(POINTS, 1)), ("Plummer", plummer(POINTS, 1))];
    let mut drawing = Drawing::new([600.0, 312.0]);
    let mut y = 16.0;
    for (name, cloud) in &sets {
        for tolerance in TOLERANCES {
            let seconds = fastest(cloud, tolerance)?;
            let total: f64 = seconds.iter().sum();
            let mut x = LEFT;
            let mut bar = |share: f64, colour: &str| {
                drawing.area([x, y], [share * WIDTH, 26.0], colour);
                x += share * WIDTH;
            };
            let mut rest = 1.0;
            for (_, stages, colour) in GROUPS {
                let share =
                    stages.iter().map(|&stage| seconds[stage as usize]).sum::<f64>() / total;
                bar(share, colour);
                rest -= share;
            }
            bar(rest, REST);
            drawing.text(
                [LEFT - 10.0, y + 18.0],
                17.0,
                Anchor::End,
                &format!("{name}, {tolerance:.0e}"),
            );
            drawing.text(
                [LEFT + WIDTH + 8.0, y + 18.0],
                17.0,
                Anchor::Start,
                &format!("{total:.2} s"),
            );
            y += 34.0;
        }
        y += 8.0;
    }
    let named =
        GROUPS.map(|(name, _, colour)| (name, colour)).into_iter().chain([("others", REST)]);
    for (at, (name, colour)) in named.enumerate() {
        let (x, y) = (30.0 + 145.0 * (at % 4) as f64, y + 8.0 + 28.0 * (at / 4) as f64);
        drawing.area([x, y], [18.0, 18.0], colour);
        drawing.text([x + 26.0, y + 15.0], 17.0, Anchor::Start, name);
    }
    Ok(drawing.finish("Shares of the stages in the time of six sums"))
}
