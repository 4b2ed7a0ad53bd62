//! A legacy VTK file as a stream: lines of keywords, and the numbers between them as words or as bytes.

use std::io::{self, BufRead, Read};

use super::SIGNATURE;
use super::numbers::{Numbers, Type};
use crate::error::Fault;
use crate::limits::LONGEST_LINE;
use crate::memory::{Counted, read_fault};
use crate::message::excerpt;

/// Bytes of a word that is a number, at most: digits of the smallest f64.
const LONGEST_WORD: usize = 1100;

/// A file whose header was read.
pub(super) struct Source<R> {
    input: Counted<R>,
    is_binary: bool,
    /// Major version, by which cells are told.
    pub(super) version: u32,
}

impl<R: BufRead> Source<R> {
    /// Reads the header: version, title, ASCII or BINARY.
    pub(super) fn open(input: R) -> Result<Source<R>, Fault> {
        let input = Counted { input, bytes: 0 };
        let mut source = Source { input, is_binary: false, version: 0 };
        let first = source.raw_line()?.unwrap_or_default();
        let version = first.as_bytes().strip_prefix(SIGNATURE);
        let major = version.and_then(|rest| rest.split(|byte| *byte == b'.').next());
        let major = major.and_then(|digits| str::from_utf8(digits).ok()?.trim().parse().ok());
        source.version =
            major.ok_or_else(|| source.fault("it does not begin with # vtk DataFile Version"))?;
        source.raw_line()?;
        let form = source.line()?.unwrap_or_default();
        source.is_binary = match form.trim().to_ascii_uppercase().as_str() {
            "BINARY" => true,
            "ASCII" => false,
            _ => return Err(source.fault(format!("{:?} is not ASCII or BINARY", excerpt(&form)))),
        };
        Ok(source)
    }

    /// A fault of the format at the place reached.
    pub(super) fn fault(&self, cause: impl Into<String>) -> Fault {
        Fault::Record { format: "VTK", offset: self.input.bytes, cause: cause.into() }
    }

    /// The next line, empty ones too, without its end.
    fn raw_line(&mut self) -> Result<Option<String>, Fault> {
        let mut bytes = Vec::new();
        let mut bounded = (&mut self.input).take(LONGEST_LINE + 1);
        match bounded.read_until(b'\n', &mut bytes).map_err(read_fault)? as u64 {
            0 => return Ok(None),
            count if count > LONGEST_LINE => return Err(Fault::LongLine),
            _ => {}
        }
        let line = String::from_utf8(bytes).map_err(|_| self.fault("a line is not text"))?;
        Ok(Some(line.trim_end_matches(['\n', '\r']).to_owned()))
    }

    /// The next line that has words.
    pub(super) fn line(&mut self) -> Result<Option<String>, Fault> {
        loop {
            match self.raw_line()? {
                Some(line) if line.trim().is_empty() => {}
                line => return Ok(line),
            }
        }
    }

    /// Passes over a block of metadata, which ends with an empty line.
    pub(super) fn skip_metadata(&mut self) -> Result<(), Fault> {
        while self.raw_line()?.is_some_and(|line| !line.trim().is_empty()) {}
        Ok(())
    }

    /// The next numbers of an array.
    pub(super) fn numbers(&mut self, name: &str, kind: Type, count: u64) -> Result<Numbers, Fault> {
        if self.is_binary {
            let numbers = kind.read(&mut self.input, count)?;
            return match numbers.len() as u64 {
                found if found < count => Err(truncated(name, found, count)),
                _ => Ok(numbers),
            };
        }
        let mut numbers = kind.none();
        for found in 0..count {
            let word = self.word()?.ok_or_else(|| truncated(name, found, count))?;
            match numbers.push(&word) {
                Some(pushed) => pushed?,
                None => {
                    let word = excerpt(&word);
                    return Err(self.fault(format!("{word:?} is no number of {}", excerpt(name))));
                }
            }
        }
        Ok(numbers)
    }

    /// Passes over numbers of an array.
    pub(super) fn skip(&mut self, name: &str, kind: Type, count: u64) -> Result<(), Fault> {
        if self.is_binary {
            let bytes = count.saturating_mul(kind.size);
            let mut rest = (&mut self.input).take(bytes);
            let found = io::copy(&mut rest, &mut io::sink()).map_err(read_fault)?;
            return match found < bytes {
                true => Err(truncated(name, found / kind.size, count)),
                false => Ok(()),
            };
        }
        for found in 0..count {
            self.word()?.ok_or_else(|| truncated(name, found, count))?;
        }
        Ok(())
    }

    /// The next word, or `None` at the end.
    fn word(&mut self) -> Result<Option<String>, Fault> {
        let mut word = Vec::new();
        loop {
            let buffer = match self.input.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                buffer => buffer.map_err(read_fault)?,
            };
            let blank = match word.is_empty() {
                true => buffer.iter().take_while(|byte| byte.is_ascii_whitespace()).count(),
                false => 0,
            };
            let rest = &buffer[blank..];
            let length = rest.iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
            word.extend_from_slice(&rest[..length.min(LONGEST_WORD)]);
            let (ends, is_end) = (length < rest.len(), buffer.is_empty());
            self.input.consume(blank + length);
            if word.len() > LONGEST_WORD || length > LONGEST_WORD {
                return Err(self.fault("a word is no number"));
            }
            if is_end || (ends && !word.is_empty()) {
                let word = String::from_utf8(word).map_err(|_| self.fault("a word is not text"))?;
                return Ok(Some(word).filter(|word| !word.is_empty()));
            }
        }
    }
}

fn truncated(name: &str, found: u64, expected: u64) -> Fault {
    Fault::Truncated { array: excerpt(name), found, expected }
}
