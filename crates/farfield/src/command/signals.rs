//! The end by a signal: no partial file stays behind.

/// Watches for signals that end the command, in a thread of its own. Where no thread starts, signals end the command as
/// they do by default.
pub(crate) fn watch() {
    #[cfg(unix)]
    // A failure leaves the default: the end by the signal itself.
    let _ = std::thread::Builder::new().name("signals".to_owned()).spawn(unix::end_by_signal);
}

#[cfg(unix)]
mod unix {
    use std::fs;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU, SIGXFSZ};
    use signal_hook::iterator::Signals;

    /// Waits for a signal, removes partial files and exits with 128 and the signal's number: 130 for Ctrl-C.
    pub(super) fn end_by_signal() {
        // A write beyond the limit of file sizes then fails with a message.
        let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
        let ignored = ignored_signals();
        let ending = [SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGXCPU];
        // What the caller ignores, as nohup does, stays ignored.
        let ending = ending.into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
        let Ok(mut signals) = Signals::new(ending) else {
            return;
        };
        if let Some(signal) = signals.forever().next() {
            let _stopped = formats::remove_partial_files();
            signal_hook::low_level::exit(128 + signal);
        }
    }

    /// Signals that are ignored from the start, one bit each, where the system tells.
    fn ignored_signals() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
    }
}
