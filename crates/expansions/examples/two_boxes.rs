//! FMM between two boxes: P2M, M2L and L2P, with measured errors beside the rigorous bound.
//!
//! Sources fill a unit box two sides away from the unit box of the receivers, which is the nearest far pair of
//! an octree. Run with `cargo run --release -p farfield-expansions --example two_boxes`.

use expansions::layout::{n_coefficients, row_length};
use expansions::operators::{FarOffset, M2l, M2lForm, PairAccuracy, PointSums, Sources};
use expansions::operators::{l2p, p2m, p2p};
use expansions::{BoxPoints, Gradient, Harmonics, bounds};

/// Points given by coordinate.
type Points = [Vec<f64>; 3];

/// Offset of the source box from the receiver box, in sides.
const OFFSET: [i8; 3] = [2, 0, 0];

/// Side of both boxes.
const SIDE: f64 = 1.0;

/// `n` points that fill the box about `center`.
fn fill(n: u32, center: [f64; 3]) -> Points {
    let steps = [0.819_172_5, 0.671_043_6, 0.549_700_5];
    [0, 1, 2].map(|axis| {
        let place = |i: u32| (steps[axis] * f64::from(i)).fract() - 0.5;
        (1..=n).map(|i| center[axis] + SIDE * place(i)).collect()
    })
}

fn slices(points: &Points) -> [&[f64]; 3] {
    points.each_ref().map(Vec::as_slice)
}

/// Potential and gradient at each receiver, by column: Φ, ∂Φ/∂x, ∂Φ/∂y, ∂Φ/∂z.
type Fields = [Vec<f64>; 4];

fn zeros(n: usize) -> Fields {
    [(); 4].map(|()| vec![0.0; n])
}

fn sums(fields: &mut Fields) -> PointSums<'_, f64> {
    let [potential, x, y, z] = fields;
    PointSums { potential, gradient: [x, y, z] }
}

/// Sums over the sources by expansions of order `order`: degrees 0 … order − 1.
fn by_expansions(order: usize, sources: &Points, charges: &[f64], receivers: &Points) -> Fields {
    // Tables, which depend on the order alone.
    let harmonics = Harmonics::new(order);
    let gradient = Gradient::new(order);
    let m2l = M2l::new(order, M2lForm::fastest(order));

    // P2M: charges → multipole about the centre of the source box.
    let mut points = BoxPoints::new();
    points.set(OFFSET.map(f64::from), SIDE, slices(sources));
    let mut multipole = vec![0.0; row_length(order)];
    p2m(&harmonics, &points, charges, &mut multipole[..n_coefficients(order)]);

    // M2L: multipole → local expansion about the centre of the receiver box. Rows 0 and 0 form the only pair.
    let mut local = vec![0.0; row_length(order)];
    let batch = FarOffset::new(OFFSET).map(|offset| (offset, &[[0, 0]][..]));
    m2l.apply(batch.into_iter(), &multipole, &mut local);

    // L2P: local expansion → potential and gradient at the receivers.
    points.set([0.0; 3], SIDE, slices(receivers));
    let mut fields = zeros(receivers[0].len());
    l2p(&harmonics, &gradient, &local, &points, &mut sums(&mut fields));
    fields
}

/// Sums over all pairs, by P2P.
fn by_pairs(sources: &Points, charges: &[f64], receivers: &Points) -> Fields {
    let mut fields = zeros(receivers[0].len());
    let run = 0..charges.len();
    let sources = Sources { coordinates: slices(sources), charges: &[charges] };
    p2p(&sources, &[run], slices(receivers), 0.0, PairAccuracy::Full, &mut [sums(&mut fields)]);
    fields
}

/// Largest error of the potential, and largest error of the gradient as a vector's length.
fn errors(found: &Fields, exact: &Fields) -> [f64; 2] {
    let square = |column: usize, i: usize| (found[column][i] - exact[column][i]).powi(2);
    let largest = |columns: std::ops::Range<usize>| {
        let of_receiver = |i| columns.clone().map(|column| square(column, i)).sum::<f64>().sqrt();
        (0..exact[0].len()).map(of_receiver).fold(0.0, f64::max)
    };
    [largest(0..1), largest(1..4)]
}

/// Errors and bounds, of potential and gradient, over Σ |q|.
fn measure(order: usize) -> [[f64; 2]; 2] {
    let (sources, receivers) = (fill(500, OFFSET.map(f64::from)), fill(400, [0.0; 3]));
    let charges: Vec<f64> = (0..500).map(|i| f64::from(i % 7) - 3.0).collect();
    let weight: f64 = charges.iter().map(|charge| charge.abs()).sum();
    let exact = by_pairs(&sources, &charges, &receivers);
    let found = by_expansions(order, &sources, &charges, &receivers);
    let radius = 0.75_f64.sqrt() * SIDE;
    let distance = OFFSET.iter().map(|c| f64::from(*c).powi(2)).sum::<f64>().sqrt() * SIDE;
    let bounds = [
        bounds::local_bound(order, radius, radius, distance),
        bounds::local_gradient_bound(order, radius, radius, distance),
    ];
    [errors(&found, &exact).map(|error| error / weight), bounds]
}

fn main() {
    println!("order  error of Φ    bound  error of ∇Φ    bound");
    for order in [1, 2, 4, 8, 12, 16, 24, 32] {
        let [[potential, gradient], bounds] = measure(order);
        println!(
            "{order:5}  {potential:10.1e}  {:7.1e}  {gradient:11.1e}  {:7.1e}",
            bounds[0], bounds[1]
        );
    }
}

/// Errors fall with the order, below the bounds, to the rounding of f64.
#[test]
fn errors_fall_below_the_bounds() {
    let mut last = [f64::INFINITY; 2];
    for order in [2, 6, 12, 20, 30] {
        let [errors, bounds] = measure(order);
        for k in 0..2 {
            assert!(errors[k] > 0.0 && errors[k] < bounds[k], "{order}: {errors:?} {bounds:?}");
            // Charges that fill a box gain a digit in four orders at least.
            assert!(errors[k] < 0.2 * last[k], "{order}: {errors:?} {last:?}");
        }
        last = errors;
    }
}

/// The formula sheet's table of over-estimates has these numbers, to two digits.
#[test]
fn the_formula_sheet_quotes_these_numbers() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/theory/formulas.md");
    // Packages have no documents.
    let Ok(text) = std::fs::read_to_string(page) else { return };
    let section = text.split("**The over-estimate of the bounds.**").nth(1).unwrap();
    let rows = section.lines().skip_while(|line| !line.starts_with("|--:")).skip(1);
    let rows: Vec<Vec<f64>> = rows
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.trim_matches('|').split('|').map(|x| x.trim().parse().unwrap()).collect())
        .collect();
    assert!(rows.len() > 2);
    for row in rows {
        let [errors, bounds] = measure(row[0] as usize);
        for k in 0..2 {
            let measured = [errors[k], bounds[k], bounds[k] / errors[k]];
            for (quoted, measured) in row[1 + 3 * k..].iter().zip(measured) {
                let error = (quoted / measured - 1.0).abs();
                assert!(error < 0.051, "order {}: {quoted} is {measured:.1e}", row[0]);
            }
        }
    }
}
