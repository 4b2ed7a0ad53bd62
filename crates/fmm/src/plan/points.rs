//! Points as callers have them.

use crate::engine::{PointSets, Scalar};

/// A point of three coordinates, side by side in memory.
///
/// `[f32; 3]` and `[f64; 3]` are points, and with the feature `nalgebra` `nalgebra::Point3` and `nalgebra::Vector3`.
/// Other types of three floats, such as glam's `DVec3`, are cast without a copy by `bytemuck::cast_slice`:
///
/// ```
/// # use fmm::Fmm;
/// let positions = [glam::DVec3::ZERO, glam::DVec3::X, glam::DVec3::Y];
/// let plan = Fmm::new().plan(bytemuck::cast_slice::<_, [f64; 3]>(&positions))?;
/// let field = plan.evaluate(&[1.0, 2.0, 3.0])?;
/// let gradient: &[glam::DVec3] = bytemuck::cast_slice(&field.gradient);
/// # assert_eq!(gradient[0].z, 0.0);
/// # Ok::<(), fmm::Error>(())
/// ```
///
/// Types of `mint` pass by value, because its crate has no cast of slices: one array of the positions is made.
///
/// ```
/// # use fmm::Fmm;
/// let points = [mint::Point3 { x: 0.0, y: 0.0, z: 0.0 }, mint::Point3 { x: 1.0, y: 0.0, z: 0.0 }];
/// let positions = points.map(<[f64; 3]>::from); // of a Vec: .iter().map(|point| (*point).into()).collect()
/// let field = Fmm::new().plan(&positions)?.evaluate(&[1.0, 2.0])?;
/// let gradient: mint::Vector3<f64> = field.gradient[0].into();
/// assert_eq!(gradient.x, 2.0);
/// # Ok::<(), fmm::Error>(())
/// ```
pub trait Point: Copy + Sized {
    /// Type of a coordinate.
    type Scalar: Scalar;

    /// Points as arrays. Costs nothing.
    fn as_arrays(points: &[Self]) -> &[[Self::Scalar; 3]];

    /// Arrays as points. Costs nothing.
    fn from_arrays(arrays: &[[Self::Scalar; 3]]) -> &[Self];
}

impl<T: Scalar> Point for [T; 3] {
    type Scalar = T;

    fn as_arrays(points: &[Self]) -> &[[T; 3]] {
        points
    }

    fn from_arrays(arrays: &[[T; 3]]) -> &[Self] {
        arrays
    }
}

#[cfg(feature = "nalgebra")]
macro_rules! nalgebra_point {
    ($($point:ident of $t:ident),*) => {$(
        impl Point for nalgebra::$point<$t> {
            type Scalar = $t;

            fn as_arrays(points: &[Self]) -> &[[$t; 3]] {
                bytemuck::cast_slice(points)
            }

            fn from_arrays(arrays: &[[$t; 3]]) -> &[Self] {
                bytemuck::cast_slice(arrays)
            }
        }
    )*};
}

#[cfg(feature = "nalgebra")]
nalgebra_point!(Point3 of f32, Point3 of f64, Vector3 of f32, Vector3 of f64);

/// Sources and receivers of a sum, in the caller's order: `&positions` for points that are both, or
/// `(&sources, &receivers)`. Either set may be empty.
#[derive(Clone, Copy, Debug)]
pub struct Points<'a, P> {
    sources: &'a [P],
    /// `None`: the receivers are the sources.
    receivers: Option<&'a [P]>,
}

impl<'a, P: Point> Points<'a, P> {
    pub(super) fn sets(self) -> PointSets<'a, P::Scalar> {
        let (sources, receivers) = (P::as_arrays(self.sources), self.receivers.map(P::as_arrays));
        PointSets { sources, receivers }
    }
}

impl<'a, P> From<&'a [P]> for Points<'a, P> {
    fn from(points: &'a [P]) -> Self {
        Self { sources: points, receivers: None }
    }
}

impl<'a, P> From<&'a Vec<P>> for Points<'a, P> {
    fn from(points: &'a Vec<P>) -> Self {
        points.as_slice().into()
    }
}

impl<'a, P, const N: usize> From<&'a [P; N]> for Points<'a, P> {
    fn from(points: &'a [P; N]) -> Self {
        points.as_slice().into()
    }
}

impl<'a, P, S, R> From<(&'a S, &'a R)> for Points<'a, P>
where
    S: AsRef<[P]> + ?Sized,
    R: AsRef<[P]> + ?Sized,
{
    fn from((sources, receivers): (&'a S, &'a R)) -> Self {
        Self { sources: sources.as_ref(), receivers: Some(receivers.as_ref()) }
    }
}
