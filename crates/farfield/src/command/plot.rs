//! `farfield plot`: diagrams of simulations and of measurements.

use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use pictures::plot::{Diagnostics, Figure, Profile, Run, cost, energy, profiles};
use pictures::read_masses;
use serde_json::Value;

use super::arguments::columns::SnapshotColumns;
use super::error::Error;
use super::error::drawing;
use super::{report, same_file};

/// Draw energy against time, density profiles, or time and error against the number of points
///
/// Energy takes the table diagnostics.csv that simulate writes. Profiles take snapshots. Cost takes the reports of evaluate --json or bench --json, several in a file or several files.
#[derive(Args)]
#[command(after_help = "\
Examples:
  farfield plot snapshots/diagnostics.csv -o energy.svg
  farfield plot snapshots/*.npz -o profile.png --length-unit kpc
  for n in 10000 100000; do farfield generate cube -n $n -o c.npz
    farfield evaluate c.npz --verify 1000 --json; done > runs.json; farfield plot runs.json -o cost.svg")]
pub(crate) struct Arguments {
    /// A table of diagnostics, snapshots, or reports
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    columns: SnapshotColumns,
    /// File to write: .svg or .png
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Kind of diagram [default: energy of .csv, cost of .json, else profile]
    #[arg(long, value_enum, value_name = "KIND")]
    kind: Option<Kind>,
    /// Unit of lengths, for the axes
    #[arg(long, value_name = "NAME", default_value = "")]
    length_unit: String,
    /// Unit of times, for the axes
    #[arg(long, value_name = "NAME", default_value = "")]
    time_unit: String,
}

#[derive(Clone, Copy, ValueEnum)]
enum Kind {
    /// Energies against time, and relative changes of energy, momentum and angular momentum
    Energy,
    /// Density of spherical shells around the densest place
    Profile,
    /// Seconds and error against the number of points
    Cost,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Error> {
    let Arguments { files, output, columns, time_unit, .. } = arguments;
    same_file::refuse_stdin(files)?;
    let inputs: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    same_file::refuse(output, &inputs)?;
    let kind = kind(arguments);
    if columns.are_given() && !matches!(kind, Kind::Profile) {
        return Err(drawing::Error::NoColumns.into());
    }
    let figure = match (kind, files.as_slice()) {
        (Kind::Energy, [table]) => energy(&Diagnostics::read(table)?, time_unit),
        (Kind::Energy, _) => return Err(drawing::Error::OneTable(files.len()).into()),
        (Kind::Profile, _) => profile(arguments)?,
        (Kind::Cost, _) => {
            let runs: Result<Vec<Vec<Run>>, Error> = files.iter().map(|file| runs(file)).collect();
            match runs?.concat() {
                few if few.len() < 2 => return Err(drawing::Error::FewReports(few.len()).into()),
                runs => cost(&runs),
            }
        }
    };
    figure.write(output)?;
    report::print(report::wrote("", output))
}

fn kind(arguments: &Arguments) -> Kind {
    let extension = arguments.files[0].extension().unwrap_or_default().to_ascii_lowercase();
    arguments.kind.unwrap_or(match extension.to_str() {
        Some("csv") => Kind::Energy,
        Some("json") => Kind::Cost,
        _ => Kind::Profile,
    })
}

/// Profiles of at most eight snapshots, evenly spread: more lines cannot be told apart.
fn profile(arguments: &Arguments) -> Result<Figure, Error> {
    const MOST: usize = 8;
    let Arguments { files, columns, length_unit, time_unit, .. } = arguments;
    let shown = files.len().min(MOST);
    let indices = (0..shown).map(|k| k * (files.len() - 1) / (shown - 1).max(1));
    let read = |index: usize| {
        let path = &files[index];
        let profile = Profile::of(&read_masses(path, &columns.selection())?);
        if profile.shells.len() < 2 {
            let least = Profile::LEAST;
            return Err(drawing::Error::Shells { path: path.clone(), least }.into());
        }
        Ok(profile)
    };
    let shown = indices.map(read).collect::<Result<Vec<Profile>, Error>>()?;
    Ok(profiles(&shown, length_unit, time_unit))
}

/// The reports in a file, one after the other.
fn runs(path: &Path) -> Result<Vec<Run>, Error> {
    let unsound = |cause: String| -> Error {
        drawing::Error::Reports { path: path.to_owned(), cause }.into()
    };
    let text = fs::read_to_string(path).map_err(|error| unsound(error.to_string()))?;
    let values = serde_json::Deserializer::from_str(&text).into_iter::<Value>();
    values
        .map(|value| {
            let value = value.map_err(|error| unsound(error.to_string()))?;
            let missing = || unsound("no n_sources or seconds.total".to_owned());
            let run = run_of(&value).ok_or_else(missing)?;
            for (name, value) in [("n_sources", run.points), ("seconds.total", run.seconds)] {
                if value <= 0.0 {
                    return Err(unsound(format!("{name} is {value:?}, and not positive")));
                }
            }
            Ok(run)
        })
        .collect()
}

/// The run that a report of `evaluate --json` tells of.
fn run_of(report: &Value) -> Option<Run> {
    let text = |name: &str| report[name].as_str().unwrap_or_default();
    let asked = match report["tolerance"].as_f64() {
        Some(tolerance) => format!("{tolerance:.0e}"),
        None => format!("order {}", report["order"]),
    };
    let opening = &report["opening"];
    let parameter = |sign: &str, name: &str| Some(format!("{sign} = {}", opening[name].as_f64()?));
    let parameter = parameter("θ", "theta").or_else(|| parameter("α", "alpha")).unwrap_or_default();
    let softening = report["softening"].as_f64().filter(|&length| length > 0.0);
    let softening = softening.map_or(String::new(), |length| format!("softening {length}"));
    let criterion = opening["criterion"].as_str().unwrap_or_default();
    let (method, device, precision) = (text("method"), text("device"), text("precision"));
    let parts = [method, criterion, &parameter, device, precision, &softening, &asked];
    let names: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    Some(Run {
        name: names.join(", "),
        points: report["n_sources"].as_f64()?,
        seconds: report["seconds"]["total"].as_f64()?,
        error: report["error"]["gradient_l2"].as_f64(),
    })
}
