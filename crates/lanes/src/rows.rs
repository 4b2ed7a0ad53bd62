//! Moves rows of numbers into lanes and back by transposing square blocks in registers.

use crate::Lanes;

/// Lanes whose square blocks can be transposed.
pub(crate) trait Rows: Lanes {
    /// Transposes a block of [`Lanes::WIDTH`] vectors.
    fn transpose(block: &mut [Self]);

    /// [`Lanes::gather_rows`] with a place to put each vector.
    #[inline(always)]
    fn gather_into<E>(
        from: &[Self::Scalar],
        rows: &[usize],
        to: &mut [E],
        set: impl Fn(&mut E, Self),
    ) {
        let mut block = [Self::zero(); MAX_WIDTH];
        let block = &mut block[..Self::WIDTH];
        for (chunk, to) in to.chunks_mut(Self::WIDTH).enumerate() {
            let start = chunk * Self::WIDTH;
            for (v, row) in block.iter_mut().zip(rows) {
                *v = Self::load(&from[row + start..row + start + Self::WIDTH]);
            }
            block[rows.len()..].fill(Self::zero());
            Self::transpose(block);
            for (to, v) in to.iter_mut().zip(&*block) {
                set(to, *v);
            }
        }
    }

    /// [`Lanes::scatter_add_rows`] with a place to take each vector from.
    #[inline(always)]
    fn scatter_add_from<E>(
        from: &[E],
        rows: &[usize],
        to: &mut [Self::Scalar],
        get: impl Fn(&E) -> Self,
    ) {
        let mut block = [Self::zero(); MAX_WIDTH];
        let block = &mut block[..Self::WIDTH];
        for (chunk, from) in from.chunks(Self::WIDTH).enumerate() {
            let start = chunk * Self::WIDTH;
            for (v, from) in block.iter_mut().zip(from) {
                *v = get(from);
            }
            block[from.len()..].fill(Self::zero());
            Self::transpose(block);
            for (v, row) in block.iter().zip(rows) {
                let to = &mut to[row + start..row + start + Self::WIDTH];
                (Self::load(to) + *v).store(to);
            }
        }
    }
}

/// The widest vector register in floats.
const MAX_WIDTH: usize = 16;
