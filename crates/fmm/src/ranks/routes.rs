//! Routes: ways of charges, multipoles and results between ranks.

use distributed::{Redistribution, Route, Rows};
use expansions::layout::{n_coefficients, row_length};

use super::group::Group;
use super::trees::{Trees, Ways};
use crate::api::Error;
use crate::cpu::{Coming, Peers};
use crate::engine::{COARSEST_FAR_LEVEL, Scalar};

/// Ways between the ranks, made once for a tree.
#[derive(Clone, Debug)]
pub(super) struct Routes {
    /// Sources, from the ranks that brought them to their owners.
    pub(super) sources: Redistribution,
    /// Receivers; `None`: the receivers are the sources.
    receivers: Option<Redistribution>,
    /// Own sources, in tree order, to the ranks whose ghosts they are.
    pub(super) ghosts: Route,
    /// Multipoles, by box.
    multipoles: Route,
    /// Boxes whose multipoles arrive, in the order of arrival.
    imports: Vec<u32>,
    /// Boxes that several ranks share, in an order that all ranks have; `None` for one that is not here.
    shared: Vec<Option<u32>>,
}

impl Routes {
    pub(super) fn new(group: &Group, ways: Ways, trees: &Trees<'_>) -> Result<Self, Error> {
        let Ways { sources, receivers } = ways;
        let Trees { exchange, essential, .. } = trees;
        let n_boxes = essential.tree().n_boxes();
        let n_own = sources.owned();
        let mut sent = vec![Vec::new(); group.size()];
        let mut boxes = vec![Vec::new(); group.size()];
        for cargo in &exchange.exports {
            let places = cargo.points.iter().flat_map(|block| block.sources.clone());
            sent[cargo.rank] = places.map(|place| place as u32).collect();
            boxes[cargo.rank].clone_from(&cargo.multipoles);
        }
        let mut n_ghosts = vec![0; group.size()];
        let mut n_boxes_received = vec![0; group.size()];
        let mut imports = Vec::new();
        for cargo in &exchange.imports {
            n_ghosts[cargo.rank] = cargo.n_points();
            n_boxes_received[cargo.rank] = cargo.multipoles.len();
            imports.extend(&cargo.multipoles);
        }
        let ghosts = Route::new(n_own, sent, n_ghosts)?;
        let multipoles = Route::new(n_boxes, boxes, n_boxes_received)?;
        Ok(Self { sources, receivers, ghosts, multipoles, imports, shared: shared_rows(trees) })
    }

    /// The way of receivers and of results.
    pub(super) fn receivers(&self) -> &Redistribution {
        self.receivers.as_ref().unwrap_or(&self.sources)
    }
}

/// The shared boxes that have far pairs, as numbers of the essential tree.
fn shared_rows(Trees { shared, essential, .. }: &Trees<'_>) -> Vec<Option<u32>> {
    let far = shared.keys().iter().filter(|key| usize::from(key.level()) >= COARSEST_FAR_LEVEL);
    far.map(|key| essential.tree().find(*key).map(|b| b as u32)).collect()
}

/// The other ranks, for the passes.
pub(super) struct Others<'a> {
    pub(super) group: &'a Group,
    pub(super) routes: &'a Routes,
}

/// Multipoles on their way.
struct Arriving<'a, T> {
    others: &'a Others<'a>,
    transfer: distributed::Transfer<'a, T>,
}

impl<T: Scalar> Peers<T> for Others<'_> {
    fn start<'a>(
        &'a self,
        multipoles: &[T],
        order: usize,
    ) -> Result<Box<dyn Coming<T> + 'a>, Error> {
        let Self { group, routes } = self;
        let communicator = group.communicator();
        let rows = Rows::spaced(multipoles, n_coefficients(order), row_length(order));
        let transfer = group.transport.start(communicator, &routes.multipoles, rows)?;
        Ok(Box::new(Arriving { others: self, transfer }))
    }
}

impl<T: Scalar> Coming<T> for Arriving<'_, T> {
    fn finish(self: Box<Self>, multipoles: &mut [T], order: usize) -> Result<(), Error> {
        let Self { others: Others { group, routes }, transfer } = *self;
        let arrived = transfer.finish()?;
        // What fills a row up is zero everywhere.
        let (width, stride) = (n_coefficients(order), row_length(order));
        for (row, b) in arrived.chunks_exact(width).zip(&routes.imports) {
            multipoles[*b as usize * stride..][..width].copy_from_slice(row);
        }
        // Shared boxes have the sum of what the ranks have in them.
        let mut sums = vec![0.0; routes.shared.len() * width];
        let rows =
            || routes.shared.iter().enumerate().filter_map(|(i, b)| Some((i, (*b)? as usize)));
        for (i, b) in rows() {
            let row = &multipoles[b * stride..][..width];
            for (sum, x) in sums[i * width..].iter_mut().zip(row) {
                *sum = x.widen();
            }
        }
        distributed::reduce(group.communicator(), distributed::Reduction::Sum, &mut sums)?;
        for (i, b) in rows() {
            let row = &mut multipoles[b * stride..][..width];
            for (x, sum) in row.iter_mut().zip(&sums[i * width..]) {
                *x = T::narrow(*sum);
            }
        }
        Ok(())
    }
}
