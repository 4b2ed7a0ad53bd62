//! Place of the workspace, and calls of cargo by its tasks.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::Error;

/// The root of the workspace.
pub(crate) fn root() -> &'static Path {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask)
}

/// The folder of build outputs.
pub(crate) fn target() -> PathBuf {
    let named = std::env::var_os("CARGO_TARGET_DIR");
    named.map_or_else(|| root().join("target"), |path| root().join(path))
}

/// Cargo with these arguments, at the root of the workspace.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    // Cargo names itself to what it runs, so the toolchain stays the caller's.
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// Runs a command to its end; `step` names it if it fails.
pub(crate) fn execute(mut command: Command, step: &'static str) -> Result<(), Error> {
    let status = command.status().map_err(|source| start_error(&command, source))?;
    if status.success() { Ok(()) } else { Err(failed(step, &command)) }
}

/// Runs a command to its end and returns what it wrote to standard output.
pub(crate) fn capture(mut command: Command, step: &'static str) -> Result<String, Error> {
    command.stderr(std::process::Stdio::inherit());
    let output = command.output().map_err(|source| start_error(&command, source))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(failed(step, &command))
    }
}

/// Standard output of a program; `None` if it does not start or fails.
pub(crate) fn capture_quietly(program: impl AsRef<OsStr>, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program).args(arguments).current_dir(root()).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

fn start_error(command: &Command, source: std::io::Error) -> Error {
    Error::Start { program: command.get_program().to_string_lossy().into_owned(), source }
}

fn failed(step: &'static str, command: &Command) -> Error {
    Error::Step { step, rerun: shell_line(command) }
}

/// The line that runs the command from a shell at the root of the workspace.
fn shell_line(command: &Command) -> String {
    let quoted = |word: &OsStr| {
        let word = word.to_string_lossy();
        if word.contains(' ') { format!("'{word}'") } else { word.into_owned() }
    };
    let environment = command
        .get_envs()
        .filter_map(|(name, value)| Some(format!("{}={}", name.to_string_lossy(), quoted(value?))));
    environment
        .chain(["cargo".to_owned()])
        .chain(command.get_args().map(quoted))
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_holds_the_workspace_manifest() {
        let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
        assert!(manifest.contains("[workspace]"));
    }

    #[test]
    fn a_rerun_line_can_be_pasted() {
        let mut command = cargo(&["doc", "--no-deps"]);
        command.env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(shell_line(&command), "RUSTDOCFLAGS='-D warnings' cargo doc --no-deps");
    }

    #[test]
    fn a_failing_command_names_its_step() {
        let mut command = cargo(&["no-such-subcommand"]);
        command.stderr(std::process::Stdio::null());
        let error = execute(command, "sample").unwrap_err();
        assert!(error.to_string().starts_with("sample failed; to run it alone: cargo no-such"));
    }
}
