//! `cargo xtask bench`: lists and runs the criterion benches of the `benches` crate, or the command's bench on a GPU.

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
    /// A GPU, such as cuda or cuda:1, on which `farfield bench` runs instead; options of it after `--`
    #[arg(long, value_name = "DEVICE", conflicts_with_all = ["name", "list"])]
    device: Option<String>,
    /// Arguments for criterion, or for `farfield bench`, after `--`
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
    if let Some(device) = &arguments.device {
        return on_device(device, &arguments.criterion);
    }
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

/// Options for the tables of `docs/performance-gpu.md`, taken where none are given.
const ON_DEVICE: [&str; 10] = [
    "--precision",
    "f32",
    "--set",
    "cube,plummer,sphere",
    "--points",
    "1048576,10000000",
    "--order",
    "5,6,7,8,9,10",
    "--leaf",
    "48,64,96,128",
];

/// `farfield bench` on a GPU.
fn on_device(device: &str, options: &[String]) -> Result<(), Error> {
    let mut command = workspace::cargo(&["run", "--release", "--package", "farfield"]);
    command.args(["--features", "cuda", "--", "bench", "--device", device]);
    if options.is_empty() {
        command.args(ON_DEVICE);
    } else {
        command.args(options);
    }
    workspace::execute(command, "bench")
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
