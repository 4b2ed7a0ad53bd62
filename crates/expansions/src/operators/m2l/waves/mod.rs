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
pub mod tables;

pub use buffer::WaveBuffer;
use frame::QuarterTurn;
pub use frame::WaveAxis;
pub(crate) use kernels::{ReceiveWaves, SendWaves};
pub use kernels::{Receiver, WaveScratch};

use alloc::vec::Vec;

use crate::Scalar;
use conversion::Conversion;
use rules::Rule;
use shifts::Shifts;
use tables::n_sets;

/// Row number of an octant in which a family has no box.
pub const NO_ROW: u32 = u32::MAX;

/// Plane waves between the boxes of a level: the tables of one order.
///
/// A family is the children of one box. For each [part](WavePart), first the families that have sources
/// [`send`](WavePart::send) their waves, then those that have receivers [`receive`](WavePart::receive) the waves of
/// the families that touch theirs on either side. Together the parts cover the far pairs (list V), each pair once.
#[derive(Clone, Debug)]
pub struct Waves<T> {
    order: usize,
    parts: Vec<WavePart<T>>,
}

/// Numbers that a family sends at once, approximately. Fewer keep the waves of many families in the cache and memory
/// small; high orders take more, because each part rotates its expansions anew.
const fn longest(order: usize) -> usize {
    if order < 16 { 1 << 12 } else { 16 * order * order }
}

impl<T: Scalar> Waves<T> {
    /// Tables for expansions of order `order`. The error of 1/r by waves, in sides of a box, is at most `error`, or the
    /// smallest error that the rules reach.
    pub fn new(order: usize, error: f64) -> Self {
        Self::in_parts(order, error, longest(order))
    }

    /// Tables as those of [`new`](Self::new), in parts in which a family sends about `longest` numbers at once, or those of one node.
    pub fn in_parts(order: usize, error: f64, longest: usize) -> Self {
        let quarter_turn = &QuarterTurn::new(order);
        let parts = WaveAxis::ALL.into_iter().flat_map(|axis| {
            let rule = Rule::new(axis.reach2(), error);
            let parts = rule.parts(longest / (4 * n_sets(axis))).into_iter();
            parts.map(move |rule| WavePart::new(order, axis, &rule, quarter_turn))
        });
        Self { order, parts: parts.collect() }
    }

    /// Most numbers that a family sends at once with the tables for an order and an error.
    pub fn longest(order: usize, error: f64) -> usize {
        let of_axis = |axis: WaveAxis| {
            let parts = Rule::new(axis.reach2(), error).parts(longest(order) / (4 * n_sets(axis)));
            let sent = parts.iter().map(|rule| 4 * n_sets(axis) * conversion::n_waves(rule));
            sent.max().unwrap_or(0)
        };
        WaveAxis::ALL.into_iter().map(of_axis).max().unwrap_or(0)
    }

    /// Order of the expansions.
    pub fn order(&self) -> usize {
        self.order
    }

    /// Numbers that the tables of an order take with the error that goes with it, about: waves of a quadrature grow as p², and
    /// the fit is to what [`bytes`](Self::bytes) finds.
    pub const fn table_numbers(order: usize) -> usize {
        310 * order.pow(2) + 400
    }

    /// Memory of the tables, in bytes.
    pub fn bytes(&self) -> usize {
        let bytes = |part: &WavePart<T>| part.conversion.bytes() + part.shifts.bytes();
        self.parts.iter().map(bytes).sum()
    }

    /// Numbers of a family and of a box at once, with the tables for an order and an error in such parts: `[sent, waves,
    /// modes]`, the most of any part.
    pub fn lengths(order: usize, error: f64, longest: usize) -> [usize; 3] {
        let mut most = [0; 3];
        for axis in WaveAxis::ALL {
            let rule = Rule::new(axis.reach2(), error);
            for rule in rule.parts(longest / (4 * n_sets(axis))) {
                let waves = 4 * conversion::n_waves(&rule);
                let of_part = [n_sets(axis) * waves, waves, 2 * conversion::n_modes(order, &rule)];
                for (most, length) in most.iter_mut().zip(of_part) {
                    *most = length.max(*most);
                }
            }
        }
        most
    }

    /// The waves of one axis after the other, some nodes at a time.
    pub fn parts(&self) -> &[WavePart<T>] {
        &self.parts
    }
}

/// Part of the waves along an axis, with its tables.
#[derive(Clone, Debug)]
pub struct WavePart<T> {
    axis: WaveAxis,
    order: usize,
    /// Complex waves of one way, padded.
    n_waves: usize,
    conversion: Conversion<T>,
    shifts: Shifts<T>,
}

impl<T: Scalar> WavePart<T> {
    fn new(order: usize, axis: WaveAxis, rule: &Rule, quarter_turn: &QuarterTurn) -> Self {
        Self {
            axis,
            order,
            n_waves: conversion::n_waves(rule),
            conversion: Conversion::new(order, axis, rule, quarter_turn),
            shifts: Shifts::new(rule),
        }
    }

    /// The tables, for other engines.
    pub fn tables(&self) -> tables::WaveTables<'_, T> {
        tables::WaveTables::of(self)
    }

    /// The axis along which the waves run.
    pub fn axis(&self) -> WaveAxis {
        self.axis
    }

    /// Length of the numbers that a family sends: the sets up, then the sets down; in a set the real parts of the
    /// waves, then the imaginary parts.
    pub fn sent_length(&self) -> usize {
        2 * n_sets(self.axis) * 2 * self.n_waves
    }

    /// Writes to `sent` the waves of families one after the other. `families` has the rows of their multipoles by
    /// octant (bit 0 is x, 1 y, 2 z), or [`NO_ROW`].
    ///
    /// Cost of a family: about M F multiply-adds a child and node of M directions and F azimuthal indices.
    pub fn send(
        &self,
        families: &[[u32; 8]],
        multipoles: &[T],
        sent: &mut [T],
        scratch: &mut WaveScratch<T>,
    ) {
        T::run_send_waves(SendWaves { part: self, families, multipoles, sent, scratch });
    }

    /// Adds the waves of the surrounding families to the local expansions of `families`. Cost: as
    /// [`send`](Self::send).
    pub fn receive(&self, families: &mut [Receiver<'_, T>], scratch: &mut WaveScratch<T>) {
        T::run_receive_waves(ReceiveWaves { part: self, families, scratch });
    }
}
