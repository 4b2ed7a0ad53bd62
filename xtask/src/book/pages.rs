//! Pages as `mdbook` gets them: formulas are MathML, and links out of `docs` lead to the repository.

use std::collections::BTreeSet;

use super::{DOCS, Problem, maths};
use crate::links::{leads_out, resolve};
use crate::markdown::parenthesised;

/// Address of the sources.
const REPOSITORY: &str = "https://github.com/farfield-nbody/farfield";

/// Marks that stay in the line of the formula before them.
const MARKS: [char; 6] = ['.', ',', ';', ':', ')', '?'];

/// The staged text of the page at `path`, from `docs`, and what does not fit; `files` are all files of `docs`.
pub(super) fn staged(path: &str, text: &str, files: &BTreeSet<String>) -> (String, Vec<Problem>) {
    let mut staging = Staging { path, files, problems: Vec::new(), line: 0 };
    let mut staged = String::with_capacity(text.len());
    let mut fence: Option<Fence> = None;
    for (index, line) in text.lines().enumerate() {
        staging.line = index + 1;
        match (&mut fence, line.trim_start().strip_prefix("```")) {
            (None, Some("math")) => fence = Some(Fence::Formula(String::new())),
            (None, Some(_)) => {
                fence = Some(Fence::Code);
                staged.push_str(line);
            }
            (None, None) => staged.push_str(&staging.prose(line)),
            (Some(Fence::Formula(tex)), Some(_)) => {
                let tex = std::mem::take(tex);
                staged.push_str(&staging.formula(maths::block(&tex), &tex));
                fence = None;
            }
            (Some(Fence::Formula(tex)), None) => {
                tex.push_str(line);
                tex.push(' ');
                continue;
            }
            (Some(Fence::Code), end) => {
                staged.push_str(line);
                if end.is_some() {
                    fence = None;
                }
            }
        }
        staged.push('\n');
    }
    (staged, staging.problems)
}

/// Fenced lines that have begun.
enum Fence {
    Code,
    /// The lines up to now.
    Formula(String),
}

struct Staging<'a> {
    path: &'a str,
    files: &'a BTreeSet<String>,
    problems: Vec<Problem>,
    line: usize,
}

impl Staging<'_> {
    /// A line outside of fenced code.
    fn prose(&mut self, line: &str) -> String {
        let mut staged = String::with_capacity(line.len());
        let mut rest = line;
        while let Some(c) = rest.chars().next() {
            let taken = match c {
                '`' => code_span(rest).len(),
                '\\' => rest.chars().take(2).map(char::len_utf8).sum(),
                '$' => {
                    let (tex, taken, converted) = formula(rest);
                    let converted = self.formula(converted, tex);
                    rest = &rest[taken..];
                    let (mark, behind) = rest.split_at(usize::from(rest.starts_with(MARKS)));
                    rest = behind;
                    match mark {
                        "" => staged.push_str(&converted),
                        _ => staged
                            .push_str(&format!("<span class=\"whole\">{converted}{mark}</span>")),
                    }
                    continue;
                }
                ']' if rest.starts_with("](") => {
                    let target = parenthesised(&rest[2..]);
                    staged.push_str("](");
                    staged.push_str(&self.link(target));
                    rest = &rest[2 + target.len()..];
                    continue;
                }
                c => c.len_utf8(),
            };
            staged.push_str(&rest[..taken]);
            rest = &rest[taken..];
        }
        staged
    }

    /// The converted formula, or its TeX where that has failed.
    fn formula(&mut self, converted: Result<String, String>, tex: &str) -> String {
        converted.unwrap_or_else(|what| {
            self.problems.push(Problem {
                path: format!("{DOCS}/{}", self.path),
                line: self.line,
                what,
            });
            tex.to_owned()
        })
    }

    /// The target of a link within the book or on the network.
    fn link(&self, target: &str) -> String {
        let (file, _) = target.split_once('#').unwrap_or((target, ""));
        if file.is_empty() || leads_out(file) {
            return target.to_owned();
        }
        let page = format!("{DOCS}/{}", self.path);
        let Some(path) = resolve(&page, file) else { return target.to_owned() };
        let inside = path.strip_prefix("docs/");
        let has =
            |name: &str| inside.is_some_and(|path| self.files.contains(&format!("{path}{name}")));
        if has("/README.md") {
            return format!("{}/index.md", file.trim_end_matches('/'));
        }
        if has("") && inside != Some("SUMMARY.md") {
            // The book's page of a README is the index of its folder.
            return match file.strip_suffix("README.md") {
                Some(folder) => format!("{folder}index.md{}", &target[file.len()..]),
                None => target.to_owned(),
            };
        }
        // GitHub leads on from `blob` to `tree` for a folder.
        format!("{REPOSITORY}/blob/HEAD/{path}{}", &target[file.len()..])
    }
}

/// The code span at the start of a text, or the backticks alone where none ends it.
fn code_span(text: &str) -> &str {
    let ticks = text.len() - text.trim_start_matches('`').len();
    let mark = &text[..ticks];
    let end = text[ticks..].find(mark).map_or(ticks, |at| ticks + at + ticks);
    &text[..end]
}

/// TeX of the formula at the start of a text, the bytes that it takes, and its MathML.
fn formula(text: &str) -> (&str, usize, Result<String, String>) {
    let mark = if text.starts_with("$$") { "$$" } else { "$" };
    let Some((tex, _)) = text[mark.len()..].split_once(mark) else {
        let what =
            format!("{mark} opens a formula that does not end in its line; close it or write \\$");
        return (text, text.len(), Err(what));
    };
    let converted = if mark == "$" { maths::inline(tex) } else { maths::block(tex) };
    (tex, tex.len() + 2 * mark.len(), converted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stage(text: &str) -> (String, Vec<Problem>) {
        let files = ["guide/a.md", "theory/README.md", "theory/b.md", "pictures/c.svg"];
        staged("guide/a.md", text, &files.map(str::to_owned).into_iter().collect())
    }

    #[test]
    fn formulas_are_converted_outside_of_code_alone() {
        let text =
            "a $x$ b `$y$` ``$`z$`` \\$5\n```sh\necho $HOME\n```\n```math\np\n+q\n```\n$$r$$\n";
        let (staged, problems) = stage(text);
        assert!(problems.is_empty());
        assert_eq!(staged.matches("<math").count(), 3);
        for part in ["`$y$`", "``$`z$``", "\\$5", "echo $HOME", "<mi>p</mi>", "<mi>r</mi>"] {
            assert!(staged.contains(part), "{part} in {staged}");
        }
    }

    #[test]
    fn marks_stay_with_their_formula() {
        let (staged, _) = stage("so $x$, and $y$ is\n");
        assert_eq!(staged.matches("class=\"whole\"").count(), 1);
        assert!(staged.contains("</math>,</span> and <math"), "{staged}");
    }

    #[test]
    fn broken_formulas_are_named_with_their_line() {
        let (_, problems) = stage("fine\n\n$\\frac{1}$ and $\\nosuch$\ncosts 5 $ a day\n");
        let places: Vec<(&str, usize)> =
            problems.iter().map(|problem| (problem.path.as_str(), problem.line)).collect();
        assert_eq!(places.last(), Some(&("docs/guide/a.md", 4)));
        assert!(places.contains(&("docs/guide/a.md", 3)));
    }

    #[test]
    fn links_out_of_the_book_lead_to_the_repository() {
        for (target, expected) in [
            ("../theory/b.md#x", "../theory/b.md#x"),
            ("../theory", "../theory/index.md"),
            ("../theory/README.md#x", "../theory/index.md#x"),
            ("../pictures/c.svg", "../pictures/c.svg"),
            ("#here", "#here"),
            ("https://x.org/(y)", "https://x.org/(y)"),
            ("../../crates/fmm", "https://github.com/farfield-nbody/farfield/blob/HEAD/crates/fmm"),
            ("../../a.rs#L3", "https://github.com/farfield-nbody/farfield/blob/HEAD/a.rs#L3"),
        ] {
            let (staged, _) = stage(&format!("[t]({target}) `[t](../../no.rs)`"));
            assert_eq!(staged, format!("[t]({expected}) `[t](../../no.rs)`\n"));
        }
    }
}
