//! Origin of measured numbers: the processor and what else it did, the commit and the date.

use std::process::Command;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Model of the processor and its vector instructions.
pub fn processor() -> String {
    let model = std::fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let model = model.unwrap_or_else(|| std::env::consts::ARCH.to_owned());
    format!("{model}, {cores} cores, {}", lanes::Arch::best().name())
}

/// The commit that is checked out, with a + where files have changed since; `None` without git.
pub fn commit() -> Option<String> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let commit = git(&["rev-parse", "--short", "HEAD"])?;
    // Records and pages are what a run writes itself.
    let changed = git(&["status", "--porcelain", "--untracked-files=no", "--", ":/", ":!/docs"]);
    let mark = if changed.is_some_and(|files| !files.is_empty()) { "+" } else { "" };
    Some(format!("{commit}{mark}"))
}

/// Watch over the processor time that other programs take, by the counters of Linux.
#[derive(Clone, Copy, Debug)]
pub struct OtherWork {
    start: Instant,
    /// Seconds of others at the start, on all cores.
    seconds: f64,
}

impl OtherWork {
    /// Begins to watch; `None` where the system has no such counters.
    pub fn watch() -> Option<Self> {
        Some(Self { start: Instant::now(), seconds: others()? })
    }

    /// Cores that others kept busy since the start, on the average.
    pub fn cores(self) -> Option<f64> {
        let seconds = self.start.elapsed().as_secs_f64().max(TICK);
        Some(((others()? - self.seconds) / seconds).max(0.0))
    }
}

/// Seconds of a tick of the counters.
const TICK: f64 = 0.01;

/// Seconds of processor time that other programs, and other guests of the host, have taken since the machine started.
fn others() -> Option<f64> {
    let all = std::fs::read_to_string("/proc/stat").ok()?;
    let own = std::fs::read_to_string("/proc/self/stat").ok()?;
    Some(TICK * (busy(all.lines().next()?)? - used(&own)?))
}

/// Ticks of all programs, of a line `cpu user nice system idle iowait irq softirq steal …`.
fn busy(line: &str) -> Option<f64> {
    let ticks: Vec<f64> = line.split_whitespace().skip(1).flat_map(str::parse).collect();
    let [user, nice, system, _, _, irq, softirq, steal, ..] = ticks[..] else { return None };
    Some(user + nice + system + irq + softirq + steal)
}

/// Ticks of a program in its line of `/proc`: the 12th and 13th entry after its name, which may contain blanks.
fn used(line: &str) -> Option<f64> {
    let mut ticks =
        line.rsplit_once(')')?.1.split_whitespace().skip(11).flat_map(str::parse::<f64>);
    Some(ticks.next()? + ticks.next()?)
}

/// Today's date in UTC.
pub fn today() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    date(now.as_secs() / 86_400)
}

/// The date in UTC of a day counted from 1970-01-01 (H. Hinnant, "chrono-compatible low-level date algorithms").
fn date(days: u64) -> String {
    let days = days + 719_468;
    let (era, of_era) = (days / 146_097, days % 146_097);
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let shifted = (5 * of_year + 2) / 153;
    let day = of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    format!("{:04}-{month:02}-{day:02}", year + era * 400 + u64::from(month <= 2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_those_of_the_counters() {
        assert_eq!(busy("cpu  100 20 3 99999 9999 4 5 6 1 1"), Some(138.0));
        assert_eq!(busy("cpu0 1 2 3"), None);
        let line = "7 (a) b) R 1 1 1 0 -1 4194304 86 0 0 0 250 17 0 0 20 0 1 0 4 8";
        assert_eq!(used(line), Some(267.0));
        if let Some(watch) = OtherWork::watch() {
            let cores = std::thread::available_parallelism().map_or(1, usize::from) as f64;
            assert!(watch.cores().unwrap() <= cores + 1.0);
        }
    }

    #[test]
    fn days_become_dates() {
        assert_eq!(date(0), "1970-01-01");
        assert_eq!(date(19_782), "2024-02-29");
        assert_eq!(date(20_779), "2026-11-22");
    }
}
