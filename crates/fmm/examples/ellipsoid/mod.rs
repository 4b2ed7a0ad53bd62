//! Flux on the surface of an ellipsoid, by charges inside: a Neumann problem whose solution outside is known.

use std::f64::consts::PI;

const AXES: [f64; 3] = [1.0, 0.8, 0.6];

/// Charges inside the ellipsoid, each with its place.
const INSIDE: [(f64, [f64; 3]); 2] = [(1.0, [0.4, 0.1, 0.0]), (-0.3, [-0.3, -0.2, 0.1])];

/// Points outside the ellipsoid.
pub(crate) const OUTSIDE: [[f64; 3]; 4] =
    [[1.5, 0.0, 0.0], [0.0, 1.2, 0.3], [-1.0, -0.5, 0.5], [0.0, 0.0, -2.0]];

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

pub(crate) fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}

/// Surface points y_j with outward normals n_j and areas w_j.
pub(crate) struct Surface {
    pub(crate) points: Vec<[f64; 3]>,
    pub(crate) normals: Vec<[f64; 3]>,
    pub(crate) areas: Vec<f64>,
}

impl Surface {
    /// Points of a spiral on the unit sphere, each with the area 4π/n, stretched to the ellipsoid.
    pub(crate) fn new(n: u32) -> Self {
        let mut surface = Self { points: Vec::new(), normals: Vec::new(), areas: Vec::new() };
        for i in 0..n {
            let z = 1.0 - (2.0 * f64::from(i) + 1.0) / f64::from(n);
            let azimuth = PI * (3.0 - 5.0_f64.sqrt()) * f64::from(i);
            let s = (1.0 - z * z).sqrt();
            let sphere = [s * azimuth.cos(), s * azimuth.sin(), z];
            let normal = [0, 1, 2].map(|axis| sphere[axis] / AXES[axis]);
            let length = norm(&normal);
            surface.points.push([0, 1, 2].map(|axis| AXES[axis] * sphere[axis]));
            surface.normals.push(normal.map(|part| part / length));
            surface.areas.push(4.0 * PI / f64::from(n) * AXES.iter().product::<f64>() * length);
        }
        surface
    }

    /// The flux that the charges inside give at each point.
    pub(crate) fn flux(&self) -> Vec<f64> {
        let each = self.points.iter().zip(&self.normals);
        each.map(|(x, normal)| dot(normal, &known(x).1)).collect()
    }
}

/// Known solution: potential and gradient of the charges inside.
pub(crate) fn known(x: &[f64; 3]) -> (f64, [f64; 3]) {
    INSIDE.iter().fold((0.0, [0.0; 3]), |(potential, gradient), (charge, y)| {
        let d = [0, 1, 2].map(|axis| y[axis] - x[axis]);
        let r = norm(&d);
        (
            potential + charge / r,
            [0, 1, 2].map(|axis| gradient[axis] + charge * d[axis] / r.powi(3)),
        )
    })
}
