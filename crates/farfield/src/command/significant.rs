//! Numbers for a reader, as `%g` of C writes them.

/// A number in so many significant digits, without zeros at the end: 0.00012 and 1.2e-5.
pub(crate) fn significant(value: f64, digits: usize) -> String {
    let scientific = format!("{value:.*e}", digits.saturating_sub(1));
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        // Infinity, or no number.
        return scientific;
    };
    match exponent.parse::<i32>() {
        Ok(power) if (-4..digits as i32).contains(&power) => {
            let decimals = (digits as i32 - 1 - power).max(0) as usize;
            without_zeros(&format!("{value:.decimals$}")).to_owned()
        }
        _ => format!("{}e{exponent}", without_zeros(mantissa)),
    }
}

/// A decimal number without zeros at its end.
fn without_zeros(number: &str) -> &str {
    match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.'),
        false => number,
    }
}

#[cfg(test)]
mod tests {
    use super::significant;

    #[test]
    fn numbers_are_those_of_printf() {
        // `printf '%.3g'`, but for zeros and signs of the exponent.
        for (value, expected) in [
            (0.0, "0"),
            (1.0, "1"),
            (100.0, "100"),
            (0.1, "0.1"),
            (-0.012345, "-0.0123"),
            (0.00012, "0.00012"),
            (0.000012, "1.2e-5"),
            (0.0000999999, "0.0001"),
            (999.4, "999"),
            (999.6, "1e3"),
            (6.674e-11, "6.67e-11"),
            (1e300, "1e300"),
            (f64::INFINITY, "inf"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(significant(value, 3), expected);
        }
        assert_eq!(significant(123_456.7, 6), "123457");
    }
}
