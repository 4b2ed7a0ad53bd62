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

/// A bar of frames done, with the time left. Gone when dropped.
pub(crate) struct Frames(Option<ProgressBar>);

impl Frames {
    pub(crate) fn new(frames: u64) -> Frames {
        if !io::stderr().is_terminal() {
            return Frames(None);
        }
        let bar = ProgressBar::new(frames);
        let template = "[{bar:24}] {pos}/{len} frames ({eta} left)";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=> "));
        }
        Frames(Some(bar))
    }

    /// One more frame is done.
    pub(crate) fn advance(&self) {
        if let Some(bar) = &self.0 {
            bar.inc(1);
        }
    }
}

impl Drop for Frames {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
