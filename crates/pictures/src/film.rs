//! A film: pictures of snapshots with one view and one scale.

use std::path::{Path, PathBuf};

use formats::{Selection, Snapshot, read_located_points, read_selected_snapshot};

use crate::camera::{Camera, Size};
use crate::colours::Colours;
use crate::error::Error;
use crate::extent::Extent;
use crate::frame::draw;
use crate::image::Image;
use crate::overlay::Labels;
use crate::parse::IdRanges;
use crate::scale::Scale;
use crate::surface::{SurfaceDensity, surface_density};

/// Snapshots that are looked at, evenly spread, to find the view and the scale.
const SURVEYED: usize = 8;
/// Width of the view in radii that hold most particles.
const ROOM: f64 = 2.4;
/// Largest and smallest number of pixels each way.
const PIXELS: std::ops::RangeInclusive<usize> = 64..=16384;

/// Settings of a film. The default looks along −z at all of the film's mass.
#[derive(Clone, Debug)]
pub struct FilmOptions {
    /// Size of the pictures.
    pub size: Size,
    /// Direction from the centre to the camera.
    pub view: [f64; 3],
    /// Point in the middle; `None`: the centre of mass.
    pub centre: Option<[f64; 3]>,
    /// Length from the left to the right edge; `None`: what shows most particles in all frames.
    pub width: Option<f64>,
    /// Degrees by which the camera walks around the centre during the film.
    pub rotate: f64,
    /// Number of frames; `None`: that of the snapshots. Snapshots are shown equally long.
    pub frames: Option<usize>,
    /// Surface densities of the darkest and the brightest colour; `None`: those that the snapshots have.
    pub scale: Option<Scale>,
    /// Colour map.
    pub colours: Colours,
    /// Whether each frame has a time stamp.
    pub stamped: bool,
    /// Columns of positions and masses.
    pub selection: Selection,
    /// Identity numbers of the particles to show; `None`: all.
    pub ids: Option<IdRanges>,
    /// Unit of times, for the stamp.
    pub time_unit: String,
    /// Unit of lengths, for the scale bar.
    pub length_unit: String,
}

impl Default for FilmOptions {
    fn default() -> FilmOptions {
        FilmOptions {
            size: Size { width: 1280, height: 720 },
            view: [0.0, 0.0, 1.0],
            centre: None,
            width: None,
            rotate: 0.0,
            frames: None,
            scale: None,
            colours: Colours::Inferno,
            stamped: true,
            selection: Selection::of_masses(),
            ids: None,
            time_unit: String::new(),
            length_unit: String::new(),
        }
    }
}

/// Pictures of snapshots with one view and one scale. One snapshot is in memory at a time.
#[derive(Debug)]
pub struct Film {
    snapshots: Snapshots,
    options: FilmOptions,
    frames: usize,
    camera: Camera,
    scale: Scale,
}

impl Film {
    /// Finds the view and the scale that suit some of the snapshots, unless they are given.
    ///
    /// # Errors
    /// Snapshots that cannot be read or have a negative mass, a view of no direction or width, an angle that is not finite,
    /// pictures that memory does not hold, and snapshots without mass inside the view.
    pub fn new(paths: Vec<PathBuf>, options: FilmOptions) -> Result<Film, Error> {
        let Size { width, height } = options.size;
        if !(PIXELS.contains(&width) && PIXELS.contains(&height)) {
            return Err(Error::Size { width, height });
        }
        if !options.rotate.is_finite() {
            return Err(Error::Angle(options.rotate));
        }
        let frames = options.frames.unwrap_or(paths.len()).max(1);
        let (selection, ids) = (options.selection.clone(), options.ids.clone());
        let mut snapshots = Snapshots { paths, selection, ids, last: None };
        let camera = camera(&mut snapshots, &options)?;
        if !camera.pixel_area(options.size).is_normal() {
            return Err(Error::Area(camera.width));
        }
        let scale = Scale { low: 1.0, high: 1.0 };
        let mut film = Film { snapshots, options, frames, camera, scale };
        film.scale = match film.options.scale {
            Some(scale) => scale,
            None => {
                let mut ends = Vec::new();
                for frame in sample(frames) {
                    ends.extend(Scale::ends(&film.density(frame)?));
                }
                Scale::around(ends).ok_or(Error::Dark)?
            }
        };
        Ok(film)
    }

    /// Number of frames.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// The scale of all frames.
    pub fn scale(&self) -> Scale {
        self.scale
    }

    /// Length from the left to the right edge.
    pub fn width(&self) -> f64 {
        self.camera.width
    }

    /// Draws a frame, counted from 0.
    ///
    /// # Errors
    /// A snapshot that cannot be read or has a negative mass, and a picture that memory does not hold.
    pub fn frame(&mut self, frame: usize) -> Result<Image, Error> {
        let density = self.density(frame)?;
        let time = self.snapshots.read(self.snapshot(frame))?.time;
        let FilmOptions { colours, stamped, time_unit, length_unit, .. } = &self.options;
        let labels = Labels {
            time: stamped.then_some(time),
            time_unit: time_unit.clone(),
            length_unit: length_unit.clone(),
        };
        draw(&density, &self.camera, self.scale, *colours, &labels)
    }

    fn density(&mut self, frame: usize) -> Result<SurfaceDensity, Error> {
        let turned = self.options.rotate * frame as f64 / self.frames as f64;
        let camera = self.camera.turned(turned);
        let snapshot = self.snapshots.read(self.snapshot(frame))?;
        surface_density(&snapshot.positions, &snapshot.masses, &camera, self.options.size)
    }

    /// The snapshot that a frame shows.
    fn snapshot(&self, frame: usize) -> usize {
        frame * self.snapshots.paths.len() / self.frames
    }
}

/// Numbers below `count`, evenly spread, first and last among them.
fn sample(count: usize) -> impl Iterator<Item = usize> {
    let taken = count.min(SURVEYED);
    (0..taken).map(move |k| k * (count - 1) / (taken - 1).max(1))
}

fn camera(snapshots: &mut Snapshots, options: &FilmOptions) -> Result<Camera, Error> {
    let (centre, width) = match (options.centre, options.width) {
        (Some(centre), Some(width)) => (centre, width),
        (centre, width) => {
            let mut extents = Vec::new();
            for index in sample(snapshots.paths.len()) {
                extents.extend(Extent::of(snapshots.read(index)?));
            }
            let extent = Extent::of_all(&extents).ok_or_else(|| no_extent(options.ids.as_ref()))?;
            // The circle of most particles fits into the smaller side of the picture.
            let Size { width: columns, height: rows } = options.size;
            let across = columns as f64 / columns.min(rows) as f64;
            let fitting = ROOM * across * if extent.radius > 0.0 { extent.radius } else { 1.0 };
            (centre.unwrap_or(extent.centre), width.unwrap_or(fitting))
        }
    };
    Camera::new(options.view, centre, width)
}

/// The reason why snapshots, which are not empty, have no extent.
pub(crate) fn no_extent(ids: Option<&IdRanges>) -> Error {
    if ids.is_some() { Error::NoneChosen } else { Error::Extent }
}

/// Snapshots by their paths; the last one read stays in memory.
#[derive(Debug)]
struct Snapshots {
    paths: Vec<PathBuf>,
    selection: Selection,
    ids: Option<IdRanges>,
    last: Option<(usize, Snapshot)>,
}

impl Snapshots {
    fn read(&mut self, index: usize) -> Result<&Snapshot, Error> {
        let last = match self.last.take() {
            Some(last) if last.0 == index => last,
            _ => {
                let snapshot = read_masses(&self.paths[index], &self.selection)?;
                (index, selected(snapshot, self.ids.as_ref()))
            }
        };
        Ok(&self.last.insert(last).1)
    }
}

/// Keeps the particles to show.
pub(crate) fn selected(mut snapshot: Snapshot, ids: Option<&IdRanges>) -> Snapshot {
    if let Some(ids) = ids {
        ids.select(&mut snapshot);
    }
    snapshot
}

/// Reads a snapshot whose masses are drawn, so that none of them is negative.
///
/// # Errors
/// A snapshot that cannot be read, and the first negative mass.
pub fn read_masses(path: &Path, selection: &Selection) -> Result<Snapshot, Error> {
    let snapshot = read_selected_snapshot(path, selection)?;
    let Some(index) = snapshot.masses.iter().position(|&mass| mass < 0.0) else {
        return Ok(snapshot);
    };
    let located = read_located_points(path, selection);
    let place = located.map_or_else(
        |_| format!("{}: particle {index}", path.display()),
        |located| located.places.of(index),
    );
    Err(Error::Mass { place, value: snapshot.masses[index] })
}
