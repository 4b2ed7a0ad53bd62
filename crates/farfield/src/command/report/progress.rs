//! Progress of the command, shown where stderr is a terminal.

use std::io::{self, IsTerminal};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A line with the stage at work and a bar of the stages done. Gone when dropped.
pub(crate) struct Progress(Option<ProgressBar>);

impl Progress {
    pub(crate) fn new(stages: u64) -> Progress {
        if !io::stderr().is_terminal() {
            return Progress(None);
        }
        let bar = ProgressBar::new(stages);
        if let Ok(style) = ProgressStyle::with_template("{spinner} [{bar:24}] {msg} ({elapsed})") {
            bar.set_style(style.progress_chars("=> "));
        }
        Progress(Some(bar))
    }

    /// No progress, for ranks that are silent.
    pub(crate) fn silent() -> Progress {
        Progress(None)
    }

    /// Runs the next stage.
    pub(crate) fn stage<T>(&self, name: &'static str, work: impl FnOnce() -> T) -> T {
        let Some(bar) = &self.0 else {
            return work();
        };
        bar.set_message(name);
        bar.enable_steady_tick(Duration::from_millis(100));
        let result = work();
        bar.inc(1);
        result
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// A bar of the time that is left in a run of steps, shown where stderr is a terminal. Gone when dropped.
pub(crate) struct TimeLeft(Option<ProgressBar>);

/// Parts of the bar for each unit of work.
const PARTS: f64 = 1e6;

impl TimeLeft {
    /// A bar for an amount of work.
    pub(crate) fn new(work: f64) -> TimeLeft {
        if !io::stderr().is_terminal() {
            return TimeLeft(None);
        }
        let bar = ProgressBar::new((PARTS * work) as u64);
        let template = "[{bar:32}] {percent}% ({elapsed}, {eta} left)";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        TimeLeft(Some(bar))
    }

    /// Sets the work done.
    pub(crate) fn set(&self, work: f64) {
        if let Some(bar) = &self.0 {
            bar.set_position((PARTS * work) as u64);
        }
    }
}

impl Drop for TimeLeft {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
