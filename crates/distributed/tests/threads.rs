//! Ranks on threads: collectives, posts, redistribution and transports, against plain memory.

mod common;

use std::sync::Arc;

use common::{collectives, posts, random_routes, redistribution, transports};
use distributed::{Communicator, Error, Traffic, Volume, threads};
use proptest::prelude::*;

/// Runs a check on every rank.
fn on_ranks(size: usize, check: impl Fn(&dyn Communicator) -> Result<(), Error> + Sync) {
    let results = threads::run(size, |communicator| check(&*communicator)).unwrap();
    assert_eq!(results, vec![Ok(()); size], "{size} ranks");
}

#[test]
fn collectives_agree_with_memory() {
    [1, 2, 3, 7, 8, 64].into_iter().for_each(|size| on_ranks(size, collectives));
}

#[test]
fn posts_are_taken_in_order() {
    [1, 2, 3, 7, 8, 64].into_iter().for_each(|size| on_ranks(size, posts));
}

#[test]
fn five_hundred_ranks() {
    let routes = random_routes(2, 512);
    on_ranks(512, |communicator| {
        collectives(communicator)?;
        redistribution(communicator, 1)?;
        transports(communicator, &routes, 3)
    });
}

#[test]
fn redistribution_and_transports_on_many_ranks() {
    for size in [1, 2, 3, 7, 8, 64] {
        let routes = random_routes(size as u64, size);
        on_ranks(size, |communicator| {
            redistribution(communicator, size as u64)?;
            transports(communicator, &routes, 4)
        });
    }
}

#[test]
fn traffic_of_a_ring() {
    let traffic = threads::run(4, |communicator| {
        let (rank, size) = (communicator.rank(), communicator.size());
        communicator.send((rank + 1) % size, vec![0; 10 * (rank + 1)])?;
        communicator.send(rank, vec![0; 1000])?;
        communicator.receive((rank + size - 1) % size)?;
        communicator.receive(rank)?;
        Ok::<_, Error>(communicator.traffic())
    });
    let volume = |bytes| Volume { messages: 1, bytes };
    let expected = |sent, received| Ok(Traffic { sent: volume(sent), received: volume(received) });
    let ring = [expected(10, 40), expected(20, 10), expected(30, 20), expected(40, 30)];
    assert_eq!(traffic.unwrap(), ring);
}

#[test]
fn ranks_share_one_pool() {
    use rayon::prelude::*;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    on_ranks(64, |communicator| {
        let rank = communicator.rank() as u64;
        let sum: u64 = pool.install(|| (0..1000_u64).into_par_iter().map(|i| i * rank).sum());
        let sums = distributed::all_gather(communicator, &[sum])?;
        assert!(sums.iter().enumerate().all(|(rank, sum)| sum == &[499_500 * rank as u64]));
        Ok(())
    });
}

#[test]
fn numbers_of_ranks_are_limited() {
    let run = |size| threads::run(size, |communicator: Arc<dyn Communicator>| communicator.size());
    assert_eq!(run(0), Err(Error::RankCount { size: 0 }));
    assert_eq!(run(513), Err(Error::RankCount { size: 513 }));
    assert_eq!(run(1), Ok(vec![1]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn any_routes(size in 1..12_usize, seed in any::<u64>(), width in 0..5_usize) {
        let routes = random_routes(seed, size);
        on_ranks(size, |communicator| transports(communicator, &routes, width));
    }

    #[test]
    fn any_distribution(size in 1..12_usize, seed in any::<u64>()) {
        on_ranks(size, |communicator| redistribution(communicator, seed));
    }
}
