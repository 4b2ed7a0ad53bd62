//! Runs the command in a folder of its own.
#![allow(dead_code, reason = "each test file uses its part")]

use std::path::Path;

use assert_cmd::Command;
use tempfile::TempDir;

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
        std::fs::write(self.path().join(name), bytes).unwrap();
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

    /// Runs `farfield` with arguments separated by white space.
    pub(crate) fn run(&self, arguments: &str) -> Outcome {
        let mut command = Command::new(env!("CARGO_BIN_EXE_farfield"));
        let output =
            command.current_dir(self.path()).args(arguments.split_whitespace()).output().unwrap();
        Outcome {
            code: output.status.code().unwrap(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
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
        assert_eq!(outcome.stderr.lines().count(), 1, "{arguments}: {}", outcome.stderr);
        assert_eq!(self.names(), before, "{arguments}");
        outcome.stderr.trim_end().to_owned()
    }
}

/// A fixture of the crate `formats`.
pub(crate) fn fixture(name: &str) -> String {
    format!("{}/../formats/tests/data/{name}", env!("CARGO_MANIFEST_DIR"))
}
