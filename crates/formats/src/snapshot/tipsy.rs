//! TIPSY's binary format, of the University of Washington's N-body shop: a header, then gas, dark and star particles.
//!
//! The standard form is big-endian (XDR) with f32 numbers; the native form is that of little-endian machines. The records
//! are those of `tipsydefs.h`: mass, position and velocity come first in each kind of particle.

use std::io::{self, Read, Seek, Write};

use super::bytes::{Bytes, Endian};
use super::{Snapshot, numbered};
use crate::error::Fault;
use crate::memory::reserve_exact;

/// Bytes of the header: time, number of bodies, dimensions, numbers of each kind, padding.
pub(super) const HEADER: usize = 32;

/// Floats of a gas, a dark and a star particle.
const FLOATS: [u64; 3] = [12, 9, 11];

/// Places of the softening length among them: `hsmooth` of gas, `eps` of the others.
const SOFTENING: [usize; 3] = [9, 7, 9];

/// Softening length of a particle, which a snapshot does not have, and its potential.
const REST: [f32; 2] = [0.0, 0.0];

/// The order of bytes of a file that begins so; `None` where TIPSY's does not.
pub(super) fn endian(beginning: &[u8]) -> Option<Endian> {
    let is_header = |endian: &Endian| {
        let word = |at| u64::from(endian.u32(beginning, at));
        word(12) == 3 && word(8) > 0 && word(8) == word(16) + word(20) + word(24)
    };
    Endian::BOTH.into_iter().find(|endian| beginning.len() >= HEADER && is_header(endian))
}

/// A file whose header was read.
struct Tipsy<R> {
    file: Bytes<R>,
    time: f64,
    /// Numbers of particles of each kind.
    counts: [u64; 3],
}

impl<R: Read + Seek> Tipsy<R> {
    fn open(input: R, endian: Endian) -> Result<Self, Fault> {
        let mut file = Bytes::new(input, "TIPSY", endian)?;
        let header = file.header::<HEADER>()?;
        let counts = [16, 20, 24].map(|at| u64::from(endian.u32(&header, at)));
        let tipsy = Tipsy { file, time: endian.f64(&header, 0), counts };
        let bytes: u64 = counts.iter().zip(FLOATS).map(|(count, floats)| 4 * count * floats).sum();
        if tipsy.file.left() < bytes {
            let (total, left) = (tipsy.total(), tipsy.file.left());
            let cause = format!("{total} particles take {bytes} bytes, and {left} follow");
            return Err(tipsy.file.fault(tipsy.file.offset(), cause));
        }
        Ok(tipsy)
    }

    fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Gives the kind and the floats of each particle, in the order of the file.
    fn particles(&mut self, mut visit: impl FnMut(usize, &[f64])) -> Result<(), Fault> {
        /// Particles that are read at once.
        const PART: u64 = 1 << 10;
        for (kind, (count, floats)) in self.counts.into_iter().zip(FLOATS).enumerate() {
            let mut left = count;
            while left > 0 {
                let part = left.min(PART);
                let values = self.file.floats(part * floats, 4, "particles")?;
                values.chunks_exact(floats as usize).for_each(|particle| visit(kind, particle));
                left -= part;
            }
        }
        Ok(())
    }
}

/// Reads particles of all kinds, in the order of the file, numbered from 0.
pub(super) fn read(input: impl Read + Seek, endian: Endian) -> Result<Snapshot, Fault> {
    let mut tipsy = Tipsy::open(input, endian)?;
    let total = tipsy.total() as usize;
    let mut snapshot = Snapshot { time: tipsy.time, ..Snapshot::default() };
    reserve_exact(&mut snapshot.positions, total)?;
    reserve_exact(&mut snapshot.velocities, total)?;
    reserve_exact(&mut snapshot.masses, total)?;
    tipsy.particles(|_, particle| {
        snapshot.masses.push(particle[0]);
        snapshot.positions.push([particle[1], particle[2], particle[3]]);
        snapshot.velocities.push([particle[4], particle[5], particle[6]]);
    })?;
    snapshot.ids = numbered(snapshot.positions.len())?;
    Ok(snapshot)
}

/// Reads the softening lengths of all particles.
pub(super) fn softenings(input: impl Read + Seek, endian: Endian) -> Result<Vec<f64>, Fault> {
    let mut tipsy = Tipsy::open(input, endian)?;
    let mut lengths = Vec::new();
    reserve_exact(&mut lengths, tipsy.total() as usize)?;
    tipsy.particles(|kind, particle| lengths.push(particle[SOFTENING[kind]]))?;
    Ok(lengths)
}

/// Refuses more particles than the format can count.
pub(super) fn check(snapshot: &Snapshot) -> Result<(), Fault> {
    const LARGEST: usize = i32::MAX as usize;
    match snapshot.positions.len() {
        found if found > LARGEST => Err(Fault::TooMany { found, limit: LARGEST }),
        _ => Ok(()),
    }
}

/// Writes all particles as dark matter, in the standard form.
pub(super) fn write(output: &mut dyn Write, snapshot: &Snapshot) -> io::Result<()> {
    let count = snapshot.positions.len() as u32;
    output.write_all(&snapshot.time.to_be_bytes())?;
    for number in [count, 3, 0, count, 0, 0] {
        output.write_all(&number.to_be_bytes())?;
    }
    let Snapshot { positions, velocities, masses, .. } = snapshot;
    for ((mass, position), velocity) in masses.iter().zip(positions).zip(velocities) {
        let numbers = [*mass].into_iter().chain(*position).chain(*velocity).map(|x| x as f32);
        for number in numbers.chain(REST) {
            output.write_all(&number.to_be_bytes())?;
        }
    }
    Ok(())
}
