//! Places of an order's matrices: those of translations, and those of plane waves part by part of the quadratures.

use super::tables::{LengthUnit, Matrices, Matrix, Pairing};
use crate::device::Real;
use crate::operators::options::Translation;
use expansions::layout::n_coefficients;
use expansions::operators::{WaveAxis, WavePart, Waves};
use octree::geometry::{DIRECTIONS, direction_offset};
use std::vec::Vec;

/// Matrices of the translations between parents and children.
#[derive(Debug)]
pub(super) struct Shifts {
    /// Shifts of M2M: one that changes the unit of length, and one that keeps it.
    pub(super) m2m: [Matrix; 2],
    /// Shifts of L2L, likewise.
    pub(super) l2l: [Matrix; 2],
    /// Turns into the frames of y and x, and back.
    pub(super) turns: [[Matrix; 2]; 2],
}

impl Shifts {
    /// Adds the matrices; the quarter turns are those of plane waves.
    pub(super) fn new<T: Real>(
        order: usize,
        waves: &Waves<f64>,
        matrices: &mut Matrices<T>,
    ) -> Self {
        let [m2m, l2l] = [Translation::M2m, Translation::L2l].map(|translation| {
            [LengthUnit::Changed, LengthUnit::Kept]
                .map(|unit| matrices.push_shift(order, translation, unit))
        });
        let turns = [WaveAxis::Y, WaveAxis::X].map(|axis| {
            let tables = waves.parts().iter().find(|part| part.axis() == axis);
            let rotations = tables.and_then(|part| part.tables().rotations).unwrap_or_default();
            rotations.map(|one| matrices.push(one, Pairing::Rows, n_coefficients(order)))
        });
        Self { m2m, l2l, turns }
    }
}

/// Directions of families on both sides and octants of the frame, of an axis.
pub(super) const PLACES: [usize; 2] = [18, 8];

/// A part of the waves along an axis.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) axis: WaveAxis,
    pub(super) n_waves: usize,
    pub(super) out: Matrix,
    pub(super) radiate: [Matrix; 2],
    pub(super) collect: [Matrix; 2],
    pub(super) back: Matrix,
    /// First of the numbers of the waves.
    pub(super) numbers: usize,
}

impl Part {
    /// Adds the tables of a part.
    pub(super) fn new<T: Real>(
        order: usize,
        part: &WavePart<f64>,
        matrices: &mut Matrices<T>,
        numbers: &mut Vec<T>,
    ) -> Self {
        let tables = part.tables();
        let (n_modes, n_waves, first) = (tables.n_modes, tables.n_waves, numbers.len());
        numbers.extend(tables.numbers.iter().map(|x| T::from_f64(*x)));
        Self {
            axis: part.axis(),
            n_waves,
            out: matrices.push(tables.out, Pairing::Rows, n_modes),
            radiate: tables.radiate.map(|one| matrices.push(one, Pairing::RowsByFour, n_waves)),
            collect: tables.collect.map(|one| matrices.push(one, Pairing::Columns, n_modes)),
            back: matrices.push(tables.back, Pairing::Columns, n_coefficients(order)),
            numbers: first,
        }
    }
}

/// For each axis the directions of the families whose waves go up, those of the families whose waves go down, and the
/// octants of the tree by that of the frame.
pub(super) fn places() -> Vec<u32> {
    let mut places = Vec::new();
    for axis in WaveAxis::ALL {
        let mut directions = [0; PLACES[0]];
        for direction in 0..DIRECTIONS {
            if let Some((way, across)) = axis.slot(direction_offset(direction)) {
                directions[9 * way + across] = direction as u32;
            }
        }
        let mut octants = [0; PLACES[1]];
        for octant in 0..8 {
            octants[axis.octant(octant)] = octant as u32;
        }
        places.extend(directions.into_iter().chain(octants));
    }
    places
}
