//! Errors, panics and departures of ranks: every rank ends with the same fault, and none waits for ever.

mod common;

use std::sync::mpsc::channel;
use std::time::Duration;

use common::{STEPS, collectives, faults, step};
use distributed::{Communicator, Error, Fault, Message, Pending, agree, phase, threads};

/// Runs a test on a thread of its own, which fails if it takes longer than a hanging test would be bearable.
fn in_time(test: impl FnOnce() + Send + 'static) {
    let (done, wait) = channel();
    let thread = std::thread::spawn(move || {
        test();
        let _ = done.send(());
    });
    if wait.recv_timeout(Duration::from_secs(100))
        == Err(std::sync::mpsc::RecvTimeoutError::Timeout)
    {
        panic!("ranks hang");
    }
    thread.join().unwrap();
}

/// Silences panics that a test provokes.
fn quietly<R>(run: impl FnOnce() -> R) -> R {
    std::panic::set_hook(Box::new(|info| {
        let text = info.payload().downcast_ref::<String>().map_or("", String::as_str);
        if !text.starts_with("panic in step") {
            eprintln!("{info}");
        }
    }));
    run()
}

#[test]
fn errors_and_panics_are_agreed_on() {
    in_time(|| {
        quietly(|| {
            for (size, failing) in [
                (1, vec![0]),
                (2, vec![1]),
                (3, vec![0]),
                (7, vec![2, 5]),
                (8, vec![6]),
                (64, vec![9]),
            ] {
                let results =
                    threads::run(size, |communicator| faults(&*communicator, &failing)).unwrap();
                assert_eq!(results, vec![Ok(()); size]);
            }
        });
    });
}

#[test]
fn departures_reach_every_rank() {
    in_time(|| {
        for size in [2, 3, 7, 64] {
            for number in 0..STEPS {
                let leaver = (5 * number) % size;
                let results = threads::run(size, |communicator| {
                    if communicator.rank() == leaver {
                        collectives(&*communicator).unwrap();
                        return None;
                    }
                    Some(phase(&*communicator, || {
                        collectives(&*communicator).map_err(|error| error.to_string())?;
                        step(&*communicator, number, None)
                    }))
                });
                let message = Error::Left { rank: leaver }.to_string();
                for (rank, result) in results.unwrap().into_iter().enumerate() {
                    let fault = Fault { rank: leaver, message: message.clone() };
                    assert_eq!(result, (rank != leaver).then_some(Err(fault)), "step {number}");
                }
            }
        }
    });
}

#[test]
fn departures_without_agreement_name_their_cause() {
    in_time(|| {
        // Rank 4 waits for 3, which waits for 2, and so on down to rank 0, which leaves.
        let results = threads::run(5, |communicator| match communicator.rank() {
            0 => Ok(()),
            rank => communicator.receive(rank - 1).map(drop),
        });
        assert_eq!(results.unwrap()[1..], vec![Err(Error::Left { rank: 0 }); 4]);
    });
}

#[test]
fn panics_outside_of_phases_end_the_run() {
    in_time(|| {
        quietly(|| {
            let end = threads::run(64, |communicator| {
                assert!(communicator.rank() != 33, "panic in step 0");
                let wait = communicator.barrier();
                assert_eq!(wait, Err(Error::Left { rank: 33 }));
            });
            let message = "panic: panic in step 0".to_owned();
            assert_eq!(end, Err(Error::Panicked { rank: 33, message }));
        });
    });
}

#[test]
fn ranks_that_finished_do_not_disturb_the_others() {
    in_time(|| {
        let results = threads::run(8, |communicator| {
            let communicator = &*communicator;
            agree(communicator, communicator.barrier())?;
            // The upper half goes on for a while with messages among its pairs.
            if communicator.rank() >= 4 {
                let peer = communicator.rank() ^ 1;
                for _ in 0..100 {
                    let message = Message { rank: peer, bytes: vec![1; 10] };
                    let pending = communicator.post(vec![message], &[peer]);
                    let received = pending.and_then(Pending::finish);
                    assert_eq!(received, Ok(vec![vec![1; 10]]));
                }
            }
            Ok::<_, Fault>(())
        });
        assert_eq!(results, Ok(vec![Ok(()); 8]));
    });
}

#[test]
fn posts_of_a_failed_phase_are_void() {
    in_time(|| {
        let results = threads::run(3, |communicator: std::sync::Arc<dyn Communicator>| {
            let communicator = &*communicator;
            let (rank, next) = (communicator.rank(), (communicator.rank() + 1) % 3);
            let mut old = None;
            let message = Message { rank: next, bytes: vec![7] };
            let fault = phase(communicator, || {
                let pending = communicator.post(vec![message], &[(rank + 2) % 3]);
                old = pending.ok();
                if rank == 1 { Err("no") } else { Ok(()) }
            });
            assert_eq!(fault, Err(Fault { rank: 1, message: "no".into() }));
            let old = old.map(Pending::finish);
            assert!(matches!(old, Some(Err(Error::Aborted { rank: 1 })) | None), "{old:?}");
            collectives(communicator)
        });
        assert_eq!(results, Ok(vec![Ok(()); 3]));
    });
}

#[test]
fn five_hundred_ranks_learn_of_a_fault_and_of_a_departure() {
    in_time(|| {
        let results = threads::run(512, |communicator| {
            let (communicator, rank) = (&*communicator, communicator.rank());
            let fault = phase(communicator, || match rank {
                300 | 301 => Err("out of memory".to_owned()),
                _ => collectives(communicator).map_err(|error| error.to_string()),
            });
            assert_eq!(fault, Err(Fault { rank: 300, message: "out of memory".into() }));
            if rank == 100 {
                return Err(Fault { rank, message: Error::Left { rank }.to_string() });
            }
            phase(communicator, || collectives(communicator))
        });
        let message = Error::Left { rank: 100 }.to_string();
        assert_eq!(results, Ok(vec![Err(Fault { rank: 100, message }); 512]));
    });
}

/// A message that begins with ranks has no other before it.
#[test]
fn a_fault_names_its_rank_once() {
    let told = |rank: usize, message: String| Fault { rank, message }.to_string();
    assert_eq!(told(2, "out of memory".into()), "rank 2: out of memory");
    let left = Error::Left { rank: 2 }.to_string();
    assert_eq!(told(2, left.clone()), left);
    let differ = "ranks 0 and 3 ask for sums of different tolerance; give all the same request";
    assert_eq!(told(0, differ.into()), differ);
}
