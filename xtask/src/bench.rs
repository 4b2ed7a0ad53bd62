//! `cargo xtask bench`: lists and runs the criterion benches of the `benches` crate.

use std::fs;
use std::path::Path;

use crate::error::Error;
use crate::workspace;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// The bench to run; all of them if absent
    name: Option<String>,
    /// Lists the benches with a line each and runs none
    #[arg(long)]
    list: bool,
    /// Arguments for criterion, after `--`
    #[arg(last = true)]
    criterion: Vec<String>,
}

/// A bench target: its name and the first line of its module comment.
#[derive(Debug, PartialEq)]
struct Bench {
    name: String,
    about: String,
}

/// Lists the benches, or runs those asked for one after the other.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Error> {
    let benches = benches(&workspace::root().join("benches").join("benches"))?;
    if arguments.list {
        for bench in &benches {
            println!("{:<20} {}", bench.name, bench.about);
        }
        return Ok(());
    }
    for bench in chosen(&benches, arguments.name.as_deref())? {
        println!("== {}: {}", bench.name, bench.about);
        let mut command = workspace::cargo(&["bench", "--package", "benches", "--bench"]);
        command.arg(&bench.name);
        if !arguments.criterion.is_empty() {
            command.arg("--").args(&arguments.criterion);
        }
        workspace::execute(command, "bench")?;
    }
    Ok(())
}

/// The bench of that name, or all of them for no name.
fn chosen<'a>(benches: &'a [Bench], name: Option<&str>) -> Result<&'a [Bench], Error> {
    let Some(name) = name else { return Ok(benches) };
    match benches.iter().position(|bench| bench.name == name) {
        Some(index) => Ok(&benches[index..=index]),
        None => Err(Error::UnknownBench {
            name: name.to_owned(),
            known: benches.iter().map(|bench| bench.name.as_str()).collect::<Vec<_>>().join(", "),
        }),
    }
}

/// The benches whose files lie in `folder`, by name.
fn benches(folder: &Path) -> Result<Vec<Bench>, Error> {
    let failed = |source| Error::File { path: folder.to_owned(), source };
    let mut benches = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let text = fs::read_to_string(&path).map_err(failed)?;
        benches.push(Bench {
            name: path.file_stem().unwrap_or_default().to_string_lossy().into_owned(),
            about: about(&text).to_owned(),
        });
    }
    benches.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(benches)
}

/// The first line of a module comment.
fn about(text: &str) -> &str {
    text.lines().next().and_then(|line| line.strip_prefix("//!")).unwrap_or_default().trim()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> Vec<Bench> {
        ["p2p", "tree"].map(|name| Bench { name: name.into(), about: String::new() }).into()
    }

    #[test]
    fn a_name_chooses_one_and_no_name_all() {
        assert_eq!(chosen(&two(), Some("tree")).unwrap(), &two()[1..]);
        assert_eq!(chosen(&two(), None).unwrap(), two());
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        let message = chosen(&two(), Some("m2l")).unwrap_err().to_string();
        assert_eq!(message, "no bench is named \"m2l\"; the benches are: p2p, tree");
    }

    #[test]
    fn the_description_is_the_first_line_of_the_module_comment() {
        assert_eq!(about("//! Tree construction.\n//! More.\n"), "Tree construction.");
        assert_eq!(about("fn main() {}\n"), "");
    }
}
