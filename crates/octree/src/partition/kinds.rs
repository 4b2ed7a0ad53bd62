//! Kinds of boxes (Hu, Gumerov and Duraiswami sec. 3.2, Alg. 6).
//!
//! The paper names the boxes of one level of leaves and only the list V. Its Alg. 6 decides for node J:
//!
//! | paper | here |
//! |---|---|
//! | DOMESTIC: on J; also every box above l_crit | [`BoxKind::Domestic`]: own, not needed elsewhere |
//! | EXPORT: on J, and in the M2L stencil of a box that is not | [`BoxKind::Export`]: own, needed elsewhere |
//! | IMPORT: not on J, and in the M2L stencil of a box on J | [`BoxKind::Import`]: remote, needed here |
//! | ROOT: of level l_crit, on J and on others | [`BoxKind::Root`]: shared, at l_crit or above |
//! | OTHERS: the rest | [`BoxKind::Other`] |
//!
//! As printed, Alg. 6 is wrong. Lines 28 to 33 give every box a kind once more, after IMPORT and OTHERS were set, so
//! that a box of l_crit that is not on J ends as ROOT, and a deeper one as DOMESTIC. A kind that is set has to stay, and
//! IMPORT, which another thread can set, has to win over OTHERS. Lines 16, 20 and 24 say l_crit where children and
//! ancestors at l_par are meant. The manager's test l < l_crit in sec. 3.2 has to read l > l_crit.
//!
//! Here a kind follows from the [exchange](super::Exchange) itself, so that it holds for adaptive trees and for all of
//! U, V, W and X: a box is needed where its multipoles or its points cross. Points that cross under the name of a
//! truncated box make that box an export. On the paper's uniform partition the shared boxes are at levels ≤ l_par − 1.

use super::essential::{EssentialTree, Holder};
use super::exchange::{Cargo, Exchange};

/// Part that a box plays for one rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoxKind {
    /// Own, and not needed elsewhere.
    Domestic,
    /// Own; its multipoles or its points go to another rank.
    Export,
    /// Owned by another rank; its multipoles or its points come here.
    Import,
    /// Shared: its multipoles are sums over ranks.
    Root,
    /// Owned by another rank and not needed here, as are all boxes outside the essential tree.
    Other,
}

impl EssentialTree<'_> {
    /// The kind of each box. O(boxes).
    pub fn kinds(&self, exchange: &Exchange) -> Vec<BoxKind> {
        let kind = |holder: &Holder| match holder {
            Holder::Own => BoxKind::Domestic,
            Holder::Shared => BoxKind::Root,
            Holder::Remote(_) => BoxKind::Other,
        };
        let mut kinds: Vec<BoxKind> = self.holders.iter().map(kind).collect();
        let mut mark = |cargos: &[Cargo], from: BoxKind, to: BoxKind| {
            for cargo in cargos {
                let points = cargo.points.iter().map(|block| block.node);
                for b in cargo.multipoles.iter().copied().chain(points) {
                    // A shared box, of which each owner sends its points, stays what it is.
                    if kinds[b as usize] == from {
                        kinds[b as usize] = to;
                    }
                }
            }
        };
        mark(&exchange.exports, BoxKind::Domestic, BoxKind::Export);
        mark(&exchange.imports, BoxKind::Other, BoxKind::Import);
        kinds
    }
}
