//! Bytes of each phase of a plan.
//!
//! Each array of `kernels_gpu` and of the pipeline is a term. A test compares the peak with what is allocated.

use kernels_gpu::lists::near::NOTED;
use kernels_gpu::near::TASK;
use kernels_gpu::operators::coefficients::groups;
use kernels_gpu::sort::Sortable;
use kernels_gpu::tree::boxes::{COUNTS, TILE};
use kernels_gpu::walk::moments::{multipole_vectors, raw_vectors};

use super::demand::Demand;
use super::expected;
use super::keeping::Keeping;
use crate::engine::PointCounts;
use crate::gpu::host_slices::packed_len;
use crate::gpu::pipeline::form::Expansions;

/// Bytes of a key, and of an index.
const KEY: f64 = 8.0;
const INDEX: f64 = 4.0;

/// Bytes of a box: points, parent, children by octant, which there are, level, key.
const BOX: f64 = 16.0 + 4.0 + 32.0 + 4.0 + 4.0 + 8.0;

/// Colleagues of a box, itself among them.
const COLLEAGUES: f64 = 27.0;

/// Bytes of picks and shares of the check, of looks at points, charges and results, and of arrays of fixed length. Checks of few
/// sources have a thousand picks of 136 bytes.
pub(super) const FIXED: f64 = 370_304.0 + 139_264.0;

/// Bytes of each phase.
pub(super) struct Phases {
    /// Points as they came.
    pub(super) waiting: f64,
    /// Points in tree order, and their permutation.
    pub(super) gathered: f64,
    pub(super) permutation: f64,
    pub(super) sort: f64,
    pub(super) boxes: f64,
    pub(super) lists: f64,
    pub(super) listing: f64,
    pub(super) expansions: f64,
    pub(super) sums: f64,
    /// Sums through expansions, where they have memory of their own, and shares of direct sums.
    pub(super) more: f64,
    /// Leaves of the receivers.
    pub(super) leaves: f64,
    /// Errors to expect.
    pub(super) expected: f64,
    pub(super) field: f64,
    pub(super) charges: f64,
    pub(super) tables: f64,
}

impl Demand {
    /// Bytes of each phase, by what is kept.
    pub(super) fn phases(&self, keeping: Keeping) -> Phases {
        let PointCounts { n_sources, n_receivers, one_set } = self.counts;
        let (sources, receivers) = (n_sources as f64, n_receivers as f64);
        let points = if one_set { sources } else { sources + receivers };
        let (number, boxes, leaves) =
            (self.float_bytes as f64, self.size.boxes, self.size.leaves().max(1.0));
        let vector = 4.0 * number;
        let sorter = u64::sorter_bytes(self.n_points(), u64::BITS) as f64;
        let apart = if one_set { 0.0 } else { points * (2.0 * INDEX + KEY) };
        let by_boxes = INDEX * points * (1.0 + COUNTS as f64 / TILE as f64) + INDEX * boxes;
        let permutation = INDEX * points;
        let (more, labels, expected) = match self.expansions {
            Expansions::OnLists(form) if form.order > 0 => {
                let more = if keeping < Keeping::Least { receivers * vector } else { 0.0 };
                (more, receivers * INDEX, boxes * expected::BYTES as f64)
            }
            _ => (0.0, 0.0, 0.0),
        };
        let more = more + self.shares as f64 * vector;
        let [lists, listing] = self.list_bytes();
        let [expansions, tables] = self.expansion_bytes();
        // Points on their way into the tree, three numbers each, are in the memory of the field; where that is given back, they
        // take less than the sort does later.
        let field = match keeping {
            Keeping::All => receivers.max(packed_len(self.n_points()) as f64) * vector,
            Keeping::Phase | Keeping::Least => receivers * vector,
        };
        Phases {
            waiting: points * vector,
            gathered: points * vector,
            permutation,
            sort: KEY * points + sorter + by_boxes + apart,
            boxes: BOX * boxes + INDEX * leaves,
            lists,
            listing,
            expansions,
            sums: receivers * vector,
            more,
            leaves: labels,
            expected,
            field,
            charges: sources * number,
            tables: tables + FIXED,
        }
    }

    /// Bytes of lists, and of what their making takes.
    fn list_bytes(&self) -> [f64; 2] {
        let receivers = self.counts.n_receivers as f64;
        let (boxes, leaves) = (self.size.boxes, self.size.leaves().max(1.0));
        let of_receivers = receivers / f64::from(TASK);
        let tasks = leaves + of_receivers;
        let rows = INDEX * (2.0 * leaves + boxes);
        match self.expansions {
            Expansions::OnLists(_) if boxes <= 1.0 => [0.0; 2],
            Expansions::OnLists(_) => [
                rows + INDEX * (COLLEAGUES * boxes + self.items + tasks + of_receivers),
                rows + INDEX * NOTED as f64 * leaves + 3.0 * INDEX * tasks,
            ],
            Expansions::OfCells(_) => [4.0 * INDEX * receivers, 0.0],
        }
    }

    /// Bytes of expansions, and of the tables of their operators.
    fn expansion_bytes(&self) -> [f64; 2] {
        let (number, boxes) = (self.float_bytes as f64, self.size.boxes);
        let vector = 4.0 * number;
        match self.expansions {
            Expansions::OnLists(form) if form.order > 0 => {
                let [of_family, of_box] = form.scratch_numbers().map(|n| n as f64 * number);
                let of_box = 2.0 * groups(form.order) as f64 * vector + of_box;
                [boxes * of_box + self.upper * of_family, form.table_numbers() as f64 * number]
            }
            Expansions::OnLists(_) => [0.0; 2],
            Expansions::OfCells(order) => {
                let cell = raw_vectors(order) + multipole_vectors(order) + 1;
                [boxes * (cell as f64 * vector + number), 0.0]
            }
        }
    }
}
