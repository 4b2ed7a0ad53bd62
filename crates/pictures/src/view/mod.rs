//! One HTML page with an interactive 3D view of snapshots, which needs no network.
//!
//! Drag turns, wheel and pinch zoom, a slider and a button play. Points are drawn by WebGL, or on a canvas where there is
//! none. Coordinates have 16 bits each within a cube, which is 1/65536 of its side; the page tells which share of the
//! points it shows.

mod points;

use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::extent::Extent;
use crate::film::{no_extent, selected};
use crate::parse::IdRanges;
use crate::text::printable;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use formats::{Selection, Snapshot, read_selected_snapshot};
use points::{Cube, Shown};

/// Colours of points in a view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PointColours {
    /// By identity number: parts of a model that were numbered one after the other differ.
    #[default]
    Identity,
    /// By speed, from the slowest to the fastest of all frames.
    Speed,
}

/// Settings of a view.
#[derive(Clone, Debug)]
pub struct ViewOptions {
    /// Number of points in all frames together; each frame has one at least.
    pub points: usize,
    /// Columns of positions and masses.
    pub selection: Selection,
    /// Identity numbers of the particles to show; `None`: all.
    pub ids: Option<IdRanges>,
    /// Colours of points.
    pub colours: PointColours,
    /// Title of the page.
    pub title: String,
    /// Unit of times.
    pub time_unit: String,
    /// Unit of lengths.
    pub length_unit: String,
}

impl Default for ViewOptions {
    fn default() -> ViewOptions {
        ViewOptions {
            points: 200_000,
            selection: Selection::of_masses(),
            ids: None,
            colours: PointColours::Identity,
            title: "Snapshots".to_owned(),
            time_unit: String::new(),
            length_unit: String::new(),
        }
    }
}

/// A page and what it shows.
#[derive(Clone, Debug)]
pub struct Page {
    /// Text of the HTML file.
    pub html: String,
    /// Number of frames.
    pub frames: usize,
    /// Number of points shown, in all frames together.
    pub shown: usize,
    /// Number of points of the snapshots.
    pub total: usize,
    /// Number of chosen points that are left out because they are far outside.
    pub outside: usize,
}

/// Side of the cube of coordinates, in radii that hold most particles, at most: points farther out are left out.
const REACH: f64 = 8.0;

const HTML: &str = include_str!("page.html");
const SCRIPT: &str = include_str!("page.js");
const DRAWING: &str = include_str!("drawing.js");

/// Makes the page of some snapshots, in the order of time. The same particles are chosen in all frames, by their identity
/// numbers. Each snapshot is read twice; one is in memory at a time.
///
/// # Errors
/// Snapshots that cannot be read, or that have no extent, and a choice of no points.
pub fn view(paths: &[PathBuf], options: &ViewOptions) -> Result<Page, Error> {
    if options.points == 0 {
        return Err(Error::NoPoints);
    }
    let space = Space::of(paths, options)?;
    let frames = Frames::of(paths, options, &space)?;
    let html = html(options, &space, &frames);
    let Frames { shown, outside, .. } = frames;
    Ok(Page { html, frames: paths.len(), shown, total: space.total, outside })
}

/// Reads a snapshot and keeps the particles to show.
fn read(path: &Path, options: &ViewOptions) -> Result<Snapshot, Error> {
    let snapshot = read_selected_snapshot(path, &options.selection)?;
    Ok(selected(snapshot, options.ids.as_ref()))
}

/// Cube and scale of speeds, which all frames share.
struct Space {
    /// Number of points of all snapshots.
    total: usize,
    /// The cube that is shown.
    cube: Cube,
    /// Radius that holds most particles; half the side of the cube where that is 0.
    radius: f64,
    /// The largest speed.
    fastest: f64,
}

impl Space {
    /// Reads all snapshots.
    fn of(paths: &[PathBuf], options: &ViewOptions) -> Result<Space, Error> {
        let mut extents = Vec::new();
        let (mut total, mut low, mut high) = (0usize, [f64::MAX; 3], [f64::MIN; 3]);
        let mut fastest = 0.0f64;
        for path in paths {
            let snapshot = read(path, options)?;
            total += snapshot.positions.len();
            extents.extend(Extent::of(&snapshot));
            for position in &snapshot.positions {
                for (k, &x) in position.iter().enumerate() {
                    (low[k], high[k]) = (low[k].min(x), high[k].max(x));
                }
            }
            fastest = snapshot.velocities.iter().map(points::speed).fold(fastest, f64::max);
        }
        let Extent { centre, radius } =
            Extent::of_all(&extents).ok_or_else(|| no_extent(options.ids.as_ref()))?;
        let farthest = (0..3).map(|k| f64::max(high[k] - centre[k], centre[k] - low[k]));
        let farthest = farthest.fold(0.0, f64::max);
        let half = match radius > 0.0 {
            true => farthest.min(REACH * radius),
            false => farthest,
        };
        let half = if half > 0.0 { half } else { 1.0 };
        let radius = if radius > 0.0 { radius } else { half };
        Ok(Space { total, cube: Cube { centre, half }, radius, fastest })
    }
}

/// The frames as the script of the page takes them.
struct Frames {
    /// Objects of JSON, one a frame.
    objects: Vec<String>,
    /// Number of points shown, in all frames together.
    shown: usize,
    /// Number of chosen points outside of the cube.
    outside: usize,
    /// Whether all frames show the same particles.
    is_same: bool,
}

impl Frames {
    /// Reads all snapshots again, and chooses points of each.
    fn of(paths: &[PathBuf], options: &ViewOptions, space: &Space) -> Result<Frames, Error> {
        let share = (options.points as f64 / space.total as f64).min(1.0);
        let mut frames = Frames { objects: Vec::new(), shown: 0, outside: 0, is_same: true };
        let mut first: Option<Vec<u64>> = None;
        for path in paths {
            let snapshot = read(path, options)?;
            let Shown { ids, bytes, outside } =
                Shown::of(&snapshot, &space.cube, share, options.colours, space.fastest);
            frames.shown += ids.len();
            frames.outside += outside;
            frames.objects.push(format!(
                "{{\"time\":{:?},\"count\":{},\"data\":\"{}\"}}",
                snapshot.time,
                ids.len(),
                STANDARD.encode(&bytes)
            ));
            frames.is_same &= first.as_ref().is_none_or(|first| *first == ids);
            first.get_or_insert(ids);
        }
        Ok(frames)
    }
}

/// The text of the page.
fn html(options: &ViewOptions, space: &Space, frames: &Frames) -> String {
    let Space { total, cube: Cube { half, .. }, radius, .. } = space;
    let Frames { objects, shown, outside, is_same } = frames;
    let [title, time_unit, length_unit] =
        [&options.title, &options.time_unit, &options.length_unit].map(|text| printable(text));
    let data = format!(
        "{{\"title\":{},\"timeUnit\":{},\"lengthUnit\":{},\"half\":{half:?},\"radius\":{radius:?},\"total\":{total},\"shown\":{shown},\"outside\":{outside},\"same\":{is_same},\"frames\":[{}]}}",
        quoted(&title),
        quoted(&time_unit),
        quoted(&length_unit),
        objects.join(",")
    );
    HTML.replace("{{title}}", &escaped(&title))
        .replace("{{script}}", &format!("{DRAWING}\n{SCRIPT}"))
        .replace("{{data}}", &data)
}

/// A text of JSON that may stand in a script.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            ' '..='~' if !"\"\\<>&".contains(c) => quoted.push(c),
            c => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    quoted += &format!("\\u{unit:04x}");
                }
            }
        }
    }
    quoted + "\""
}

/// A text that may stand in HTML.
fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    // Braces name places of the page.
    text.replace('{', "&#123;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_end_the_script() {
        assert_eq!(
            quoted("a\"</script>\\é𝄞\n"),
            "\"a\\u0022\\u003c/script\\u003e\\u005c\\u00e9\\ud834\\udd1e\\u000a\""
        );
        assert_eq!(escaped("<b>&"), "&lt;b&gt;&amp;");
    }
}
