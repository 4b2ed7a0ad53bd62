//! Compressed sparse rows: the format of all lists of boxes and of points.

/// Rows of box or point numbers, one after the other (compressed sparse rows).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Csr {
    /// n_rows + 1 positions in `items`, ascending; row i is `offsets[i]..offsets[i + 1]`.
    offsets: Vec<usize>,
    items: Vec<u32>,
}

impl Csr {
    /// Row `i`.
    pub fn row(&self, i: usize) -> &[u32] {
        &self.items[self.offsets[i]..self.offsets[i + 1]]
    }

    /// Number of rows.
    pub fn n_rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Number of items in all rows together.
    pub fn n_items(&self) -> usize {
        self.items.len()
    }

    /// Items of all rows, row after row.
    pub fn items(&self) -> &[u32] {
        &self.items
    }

    /// n_rows + 1 positions: row i is `items()[offsets()[i]..offsets()[i + 1]]`.
    pub fn offsets(&self) -> &[usize] {
        &self.offsets
    }

    /// Keeps the items for which `keep(row, item)` holds. O(items).
    pub(crate) fn retain(&mut self, keep: impl Fn(usize, u32) -> bool) {
        let (mut start, mut kept) = (0, 0);
        for row in 0..self.n_rows() {
            let end = self.offsets[row + 1];
            for at in start..end {
                let item = self.items[at];
                self.items[kept] = item;
                kept += usize::from(keep(row, item));
            }
            start = end;
            self.offsets[row + 1] = kept;
        }
        self.items.truncate(kept);
    }

    /// Row i of the result is row `rows[i]` of this.
    pub(crate) fn picked(&self, rows: &[u32]) -> Csr {
        let part = |_, rows: &[u32]| {
            let mut part = Rows::default();
            for &i in rows {
                part.items.extend_from_slice(self.row(i as usize));
                part.close_row();
            }
            part
        };
        let parts = parallel::map_parts(rows.chunks(1 << 12), part);
        Csr::concat(&parts.iter().collect::<Vec<_>>())
    }

    /// Joins rows that were made in pieces.
    pub(crate) fn concat(parts: &[&Rows]) -> Csr {
        let n_rows: usize = parts.iter().map(|part| part.ends.len()).sum();
        let mut offsets = Vec::with_capacity(n_rows + 1);
        offsets.push(0);
        let mut start = 0;
        for part in parts {
            offsets.extend(part.ends.iter().map(|&end| start + end));
            start += part.items.len();
        }
        let items: Vec<&[u32]> = parts.iter().map(|part| part.items.as_slice()).collect();
        Csr { offsets, items: concat(&items) }
    }
}

impl Default for Csr {
    fn default() -> Self {
        Csr { offsets: vec![0], items: Vec::new() }
    }
}

/// Rows under construction: push items, then close the row.
#[derive(Debug, Default)]
pub(crate) struct Rows {
    /// End of each closed row in `items`.
    ends: Vec<usize>,
    pub(crate) items: Vec<u32>,
}

impl Rows {
    pub(crate) fn close_row(&mut self) {
        self.ends.push(self.items.len());
    }
}

/// The slices one after the other, copied in parallel.
pub(crate) fn concat<T: Copy + Default + Send + Sync>(parts: &[&[T]]) -> Vec<T> {
    let mut joined = vec![T::default(); parts.iter().map(|part| part.len()).sum()];
    let mut rest = joined.as_mut_slice();
    let mut pieces = Vec::with_capacity(parts.len());
    for part in parts {
        let (piece, after) = rest.split_at_mut(part.len());
        pieces.push((piece, part));
        rest = after;
    }
    parallel::for_parts(pieces, |_, (piece, part)| piece.copy_from_slice(part));
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_keep_what_is_retained() {
        let mut rows = Rows::default();
        for row in [&[3, 1, 4][..], &[], &[1, 5]] {
            rows.items.extend_from_slice(row);
            rows.close_row();
        }
        let mut csr = Csr::concat(&[&rows]);
        csr.retain(|row, item| (row, item) != (0, 1) && item != 5);
        assert_eq!([0, 1, 2].map(|i| csr.row(i).to_vec()), [vec![3, 4], vec![], vec![1]]);
        assert_eq!((csr.n_rows(), csr.n_items()), (3, 3));
    }
}
