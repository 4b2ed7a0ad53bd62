//! M2P of many cells against M2P cell by cell, which has other recurrences.

use expansions::operators::{CellMaker, Cells, PairAccuracy, m2p_cells};
use expansions::{Gradient, Harmonics, Scalar};

use super::support::{Cloud, Cube, Operators, Sums};

const CELLS: usize = 7;

/// Cells of several sizes, three sides away or more.
fn cubes() -> Vec<Cube> {
    let cube = |i: usize| {
        let side = 0.5_f64.powi(i as i32 % 3);
        let angle = 0.9 * i as f64;
        let center = [3.0 * angle.cos(), 3.0 * angle.sin(), 0.7 * (i as f64 - 3.0)];
        Cube { center, side }
    };
    (0..CELLS).map(cube).collect()
}

/// Largest errors of potential and gradient, relative to the largest values.
fn errors<T: Scalar>(order: usize, n_receivers: usize, accuracy: PairAccuracy) -> [f64; 2] {
    let (harmonics, gradient) = (Harmonics::<f64>::new(order), Gradient::new(order));
    let operators = Operators::<f64>::new(order);
    let receivers = Cloud::<f64>::inside(n_receivers, Cube::UNIT, 1);
    let (mut expected, mut cells) = (Sums::zeros(n_receivers), Cells::<T>::default());
    cells.reset(order, CELLS);
    assert_eq!(cells.order(), order);
    let (form, blocks) = cells.parts_mut();
    let mut maker = CellMaker::new(&harmonics, &gradient);
    let blocks = blocks.chunks_exact_mut(Cells::<T>::block_length(order));
    for (i, (cube, block)) in cubes().into_iter().zip(blocks).enumerate() {
        let sources = Cloud::<f64>::inside(20, cube, 2 + i as u64);
        let multipole = operators.p2m(&sources, cube);
        if i % 2 == 0 {
            let (slices, charges) = (sources.slices(), &sources.charges);
            maker.from_charges(cube.center, cube.side, slices, charges, form, block);
        } else {
            maker.from_multipole(cube.side, &multipole, form, block);
        }
        let part = operators.m2p(&multipole, cube, &receivers);
        let add = |(sum, part): (&mut f64, &f64)| *sum += part;
        expected.potential.iter_mut().zip(&part.potential).for_each(add);
        for (sum, part) in expected.gradient.iter_mut().zip(&part.gradient) {
            sum.iter_mut().zip(part).for_each(add);
        }
    }
    let list: Vec<u32> = (0..CELLS as u32).rev().collect();
    let center = |k: usize| -> Vec<T> {
        list.iter().map(|i| T::narrow(cubes()[*i as usize].center[k])).collect()
    };
    let (centers, at) = ([0, 1, 2].map(center), receivers.coordinates.clone());
    let at = at.map(|c| c.into_iter().map(T::narrow).collect::<Vec<_>>());
    let (centers, at) = (centers.each_ref().map(|c| &c[..]), at.each_ref().map(|c| &c[..]));
    let mut sums = Sums::<T>::zeros(n_receivers);
    m2p_cells(&cells, &list, centers, at, accuracy, &mut sums.as_mut());

    let mut alone = Sums::<T>::zeros(n_receivers);
    m2p_cells(&cells, &list, centers, at, accuracy, &mut alone.potential_only());
    assert!(alone.potential == sums.potential);
    let (errors, sizes) = (sums.errors(&expected), expected.sizes());
    [errors[0] / sizes[0], errors[1] / sizes[1]]
}

#[test]
fn cells_together_equal_cells_one_by_one() {
    for order in 1..=10 {
        for n_receivers in [1, 7, 16, 33, 70] {
            for (accuracy, digits) in [
                (PairAccuracy::Digits4, 2f64.powi(-14)),
                (PairAccuracy::Digits8, 2f64.powi(-27)),
                (PairAccuracy::Full, f64::EPSILON),
            ] {
                // A relative error δ of 1/r is one of up to (2p + 1) δ in the terms; they alternate.
                let factor = 20.0 * (order + 1) as f64;
                for (errors, rounding) in [
                    (errors::<f64>(order, n_receivers, accuracy), f64::EPSILON),
                    (errors::<f32>(order, n_receivers, accuracy), f64::from(f32::EPSILON)),
                ] {
                    let bound = factor * digits.max(rounding);
                    let worse = errors[0].max(errors[1]);
                    assert!(worse <= bound, "{order}, {accuracy:?}: {worse:e} {bound:e}");
                }
            }
        }
    }
}

#[test]
fn the_last_degrees_of_a_cell_are_those_of_its_multipole() {
    for order in [1, 2, 6, 7, 8, 13] {
        let (harmonics, gradient) = (Harmonics::<f64>::new(order), Gradient::new(order));
        let mut cells = Cells::<f64>::default();
        cells.reset(order, 2);
        let (form, blocks) = cells.parts_mut();
        let multipole: Vec<f64> = (0..order * order).map(|i| (i as f64).sin()).collect();
        let block = &mut blocks[Cells::<f64>::block_length(order)..];
        CellMaker::new(&harmonics, &gradient).from_multipole(0.5, &multipole, form, block);
        let of_degree =
            |n: usize| multipole[n * n..(n + 1) * (n + 1)].iter().map(|x| x * x).sum::<f64>();
        let last_two: f64 = (order.saturating_sub(2)..order).map(of_degree).sum();
        match cells.last_degrees(1) {
            None => assert_eq!(order, 1),
            Some([found, side]) if order > 6 => {
                assert!((found / last_two - 1.0).abs() < 1e-14, "{order}: {found}, {last_two}");
                assert_eq!(side, 0.5);
            }
            Some([found, side]) => {
                let falling = |sum: f64, n: usize| 0.25 * sum + of_degree(n);
                let all = (1..order).fold(0.0, falling);
                assert!((0.5..8.0).contains(&(found / all)), "{order}: {found}, {all}");
                assert_eq!(side, 0.5);
            }
        }
    }
}
