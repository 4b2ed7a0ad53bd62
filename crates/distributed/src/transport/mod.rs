//! Transports: ways in which rows of boxes reach the ranks that need them. All give the same result.
//!
//! | file | what |
//! |---|---|
//! | `manager` | all rows through rank 0, as in Hu, Gumerov and Duraiswami, section 3.3 |
//! | `direct` | from the owner to the ranks that need a row, along all ranks or along known peers |
//! | `model` | traffic of a transport, from the routes alone |

mod direct;
mod manager;
mod model;

use bytemuck::Pod;

use crate::pack::append;
use crate::{Communicator, Error, Pending, RankList, Route, RowValues};

/// Way in which rows travel.
///
/// | transport | messages of a rank | bytes | receivers know their sources |
/// |---|---|---|---|
/// | manager | 2; rank 0: 2 (P − 1) | all rows pass rank 0 | no |
/// | many-to-many | a note to each rank, rows where there are some | rows to each peer once | no |
/// | neighbours | peers | rows to each peer once | yes |
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Transport {
    /// All rows go through rank 0, which copies them for each rank: the data exchange manager of the paper.
    Manager,
    /// Owners send rows to the ranks that need them; every rank waits for a note of every other.
    ManyToMany,
    /// Owners send rows to the ranks that need them, and only these wait. Costs do not grow with P, so that this one is the
    /// choice for many ranks.
    Neighbours,
}

/// Values of rows, one row after the other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rows<'a, T> {
    values: &'a [T],
    /// Values of a row that travel.
    width: usize,
    /// Values from the start of one row to that of the next.
    stride: usize,
}

impl<'a, T> Rows<'a, T> {
    /// Rows of `width` values.
    pub fn new(values: &'a [T], width: usize) -> Self {
        Self::spaced(values, width, width)
    }

    /// Rows of which the first `width` of `stride` values travel: what fills a row up for the sake of its alignment stays.
    pub fn spaced(values: &'a [T], width: usize, stride: usize) -> Self {
        Self { values, width, stride }
    }
}

impl<T: Pod> Rows<'_, T> {
    /// The rows of a list, one after the other.
    fn gather(&self, list: &[u32]) -> Vec<T> {
        let mut gathered = Vec::with_capacity(list.len() * self.width);
        for &row in list {
            gathered.extend_from_slice(&self.values[row as usize * self.stride..][..self.width]);
        }
        gathered
    }
}

/// Rows on their way. Compute in between, then [`finish`](Transfer::finish).
#[derive(Debug)]
pub struct Transfer<'a, T> {
    communicator: &'a dyn Communicator,
    route: &'a Route,
    /// Values of a row.
    width: usize,
    /// Rows of this rank for itself.
    own: Vec<T>,
    way: Way,
}

/// Messages under way.
#[derive(Debug)]
enum Way {
    /// Messages from each of the ranks that the list names.
    Direct(Box<dyn Pending>, Vec<usize>),
    /// On rank 0, the packets of all other ranks, and its own; on others the reply of rank 0.
    Manager(Box<dyn Pending>, Option<manager::Packet>),
}

impl Transport {
    /// Sends rows along a route, of which there are `route.rows()`.
    ///
    /// # Errors
    /// [`Error::WrongSize`], [`Error::WrongLength`]: a route over other ranks, or values of another number than its rows;
    /// errors of the communication.
    pub fn start<'a, T: Pod>(
        self,
        communicator: &'a dyn Communicator,
        route: &'a Route,
        rows: Rows<'_, T>,
    ) -> Result<Transfer<'a, T>, Error> {
        let (found, size) = (route.sends().len(), communicator.size());
        if found != size {
            return Err(Error::WrongSize { what: RankList::Route, found, size });
        }
        let width = rows.width;
        let (found, expected) = (rows.values.len(), route.rows() * rows.stride);
        if found != expected || width > rows.stride {
            return Err(Error::WrongLength { what: RowValues::Rows, expected, found });
        }
        let rank = communicator.rank();
        let own = rows.gather(&route.sends()[rank]);
        let (found, expected) = (own.len(), route.receives()[rank] * width);
        if found != expected {
            return Err(Error::WrongLength { what: RowValues::RowsForItself, expected, found });
        }
        let way = match self {
            Transport::Manager => manager::start(communicator, route, rows)?,
            Transport::ManyToMany => direct::many_to_many(communicator, route, rows)?,
            Transport::Neighbours => direct::neighbours(communicator, route, rows)?,
        };
        Ok(Transfer { communicator, route, width, own, way })
    }

    /// Sends rows along a route and returns what comes, ordered by rank and then as the sender lists them.
    ///
    /// ```
    /// use distributed::{Error, Route, Rows, Transport, threads};
    ///
    /// // Rank 0 has two rows of three values; rank 1 needs the second.
    /// let received = threads::run(2, |communicator| {
    ///     let (rows, sends) = match communicator.rank() {
    ///         0 => (vec![1.0, 1.0, 1.0, 2.0, 2.0, 2.0], vec![vec![], vec![1]]),
    ///         _ => (vec![], vec![vec![], vec![]]),
    ///     };
    ///     let route = Route::announce(&*communicator, rows.len() / 3, sends)?;
    ///     Transport::Neighbours.exchange(&*communicator, &route, Rows::new(&rows, 3))
    /// })?;
    /// assert_eq!(received, [Ok(vec![]), Ok(vec![2.0; 3])]);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    /// Errors of [`start`](Self::start) and of [`Transfer::finish`].
    pub fn exchange<T: Pod>(
        self,
        communicator: &dyn Communicator,
        route: &Route,
        rows: Rows<'_, T>,
    ) -> Result<Vec<T>, Error> {
        self.start(communicator, route, rows)?.finish()
    }
}

impl<T: Pod> Transfer<'_, T> {
    /// Waits for the rows, ordered by rank and then as the sender lists them.
    ///
    /// With [`Transport::Manager`], rank 0 distributes here, so that other ranks wait until it comes.
    ///
    /// # Errors
    /// [`Error::Message`], [`Error::Unreadable`]: rows of another number or width on a rank; errors of the communication.
    pub fn finish(self) -> Result<Vec<T>, Error> {
        let (communicator, route) = (self.communicator, self.route);
        let received = match self.way {
            Way::Direct(pending, sources) => {
                sources.into_iter().zip(pending.finish()?).collect::<Vec<_>>()
            }
            Way::Manager(pending, packet) => {
                manager::finish(communicator, route, self.width * size_of::<T>(), pending, packet)?
            }
        };
        let total = route.receives().iter().sum::<usize>() * self.width;
        let mut rows = Vec::with_capacity(total);
        let mut received = received.into_iter().peekable();
        for (rank, &count) in route.receives().iter().enumerate() {
            let bytes = received.next_if(|(from, _)| *from == rank).map(|(_, bytes)| bytes);
            if rank == communicator.rank() {
                rows.extend_from_slice(&self.own);
            } else {
                append(&mut rows, rank, &bytes.unwrap_or_default(), count * self.width)?;
            }
        }
        Ok(rows)
    }
}
