//! The row that a run leaves in `docs/performance.md`.

use std::path::Path;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use super::Failure;

/// The line before the table, whose newest row is the last.
const TABLE: &str = "<!-- cargo xtask bench cpu -->";

/// Appends the seconds of a run of [`super::pipeline`] to the table, and returns the row.
///
/// # Errors
///
/// A page that cannot be read or written, or has no table.
pub fn append(summary: &[String]) -> Result<String, Failure> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/performance.md");
    let text = std::fs::read_to_string(&page)?;
    let row = format!(
        "| {} | {} | {} threads, {} | {} |\n",
        date(SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs() / 86_400),
        commit(),
        rayon::current_num_threads(),
        lanes::Arch::best().name(),
        summary.join(" | ")
    );
    let start = text.find(TABLE).ok_or("docs/performance.md has no table of runs")?;
    let end = text[start..].find("\n\n").map_or(text.len(), |at| start + at + 1);
    std::fs::write(&page, format!("{}{row}{}", &text[..end], &text[end..]))?;
    Ok(row)
}

/// The commit that was measured, with a + where files have changed since.
fn commit() -> String {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let changed = git(&["status", "--porcelain", "--untracked-files=no"]);
    let mark = if changed.is_some_and(|files| !files.is_empty()) { "+" } else { "" };
    git(&["rev-parse", "--short", "HEAD"]).map_or("–".into(), |commit| format!("{commit}{mark}"))
}

/// The date in UTC of a day counted from 1970-01-01 (H. Hinnant, "chrono-compatible low-level date
/// algorithms").
fn date(days: u64) -> String {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    format!("{:04}-{month:02}-{day:02}", year + era * 400 + u64::from(month <= 2))
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn days_become_dates() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(19_782), "2024-02-29");
        assert_eq!(date(20_779), "2026-11-22");
    }
}
