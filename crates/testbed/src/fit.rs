//! Least squares: sums of terms with coefficients that are not negative, and laws through logarithms.

use nalgebra::{DMatrix, DVector};

/// Coefficients of the terms that fit the values best, relative to each value. None is negative; terms that would be
/// get 0.
///
/// `rows[i][k]` is the k-th term of the i-th value. Every subset of the terms is tried: the least squares without
/// negative coefficients are the best of those subsets whose own least squares have none. Values of 0, which have no
/// relative error, are left out; without others all coefficients are 0.
pub fn positive_fit<const N: usize>(rows: &[[f64; N]], values: &[f64]) -> [f64; N] {
    let there = rows.iter().zip(values).filter(|(_, value)| **value != 0.0);
    let (rows, values): (Vec<[f64; N]>, Vec<f64>) = there.unzip();
    let (rows, values) = (&rows, &values);
    let mut best = (f64::INFINITY, [0.0; N]);
    for subset in 1u32..1 << N {
        let terms: Vec<usize> = (0..N).filter(|k| subset >> k & 1 == 1).collect();
        let Some((residual, found)) = fit(rows, values, &terms) else { continue };
        if found.iter().all(|x| *x >= 0.0) && residual < best.0 {
            let mut all = [0.0; N];
            for (k, x) in terms.iter().zip(found) {
                all[*k] = x;
            }
            best = (residual, all);
        }
    }
    best.1
}

/// Squared residual and coefficients of some of the terms, relative to the values.
fn fit<const N: usize>(
    rows: &[[f64; N]],
    values: &[f64],
    terms: &[usize],
) -> Option<(f64, Vec<f64>)> {
    if rows.is_empty() {
        return None;
    }
    // Columns of like size, for the sake of rounding.
    let largest = |k: usize| rows.iter().map(|row| row[k].abs()).fold(f64::MIN_POSITIVE, f64::max);
    let sizes: Vec<f64> = terms.iter().map(|k| largest(*k)).collect();
    let smallest = values.iter().fold(f64::INFINITY, |least, v| least.min(v.abs()));
    let entry = |i: usize, j: usize| rows[i][terms[j]] / sizes[j] * (smallest / values[i]);
    let matrix = DMatrix::from_fn(rows.len(), terms.len(), entry);
    let right = DVector::from_element(rows.len(), smallest);
    let found = matrix.clone().svd(true, true).solve(&right, 1e-300).ok()?;
    let residual = (&matrix * &found - right).norm_squared() / (smallest * smallest);
    Some((residual, found.iter().zip(sizes).map(|(x, size)| x / size).collect()))
}

/// Intercept and slope of the line of least squares through points (x, y).
pub fn line(points: &[(f64, f64)]) -> [f64; 2] {
    let n = points.len().max(1) as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / n;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let across: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    let along: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
    let slope = if along > 0.0 { across / along } else { 0.0 };
    [y - slope * x, slope]
}

/// The line of least squares, raised until no point is above it.
pub fn line_above(points: &[(f64, f64)]) -> [f64; 2] {
    let [at_zero, slope] = line(points);
    let above = |p: &(f64, f64)| p.1 - (at_zero + slope * p.0);
    [at_zero + points.iter().map(above).fold(0.0, f64::max), slope]
}

/// The law a·b^x that no point is above, by [`line_above`] of the logarithms.
pub fn decay_above(points: &[(f64, f64)]) -> [f64; 2] {
    let logarithms: Vec<(f64, f64)> = points.iter().map(|(x, y)| (*x, y.ln())).collect();
    line_above(&logarithms).map(f64::exp)
}

/// The middle value, the larger of two; NaN without values.
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The smallest value; infinity without values.
pub fn least(values: impl IntoIterator<Item = f64>) -> f64 {
    values.into_iter().fold(f64::INFINITY, f64::min)
}

/// Geometric mean of positive values; 1 without values.
pub fn geometric_mean(values: &[f64]) -> f64 {
    (values.iter().map(|x| x.ln()).sum::<f64>() / values.len().max(1) as f64).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_found_at_any_scale() {
        let rows: Vec<[f64; 3]> =
            (3..12).map(f64::from).map(|p| [p * p, p.powi(3), p.powi(4)]).collect();
        let values: Vec<f64> = rows.iter().map(|row| 2e-9 * row[0] + 3e-12 * row[2]).collect();
        let [square, cube, fourth] = positive_fit(&rows, &values);
        assert!((square / 2e-9 - 1.0).abs() < 1e-6);
        assert!(cube < 1e-16);
        assert!((fourth / 3e-12 - 1.0).abs() < 1e-6);
    }

    #[test]
    fn no_coefficient_is_negative() {
        let rows: Vec<[f64; 2]> = (1..9).map(f64::from).map(|p| [1.0, p * p]).collect();
        let values: Vec<f64> = rows.iter().map(|row| 5.0 * row[1] - 1.0).collect();
        let [constant, square] = positive_fit(&rows, &values);
        assert_eq!(constant, 0.0);
        assert_eq!(positive_fit::<2>(&[], &[]), [0.0; 2]);
        let [slope] = positive_fit(&[[1.0], [2.0], [3.0]], &[0.0, 4.0, 6.0]);
        assert!((slope - 2.0).abs() < 1e-12);
        assert_eq!(positive_fit(&[[1.0]], &[0.0]), [0.0]);
        assert!(square > 4.0 && square < 5.0);
    }

    #[test]
    fn laws_are_above_all_points() {
        let points: Vec<(f64, f64)> =
            (1..20).map(f64::from).map(|x| (x, 3.0 * 0.5f64.powf(x))).collect();
        let [at_zero, rate] = decay_above(&points);
        assert!((at_zero - 3.0).abs() < 1e-9 && (rate - 0.5).abs() < 1e-9);
        let mut raised = points.clone();
        raised[7].1 *= 4.0;
        let [at_zero, rate] = decay_above(&raised);
        let above = |(x, y): &(f64, f64)| at_zero * rate.powf(*x) >= y * (1.0 - 1e-12);
        assert!(raised.iter().all(above));
    }

    #[test]
    fn averages_of_few_values() {
        assert_eq!(median([3.0, 1.0, 2.0]), 2.0);
        assert_eq!(least([3.0, 1.0, 2.0]), 1.0);
        assert!((geometric_mean(&[2.0, 8.0]) - 4.0).abs() < 1e-12);
        assert_eq!(line(&[(0.0, 1.0), (2.0, 5.0)]), [1.0, 2.0]);
    }
}
