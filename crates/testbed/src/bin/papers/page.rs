//! A page of a paper: Markdown with tables and figures.

use pictures::plot::{Axis, Figure, Panel, Series};

use crate::Outcome;
use crate::curves::Crossover;
use testbed::record::Record;

/// A page and its figures.
#[derive(Debug)]
pub(crate) struct Page {
    /// Name of the file, without folder.
    pub(crate) file: &'static str,
    /// The Markdown.
    pub(crate) text: String,
    /// Names and SVG texts of the figures.
    pub(crate) figures: Vec<(String, String)>,
}

/// An erratum of a paper.
pub(crate) struct Erratum {
    /// Place in the paper.
    pub(crate) place: &'static str,
    /// Text as printed.
    pub(crate) printed: &'static str,
    /// Correct text, or what is done here.
    pub(crate) correct: &'static str,
}

impl Page {
    /// A page that begins with a title and paragraphs.
    pub(crate) fn new(file: &'static str, title: &str, introduction: &str) -> Self {
        let text = format!("# {title}\n\n{}\n", introduction.trim());
        Self { file, text, figures: Vec::new() }
    }

    pub(crate) fn heading(&mut self, heading: &str) {
        self.text += &format!("\n## {heading}\n");
    }

    /// Adds a paragraph; none for an empty text.
    pub(crate) fn paragraph(&mut self, text: &str) {
        if !text.is_empty() {
            self.text += &format!("\n{text}\n");
        }
    }

    /// Adds a table. All columns but the first `texts` are of numbers.
    pub(crate) fn table(&mut self, texts: usize, heads: &[&str], rows: &[Vec<String>]) {
        let rule = |k| if k < texts { "---|" } else { "--:|" };
        let rules: String = (0..heads.len()).map(rule).collect();
        self.text += &format!("\n| {} |\n|{rules}\n", heads.join(" | "));
        for row in rows {
            self.text += &format!("| {} |\n", row.join(" | "));
        }
    }

    /// Adds a diagram; none where a panel would have fewer than two points.
    ///
    /// # Errors
    /// Errors of drawing.
    pub(crate) fn diagram(&mut self, name: &str, about: &str, panels: Vec<Panel>) -> Outcome {
        let enough = |panel: &Panel| panel.series.iter().any(|series| series.points.len() > 1);
        let panels: Vec<Panel> = panels.into_iter().filter(enough).collect();
        match panels.is_empty() {
            true => Ok(()),
            false => {
                self.drawing(name, about, Figure { panels }.svg()?);
                Ok(())
            }
        }
    }

    /// Adds a figure that is drawn already.
    pub(crate) fn drawing(&mut self, name: &str, about: &str, svg: String) {
        self.text += &format!("\n![{about}](figures/{name}.svg)\n");
        self.figures.push((format!("{name}.svg"), svg));
    }

    /// Says where the numbers of a section come from.
    pub(crate) fn origin<'a>(&mut self, records: impl IntoIterator<Item = Option<&'a Record>>) {
        let line = |record: &Record| {
            let file = record.file();
            format!("[{file}](records/{file}): {}", record.origin_text())
        };
        let lines: Vec<String> = records.into_iter().flatten().map(line).collect();
        let text = match lines.is_empty() {
            true => "Records: none.".to_owned(),
            false => format!("Records: {}.", lines.join(". ")),
        };
        self.paragraph(&text);
    }

    /// Adds the errata of the paper.
    pub(crate) fn errata(&mut self, errata: &[Erratum]) {
        self.heading("Errata of the paper");
        let row = |e: &Erratum| [e.place, e.printed, e.correct].map(str::to_owned).to_vec();
        let rows: Vec<Vec<String>> = errata.iter().map(row).collect();
        self.table(3, &["place", "printed", "correct, or as done here"], &rows);
    }
}

/// The table of a paper's items and where they are in the code.
pub(crate) fn items(page: &mut Page, items: &[[&str; 3]]) {
    page.heading("Items");
    let rows: Vec<Vec<String>> = items.iter().map(|row| row.map(str::to_owned).to_vec()).collect();
    page.table(3, &["id", "item", "where"], &rows);
}

/// A panel with logarithmic axes; series without points are left out.
pub(crate) fn logarithmic(
    title: &str,
    axes: [&str; 2],
    series: Vec<(&str, Vec<(f64, f64)>)>,
) -> Panel {
    let line = |(name, points): (&str, Vec<(f64, f64)>)| Series { name: name.to_owned(), points };
    let there = series.into_iter().filter(|(_, points)| !points.is_empty());
    Panel {
        title: title.to_owned(),
        x: Axis::logarithmic(axes[0]),
        y: Axis::logarithmic(axes[1]),
        series: there.map(line).collect(),
    }
}

/// A number with three digits; a dash where there is none.
pub(crate) fn number(x: impl Into<Option<f64>>) -> String {
    let Some(x) = x.into() else { return "–".to_owned() };
    // Rounded first, so that 99.96 counts as 100.
    let x: f64 = format!("{x:.2e}").parse().unwrap_or(x);
    match x.abs() {
        0.0 => "0".to_owned(),
        1e-3..1e6 => {
            let digits = (2 - x.abs().log10().floor() as i32).clamp(0, 5) as usize;
            format!("{x:.digits$}")
        }
        _ => format!("{x:.2e}"),
    }
}

/// A number of points, with all digits.
pub(crate) fn count(n: f64) -> String {
    format!("{n:.0}")
}

/// A factor, such as 12 ×.
pub(crate) fn factor(x: impl Into<Option<f64>>) -> String {
    match x.into() {
        Some(x) if x >= 100.0 => format!("{:.0} ×", two_digits(x)),
        Some(x) if x >= 10.0 => format!("{x:.0} ×"),
        Some(x) => format!("{x:.1} ×"),
        None => "–".to_owned(),
    }
}

/// Two digits of a number.
pub(crate) fn two_digits(x: f64) -> f64 {
    format!("{x:.1e}").parse().unwrap_or(x)
}

/// A crossover as a number of points.
pub(crate) fn place(crossover: Option<Crossover>) -> String {
    match crossover {
        Some(Crossover::At(x)) => count(two_digits(x)),
        Some(Crossover::Before(x)) => format!("below {}", count(x)),
        None => "none".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        for (x, text) in [
            (0.0, "0"),
            (123456.0, "123000"),
            (99.96, "100"),
            (12.345, "12.3"),
            (0.012345, "0.0123"),
            (1.2345e-5, "1.23e-5"),
            (9.3e9, "9.30e9"),
        ] {
            assert_eq!(number(x), text);
        }
        assert_eq!(number(None), "–");
        assert_eq!(
            (factor(3.21), factor(32.1), factor(321.0)),
            ("3.2 ×".into(), "32 ×".into(), "320 ×".into())
        );
        assert_eq!(place(Some(Crossover::At(2345.0))), "2300");
    }
}
