//! Routes: ways of ghosts and multipoles between ranks.

use distributed::{Route, Rows};
use expansions::layout::{n_coefficients, row_length};

use super::sums::SumRoute;
use super::trees::Trees;
use crate::api::Error;
use crate::cpu::{Coming, Peers};
use crate::engine::Scalar;
use crate::ranks::Group;

/// Ways between the ranks, made once for a tree.
#[derive(Clone, Debug)]
pub(in crate::ranks) struct Routes {
    /// Own sources, in tree order, to the ranks whose ghosts they are.
    pub(in crate::ranks) ghosts: Route,
    /// Multipoles, by box: to the ranks whose lists name it, parts of shared boxes to those that add them up.
    multipoles: Route,
    /// Boxes whose multipoles arrive, in the order of arrival.
    arriving: Vec<u32>,
    sums: SumRoute,
}

impl Routes {
    /// The ways of a tree. Collective.
    pub(in crate::ranks) fn new(group: &Group, trees: &Trees<'_>) -> Result<Self, Error> {
        let Trees { exchange, essential, .. } = trees;
        let n_boxes = essential.tree().n_boxes();
        let n_own = trees.part.n_sources();
        let mut sent = vec![Vec::new(); group.size()];
        let (mut boxes, mut coming) =
            (vec![Vec::new(); group.size()], vec![Vec::new(); group.size()]);
        for cargo in &exchange.exports {
            let places = cargo.points.iter().flat_map(|block| block.sources.clone());
            sent[cargo.rank] = places.map(|place| place as u32).collect();
            boxes[cargo.rank].clone_from(&cargo.multipoles);
        }
        let mut n_ghosts = vec![0; group.size()];
        for cargo in &exchange.imports {
            n_ghosts[cargo.rank] = cargo.n_points();
            coming[cargo.rank].clone_from(&cargo.multipoles);
        }
        let with_parts = |boxes: &mut [Vec<u32>], parts: &[Vec<u32>]| {
            boxes.iter_mut().zip(parts).for_each(|(boxes, parts)| boxes.extend(parts));
        };
        with_parts(&mut boxes, &exchange.sums.parts);
        with_parts(&mut coming, &exchange.sums.coming);
        let ghosts = Route::new(n_own, sent, n_ghosts)?;
        let multipoles = Route::new(n_boxes, boxes, coming.iter().map(Vec::len).collect())?;
        let (arriving, sums) = (coming.concat(), SumRoute::new(group, trees)?);
        Ok(Self { ghosts, multipoles, arriving, sums })
    }
}

/// The other ranks, for the passes.
pub(in crate::ranks) struct RoutedPeers<'a> {
    pub(in crate::ranks) group: &'a Group,
    pub(in crate::ranks) routes: &'a Routes,
}

/// Multipoles on their way.
struct Arriving<'a, T> {
    others: &'a RoutedPeers<'a>,
    transfer: distributed::Transfer<'a, T>,
}

impl<T: Scalar> Peers<T> for RoutedPeers<'_> {
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
        let Self { others: RoutedPeers { group, routes }, transfer } = *self;
        let arrived = transfer.finish()?;
        routes.sums.add_up(group, (&routes.arriving, &arrived), multipoles, order)
    }
}
