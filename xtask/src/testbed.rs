//! Programs of the test bed that take arguments: `cargo xtask accuracy`, `papers`, `attack` and `fuzz`.

use crate::error::Error;
use crate::workspace;

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Arguments of the program; `-- --help` lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<String>,
}

/// Runs a program of the test bed, optimised, with the feature cuda where its arguments name a GPU.
pub(crate) fn run(program: &'static str, arguments: &Arguments) -> Result<(), Error> {
    let words = words(program, &arguments.words);
    workspace::execute(workspace::cargo(&words), program)
}

/// Arguments of cargo.
fn words<'a>(program: &'a str, arguments: &'a [String]) -> Vec<&'a str> {
    let mut words = vec!["run", "--release", "--package", "testbed", "--bin", program];
    if arguments.iter().any(|word| word.contains("cuda") || word.starts_with("hybrid")) {
        words.extend(["--features", "cuda"]);
    }
    words.push("--");
    words.extend(arguments.iter().map(String::as_str));
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_is_built_for_where_it_is_attacked() {
        let words = |arguments: [&str; 2]| words("attack", &arguments.map(str::to_owned)).join(" ");
        assert!(words(["--device", "cuda:1"]).ends_with("--features cuda -- --device cuda:1"));
        assert!(words(["--device", "hybrid"]).ends_with("--features cuda -- --device hybrid"));
        assert!(words(["--device", "cpu"]).ends_with("--bin attack -- --device cpu"));
    }
}
