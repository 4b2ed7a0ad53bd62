//! The account of a run at work, for the line that tells of its end by a signal.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use formats::one_line;

use crate::command::signals;
use crate::command::significant::significant;

/// Steps and outputs of a run so far.
#[derive(Clone)]
pub(super) struct Account(Arc<Mutex<Done>>);

struct Done {
    steps: u64,
    time: f64,
    /// Number and time of the last output that is complete.
    written: Option<(u64, f64)>,
}

impl Account {
    /// The account of a run that begins or goes on; signals tell it from now on.
    pub(super) fn new(folder: &Path, steps: u64, time: f64, written: Option<u64>) -> Self {
        let written = written.map(|number| (number, time));
        let account = Self(Arc::new(Mutex::new(Done { steps, time, written })));
        let (told, folder) = (account.clone(), folder.display().to_string());
        signals::tell(Some(Box::new(move |signal| told.lock().line(signal, &folder))));
        account
    }

    /// Takes another step, which led to a time.
    pub(super) fn step(&self, time: f64) {
        let mut done = self.lock();
        (done.steps, done.time) = (done.steps + 1, time);
    }

    /// Takes an output whose files are complete.
    pub(super) fn written(&self, number: u64, time: f64) {
        self.lock().written = Some((number, time));
    }

    fn lock(&self) -> MutexGuard<'_, Done> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Done {
    fn line(&self, signal: &str, folder: &str) -> String {
        let time = |time: f64| significant(time, 7);
        let files = match self.written {
            None => format!("{folder} has no snapshot yet"),
            Some((0, at)) => format!("{folder} has the snapshot of time {}", time(at)),
            Some((number, at)) => {
                format!("{folder} has {} snapshots, up to time {}", number + 1, time(at))
            }
        };
        let (steps, now) = (self.steps, time(self.time));
        let line = format!(
            "stopped by {signal} at step {steps}, time {now}; {files}; go on by {}",
            again(std::env::args())
        );
        one_line(&line, usize::MAX)
    }
}

/// The command line by which a run goes on.
fn again(arguments: impl Iterator<Item = String>) -> String {
    const RESUME: &str = "--resume";
    let given: Vec<String> = arguments.skip(1).collect();
    let more = (!given.iter().any(|argument| argument == RESUME)).then(|| RESUME.to_owned());
    let words = given.iter().chain(&more).map(|argument| quoted(argument));
    ["farfield".to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}

/// An argument as a shell takes it.
fn quoted(argument: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=,:+".contains(c);
    match !argument.is_empty() && argument.chars().all(is_plain) {
        true => argument.to_owned(),
        false => format!("'{}'", argument.replace('\'', "'\\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::again;

    #[test]
    fn the_command_line_goes_through_a_shell() {
        let told = |arguments: &[&str]| again(arguments.iter().map(|word| (*word).to_owned()));
        let line = told(&["target/farfield", "simulate", "a b.npz", "--time", "1", "it's"]);
        assert_eq!(line, "farfield simulate 'a b.npz' --time 1 'it'\\''s' --resume");
        assert_eq!(told(&["farfield", "--resume", "a"]), "farfield --resume a");
    }
}
