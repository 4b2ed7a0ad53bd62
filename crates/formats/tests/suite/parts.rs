//! Fields that come part after part: the file is that of the whole field, and there is none after a failure.

use std::borrow::Cow;
use std::io;
use std::ops::Range;

use formats::{Cells, FieldArray, FieldParts, FieldTable, write_field, write_field_parts};

/// A field cut into parts, of which one may fail or have too few numbers.
struct Cut<'a> {
    all: FieldTable<'a>,
    ends: Vec<usize>,
    fails: Option<usize>,
    short: Option<usize>,
}

impl Cut<'_> {
    fn part(&self, part: usize) -> Range<usize> {
        let start = if part == 0 { 0 } else { self.ends[part - 1] };
        start..self.ends[part]
    }
}

impl FieldParts for Cut<'_> {
    fn lengths(&self) -> Vec<usize> {
        (0..self.ends.len()).map(|part| self.part(part).len()).collect()
    }

    fn has_charges(&self) -> bool {
        self.all.charges.is_some()
    }

    fn values(&mut self, part: usize, array: FieldArray) -> io::Result<Cow<'_, [f64]>> {
        if self.fails == Some(part) {
            return Err(io::Error::other("the rank left"));
        }
        let mut rows = self.part(part);
        rows.end -= usize::from(self.short == Some(part));
        let all = match array {
            FieldArray::Positions => self.all.positions.as_flattened(),
            FieldArray::Charges => self.all.charges.unwrap(),
            FieldArray::Potential => self.all.potential,
            FieldArray::Gradient => self.all.gradient.as_flattened(),
        };
        let width = array.width();
        Ok(Cow::Borrowed(&all[width * rows.start..width * rows.end]))
    }
}

const FORMATS: [&str; 6] = ["f.npz", "f.csv", "f.csv.gz", "f.dat", "f.vtk", "f.vtk.gz"];

fn numbers(n: usize, seed: f64) -> Vec<f64> {
    (0..n).map(|i| ((i as f64 + seed) * 0.618_033_988_7).fract() - 0.5).collect()
}

#[test]
fn parts_make_the_file_of_the_whole() {
    let n = 57;
    let (positions, gradient) = (numbers(3 * n, 0.1), numbers(3 * n, 0.7));
    let (charges, potential) = (numbers(n, 0.3), numbers(n, 0.9));
    let folder = tempfile::tempdir().unwrap();
    for charges in [None, Some(charges.as_slice())] {
        let all = FieldTable {
            positions: positions.as_chunks().0,
            charges,
            potential: &potential,
            gradient: gradient.as_chunks().0,
        };
        for name in FORMATS {
            let (whole, cut) =
                (folder.path().join(name), folder.path().join(format!("cut-{name}")));
            write_field(&whole, &all).unwrap();
            for ends in [vec![n], vec![0, 20, 20, 50, n], vec![n - 1, n]] {
                let mut parts = Cut { all, ends, fails: None, short: None };
                write_field_parts(&cut, &mut parts, &Cells::default()).unwrap();
                assert!(std::fs::read(&whole).unwrap() == std::fs::read(&cut).unwrap(), "{name}");
            }
        }
    }
}

#[test]
fn a_part_that_fails_leaves_no_file() {
    let n = 9;
    let (vectors, scalars) = (numbers(3 * n, 0.2), numbers(n, 0.5));
    let positions = vectors.as_chunks().0;
    let all = FieldTable { positions, charges: None, potential: &scalars, gradient: positions };
    let folder = tempfile::tempdir().unwrap();
    for name in FORMATS {
        for (fails, short, reason) in [
            (Some(2), None, "the rank left"),
            (None, Some(1), "part 1 has 6 numbers of positions, not 9"),
        ] {
            let mut parts = Cut { all, ends: vec![3, 6, n], fails, short };
            let error = write_field_parts(folder.path().join(name), &mut parts, &Cells::default())
                .unwrap_err();
            assert!(error.to_string().contains(reason), "{name}: {error}");
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{name}");
        }
    }
}
