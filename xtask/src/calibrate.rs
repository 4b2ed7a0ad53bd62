//! `cargo xtask calibrate`: the error tables and the cost tables of `fmm::choose`, measured anew.
//!
//! The `calibrate` program of the `testbed` crate measures and writes the Rust files.

use crate::error::Error;
use crate::workspace;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    tables: Tables,
}

#[derive(clap::Subcommand)]
enum Tables {
    /// Measures errors by order and by opening, and writes choose/errors, in an hour
    Errors {
        /// Points of the largest drawn sets; fewer make tables for trials only
        #[arg(long)]
        points: Option<usize>,
        /// Prints old and new errors side by side and writes nothing
        #[arg(long)]
        check: bool,
    },
    /// Measures this machine and writes the file of its class in choose/costs; leave the machine idle meanwhile
    Costs {
        /// A GPU such as cuda or cuda:1; hybrid for the near pairs of a GPU beside the cores only. Cores if absent
        #[arg(long, value_name = "DEVICE")]
        device: Option<String>,
        /// Prints old and new costs side by side and writes nothing
        #[arg(long)]
        check: bool,
    },
}

/// Measures and writes, or compares.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Error> {
    let words = words(&arguments.tables);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    workspace::execute(workspace::cargo(&words), "calibrate")
}

/// Arguments of cargo.
fn words(tables: &Tables) -> Vec<String> {
    let mut words = vec!["run", "--release", "--package", "testbed", "--bin", "calibrate"];
    let (mut options, check) = match tables {
        Tables::Errors { points, check } => {
            let points = points.map(|n| vec!["--points".to_owned(), n.to_string()]);
            ([vec!["errors".to_owned()], points.unwrap_or_default()].concat(), check)
        }
        Tables::Costs { device, check } => {
            if device.as_deref().is_some_and(|device| device != "cpu") {
                words.extend(["--features", "cuda"]);
            }
            let device = device.clone().map(|device| vec!["--device".to_owned(), device]);
            ([vec!["costs".to_owned()], device.unwrap_or_default()].concat(), check)
        }
    };
    if *check {
        options.push("--check".to_owned());
    }
    words.into_iter().chain(["--"]).map(str::to_owned).chain(options).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_is_built_for_where_it_is_measured() {
        let costs = |device: Option<&str>| {
            words(&Tables::Costs { device: device.map(str::to_owned), check: true }).join(" ")
        };
        assert!(
            costs(Some("cuda:1")).ends_with("--features cuda -- costs --device cuda:1 --check")
        );
        assert!(costs(None).ends_with("--bin calibrate -- costs --check"));
    }

    #[test]
    fn points_are_passed_on() {
        let words = words(&Tables::Errors { points: Some(7), check: false }).join(" ");
        assert!(words.ends_with("--bin calibrate -- errors --points 7"));
    }
}
