//! Numbers as texts of a picture.

/// A number in as few characters as can be, with a true minus: six digits behind the point, or a digit or two and a power
/// of ten where that is shorter.
pub(crate) fn short(value: f64) -> String {
    if value == 0.0 || is_plain(value) {
        return format!("{}", (value * 1e6).round() / 1e6).replace('-', "−");
    }
    power(value)
}

/// Whether a number is short without a power of ten.
pub(crate) fn is_plain(value: f64) -> bool {
    (1e-3..1e4).contains(&value.abs())
}

/// A number as a multiple of a power of ten: 2·10⁵, 10⁻³.
pub(crate) fn power(value: f64) -> String {
    let text = format!("{value:.1e}").replacen('-', "−", usize::from(value < 0.0));
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let raised: String = exponent.chars().map(superscript).collect();
    match digits.strip_suffix(".0").unwrap_or(digits) {
        "1" => format!("10{raised}"),
        digits => format!("{digits}·10{raised}"),
    }
}

fn superscript(digit: char) -> char {
    match digit {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => digit.to_digit(10).and_then(|d| char::from_u32(0x2070 + d)).unwrap_or(digit),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.0, "0"),
            (0.1 + 0.2, "0.3"),
            (-2.5, "−2.5"),
            (1e-3, "0.001"),
            (1e-12, "10⁻¹²"),
            (2e5, "2·10⁵"),
            (-1.5e7, "−1.5·10⁷"),
        ] {
            assert_eq!(short(value), text);
        }
    }
}
