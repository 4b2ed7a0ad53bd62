//! Plane waves between families of boxes: the numbers of a wave, and which waves go together.
//!
//! A way's sets are numbered by the place of a family's children: bit 0 says that they are on the side to which the
//! waves go, then come bit u where it is bounded, and bit v where that is, too. `bounded` is the number of axes across
//! the waves along which pairs are at most one box apart.

/// Count of the numbers of a wave.
pub const N_NUMBERS: usize = 15;

/// Places among the numbers of a wave.
pub mod number {
    /// e^{λ/2}
    pub const RISE: usize = 0;
    /// e^{−λ/2}
    pub const FALL: usize = 1;
    /// 2 w e^{−2λ}/M
    pub const FACTOR: usize = 2;
    /// Cosine and sine of λ(cos α + sin α)/2, then those of λ(cos α − sin α)/2.
    pub const CHILD: usize = 3;
    /// Cosines and sines of 2λ cos α, 2λ sin α, 2λ(cos α + sin α) and 2λ(cos α − sin α).
    pub const PARENT: usize = 7;
}

/// Set of the way up that a child's waves belong to; bit 0 is the other for the way down.
#[inline(always)]
pub const fn set_of(bounded: usize, octant: usize) -> usize {
    (octant >> 2) | (octant & ((1 << bounded) - 1)) << 1
}

/// Class of families whose waves are added up: by place across, (u + 1) + 3 (v + 1), as far as that is bounded.
#[inline(always)]
pub const fn class_of(bounded: usize, across: usize) -> usize {
    match bounded {
        0 => 4,
        1 => 3 + across % 3,
        _ => across,
    }
}

/// Whether the children of a bounded place act on any child of the family: those next to it do.
#[inline(always)]
pub const fn acts(bounded: usize, set: usize, across: usize) -> bool {
    (bounded < 1 || next(across % 3, set & 1)) && (bounded < 2 || next(across / 3, set >> 1))
}

#[inline(always)]
const fn next(offset: usize, upper: usize) -> bool {
    match offset {
        0 => upper == 1,
        1 => true,
        _ => upper == 0,
    }
}
