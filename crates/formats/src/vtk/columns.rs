//! Points of a dataset: its arrays are columns by their names.

use super::dataset::{Array, Dataset};
use super::numbers::Numbers;
use crate::error::Fault;
use crate::memory::reserve_exact;
use crate::message::excerpt;
use crate::points::PointTable;
use crate::points::column::AXES;
use crate::points::selection::Selection;

/// Components of an array that are columns, at most: those of a tensor.
const MOST_COMPONENTS: usize = 9;

/// A column: an array and one of its components.
struct Column<'a> {
    name: String,
    numbers: &'a Numbers,
    width: usize,
    component: usize,
}

impl Column<'_> {
    /// The finite number of a point.
    fn at(&self, i: usize) -> Result<f64, Fault> {
        let value = self.numbers.float(self.width * i + self.component);
        if value.is_finite() {
            return Ok(value);
        }
        Err(Fault::NotFinite { place: format!("{}[{i}]", excerpt(&self.name)), value })
    }
}

impl Dataset {
    /// Positions and the charges that are selected. Columns are x, y, z and the arrays of the points; those of vectors are
    /// named `gradient_x` and so on, others of several components `name_0` and so on.
    pub(crate) fn table(&self, selection: &Selection) -> Result<PointTable, Fault> {
        let count = self.len();
        if count == 0 {
            return Err(Fault::Empty);
        }
        let columns = self.columns();
        let names: Vec<String> = columns.iter().map(|column| column.name.clone()).collect();
        let picked = selection.pick(&names, names.len())?;
        let (mut positions, mut charges) = (Vec::new(), Vec::new());
        reserve_exact(&mut positions, count)?;
        let [x, y, z] = picked.position.map(|column| &columns[column]);
        for i in 0..count {
            positions.push([x.at(i)?, y.at(i)?, z.at(i)?]);
        }
        if let Some(column) = picked.charge {
            reserve_exact(&mut charges, count)?;
            for i in 0..count {
                charges.push(columns[column].at(i)?);
            }
        }
        Ok(PointTable { positions, charges })
    }

    fn columns(&self) -> Vec<Column<'_>> {
        let points = (0..3).map(|axis| Column {
            name: AXES[axis].to_owned(),
            numbers: &self.points,
            width: 3,
            component: axis,
        });
        let narrow = |array: &&Array| array.components <= MOST_COMPONENTS;
        let of_arrays = self.of_points.iter().filter(narrow).flat_map(|array| {
            let Array { name, components, numbers } = array;
            (0..*components).map(move |component| Column {
                name: match *components {
                    1 => name.clone(),
                    3 => format!("{name}_{}", AXES[component]),
                    _ => format!("{name}_{component}"),
                },
                numbers,
                width: *components,
                component,
            })
        });
        points.chain(of_arrays).collect()
    }
}
