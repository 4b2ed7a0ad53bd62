//! The surface density keeps mass and place, and does not depend on threads.

use pictures::{Camera, Scale, Size, SurfaceDensity, surface_density};
use proptest::prelude::*;

const SIZE: Size = Size { width: 160, height: 90 };
/// A pixel is 0.1 wide.
const WIDTH: f64 = 16.0;

fn from_above() -> Camera {
    Camera::new([0.0, 0.0, 1.0], [0.0; 3], WIDTH).unwrap()
}

fn vector(reach: f64) -> impl Strategy<Value = [f64; 3]> {
    [-reach..reach, -reach..reach, -reach..reach]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Points keep away from the edges by more than the widest square, of 3 cells of 2^2 pixels either way.
    #[test]
    fn the_mass_in_the_picture_is_that_of_its_points(
        points in prop::collection::vec((vector(3.0), 1e-3..1e3), 1..300),
        view in vector(1.0).prop_filter("a direction", |v| v.iter().any(|x| x.abs() > 1e-3)),
        clump in 1usize..50,
    ) {
        // Some points many times, so that several levels are used.
        let points: Vec<_> = points.iter().enumerate().flat_map(|(i, p)| vec![*p; if i == 0 { clump } else { 1 }]).collect();
        let (positions, masses): (Vec<[f64; 3]>, Vec<f64>) = points.into_iter().unzip();
        // 3√3 from the centre at most, and the picture's half height is 9.
        let camera = Camera::new(view, [0.0; 3], 2.0 * WIDTH).unwrap();
        let density = surface_density(&positions, &masses, &camera, SIZE).unwrap();
        let total: f64 = masses.iter().sum();
        // Whole numbers of total / 2^60, and sums of some thousand pixels.
        prop_assert!((density.mass() / total - 1.0).abs() < 1e-12);
        prop_assert!(density.values.iter().all(|&value| value >= 0.0));
    }
}

fn at(density: &SurfaceDensity, [column, row]: [usize; 2]) -> f64 {
    density.values[row * density.size.width + column] * density.pixel_area
}

#[test]
fn a_clump_lands_at_its_pixel() {
    // Pixel (100, 20) has its middle at x = (100.5 − 80)/10 and y = (45 − 20.5)/10.
    let positions = [[2.05, 2.45, -7.0]; 40];
    let density = surface_density(&positions, &[0.025; 40], &from_above(), SIZE).unwrap();
    assert!((at(&density, [100, 20]) - 0.75 * 0.75).abs() < 1e-9);
    assert!((at(&density, [101, 20]) - 0.75 * 0.125).abs() < 1e-9);
    assert!((density.mass() - 1.0).abs() < 1e-12);
}

#[test]
fn lone_points_are_spots_around_their_place() {
    let density = surface_density(&[[1.0, -2.0, 0.0]], &[2.0], &from_above(), SIZE).unwrap();
    let (mut sum, mut mass) = ([0.0; 2], 0.0);
    for row in 0..SIZE.height {
        for column in 0..SIZE.width {
            let value = at(&density, [column, row]);
            mass += value;
            sum = [sum[0] + value * (column as f64 + 0.5), sum[1] + value * (row as f64 + 0.5)];
        }
    }
    let lit = density.values.iter().filter(|&&value| value > 0.0).count();
    assert!((50..2000).contains(&lit), "{lit}");
    assert!((mass - 2.0).abs() < 1e-12);
    assert!((sum[0] / mass - 90.0).abs() < 1e-9 && (sum[1] / mass - 65.0).abs() < 1e-9);
}

#[test]
fn points_outside_do_not_count_and_far_ones_do_no_harm() {
    let positions = [[0.0; 3], [100.0, 0.0, 0.0], [1e300, -1e300, 1e300], [-1e18, 0.0, 0.0]];
    let density = surface_density(&positions, &[1.0; 4], &from_above(), SIZE).unwrap();
    assert!((density.mass() - 1.0).abs() < 1e-12);
    let nothing = surface_density(&[[0.0; 3]], &[0.0], &from_above(), SIZE).unwrap();
    assert!(nothing.mass() == 0.0 && Scale::of([&nothing]).is_none());
}

#[test]
fn threads_do_not_change_a_bit() {
    let cloud = nbody::initial_conditions::plummer(20_000, 5);
    let draw = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            surface_density(&cloud.positions, &cloud.masses, &from_above(), SIZE).unwrap()
        })
    };
    let alone = draw(1);
    assert!((2..5).all(|threads| draw(threads) == alone));
}

#[test]
fn cameras_look_from_their_side() {
    let place = |view: [f64; 3], point: [f64; 3]| {
        let camera = Camera::new(view, [0.0; 3], WIDTH).unwrap();
        camera.project(point, SIZE).map(|x| (x * 1e9).round() / 1e9)
    };
    // From above: x to the right, y up. From the front: z up.
    assert_eq!(place([0.0, 0.0, 2.0], [1.0, 2.0, 5.0]), [90.0, 25.0]);
    assert_eq!(place([0.0, -1.0, 0.0], [1.0, 2.0, 3.0]), [90.0, 15.0]);
    assert_eq!(place([1.0, 0.0, 0.0], [1.0, 2.0, 3.0]), [100.0, 15.0]);
    // A walk by 90° from the front arrives at +x.
    let camera = Camera::new([0.0, -1.0, 0.0], [0.0; 3], WIDTH).unwrap().turned(90.0);
    let [x, y] = camera.project([1.0, 2.0, 3.0], SIZE);
    assert!((x - 100.0).abs() < 1e-9 && (y - 15.0).abs() < 1e-9, "{x} {y}");
    for view in [[0.0; 3], [f64::NAN, 0.0, 1.0], [f64::INFINITY, 0.0, 0.0]] {
        assert!(Camera::new(view, [0.0; 3], 1.0).is_err());
    }
    for width in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(Camera::new([1.0; 3], [0.0; 3], width).is_err());
    }
}

#[test]
fn scales_are_logarithmic_and_hold_for_all_pictures() {
    let picture = |value: f64| SurfaceDensity {
        size: SIZE,
        values: vec![value; SIZE.pixels()],
        pixel_area: 1.0,
    };
    let scale = Scale::of([&picture(1e-3), &picture(10.0)]).unwrap();
    assert_eq!((scale.low, scale.high), (1e-3, 10.0));
    assert!((scale.place(0.1) - 0.5).abs() < 1e-12);
    assert_eq!([0.0, 1e-9, 10.0, 1e9].map(|value| scale.place(value)), [0.0, 0.0, 1.0, 1.0]);
    // The quotient of these ends overflows.
    let wide = Scale { low: 1e-300, high: 1e300 };
    assert!((wide.place(1.0) - 0.5).abs() < 1e-12 && (wide.place(1e150) - 0.75).abs() < 1e-12);
}

#[test]
fn larger_pictures_are_sampled_for_their_scale() {
    // A picture above 2^22 pixels, of which each row rises alike.
    let size = Size { width: 8192, height: 1024 };
    let values = (0..size.pixels()).map(|i| 10f64.powf((i % 8192) as f64 / 8192.0 * 3.0));
    let large = SurfaceDensity { size, values: values.collect(), pixel_area: 1.0 };
    let scale = Scale::of([&large]).unwrap();
    assert!(
        (scale.high / 1e3 - 1.0).abs() < 0.01 && (scale.low / 10f64.powf(0.6) - 1.0).abs() < 0.01
    );
}
