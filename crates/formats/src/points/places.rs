//! Places of points in their file, for messages about single points.

use std::path::PathBuf;

use crate::message::shown;
use crate::points::PointTable;
use crate::vtk::cells::Cells;

/// Points with the place of each in its file.
#[derive(Clone, Debug)]
pub struct LocatedPoints {
    /// The points.
    pub points: PointTable,
    /// File and line or row of each point.
    pub places: Places,
    /// Cells that join the points, as VTK files have them.
    pub cells: Cells,
}

/// Points of some rows of a file.
#[derive(Clone, Debug)]
pub struct PointRows {
    /// The points of the rows.
    pub points: PointTable,
    /// Number of rows of the file.
    pub total: usize,
    /// Places of all points of the file.
    pub places: Places,
}

/// File and line or row of points. Takes little memory: lines mostly follow each other.
#[derive(Clone, Debug)]
pub struct Places {
    path: PathBuf,
    lines: LineNumbers,
}

impl Places {
    pub(crate) fn new(path: PathBuf, lines: LineNumbers) -> Places {
        Places { path, lines }
    }

    /// The place of the point of this index: `stars.csv:17`, or `stars.npz: row 15 (from 0)`.
    pub fn of(&self, index: usize) -> String {
        let path = shown(&self.path);
        match self.lines.of(index) {
            Some(line) => format!("{path}:{line}"),
            None => format!("{path}: row {index} (from 0)"),
        }
    }
}

/// Line of each point, as runs of lines without a gap; empty for arrays.
#[derive(Clone, Debug, Default)]
pub(crate) struct LineNumbers {
    /// Index of the first point of a run, and its line.
    runs: Vec<(usize, u64)>,
}

impl LineNumbers {
    /// Adds the line of point `index`, the next one.
    pub(crate) fn push(&mut self, index: usize, line: u64) {
        if self.of(index) != Some(line) {
            self.runs.push((index, line));
        }
    }

    fn of(&self, index: usize) -> Option<u64> {
        let runs = match self.runs.last() {
            Some(&(first, _)) if first <= index => self.runs.len(),
            _ => self.runs.partition_point(|&(first, _)| first <= index),
        };
        let (first, line) = *self.runs.get(runs.checked_sub(1)?)?;
        Some(line + (index - first) as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_gaps_are_found() {
        let lines = [2, 3, 4, 7, 8, 20];
        let mut numbers = LineNumbers::default();
        for (index, &line) in lines.iter().enumerate() {
            numbers.push(index, line);
        }
        assert_eq!(numbers.runs.len(), 3);
        for (index, &line) in lines.iter().enumerate() {
            assert_eq!(numbers.of(index), Some(line));
        }
        assert_eq!(LineNumbers::default().of(3), None);
    }
}
