//! Zip archives of members that are not compressed, as [`directory`](super::directory) reads them.
//!
//! PKWARE's APPNOTE, sections 4.3.7 to 4.3.16, with the 64-bit extension where a length or place asks for it. A failure to
//! write is returned and nothing else happens.

use std::io::{self, BufWriter, Seek, SeekFrom, Write};

use flate2::Crc;

/// Version of the format that a reader has to know: 4.5 has the 64-bit extension.
const VERSION: u16 = 45;
/// First of January 1980, so that equal arrays give equal bytes.
const DATE: u16 = 1 << 5 | 1;
/// Length and place that 32 bits do not hold, and the mark of the 64-bit extension.
const WIDE: u64 = 0xffff_ffff;
/// Place of the checksum in the header of a member.
const CHECKSUM: u64 = 14;
/// Bytes of the header of a member before its name.
const LOCAL: u64 = 30;

/// Writes members one after the other.
pub(crate) struct ZipWriter<W> {
    output: W,
    members: Vec<Member>,
    /// Numbers from here on take the 64-bit extension.
    wide: u64,
}

struct Member {
    name: String,
    checksum: u32,
    length: u64,
    start: u64,
}

impl<W: Write + Seek> ZipWriter<W> {
    pub(crate) fn new(output: W) -> ZipWriter<W> {
        ZipWriter { output, members: Vec::new(), wide: WIDE }
    }

    /// Adds a member of `most` bytes at most.
    pub(crate) fn member(
        &mut self,
        name: &str,
        most: u64,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> io::Result<()> {
        let start = self.output.stream_position()?;
        let is_wide = most >= self.wide;
        self.output.write_all(b"PK\x03\x04")?;
        self.shorts(&[VERSION, 0, 0, 0, DATE])?;
        let unknown = if is_wide { WIDE } else { 0 };
        self.words(&[0, unknown, unknown])?;
        self.shorts(&[name.len() as u16, if is_wide { 20 } else { 0 }])?;
        self.output.write_all(name.as_bytes())?;
        if is_wide {
            self.shorts(&[1, 16])?;
            self.longs(&[0, 0])?;
        }

        let mut content = BufWriter::new(Checked::new(&mut self.output));
        write(&mut content)?;
        let Checked { checksum, length, .. } = content.into_inner()?;
        let checksum = checksum.sum();

        let end = self.output.stream_position()?;
        self.output.seek(SeekFrom::Start(start + CHECKSUM))?;
        self.words(&[checksum.into()])?;
        if is_wide {
            self.output.seek(SeekFrom::Start(start + LOCAL + name.len() as u64 + 4))?;
            self.longs(&[length, length])?;
        } else {
            self.words(&[length, length])?;
        }
        self.output.seek(SeekFrom::Start(end))?;
        self.members.push(Member { name: name.to_owned(), checksum, length, start });
        Ok(())
    }

    /// Writes the directory.
    pub(crate) fn finish(mut self) -> io::Result<W> {
        let start = self.output.stream_position()?;
        let members = std::mem::take(&mut self.members);
        for member in &members {
            self.entry(member)?;
        }
        let end = self.output.stream_position()?;
        let (count, size) = (members.len() as u64, end - start);
        if end >= self.wide {
            self.output.write_all(b"PK\x06\x06")?;
            self.longs(&[44])?;
            self.shorts(&[VERSION, VERSION])?;
            self.words(&[0, 0])?;
            self.longs(&[count, count, size, start])?;
            self.output.write_all(b"PK\x06\x07")?;
            self.words(&[0])?;
            self.longs(&[end])?;
            self.words(&[1])?;
        }
        self.output.write_all(b"PK\x05\x06")?;
        self.shorts(&[0, 0, count as u16, count as u16])?;
        let wide = self.wide;
        let narrow = |number| if end >= wide { WIDE } else { number };
        self.words(&[narrow(size), narrow(start)])?;
        self.shorts(&[0])?;
        Ok(self.output)
    }

    /// Writes the entry of a member in the directory.
    fn entry(&mut self, member: &Member) -> io::Result<()> {
        let Member { name, checksum, length, start } = member;
        let is_wide = (*length).max(*start) >= self.wide;
        let narrow = |number: u64| if is_wide { WIDE } else { number };
        self.output.write_all(b"PK\x01\x02")?;
        self.shorts(&[VERSION, VERSION, 0, 0, 0, DATE])?;
        self.words(&[(*checksum).into(), narrow(*length), narrow(*length)])?;
        self.shorts(&[name.len() as u16, if is_wide { 28 } else { 0 }, 0, 0, 0])?;
        self.words(&[0, narrow(*start)])?;
        self.output.write_all(name.as_bytes())?;
        if is_wide {
            self.shorts(&[1, 24])?;
            self.longs(&[*length, *length, *start])?;
        }
        Ok(())
    }

    fn shorts(&mut self, numbers: &[u16]) -> io::Result<()> {
        numbers.iter().try_for_each(|number| self.output.write_all(&number.to_le_bytes()))
    }

    /// Numbers of 32 bits.
    fn words(&mut self, numbers: &[u64]) -> io::Result<()> {
        numbers.iter().try_for_each(|number| self.output.write_all(&(*number as u32).to_le_bytes()))
    }

    fn longs(&mut self, numbers: &[u64]) -> io::Result<()> {
        numbers.iter().try_for_each(|number| self.output.write_all(&number.to_le_bytes()))
    }
}

/// Checksum and length of what is written.
struct Checked<W> {
    output: W,
    checksum: Crc,
    length: u64,
}

impl<W> Checked<W> {
    fn new(output: W) -> Checked<W> {
        Checked { output, checksum: Crc::new(), length: 0 }
    }
}

impl<W: Write> Write for Checked<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.output.write(bytes)?;
        self.checksum.update(&bytes[..count]);
        self.length += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read};

    use super::*;
    use crate::npz::directory::read_directory;

    #[test]
    fn members_come_back_with_and_without_the_64_bit_extension() {
        let contents = [("a.npy", &b"first"[..]), ("b.npy", b""), ("ä.npy", b"third")];
        for wide in [WIDE, 100, 0] {
            let mut writer = ZipWriter { wide, ..ZipWriter::new(Cursor::new(Vec::new())) };
            for (name, bytes) in contents {
                writer.member(name, bytes.len() as u64, |output| output.write_all(bytes)).unwrap();
            }
            let mut archive = writer.finish().unwrap();
            let members = read_directory(&mut archive).map_err(|_| "directory").unwrap();
            let mut other = zip::ZipArchive::new(archive.clone()).unwrap();
            assert_eq!((members.len(), other.len()), (3, 3));
            for ((name, bytes), member) in contents.into_iter().zip(members) {
                assert_eq!(member.name, name);
                let mut content = member.open(&mut archive).map_err(|_| "member").unwrap();
                let mut read = Vec::new();
                content.read_to_end(&mut read).unwrap();
                assert!(read == bytes && content.is_sound());
                read.clear();
                other.by_name(name).unwrap().read_to_end(&mut read).unwrap();
                assert_eq!(read, bytes);
            }
        }
    }
}
