//! M2L by plane waves: multipoles become waves, which are shifted by a phase, merged and turned into local expansions.
//!
//! A far pair takes 2p³ multiply-adds by rotation, and a box has up to 189. By waves a box is converted twice for
//! each of three axes, and what lies between is multiplication by phases, of which a family of eight boxes needs 34
//! a way: the waves of the eight children of a box are merged about its centre, once for all receivers; families
//! add up the waves of the nine families next to theirs on one side, and hand them to their children. All reads are
//! on the receivers' side, so nobody writes where another does. Sources: Greengard & Rokhlin (1997); Cheng,
//! Greengard & Rokhlin (1999). `docs/theory/formulas.md`, section 10.

mod blocks;
mod buffer;
mod conversion;
mod frame;
mod kernels;
mod rules;
mod shifts;

pub use buffer::WaveBuffer;
pub use frame::WaveAxis;
pub(crate) use kernels::{ReceiveWaves, SendWaves};
pub use kernels::{Receiver, WaveScratch};

use alloc::vec::Vec;

use crate::Scalar;
use conversion::Conversion;
use rules::Rule;
use shifts::Shifts;

/// Says that a family has no box in an octant.
pub const NO_ROW: u32 = u32::MAX;

/// Plane waves between the boxes of a level: the tables of one order.
///
/// A family is the children of one box. For each axis, first the families that have sources [`send`](Self::send)
/// their waves, then those that have receivers [`receive`](Self::receive) the waves of the families that touch
/// theirs on either side. Together the axes cover the far pairs (list V), each pair once.
#[derive(Clone, Debug)]
pub struct Waves<T> {
    order: usize,
    axes: Vec<AxisTables<T>>,
}

/// The tables of one axis.
#[derive(Clone, Debug)]
pub(crate) struct AxisTables<T> {
    pub(crate) axis: WaveAxis,
    pub(crate) order: usize,
    /// Complex waves of one way, padded.
    pub(crate) n_waves: usize,
    conversion: Conversion<T>,
    shifts: Shifts<T>,
}

impl<T> AxisTables<T> {
    /// Sets of waves that a family sends one way.
    fn n_sets(&self) -> usize {
        2 << self.axis.bounded()
    }

    /// Length of what a family sends: the sets up, then those down; in a set the real parts, then the imaginary ones.
    fn sent_length(&self) -> usize {
        2 * self.n_sets() * 2 * self.n_waves
    }
}

impl<T: Scalar> Waves<T> {
    /// Tables for expansions of order `order`. The waves' error of 1/r, in sides of a box, is at most `error`, or what
    /// they can reach.
    pub fn new(order: usize, error: f64) -> Self {
        let tables = |axis: WaveAxis| {
            let rule = Rule::new(axis.reach2(), error);
            AxisTables {
                axis,
                order,
                n_waves: conversion::n_waves(&rule),
                conversion: Conversion::new(order, axis, &rule),
                shifts: Shifts::new(&rule),
            }
        };
        Self { order, axes: WaveAxis::ALL.into_iter().map(tables).collect() }
    }

    /// Order of the expansions.
    pub fn order(&self) -> usize {
        self.order
    }

    fn tables(&self, axis: WaveAxis) -> &AxisTables<T> {
        &self.axes[axis as usize]
    }

    /// How many numbers a family sends along an axis.
    pub fn sent_length(&self, axis: WaveAxis) -> usize {
        self.tables(axis).sent_length()
    }

    /// Writes to `sent` the waves of families one after the other. `families` has the rows of their multipoles by
    /// octant (bit 0 is x, 1 y, 2 z), or [`NO_ROW`].
    pub fn send(
        &self,
        axis: WaveAxis,
        families: &[[u32; 8]],
        multipoles: &[T],
        sent: &mut [T],
        scratch: &mut WaveScratch<T>,
    ) {
        let tables = self.tables(axis);
        T::run_send_waves(SendWaves { tables, families, multipoles, sent, scratch });
    }

    /// Adds to the local expansions of families what the waves of the families around them bring.
    pub fn receive(
        &self,
        axis: WaveAxis,
        families: &mut [Receiver<'_, T>],
        scratch: &mut WaveScratch<T>,
    ) {
        let tables = self.tables(axis);
        T::run_receive_waves(ReceiveWaves { tables, families, scratch });
    }

    /// Which of a receiver's sources a family is that lies `offset` boxes of the parents' level away; `None` if no
    /// pair of their children belongs to the axis.
    pub fn slot(axis: WaveAxis, offset: [i32; 3]) -> Option<(usize, usize)> {
        let [u, v, w] = axis.turn(offset);
        let across = ((u + 1) + 3 * (v + 1)) as usize;
        match w {
            // Waves go up from what lies below.
            -1 => Some((0, across)),
            1 => Some((1, across)),
            _ => None,
        }
    }
}
