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
    /// The picture is too small or too large.
    #[error("a picture of {width}x{height} pixels cannot be drawn; choose 64 to 16384 each way")]
    Size {
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
    /// A chart has nothing to show.
    #[error("{0} has no numbers to draw; give a file with at least two rows")]
    NoNumbers(String),
    /// A chart could not be drawn.
    #[error("the chart cannot be drawn ({0}); check that its numbers are finite and differ")]
    Chart(String),
}
