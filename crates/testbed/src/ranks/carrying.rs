//! Multipoles and ghosts along the three transports: seconds of each rank, and what crosses the wire.

use distributed::{Communicator, Rows, Traffic, Transport, Volume};
use expansions::layout::n_coefficients;

use super::Outcome;
use super::anatomy::{Anatomy, Problem};
use super::turns::{self, Turns};
use crate::fit::least;

/// The transports, the paper's first.
pub const TRANSPORTS: [Transport; 3] =
    [Transport::Manager, Transport::ManyToMany, Transport::Neighbours];

/// Bytes of a coefficient, a charge or a coordinate in f64.
const NUMBER: usize = size_of::<f64>();

/// Exchanges, of which the fastest counts: one takes microseconds, and other programs interrupt it.
const REPEATS: usize = 5;

/// One exchange of an evaluation as one rank sees it: the multipoles of order p, and one charge a ghost.
#[derive(Clone, Copy, Debug)]
pub struct Carried {
    /// Seconds of the rank's own turns.
    pub seconds: f64,
    /// Messages sent, those without content included.
    pub posted: u64,
    /// Messages with content, and bytes.
    pub traffic: Traffic,
}

/// A rank's part, and its exchanges: `carried[order][transport]`, in the order of the call and of [`TRANSPORTS`].
#[derive(Clone, Debug)]
pub struct Carrier {
    /// The part.
    pub anatomy: Anatomy,
    /// The exchanges.
    pub carried: Vec<[Carried; 3]>,
}

impl Carrier {
    /// Parts and exchanges of all ranks, which take turns; of several runs the fastest, rank by rank and step by step,
    /// because all that disturbs a run adds to its time.
    ///
    /// # Errors
    ///
    /// Errors of the partition and of the communicator.
    pub fn of_all(problem: &Problem<'_>, orders: &[usize], runs: usize) -> Outcome<Vec<Self>> {
        let mut fastest = Self::once(problem, orders)?;
        for _ in 1..runs {
            for (best, other) in fastest.iter_mut().zip(Self::once(problem, orders)?) {
                best.take_faster(&other);
            }
        }
        Ok(fastest)
    }

    fn once(problem: &Problem<'_>, orders: &[usize]) -> Outcome<Vec<Self>> {
        let of_rank = |turns: &_| Self::of_rank(turns, problem, orders);
        turns::run(problem.n_ranks, |turns| of_rank(turns))?.into_iter().collect()
    }

    fn take_faster(&mut self, other: &Self) {
        let (here, there) = (&mut self.anatomy.seconds, other.anatomy.seconds);
        here.partition = here.partition.min(there.partition);
        here.kinds = here.kinds.min(there.kinds);
        let pairs = self.carried.iter_mut().flatten().zip(other.carried.iter().flatten());
        for (here, there) in pairs {
            here.seconds = here.seconds.min(there.seconds);
        }
    }

    fn of_rank(turns: &Turns, problem: &Problem<'_>, orders: &[usize]) -> Outcome<Self> {
        let anatomy = Anatomy::of_rank(turns, problem)?;
        let mut carried = Vec::with_capacity(orders.len());
        for order in orders {
            let [manager, many, neighbours] =
                TRANSPORTS.map(|transport| carry(turns, &anatomy, transport, *order));
            carried.push([manager?, many?, neighbours?]);
        }
        Ok(Self { anatomy, carried })
    }
}

/// One exchange, some times over.
fn carry(turns: &Turns, anatomy: &Anatomy, transport: Transport, order: usize) -> Outcome<Carried> {
    let width = n_coefficients(order);
    let multipoles = vec![1.0; anatomy.multipoles.rows() * width];
    let charges = vec![1.0; anatomy.ghosts.rows()];
    let mut seconds = Vec::with_capacity(REPEATS);
    let (before, posted) = (turns.traffic(), turns.posted());
    for _ in 0..REPEATS {
        let (arrived, taken) = turns.time(|| {
            let ghosts = transport.exchange(turns, &anatomy.ghosts, Rows::new(&charges, 1))?;
            let boxes =
                transport.exchange(turns, &anatomy.multipoles, Rows::new(&multipoles, width))?;
            Ok::<_, distributed::Error>(ghosts.len() + boxes.len())
        });
        arrived?;
        seconds.push(taken);
    }
    let (traffic, posted) = (turns.traffic() - before, turns.posted() - posted);
    let mean = |volume: Volume| Volume {
        messages: volume.messages / REPEATS as u64,
        bytes: volume.bytes / REPEATS as u64,
    };
    let traffic = Traffic { sent: mean(traffic.sent), received: mean(traffic.received) };
    Ok(Carried { seconds: least(seconds), posted: posted / REPEATS as u64, traffic })
}

/// Traffic of each rank by the transport's own model: what an exchange has to count.
pub fn expected(carriers: &[Carrier], transport: Transport, order: usize) -> Vec<Traffic> {
    let routes = |of: fn(&Anatomy) -> &distributed::Route| -> Vec<distributed::Route> {
        carriers.iter().map(|carrier| of(&carrier.anatomy).clone()).collect()
    };
    let ghosts = transport.predicted_traffic(&routes(|part| &part.ghosts), NUMBER);
    let row = n_coefficients(order) * NUMBER;
    let boxes = transport.predicted_traffic(&routes(|part| &part.multipoles), row);
    ghosts.into_iter().zip(boxes).map(|(ghosts, boxes)| ghosts + boxes).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clouds;
    use octree::partition::point_bounds;
    use octree::{Cube, Depth, InteractionLists, ListOptions, Octree, SplitRule};

    fn rule(points: &[[f64; 3]]) -> SplitRule {
        let cube = Cube::around(point_bounds(points, None).unwrap()).unwrap();
        SplitRule::new(cube, Depth::Adaptive { leaf_capacity: 20 }).unwrap()
    }

    #[test]
    fn traffic_is_that_of_the_model() {
        let points = clouds::plummer(4000, 31).positions;
        let rule = rule(&points);
        for n_ranks in [1, 2, 5] {
            let problem = Problem { points: &points, weights: None, rule: &rule, n_ranks };
            let carriers = Carrier::of_all(&problem, &[3, 5], 2).unwrap();
            for (k, order) in [3, 5].into_iter().enumerate() {
                for (t, transport) in TRANSPORTS.into_iter().enumerate() {
                    let found: Vec<_> =
                        carriers.iter().map(|carrier| carrier.carried[k][t].traffic).collect();
                    assert_eq!(found, expected(&carriers, transport, order), "{transport:?}");
                }
            }
        }
    }

    #[test]
    fn counts_of_ranks_add_up_to_those_of_one_tree() {
        let points = clouds::uniform_cube(5000, 32).positions;
        let rule = rule(&points);
        let options = ListOptions::default();
        let tree = Octree::build(&points, rule.depth()).unwrap();
        let lists = InteractionLists::build(&tree, options);
        let size = |b: u32| tree.sources(b as usize).len() as u64;
        let near = |b: &u32| {
            let sources = lists.near().row(*b as usize).iter().map(|source| size(*source));
            size(*b) * sources.sum::<u64>()
        };
        let near: u64 = tree.leaves().iter().map(near).sum();
        for n_ranks in [1, 3, 8] {
            let problem = Problem { points: &points, weights: None, rule: &rule, n_ranks };
            let parts = Anatomy::of_all(&problem).unwrap();
            let sum = |of: fn(&Anatomy) -> usize| parts.iter().map(of).sum::<usize>();
            assert_eq!(sum(|part| part.counts.points), points.len());
            assert_eq!(sum(|part| part.counts.boxes) + parts[0].counts.shared, tree.n_boxes());
            assert_eq!(sum(|part| part.counts.leaves), tree.leaves().len());
            assert_eq!(sum(|part| part.counts.imports), sum(|part| part.counts.exports));
            let pairs: u64 = parts.iter().map(|part| part.counts.near_pairs).sum();
            assert_eq!(pairs, near);
            assert!(n_ranks == 1 || sum(|part| part.counts.ghosts) > 0);
        }
    }
}
