//! Offsets of far pairs of boxes.

/// Offset of a far source box from the receiver box, in sides of a box: one of the [`COUNT`](Self::COUNT) offsets in
/// {−3 … 3}³ outside {−1, 0, 1}³.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FarOffset([i8; 3]);

impl FarOffset {
    /// Number of these offsets: 7³ − 3³.
    pub const COUNT: usize = 316;

    /// The offset with these components, if it is one of these.
    pub fn new(components: [i8; 3]) -> Option<Self> {
        let reach = components.iter().map(|c| c.unsigned_abs()).max();
        matches!(reach, Some(2 | 3)).then_some(Self(components))
    }

    /// Iterator over all of them.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..343_i16).filter_map(|i| Self::new([i / 49, i / 7 % 7, i % 7].map(|c| c as i8 - 3)))
    }

    /// The components.
    pub fn components(self) -> [i8; 3] {
        self.0
    }

    /// Position among all 343 offsets of reach 3.
    pub(super) fn slot(self) -> usize {
        self.0.iter().fold(0, |slot, c| 7 * slot + (c + 3) as usize)
    }
}
