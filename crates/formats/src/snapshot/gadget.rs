//! The binary format of GADGET-1 and GADGET-2: a header, then blocks of positions, velocities, numbers and masses.
//!
//! Each block is a Fortran record: its length before and after it ("User guide for GADGET-2", section 6). In the second
//! form (SnapFormat 2) a record with a label goes before each block; in the first the order tells. Floats have 4 or 8
//! bytes, identity numbers too. Six kinds of particles follow each other in a block; a kind whose mass stands in the
//! header has none in the block of masses.

use std::io::{self, Read, Seek, Write};

use super::bytes::{Bytes, Endian};
use super::{Snapshot, numbered, zeros};
use crate::error::Fault;
use crate::memory::reserve_exact;

/// Bytes of the header.
const HEADER: usize = 256;
/// Bytes of the record of a label.
const LABEL: u32 = 8;
/// Kinds of particles.
const KINDS: usize = 6;
/// Labels of the blocks that are read, in the order of the first form.
const LABELS: [&[u8; 4]; 4] = [b"POS ", b"VEL ", b"ID  ", b"MASS"];

/// The order of bytes of a file that begins so; `None` where GADGET's does not.
pub(super) fn endian(beginning: &[u8]) -> Option<Endian> {
    let is_first = |endian: &Endian| match endian.u32(beginning, 0) {
        LABEL => &beginning[4..8] == b"HEAD",
        length => length as usize == HEADER,
    };
    Endian::BOTH.into_iter().find(|endian| beginning.len() >= 8 && is_first(endian))
}

/// Numbers of the header.
struct Header {
    counts: [u64; KINDS],
    /// Mass of each particle of a kind, 0 where the block of masses has them.
    masses: [f64; KINDS],
    time: f64,
}

impl Header {
    fn read(bytes: &[u8; HEADER], endian: Endian) -> Result<Header, Fault> {
        const TIME: usize = 72;
        const FILES: usize = 124;
        match endian.u32(bytes, FILES) {
            0 | 1 => Ok(Header {
                counts: std::array::from_fn(|kind| endian.u32(bytes, 4 * kind).into()),
                masses: std::array::from_fn(|kind| endian.f64(bytes, 24 + 8 * kind)),
                time: endian.f64(bytes, TIME),
            }),
            files => Err(Fault::Parts(files)),
        }
    }

    /// Number of particles.
    fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// Number of particles in the block of masses.
    fn in_block(&self) -> u64 {
        let kinds = self.counts.iter().zip(self.masses);
        kinds.filter(|(_, mass)| *mass == 0.0).map(|(count, _)| count).sum()
    }

    /// Masses of all particles from those in the block.
    fn masses(&self, block: &[f64]) -> Result<Vec<f64>, Fault> {
        let mut masses = Vec::new();
        reserve_exact(&mut masses, self.total() as usize)?;
        let mut rest = block;
        for (&count, &mass) in self.counts.iter().zip(&self.masses) {
            let count = count as usize;
            if mass == 0.0 {
                let (own, others) = rest.split_at(count);
                masses.extend_from_slice(own);
                rest = others;
            } else {
                masses.resize(masses.len() + count, mass);
            }
        }
        Ok(masses)
    }
}

/// Blocks read so far.
#[derive(Default)]
struct Blocks {
    positions: Option<Vec<[f64; 3]>>,
    velocities: Option<Vec<[f64; 3]>>,
    ids: Option<Vec<u64>>,
    masses: Option<Vec<f64>>,
}

/// Reads particles of all kinds, in the order of the file.
pub(super) fn read(input: impl Read + Seek, endian: Endian) -> Result<Snapshot, Fault> {
    let mut file = Bytes::new(input, "GADGET", endian)?;
    let mut length = file.word()?;
    let labelled = length == LABEL;
    if labelled {
        file.skip(u64::from(LABEL))?;
        end(&mut file, LABEL)?;
        length = file.word()?;
    }
    if length as usize != HEADER {
        let cause = format!("the header has {length} bytes, not {HEADER}");
        return Err(file.fault(file.offset(), cause));
    }
    let header = Header::read(&file.header::<HEADER>()?, endian)?;
    end(&mut file, length)?;

    let mut blocks = Blocks::default();
    let mut order = LABELS.iter().filter(|label| **label != b"MASS" || header.in_block() > 0);
    while file.left() > 0 {
        let label = match (labelled, order.next()) {
            (true, _) => self::label(&mut file)?,
            (false, Some(label)) => **label,
            (false, None) => break,
        };
        block(&mut file, label, &header, &mut blocks)?;
    }

    let missing = |name: &str| file.fault(file.offset(), format!("no block of {name}"));
    let positions = blocks.positions.ok_or_else(|| missing("positions"))?;
    let count = positions.len();
    let masses = match blocks.masses {
        Some(masses) => header.masses(&masses)?,
        None if header.in_block() > 0 => return Err(missing("masses")),
        None => header.masses(&[])?,
    };
    let velocities = blocks.velocities.map_or_else(|| zeros(count), Ok)?;
    let ids = blocks.ids.map_or_else(|| numbered(count), Ok)?;
    Ok(Snapshot { time: header.time, step: 0, positions, velocities, masses, ids })
}

/// Reads the record of a label.
fn label(file: &mut Bytes<impl Read + Seek>) -> Result<[u8; 4], Fault> {
    let start = file.offset();
    let length = file.word()?;
    if length != LABEL {
        return Err(file.fault(start, format!("a label has {length} bytes, not {LABEL}")));
    }
    let label = file.header::<4>()?;
    file.skip(4)?;
    end(file, LABEL)?;
    Ok(label)
}

/// Reads a block, or passes over one that a snapshot has no use for.
fn block(
    file: &mut Bytes<impl Read + Seek>,
    label: [u8; 4],
    header: &Header,
    blocks: &mut Blocks,
) -> Result<(), Fault> {
    let start = file.offset();
    let length = file.word()?;
    let total = header.total();
    let numbers = match &label {
        b"POS " | b"VEL " => 3 * total,
        b"ID  " => total,
        b"MASS" => header.in_block(),
        _ => {
            file.skip(u64::from(length))?;
            return end(file, length);
        }
    };
    let size = [4, 8].into_iter().find(|size| numbers.checked_mul(*size) == Some(length.into()));
    let Some(size) = size else {
        let name = String::from_utf8_lossy(&label).trim().to_owned();
        let cause = format!("the block {name} of {numbers} numbers has {length} bytes");
        return Err(file.fault(start, cause));
    };
    match &label {
        b"POS " => blocks.positions = Some(triples(&file.floats(numbers, size, "positions")?)?),
        b"VEL " => blocks.velocities = Some(triples(&file.floats(numbers, size, "velocities")?)?),
        b"ID  " => blocks.ids = Some(file.integers(numbers, size, "ids")?),
        _ => blocks.masses = Some(file.floats(numbers, size, "masses")?),
    }
    end(file, length)
}

/// Reads the length after a record, which is that before it.
fn end(file: &mut Bytes<impl Read + Seek>, length: u32) -> Result<(), Fault> {
    let offset = file.offset();
    match file.word()? {
        found if found == length => Ok(()),
        found => Err(file.fault(offset, format!("a record of {length} bytes ends with {found}"))),
    }
}

fn triples(values: &[f64]) -> Result<Vec<[f64; 3]>, Fault> {
    let mut triples = Vec::new();
    reserve_exact(&mut triples, values.len() / 3)?;
    triples.extend_from_slice(values.as_chunks().0);
    Ok(triples)
}

/// Refuses more particles than a record can hold.
pub(super) fn check(snapshot: &Snapshot) -> Result<(), Fault> {
    const LARGEST: usize = u32::MAX as usize / 12;
    match snapshot.positions.len() {
        found if found > LARGEST => Err(Fault::TooMany { found, limit: LARGEST }),
        _ => Ok(()),
    }
}

/// Writes all particles as those of the halo (kind 1), in the first form, little-endian, with floats of 4 bytes. Equal
/// masses stand in the header.
pub(super) fn write(output: &mut dyn Write, snapshot: &Snapshot) -> io::Result<()> {
    let Snapshot { time, positions, velocities, masses, ids, .. } = snapshot;
    let count = positions.len() as u32;
    let first = masses.first().copied().unwrap_or(0.0);
    let common = if masses.iter().all(|&mass| mass == first) { first } else { 0.0 };

    let mut header = [0; HEADER];
    let mut put = |at: usize, bytes: &[u8]| header[at..at + bytes.len()].copy_from_slice(bytes);
    put(4, &count.to_le_bytes());
    put(32, &common.to_le_bytes());
    put(72, &time.to_le_bytes());
    // The number of particles in all files, and the number of files.
    put(100, &count.to_le_bytes());
    put(124, &1u32.to_le_bytes());
    record(output, header.len(), |output| output.write_all(&header))?;

    let floats = |output: &mut dyn Write, values: &[f64]| {
        values.iter().try_for_each(|&value| output.write_all(&(value as f32).to_le_bytes()))
    };
    for vectors in [positions, velocities] {
        record(output, 12 * vectors.len(), |output| floats(output, vectors.as_flattened()))?;
    }
    let narrow: Option<Vec<u32>> = ids.iter().map(|&id| id.try_into().ok()).collect();
    match narrow {
        Some(ids) => record(output, 4 * ids.len(), |output| {
            ids.iter().try_for_each(|id| output.write_all(&id.to_le_bytes()))
        })?,
        None => record(output, 8 * ids.len(), |output| {
            ids.iter().try_for_each(|id| output.write_all(&id.to_le_bytes()))
        })?,
    }
    if common == 0.0 {
        record(output, 4 * masses.len(), |output| floats(output, masses))?;
    }
    Ok(())
}

/// Writes a record with its length before and after it.
fn record(
    output: &mut dyn Write,
    length: usize,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let length = (length as u32).to_le_bytes();
    output.write_all(&length)?;
    content(output)?;
    output.write_all(&length)
}
