//! The row that a run leaves in `docs/performance.md`.

use std::path::Path;

use testbed::origin;

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
        origin::today(),
        origin::commit().unwrap_or_else(|| "–".into()),
        rayon::current_num_threads(),
        lanes::Arch::best().name(),
        summary.join(" | ")
    );
    let start = text.find(TABLE).ok_or("docs/performance.md has no table of runs")?;
    let end = text[start..].find("\n\n").map_or(text.len(), |at| start + at + 1);
    std::fs::write(&page, format!("{}{row}{}", &text[..end], &text[end..]))?;
    Ok(row)
}
