//! Cells of a dataset, which join its points: vertices, lines, polygons, and those of unstructured grids.

use std::io::{self, Write};

use super::numbers::Numbers;
use crate::error::Fault;
use crate::memory::{reserve, reserve_exact};
use crate::pack::write_bytes;

/// Sections of cells: those of polydata, and that of unstructured grids.
pub(super) const SECTIONS: [&str; 5] = ["VERTICES", "LINES", "POLYGONS", "TRIANGLE_STRIPS", GRID];
const GRID: &str = "CELLS";

/// Cells of a VTK file, which join its points by their indices. Files of other formats have none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cells {
    /// Number of the points.
    points: usize,
    sections: Vec<Section>,
    /// Types of the cells of an unstructured grid, by VTK's numbers: one a cell.
    types: Vec<i64>,
}

/// The fault of a file with a cause, at the place reached.
pub(super) type Unsound<'a> = dyn Fn(String) -> Fault + 'a;

/// Cells of one kind, or all of a grid.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Section {
    keyword: &'static str,
    /// Place of the first point of each cell among `joined`, then the number of all.
    offsets: Vec<i64>,
    /// Indices of the points that the cells join, cell after cell.
    joined: Vec<i64>,
}

impl Section {
    /// Number of cells.
    fn len(&self) -> usize {
        self.offsets.len().saturating_sub(1)
    }

    /// The defect of cells of so many points.
    fn defect(&self, points: usize) -> Option<String> {
        let Self { keyword, offsets, joined } = self;
        let ends = [offsets.first().copied(), offsets.last().copied()];
        if ends != [Some(0), Some(joined.len() as i64)] || !offsets.is_sorted() {
            return Some(format!("OFFSETS of {keyword} do not divide {} numbers", joined.len()));
        }
        let index = joined.iter().find(|index| !(0..points as i64).contains(*index))?;
        Some(format!("{keyword} joins point {index} of {points}, counted from 0"))
    }
}

impl Cells {
    /// Number of cells.
    pub fn len(&self) -> usize {
        self.sections.iter().map(Section::len).sum()
    }

    /// Whether there are no cells.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether these cells join points of this number.
    pub(super) fn join(&self, points: usize) -> bool {
        !self.is_empty() && self.points == points
    }

    /// Adds a section of so many cells, each a number of points followed by their indices.
    pub(super) fn push_sizes(
        &mut self,
        keyword: &'static str,
        cells: u64,
        numbers: Numbers,
        unsound: &Unsound<'_>,
    ) -> Result<(), Fault> {
        let numbers = whole(keyword, numbers, unsound)?;
        let (mut offsets, mut joined) = (vec![0], Vec::new());
        reserve_exact(&mut joined, numbers.len())?;
        let mut rest = numbers.as_slice();
        while let Some((&size, others)) = rest.split_first() {
            let size = usize::try_from(size).ok().filter(|&size| size <= others.len());
            let Some((own, others)) = size.map(|size| others.split_at(size)) else {
                return Err(unsound(format!("sizes of {keyword} are beyond its numbers")));
            };
            joined.extend_from_slice(own);
            reserve(&mut offsets, 1)?;
            offsets.push(joined.len() as i64);
            rest = others;
        }
        let found = offsets.len() as u64 - 1;
        if found != cells {
            return Err(unsound(format!("{keyword} has {found} cells, not {cells}")));
        }
        self.push(Section { keyword, offsets, joined });
        Ok(())
    }

    /// Adds a section by the offsets of its cells among the points that they join.
    pub(super) fn push_offsets(
        &mut self,
        keyword: &'static str,
        [offsets, joined]: [Numbers; 2],
        unsound: &Unsound<'_>,
    ) -> Result<(), Fault> {
        let offsets = whole(keyword, offsets, unsound)?;
        let joined = whole(keyword, joined, unsound)?;
        self.push(Section { keyword, offsets, joined });
        Ok(())
    }

    fn push(&mut self, section: Section) {
        if !(section.len() == 0 && section.joined.is_empty()) {
            self.sections.push(section);
        }
    }

    /// Adds types of cells.
    pub(super) fn push_types(
        &mut self,
        types: Numbers,
        unsound: &Unsound<'_>,
    ) -> Result<(), Fault> {
        self.types = whole("CELL_TYPES", types, unsound)?;
        Ok(())
    }

    /// Takes the number of the points. Refuses cells that join others.
    pub(super) fn complete(&mut self, points: usize, unsound: &Unsound<'_>) -> Result<(), Fault> {
        self.points = points;
        let (of_grid, of_polydata): (Vec<_>, Vec<_>) =
            self.sections.iter().partition(|section| section.keyword == GRID);
        let cells: usize = of_grid.iter().map(|section| section.len()).sum();
        let types = self.types.len();
        if cells != types {
            return Err(unsound(format!("it has {types} CELL_TYPES of {cells} CELLS")));
        }
        if let (Some(_), Some(other)) = (of_grid.first(), of_polydata.first()) {
            return Err(unsound(format!("it has CELLS and {}", other.keyword)));
        }
        let defect = self.sections.iter().find_map(|section| section.defect(points));
        defect.map_or(Ok(()), |defect| Err(unsound(defect)))
    }

    /// The type of dataset that has such cells.
    pub(super) fn dataset(&self) -> &'static str {
        match self.types.is_empty() {
            true => "POLYDATA",
            false => "UNSTRUCTURED_GRID",
        }
    }

    /// Writes the sections as version 5.1 of VTK has them.
    pub(super) fn write(&self, output: &mut dyn Write) -> io::Result<()> {
        for Section { keyword, offsets, joined } in &self.sections {
            writeln!(output, "{keyword} {} {}", offsets.len(), joined.len())?;
            for (name, numbers) in [("OFFSETS", offsets), ("CONNECTIVITY", joined)] {
                writeln!(output, "{name} vtktypeint64")?;
                write_bytes(output, numbers.iter().map(|number| number.to_be_bytes()))?;
                writeln!(output)?;
            }
        }
        if self.types.is_empty() {
            return Ok(());
        }
        writeln!(output, "CELL_TYPES {}", self.types.len())?;
        write_bytes(output, self.types.iter().map(|&kind| (kind as i32).to_be_bytes()))
    }
}

/// Whole numbers of a section.
fn whole(keyword: &str, numbers: Numbers, unsound: &Unsound<'_>) -> Result<Vec<i64>, Fault> {
    match numbers {
        Numbers::Signed(numbers) => Ok(numbers),
        Numbers::Unsigned(numbers) => {
            let mut whole = Vec::new();
            reserve_exact(&mut whole, numbers.len())?;
            // An index beyond i64 is beyond all points, as a negative one.
            whole.extend(numbers.into_iter().map(|number| i64::try_from(number).unwrap_or(-1)));
            Ok(whole)
        }
        Numbers::Floats(_) => Err(unsound(format!("{keyword} has floats in place of indices"))),
    }
}
