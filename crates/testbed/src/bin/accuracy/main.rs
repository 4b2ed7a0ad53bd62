//! Measures errors of the fast multipole method and of the treecode, and writes `docs/accuracy.md` from the records of runs.
//!
//! ```sh
//! cargo xtask accuracy                        # measures all on the cores, in some minutes, and writes the page
//! cargo xtask accuracy --device cuda          # the fast multipole method on a GPU
//! cargo xtask accuracy --pages                # the page alone, from the records
//! cargo xtask accuracy --check                # fails where page and records differ
//! ```
//!
//! | file | what |
//! |---|---|
//! | `sets.rs` | sets that calibration has not seen |
//! | `promise.rs` | errors of the fast multipole method by tolerance |
//! | `treecode.rs` | errors of the treecode by opening criterion |
//! | `page.rs` | the page |

mod page;
mod promise;
mod sets;
mod treecode;

use std::path::PathBuf;
use std::time::Instant;

use clap::Parser;
use fmm::Device;
use testbed::origin;
use testbed::ranks::Outcome;
use testbed::record::{Record, Records, Table};

/// Receivers at which errors are measured.
const CHECKED: usize = 1000;

/// Points of a drawn set on the cores or on a GPU, and on an emulator.
const POINTS: [usize; 2] = [20_000, 1000];

#[derive(Parser, Debug)]
#[command(about = "Errors against a compensated direct sum, on sets that calibration has not seen")]
struct Arguments {
    /// Runs to measure, such as f64; all if absent
    runs: Vec<String>,
    /// Device: cpu, cuda, or emulated, which runs the kernels on the host with few points
    #[arg(long, default_value = "cpu")]
    device: Device,
    /// Points of a drawn set
    #[arg(long)]
    points: Option<usize>,
    /// Writes the page from the records and measures nothing
    #[arg(long)]
    pages: bool,
    /// Compares the page with the records and measures nothing
    #[arg(long)]
    check: bool,
    /// Folder of the page
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs"))]
    folder: PathBuf,
    /// Name of the commit, where there is no git to tell
    #[arg(long)]
    commit: Option<String>,
}

/// A run: its name, whether it is one of the cores alone, and how it is measured with so many points.
type Run = (&'static str, bool, fn(usize, Device) -> Outcome<Table>);

const RUNS: [Run; 5] = [
    ("f64", false, promise::measure::<f64>),
    ("f32", false, promise::measure::<f32>),
    ("hard", false, promise::measure_hard),
    ("opening", true, treecode::measure_openings),
    ("relative", true, treecode::measure_relative),
];

fn main() -> Outcome {
    let arguments = Arguments::parse();
    if !(arguments.check || arguments.pages) {
        arguments.measure()?;
    }
    arguments.page()
}

impl Arguments {
    fn is_emulated(&self) -> bool {
        matches!(self.device, Device::Emulated | Device::EmulatedHybrid)
    }

    fn records(&self) -> PathBuf {
        self.folder.join("records")
    }

    /// Measures runs one after the other, and keeps the record of each.
    fn measure(&self) -> Outcome {
        if let Some(unknown) = self.runs.iter().find(|name| RUNS.iter().all(|run| run.0 != **name))
        {
            let known = RUNS.map(|run| run.0).join(", ");
            return Err(format!("{unknown:?} is no run; there are: {known}").into());
        }
        std::fs::create_dir_all(self.records())?;
        let on_cores = self.device == Device::Cpu;
        let machine = match self.device {
            Device::Cpu => origin::processor(),
            device if self.is_emulated() => format!("{device}: the kernels of a GPU on the host"),
            device => {
                let plan = fmm::Fmm::new().device(device).plan(&[[0.0; 3]])?;
                plan.report().instructions.to_string()
            }
        };
        let n = self.points.unwrap_or(POINTS[usize::from(self.is_emulated())]);
        for (name, of_cores, run) in RUNS {
            let asked = self.runs.is_empty() || self.runs.iter().any(|asked| asked == name);
            if !asked || (of_cores && !on_cores) {
                continue;
            }
            eprint!("{name} ... ");
            let clock = Instant::now();
            let table = run(n, self.device)?;
            let kind = if on_cores { "cpu" } else { "gpu" };
            let run = format!("accuracy-{name}");
            let record = Record::new(&run, [kind, &machine], self.commit.as_deref(), table);
            let record = Record { threads: std::thread::available_parallelism()?.get(), ..record };
            std::fs::write(self.records().join(record.file()), record.to_json())?;
            eprintln!("{:.1} s", clock.elapsed().as_secs_f64());
        }
        Ok(())
    }

    /// Writes the page from the records, or compares it with them.
    fn page(&self) -> Outcome {
        let text = page::text(&Records::read(&self.records())?);
        let path = self.folder.join("accuracy.md");
        if !self.check {
            return Ok(std::fs::write(path, text)?);
        }
        match std::fs::read_to_string(&path)? == text {
            true => Ok(()),
            false => Err(format!(
                "{} differs from the records; cargo xtask accuracy --pages writes it anew",
                path.display()
            )
            .into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every run leaves a record on the cores and those of the fast multipole method on a device, from which the page is
    /// written; a page that was changed is refused.
    #[test]
    fn the_page_follows_from_the_records() {
        let folder = std::env::temp_dir().join(format!("accuracy-{}", std::process::id()));
        let path = folder.to_string_lossy().into_owned();
        let arguments = |words: &[&str]| {
            let usual = ["accuracy", "--folder", &path];
            Arguments::parse_from(usual.into_iter().chain(words.iter().copied()))
        };
        arguments(&["--points", "300"]).measure().unwrap();
        arguments(&["hard", "--device", "emulated", "--points", "120"]).measure().unwrap();
        let records = Records::read(&folder.join("records")).unwrap();
        for (name, ..) in RUNS {
            assert!(records.cpu(&format!("accuracy-{name}")).is_some(), "{name}");
        }
        assert!(records.gpu("accuracy-hard").is_some());
        arguments(&["--pages"]).page().unwrap();
        arguments(&["--check"]).page().unwrap();
        std::fs::write(folder.join("accuracy.md"), "# Other\n").unwrap();
        assert!(arguments(&["--check"]).page().is_err());
        assert!(arguments(&["f65"]).measure().is_err());
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
