//! The directory of a zip archive: names, places and lengths of its members, checked against the archive's real length.
//!
//! PKWARE's APPNOTE, sections 4.3.12 to 4.3.16. Read here because memory has to stay bounded, and two members of one name
//! have to be seen.

use std::io::{self, BufReader, Read, Seek, SeekFrom};

use flate2::CrcReader;
use flate2::bufread::DeflateDecoder;

use crate::limits::MOST_ARRAYS;
use crate::memory::{Counted, Expanding};

/// One member of an archive.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: String,
    method: u16,
    encrypted: bool,
    checksum: u32,
    /// Bytes in the archive.
    packed: u64,
    /// Bytes of the content, as the directory says.
    length: u64,
    /// Place of the member's header.
    start: u64,
}

/// Failure to read an archive.
#[derive(Debug)]
pub(crate) enum ZipFault {
    Read(io::Error),
    /// Words that follow "is not a sound archive".
    Damaged(&'static str),
}

impl From<io::Error> for ZipFault {
    fn from(error: io::Error) -> ZipFault {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => ZipFault::Damaged("it is cut short"),
            _ => ZipFault::Read(error),
        }
    }
}

const END: usize = 22;
const END_64: u64 = 56;
const LOCATOR_64: u64 = 20;
const ENTRY: usize = 46;
const LOCAL: usize = 30;
const LONGEST_COMMENT: u64 = 0xffff;
/// Bytes of a name at most, so that the directory takes little memory.
const LONGEST_NAME: usize = 255;

/// Reads the directory at the end of an archive.
pub(crate) fn read_directory(input: &mut (impl Read + Seek)) -> Result<Vec<Member>, ZipFault> {
    let archive = input.seek(SeekFrom::End(0))?;
    let tail_start = archive.saturating_sub(END as u64 + LONGEST_COMMENT);
    let tail = bytes(input, tail_start, (archive - tail_start) as usize)?;
    let at = (0..(tail.len() + 1).saturating_sub(END))
        .rev()
        .find(|&at| {
            tail[at..].starts_with(b"PK\x05\x06")
                && at + END + usize::from(u16_at(&tail, at + 20)) == tail.len()
        })
        .ok_or(ZipFault::Damaged("it has no directory, as when it is cut short"))?;
    let end = tail_start + at as u64;
    let narrow = [u16_at(&tail, at + 10).into(), u32_at(&tail, at + 12), u32_at(&tail, at + 16)];
    let [count, size, start] = wide_end(input, end)?.unwrap_or(narrow);
    if count >= MOST_ARRAYS {
        return Err(ZipFault::Damaged("it has more than 65535 members"));
    }
    if start.checked_add(size).is_none_or(|directory| directory > end) {
        return Err(ZipFault::Damaged("its directory is out of place"));
    }
    input.seek(SeekFrom::Start(start))?;
    let mut directory = BufReader::new(input.take(size));
    (0..count).map(|_| Member::read(&mut directory, start)).collect()
}

/// Count, size and start of the directory by the 64-bit extension, where it is used.
fn wide_end(input: &mut (impl Read + Seek), end: u64) -> Result<Option<[u64; 3]>, ZipFault> {
    let Some(at) = end.checked_sub(LOCATOR_64) else {
        return Ok(None);
    };
    let locator = bytes(input, at, LOCATOR_64 as usize)?;
    if !locator.starts_with(b"PK\x06\x07") {
        return Ok(None);
    }
    let start = u64_at(&locator, 8);
    if start.checked_add(END_64).is_none_or(|end_64| end_64 > at) {
        return Err(ZipFault::Damaged("its directory is out of place"));
    }
    let end_64 = bytes(input, start, END_64 as usize)?;
    if !end_64.starts_with(b"PK\x06\x06") {
        return Err(ZipFault::Damaged("its directory is out of place"));
    }
    Ok(Some([32, 40, 48].map(|field| u64_at(&end_64, field))))
}

impl Member {
    /// Name of the array that the member is.
    pub(crate) fn array(&self) -> &str {
        self.name.strip_suffix(".npy").unwrap_or(&self.name)
    }

    /// Reads an entry of the directory, which begins at `directory`.
    fn read(input: &mut impl Read, directory: u64) -> Result<Member, ZipFault> {
        let mut entry = [0; ENTRY];
        input.read_exact(&mut entry)?;
        if !entry.starts_with(b"PK\x01\x02") {
            return Err(ZipFault::Damaged("its directory is out of place"));
        }
        let lengths = [28, 30, 32].map(|field| usize::from(u16_at(&entry, field)));
        if lengths[0] > LONGEST_NAME {
            return Err(ZipFault::Damaged("a member has a name of more than 255 bytes"));
        }
        let mut texts = vec![0; lengths.iter().sum()];
        input.read_exact(&mut texts)?;
        let (name, rest) = texts.split_at(lengths[0]);
        let mut wide = wide_fields(&rest[..lengths[1]]);
        let mut field = |at: usize| match u32_at(&entry, at) {
            0xffff_ffff => wide.next().unwrap_or(0xffff_ffff),
            narrow => narrow,
        };
        // The order of the extension's fields.
        let [length, packed, start] = [24, 20, 42].map(&mut field);
        if start.checked_add(packed).is_none_or(|end| end > directory) {
            return Err(ZipFault::Damaged("a member is longer than the archive"));
        }
        Ok(Member {
            name: String::from_utf8_lossy(name).into_owned(),
            method: u16_at(&entry, 10),
            encrypted: entry[8] & 1 == 1,
            checksum: u32_at(&entry, 16) as u32,
            packed,
            length,
            start,
        })
    }

    /// Opens the member for reading.
    pub(crate) fn open<R: Read + Seek>(&self, mut input: R) -> Result<Content<R>, ZipFault> {
        if self.encrypted {
            return Err(ZipFault::Damaged("it is encrypted"));
        }
        let local = bytes(&mut input, self.start, LOCAL)?;
        if !local.starts_with(b"PK\x03\x04") {
            return Err(ZipFault::Damaged("its directory is out of place"));
        }
        let names = u64::from(u16_at(&local, 26)) + u64::from(u16_at(&local, 28));
        input.seek(SeekFrom::Current(names as i64))?;
        let packed = BufReader::new(input.take(self.packed));
        let content = match self.method {
            0 if self.length != self.packed => {
                return Err(ZipFault::Damaged("a member has two lengths"));
            }
            0 => Packed::Stored(packed),
            8 => {
                let decoder = DeflateDecoder::new(Counted { input: packed, bytes: 0 });
                Packed::Deflated(Expanding::new(decoder, |decoder| decoder.get_ref().bytes))
            }
            _ => {
                return Err(ZipFault::Damaged(
                    "its compression is not numpy's; use savez or savez_compressed",
                ));
            }
        };
        Ok(Content { reader: CrcReader::new(content), checksum: self.checksum })
    }

    /// Length of the content, where it is certain before the content is read.
    pub(crate) fn known_length(&self) -> Option<u64> {
        (self.method == 0).then_some(self.length)
    }
}

/// Content of a member.
pub(crate) struct Content<R: Read> {
    reader: CrcReader<Packed<R>>,
    checksum: u32,
}

enum Packed<R: Read> {
    Stored(BufReader<io::Take<R>>),
    Deflated(Expanding<DeflateDecoder<Counted<BufReader<io::Take<R>>>>>),
}

impl<R: Read> Content<R> {
    /// Whether all of the content was read, and with the checksum of the directory.
    pub(crate) fn is_sound(&self) -> bool {
        self.reader.crc().sum() == self.checksum
    }
}

impl<R: Read> Read for Content<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reader.read(buffer)
    }
}

impl<R: Read> Read for Packed<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Packed::Stored(reader) => reader.read(buffer),
            Packed::Deflated(reader) => reader.read(buffer),
        }
    }
}

/// The 64-bit numbers of the extra field with tag 1.
fn wide_fields(mut extra: &[u8]) -> impl Iterator<Item = u64> {
    let mut found: &[u8] = &[];
    while extra.len() >= 4 {
        let length = usize::from(u16_at(extra, 2)).min(extra.len() - 4);
        let (field, rest) = extra[4..].split_at(length);
        if u16_at(extra, 0) == 1 {
            found = field;
        }
        extra = rest;
    }
    found.as_chunks::<8>().0.iter().map(|&number| u64::from_le_bytes(number))
}

fn bytes(input: &mut (impl Read + Seek), at: u64, count: usize) -> io::Result<Vec<u8>> {
    input.seek(SeekFrom::Start(at))?;
    let mut bytes = vec![0; count];
    input.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    u16::from_le_bytes([bytes[at], bytes[at + 1]])
}

fn u32_at(bytes: &[u8], at: usize) -> u64 {
    u64::from(u16_at(bytes, at)) | u64::from(u16_at(bytes, at + 2)) << 16
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u32_at(bytes, at) | u32_at(bytes, at + 4) << 32
}
