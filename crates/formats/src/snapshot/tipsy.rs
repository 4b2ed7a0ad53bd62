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

/// Reads particles of all kinds, in the order of the file, numbered from 0.
pub(super) fn read(input: impl Read + Seek, endian: Endian) -> Result<Snapshot, Fault> {
    /// Particles that are read at once.
    const PART: u64 = 1 << 10;
    let mut file = Bytes::new(input, "TIPSY", endian)?;
    let header = file.header::<HEADER>()?;
    let counts = [16, 20, 24].map(|at| u64::from(endian.u32(&header, at)));
    let total: u64 = counts.iter().sum();
    let bytes: u64 = counts.iter().zip(FLOATS).map(|(count, floats)| 4 * count * floats).sum();
    if file.left() < bytes {
        let cause = format!("{total} particles take {bytes} bytes, and {} follow", file.left());
        return Err(file.fault(file.offset(), cause));
    }
    let mut snapshot = Snapshot { time: endian.f64(&header, 0), ..Snapshot::default() };
    reserve_exact(&mut snapshot.positions, total as usize)?;
    reserve_exact(&mut snapshot.velocities, total as usize)?;
    reserve_exact(&mut snapshot.masses, total as usize)?;
    for (count, floats) in counts.into_iter().zip(FLOATS) {
        let mut left = count;
        while left > 0 {
            let part = left.min(PART);
            let values = file.floats(part * floats, 4, "particles")?;
            for particle in values.chunks_exact(floats as usize) {
                snapshot.masses.push(particle[0]);
                snapshot.positions.push([particle[1], particle[2], particle[3]]);
                snapshot.velocities.push([particle[4], particle[5], particle[6]]);
            }
            left -= part;
        }
    }
    snapshot.ids = numbered(snapshot.positions.len())?;
    Ok(snapshot)
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
