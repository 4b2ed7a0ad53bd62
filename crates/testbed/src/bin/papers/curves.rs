//! Curves through measured points: where one crosses another, and how steep one is.

/// The x from which on `faster` stays below `slower`, both interpolated between points of the same x in logarithms; the
/// first common x if `faster` is below from the start, and `None` if it is not below in the end.
pub(crate) fn crossover(faster: &[(f64, f64)], slower: &[(f64, f64)]) -> Option<Crossover> {
    let common = faster.iter().filter_map(|&(x, y)| {
        let other = slower.iter().find(|point| point.0 == x)?;
        Some((x, (y / other.1).ln()))
    });
    let common: Vec<(f64, f64)> = common.collect();
    if common.last()?.1 >= 0.0 {
        return None;
    }
    match common.iter().rposition(|(_, ratio)| *ratio >= 0.0) {
        None => Some(Crossover::Before(common[0].0)),
        Some(above) => {
            let ((x0, r0), (x1, r1)) = (common[above], common[above + 1]);
            Some(Crossover::At(x0 * (x1 / x0).powf(r0 / (r0 - r1))))
        }
    }
}

/// A place where one curve crosses another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Crossover {
    /// At this x.
    At(f64),
    /// Before the first measured x, which is this one.
    Before(f64),
}

/// The y at `x`, on the power law through the last two points if `x` lies behind them; the point itself where there is one.
pub(crate) fn extended(points: &[(f64, f64)], x: f64, exponent: f64) -> Option<f64> {
    if let Some(point) = points.iter().find(|point| point.0 == x) {
        return Some(point.1);
    }
    let last = points.iter().copied().reduce(|a, b| if b.0 > a.0 { b } else { a })?;
    (x > last.0).then(|| last.1 * (x / last.0).powf(exponent))
}

/// The exponent of the power law of least squares through the points of at least `from`.
pub(crate) fn exponent(points: &[(f64, f64)], from: f64) -> Option<f64> {
    let logs: Vec<(f64, f64)> =
        points.iter().filter(|p| p.0 >= from).map(|p| (p.0.ln(), p.1.ln())).collect();
    (logs.len() > 1).then(|| testbed::fit::line(&logs)[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of a function at powers of two.
    fn curve(of: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        (4..12).map(|k| f64::from(1 << k)).map(|x| (x, of(x))).collect()
    }

    #[test]
    fn power_laws_cross_where_they_are_equal() {
        let (linear, square) = (curve(|x| 100.0 * x), curve(|x| x * x));
        let Some(Crossover::At(x)) = crossover(&linear, &square) else { panic!("no crossover") };
        assert!((x - 100.0).abs() < 1e-9 * 100.0);
        assert_eq!(crossover(&square, &linear), None);
        assert_eq!(crossover(&curve(|x| x), &square), Some(Crossover::Before(16.0)));
    }

    #[test]
    fn laws_are_extended_and_fitted() {
        let square = curve(|x| 3.0 * x * x);
        assert_eq!(extended(&square, 16.0, 2.0), Some(768.0));
        let far = extended(&square, 1e6, 2.0).unwrap();
        assert!((far / 3e12 - 1.0).abs() < 1e-12);
        assert_eq!(extended(&square, 17.0, 2.0), None);
        assert!((exponent(&square, 0.0).unwrap() - 2.0).abs() < 1e-12);
    }
}
