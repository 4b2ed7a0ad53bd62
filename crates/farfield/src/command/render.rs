//! `farfield render`: pictures and movies of snapshots.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use formats::PartialFile;
use pictures::{
    Colours, Film, FilmOptions, IdRanges, Image, Movie, MovieForm, MovieFormat, Scale, Size,
    Vector, write_png,
};

use super::arguments::columns::SnapshotColumns;
use super::arguments::threads;
use super::error::Error;
use super::error::drawing;
use super::report::progress::TimeLeft;
use super::{report, same_file};

/// Draw the projected surface density of snapshots as PNG frames or as a movie
///
/// All frames have one view and one logarithmic scale of mass per area. Points are smoothed where they are sparse.
#[derive(Args)]
#[command(after_help = "\
Examples:
  farfield render galaxy.npz -o galaxy.png
  farfield render snapshots/*.npz --movie collision.gif --size 480x270
  farfield render galaxy.npz --movie turn.webp --rotate 360 --frames 120 --view 0,-1,0.5
  farfield render snapshots/*.npz -o frames/ --width 40 --length-unit kpc --time-unit Myr")]
pub(crate) struct Arguments {
    /// Snapshots in the order of time: NPZ, TIPSY, GADGET, or points as `evaluate` reads them
    #[arg(value_name = "SNAPSHOT", required = true)]
    snapshots: Vec<PathBuf>,
    #[command(flatten)]
    columns: SnapshotColumns,
    /// Folder of frames 0000.png, 0001.png …, made if it is missing; or a file .png for a single frame
    #[arg(short, long, value_name = "FOLDER|FILE", required_unless_present = "movie")]
    output: Option<PathBuf>,
    /// Movie to write: .gif, .apng, .png (animated) or .webp
    #[arg(long, value_name = "FILE")]
    movie: Option<PathBuf>,
    /// Direction from the centre to the camera; z points up, unless the view is along z
    #[arg(long, value_name = "X,Y,Z", default_value = "0,0,1", allow_hyphen_values = true)]
    view: Vector,
    /// Point in the middle [default: the centre of mass]
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    centre: Option<Vector>,
    /// Length from the left to the right edge [default: what shows 90 % of the points in all frames]
    #[arg(long, value_name = "LENGTH", allow_negative_numbers = true)]
    width: Option<f64>,
    /// Pixels of a frame
    #[arg(long, value_name = "WxH", default_value = "1280x720")]
    size: Size,
    /// Degrees by which the camera walks around the centre during the movie
    #[arg(long, value_name = "DEGREES", default_value_t = 0.0, allow_negative_numbers = true)]
    rotate: f64,
    /// Number of frames [default: that of the snapshots]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    frames: Option<u32>,
    /// Particles to show, by their identity numbers: 0..1000,5000..6000 [default: all]
    #[arg(long, value_name = "FIRST..END")]
    ids: Option<IdRanges>,
    /// Frames a second of the movie
    #[arg(
        long,
        value_name = "RATE",
        default_value_t = 20.0,
        requires = "movie",
        allow_negative_numbers = true
    )]
    fps: f64,
    /// Surface densities of the darkest and the brightest colour [default: those of the frames]
    #[arg(long, value_name = "LOW,HIGH")]
    range: Option<Scale>,
    /// Colour map
    #[arg(long, value_enum, default_value_t = Map::Inferno)]
    colours: Map,
    /// Unit of lengths, for the scale bar
    #[arg(long, value_name = "NAME", default_value = "")]
    length_unit: String,
    /// Unit of times, for the time stamp
    #[arg(long, value_name = "NAME", default_value = "")]
    time_unit: String,
}

#[derive(Clone, Copy, ValueEnum)]
enum Map {
    Inferno,
    Magma,
    Plasma,
    Viridis,
    Cividis,
}

impl From<Map> for Colours {
    fn from(map: Map) -> Colours {
        match map {
            Map::Inferno => Colours::Inferno,
            Map::Magma => Colours::Magma,
            Map::Plasma => Colours::Plasma,
            Map::Viridis => Colours::Viridis,
            Map::Cividis => Colours::Cividis,
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Error> {
    let Arguments { size, movie, output, .. } = arguments;
    same_file::refuse_stdin(&arguments.snapshots)?;
    for output in [output, movie].into_iter().flatten() {
        same_file::refuse_stdout(output)?;
    }
    threads::start(None)?;
    let frames = arguments.frames.map_or(arguments.snapshots.len(), |frames| frames as usize);
    check_movement(arguments, frames)?;
    let format = movie.as_deref().map(MovieFormat::of).transpose()?;
    if let Some(format) = format {
        format.check_rate(arguments.fps)?;
    }
    let pictures = output.as_deref().map(|output| Pictures::of(output, frames)).transpose()?;
    compare(arguments, pictures.as_ref(), frames)?;
    let mut film = Film::new(arguments.snapshots.clone(), options(arguments))?;
    pictures.as_ref().map_or(Ok(()), Pictures::make)?;
    let mut file = movie.as_deref().map(PartialFile::create).transpose()?;
    let mut moving = match (&mut file, movie, format) {
        (Some(file), Some(path), Some(format)) => {
            let (rate, colours) = (arguments.fps, arguments.colours.into());
            let form = MovieForm { format, size: *size, frames, rate, colours };
            Some(Movie::new(file, &form).map_err(|error| writing(path, error))?)
        }
        _ => None,
    };
    let progress = TimeLeft::new(frames as f64);
    for index in 0..frames {
        let image = film.frame(index)?;
        if let Some(pictures) = &pictures {
            pictures.write(index, &image)?;
        }
        if let (Some(movie), Some(path)) = (&mut moving, movie) {
            movie.push(&image).map_err(|error| writing(path, error))?;
        }
        progress.set((index + 1) as f64);
    }
    if let (Some(moving), Some(path)) = (moving, movie) {
        moving.finish().map_err(|error| writing(path, error))?;
    }
    file.map_or(Ok(()), PartialFile::complete)?;
    drop(progress);
    if let Some(pictures) = &pictures {
        pictures.warn_of_others(frames);
    }
    for path in [output, movie].into_iter().flatten() {
        report::print(report::wrote(format_args!("{} to ", report::frames(frames)), path))?;
    }
    Ok(())
}

/// Refuses settings of a movement where there is none.
fn check_movement(arguments: &Arguments, frames: usize) -> Result<(), Error> {
    let Arguments { fps, rotate, .. } = *arguments;
    if !(fps.is_finite() && fps > 0.0) {
        return Err(drawing::Error::Rate(fps).into());
    }
    match rotate.is_finite() && rotate != 0.0 && frames == 1 {
        true => Err(drawing::Error::Still(rotate).into()),
        false => Ok(()),
    }
}

fn options(arguments: &Arguments) -> FilmOptions {
    FilmOptions {
        size: arguments.size,
        view: arguments.view.0,
        centre: arguments.centre.map(|centre| centre.0),
        width: arguments.width,
        rotate: arguments.rotate,
        frames: arguments.frames.map(|frames| frames as usize),
        scale: arguments.range,
        colours: arguments.colours.into(),
        stamped: true,
        selection: arguments.columns.selection(),
        ids: arguments.ids.clone(),
        time_unit: arguments.time_unit.clone(),
        length_unit: arguments.length_unit.clone(),
    }
}

/// Refuses outputs that are inputs, or that replace each other, before anything is written.
fn compare(
    arguments: &Arguments,
    pictures: Option<&Pictures<'_>>,
    frames: usize,
) -> Result<(), Error> {
    let inputs: Vec<&Path> = arguments.snapshots.iter().map(PathBuf::as_path).collect();
    let inputs = same_file::Inputs::of(&inputs);
    let mut places = HashSet::new();
    let pictures = pictures.into_iter().flat_map(|pictures| pictures.paths(frames));
    for output in pictures.chain(arguments.movie.clone()) {
        inputs.refuse(&output)?;
        if !places.insert(same_file::place(&output)) {
            return Err(drawing::Error::Twice { output }.into());
        }
    }
    Ok(())
}

/// Destination of single pictures.
enum Pictures<'a> {
    File(&'a Path),
    Folder(&'a Path),
}

/// Extensions of pictures and movies that frames are not written as.
const OTHERS: [&str; 10] =
    ["jpg", "jpeg", "gif", "bmp", "tif", "tiff", "svg", "webp", "apng", "pdf"];

impl Pictures<'_> {
    fn of(output: &Path, frames: usize) -> Result<Pictures<'_>, Error> {
        let extension = output.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        match extension.as_str() {
            "png" if frames > 1 => Err(drawing::Error::OneFrame(frames).into()),
            "png" => Ok(Pictures::File(output)),
            other if OTHERS.contains(&other) => {
                Err(drawing::Error::NotPng { output: output.to_owned() }.into())
            }
            _ => Ok(Pictures::Folder(output)),
        }
    }

    /// Makes the folder, if it is missing.
    fn make(&self) -> Result<(), Error> {
        match self {
            Pictures::File(_) => Ok(()),
            Pictures::Folder(folder) => fs::create_dir_all(folder).map_err(|error| {
                drawing::Error::Frames { folder: folder.to_path_buf(), error }.into()
            }),
        }
    }

    fn path(&self, index: usize) -> PathBuf {
        match self {
            Pictures::File(path) => path.to_path_buf(),
            Pictures::Folder(folder) => folder.join(format!("{index:04}.png")),
        }
    }

    fn paths(&self, frames: usize) -> impl Iterator<Item = PathBuf> {
        (0..frames).map(|index| self.path(index))
    }

    /// Warns of frames that an earlier run left in the folder, behind those of this one: they would be taken for its end.
    fn warn_of_others(&self, frames: usize) {
        let Pictures::Folder(folder) = self else { return };
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let number = |name: &str| {
            let number: usize = name.strip_suffix(".png")?.parse().ok()?;
            (number >= frames && name == format!("{number:04}.png")).then_some(number)
        };
        let others = entries.filter_map(|entry| number(entry.file_name().to_str()?));
        let (count, first) =
            others.fold((0, usize::MAX), |(count, first), other| (count + 1, first.min(other)));
        if count > 0 {
            report::warn_line(&format!(
                "{} has {} of an earlier run, from {first:04}.png on; remove them, or name another folder",
                folder.display(),
                report::frames(count),
            ));
        }
    }

    fn write(&self, index: usize, image: &Image) -> Result<(), Error> {
        let path = self.path(index);
        let mut file = PartialFile::create(&path)?;
        match write_png(&mut file, image) {
            Ok(()) => Ok(file.complete()?),
            Err(error) => Err(writing(&path, error)),
        }
    }
}

fn writing(path: &Path, error: std::io::Error) -> Error {
    formats::Error::writing(path, error).into()
}
