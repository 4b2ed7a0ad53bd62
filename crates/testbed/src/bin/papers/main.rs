//! Measures the tables and figures of the three papers and the tables of the performance pages; writes the pages of
//! `docs/papers`, and tables and numbers of other pages between marks, from the records of runs.
//!
//! ```sh
//! cargo xtask papers                          # measures all on the cores, in ten minutes, and writes the pages
//! cargo xtask papers yb-fig5 nk-table6        # some tables and figures
//! cargo xtask papers --performance            # the tables of the performance pages
//! cargo xtask papers --device cuda            # all on a GPU, in ten minutes
//! cargo xtask papers --pages                  # the pages alone, from the records
//! cargo xtask papers --check                  # fails where pages and records differ
//! ```
//!
//! | file | what |
//! |---|---|
//! | `page.rs`, `drawing.rs` | Markdown and figures |
//! | `catalogue.rs` | tables and figures with the runs that they show |
//! | `marks.rs`, `readme.rs` | numbers of other pages that come from records |
//! | `yokota_barba/`, `nakasato/`, `hu/` | the papers: their numbers, runs and pages |
//! | `gpus/` | figures of the third paper on several GPUs of a host |
//! | `unchecked.rs` | the machine of the runs that launch kernels themselves |
//! | `performance/` | tables of the performance pages |

mod catalogue;
mod curves;
mod drawing;
mod gpus;
mod hu;
mod marks;
mod nakasato;
mod page;
mod performance;
mod readme;
mod site;
mod timing;
mod unchecked;
mod yokota_barba;

use std::path::PathBuf;
use std::time::Instant;

use clap::Parser;
use fmm::Device;
use kernels_gpu::machine::{Emulator, Launcher};
use testbed::origin::OtherWork;
use testbed::ranks::Failure;
use testbed::record::{Record, Table};
use unchecked::unchecked;

type Outcome<R = ()> = Result<R, Failure>;

#[derive(Parser, Debug)]
#[command(about = "Tables and figures of the three papers, ours beside theirs")]
struct Arguments {
    /// Tables and figures to measure, such as yb-fig5; all of the papers and the README if absent
    ids: Vec<String>,
    /// Device: cpu, cuda, or emulated, which runs the kernels on the host with few points and meaningless times
    #[arg(long, default_value = "cpu")]
    device: String,
    /// All tables of the performance pages
    #[arg(long)]
    performance: bool,
    /// Sizes of the papers where they take longer than minutes
    #[arg(long)]
    large: bool,
    /// Few points: the shape of the tables in seconds
    #[arg(long)]
    small: bool,
    /// Writes the pages from the records and measures nothing
    #[arg(long)]
    pages: bool,
    /// Compares the pages with the records and measures nothing
    #[arg(long)]
    check: bool,
    /// Folder of pages and records
    #[arg(long, default_value = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/papers"))]
    folder: PathBuf,
    /// Name of the commit, where there is no git to tell
    #[arg(long)]
    commit: Option<String>,
    /// Walks once for a profiler: curve (given, morton, hilbert), thousands of particles, θ
    #[arg(long, num_args = 3, value_names = ["CURVE", "K", "THETA"])]
    walk: Option<Vec<String>>,
}

/// Size of the sets of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Size {
    /// A test's.
    Small,
    /// Size with which all runs together take ten minutes.
    Usual,
    /// The paper's.
    Large,
}

/// Device and size of a measurement.
#[derive(Clone, Copy, Debug)]
struct Settings {
    device: Device,
    size: Size,
}

impl Settings {
    /// The value for the size, of three.
    fn pick<T>(self, small: T, usual: T, large: T) -> T {
        match self.size {
            Size::Small => small,
            Size::Usual => usual,
            Size::Large => large,
        }
    }

    /// Numbers up to a limit by size.
    fn up_to(self, numbers: &[usize], limits: [usize; 3]) -> Vec<usize> {
        let most = self.pick(limits[0], limits[1], limits[2]);
        numbers.iter().copied().filter(|n| *n <= most).collect()
    }

    fn is_on_gpu(self) -> bool {
        self.device != Device::Cpu
    }
}

fn main() -> Outcome {
    let arguments = Arguments::parse();
    if arguments.check {
        return site::check(&arguments.folder);
    }
    if arguments.pages {
        return site::write(&arguments.folder);
    }
    match arguments.device.as_str() {
        "cpu" => {
            // Ranks are threads outside of all pools: what they share out goes to the global pool, of one thread.
            rayon::ThreadPoolBuilder::new().num_threads(1).build_global()?;
            on_cpu(&arguments)
        }
        "emulated" => on_gpu(&arguments, &unchecked(Emulator), Device::Emulated),
        "cuda" => on_cuda(&arguments),
        other => Err(format!("{other:?} is no device; the devices are cpu, cuda, emulated").into()),
    }
}

#[cfg(feature = "cuda")]
fn on_cuda(arguments: &Arguments) -> Outcome {
    on_gpu(arguments, &unchecked(kernels_gpu::machine::Cuda::new(0)?), Device::Cuda(0))
}

#[cfg(not(feature = "cuda"))]
fn on_cuda(_: &Arguments) -> Outcome {
    Err("build with --features cuda, as cargo xtask papers --device cuda does".into())
}

impl Arguments {
    fn settings(&self, device: Device) -> Settings {
        let size = match (self.small, self.large) {
            (true, _) => Size::Small,
            (_, true) => Size::Large,
            _ => Size::Usual,
        };
        Settings { device, size }
    }

    /// The runs that the tables and figures asked for show.
    fn runs(&self) -> Outcome<Vec<&'static str>> {
        if let Some(unknown) = self.ids.iter().find(|id| catalogue::run_of(id).is_none()) {
            let known: Vec<&str> = catalogue::ITEMS.iter().map(|item| item.id).collect();
            return Err(format!(
                "{unknown:?} is no table or figure; there are: {}",
                known.join(", ")
            )
            .into());
        }
        let mut runs: Vec<&'static str> = Vec::new();
        for item in &catalogue::ITEMS {
            let wanted = match self.ids.is_empty() {
                true => item.is_performance() == self.performance,
                false => self.ids.iter().any(|id| id == item.id),
            };
            if wanted && !item.run.is_empty() && !runs.contains(&item.run) {
                runs.push(item.run);
            }
        }
        Ok(runs)
    }

    /// Measures runs one after the other, and keeps the record of each; then writes the pages.
    fn measure(
        &self,
        kind: &str,
        machine: &str,
        mut run: impl FnMut(&str) -> Outcome<Option<Table>>,
    ) -> Outcome {
        let folder = self.folder.join("records");
        std::fs::create_dir_all(&folder)?;
        let runs = self.runs()?;
        for (k, name) in runs.iter().enumerate() {
            eprint!("[{}/{}] {name} ... ", k + 1, runs.len());
            let (clock, watch) = (Instant::now(), OtherWork::watch());
            match run(name) {
                Ok(Some(table)) => {
                    let other_work = watch.and_then(OtherWork::cores);
                    let record = Record { other_work, ..self.record(name, kind, machine, table) };
                    std::fs::write(folder.join(record.file()), record.to_json())?;
                    eprintln!("{:.1} s", clock.elapsed().as_secs_f64());
                }
                Ok(None) => eprintln!("not on this device"),
                // The other runs are worth their time all the same.
                Err(error) => eprintln!("failed: {error}"),
            }
        }
        site::write(&self.folder)
    }

    fn record(&self, run: &str, kind: &str, machine: &str, table: Table) -> Record {
        let threads = catalogue::threads(run, kind == "gpu");
        Record { threads, ..Record::new(run, [kind, machine], self.commit.as_deref(), table) }
    }
}

/// Measures on the cores.
fn on_cpu(arguments: &Arguments) -> Outcome {
    if let Some(walk) = &arguments.walk {
        return timing::on_threads(catalogue::threads("", false), || nakasato::walk_once(walk));
    }
    let settings = arguments.settings(Device::Cpu);
    arguments.measure("cpu", &testbed::origin::processor(), |run| {
        let threads = catalogue::threads(run, false);
        timing::on_threads(threads, || catalogue::measure(run, settings))
    })
}

/// Measures on a GPU.
fn on_gpu<M: Launcher + Clone>(arguments: &Arguments, machine: &M, device: Device) -> Outcome {
    if let Some(walk) = &arguments.walk {
        return nakasato::launch_walk(machine, walk);
    }
    let settings = arguments.settings(device);
    let name = timing::device_name(device)?;
    arguments.measure("gpu", &name, |run| catalogue::measure_on(machine, run, settings))
}

#[cfg(test)]
mod tests {
    use super::*;
    use testbed::record::Records;

    fn arguments(words: &[&str], folder: &std::path::Path) -> Arguments {
        let folder = folder.to_string_lossy().into_owned();
        let words =
            ["papers", "--small", "--folder", &folder].into_iter().chain(words.iter().copied());
        Arguments::parse_from(words.map(str::to_owned).collect::<Vec<_>>())
    }

    /// Every run leaves a record on the cores and on a device, from which the pages are written.
    #[test]
    fn every_run_leaves_a_record() {
        let folder = std::env::temp_dir().join(format!("papers-{}", std::process::id()));
        for of in [&[][..], &["--performance"]] {
            on_cpu(&arguments(of, &folder)).unwrap();
            on_gpu(&arguments(of, &folder), &unchecked(Emulator), Device::Emulated).unwrap();
        }
        let records = Records::read(&folder.join("records")).unwrap();
        // No profiler counts cache hits of an emulator.
        let measured = |item: &&catalogue::Item| !["", "nk-table4"].contains(&item.run);
        for item in catalogue::ITEMS.iter().filter(measured) {
            assert!(item.only_gpu || records.cpu(item.run).is_some(), "{} on the cores", item.run);
            assert!(item.only_cpu || records.gpu(item.run).is_some(), "{} on a device", item.run);
        }
        let stages = &records.gpu("yb-fig6").unwrap().table;
        assert!(stages.find("N", 1000.0, "FMM: M2M / s").unwrap() > 0.0, "M2M has its own timer");
        site::check(&folder).unwrap();
        std::fs::write(folder.join("nakasato.md"), "# Other\n").unwrap();
        assert!(site::check(&folder).unwrap_err().to_string().contains("nakasato.md"));
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn ids_choose_runs() {
        let folder = std::env::temp_dir();
        assert_eq!(arguments(&["nk-table7", "nk-table6"], &folder).runs().unwrap(), ["nk-table6"]);
        assert!(arguments(&["nk-table9"], &folder).runs().is_err());
        let all = arguments(&["--performance"], &folder).runs().unwrap();
        assert!(all.iter().all(|run| run.starts_with("perf-")) && all.contains(&"perf-f64"));
        assert!(arguments(&[], &folder).runs().unwrap().iter().all(|run| !all.contains(run)));
    }

    #[test]
    fn a_profiler_has_one_walk_to_watch() {
        let words = ["given", "1", "0.6"].map(str::to_owned);
        nakasato::walk_once(&words).unwrap();
        nakasato::launch_walk(&unchecked(Emulator), &words).unwrap();
    }
}
