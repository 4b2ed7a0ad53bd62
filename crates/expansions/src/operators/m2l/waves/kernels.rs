//! The kernels that send and receive waves, for several families at a time.

use alloc::vec::Vec;

use lanes::{Kernel, Lanes, Real};

use super::buffer::WaveBuffer;
use super::conversion::Buffers;
use super::tables::n_sets;
use super::{NO_ROW, WavePart};
use crate::layout::row_length;

/// Buffers of sending and receiving, to be reused.
#[derive(Clone, Debug, Default)]
pub struct WaveScratch<T> {
    waves: WaveBuffer<T>,
    locals: WaveBuffer<T>,
    boxes: Vec<Member>,
}

/// A box of a family: the family's number and the box's octant.
#[derive(Clone, Copy, Debug)]
struct Member {
    family: u32,
    octant: u32,
    row: u32,
}

/// Arguments of [`WavePart::send`].
#[derive(Debug)]
pub struct SendWaves<'a, T> {
    pub(super) part: &'a WavePart<T>,
    pub(super) families: &'a [[u32; 8]],
    pub(super) multipoles: &'a [T],
    pub(super) sent: &'a mut [T],
    pub(super) scratch: &'a mut WaveScratch<T>,
}

/// Family that receives waves.
#[derive(Debug)]
pub struct Receiver<'a, T> {
    /// Waves sent by the surrounding families, at their [`slot`](super::WaveAxis::slot); empty where there is none.
    pub sources: [[&'a [T]; 9]; 2],
    /// Local expansions, to be added to.
    pub locals: &'a mut [T],
    /// Rows in `locals` by octant, or [`NO_ROW`].
    pub rows: [u32; 8],
}

/// Arguments of [`WavePart::receive`].
#[derive(Debug)]
pub struct ReceiveWaves<'a, 's, T> {
    pub(super) part: &'a WavePart<T>,
    pub(super) families: &'a mut [Receiver<'s, T>],
    pub(super) scratch: &'a mut WaveScratch<T>,
}

/// The widest vector register in floats.
const MAX_WIDTH: usize = 16;

/// Vectors of boxes in a batch of whole families: few, so that their waves stay in the cache, yet enough to fill most
/// lanes where families are small.
const VECTORS: usize = 2;

impl<T: Real> Kernel<T> for SendWaves<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        let Self { part, families, multipoles, sent, scratch } = self;
        let mut buffers = Buffers::<V>::new(&part.conversion);
        let (stride, length) = (row_length(part.order), 2 * part.n_waves);
        let sent_length = 2 * n_sets(part.axis) * length;
        let WaveScratch { waves, boxes, .. } = scratch;
        let mut from = [&multipoles[..0]; MAX_WIDTH];
        let mut block = [V::zero(); MAX_WIDTH];
        let mut done = 0;
        while done < families.len() {
            let end = members(families.iter(), done, VECTORS * V::WIDTH, boxes);
            // Box after box, the waves up and down.
            let waves = waves.room(boxes.len() * 2 * length);
            for (batch, boxes) in boxes.chunks(V::WIDTH).enumerate() {
                for k in 0..V::WIDTH {
                    // Lanes without a box repeat the last one and are not written.
                    let row = boxes[k.min(boxes.len() - 1)].row as usize;
                    from[k] = &multipoles[row * stride..][..stride];
                }
                for start in (0..stride).step_by(V::BLOCK) {
                    V::gather_rows(&from, start, &mut buffers.expansions[start..]);
                }
                buffers.modes_of_multipoles(&part.conversion);
                for way in 0..2 {
                    buffers.radiate(&part.conversion, way);
                    let first = batch * V::WIDTH * 2 + way;
                    put_rows(&buffers.waves, boxes.len(), first, length, waves, &mut block);
                }
            }
            let mut next = 0;
            for family in done..end {
                let sent = &mut sent[family * sent_length..][..sent_length];
                let mut children = [[&waves[..0]; 8]; 2];
                while next < boxes.len() && boxes[next].family as usize == family {
                    let octant = part.axis.octant(boxes[next].octant as usize);
                    for (way, children) in children.iter_mut().enumerate() {
                        children[octant] = &waves[(2 * next + way) * length..][..length];
                    }
                    next += 1;
                }
                let half = sent.len() / 2;
                for way in 0..2 {
                    let sets = &mut sent[way * half..][..half];
                    let (shifts, n) = (&part.shifts, part.n_waves);
                    match part.axis.bounded() {
                        0 => shifts.merge::<V, 0>(way, &children[way], n, sets),
                        1 => shifts.merge::<V, 1>(way, &children[way], n, sets),
                        _ => shifts.merge::<V, 2>(way, &children[way], n, sets),
                    }
                }
            }
            done = end;
        }
    }
}

/// Lists the boxes of the families from `start` on: of one family at least, and of as many as have at most `most`
/// boxes. Returns one past the last family.
fn members<'a>(
    rows: impl Iterator<Item = &'a [u32; 8]>,
    start: usize,
    most: usize,
    boxes: &mut Vec<Member>,
) -> usize {
    boxes.clear();
    let mut end = start;
    for (family, rows) in rows.enumerate().skip(start) {
        let count = rows.iter().filter(|row| **row != NO_ROW).count();
        if end > start && boxes.len() + count > most {
            break;
        }
        for (octant, row) in rows.iter().enumerate().filter(|(_, row)| **row != NO_ROW) {
            boxes.push(Member { family: family as u32, octant: octant as u32, row: *row });
        }
        end = family + 1;
    }
    end
}

/// Writes the first `n` lanes of `from` to the rows `first`, `first` + 2 … of `to`, of `length` numbers each.
#[inline(always)]
fn put_rows<V: Lanes>(
    from: &[V],
    n: usize,
    first: usize,
    length: usize,
    to: &mut [V::Scalar],
    block: &mut [V; MAX_WIDTH],
) {
    let mut numbers = [[V::Scalar::ZERO; MAX_WIDTH]; MAX_WIDTH];
    for start in (0..length).step_by(V::WIDTH) {
        for k in 0..V::WIDTH {
            from[start + k].store(&mut numbers[k]);
        }
        let mut rows = [&numbers[0][..]; MAX_WIDTH];
        for k in 0..V::WIDTH {
            rows[k] = &numbers[k];
        }
        V::gather_rows(&rows, 0, block);
        for k in 0..n {
            block[k].store(&mut to[(first + 2 * k) * length + start..]);
        }
    }
}

impl<T: Real> Kernel<T> for ReceiveWaves<'_, '_, T> {
    type Output = ();

    #[inline(always)]
    fn run<V: Lanes<Scalar = T>>(self) {
        let Self { part, families, scratch } = self;
        let mut buffers = Buffers::<V>::new(&part.conversion);
        let (stride, length) = (row_length(part.order), 2 * part.n_waves);
        let WaveScratch { waves, locals, boxes } = scratch;
        let (shifts, n) = (&part.shifts, part.n_waves);
        let mut done = 0;
        while done < families.len() {
            let end = members(
                families.iter().map(|family| &family.rows),
                done,
                VECTORS * V::WIDTH,
                boxes,
            );
            // By family, way and octant of the frame.
            let waves = waves.room((end - done) * 16 * length);
            let parts = waves.chunks_exact_mut(16 * length);
            for (family, waves) in families[done..end].iter().zip(parts) {
                for (way, children) in waves.chunks_exact_mut(8 * length).enumerate() {
                    let sources = &family.sources[way];
                    match part.axis.bounded() {
                        0 => shifts.gather::<V, 0>(way, sources, n, children),
                        1 => shifts.gather::<V, 1>(way, sources, n, children),
                        _ => shifts.gather::<V, 2>(way, sources, n, children),
                    }
                }
            }
            for boxes in boxes.chunks(V::WIDTH) {
                for way in 0..2 {
                    let mut from = [&waves[..0]; MAX_WIDTH];
                    for k in 0..V::WIDTH {
                        let Member { family, octant, .. } = boxes[k.min(boxes.len() - 1)];
                        let octant = part.axis.octant(octant as usize);
                        let row = (family as usize - done) * 16 + way * 8 + octant;
                        from[k] = &waves[row * length..][..length];
                    }
                    for start in (0..length).step_by(V::BLOCK) {
                        V::gather_rows(&from, start, &mut buffers.waves[start..]);
                    }
                    buffers.collect(&part.conversion, way);
                }
                buffers.locals_of_modes(&part.conversion);
                let locals = locals.room(V::WIDTH * stride);
                add_locals(&buffers.expansions, boxes, stride, locals, families);
            }
            done = end;
        }
    }
}

/// Adds expansions, one box a lane, to the local expansions of `boxes`. `rows` has room for one row of `stride`
/// numbers a lane.
#[inline(always)]
fn add_locals<V: Lanes>(
    expansions: &[V],
    boxes: &[Member],
    stride: usize,
    rows: &mut [V::Scalar],
    families: &mut [Receiver<'_, V::Scalar>],
) {
    let mut starts = [0; MAX_WIDTH];
    for (k, start) in starts.iter_mut().enumerate() {
        *start = k * stride;
    }
    rows.fill(V::Scalar::ZERO);
    for start in (0..stride).step_by(V::BLOCK) {
        V::scatter_add_rows(&expansions[start..], &starts[..boxes.len()], start, rows);
    }
    for (member, local) in boxes.iter().zip(rows.chunks_exact(stride)) {
        let to = &mut families[member.family as usize].locals;
        let to = &mut to[member.row as usize * stride..][..stride];
        for start in (0..stride).step_by(V::WIDTH) {
            let sum = V::load(&to[start..]) + V::load(&local[start..]);
            sum.store(&mut to[start..]);
        }
    }
}
