//! Checks that every communicator passes, run by each rank of it, and random routes with a shuffle in plain memory.
//! Each test program uses some of them.
#![allow(dead_code)]

use distributed::{
    Communicator, Error, Message, Pending, Redistribution, Reduction, Route, Rows, Traffic,
    Transport, all_gather, all_gather_joined, broadcast, exchange, exclusive_sum, phase, reduce,
};

/// Reproducible random numbers: SplitMix64.
#[derive(Debug, Clone)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % end
    }

    /// A number whose sums depend on their order.
    pub(crate) fn number(&mut self) -> f64 {
        (self.below(1 << 40) as f64 - 5e11) * 10_f64.powi(self.below(24) as i32 - 12)
    }
}

/// A reduction of two numbers.
type Combine = fn(f64, f64) -> f64;

/// Exchange, all-gather, broadcast, scan, barrier and reductions against what every rank knows.
pub(crate) fn collectives(communicator: &dyn Communicator) -> Result<(), Error> {
    let (rank, size) = (communicator.rank(), communicator.size());
    let message = |from: usize, to: usize| vec![(1000 * from + to) as u32; (from + 2 * to) % 4];
    let outgoing: Vec<Vec<u32>> = (0..size).map(|to| message(rank, to)).collect();
    let expected: Vec<Vec<u32>> = (0..size).map(|from| message(from, rank)).collect();
    assert_eq!(exchange(communicator, &outgoing)?, expected);

    let gathered = all_gather(communicator, &vec![rank as u16; rank % 3])?;
    let expected: Vec<Vec<u16>> = (0..size).map(|rank| vec![rank as u16; rank % 3]).collect();
    assert_eq!(gathered, expected);
    let joined = all_gather_joined(communicator, &vec![rank as u16; rank % 3])?;
    assert_eq!(joined, expected.concat());

    for root in [0, size / 2, size - 1] {
        assert_eq!(broadcast(communicator, root, &[rank as u64, 7])?, [root as u64, 7]);
    }
    communicator.barrier()?;

    let values = |rank: usize| -> Vec<f64> {
        let mut random = Random(rank as u64);
        (0..37).map(|_| random.number()).collect()
    };
    let fold = |ranks: usize, combine: Combine| -> Vec<u64> {
        let mut folded = values(0);
        for rank in 1..ranks {
            folded.iter_mut().zip(values(rank)).for_each(|(a, b)| *a = combine(*a, b));
        }
        folded.into_iter().map(f64::to_bits).collect()
    };
    let sum: Combine = |a, b| a + b;
    let cases = [(Reduction::Sum, sum), (Reduction::Min, f64::min), (Reduction::Max, f64::max)];
    for (reduction, combine) in cases {
        let mut mine = values(rank);
        reduce(communicator, reduction, &mut mine)?;
        let bits: Vec<u64> = mine.into_iter().map(f64::to_bits).collect();
        assert_eq!(bits, fold(size, combine), "{reduction:?}");
    }
    let before = exclusive_sum(communicator, &[1, rank as u64])?;
    assert_eq!(before, [rank as u64, (rank * rank.saturating_sub(1) / 2) as u64]);
    let mut large = [u64::MAX - 1, 3];
    reduce(communicator, Reduction::Max, &mut large)?;
    assert_eq!(large, [u64::MAX - 1, 3]);
    Ok(())
}

/// Posts that overlap are finished in reverse; dropped posts do not disturb others; messages keep their order.
pub(crate) fn posts(communicator: &dyn Communicator) -> Result<(), Error> {
    let (rank, size) = (communicator.rank(), communicator.size());
    let (next, previous) = ((rank + 1) % size, (rank + size - 1) % size);
    let mut pending = Vec::new();
    for number in 0..5 {
        let bytes = vec![number; 1 + rank];
        pending.push(communicator.post(vec![Message { rank: next, bytes }], &[previous])?);
    }
    pending.remove(2);
    let last = pending.pop();
    communicator.barrier()?;
    assert_eq!(last.map(Pending::finish), Some(Ok(vec![vec![4; 1 + previous]])));
    for (number, pending) in [0, 1, 3].into_iter().zip(pending) {
        assert_eq!(pending.finish()?, [vec![number; 1 + previous]]);
    }
    communicator.send(rank, vec![9])?;
    assert_eq!(communicator.receive(rank)?, [9]);
    assert_eq!(communicator.send(size, Vec::new()), Err(Error::NoSuchRank { rank: size, size }));
    Ok(())
}

/// Routes of all ranks: rank r has up to 8 rows, each for up to three ranks.
pub(crate) fn random_routes(seed: u64, size: usize) -> Vec<Route> {
    let random = &mut Random(seed);
    let mut sends = vec![vec![Vec::new(); size]; size];
    let rows: Vec<usize> = (0..size).map(|_| random.below(9) as usize).collect();
    for (rank, sends) in sends.iter_mut().enumerate() {
        for row in 0..rows[rank] as u32 {
            for _ in 0..random.below(4) {
                let list: &mut Vec<u32> = &mut sends[random.below(size as u64) as usize];
                if !list.contains(&row) {
                    list.insert(random.below(list.len() as u64 + 1) as usize, row);
                }
            }
        }
    }
    let receives = |to: usize| (0..size).map(|from| sends[from][to].len()).collect();
    (0..size)
        .map(|rank| Route::new(rows[rank], sends[rank].clone(), receives(rank)).unwrap())
        .collect()
}

/// Value k of a row, which tells where the row is from.
fn value(rank: usize, row: usize, k: usize) -> f64 {
    (rank * 1000 + row * 10 + k) as f64
}

/// Every transport along the routes of all ranks: rows as a shuffle in memory gives them, traffic as the model.
pub(crate) fn transports(
    communicator: &dyn Communicator,
    routes: &[Route],
    width: usize,
) -> Result<(), Error> {
    let rank = communicator.rank();
    let route = &routes[rank];
    let announced = Route::announce(communicator, route.rows(), route.sends().to_vec())?;
    assert_eq!(&announced, route);
    let of_row = |from: usize, row: usize| (0..width).map(move |k| value(from, row, k));
    let rows: Vec<f64> = (0..route.rows()).flat_map(|row| of_row(rank, row)).collect();
    let expected: Vec<f64> = routes
        .iter()
        .enumerate()
        .flat_map(|(from, route)| route.sends()[rank].iter().map(move |&row| (from, row as usize)))
        .flat_map(|(from, row)| of_row(from, row))
        .collect();
    for way in [Transport::Manager, Transport::ManyToMany, Transport::Neighbours] {
        let before = communicator.traffic();
        let transfer = way.start(communicator, route, Rows::new(&rows, width))?;
        assert_eq!(transfer.finish()?, expected, "{way:?}");
        let model: Vec<Traffic> = way.predicted_traffic(routes, 8 * width);
        assert_eq!(communicator.traffic() - before, model[rank], "{way:?}");
        // Rows that are filled up to another length carry no more.
        let stride = width + 3;
        let row = |row| of_row(rank, row).chain([f64::NAN; 3]);
        let spaced: Vec<f64> = (0..route.rows()).flat_map(row).collect();
        let before = communicator.traffic();
        let spaced = Rows::spaced(&spaced, width, stride);
        assert_eq!(way.exchange(communicator, route, spaced)?, expected, "{way:?}");
        assert_eq!(communicator.traffic() - before, model[rank], "{way:?}");
    }
    Ok(())
}

/// There and back is the identity; owners have each row once, ordered by origin.
pub(crate) fn redistribution(communicator: &dyn Communicator, seed: u64) -> Result<(), Error> {
    let (rank, size) = (communicator.rank(), communicator.size());
    let mut random = Random(seed);
    // Every third rank or so has no rows, and some own none.
    let rows: Vec<usize> =
        (0..size).map(|_| (random.below(3) * random.below(20)) as usize).collect();
    let owners = 1 + random.below(size as u64);
    let owner = |from: usize, row: usize| -> usize {
        Random(seed ^ (from * 64 + row) as u64).below(owners) as usize
    };
    let mine: Vec<[u32; 2]> = (0..rows[rank]).map(|row| [rank as u32, row as u32]).collect();
    let expected: Vec<[u32; 2]> = (0..size)
        .flat_map(|from| (0..rows[from]).map(move |row| (from, row)))
        .filter(|&(from, row)| owner(from, row) == rank)
        .map(|(from, row)| [from as u32, row as u32])
        .collect();
    let way = Redistribution::new(communicator, rows[rank], |row| owner(rank, row))?;
    let owned = way.to_owners(communicator, &mine)?;
    assert_eq!(owned, expected);
    assert_eq!((way.rows(), way.owned()), (mine.len(), owned.len()));
    let origins: Vec<usize> =
        (0..size).map(|from| owned.iter().filter(|row| row[0] as usize == from).count()).collect();
    assert_eq!(way.origins(), origins);
    assert_eq!(way.to_origins(communicator, &owned)?, mine);
    // The way serves other values.
    let numbers: Vec<f64> = owned.iter().map(|&[from, row]| f64::from(from * 100 + row)).collect();
    let back = way.to_origins(communicator, &numbers)?;
    let expected: Vec<f64> = mine.iter().map(|&[from, row]| f64::from(from * 100 + row)).collect();
    assert_eq!(back, expected);

    // The same owners, each with its rows in the opposite order.
    let counts: Vec<usize> =
        (0..size).map(|to| (0..rows[rank]).filter(|&row| owner(rank, row) == to).count()).collect();
    let mut order: Vec<u32> = (0..rows[rank] as u32).rev().collect();
    order.sort_by_key(|&row| owner(rank, row as usize));
    let way = Redistribution::by_order(communicator, &order, &counts)?;
    let given = way.to_owners(communicator, &mine)?;
    let mut expected = owned;
    expected.sort_by_key(|&[from, row]| (from, std::cmp::Reverse(row)));
    assert_eq!(given, expected);
    assert_eq!(way.to_origins(communicator, &given)?, mine);

    let counts: Vec<usize> = (0..size).map(|to| (rank + to) % 3).collect();
    let way = Redistribution::by_counts(communicator, &counts)?;
    let sorted: Vec<u32> = (0..way.rows() as u32).collect();
    let owned = way.to_owners(communicator, &sorted)?;
    assert_eq!(owned.len(), (0..size).map(|from| (rank + from) % 3).sum::<usize>());
    assert_eq!(way.to_origins(communicator, &owned)?, sorted);
    Ok(())
}

/// Steps of a computation in which a rank may fail.
pub(crate) const STEPS: usize = 6;

/// Runs a step. A rank that fails stops before, by a panic if `fails` says so, otherwise by an error.
pub(crate) fn step(
    communicator: &dyn Communicator,
    step: usize,
    fails: Option<bool>,
) -> Result<(), String> {
    match fails {
        Some(true) => panic!("panic in step {step}"),
        Some(false) => return Err(format!("error in step {step}")),
        None => {}
    }
    let (rank, size) = (communicator.rank(), communicator.size());
    let next = (rank + 1) % size;
    let result = match step {
        0 => collectives(communicator),
        1 => redistribution(communicator, 5),
        2 => transports(communicator, &random_routes(3, size), 2),
        3 => communicator.receive((rank + size - 1) % size).map(drop),
        4 => communicator
            .post(vec![Message { rank: next, bytes: vec![1; 100_000] }], &[next])
            .and_then(Pending::finish)
            .map(drop),
        _ => communicator.barrier(),
    };
    result.map_err(|error| error.to_string())
}

/// Each rank fails once in each step, by an error and by a panic: all ranks get the same fault, and go on afterwards.
pub(crate) fn faults(communicator: &dyn Communicator, failing: &[usize]) -> Result<(), Error> {
    let rank = communicator.rank();
    for number in 0..STEPS {
        for panics in [false, true] {
            let fails = failing.contains(&rank).then_some(panics);
            let result = phase(communicator, || step(communicator, number, fails));
            let fault = result.expect_err("a rank failed");
            let text = if panics { "panic: panic" } else { "error" };
            let expected = format!("{text} in step {number}");
            assert_eq!((fault.rank, fault.message), (failing[0], expected), "step {number}");
        }
        assert_eq!(phase(communicator, || collectives(communicator)), Ok(()));
    }
    assert_eq!(phase(communicator, || communicator.barrier()), Ok(()));
    Ok(())
}
