//! Error norms between computed and reference values, for scalars and for vectors.
//!
//! A value that is not a number makes every norm not a number: no comparison `error <= bound` can
//! pass by accident.

/// The errors of a set of values against their reference; each is relative, without unit.
///
/// With the error e_i and the reference v_i of receiver i, both in the Euclidean norm:
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Errors {
    /// √(Σ e_i² / Σ v_i²), the norm that a tolerance promises.
    pub l2: f64,
    /// √(mean of (e_i / v_i)²).
    pub rms: f64,
    /// max of e_i / v_i.
    pub max: f64,
    /// mean of e_i / v_i.
    pub mean_relative: f64,
}

/// The errors of scalars, as of potentials; both slices are indexed by receiver.
pub fn scalar(values: &[f64], reference: &[f64]) -> Errors {
    debug_assert_eq!(values.len(), reference.len());
    norms(values.iter().zip(reference).map(|(value, exact)| ((value - exact).abs(), exact.abs())))
}

/// The errors of vectors, as of gradients; both slices are indexed by receiver.
pub fn vector(values: &[[f64; 3]], reference: &[[f64; 3]]) -> Errors {
    debug_assert_eq!(values.len(), reference.len());
    norms(values.iter().zip(reference).map(|(value, exact)| {
        let difference = [value[0] - exact[0], value[1] - exact[1], value[2] - exact[2]];
        (length(difference), length(*exact))
    }))
}

/// The norms of pairs (error, reference); none of them is above zero for no pairs.
fn norms(pairs: impl Iterator<Item = (f64, f64)>) -> Errors {
    let (mut count, mut error_sqr, mut reference_sqr) = (0, 0.0, 0.0);
    let (mut relative_sum, mut relative_sqr, mut max) = (0.0, 0.0, 0.0);
    for (error, reference) in pairs {
        let relative = ratio(error, reference);
        count += 1;
        error_sqr += error * error;
        reference_sqr += reference * reference;
        relative_sum += relative;
        relative_sqr += relative * relative;
        // `f64::max` would drop a NaN.
        if relative > max || relative.is_nan() {
            max = relative;
        }
    }
    let count = f64::from(count.max(1));
    Errors {
        l2: ratio(error_sqr, reference_sqr).sqrt(),
        rms: (relative_sqr / count).sqrt(),
        max: if relative_sum.is_nan() { f64::NAN } else { max },
        mean_relative: relative_sum / count,
    }
}

/// `error / reference`, where no error of a zero reference counts as exact.
fn ratio(error: f64, reference: f64) -> f64 {
    if error == 0.0 && reference == 0.0 { 0.0 } else { error / reference }
}

fn length(vector: [f64; 3]) -> f64 {
    vector[0].hypot(vector[1]).hypot(vector[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Errors 0, 1 and 2 of the values 1, 2 and −2.
    #[test]
    fn scalars_by_hand() {
        let errors = scalar(&[1.0, 3.0, 0.0], &[1.0, 2.0, -2.0]);
        assert_eq!(errors.l2, (5.0_f64 / 9.0).sqrt());
        assert_eq!(errors.rms, (1.25_f64 / 3.0).sqrt());
        assert_eq!(errors.max, 1.0);
        assert_eq!(errors.mean_relative, 0.5);
    }

    #[test]
    fn vectors_use_the_euclidean_length() {
        let errors = vector(&[[0.0, 3.0, 4.0], [3.0, 0.0, 4.0]], &[[0.0; 3], [3.0, 0.0, 4.0]]);
        assert_eq!(errors.l2, 1.0);
        assert_eq!(errors.max, f64::INFINITY);
        let errors = vector(&[[3.0, 0.0, 9.0]], &[[3.0, 0.0, 4.0]]);
        let every = Errors { l2: 1.0, rms: 1.0, max: 1.0, mean_relative: 1.0 };
        assert_eq!(errors, every);
    }

    #[test]
    fn exact_zero_and_empty_have_no_error() {
        let none = Errors { l2: 0.0, rms: 0.0, max: 0.0, mean_relative: 0.0 };
        assert_eq!(scalar(&[], &[]), none);
        assert_eq!(scalar(&[0.0, 2.0], &[0.0, 2.0]), none);
        assert_eq!(vector(&[[0.0; 3]], &[[0.0; 3]]), none);
    }

    #[test]
    fn a_nan_is_never_hidden() {
        for values in [[f64::NAN, 1.0], [1.0, f64::NAN]] {
            let Errors { l2, rms, max, mean_relative } = scalar(&values, &[1.0, 1.0]);
            assert!([l2, rms, max, mean_relative].iter().all(|norm| norm.is_nan()));
        }
    }
}
