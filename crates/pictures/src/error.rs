//! Errors of pictures; each message ends with the cure.

/// An error of a picture.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written.
    #[error(transparent)]
    File(#[from] formats::Error),
    /// The direction of view has no length.
    #[error("the view {0:?} is no direction; give x,y,z of which one is not 0")]
    View([f64; 3]),
    /// The width of the view is not positive.
    #[error("a width of {0:?} shows nothing; give a positive length")]
    Width(f64),
    /// The angle of the walk is not finite.
    #[error("--rotate {0:?} is no angle; give a finite number of degrees such as 360")]
    Angle(f64),
    /// The area of a pixel is 0 or infinite.
    #[error(
        "a pixel of a view {0:e} wide has an area beyond the range of f64; choose another --width or unit of length"
    )]
    Area(f64),
    /// Positions are so far apart that f64 does not hold their distances.
    #[error("positions reach beyond the range of f64; choose a larger unit of length")]
    Extent,
    /// The identity numbers to show are those of no particle.
    #[error("--ids chooses none of the particles; choose among their numbers, or leave it out")]
    NoneChosen,
    /// A mass is negative.
    #[error("{place}: the mass is {value}; pictures show masses of 0 or more")]
    Mass {
        /// File and line or row of the particle.
        place: String,
        /// The mass.
        value: f64,
    },
    /// A view of no points.
    #[error("a view of 0 points shows nothing; give --points of 1 or more")]
    NoPoints,
    /// The picture is too small or too large.
    #[error("a picture of {width}x{height} pixels cannot be drawn; choose 64 to 16384 each way")]
    Size {
        /// Columns.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// The picture does not fit into memory.
    #[error(
        "a picture of {width}x{height} pixels does not fit into memory; choose a smaller --size"
    )]
    Memory {
        /// Columns.
        width: usize,
        /// Rows.
        height: usize,
    },
    /// No mass is inside the view.
    #[error("no mass is inside the view; choose a larger --width, another --centre or other --ids")]
    Dark,
    /// The extension names no format of pictures.
    #[error("the name {name:?} tells no format of {what}; use one of {known}")]
    Extension {
        /// Name of the file.
        name: String,
        /// Kind of file.
        what: &'static str,
        /// The extensions that are known.
        known: &'static str,
    },
    /// A format of movies does not keep the number of frames a second.
    #[error(
        "{format} does not keep {rate:?} frames a second; choose {}", nearest(*.slower, *.faster)
    )]
    Rate {
        /// Name of the format.
        format: &'static str,
        /// Frames a second asked for.
        rate: f64,
        /// The nearest rate below, or the lowest one.
        slower: f64,
        /// The nearest rate above, or the highest one.
        faster: f64,
    },
    /// The numbers of an axis are too far apart.
    #[error(
        "the axis {axis:?} from {low:e} to {high:e} is longer than f64 holds; choose a larger unit"
    )]
    Range {
        /// Name of the axis.
        axis: String,
        /// Smallest number.
        low: f64,
        /// Largest number.
        high: f64,
    },
    /// A chart has nothing to show.
    #[error("{0} has no numbers to draw; give a file with at least two rows")]
    NoNumbers(String),
    /// A chart could not be drawn.
    #[error("the chart cannot be drawn ({0}); check that its numbers are finite and differ")]
    Chart(String),
}

/// One or two rates, to four digits.
fn nearest(slower: f64, faster: f64) -> String {
    let digits = |rate: f64| {
        let text = format!("{rate:.3e}");
        text.parse::<f64>().map_or(text, |rate| rate.to_string())
    };
    match slower == faster {
        true => digits(slower),
        false => format!("{} or {}", digits(slower), digits(faster)),
    }
}
