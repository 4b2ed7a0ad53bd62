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
    /// A partition over no ranks.
    #[error("a partition over 0 ranks owns nothing; give 1 rank or more")]
    NoRanks,
    /// A cut out of order, or inside a box of the deepest level.
    #[error(
        "cut {index} of the partition, {cut:#x}, is out of order or inside a box of the deepest level; \
         give ascending first codes of boxes from 0 to 2^63"
    )]
    NotACut {
        /// Number of the cut.
        index: usize,
        /// The cut.
        cut: u64,
    },
    /// A tolerance below zero or NaN.
    #[error("an imbalance of {tolerance} is not a tolerance; give 0 or more")]
    NotATolerance {
        /// The tolerance asked for.
        tolerance: f64,
    },
    /// A point that another rank owns.
    #[error(
        "{set} {index} belongs to rank {owner}, not to rank {rank}; send it to its owner first"
    )]
    NotOwned {
        /// The set that the point belongs to.
        set: PointSet,
        /// The caller's index of the first such point.
        index: usize,
        /// Owner of the point.
        owner: usize,
        /// The rank whose tree was asked for.
        rank: usize,
    },
    /// A record of a box that does not fit the tree.
    #[error(
        "the record of {key:?} from rank {rank} does not fit: {reason}; exchange halos of one partition"
    )]
    WrongRecord {
        /// The box.
        key: crate::Key,
        /// The rank that sent the record.
        rank: usize,
        /// The reason.
        reason: RecordFault,
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

/// Reason for which a record of a box does not fit the tree of a rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordFault {
    /// A record from a rank that does not own the box.
    NotTheOwner,
    /// A record without one of the parent.
    NoParent,
    /// A record of a box below a leaf.
    BelowLeaf,
    /// A second record of the box.
    Twice,
}

impl fmt::Display for RecordFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RecordFault::NotTheOwner => "the sender does not own the box",
            RecordFault::NoParent => "its parent is missing",
            RecordFault::BelowLeaf => "its parent is a leaf",
            RecordFault::Twice => "it is there twice",
        })
    }
}
