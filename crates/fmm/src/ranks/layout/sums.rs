//! Sums of shared boxes: one rank adds up the parts of a box, and sends the sum to the ranks whose lists name it.

use distributed::{Route, Rows};
use expansions::layout::{n_coefficients, row_length};
use octree::Key;

use super::trees::Trees;
use crate::api::Error;
use crate::engine::Scalar;
use crate::ranks::Group;

/// Ways of the sums, made once for a tree. Parts travel with the multipoles of other boxes.
#[derive(Clone, Debug)]
pub(in crate::ranks) struct SumRoute {
    /// Boxes of which this rank adds up the parts, ascending.
    added: Vec<u32>,
    /// Sums, by box, to the ranks that need them.
    route: Route,
    /// Boxes whose sums arrive, in the order of arrival.
    arriving: Vec<u32>,
}

impl SumRoute {
    /// Tells those who add up what this rank needs. Collective.
    pub(in crate::ranks) fn new(group: &Group, trees: &Trees<'_>) -> Result<Self, Error> {
        let (tree, sums) = (trees.essential.tree(), &trees.exchange.sums);
        let key = |b: &u32| tree.key(*b as usize).raw();
        let needed: Vec<Vec<u64>> =
            sums.needed.iter().map(|boxes| boxes.iter().map(key).collect()).collect();
        let asked = distributed::exchange(group.communicator(), &needed)?;
        let here = |raw: &u64| tree.find(Key::from_raw(*raw)?).map(|b| b as u32);
        let boxes = |(rank, keys): (usize, &Vec<u64>)| {
            let boxes: Option<Vec<u32>> = keys.iter().map(here).collect();
            boxes.ok_or(distributed::Error::Unreadable { rank })
        };
        let sends = asked.iter().enumerate().map(boxes).collect::<Result<_, _>>()?;
        let receives = sums.needed.iter().map(Vec::len).collect();
        let route = Route::new(tree.n_boxes(), sends, receives)?;
        Ok(Self { added: sums.added.clone(), route, arriving: sums.needed.concat() })
    }

    /// Adds parts that came for boxes, each with its row, to those of this rank, and puts other rows where they belong.
    /// The sums then go to the ranks that need them. Multipoles are of `order`. Collective.
    pub(in crate::ranks) fn add_up<T: Scalar>(
        &self,
        group: &Group,
        (boxes, arrived): (&[u32], &[T]),
        multipoles: &mut [T],
        order: usize,
    ) -> Result<(), Error> {
        // What fills a row up is zero everywhere.
        let (width, stride) = (n_coefficients(order), row_length(order));
        let place = |b: u32| b as usize * stride..b as usize * stride + width;
        let mut sums: Vec<f64> = Vec::with_capacity(self.added.len() * width);
        for b in &self.added {
            sums.extend(multipoles[place(*b)].iter().map(|x| x.widen()));
        }
        for (row, b) in arrived.chunks_exact(width).zip(boxes) {
            let Ok(i) = self.added.binary_search(b) else {
                multipoles[place(*b)].copy_from_slice(row);
                continue;
            };
            for (sum, x) in sums[i * width..].iter_mut().zip(row) {
                *sum += x.widen();
            }
        }
        for (sum, b) in sums.chunks_exact(width).zip(&self.added) {
            for (x, sum) in multipoles[place(*b)].iter_mut().zip(sum) {
                *x = T::narrow(*sum);
            }
        }
        let rows = Rows::spaced(multipoles, width, stride);
        let arrived = group.transport.exchange(group.communicator(), &self.route, rows)?;
        for (row, b) in arrived.chunks_exact(width).zip(&self.arriving) {
            multipoles[place(*b)].copy_from_slice(row);
        }
        Ok(())
    }
}
