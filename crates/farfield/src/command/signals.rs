//! The end by a signal: no partial file stays behind, and a line tells what was done.

use std::sync::{Mutex, PoisonError};

/// Writes the line for the name of a signal.
pub(crate) type Line = Box<dyn Fn(&str) -> String + Send>;

/// The line of the work under way.
static LINE: Mutex<Option<Line>> = Mutex::new(None);

/// Sets the line on stderr by which a signal ends the command; none after `None`.
pub(crate) fn tell(line: Option<Line>) {
    *LINE.lock().unwrap_or_else(PoisonError::into_inner) = line;
}

/// Watches for signals that end the command, in a thread of its own, from when this returns. Where no thread starts, signals
/// end the command as they do by default.
pub(crate) fn watch() {
    #[cfg(unix)]
    {
        let (ready, waits) = std::sync::mpsc::channel();
        let thread = std::thread::Builder::new().name("signals".to_owned());
        // A failure leaves the default: the end by the signal itself.
        if thread.spawn(move || unix::end_by_signal(&ready)).is_ok() {
            // The thread that cannot watch ends without a word.
            let _ = waits.recv();
        }
    }
}

#[cfg(unix)]
mod unix {
    use std::fs;
    use std::io::{self, IsTerminal, Write};
    use std::sync::atomic::AtomicBool;
    use std::sync::mpsc::Sender;
    use std::sync::{Arc, PoisonError};

    use signal_hook::consts::{
        SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
    };
    use signal_hook::iterator::Signals;

    /// Signals that end a process by default and tell no fault of it. SIGPIPE is none, because Rust ignores it, and SIGPROF is
    /// that of a profiler.
    const ENDING: [i32; 9] =
        [SIGALRM, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU];

    /// Says when it watches, waits for a signal, removes partial files and exits with 128 and the signal's number: 130 for
    /// Ctrl-C.
    pub(super) fn end_by_signal(ready: &Sender<()>) {
        // A write beyond the limit of file sizes then fails with a message.
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
        let ignored = ignored_signals();
        // What the caller ignores, as nohup does, stays ignored.
        let ending = ENDING.into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
        let Ok(mut signals) = Signals::new(ending) else {
            return;
        };
        let _ = ready.send(());
        if let Some(signal) = signals.forever().next() {
            let _stopped = formats::remove_partial_files();
            print_line(signal);
            signal_hook::low_level::exit(128 + signal);
        }
    }

    /// Prints the line of the work under way, over a bar of progress.
    fn print_line(signal: i32) {
        let line = super::LINE.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(line) = &*line else {
            return;
        };
        let name = signal_hook::low_level::signal_name(signal).unwrap_or("a signal");
        let mut stderr = io::stderr().lock();
        let clear = if stderr.is_terminal() { "\r\x1b[2K" } else { "" };
        // Nobody is left to tell if stderr fails.
        let _ = writeln!(stderr, "{clear}farfield: {}", line(name));
    }

    /// Signals that are ignored from the start, one bit each, where the system tells.
    fn ignored_signals() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
    }
}
