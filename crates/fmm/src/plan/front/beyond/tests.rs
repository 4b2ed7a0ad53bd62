//! Points beyond sums in f32, and beyond those in f64.

use super::*;

/// Points spread over a cube about zero.
fn cube(n: usize) -> Vec<[f32; 3]> {
    let point = |i: usize| [2.0, 3.0, 5.0].map(|c: f64| (c.sqrt() * (i + 1) as f64).fract());
    (0..n).map(|i| point(i).map(|x| (x - 0.5) as f32)).collect()
}

fn have_close_pairs(sources: &[[f32; 3]], receivers: Option<&[[f32; 3]]>) -> bool {
    let points = PointSets { sources, receivers };
    let found = |softening| may_be_beyond_f32(None, &points, softening).unwrap();
    assert!(found(0.0) || !found(1e-3));
    found(0.0)
}

#[test]
fn pairs_beside_zero_are_found() {
    let found = |pair: [[f32; 3]; 2], expected: bool| {
        let all = [cube(40_000), pair.to_vec()].concat();
        assert_eq!(have_close_pairs(&all, None), expected, "{pair:?}");
        let [source, receiver] = pair;
        let sources = [cube(500), vec![source]].concat();
        assert_eq!(have_close_pairs(&sources, Some(&[receiver])), expected, "{pair:?}");
    };
    for close in [1e-13, -1e-13, 4e-13, 1e-30] {
        for other in [0.0, 1e-20, 0.3] {
            found([[0.0, other, 0.4], [close, other, 0.4]], true);
            found([[other, 0.4, 1e-5], [other, 0.4, (1e-5_f32).next_up()]], true);
        }
    }
    found([[0.0, 0.3, 0.4], [1e-9, 0.3, 0.4]], false);
    found([[0.3, 0.3, 0.4], [0.3, 0.3, 0.4]], false);
    found([[0.3, 0.3, 0.4], [0.3, 0.3, (0.4_f32).next_up()]], false);
    found([[1e-13, 0.3, 0.4], [0.0, 0.3, 0.4001]], false);
}

#[test]
fn pairs_are_found_where_many_points_are_beside_zero() {
    let sheet = cube(4_000).into_iter().map(|[x, y, _]| [x, y, 1e-6]);
    let points = [cube(40_000), sheet.collect()].concat();
    let found = |pair: &[[f32; 3]]| have_close_pairs(&[&points, pair].concat(), None);
    assert!(!found(&[]));
    assert!(found(&[[0.0, 0.3, 0.4], [1e-13, 0.3, 0.4]]));
    assert!(found(&[[0.0; 3], [1e-13, 1e-14, 0.0]]));
}

#[test]
fn softening_lengths_beyond_f32_are_found() {
    for (softening, expected) in [(1e9, false), (1e14, true)] {
        let sources = cube(100);
        let points = PointSets { sources: &sources, receivers: None };
        assert_eq!(may_be_beyond_f32(None, &points, softening).unwrap(), expected);
        let points = PointSets { sources: &sources[..1], receivers: None };
        assert!(!may_be_beyond_f32(None, &points, softening).unwrap());
    }
}

#[test]
fn sets_without_close_pairs_have_none() {
    assert!(!have_close_pairs(&cube(100_000), None));
    assert!(!have_close_pairs(&[], None));
    assert!(!have_close_pairs(&[[0.0; 3]; 100], None));
    assert!(!have_close_pairs(&[[f32::NAN; 3], [1.0; 3], [1e-20; 3]], None));
    assert!(!have_close_pairs(&[[1e-20, f32::NAN, 0.5], [0.0; 3], [1.0; 3]].repeat(40), None));
    assert!(!have_close_pairs(&[[f32::INFINITY; 3], [1.0; 3], [1e-20; 3]], None));
    let plane: Vec<[f32; 3]> = cube(50_000).into_iter().map(|[x, y, _]| [x, y, 0.0]).collect();
    assert!(!have_close_pairs(&plane, None));
    // A cluster about zero beside a far point.
    assert!(have_close_pairs(&[cube(2_000), vec![[1e12, 0.0, 0.0]]].concat(), None));
    // A sheet beside zero has too many points to look at.
    let sheet: Vec<[f32; 3]> = plane.iter().map(|[x, y, _]| [*x, *y, 1e-6]).collect();
    assert!(!have_close_pairs(&sheet, None));
    let sheet = [sheet.clone(), sheet].concat();
    assert!(have_close_pairs(&sheet, None));
}

/// Result of a check of a cube in f64 with a pair, which are sources, or a source and a receiver.
fn check_with(pair: [[f64; 3]; 2], softening: f64) -> [Result<(), Error>; 2] {
    let mut sources: Vec<_> = cube(3_000).iter().map(|point| point.map(f64::from)).collect();
    let check = |sources: &[[f64; 3]], receivers: Option<&[[f64; 3]]>| {
        check_f64(None, &PointSets { sources, receivers }, softening)
    };
    let [source, receiver] = pair;
    sources.push(source);
    let of_two = check(&sources, Some(&[[1.0; 3], receiver]));
    sources.push(receiver);
    [check(&sources, None), of_two]
}

#[test]
fn pairs_that_sums_in_f64_leave_out_are_refused() {
    let smallest = 5e-324;
    for (pair, distance) in [
        ([[0.0, 0.3, 0.4], [1e-103, 0.3, 0.4]], 1e-103),
        ([[0.1, -1e-110, 1e-300], [0.1, 1e-110, 0.0]], 2e-110),
        ([[0.0; 3], [0.0, smallest, 0.0]], smallest),
        ([[1e-88, 0.3, 0.4], [(1e-88_f64).next_up(), 0.3, 0.4]], 1e-104),
    ] {
        for (result, expected) in check_with(pair, 0.0).into_iter().zip([3_000, 3_000]) {
            let Err(Error::PairTooClose { set, index, other, distance: found, .. }) = result else {
                panic!("{pair:?}: {result:?}")
            };
            assert_eq!((set, index, other), (PointSet::Sources, expected, pair[1]), "{pair:?}");
            assert!((0.5..2.0).contains(&(found / distance)), "{pair:?}: {found}");
        }
    }
    for pair in [
        [[0.0, 0.3, 0.4], [1e-101, 0.3, 0.4]],
        [[0.0, 0.3, 0.4], [0.0, 0.3, -0.0]],
        [[0.0, 0.3, 0.4], [1e-110, 0.3, (0.4_f64).next_up()]],
        [[0.0, -0.0, 0.0], [-0.0, 0.0, -0.0]],
    ] {
        assert_eq!(check_with(pair, 0.0), [Ok(()), Ok(())], "{pair:?}");
    }
}

/// Softened pairs are summed down to distances whose squares are zero.
#[test]
fn softened_pairs_of_f64_are_refused_where_their_squares_are_zero() {
    let softened = |distance: f64| check_with([[0.0, 0.3, 0.4], [distance, 0.3, 0.4]], 1e-3);
    assert_eq!(softened(1e-152), [Ok(()), Ok(())]);
    assert!(softened(1e-155).iter().all(Result::is_err));
}

#[test]
fn softening_lengths_beyond_f64_are_refused() {
    let apart = [[0.0; 3], [0.3; 3]];
    assert_eq!(check_with(apart, 1e99), [Ok(()), Ok(())]);
    let [Err(Error::SofteningTooLong { softening, largest }), _] = check_with(apart, 1e101) else {
        panic!("no refusal")
    };
    assert!(softening == 1e101 && (1e99..1e100).contains(&largest), "{largest}");
}

/// Units in which squares of distances have no room.
#[test]
fn close_pairs_are_found_in_any_unit() {
    for (extent, distance, expected) in [
        (1e-210, 5e-324, true),
        (1e300, 1e190, true),
        (1e300, 1e200, false),
        (1e-300, 5e-324, false),
    ] {
        let sources = [[extent; 3], [0.0; 3], [0.0, 0.0, distance]];
        let points = PointSets { sources: &sources, receivers: None };
        assert_eq!(check_f64(None, &points, 0.0).is_err(), expected, "{extent:e}");
    }
}

/// Points in a plane that are apart by less than the smallest number that tells them, but not along it.
#[test]
fn planes_beside_zero_are_searched_in_time() {
    let plane = |z: f64| cube(20_000).into_iter().map(move |[x, y, _]| [f64::from(x), y.into(), z]);
    let sources: Vec<_> = plane(1e-90).chain(plane(2e-90)).collect();
    let points = PointSets { sources: &sources, receivers: None };
    assert_eq!(check_f64(None, &points, 0.0), Ok(()));
}

/// Receivers may be as close to each other as floats are, and so may sources, where these are not the receivers.
#[test]
fn points_of_one_set_may_be_close() {
    let line: Vec<[f64; 3]> =
        (0..5_000).map(|i| [10_f64.powf(-0.05 * f64::from(i)), 0.25, 0.5]).collect();
    let cloud: Vec<[f64; 3]> = cube(3_000).iter().map(|point| point.map(f64::from)).collect();
    for (sources, receivers) in [(&line, &cloud), (&cloud, &line)] {
        let points = PointSets { sources, receivers: Some(receivers) };
        assert_eq!(check_f64(None, &points, 0.0), Ok(()));
    }
    let points = PointSets { sources: &line, receivers: None };
    assert!(check_f64(None, &points, 0.0).is_err());
    let points = PointSets { sources: &line, receivers: Some(&line) };
    assert!(check_f64(None, &points, 0.0).is_err());
}
