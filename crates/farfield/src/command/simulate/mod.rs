//! `farfield simulate`: particles under their gravity, from a file to a folder of snapshots.
//!
//! | file | what |
//! |---|---|
//! | `arguments.rs` | the arguments |
//! | `settings.rs` | what a run is made of, kept in its folder so that it can be resumed |
//! | `defaults.rs` | softening and step for a system |
//! | `folder.rs` | the files of a run, and the order in which they are written |
//! | `diagnostics.rs` | the table of conserved quantities |
//! | `mover.rs` | what moves the particles: the cores, or a GPU in whose memory they stay |
//! | `run.rs` | the loop over outputs |
//! | `writer.rs` | the thread that writes an output while the next steps run |
//! | `error.rs` | errors of simulations |

mod arguments;
mod defaults;
mod diagnostics;
mod error;
mod folder;
mod mover;
mod run;
mod settings;
mod writer;

use fmm::Fmm;

pub(crate) use arguments::Arguments;
pub(crate) use error::Error;

use super::precision::Precision;
use super::threads;
use folder::Folder;
use run::Start;
use settings::Settings;

/// Runs or resumes a simulation.
pub(crate) fn run(arguments: &Arguments) -> Result<(), super::error::Error> {
    arguments.check()?;
    threads::start(arguments.threads)?;
    let folder = Folder::new(&arguments.snapshots);
    let (settings, state, resumed) = match (folder.settings()?, arguments.resume) {
        (Some(_), false) => return Err(Error::Begun { folder: arguments.snapshots.clone() }.into()),
        (Some(settings), true) => {
            settings.check_equal(arguments)?;
            (settings, folder.state()?, true)
        }
        (None, _) => {
            let initial = formats::read_snapshot(&arguments.input)?;
            let settings = Settings::new(arguments, &initial)?;
            (settings, initial, false)
        }
    };
    let outputs = settings.outputs(arguments)?;
    if !resumed {
        folder.create(&settings)?;
    }
    let fmm =
        Fmm::new().method(settings.method).device(settings.device).tolerance(settings.tolerance);
    let fmm = arguments.memory_limit.limit(fmm);
    let start = Start { fmm, state, resumed, outputs };
    match settings.precision {
        Precision::F64 => run::run::<f64>(&settings, &folder, start),
        Precision::F32 => run::run::<f32>(&settings, &folder, start),
    }
}
