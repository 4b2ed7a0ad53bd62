//! The end by a signal: no partial file stays behind.

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
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;
    use std::sync::mpsc::Sender;

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
