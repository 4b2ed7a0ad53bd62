//! Commands that pages name exist: tasks of `cargo xtask`, and the packages, programs, examples, benches and tests of cargo.

use syn::ItemEnum;

use super::Finding;
use crate::tidy::reading::source::{Source, Tree};

/// Options of cargo with the folder of what they name.
const OPTIONS: [(&str, &str); 4] =
    [("--bin", "src/bin"), ("--example", "examples"), ("--bench", "benches"), ("--test", "tests")];

pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let names = Names::of(tree);
    tree.with_extension(".md").flat_map(|page| check_page(page, &names)).collect()
}

/// Things that commands can name.
struct Names<'a> {
    tree: &'a Tree,
    /// Names of packages and of targets in manifests.
    manifests: Vec<&'a str>,
    /// Tasks of xtask, none if their file is not there.
    tasks: Vec<String>,
}

impl<'a> Names<'a> {
    fn of(tree: &'a Tree) -> Self {
        let quoted = |line: &'a str| line.strip_prefix("name = \"")?.split('"').next();
        let manifests = tree.with_extension("Cargo.toml");
        let manifests = manifests.flat_map(|source| source.text.lines().filter_map(quoted));
        Self {
            tree,
            manifests: manifests.collect(),
            tasks: tree.get("xtask/src/main.rs").map(tasks).unwrap_or_default(),
        }
    }

    fn has_target(&self, folder: &str, name: &str) -> bool {
        let ends = [format!("{folder}/{name}.rs"), format!("{folder}/{name}/main.rs")];
        let is_file = |source: &Source| {
            ends.iter().any(|end| source.path == *end || source.path.ends_with(&format!("/{end}")))
        };
        self.manifests.contains(&name) || self.tree.rust().any(is_file)
    }

    /// Things that a command names and that do not exist.
    fn missing(&self, command: &str) -> Vec<String> {
        let words: Vec<&str> = command.split_whitespace().collect();
        let Some(("cargo", words)) = words.split_first().map(|(first, rest)| (*first, rest)) else {
            return Vec::new();
        };
        // A toolchain such as +nightly may come first.
        let words = match words.first() {
            Some(toolchain) if toolchain.starts_with('+') => &words[1..],
            _ => words,
        };
        let own = words.split(|word| *word == "--").next().unwrap_or_default();
        let mut missing = Vec::new();
        if let ["xtask", task, ..] = own
            && is_name(task)
            && !self.tasks.is_empty()
            && !self.tasks.iter().any(|known| known == task)
        {
            missing.push(format!("the task {task:?} of cargo xtask"));
        }
        if !matches!(own.first(), Some(&("run" | "test" | "bench" | "build" | "doc" | "clippy"))) {
            return missing;
        }
        for pair in own.windows(2).filter(|pair| is_name(pair[1])) {
            if matches!(pair[0], "-p" | "--package") && !self.manifests.contains(&pair[1]) {
                missing.push(format!("the package {:?}", pair[1]));
            }
            let folder = OPTIONS.iter().find(|(option, _)| *option == pair[0]);
            if folder.is_some_and(|(_, folder)| !self.has_target(folder, pair[1])) {
                missing.push(format!("the target {} {:?}", pair[0], pair[1]));
            }
        }
        missing
    }
}

fn check_page(page: &Source, names: &Names<'_>) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut in_fence = false;
    for (index, line) in page.text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_fence = !in_fence;
            continue;
        }
        let code: Vec<&str> = match in_fence {
            true => vec![line.split('#').next().unwrap_or_default()],
            false => line.split('`').skip(1).step_by(2).collect(),
        };
        for what in code.into_iter().flat_map(|command| names.missing(command)) {
            findings.push(Finding {
                path: page.path.clone(),
                line: index + 1,
                what: format!("there is no longer {what}"),
                cure: "name a command that works".into(),
            });
        }
    }
    findings
}

/// Whether a word is a name, and no option or placeholder such as NAME.
fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_lowercase())
}

/// The tasks of xtask, which are the variants of an enum.
fn tasks(main: &Source) -> Vec<String> {
    let code = &main.code;
    let at = (0..code.tokens().len()).find(|&at| code.reads(at, &["enum", "Task"]));
    let tasks: Option<ItemEnum> = at.and_then(|at| code.parse(code.item(at)).ok());
    let variants = tasks.into_iter().flat_map(|tasks| tasks.variants);
    variants.map(|task| kebab(&task.ident.to_string())).collect()
}

/// The name of a variant on the command line.
fn kebab(name: &str) -> String {
    let mut out = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !out.is_empty() {
            out.push('-');
        }
        out.push(c.to_ascii_lowercase());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::tests::lines;
    use super::*;

    fn found(command: &str) -> usize {
        let page = format!("# A\n\n`{command}`\n\n```sh\n{command}    # comment\n```\n");
        let files = [
            ("docs/page.md", page.as_str()),
            ("Cargo.toml", ""),
            ("crates/fmm/Cargo.toml", "[package]\nname = \"farfield-fmm\"\n"),
            ("crates/fmm/examples/ring.rs", "//! Ring.\nfn main() {}\n"),
            ("crates/testbed/src/bin/papers/main.rs", "//! Papers.\nfn main() {}\n"),
            ("xtask/src/main.rs", "enum Task {\n    /// Builds\n    CudaStub,\n    Bench(A),\n}\n"),
        ];
        lines(check, &files).len()
    }

    #[test]
    fn commands_that_work_pass() {
        for command in [
            "cargo xtask cuda-stub",
            "cargo xtask bench cpu",
            "cargo xtask NAME",
            "cargo run --release -p farfield-fmm --example ring -- --test nothing",
            "cargo +nightly run --bin papers",
            "cargo install -p elsewhere",
            "farfield bench --test nothing",
        ] {
            assert_eq!(found(command), 0, "{command}");
        }
    }

    #[test]
    fn commands_of_nothing_are_found_in_code_and_in_fences() {
        for command in [
            "cargo xtask draw",
            "cargo run -p farfield-far",
            "cargo run --example rings",
            "cargo test --test ring",
            "cargo +nightly bench --bench papers",
        ] {
            assert_eq!(found(command), 2, "{command}");
        }
    }
}
