//! Errors of building and walking a tree, each with index, value and cure.

use std::fmt;

/// Error of building or walking a tree.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A coordinate is NaN or infinite.
    #[error(
        "{set} {index} is at {position:?}: a coordinate is not finite; repair or remove this point"
    )]
    NotFinite {
        /// The set that the point belongs to.
        set: PointSet,
        /// The caller's index of the first such point.
        index: usize,
        /// Coordinates of the point.
        position: [f64; 3],
    },
    /// Coordinates so large that the cube around them would overflow.
    #[error(
        "a coordinate has magnitude {magnitude:e}; choose a larger unit of length (at most 2e307)"
    )]
    TooLarge {
        /// The largest magnitude.
        magnitude: f64,
    },
    /// A leaf would hold no point.
    #[error("a leaf capacity of 0 holds no point; give 1 or more")]
    NoLeafCapacity,
    /// A level deeper than keys can name.
    #[error("level {level} is deeper than keys can name; give at most {}", crate::MAX_LEVEL)]
    TooDeep {
        /// The level asked for.
        level: u8,
    },
    /// More points than 32-bit positions can name.
    #[error(
        "{count} {set}s are more than 32-bit positions can name; split them over several trees"
    )]
    TooManyPoints {
        /// The set.
        set: PointSet,
        /// Number of points in the set.
        count: usize,
    },
    /// More particles and cells than 32-bit links can name.
    #[error(
        "{count} sources and boxes are more than 32-bit links can name; give a larger leaf capacity"
    )]
    TooManyEntries {
        /// Sources and boxes together.
        count: usize,
    },
    /// A permutation with a repeated or a missing source.
    #[error(
        "the permutation has source {value} at {index}, which does not exist or came before; give each source once"
    )]
    NotAPermutation {
        /// Place in the permutation.
        index: usize,
        /// Value at that place.
        value: u32,
    },
    /// A slice that does not fit the points.
    #[error("{found} values of {what} for {expected} points; give one a point")]
    WrongLength {
        /// Name of the values in the slice.
        what: &'static str,
        /// Required number of values.
        expected: usize,
        /// Number of values found.
        found: usize,
    },
    /// A search radius below zero or NaN.
    #[error("radius {radius} of receiver {index} is not a distance; give 0 or more")]
    NotADistance {
        /// The caller's index of the first such receiver; 0 where one radius serves all.
        index: usize,
        /// Radius of that receiver.
        radius: f64,
    },
    /// More boxes than 31-bit numbers can name.
    #[error(
        "{count} boxes are more than 31-bit numbers can name; give a larger leaf capacity or a lower level"
    )]
    TooManyBoxes {
        /// Boxes so far.
        count: usize,
    },
}

/// Set of points that an error is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointSet {
    /// The points that carry charges.
    Sources,
    /// The points that receive.
    Receivers,
}

impl fmt::Display for PointSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PointSet::Sources => "source",
            PointSet::Receivers => "receiver",
        })
    }
}
