//! Types of numbers: big-endian where the file is binary, else words.

use std::io::Read;

use crate::error::Fault;
use crate::npy::numbers::numbers;
use crate::text::number;

/// Type of an array's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Type {
    /// Bytes of a number.
    pub(super) size: u64,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Float,
    Signed,
    Unsigned,
}

/// Numbers of an array.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Numbers {
    Floats(Vec<f64>),
    Signed(Vec<i64>),
    Unsigned(Vec<u64>),
}

impl Type {
    /// Types of colours and of 32-bit indices.
    pub(super) const BYTE: Type = Type { size: 1, kind: Kind::Unsigned };
    pub(super) const INDEX: Type = Type { size: 4, kind: Kind::Signed };

    /// The type of a name. Types long are those of 64-bit Unix; VTK writes its indices as 32 bits.
    pub(super) fn of(name: &str) -> Option<Type> {
        let (size, kind) = match name.to_ascii_lowercase().as_str() {
            "float" => (4, Kind::Float),
            "double" => (8, Kind::Float),
            "char" | "signed_char" | "vtktypeint8" => (1, Kind::Signed),
            "short" | "vtktypeint16" => (2, Kind::Signed),
            "int" | "vtkidtype" | "vtktypeint32" => (4, Kind::Signed),
            "long" | "vtktypeint64" => (8, Kind::Signed),
            "unsigned_char" | "vtktypeuint8" => (1, Kind::Unsigned),
            "unsigned_short" | "vtktypeuint16" => (2, Kind::Unsigned),
            "unsigned_int" | "vtktypeuint32" => (4, Kind::Unsigned),
            "unsigned_long" | "vtktypeuint64" => (8, Kind::Unsigned),
            _ => return None,
        };
        Some(Type { size, kind })
    }

    /// Reads up to `count` big-endian numbers, fewer if the input ends before.
    pub(super) fn read(self, input: &mut dyn Read, count: u64) -> Result<Numbers, Fault> {
        use Numbers::{Floats, Signed, Unsigned};
        Ok(match (self.kind, self.size) {
            (Kind::Float, 4) => {
                Floats(numbers(input, count, false, |b| f32::from_be_bytes(b).into())?)
            }
            (Kind::Float, _) => Floats(numbers(input, count, false, f64::from_be_bytes)?),
            (Kind::Signed, 1) => {
                Signed(numbers(input, count, false, |b| i8::from_be_bytes(b).into())?)
            }
            (Kind::Signed, 2) => {
                Signed(numbers(input, count, false, |b| i16::from_be_bytes(b).into())?)
            }
            (Kind::Signed, 4) => {
                Signed(numbers(input, count, false, |b| i32::from_be_bytes(b).into())?)
            }
            (Kind::Signed, _) => Signed(numbers(input, count, false, i64::from_be_bytes)?),
            (Kind::Unsigned, 1) => {
                Unsigned(numbers(input, count, false, |b| u8::from_be_bytes(b).into())?)
            }
            (Kind::Unsigned, 2) => {
                Unsigned(numbers(input, count, false, |b| u16::from_be_bytes(b).into())?)
            }
            (Kind::Unsigned, 4) => {
                Unsigned(numbers(input, count, false, |b| u32::from_be_bytes(b).into())?)
            }
            (Kind::Unsigned, _) => Unsigned(numbers(input, count, false, u64::from_be_bytes)?),
        })
    }

    /// No numbers.
    pub(super) fn none(self) -> Numbers {
        match self.kind {
            Kind::Float => Numbers::Floats(Vec::new()),
            Kind::Signed => Numbers::Signed(Vec::new()),
            Kind::Unsigned => Numbers::Unsigned(Vec::new()),
        }
    }
}

impl Numbers {
    pub(crate) fn len(&self) -> usize {
        match self {
            Numbers::Floats(values) => values.len(),
            Numbers::Signed(values) => values.len(),
            Numbers::Unsigned(values) => values.len(),
        }
    }

    /// Makes room for one more number, which a word tells. `None` where it tells none.
    pub(super) fn push(&mut self, word: &str) -> Option<Result<(), Fault>> {
        use crate::memory::reserve;
        Some(match self {
            Numbers::Floats(values) => {
                let value = number(word)?;
                reserve(values, 1).map(|()| values.push(value))
            }
            Numbers::Signed(values) => {
                let value = word.parse().ok()?;
                reserve(values, 1).map(|()| values.push(value))
            }
            Numbers::Unsigned(values) => {
                let value = word.parse().ok()?;
                reserve(values, 1).map(|()| values.push(value))
            }
        })
    }

    /// The k-th number.
    pub(crate) fn float(&self, k: usize) -> f64 {
        match self {
            Numbers::Floats(values) => values[k],
            Numbers::Signed(values) => values[k] as f64,
            Numbers::Unsigned(values) => values[k] as f64,
        }
    }
}
