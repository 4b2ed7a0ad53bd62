//! Numbers as prose and as constants write them.

use syn::{BinOp, Expr, ExprBinary, ExprLit, ExprUnary, Lit, UnOp};

/// The number that a text begins with, and its bytes: `1024`, `20 000`, `0.5`, `1e-13`, `2·10⁻⁶`.
pub(crate) fn leading(text: &str) -> Option<(f64, usize)> {
    let whole = grouped(text)?;
    let mut end = whole;
    if let Some(fraction) = text[end..].strip_prefix('.') {
        let digits = digits(fraction);
        end += if digits > 0 { 1 + digits } else { 0 };
    }
    let mantissa: String =
        text[..end].chars().filter(|c| c.is_ascii_digit() || *c == '.').collect();
    let mantissa: f64 = mantissa.parse().ok()?;
    if let Some((exponent, length)) = plain_exponent(&text[end..]) {
        return Some((scaled(mantissa, exponent), end + length));
    }
    if let Some((exponent, length)) = text[end..].strip_prefix("·10").and_then(raised) {
        return Some((scaled(mantissa, exponent), end + "·10".len() + length));
    }
    if let Some((exponent, length)) = raised(&text[end..]) {
        return Some((mantissa.powi(exponent), end + length));
    }
    Some((mantissa, end))
}

/// The value of a constant's expression: of literals, `-`, `<<` and `*`.
pub(crate) fn constant(expression: &Expr) -> Option<f64> {
    match expression {
        Expr::Lit(ExprLit { lit: Lit::Int(literal), .. }) => literal.base10_parse().ok(),
        Expr::Lit(ExprLit { lit: Lit::Float(literal), .. }) => literal.base10_parse().ok(),
        Expr::Paren(inner) => constant(&inner.expr),
        Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => Some(-constant(expr)?),
        Expr::Binary(ExprBinary { left, op, right, .. }) => {
            let (left, right) = (constant(left)?, constant(right)?);
            match op {
                BinOp::Shl(_) => Some(left * right.exp2()),
                BinOp::Mul(_) => Some(left * right),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The value of `m e`, as a literal of that exponent has it.
fn scaled(mantissa: f64, exponent: i32) -> f64 {
    format!("{mantissa}e{exponent}").parse().unwrap_or(f64::NAN)
}

/// The bytes of a whole number, which may be grouped by thousands.
fn grouped(text: &str) -> Option<usize> {
    let mut end = Some(digits(text)).filter(|&digits| digits > 0)?;
    while end <= 3 || text[..end].contains([',', ' ', '\u{a0}', '\u{202f}']) {
        let separator = text[end..].chars().next().filter(|c| ", \u{a0}\u{202f}".contains(*c));
        let Some(separator) = separator else { break };
        let group = end + separator.len_utf8();
        if digits(&text[group..]) != 3 {
            break;
        }
        end = group + 3;
    }
    Some(end)
}

fn digits(text: &str) -> usize {
    text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len()
}

/// The exponent `e-13`, and its bytes.
fn plain_exponent(text: &str) -> Option<(i32, usize)> {
    let rest = text.strip_prefix('e')?;
    let sign = usize::from(rest.starts_with(['-', '+']));
    let length = sign + Some(digits(&rest[sign..])).filter(|&digits| digits > 0)?;
    Some((rest[..length].parse().ok()?, 1 + length))
}

/// The exponent `⁻¹³`, and its bytes.
fn raised(text: &str) -> Option<(i32, usize)> {
    const DIGITS: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    let (mut plain, mut length) = (String::new(), 0);
    for c in text.chars() {
        match DIGITS.chars().position(|digit| digit == c) {
            Some(digit) => plain += &digit.to_string(),
            None if c == '⁻' && plain.is_empty() => plain.push('-'),
            None => break,
        }
        length += c.len_utf8();
    }
    Some((plain.parse().ok()?, length))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_read_with_groups_and_powers() {
        for (text, value, rest) in [
            ("1024 receivers", 1024.0, " receivers"),
            ("1,024 receivers", 1024.0, " receivers"),
            ("20 000 stars", 20_000.0, " stars"),
            ("64, 128", 64.0, ", 128"),
            ("0.5.", 0.5, "."),
            ("21. Then", 21.0, ". Then"),
            ("1e-13 in", 1e-13, " in"),
            ("2·10⁻⁶,", 2e-6, ","),
            ("10⁻¹³", 1e-13, ""),
            ("2²¹ boxes", 2_097_152.0, " boxes"),
            ("54 entries", 54.0, " entries"),
        ] {
            let (found, length) = leading(text).unwrap();
            assert!((found / value - 1.0).abs() < 1e-12, "{text}: {found}");
            assert_eq!(&text[length..], rest);
        }
        assert_eq!(leading("receivers"), None);
    }

    #[test]
    fn constants_are_read_as_rust_writes_them() {
        for (expression, value) in [
            ("1024", Some(1024.0)),
            ("12_000", Some(12_000.0)),
            ("2e-6", Some(2e-6)),
            ("1u64 << 10", Some(1024.0)),
            ("4 * 16", Some(64.0)),
            ("21u8", Some(21.0)),
            ("u32::MAX", None),
            ("A * 2", None),
            ("0xff", Some(255.0)),
            ("-2.5e1", Some(-25.0)),
            ("(1 << 4) * 2 * 3", Some(96.0)),
        ] {
            let parsed = syn::parse_str(expression).unwrap();
            assert_eq!(constant(&parsed), value, "{expression}");
        }
    }
}
