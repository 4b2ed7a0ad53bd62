//! Progress of the command, shown where stderr is a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// A line with the stage at work and a bar of the stages done. Gone when dropped.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    pub(crate) fn new(stages: u64) -> Progress {
        let bar = ProgressBar::new(stages);
        if let Ok(style) = ProgressStyle::with_template("{spinner} [{bar:24}] {msg} ({elapsed})") {
            bar.set_style(style.progress_chars("=> "));
        }
        Progress(bar)
    }

    /// Runs the next stage.
    pub(crate) fn stage<T>(&self, name: &'static str, work: impl FnOnce() -> T) -> T {
        self.0.set_message(name);
        self.0.enable_steady_tick(Duration::from_millis(100));
        let result = work();
        self.0.inc(1);
        result
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
