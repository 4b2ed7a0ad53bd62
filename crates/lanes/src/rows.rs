//! Moves rows of numbers into lanes and back by transposing square blocks in registers.

use crate::Lanes;

/// Lanes whose square blocks can be transposed.
pub(crate) trait Rows: Lanes {
    /// Square block: as many vectors as lanes.
    type Block: Copy + AsRef<[Self]> + AsMut<[Self]>;

    /// A block of zeros.
    fn block() -> Self::Block;

    /// Transposes a block.
    fn transpose(block: Self::Block) -> Self::Block;

    /// Lane `k` is the sum of the lanes of `block[k]`.
    #[inline(always)]
    fn lane_sums(block: Self::Block) -> Self {
        let mut block = Self::transpose(block);
        let block = block.as_mut();
        let mut half = Self::WIDTH / 2;
        while half > 0 {
            for i in 0..half {
                block[i] += block[i + half];
            }
            half /= 2;
        }
        block[0]
    }

    /// Implementation of [`Lanes::sums`].
    #[inline(always)]
    fn padded_lane_sums(vectors: &[Self]) -> Self {
        let mut block = Self::block();
        if vectors.len() >= Self::WIDTH {
            block.as_mut().copy_from_slice(&vectors[..Self::WIDTH]);
        } else {
            block.as_mut()[..vectors.len()].copy_from_slice(vectors);
        }
        Self::lane_sums(block)
    }

    /// The block whose vector `i` has in lane `k` the number `rows[k][start + i]`.
    #[inline(always)]
    #[allow(clippy::needless_range_loop, reason = "counted loops keep the block in registers")]
    fn load_rows(rows: &[&[Self::Scalar]], start: usize) -> Self::Block {
        let mut block = Self::block();
        let rows = &rows[..Self::WIDTH];
        for k in 0..Self::WIDTH {
            block.as_mut()[k] = Self::load(&rows[k][start..start + Self::WIDTH]);
        }
        Self::transpose(block)
    }

    /// Adds a block to rows: `to[rows[k] + start + i] +=` lane `k` of vector `i`, for as many lanes as there are rows.
    #[inline(always)]
    #[allow(clippy::needless_range_loop, reason = "counted loops keep the block in registers")]
    fn add_to_rows(block: Self::Block, rows: &[usize], start: usize, to: &mut [Self::Scalar]) {
        let block = Self::transpose(block);
        if rows.len() >= Self::WIDTH {
            for k in 0..Self::WIDTH {
                let to = &mut to[rows[k] + start..rows[k] + start + Self::WIDTH];
                (Self::load(to) + block.as_ref()[k]).store(to);
            }
        } else {
            for (v, row) in block.as_ref().iter().zip(rows) {
                let to = &mut to[row + start..row + start + Self::WIDTH];
                (Self::load(to) + *v).store(to);
            }
        }
    }
}
