//! Nakasato's walks: links against the recursive reference, on random trees.

use crate::common::{Stream, trees};
use octree::papers::walk::{END, Links, Visitor, walk_recursive};
use octree::{Depth, Error, Octree};
use proptest::prelude::*;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Visit {
    Particle(usize),
    Cell(usize),
}

/// Opens cells at random, the same ones each time, and remembers its visits.
struct Recorder {
    seed: u64,
    share: f64,
    visits: Vec<Visit>,
}

fn opens(seed: u64, share: f64, cell: usize) -> bool {
    Stream(seed ^ (cell as u64).wrapping_mul(0x2545_f491_4f6c_dd1d)).next() < share
}

impl Recorder {
    fn new(seed: u64, share: f64) -> Recorder {
        Recorder { seed, share, visits: Vec::new() }
    }
}

impl Visitor for Recorder {
    fn opens(&self, cell: usize) -> bool {
        opens(self.seed, self.share, cell)
    }
    fn particle(&mut self, i: usize) {
        self.visits.push(Visit::Particle(i));
    }
    fn cell(&mut self, cell: usize) {
        self.visits.push(Visit::Cell(cell));
    }
}

/// The sources that the visits cover, in the order of the visits.
fn covered(tree: &Octree, visits: &[Visit]) -> Vec<usize> {
    let sources = |visit: &Visit| match *visit {
        Visit::Particle(i) => i..i + 1,
        Visit::Cell(cell) => tree.sources(cell),
    };
    visits.iter().flat_map(sources).collect()
}

fn shares() -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), Just(1.0), 0.2..1.0]
}

/// A permutation of 0..n.
fn shuffled(n: usize, seed: u64) -> Vec<u32> {
    let mut stream = Stream(seed);
    let mut keyed: Vec<(f64, u32)> = (0..n as u32).map(|i| (stream.next(), i)).collect();
    keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
    keyed.into_iter().map(|(_, i)| i).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn iterative_walks_visit_what_recursive_ones_do(tree in trees(1500), share in shares(), seed in any::<u64>()) {
        let (mut recursive, mut iterative) = (Recorder::new(seed, share), Recorder::new(seed, share));
        walk_recursive(&tree, &mut recursive);
        let links = Links::build(&tree).unwrap();
        links.walk(&mut iterative);
        prop_assert_eq!(&iterative.visits, &recursive.visits);
        let n = tree.n_sources();
        prop_assert_eq!(covered(&tree, &iterative.visits), (0..n).collect::<Vec<_>>());
    }

    #[test]
    fn links_are_those_of_the_tree(tree in trees(1500)) {
        let links = Links::build(&tree).unwrap();
        let n = links.n_particles();
        prop_assert_eq!((n, links.n_cells()), (tree.n_sources(), tree.n_boxes()));
        prop_assert_eq!((links.next().len(), links.more().len()), (n + tree.n_boxes(), n + tree.n_boxes()));
        let stands_for = |b: usize| match tree.sources(b) {
            range if range.len() == 1 => range.start as u32,
            range if range.is_empty() => END,
            _ => (n + b) as u32,
        };
        prop_assert_eq!(links.root(), if n == 0 { END } else { stands_for(0) });
        prop_assert!(links.more()[..n].iter().all(|&more| more == END));
        for b in (0..tree.n_boxes()).filter(|&b| !tree.sources(b).is_empty()) {
            // Children and particles form a chain from `more` to `next`.
            let mut at = links.more()[n + b];
            let filled = tree.children(b).filter(|&child| !tree.sources(child).is_empty());
            let expected: Vec<u32> = match tree.is_leaf(b) {
                true => tree.sources(b).map(|i| i as u32).collect(),
                false => filled.map(stands_for).collect(),
            };
            for entry in expected {
                prop_assert_eq!(at, entry);
                at = links.next()[at as usize];
            }
            prop_assert_eq!(at, links.next()[n + b]);
        }
    }

    #[test]
    fn a_walk_below_a_cell_stays_there(tree in trees(400), share in shares(), seed in any::<u64>()) {
        let links = Links::build(&tree).unwrap();
        for b in 0..tree.n_boxes() {
            let mut below = Recorder::new(seed, share);
            links.walk_below(b, &mut below);
            prop_assert_eq!(covered(&tree, &below.visits), tree.sources(b).collect::<Vec<_>>());
        }
    }

    #[test]
    fn another_order_renames_particles_only(tree in trees(800), share in shares(), seed in any::<u64>()) {
        let links = Links::build(&tree).unwrap();
        let n = links.n_particles();
        for permutation in [(0..n as u32).collect(), shuffled(n, seed), tree.source_permutation().to_vec()] {
            let renamed = links.permuted(&permutation).unwrap();
            let (mut plain, mut other) = (Recorder::new(seed, share), Recorder::new(seed, share));
            links.walk(&mut plain);
            renamed.walk(&mut other);
            let callers = |links: &Links, visits: &[Visit]| -> Vec<Visit> {
                visits.iter().map(|&visit| match visit {
                    Visit::Particle(i) => Visit::Particle(links.permutation()[i] as usize),
                    cell => cell,
                }).collect()
            };
            prop_assert_eq!(callers(&renamed, &other.visits), callers(&links, &plain.visits));
            prop_assert_eq!(&renamed.permuted(links.permutation()).unwrap(), &links);
        }
    }

}

#[test]
fn an_order_that_is_none_is_named() {
    let tree = Octree::build(&[[0.0; 3], [0.5; 3], [1.0; 3]], Depth::Adaptive { leaf_capacity: 1 })
        .unwrap();
    let links = Links::build(&tree).unwrap();
    assert_eq!(
        links.permuted(&[0, 1]).unwrap_err(),
        Error::WrongLength { what: "permutation", expected: 3, found: 2 }
    );
    for (permutation, index, value) in
        [([0, 1, 1], 2, 1), ([0, 3, 1], 1, 3), ([u32::MAX, 0, 1], 0, u32::MAX)]
    {
        assert_eq!(
            links.permuted(&permutation).unwrap_err(),
            Error::NotAPermutation { index, value }
        );
    }
}

/// Figure 5's kind of tree: with leaves of one particle, particles are the leaves.
#[test]
fn leaves_of_one_particle_are_particles() {
    let points = [[0.1, 0.1, 0.1], [0.9, 0.1, 0.1], [0.1, 0.1, 0.9], [0.1, 0.2, 0.9], [0.9; 3]];
    let tree = Octree::build(&points, Depth::Adaptive { leaf_capacity: 1 }).unwrap();
    let links = Links::build(&tree).unwrap();
    // Root → 0, 1, the cell of 2 and 3, then 4.
    let n = links.n_particles();
    let cell = links.next()[1];
    assert_eq!((links.root(), links.more()[n], links.next()[n]), (n as u32, 0, END));
    assert!(cell > n as u32);
    assert_eq!((links.next()[0], links.next()[cell as usize], links.next()[4]), (1, 4, END));
    assert_eq!(tree.sources(cell as usize - n), 2..4);
    assert_eq!(links.next()[2..4], [3, 4]);
}

#[test]
fn any_number_of_threads_gives_the_same_links() {
    let points = crate::common::cloud(crate::common::Shape::Cluster, 20_000, 5);
    let links = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let tree = Octree::build(&points, Depth::Adaptive { leaf_capacity: 4 }).unwrap();
            Links::build(&tree).unwrap()
        })
    };
    assert_eq!(links(1), links(3));
}
