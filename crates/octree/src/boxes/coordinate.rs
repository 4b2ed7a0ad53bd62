//! The scalars that a point may be given in.

/// A floating-point coordinate. Geometry is decided in `f64`, whatever the points are given in.
pub trait Coordinate: Copy + Default + Send + Sync {
    /// Exact value in `f64`.
    fn to_f64(self) -> f64;
}

impl Coordinate for f32 {
    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

impl Coordinate for f64 {
    fn to_f64(self) -> f64 {
        self
    }
}
