//! From charges to the cells that the walks of this rank may reach.

use std::ops::Range;

use distributed::Reduction;
use expansions::layout::n_coefficients;
use expansions::operators::{CellMaker, Cells};

use super::Walkers;
use super::exports::{Export, Exporter};
use super::hulls::Reaches;
use super::merge::{Coming, Numbering, TopCells, acts, merge, n_coming};
use crate::api::{Error, Seconds, Stage};
use crate::cpu::{
    CELL_BYTES, CellData, CellShape, Moments, Need, OwnWalks, SeenPoints, WalkPeers, moments,
    multipole_of,
};
use crate::engine::Scalar;

impl<T: Scalar> WalkPeers<T> for Walkers<'_> {
    fn make_cells(
        &self,
        own: &OwnWalks<'_, T>,
        cells: &mut CellData<T>,
        seen: &mut SeenPoints<T>,
        seconds: &mut Seconds,
    ) -> Result<(), Error> {
        let here = seconds.time(Stage::P2m, || moments(own.geometry, own.charges));
        let top_moments = seconds.time(Stage::Exchange, || self.top_moments(&here))?;
        let top_shapes = seconds.time(Stage::P2m, || self.shapes(own, &here, &top_moments, cells));
        let top = TopCells { tree: &self.part.top, moments: &top_moments, shapes: &top_shapes };
        let trade = seconds.time(Stage::Exchange, || self.trade_cells(own, &top, cells))?;
        if own.tables.harmonics.order() > 1 {
            let rows = seconds.time(Stage::P2m, || {
                let OwnWalks { geometry, tables, walk, charges, .. } = own;
                cells.expand(walk, geometry, charges, tables, trade.numbering.n);
                self.shared_multipoles(own, &top)
            });
            seconds.time(Stage::Exchange, || {
                let CellData { shapes, multipoles, short, .. } = &mut *cells;
                match own.walk.f32_cells {
                    true => self.trade_blocks(own, (&top, rows), (&trade, shapes), short),
                    false => self.trade_blocks(own, (&top, rows), (&trade, shapes), multipoles),
                }
            })?;
        }
        seconds.time(Stage::Exchange, || self.trade_sources(own, &trade, seen))?;
        // A rank without receivers has no walks.
        if self.part.hulls.has_receivers(self.group.rank()) {
            seconds.time(Stage::Other, || merge(&trade.numbering, &top, &trade.coming, cells));
        }
        seen.cut_groups = trade.reaches.cut_groups;
        Ok(())
    }
}

/// Cells on their way between the ranks.
struct Trade {
    reaches: Reaches,
    /// Cells and sources for each rank, by rank.
    exports: Vec<Export>,
    coming: Coming,
    numbering: Numbering,
}

impl Walkers<'_> {
    /// Moments at the top of the tree, from those of this rank's boxes. Collective.
    fn top_moments(&self, here: &[Moments]) -> Result<Vec<Moments>, Error> {
        let (group, top) = (self.group, &self.part.top);
        let own = top.owned_by(group.rank()).filter_map(|at| top.boxes()[at].in_part);
        let own: Vec<[f64; 5]> = own.map(|b| here[b].to_array()).collect();
        let mut moments = vec![Moments::default(); top.boxes().len()];
        for (rank, rows) in group.gather_by_rank(&own)?.into_iter().enumerate() {
            if rows.len() != top.owned_by(rank).count() {
                return Err(distributed::Error::Unreadable { rank }.into());
            }
            for (at, row) in top.owned_by(rank).zip(rows) {
                moments[at] = Moments::from_array(row);
            }
        }
        // In the order in which one process adds them.
        for (at, shared) in top.boxes().iter().enumerate().rev() {
            if shared.owner.is_none() {
                moments[at] = Moments::of_children(&moments[shared.children.clone()]);
            }
        }
        Ok(moments)
    }

    /// Makes the shapes of this rank's cells and returns those at the top; only those of shared boxes are read.
    fn shapes<T: Scalar>(
        &self,
        own: &OwnWalks<'_, T>,
        here: &[Moments],
        top_moments: &[Moments],
        cells: &mut CellData<T>,
    ) -> Vec<CellShape> {
        let OwnWalks { geometry, walk, least, .. } = *own;
        cells.take_moments(geometry, here, walk, least);
        let of_top = self.part.top.boxes().iter().zip(top_moments);
        let shape = |(shared, moments): (&octree::partition::TopBox, &Moments)| {
            let sources = 0..shared.n_sources as usize;
            let cell = moments.cell(geometry.frame_of(shared.key), 0..0, sources);
            if let (None, Some(b)) = (shared.owner, shared.in_part) {
                // The part of a shared box that is here is no cell.
                cells.shapes[b] = cells.shapes[b].opened();
            }
            CellShape::new(walk, &cell, least)
        };
        of_top.map(shape).collect()
    }

    /// Finds and sends the cells that the walks of others may reach, without multipoles. Collective.
    fn trade_cells<T: Scalar>(
        &self,
        own: &OwnWalks<'_, T>,
        top: &TopCells<'_>,
        cells: &CellData<T>,
    ) -> Result<Trade, Error> {
        let (group, part) = (self.group, self.part);
        let reaches = part.hulls.reaches(group, own)?;
        let exporter = Exporter {
            part,
            rank: group.rank(),
            shapes: &cells.shapes,
            charges: &cells.charges,
            top: top.shapes,
            clumps: &own.geometry.clumps,
        };
        let of_rank = |rank: usize| exporter.export(rank, &reaches.all[rank]);
        let exports = parallel::map(reaches.all.len(), of_rank);
        let words: Vec<Vec<[u64; 8]>> = exports.iter().map(|export| export.words.clone()).collect();
        let coming: Coming = distributed::exchange(group.communicator(), &words)?;
        let (n_part, n_sources) = (cells.shapes.len(), own.charges.len());
        let numbering = Numbering::new((group.rank(), n_part, n_sources), &part.top, &coming)?;
        self.check_memory(own, &numbering, &coming)?;
        Ok(Trade { reaches, exports, coming, numbering })
    }

    /// Refuses cells and sources of others that take more of this rank's memory than there is. Collective.
    fn check_memory<T: Scalar>(
        &self,
        own: &OwnWalks<'_, T>,
        numbering: &Numbering,
        coming: &Coming,
    ) -> Result<(), Error> {
        let order = own.tables.harmonics.order();
        let block = match (order, own.walk.f32_cells) {
            (1, _) => 0,
            (_, true) => Cells::<f32>::block_length(order) * size_of::<f32>(),
            (_, false) => Cells::<T>::block_length(order) * size_of::<T>(),
        };
        let n_coming: usize = coming.iter().map(|cells| n_coming(cells)).sum();
        let of_cells = (numbering.n - numbering.n_part) * (CELL_BYTES + block);
        let of_sources = 4 * (own.charges.len() + n_coming) * size_of::<T>();
        let needed = self.need.needed.saturating_add(of_cells + of_sources);
        self.sharers.check(self.group, self.request, Need { needed, ..self.need })
    }

    /// Parts that this rank has in the multipoles of shared boxes that act as wholes, about their centres.
    fn shared_multipoles<T: Scalar>(&self, own: &OwnWalks<'_, T>, top: &TopCells<'_>) -> Vec<f64> {
        let OwnWalks { geometry, tables, charges, .. } = own;
        let n = n_coefficients(tables.harmonics.order());
        let mut rows = Vec::new();
        for (at, _) in shared_that_act(top) {
            let shared = &top.tree.boxes()[at];
            let row = rows.len()..rows.len() + n;
            rows.resize(row.end, 0.0);
            if let Some(b) = shared.in_part {
                let (center, side) = (top.shapes[at].center, geometry.frame_of(shared.key).1);
                let sources = geometry.tree.sources(b);
                let part = multipole_of(geometry, center, side, sources, charges, tables);
                rows[row].iter_mut().zip(part).for_each(|(sum, x)| *sum = x.widen());
            }
        }
        rows
    }

    /// Sends the multipoles of cells and adds up those of shared boxes; `shapes` are those of this rank's part. Collective.
    fn trade_blocks<T: Scalar, F: Scalar>(
        &self,
        own: &OwnWalks<'_, T>,
        (top, mut rows): (&TopCells<'_>, Vec<f64>),
        (trade, shapes): (&Trade, &[CellShape]),
        cells: &mut Cells<F>,
    ) -> Result<(), Error> {
        let Trade { exports, coming, numbering, .. } = trade;
        let communicator = self.group.communicator();
        let order = own.tables.harmonics.order();
        let length = Cells::<F>::block_length(order);
        let (form, blocks) = cells.parts_mut();
        let place = |number: usize| number * length..(number + 1) * length;
        let of_export = |export: &Export| -> Vec<F> {
            let acting = export.boxes.iter().filter(|b| shapes[**b as usize].acts());
            acting.flat_map(|b| &blocks[place(*b as usize)]).copied().collect()
        };
        let outgoing: Vec<Vec<F>> = exports.iter().map(of_export).collect();
        let arrived = distributed::exchange(communicator, &outgoing)?;
        for (rank, (cells, arrived)) in coming.iter().zip(&arrived).enumerate() {
            let mut arrived = arrived.chunks_exact(length);
            for (i, _) in cells.iter().enumerate().filter(|(_, words)| acts(words)) {
                let block = arrived.next().ok_or(distributed::Error::Unreadable { rank })?;
                blocks[place(numbering.of_coming(rank, i))].copy_from_slice(block);
            }
        }
        distributed::reduce(communicator, Reduction::Sum, &mut rows)?;
        let mut maker = CellMaker::new(own.tables.harmonics, own.tables.gradient);
        for ((at, key), row) in shared_that_act(top).zip(rows.chunks_exact(n_coefficients(order))) {
            let multipole: Vec<T> = row.iter().map(|x| T::narrow(*x)).collect();
            let (side, place) = (own.geometry.frame_of(key).1, place(numbering.of_top(at)));
            maker.from_multipole(side, &multipole, form, &mut blocks[place]);
        }
        for at in numbering.own_top() {
            if let Some(b) = top.tree.boxes()[*at].in_part {
                blocks.copy_within(place(b), place(numbering.of_top(*at)).start);
            }
        }
        if !top.tree.boxes().is_empty() {
            blocks.copy_within(place(numbering.of_top(0)), 0);
        }
        Ok(())
    }

    /// Sends the sources that the walks of others may open, and puts those that come beside the own ones, in the order of
    /// the whole tree. Collective.
    fn trade_sources<T: Scalar>(
        &self,
        own: &OwnWalks<'_, T>,
        trade: &Trade,
        seen: &mut SeenPoints<T>,
    ) -> Result<(), Error> {
        let Trade { exports, coming, .. } = trade;
        let (group, geometry) = (self.group, own.geometry);
        let [x, y, z] = geometry.sources().slices(0..geometry.sources().len());
        let row = |at: usize| [x[at], y[at], z[at], own.charges[at]];
        let of_export = |export: &Export| -> Vec<[T; 4]> {
            export.sources.runs.iter().cloned().flatten().map(row).collect()
        };
        let outgoing: Vec<Vec<[T; 4]>> = exports.iter().map(of_export).collect();
        let arrived = distributed::exchange(group.communicator(), &outgoing)?;
        let SeenPoints { coordinates, charges, clumps, .. } = seen;
        let n: usize = arrived.iter().map(Vec::len).sum::<usize>() + own.charges.len();
        let [sx, sy, sz] = coordinates;
        for (to, axis) in [(&mut *sx, 0), (sy, 1), (sz, 2), (charges, 3)] {
            to.clear();
            to.reserve_exact(n);
            for (rank, rows) in arrived.iter().enumerate() {
                match rank == group.rank() {
                    true => to.extend_from_slice([x, y, z, own.charges][axis]),
                    false => to.extend(rows.iter().map(|row| row[axis])),
                }
            }
        }
        if let Some(rank) =
            (0..group.size()).find(|rank| arrived[*rank].len() != n_coming(&coming[*rank]))
        {
            return Err(distributed::Error::Unreadable { rank }.into());
        }
        *clumps = match self.part.clumps.is_empty() {
            true => geometry.clumps.clone(),
            false => geometry.clumps.with_sources(self.trade_clumps(own, trade)?),
        };
        Ok(())
    }

    /// The sources of each clump among all that this rank sees. Collective.
    fn trade_clumps<T: Scalar>(
        &self,
        own: &OwnWalks<'_, T>,
        trade: &Trade,
    ) -> Result<Vec<Vec<Range<usize>>>, Error> {
        let (group, clumps) = (self.group, &own.geometry.clumps.all);
        let rows = |(rank, export): (usize, &Export)| -> Vec<[u64; 3]> {
            let of_clump = |clump: &usize| {
                let clump = *clump;
                let runs = clumps[clump].sources.iter().map(|run| export.sources.places(run));
                runs.map(move |run| [clump, run.start, run.end].map(|x| x as u64))
            };
            self.part.clumps_of[rank].iter().flat_map(of_clump).collect()
        };
        let outgoing: Vec<Vec<[u64; 3]>> = trade.exports.iter().enumerate().map(rows).collect();
        let arrived = distributed::exchange(group.communicator(), &outgoing)?;
        let mut sources = vec![Vec::new(); clumps.len()];
        for (rank, rows) in arrived.iter().enumerate() {
            let before = trade.numbering.sources[rank];
            if rank == group.rank() {
                for (runs, clump) in sources.iter_mut().zip(clumps) {
                    runs.extend(
                        clump.sources.iter().map(|run| run.start + before..run.end + before),
                    );
                }
                continue;
            }
            for [clump, start, end] in rows.iter().map(|row| row.map(|x| x as usize)) {
                let runs = sources.get_mut(clump).ok_or(distributed::Error::Unreadable { rank })?;
                if start < end {
                    runs.push(before + start..before + end);
                }
            }
        }
        Ok(sources)
    }
}

/// Shared boxes that act as wholes, by their numbers at the top, with their keys.
fn shared_that_act<'a>(top: &'a TopCells<'_>) -> impl Iterator<Item = (usize, octree::Key)> + 'a {
    let boxes = top.tree.boxes().iter().enumerate().zip(top.shapes);
    let shared = boxes.filter(|((_, shared), shape)| shared.owner.is_none() && shape.acts());
    shared.map(|((at, shared), _)| (at, shared.key))
}
