//! Quantities that are measured, as prose writes them: numbers with a unit of time, memory or rate, shares in %, errors and
//! factors.

use super::numbers;

/// Units of what is measured.
const UNITS: [&str; 24] = [
    "%",
    "ms",
    "µs",
    "ns",
    "s",
    "seconds",
    "minutes",
    "hours",
    "kB",
    "MB",
    "GB",
    "KiB",
    "MiB",
    "GiB",
    "×",
    "Gflop/s",
    "GB/s",
    "pairs/s",
    "times as fast",
    "times faster",
    "times slower",
    "bytes a point",
    "steps a second",
    "interactions a second",
];

/// Numbers in words.
const WORDS: [&str; 12] = [
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "twelve", "twenty",
    "hundred",
];

/// First words of a text whose numbers have this unit.
const HEADS: [&str; 5] = ["Milliseconds", "Seconds", "Nanoseconds", "Microseconds", "Times"];

/// Whether a line has a measured quantity, outside of code and formulas.
pub(crate) fn occurs_in(line: &str) -> bool {
    let plain = without(&without(line, '`'), '$');
    if HEADS.iter().any(|head| plain.trim_start().starts_with(head)) {
        return true;
    }
    let mut before = ' ';
    let mut rest = plain.as_str();
    while let Some(c) = rest.chars().next() {
        let starts = !before.is_alphanumeric() && before != '.';
        let length = if starts { number(rest) } else { None };
        if let Some(length) = length {
            let (digits, after) = rest.split_at(length);
            if has_unit(after) || is_error(digits) || is_factor(digits, after) {
                return true;
            }
            (before, rest) = ('0', after);
        } else {
            (before, rest) = (c, &rest[c.len_utf8()..]);
        }
    }
    false
}

/// Bytes of the number that a text begins with, in digits or in words.
fn number(text: &str) -> Option<usize> {
    let digits = numbers::leading(text).map(|(_, length)| length);
    let word = || {
        let is_whole = |rest: &str| rest.starts_with([' ', '\u{a0}', '\u{202f}']);
        let mut words = WORDS.iter();
        words.find(|word| text.strip_prefix(**word).is_some_and(is_whole)).map(|word| word.len())
    };
    digits.or_else(word)
}

fn has_unit(after: &str) -> bool {
    let after = after.trim_start_matches([' ', '\u{a0}', '\u{202f}']);
    UNITS.iter().any(|unit| {
        after.strip_prefix(unit).is_some_and(|rest| {
            let next = rest.trim_start().chars().next();
            // A product, such as 2 × 3, is no factor.
            let is_product = *unit == "×" && next.is_some_and(|c| c.is_ascii_digit());
            !is_product && !rest.starts_with(|c: char| c.is_alphanumeric() || c == '/' || c == '-')
        })
    })
}

/// Whether a number is an error that was measured, 3.2e-4 or 3.2·10⁻⁴. Tolerances are round, 1e-6.
fn is_error(digits: &str) -> bool {
    digits.contains('.') && (digits.contains("e-") || digits.contains("·10⁻"))
}

/// Whether a number is a ratio that was measured, 1.4 times.
fn is_factor(digits: &str, after: &str) -> bool {
    let times = after.strip_prefix(" times");
    digits.contains('.')
        && times.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
}

/// A line without what stands between two of a sign.
fn without(line: &str, sign: char) -> String {
    line.split(sign).step_by(2).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_memory_shares_errors_and_factors_are_measured() {
        for text in [
            "1.4 ms",
            "2 minutes",
            "3.2 ×",
            "1,024 MB",
            "5 times as fast",
            "0.5 s.",
            "four minutes",
            "0.1 %",
            "an error of 3.2e-4",
            "1.7·10⁻⁸ in the potential",
            "1.4 times the mean",
            "17 steps a second",
            "210 bytes a point",
            "Milliseconds of a sum:",
        ] {
            assert!(occurs_in(text), "{text}");
        }
    }

    #[test]
    fn settings_and_counts_are_not() {
        for text in [
            "21 levels",
            "$d=2s$",
            "`3 ms`",
            "10⁶ points",
            "2 × 3 boxes",
            "f32",
            "10 steps",
            "two cores",
            "a tolerance of 1e-6",
            "10⁻⁶",
            "three times",
            "7.4 timestamps",
        ] {
            assert!(!occurs_in(text), "{text}");
        }
    }
}
