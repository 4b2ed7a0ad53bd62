//! Tables and figures of the papers, and the runs that they show.

use kernels_gpu::machine::Launcher;

use crate::{Outcome, Settings, gpus, hu, nakasato, performance, readme, yokota_barba};
use testbed::record::{Records, Table};

/// A table or figure of a paper.
pub(crate) struct Item {
    /// Name on the command line.
    pub(crate) id: &'static str,
    /// Content, in short.
    pub(crate) title: &'static str,
    /// Run whose record it shows: the id of the first item that shows it; empty where nothing is measured.
    pub(crate) run: &'static str,
    /// Measured on the cores alone.
    pub(crate) only_cpu: bool,
    /// Measured on a GPU alone.
    pub(crate) only_gpu: bool,
    /// Page of the paper.
    pub(crate) page: &'static str,
}

const YB: &str = "yokota-barba.md";
const NK: &str = "nakasato.md";
const HU: &str = "hu-gumerov-duraiswami.md";
const GPUS: &str = "several-gpus.md";
const README: &str = "../../README.md";
const PERFORMANCE: &str = "../performance.md";
const PERFORMANCE_GPU: &str = "../performance-gpu.md";

const fn item(
    page: &'static str,
    id: &'static str,
    run: &'static str,
    title: &'static str,
) -> Item {
    Item { id, title, run, only_cpu: false, only_gpu: false, page }
}

impl Item {
    const fn on_cpu(self) -> Self {
        Self { only_cpu: true, ..self }
    }

    const fn on_gpu(self) -> Self {
        Self { only_gpu: true, ..self }
    }

    /// Whether the item is of a performance page.
    pub(crate) fn is_performance(&self) -> bool {
        [PERFORMANCE, PERFORMANCE_GPU].contains(&self.page)
    }
}

/// All tables and figures, by paper.
pub(crate) const ITEMS: [Item; 39] = [
    item(YB, "yb-fig5", "yb-fig5", "Figure 5: time of the three methods"),
    item(YB, "yb-factors", "yb-fig5", "sections 5 and 7: factors and crossovers"),
    item(YB, "yb-fig6", "yb-fig6", "Figure 6: shares of the stages"),
    item(YB, "yb-fig7", "yb-fig7", "Figure 7: rates of P2P, M2P and M2L"),
    item(YB, "yb-m2l", "yb-m2l", "section 5.2: M2L of Listings 3 to 5 beside other forms"),
    item(YB, "yb-targets", "yb-targets", "section 3: the other operators, one thread a target")
        .on_gpu(),
    item(NK, "nk-fig2", "nk-fig2", "Figure 2: rate of the direct sum"),
    item(NK, "nk-table2", "nk-table2", "Table 2: time by N, no sorting"),
    item(NK, "nk-table3", "nk-table2", "Table 3: time by N, Morton order"),
    item(NK, "nk-fig9", "nk-table2", "Figure 9: treecode and direct sum"),
    item(NK, "nk-fig10", "nk-table2", "Figure 10: three forms of the walk"),
    item(NK, "nk-table4", "nk-table4", "Table 4: cache hits by N").on_gpu(),
    item(NK, "nk-table5", "nk-table5", "Table 5: time by θ"),
    item(NK, "nk-table6", "nk-table6", "Table 6: errors of the acceleration").on_cpu(),
    item(NK, "nk-table7", "nk-table6", "Table 7: errors of the potential").on_cpu(),
    item(
        NK,
        "nk-causes",
        "nk-causes",
        "Tables 6 and 7: placements of the cube, numbers of the components",
    )
    .on_cpu(),
    item(NK, "nk-fmm", "nk-fmm", "section 6.3: treecode and FMM"),
    item(NK, "nk-octgrav", "nk-table5", "section 6.2: rates of two kinds of walk"),
    item(HU, "hu-fig1", "", "Figure 1: neighbourhoods"),
    item(HU, "hu-table3", "hu-table3", "Table 3: data structures by level"),
    item(HU, "hu-fig5", "hu-fig5", "Figure 5: data structures of points on a sphere"),
    item(HU, "hu-fig6", "hu-fig6", "Figure 6: weak scaling").on_cpu(),
    item(HU, "hu-fig7", "hu-fig7", "Figure 7: strong scaling").on_cpu(),
    item(HU, "hu-fig8", "hu-fig7", "Figure 8: exchange and data structures").on_cpu(),
    item(
        HU,
        "hu-traffic",
        "hu-traffic",
        "section 4.2: messages, bytes and imbalance, up to 512 ranks",
    )
    .on_cpu(),
    item(GPUS, "gpus-strong", "gpus-strong", "Figures 7 and 8 on several GPUs: strong scaling")
        .on_gpu(),
    item(GPUS, "gpus-weak", "gpus-weak", "Figure 6 on several GPUs: weak scaling").on_gpu(),
    item(GPUS, "gpus-largest", "gpus-largest", "the largest sum on all GPUs of a host").on_gpu(),
    item(README, "readme", "readme", "Farfield's README: time and error at three tolerances")
        .on_cpu(),
    item(PERFORMANCE, "perf-f32", "perf-f32", "time, error and memory by tolerance in f32"),
    item(PERFORMANCE, "perf-f64", "perf-f64", "time, error and memory by tolerance in f64"),
    item(PERFORMANCE, "perf-few", "perf-few", "few points: the FMM and the direct sum").on_cpu(),
    item(PERFORMANCE, "perf-vectors", "perf-vectors", "several vectors of charges").on_cpu(),
    item(PERFORMANCE, "perf-threads", "perf-threads", "plan and evaluation by threads").on_cpu(),
    item(
        PERFORMANCE_GPU,
        "perf-front",
        "perf-front",
        "time and error of the FMM by order and leaf",
    )
    .on_gpu(),
    item(
        PERFORMANCE_GPU,
        "perf-treecode",
        "perf-treecode",
        "the same of the treecode by order and θ",
    )
    .on_gpu(),
    item(PERFORMANCE_GPU, "perf-slices", "perf-slices", "from slices of the host, by threads")
        .on_gpu(),
    item(PERFORMANCE_GPU, "perf-softening", "perf-softening", "softened sums").on_gpu(),
    item(PERFORMANCE_GPU, "perf-hybrid", "perf-hybrid", "cores with a GPU").on_gpu(),
];

/// The run that an item shows.
pub(crate) fn run_of(id: &str) -> Option<&'static str> {
    ITEMS.iter().find(|item| item.id == id).map(|item| item.run)
}

/// Number of threads of a run: the papers on a core beside a GPU have one.
pub(crate) fn threads(run: &str, on_gpu: bool) -> usize {
    match !on_gpu && (run.starts_with("yb") || run.starts_with("hu")) {
        true => 1,
        false => std::thread::available_parallelism().map_or(1, usize::from),
    }
}

/// Measures a run on the cores; `None` if it is none of theirs.
pub(crate) fn measure(run: &str, settings: Settings) -> Outcome<Option<Table>> {
    let table = match run {
        "yb-fig5" => yokota_barba::methods::measure(settings)?,
        "yb-fig6" => yokota_barba::stages::measure(settings)?,
        "yb-fig7" => yokota_barba::rates::measure(settings)?,
        "yb-m2l" => yokota_barba::translations::measure(settings)?,
        "nk-fig2" => nakasato::direct::measure(settings)?,
        "nk-table2" => nakasato::walks::by_number(settings)?,
        "nk-table5" => nakasato::walks::by_angle(settings)?,
        "nk-table6" => nakasato::errors::measure(settings)?,
        "nk-causes" => nakasato::causes::measure(settings)?,
        "nk-fmm" => nakasato::direct::treecode_and_fmm(settings)?,
        "hu-table3" => hu::structures::by_level(settings)?,
        "hu-fig5" => hu::structures::by_number(settings)?,
        "hu-fig6" => hu::ranks::weak(settings)?,
        "hu-fig7" => hu::ranks::strong(settings)?,
        "readme" => readme::measure(settings)?,
        "hu-traffic" => hu::traffic::measure(settings)?,
        other => return performance::measure(other, settings),
    };
    Ok(Some(table))
}

/// Measures a run on a GPU; `None` if it is none of its.
pub(crate) fn measure_on<M: Launcher + Clone>(
    machine: &M,
    run: &str,
    settings: Settings,
) -> Outcome<Option<Table>> {
    let table = match run {
        "yb-fig5" => yokota_barba::methods::measure(settings)?,
        "yb-fig6" => yokota_barba::stages::measure(settings)?,
        "yb-fig7" => yokota_barba::rates::measure_on(machine, settings)?,
        "yb-m2l" => yokota_barba::translations::measure_on(machine, settings)?,
        "yb-targets" => yokota_barba::targets::measure(machine, settings)?,
        "nk-fig2" => nakasato::direct::measure(settings)?,
        "nk-table2" => nakasato::launches::by_number(machine, settings)?,
        "nk-table4" => return nakasato::caches::measure(settings),
        "nk-table5" => nakasato::launches::by_angle(machine, settings)?,
        "nk-fmm" => nakasato::direct::treecode_and_fmm(settings)?,
        "hu-table3" => hu::launches::by_level(machine, settings)?,
        "hu-fig5" => hu::launches::by_number(machine, settings)?,
        "gpus-strong" => gpus::strong(settings)?,
        "gpus-weak" => gpus::weak(settings)?,
        "gpus-largest" => gpus::largest(settings)?,
        other => return performance::measure_on(other, settings),
    };
    Ok(Some(table))
}

const INTRODUCTION: &str = "\
Every table and figure of the three papers that Farfield reproduces, ours beside the paper's, from recorded runs:

- [Yokota and Barba (2011)](yokota-barba.md): treecode and FMM on a GPU
- [Nakasato (2012)](nakasato.md): a treecode on a GPU
- [Hu, Gumerov and Duraiswami (2012)](hu-gumerov-duraiswami.md): data structures of the FMM, and [on several GPUs](several-gpus.md)

A run leaves a record in [records](records) with its machine, commit and date. The pages, conclusions included, are computed \
from the records; `cargo xtask papers --check`, a step of CI, fails where they differ. So do the table of the \
[README](../../README.md#accuracy-and-time) and numbers of other pages behind marks such as \
`<!-- record: yb-fig5-gpu, N = 1000000, FMM / s -->`, and tables of [performance](../performance.md), on cores and \
[on a GPU](../performance-gpu.md).

```sh
cargo xtask papers                       # measures all of the papers on the cores, in ten minutes
cargo xtask papers yb-fig5 nk-table6     # some tables and figures
cargo xtask papers --performance         # the tables of the performance pages
cargo xtask papers --large               # with the papers' largest sets
cargo xtask papers --device cuda         # the same on a GPU, in ten minutes; also with --performance
cargo xtask papers --pages               # the pages alone, from the records
```
";

/// The page that lists all items with the machines of their records.
pub(crate) fn index(records: &Records) -> String {
    let mut text = format!(
        "# The papers' tables and figures\n\n{INTRODUCTION}\n| id | item | page | cores | GPU |\n|---|---|---|---|---|\n"
    );
    for Item { id, title, run, page, only_cpu, only_gpu } in &ITEMS {
        let state = |record: Option<&testbed::record::Record>, absent: bool| match record {
            _ if run.is_empty() || absent => "–".to_owned(),
            Some(record) => format!("{}, {}", record.commit, record.date),
            None => "not measured".to_owned(),
        };
        let (cpu, gpu) = (state(records.cpu(run), *only_gpu), state(records.gpu(run), *only_cpu));
        let name = page.trim_start_matches("../").trim_end_matches(".md");
        text += &format!("| `{id}` | {title} | [{name}]({page}) | {cpu} | {gpu} |\n");
    }
    text
}
