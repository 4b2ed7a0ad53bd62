//! The kernels that send and receive waves, for several families at a time.

use alloc::vec;
use alloc::vec::Vec;

use lanes::{Kernel, Lanes, Real};

use super::conversion::Buffers;
use super::{AxisTables, NO_ROW};
use crate::layout::row_length;

/// See [`Waves::send`](super::Waves::send).
#[derive(Debug)]
pub struct Send<'a, T> {
    pub(super) tables: &'a AxisTables<T>,
    pub(super) families: &'a [[u32; 8]],
    pub(super) multipoles: &'a [T],
    pub(super) sent: &'a mut [T],
}

/// A family that receives.
#[derive(Debug)]
pub struct Receiver<'a, T> {
    /// What the families around it sent, at their [`slot`](super::Waves::slot); empty where there is none.
    pub sources: [[&'a [T]; 9]; 2],
    /// Local expansions, to be added to.
    pub locals: &'a mut [T],
    /// By octant, the rows in `locals`, or [`NO_ROW`].
    pub rows: [u32; 8],
}

/// See [`Waves::receive`](super::Waves::receive).
#[derive(Debug)]
pub struct Receive<'a, 's, T> {
    pub(super) tables: &'a AxisTables<T>,
    pub(super) families: &'a mut [Receiver<'s, T>],
}

/// The widest vector register in floats.
const MAX_WIDTH: usize = 16;

impl<T: Real> Kernel<T> for Send<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        let Self { tables, families, multipoles, sent } = self;
        let mut buffers = Buffers::<V>::new(&tables.conversion);
        let (stride, length) = (row_length(tables.order), 2 * tables.n_waves);
        // The waves of a box up and down, box after box.
        let mut waves = vec![T::ZERO; families.len() * 8 * 2 * length];
        let boxes: Vec<(usize, usize)> = (0..families.len() * 8)
            .filter(|i| families[i / 8][i % 8] != NO_ROW)
            .map(|i| (i, families[i / 8][i % 8] as usize))
            .collect();
        let mut from = [&multipoles[..0]; MAX_WIDTH];
        let mut to = [0; MAX_WIDTH];
        for boxes in boxes.chunks(V::WIDTH) {
            for k in 0..V::WIDTH {
                // Lanes without a box repeat the last one and are not written.
                let (place, row) = boxes[k.min(boxes.len() - 1)];
                from[k] = &multipoles[row * stride..][..stride];
                to[k] = place * 2 * length;
            }
            for start in (0..stride).step_by(V::BLOCK) {
                V::gather_rows(&from, start, &mut buffers.expansions[start..]);
            }
            buffers.radiate(&tables.conversion);
            for way in 0..2 {
                for start in (0..length).step_by(V::BLOCK) {
                    let (from, at) = (&buffers.waves[way][start..], way * length + start);
                    V::scatter_add_rows(from, &to[..boxes.len()], at, &mut waves);
                }
            }
        }
        let families = families.iter().zip(waves.chunks_exact(16 * length));
        for ((rows, waves), sent) in families.zip(sent.chunks_exact_mut(tables.sent_length())) {
            let (up, down) = sent.split_at_mut(tables.sent_length() / 2);
            for (way, sets) in [up, down].into_iter().enumerate() {
                let mut children = [&waves[..0]; 8];
                for octant in 0..8 {
                    if rows[octant] != NO_ROW {
                        children[tables.axis.octant(octant)] =
                            &waves[(2 * octant + way) * length..][..length];
                    }
                }
                let (shifts, n) = (&tables.shifts, tables.n_waves);
                match tables.axis.bounded() {
                    0 => shifts.merge::<V, 0>(way, &children, n, sets),
                    1 => shifts.merge::<V, 1>(way, &children, n, sets),
                    _ => shifts.merge::<V, 2>(way, &children, n, sets),
                }
            }
        }
    }
}

impl<T: Real> Kernel<T> for Receive<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        let Self { tables, families } = self;
        let mut buffers = Buffers::<V>::new(&tables.conversion);
        let (stride, length) = (row_length(tables.order), 2 * tables.n_waves);
        // By family, way and octant of the frame.
        let mut waves = vec![T::ZERO; families.len() * 16 * length];
        let (shifts, n) = (&tables.shifts, tables.n_waves);
        for (family, waves) in families.iter().zip(waves.chunks_exact_mut(16 * length)) {
            for (way, children) in waves.chunks_exact_mut(8 * length).enumerate() {
                let sources = &family.sources[way];
                match tables.axis.bounded() {
                    0 => shifts.gather::<V, 0>(way, sources, n, children),
                    1 => shifts.gather::<V, 1>(way, sources, n, children),
                    _ => shifts.gather::<V, 2>(way, sources, n, children),
                }
            }
        }
        let boxes: Vec<(usize, usize)> = (0..families.len() * 8)
            .map(|i| (i / 8, i % 8))
            .filter(|(family, octant)| families[*family].rows[*octant] != NO_ROW)
            .collect();
        let mut from = [[&waves[..0]; MAX_WIDTH]; 2];
        let mut rows = [0; MAX_WIDTH];
        for (k, row) in rows.iter_mut().enumerate() {
            *row = k * stride;
        }
        let mut locals = vec![T::ZERO; V::WIDTH * stride];
        for boxes in boxes.chunks(V::WIDTH) {
            for k in 0..V::WIDTH {
                let (family, octant) = boxes[k.min(boxes.len() - 1)];
                let octant = tables.axis.octant(octant);
                for (way, from) in from.iter_mut().enumerate() {
                    let row = family * 16 + way * 8 + octant;
                    from[k] = &waves[row * length..][..length];
                }
            }
            for (from, waves) in from.iter().zip(&mut buffers.waves) {
                for start in (0..length).step_by(V::BLOCK) {
                    V::gather_rows(from, start, &mut waves[start..]);
                }
            }
            buffers.collect(&tables.conversion);
            locals.fill(T::ZERO);
            for start in (0..stride).step_by(V::BLOCK) {
                let from = &buffers.expansions[start..];
                V::scatter_add_rows(from, &rows[..boxes.len()], start, &mut locals);
            }
            for ((family, octant), locals) in boxes.iter().zip(locals.chunks_exact(stride)) {
                let Receiver { locals: to, rows, .. } = &mut families[*family];
                let to = &mut to[rows[*octant] as usize * stride..][..stride];
                for (to, local) in to.iter_mut().zip(locals) {
                    *to += *local;
                }
            }
        }
    }
}
