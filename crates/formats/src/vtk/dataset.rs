//! Sections of a legacy VTK file: points, and the arrays that belong to them or to the whole.

use std::io::BufRead;

use super::cells::{Cells, SECTIONS};
use super::numbers::{Numbers, Type};
use super::source::Source;
use crate::error::Fault;
use crate::message::excerpt;

/// Points with their arrays and cells. Arrays of cells are passed over.
#[derive(Debug)]
pub(crate) struct Dataset {
    /// Coordinates, 3 N.
    pub(crate) points: Numbers,
    /// Arrays of N tuples.
    pub(crate) of_points: Vec<Array>,
    /// Arrays of the whole, such as a time.
    pub(crate) of_whole: Vec<Array>,
    /// Cells, where they are asked for.
    pub(crate) cells: Cells,
}

/// Whether the cells of a file are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keep {
    Points,
    PointsAndCells,
}

/// A named array: tuples of so many components.
#[derive(Debug)]
pub(crate) struct Array {
    pub(crate) name: String,
    pub(crate) components: usize,
    pub(crate) numbers: Numbers,
}

/// Owner of the arrays that follow in a file, with its number of tuples.
#[derive(Clone, Copy)]
enum Owner {
    Whole,
    Points(u64),
    Cells(u64),
}

/// A dataset in the making.
struct Reader<R> {
    source: Source<R>,
    points: Option<Numbers>,
    of_points: Vec<Array>,
    of_whole: Vec<Array>,
    owner: Owner,
    cells: Cells,
    keep: Keep,
}

impl Dataset {
    /// Reads polydata or an unstructured grid. Memory: that of the points, their arrays and the cells that are kept, which
    /// grows as they arrive.
    pub(crate) fn read(input: impl BufRead, keep: Keep) -> Result<Dataset, Fault> {
        let mut source = Source::open(input)?;
        let line = source.line()?.unwrap_or_default();
        let mut words = line.split_whitespace();
        match (words.next().unwrap_or_default(), words.next()) {
            (keyword, Some(kind)) if keyword.eq_ignore_ascii_case("DATASET") => {
                let known = ["POLYDATA", "UNSTRUCTURED_GRID"];
                if !known.iter().any(|known| kind.eq_ignore_ascii_case(known)) {
                    return Err(Fault::Dataset { found: excerpt(kind) });
                }
            }
            _ => return Err(source.fault(format!("{:?} names no DATASET", excerpt(&line)))),
        }
        let mut reader = Reader {
            source,
            points: None,
            of_points: Vec::new(),
            of_whole: Vec::new(),
            owner: Owner::Whole,
            cells: Cells::default(),
            keep,
        };
        while let Some(line) = reader.source.line()? {
            let words: Vec<&str> = line.split_whitespace().collect();
            reader.section(&words)?;
        }
        let Reader { source, points, of_points, of_whole, mut cells, .. } = reader;
        let points = points.ok_or_else(|| source.fault("it has no POINTS"))?;
        cells.complete(points.len() / 3, &|cause| source.fault(cause))?;
        Ok(Dataset { points, of_points, of_whole, cells })
    }

    /// Number of points.
    pub(crate) fn len(&self) -> usize {
        self.points.len() / 3
    }
}

impl<R: BufRead> Reader<R> {
    /// Reads the section that a line begins.
    fn section(&mut self, words: &[&str]) -> Result<(), Fault> {
        let keyword = words[0].to_ascii_uppercase();
        match (keyword.as_str(), &words[1..]) {
            ("POINTS", [count, kind]) if self.points.is_none() => {
                let count = self.count(count)?.saturating_mul(3);
                let kind = self.kind(kind)?;
                self.points = Some(self.source.numbers("POINTS", kind, count)?);
                Ok(())
            }
            ("POINT_DATA", [count]) => self.point_data(count),
            ("CELL_DATA", [count]) => {
                self.owner = Owner::Cells(self.count(count)?);
                Ok(())
            }
            ("CELL_TYPES", [count]) => self.types(count),
            ("METADATA", []) => self.source.skip_metadata(),
            ("FIELD", [_, arrays]) => self.field(arrays),
            ("LOOKUP_TABLE", [name, count]) => {
                let count = self.count(count)?.saturating_mul(4);
                self.source.skip(name, Type::BYTE, count)
            }
            ("COLOR_SCALARS", [name, components]) => {
                let count = self.count(components)?.saturating_mul(self.tuples()?);
                self.source.skip(name, Type::BYTE, count)
            }
            (_, rest) => match (SECTIONS.iter().find(|section| **section == keyword), rest) {
                (Some(section), [first, second]) => self.cells(section, [first, second]),
                _ => self.attribute(&keyword, rest),
            },
        }
    }

    /// Reads scalars, vectors and the like: an array a section.
    fn attribute(&mut self, keyword: &str, words: &[&str]) -> Result<(), Fault> {
        let (name, components, kind) = match (keyword, words) {
            ("SCALARS", [name, kind]) => (*name, 1, *kind),
            ("SCALARS", [name, kind, components])
            | ("TEXTURE_COORDINATES", [name, components, kind]) => {
                (*name, self.count(components)?, *kind)
            }
            ("VECTORS" | "NORMALS", [name, kind]) => (*name, 3, *kind),
            ("TENSORS", [name, kind]) => (*name, 9, *kind),
            ("TENSORS6", [name, kind]) => (*name, 6, *kind),
            ("GLOBAL_IDS" | "PEDIGREE_IDS", [name, kind]) => (*name, 1, *kind),
            _ => {
                let line = [&[keyword], words].concat().join(" ");
                return Err(self.source.fault(format!("{:?} begins no section", excerpt(&line))));
            }
        };
        if keyword == "SCALARS" {
            let table = self.source.line()?.unwrap_or_default();
            let is_table = table.split_whitespace().next();
            if !is_table.is_some_and(|word| word.eq_ignore_ascii_case("LOOKUP_TABLE")) {
                return Err(self.source.fault("SCALARS without LOOKUP_TABLE"));
            }
        }
        let tuples = self.tuples()?;
        self.array(name, [components, tuples], kind)
    }

    /// Reads the arrays of a field.
    fn field(&mut self, arrays: &str) -> Result<(), Fault> {
        for _ in 0..self.count(arrays)? {
            let line = loop {
                let line = self.source.line()?;
                match line.as_deref().map(str::trim) {
                    Some("METADATA") => self.source.skip_metadata()?,
                    Some(_) => break line.unwrap_or_default(),
                    None => return Err(self.source.fault("a FIELD ends early")),
                }
            };
            let words: Vec<&str> = line.split_whitespace().collect();
            let [name, components, tuples, kind] = words[..] else {
                return Err(self.source.fault(format!("{:?} begins no array", excerpt(&line))));
            };
            let shape = [self.count(components)?, self.count(tuples)?];
            self.array(name, shape, kind)?;
        }
        Ok(())
    }

    /// Reads the numbers of an array, or passes over those of cells.
    fn array(&mut self, name: &str, shape: [u64; 2], kind: &str) -> Result<(), Fault> {
        let [components, tuples] = shape;
        let (name, kind) = (decoded(name), self.kind(kind)?);
        let count = components.saturating_mul(tuples);
        if let Owner::Cells(_) = self.owner {
            return self.source.skip(&name, kind, count);
        }
        if let Owner::Points(expected) = self.owner
            && (tuples != expected || components == 0)
        {
            let name = excerpt(&name);
            let cause = format!("{name} has {tuples} tuples of {components} for {expected} points");
            return Err(self.source.fault(cause));
        }
        let numbers = self.source.numbers(&name, kind, count)?;
        let array = Array { name, components: components as usize, numbers };
        match self.owner {
            Owner::Points(_) => self.of_points.push(array),
            _ => self.of_whole.push(array),
        }
        Ok(())
    }

    fn point_data(&mut self, count: &str) -> Result<(), Fault> {
        let found = self.count(count)?;
        let expected = self.points.as_ref().map_or(0, |points| points.len() as u64 / 3);
        if found != expected {
            let cause = format!("POINT_DATA of {found} for {expected} points");
            return Err(self.source.fault(cause));
        }
        self.owner = Owner::Points(found);
        Ok(())
    }

    /// Reads cells, or passes over them: sizes and indices, or since version 5 offsets and connectivity.
    fn cells(&mut self, section: &'static str, counts: [&str; 2]) -> Result<(), Fault> {
        let [first, second] = [self.count(counts[0])?, self.count(counts[1])?];
        if self.source.version < 5 {
            let Some(numbers) = self.indices(section, Type::INDEX, second)? else { return Ok(()) };
            let unsound = |cause| self.source.fault(cause);
            return self.cells.push_sizes(section, first, numbers, &unsound);
        }
        let mut part = |part: &str, count: u64| {
            let line = self.source.line()?.unwrap_or_default();
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                [word, kind] if word.eq_ignore_ascii_case(part) => {
                    let kind = self.kind(kind)?;
                    self.indices(part, kind, count)
                }
                _ => Err(self.source.fault(format!("{section} without {part}"))),
            }
        };
        let parts = [part("OFFSETS", first)?, part("CONNECTIVITY", second)?];
        let [Some(offsets), Some(joined)] = parts else { return Ok(()) };
        let unsound = |cause| self.source.fault(cause);
        self.cells.push_offsets(section, [offsets, joined], &unsound)
    }

    /// Reads types of cells, or passes over them.
    fn types(&mut self, count: &str) -> Result<(), Fault> {
        let count = self.count(count)?;
        let Some(types) = self.indices("CELL_TYPES", Type::INDEX, count)? else { return Ok(()) };
        let unsound = |cause| self.source.fault(cause);
        self.cells.push_types(types, &unsound)
    }

    /// Numbers of cells; `None` where these are passed over.
    fn indices(&mut self, name: &str, kind: Type, count: u64) -> Result<Option<Numbers>, Fault> {
        match self.keep {
            Keep::Points => self.source.skip(name, kind, count).map(|()| None),
            Keep::PointsAndCells => self.source.numbers(name, kind, count).map(Some),
        }
    }

    /// Number of tuples of an attribute.
    fn tuples(&self) -> Result<u64, Fault> {
        match self.owner {
            Owner::Points(count) | Owner::Cells(count) => Ok(count),
            Owner::Whole => Err(self.source.fault("an attribute before POINT_DATA")),
        }
    }

    fn count(&self, word: &str) -> Result<u64, Fault> {
        let cause = || self.source.fault(format!("{:?} is no count", excerpt(word)));
        word.parse().map_err(|_| cause())
    }

    fn kind(&self, word: &str) -> Result<Type, Fault> {
        let cause = || self.source.fault(format!("{:?} is no type of numbers", excerpt(word)));
        Type::of(word).ok_or_else(cause)
    }
}

/// A name whose blanks and special characters stand as %20 and the like.
fn decoded(name: &str) -> String {
    let mut parts = name.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let code = part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match code {
            Some(code) => {
                bytes.push(code);
                bytes.extend(&part.as_bytes()[2..]);
            }
            None => {
                bytes.push(b'%');
                bytes.extend(part.as_bytes());
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| name.to_owned())
}
