//! Runs the command in a folder of its own.
#![allow(dead_code, reason = "each test file uses its part")]

use std::ffi::OsStr;
use std::path::Path;
use std::time::Duration;

use assert_cmd::Command;
use tempfile::TempDir;

/// The command.
pub(crate) const FARFIELD: &str = env!("CARGO_BIN_EXE_farfield");

/// Longest time of a run, after which it is ended. Runs take seconds, so that longer ones hang.
const LIMIT: Duration = Duration::from_secs(100);

/// A folder that the command runs in.
pub(crate) struct Folder(TempDir);

/// Output and exit code of the command.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path().join(name)).unwrap()
    }

    /// The files there, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// Runs `farfield` with arguments separated by white space, and an empty stdin.
    pub(crate) fn run(&self, arguments: &str) -> Outcome {
        self.feed(b"", arguments)
    }

    /// Runs `farfield` with these bytes as stdin.
    pub(crate) fn feed(&self, stdin: &[u8], arguments: &str) -> Outcome {
        let mut command = Command::new(FARFIELD);
        command.args(arguments.split_whitespace()).write_stdin(stdin);
        outcome(command.current_dir(self.path()))
    }

    /// Runs `farfield` with arguments that may hold anything.
    pub(crate) fn run_with(&self, arguments: &[&OsStr]) -> Outcome {
        outcome(Command::new(FARFIELD).args(arguments).current_dir(self.path()))
    }

    /// Runs a script of the shell, for which `$farfield` is the command.
    #[cfg(unix)]
    pub(crate) fn shell(&self, script: &str) -> Outcome {
        let mut shell = Command::new("sh");
        outcome(shell.args(["-c", script]).env("farfield", FARFIELD).current_dir(self.path()))
    }

    /// Runs what has to succeed, silently on stderr, and gives stdout.
    pub(crate) fn succeed(&self, arguments: &str) -> String {
        let outcome = self.run(arguments);
        assert_eq!((outcome.code, outcome.stderr.as_str()), (0, ""), "{arguments}");
        outcome.stdout
    }

    /// Runs what has to fail by one line on stderr, leaving no new file, and gives the line.
    pub(crate) fn fail(&self, arguments: &str) -> String {
        let before = self.names();
        let outcome = self.run(arguments);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{arguments}: {outcome:?}");
        assert_eq!(self.names(), before, "{arguments}");
        outcome.line()
    }
}

impl Outcome {
    /// The one line on stderr, of at most 200 printable characters.
    pub(crate) fn line(&self) -> String {
        let line = self.stderr.strip_suffix('\n').unwrap_or_else(|| panic!("{self:?}"));
        assert!(line.chars().count() <= 200, "{line}");
        assert!(!line.contains(char::is_control), "{line:?}");
        assert!(line.starts_with("farfield: "), "{line}");
        line.to_owned()
    }
}

fn outcome(command: &mut Command) -> Outcome {
    let output = command.timeout(LIMIT).output().unwrap();
    Outcome {
        code: output.status.code().expect("the command was ended after the limit, or by a signal"),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// A fixture of the crate `formats`.
pub(crate) fn fixture(name: &str) -> String {
    format!("{}/../formats/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Numbers of a table of commas, without its names.
pub(crate) fn rows(folder: &Folder, name: &str) -> Vec<Vec<f64>> {
    let text = String::from_utf8(folder.read(name)).unwrap();
    let numbers = |line: &str| line.split(',').map(|field| field.parse().unwrap()).collect();
    text.lines().skip(1).map(numbers).collect()
}
