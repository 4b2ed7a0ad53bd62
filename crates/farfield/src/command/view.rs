//! `farfield view`: one HTML page with an interactive 3D view of snapshots.

use std::io::Write;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use formats::PartialFile;
use pictures::{IdRanges, Page, PointColours, ViewOptions, view};

use super::arguments::columns::SnapshotColumns;
use super::error::Error;
use super::{report, same_file};

/// Write one HTML page with an interactive 3D view of snapshots, which works offline
///
/// Drag turns, wheel or pinch zooms, a slider and a button play. The page holds a share of the points, the same particles
/// in all frames, with 16 bits for each coordinate.
#[derive(Args)]
#[command(after_help = "\
Examples:
  farfield view galaxy.npz -o galaxy.html
  farfield view snapshots/*.npz -o collision.html --points 500000 --title 'Two galaxies' --time-unit Myr")]
pub(crate) struct Arguments {
    /// Snapshots in the order of time: NPZ, TIPSY, GADGET, or points as `evaluate` reads them
    #[arg(value_name = "SNAPSHOT", required = true)]
    snapshots: Vec<PathBuf>,
    #[command(flatten)]
    columns: SnapshotColumns,
    /// File to write
    #[arg(short, long, value_name = "FILE.html")]
    output: PathBuf,
    /// Number of points in all frames together; each takes about 10 bytes of the page
    #[arg(long, value_name = "COUNT", default_value_t = 200_000)]
    points: usize,
    /// Particles to show, by their identity numbers: 0..1000,5000..6000 [default: all]
    #[arg(long, value_name = "FIRST..END")]
    ids: Option<IdRanges>,
    /// Colours of the points
    #[arg(long, value_enum, default_value_t = Tint::Id)]
    colour: Tint,
    /// Title of the page
    #[arg(long, value_name = "TEXT", default_value = "Snapshots")]
    title: String,
    /// Unit of lengths, for the scale bar
    #[arg(long, value_name = "NAME", default_value = "")]
    length_unit: String,
    /// Unit of times
    #[arg(long, value_name = "NAME", default_value = "")]
    time_unit: String,
}

#[derive(Clone, Copy, ValueEnum)]
enum Tint {
    /// By identity number: parts of a model that follow each other in the file differ
    Id,
    /// By speed
    Speed,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Error> {
    let Arguments { snapshots, output, points, title, length_unit, time_unit, .. } = arguments;
    same_file::refuse_stdin(snapshots)?;
    let inputs: Vec<_> = snapshots.iter().map(PathBuf::as_path).collect();
    same_file::refuse(output, &inputs)?;
    let options = ViewOptions {
        points: *points,
        selection: arguments.columns.selection(),
        ids: arguments.ids.clone(),
        colours: match arguments.colour {
            Tint::Id => PointColours::Identity,
            Tint::Speed => PointColours::Speed,
        },
        title: title.clone(),
        time_unit: time_unit.clone(),
        length_unit: length_unit.clone(),
    };
    let mut file = PartialFile::create(output)?;
    let Page { html, frames, shown, total, outside, .. } = view(snapshots, &options)?;
    let written = file.write_all(html.as_bytes());
    written.map_err(|error| formats::Error::writing(output, error))?;
    file.complete()?;
    let left = match outside {
        0 => String::new(),
        outside => format!(" ({outside} far outside left out)"),
    };
    let what = format!("{shown} of {total} points{left} in {} to ", report::frames(frames));
    report::print(report::wrote(what, output))
}
