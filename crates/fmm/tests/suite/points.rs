//! Positions in the types that callers have: every form gives the same bits, without annotations of types.

use fmm::{Error, Field, Fmm, Method};

/// Points of an additive sequence (Roberts 2018) in a brick.
fn arrays(n: u32) -> Vec<[f64; 3]> {
    let steps = [0.819_172_513_396, 0.671_043_606_704, 0.549_700_477_902];
    let place = |i: u32| steps.map(|step| (step * f64::from(i)).fract());
    (1..=n).map(|i| place(i).map(|x| 3.0 * x - 1.0)).collect()
}

fn charges(n: usize) -> Vec<f64> {
    (0..n).map(|i| (i % 11) as f64 - 4.0).collect()
}

/// FMM whatever the number of points, so that expansions are part of the sums.
fn request() -> Fmm {
    Fmm::new().method(Method::Fmm).tolerance(1e-5)
}

/// Potential and gradient as bits; expansions have to be in use.
fn bits(field: &Field<f64>) -> Vec<u64> {
    assert!(field.report.order > 1 && field.report.m2l_pairs > 0, "{}", field.report);
    let numbers = field.potential.iter().chain(field.gradient.as_flattened());
    numbers.map(|number| number.to_bits()).collect()
}

/// Field at the points themselves, from points as arrays.
fn of_arrays(positions: &[[f64; 3]]) -> Result<Vec<u64>, Error> {
    Ok(bits(&request().plan(positions)?.evaluate(&charges(positions.len()))?))
}

const N: usize = 3000;

#[test]
fn vectors_arrays_and_slices_are_one() -> Result<(), Error> {
    let vector = arrays(N as u32);
    let Ok(array) = <[[f64; 3]; N]>::try_from(vector.as_slice()) else {
        unreachable!("the vector has N points")
    };
    let expected = of_arrays(&vector)?;
    let charges = charges(N);
    for plan in [request().plan(&vector)?, request().plan(&array)?, request().plan(&vector[..])?] {
        assert_eq!(bits(&plan.evaluate(&charges)?), expected);
    }
    Ok(())
}

#[test]
fn pairs_of_vectors_arrays_and_slices_are_one() -> Result<(), Error> {
    let all = arrays(N as u32 + 1000);
    let (sources, receivers) = (all[..N].to_vec(), all[N..].to_vec());
    let Ok(array) = <[[f64; 3]; 1000]>::try_from(receivers.as_slice()) else {
        unreachable!("there are 1000 receivers")
    };
    let plans = [
        request().plan((&sources, &receivers))?,
        request().plan((&sources[..], &receivers[..]))?,
        request().plan((&sources, &receivers[..]))?,
        request().plan((&sources[..], &receivers))?,
        request().plan((&sources, &array))?,
    ];
    let charges = charges(N);
    let expected = bits(&plans[0].evaluate(&charges)?);
    assert_eq!(expected.len(), 4 * receivers.len());
    for plan in &plans[1..] {
        assert_eq!(bits(&plan.evaluate(&charges)?), expected);
    }
    // The receivers' order and the potential are the caller's: an own sum at one of them.
    let own = |x: [f64; 3]| -> f64 {
        let distance = |y: [f64; 3]| [0, 1, 2].map(|k| (x[k] - y[k]).powi(2)).iter().sum::<f64>();
        sources.iter().zip(&charges).map(|(y, q)| q / distance(*y).sqrt()).sum()
    };
    let (found, own) = (f64::from_bits(expected[7]), own(receivers[7]));
    let scale = charges.iter().map(|q| q.abs()).sum::<f64>();
    assert!((found - own).abs() < 1e-5 * scale, "{found} {own}");
    Ok(())
}

#[test]
fn moved_points_take_every_form() -> Result<(), Error> {
    let (old, new) = (arrays(N as u32), arrays(N as u32 + 1)[1..].to_vec());
    let charges = charges(N);
    let expected = of_arrays(&new)?;
    let mut plan = request().plan(&old)?;
    plan.update_positions(&new)?;
    assert_eq!(bits(&plan.evaluate(&charges)?), expected);
    plan.update_positions(&old)?;
    plan.update_positions(&new[..])?;
    assert_eq!(bits(&plan.evaluate(&charges)?), expected);
    let cast: Vec<glam::DVec3> = new.iter().map(|x| glam::DVec3::from_array(*x)).collect();
    plan.update_positions(&old)?;
    plan.update_positions(bytemuck::cast_slice::<_, [f64; 3]>(&cast))?;
    assert_eq!(bits(&plan.evaluate(&charges)?), expected);
    Ok(())
}

#[test]
fn glam_is_cast_without_a_copy() -> Result<(), Error> {
    let arrays = arrays(N as u32);
    let positions: Vec<glam::DVec3> = arrays.iter().map(|x| glam::DVec3::from_array(*x)).collect();
    let cast: &[[f64; 3]] = bytemuck::cast_slice(&positions);
    assert_eq!(cast.as_ptr().cast::<u8>(), positions.as_ptr().cast::<u8>());
    let field = request().plan(cast)?.evaluate(&charges(N))?;
    assert_eq!(bits(&field), of_arrays(&arrays)?);
    let gradient: &[glam::DVec3] = bytemuck::cast_slice(&field.gradient);
    assert_eq!(gradient.as_ptr().cast::<u8>(), field.gradient.as_ptr().cast::<u8>());
    assert_eq!(gradient[5].to_array(), field.gradient[5]);
    Ok(())
}

#[test]
fn glam_in_single_precision() -> Result<(), Error> {
    let positions: Vec<glam::Vec3> =
        arrays(N as u32).iter().map(|x| glam::DVec3::from_array(*x).as_vec3()).collect();
    let arrays: Vec<[f32; 3]> = positions.iter().map(glam::Vec3::to_array).collect();
    let charges: Vec<f32> = charges(N).iter().map(|q| *q as f32).collect();
    let request = request().tolerance(1e-3);
    let cast = bytemuck::cast_slice::<_, [f32; 3]>(&positions);
    let (cast, plain) = (request.plan(cast)?, request.plan(&arrays)?);
    let (cast, plain) = (cast.evaluate(&charges)?, plain.evaluate(&charges)?);
    assert_eq!((cast.potential, cast.gradient), (plain.potential, plain.gradient));
    Ok(())
}

/// `mint` types pass by value: its crate offers no cast of slices, so one array of the positions is made.
#[test]
fn mint_passes_by_value() -> Result<(), Error> {
    let arrays = arrays(N as u32);
    let points: Vec<mint::Point3<f64>> = arrays.iter().map(|x| (*x).into()).collect();
    let positions: Vec<[f64; 3]> = points.iter().map(|point| (*point).into()).collect();
    let field = request().plan(&positions)?.evaluate(&charges(N))?;
    assert_eq!(bits(&field), of_arrays(&arrays)?);
    let gradient: Vec<mint::Vector3<f64>> = field.gradient.iter().map(|g| (*g).into()).collect();
    assert_eq!([gradient[5].x, gradient[5].y, gradient[5].z], field.gradient[5]);
    Ok(())
}

#[cfg(feature = "nalgebra")]
#[test]
fn nalgebra_is_taken_as_it_is() -> Result<(), Error> {
    use nalgebra::{Point3, Vector3};

    let arrays = arrays(N as u32 + 1000);
    let points: Vec<Point3<f64>> = arrays.iter().map(|x| Point3::from(*x)).collect();
    let vectors: Vec<Vector3<f64>> = arrays.iter().map(|x| Vector3::from(*x)).collect();
    let charges = charges(N);

    let expected = of_arrays(&arrays[..N])?;
    let field = request().plan(&points[..N])?.evaluate(&charges)?;
    assert_eq!(bits(&field), expected);
    assert_eq!(bits(&request().plan(&vectors[..N])?.evaluate(&charges)?), expected);

    let gradient = field.gradient_as::<Vector3<f64>>();
    assert_eq!(gradient.as_ptr().cast::<u8>(), field.gradient.as_ptr().cast::<u8>());
    assert_eq!(<[f64; 3]>::from(gradient[5]), field.gradient[5]);

    // Pairs, of vectors and of slices, and moved points.
    let (sources, receivers) = (points[..N].to_vec(), points[N..].to_vec());
    let expected = request().plan((&arrays[..N], &arrays[N..]))?.evaluate(&charges)?;
    let plans = [
        request().plan((&sources, &receivers))?,
        request().plan((&points[..N], &points[N..]))?,
        request().plan((&sources, &points[N..]))?,
    ];
    for plan in &plans {
        assert_eq!(bits(&plan.evaluate(&charges)?), bits(&expected));
    }
    let mut plan = request().plan(&points[1000..])?;
    plan.update_positions(&vectors[..N])?;
    assert_eq!(bits(&plan.evaluate(&charges)?), of_arrays(&arrays[..N])?);
    Ok(())
}
