//! Integer offsets that a far pair of boxes can have, 7³ − 3³ in number, and the tables by which the
//! list builder decides a pair of boxes without arithmetic.

/// Number of offsets that a far pair can have.
pub const FAR_OFFSETS: usize = 316;

/// Offset number `index`: source coordinates minus receiver coordinates, in boxes of their level.
/// Each component is in −3..=3 and one at least is beyond ±1; z varies slowest.
pub fn far_offset(index: usize) -> [i8; 3] {
    OFFSETS[index]
}

/// The number of an offset; `None` for offsets that no far pair has.
pub fn far_offset_index(offset: [i8; 3]) -> Option<usize> {
    if offset.iter().any(|c| !(-3..=3).contains(c)) {
        return None;
    }
    let [x, y, z] = offset.map(|c| (c + 3) as usize);
    let index = INDICES[x + 7 * (y + 7 * z)];
    (index != ADJACENT).then_some(index as usize)
}

/// Marks, in place of an offset's number, a pair of boxes that touch.
pub(crate) const ADJACENT: u16 = u16::MAX;

/// Number of places of the children of the parent's E2: 6³.
pub(crate) const PLACES: usize = 216;

/// The place of a box among the 6³ children of the parent's E2: `offset` is the box's coordinates minus
/// those of the parent's first child, each in −2..=3.
pub(crate) const fn place(offset: [i32; 3]) -> u16 {
    ((offset[0] + 2) + 6 * ((offset[1] + 2) + 6 * (offset[2] + 2))) as u16
}

/// Row: octant of the receiver box. Column: place of the source box. The far offset's number, or
/// [`ADJACENT`].
pub(crate) static DECISIONS: [[u16; PLACES]; 8] = decisions();

static OFFSETS: [[i8; 3]; FAR_OFFSETS] = offsets();
static INDICES: [u16; 343] = indices();

const fn is_far(x: i32, y: i32, z: i32) -> bool {
    x.abs() > 1 || y.abs() > 1 || z.abs() > 1
}

const fn offsets() -> [[i8; 3]; FAR_OFFSETS] {
    let mut offsets = [[0; 3]; FAR_OFFSETS];
    let (mut i, mut n) = (0, 0);
    while i < 343 {
        let [x, y, z] = [i % 7 - 3, i / 7 % 7 - 3, i / 49 - 3];
        if is_far(x, y, z) {
            offsets[n] = [x as i8, y as i8, z as i8];
            n += 1;
        }
        i += 1;
    }
    offsets
}

const fn indices() -> [u16; 343] {
    let offsets = offsets();
    let mut indices = [ADJACENT; 343];
    let mut n = 0;
    while n < FAR_OFFSETS {
        let [x, y, z] = offsets[n];
        indices[((x + 3) as i32 + 7 * ((y + 3) as i32 + 7 * (z + 3) as i32)) as usize] = n as u16;
        n += 1;
    }
    indices
}

const fn decisions() -> [[u16; PLACES]; 8] {
    let indices = indices();
    let mut table = [[ADJACENT; PLACES]; 8];
    let mut octant = 0;
    while octant < 8 {
        let mut i = 0;
        while i < PLACES {
            let p = i as i32;
            let x = p % 6 - 2 - (octant & 1);
            let y = p / 6 % 6 - 2 - (octant >> 1 & 1);
            let z = p / 36 - 2 - (octant >> 2);
            table[octant as usize][i] = indices[(x + 3 + 7 * (y + 3 + 7 * (z + 3))) as usize];
            i += 1;
        }
        octant += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_and_indices_are_inverse() {
        for index in 0..FAR_OFFSETS {
            assert_eq!(far_offset_index(far_offset(index)), Some(index));
        }
        for near in [[0, 0, 0], [1, -1, 1], [-1, 0, 0]] {
            assert_eq!(far_offset_index(near), None);
        }
        assert_eq!(far_offset_index([4, 0, 0]), None);
        assert_eq!(far_offset_index([0, 0, i8::MIN]), None);
    }

    #[test]
    fn each_octant_has_189_far_places() {
        for row in DECISIONS {
            assert_eq!(row.iter().filter(|&&d| d != ADJACENT).count(), 189);
        }
    }
}
