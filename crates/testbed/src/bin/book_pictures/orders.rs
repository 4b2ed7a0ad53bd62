//! Errors of an FMM between two boxes against the order, beside the proven bounds.

use expansions::layout::{n_coefficients, row_length};
use expansions::operators::{
    FarOffset, M2l, M2lForm, PairAccuracy, PointSums, Sources, l2p, p2m, p2p,
};
use expansions::{BoxPoints, Gradient, Harmonics, bounds};

use super::Outcome;
use super::drawing::{Anchor, BLACK, BLUE, Drawing, GREY, RED};

/// Offset of the source box from the receiver box, the nearest far pair of an octree.
const OFFSET: [i8; 3] = [2, 0, 0];

const MOST_ORDER: usize = 36;
const SOURCES: u32 = 500;
const RECEIVERS: u32 = 400;

/// Decades of the vertical axis.
const DECADES: [i32; 2] = [-14, 2];

/// Frame of the diagram: left, top, right, bottom.
const FRAME: [f64; 4] = [70.0, 20.0, 585.0, 400.0];

type Points = [Vec<f64>; 3];

fn fill(n: u32, center: [f64; 3]) -> Points {
    let steps = [0.819_172_5, 0.671_043_6, 0.549_700_5];
    [0, 1, 2].map(|axis| {
        (1..=n).map(|i| center[axis] + (steps[axis] * f64::from(i)).fract() - 0.5).collect()
    })
}

fn slices(points: &Points) -> [&[f64]; 3] {
    points.each_ref().map(Vec::as_slice)
}

/// Potential and gradient at each receiver.
type Fields = [Vec<f64>; 4];

fn sums(fields: &mut Fields) -> PointSums<'_, f64> {
    let [potential, x, y, z] = fields;
    PointSums { potential, gradient: [x, y, z] }
}

fn zeros() -> Fields {
    [(); 4].map(|()| vec![0.0; RECEIVERS as usize])
}

fn by_expansions(order: usize, sources: &Points, charges: &[f64], receivers: &Points) -> Fields {
    let (harmonics, gradient) = (Harmonics::new(order), Gradient::new(order));
    let m2l = M2l::new(order, M2lForm::fastest(order));
    let mut points = BoxPoints::new();
    points.set(OFFSET.map(f64::from), 1.0, slices(sources));
    let mut multipole = vec![0.0; row_length(order)];
    p2m(&harmonics, &points, charges, &mut multipole[..n_coefficients(order)]);
    let mut local = vec![0.0; row_length(order)];
    let batch = FarOffset::new(OFFSET).map(|offset| (offset, &[[0, 0]][..]));
    m2l.apply(batch.into_iter(), &multipole, &mut local);
    points.set([0.0; 3], 1.0, slices(receivers));
    let mut fields = zeros();
    l2p(&harmonics, &gradient, &local, &points, &mut sums(&mut fields));
    fields
}

/// Largest errors of potential and gradient.
fn errors(found: &Fields, exact: &Fields) -> [f64; 2] {
    let square = |column: usize, i: usize| (found[column][i] - exact[column][i]).powi(2);
    [0..1, 1..4].map(|columns| {
        let at = |i| columns.clone().map(|column| square(column, i)).sum::<f64>().sqrt();
        (0..exact[0].len()).map(at).fold(0.0, f64::max)
    })
}

/// The curves: error and bound of the potential, error and bound of the gradient, by order from 1 on.
fn curves() -> [Vec<f64>; 4] {
    let (sources, receivers) = (fill(SOURCES, OFFSET.map(f64::from)), fill(RECEIVERS, [0.0; 3]));
    let charges = vec![1.0 / f64::from(SOURCES); SOURCES as usize];
    let mut exact = zeros();
    let all = Sources { coordinates: slices(&sources), charges: &[&charges] };
    let run = 0..charges.len();
    p2p(&all, &[run], slices(&receivers), 0.0, PairAccuracy::Full, &mut [sums(&mut exact)]);
    let (radius, distance) = (0.75_f64.sqrt(), f64::from(OFFSET[0]));
    let mut curves = [(); 4].map(|()| Vec::new());
    for order in 1..=MOST_ORDER {
        let found = by_expansions(order, &sources, &charges, &receivers);
        let [potential, gradient] = errors(&found, &exact);
        curves[0].push(potential);
        curves[1].push(bounds::local_bound(order, radius, radius, distance));
        curves[2].push(gradient);
        curves[3].push(bounds::local_gradient_bound(order, radius, radius, distance));
    }
    curves
}

/// Place of an order and a value in the diagram.
fn place(order: usize, value: f64) -> [f64; 2] {
    let [left, top, right, bottom] = FRAME;
    let across = order as f64 / MOST_ORDER as f64;
    let [low, high] = DECADES.map(f64::from);
    let up = ((value.log10() - low) / (high - low)).clamp(0.0, 1.0);
    [left + across * (right - left), bottom - up * (bottom - top)]
}

pub(crate) fn draw() -> Outcome {
    let mut drawing = Drawing::new([600.0, 456.0]);
    for decade in (DECADES[0]..=DECADES[1]).step_by(2) {
        let [x, y] = place(0, 10_f64.powi(decade));
        drawing.line(&[[x, y], [FRAME[2], y]], GREY, 0.4, "");
        drawing.text([x - 8.0, y + 6.0], 18.0, Anchor::End, &format!("1e{decade}"));
    }
    for order in (0..=MOST_ORDER).step_by(4) {
        let [x, _] = place(order, 1.0);
        drawing.line(&[[x, FRAME[1]], [x, FRAME[3]]], GREY, 0.4, "");
        drawing.text([x, FRAME[3] + 20.0], 18.0, Anchor::Middle, &order.to_string());
    }
    drawing.text([0.5 * (FRAME[0] + FRAME[2]), FRAME[3] + 44.0], 19.0, Anchor::Middle, "order p");
    let styles = [
        (BLUE, "", "error of Φ"),
        (BLUE, "7 5", "bound of Φ"),
        (RED, "", "error of ∇Φ"),
        (RED, "7 5", "bound of ∇Φ"),
    ];
    for ((at, (colour, dashes, name)), curve) in styles.into_iter().enumerate().zip(curves()) {
        let values = curve.into_iter().enumerate();
        let places: Vec<[f64; 2]> = values.map(|(at, value)| place(at + 1, value)).collect();
        drawing.line(&places, colour, 2.2, dashes);
        let y = FRAME[3] - 96.0 + 25.0 * at as f64;
        drawing.line(
            &[[FRAME[0] + 14.0, y - 5.0], [FRAME[0] + 54.0, y - 5.0]],
            colour,
            2.2,
            dashes,
        );
        drawing.text([FRAME[0] + 62.0, y], 18.0, Anchor::Start, name);
    }
    let [left, top, right, bottom] = FRAME;
    let frame = [[left, top], [right, top], [right, bottom], [left, bottom], [left, top]];
    drawing.line(&frame, BLACK, 1.0, "");
    Ok(drawing.finish("Errors of an FMM between two boxes and their bounds, against the order"))
}
