//! Peak of memory, as Linux counts it; nothing is known on other systems.

/// Growth in MiB that no input of some kilobytes explains.
const MOST: u64 = 256;

/// Peaks so far, in KiB: of the memory in use, and of the addresses that were asked for.
pub(crate) struct Memory {
    peaks: Option<[u64; 2]>,
}

impl Memory {
    pub(crate) fn start() -> Self {
        Self { peaks: peaks() }
    }

    /// Message if memory grew by more than an input explains since the last call.
    pub(crate) fn grown(&mut self) -> Option<String> {
        let (before, now) = (self.peaks?, peaks()?);
        self.peaks = Some(now);
        let names = ["memory in use", "memory asked for"];
        let grown = (0..2).find(|&k| now[k] > before[k] + 1024 * MOST)?;
        Some(format!("{} grew by {} MiB", names[grown], (now[grown] - before[grown]) / 1024))
    }

    /// Largest memory in use, in MiB.
    pub(crate) fn peak(&self) -> Option<u64> {
        self.peaks.map(|[in_use, _]| in_use / 1024)
    }
}

fn peaks() -> Option<[u64; 2]> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let of = |name: &str| {
        let line = status.lines().find(|line| line.starts_with(name))?;
        line.split_whitespace().nth(1)?.parse().ok()
    };
    Some([of("VmHWM:")?, of("VmPeak:")?])
}
