//! Errors of walks by criterion and order, and numbers of what acts on a receiver: `errors/treecode.rs`.

use fmm::{Depth, Fmm, Opening, Tolerance, Treecode};
use testbed::clouds::{self, Cloud};
use testbed::fit::line_above;

use super::{BySigns, charges_of_both_signs, errors, problem, remote_sets};
use crate::tables::{Target, list, number, up_to_two_digits};
use crate::{Outcome, SEED};

const COMMENT: &str = "\
//! Measured errors of the treecode's walks, by criterion, order and signs of the charges; written by
//! `cargo xtask calibrate errors`.
//!
//! Each number is the largest relative L2 error of the worse of potential and gradient over uniform cube and sphere,
//! sphere surface, Plummer model, two clusters and disk galaxy of 2·10⁴ and 5·10⁴ points, walked by
//! groups of the default size. The uniform sphere, where forces cancel, is the hardest for monopoles.
";

const THETAS: [f64; 8] = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0];
const ALPHAS: [f64; 5] = [1e-4, 3e-4, 1e-3, 3e-3, 1e-2];
const ORDERS: [usize; 9] = [1, 2, 3, 4, 5, 6, 8, 10, 14];

/// Orders and angles at which single walks are compared with groups, and remote receivers with others.
const COMPARED_ORDERS: [usize; 5] = [1, 3, 4, 5, 6];
const COMPARED_THETAS: [f64; 3] = [0.4, 0.6, 0.8];

/// Errors with a row for each order and a column for each opening.
type Table<const N: usize> = [[f64; N]; 9];

/// Measures and writes the file; the larger sets have `n` points.
pub(crate) fn calibrate(n: usize, target: &Target) -> Outcome {
    let sets: Vec<Cloud> = [2 * n / 5, n].into_iter().flat_map(sets).collect();
    let by_angle = tables(&THETAS.map(|theta| Opening::Nakasato { theta }), &sets)?;
    let by_share = tables(&ALPHAS.map(|alpha| Opening::Relative { alpha }), &sets)?;
    let counted = interactions(n)?;
    let text = [
        "/// Errors with a row for each of [`ORDERS`].\n\
         pub(super) type Table<const N: usize> = [[f64; N]; 9];\n\n"
            .to_owned(),
        format!("/// Orders of the rows.\npub(super) const ORDERS: [usize; 9] = {ORDERS:?};\n\n"),
        format!(
            "/// Number of points for which [`INTERACTIONS`] was counted.\n\
             pub(super) const TABLED_POINTS: f64 = {};\n\n",
            number(n as f64, 1)
        ),
        format!(
            "/// Opening angles of l/θ + s < d.\npub(super) const THETAS: [f64; 8] = {THETAS:?};\n\n"
        ),
        table("Errors by θ, for charges of one sign.", "ALIKE", &by_angle[0]),
        table("Errors by θ, for charges of both signs.", "UNLIKE", &by_angle[1]),
        interactions_text(&counted),
        format!(
            "/// Growth of the number of cells for eight times as many points.\n\
             pub(super) const GROWTH: f64 = {:.2};\n\n",
            growth(n, &counted)?
        ),
        format!(
            "/// α of the relative criterion.\npub(super) const ALPHAS: [f64; 5] = {};\n\n",
            list(&ALPHAS, 0)
        ),
        table("Errors by α, for charges of one sign.", "RELATIVE_ALIKE", &by_share[0]),
        table("Errors by α, for charges of both signs.", "RELATIVE_UNLIKE", &by_share[1]),
        factors_text(remote_factor(n, &by_angle)?, alone_factors(2 * n / 5)?),
    ];
    target.put(COMMENT, &text.concat())
}

fn sets(n: usize) -> Vec<Cloud> {
    let more = [clouds::uniform_sphere(n, SEED), clouds::galaxy(n, SEED)];
    clouds::distributions(n, SEED).into_iter().chain(more).collect()
}

/// Walks by a criterion, of groups and leaves of the default size.
fn walk(opening: Opening, order: usize) -> Fmm {
    Fmm::new().method(Treecode::new().opening(opening)).tolerance(Tolerance::Order(order))
}

/// The largest errors over all sets, by order and opening.
fn tables<const N: usize>(openings: &[Opening; N], sets: &[Cloud]) -> Outcome<BySigns<Table<N>>> {
    let mut tables = [[[0.0f64; N]; 9]; 2];
    for cloud in sets {
        let charges = charges_of_both_signs(cloud.positions.len());
        let charges = charges.each_ref().map(Vec::as_slice);
        let problem = problem(cloud, None);
        for (column, opening) in openings.iter().enumerate() {
            for (row, order) in ORDERS.into_iter().enumerate() {
                let errors = errors(walk(*opening, order), &problem, &charges)?;
                for (table, error) in tables.iter_mut().zip(&errors) {
                    table[row][column] = table[row][column].max(error.l2());
                }
            }
            eprintln!("{} of {} points, {opening}", cloud.name, cloud.positions.len());
        }
    }
    Ok(tables.map(|table| enveloped(&table)))
}

/// The table with no error smaller than that of a higher order or of a narrower criterion.
fn enveloped<const N: usize>(measured: &Table<N>) -> Table<N> {
    let mut table = *measured;
    for row in (0..table.len()).rev() {
        for column in 0..N {
            let higher = table.get(row + 1).map_or(0.0, |next| next[column]);
            let narrower = if column == 0 { 0.0 } else { table[row][column - 1] };
            let largest = table[row][column].max(higher).max(narrower);
            // Multipoles about centres of charge of one sign have no dipoles: orders 1 and 2 are alike there.
            let least = if row > 1 { 1.001 * higher } else { higher };
            table[row][column] = up_to_two_digits(largest.max(least));
        }
    }
    table
}

/// Cells and sources that act on a receiver of a uniform cube, by θ.
fn interactions(n: usize) -> Outcome<[[f64; 2]; 8]> {
    let cloud = clouds::uniform_cube(n, SEED);
    let [masses, _] = charges_of_both_signs(n);
    let mut counted = [[0.0; 2]; 8];
    for (theta, counts) in THETAS.into_iter().zip(&mut counted) {
        let plan = problem(&cloud, None).plan(walk(Opening::Nakasato { theta }, 1))?;
        let report = plan.evaluate(&masses)?.report;
        *counts = [report.m2p_pairs, report.p2p_pairs].map(|pairs| pairs as f64 / n as f64);
    }
    Ok(counted)
}

/// Mean over θ of the growth of the number of cells from `n` to 8 `n` points.
fn growth(n: usize, few: &[[f64; 2]; 8]) -> Outcome<f64> {
    let many = interactions(8 * n)?;
    let growth: f64 = few.iter().zip(&many).map(|(few, many)| many[0] / few[0] - 1.0).sum();
    Ok(growth / few.len() as f64)
}

/// The largest error of receivers away from the sources over the tabled one.
fn remote_factor(n: usize, tables: &BySigns<Table<8>>) -> Outcome<f64> {
    let mut factor = 1.0f64;
    for (cloud, receivers) in &remote_sets(n) {
        let charges = charges_of_both_signs(cloud.positions.len());
        let problem = problem(cloud, Some(receivers));
        for order in COMPARED_ORDERS {
            for theta in COMPARED_THETAS {
                let walk = walk(Opening::Nakasato { theta }, order);
                let errors = errors(walk, &problem, &charges.each_ref().map(Vec::as_slice))?;
                let row = ORDERS.iter().position(|tabled| *tabled == order);
                let column = THETAS.iter().position(|tabled| *tabled == theta);
                let (Some(row), Some(column)) = (row, column) else { continue };
                for (table, error) in tables.iter().zip(&errors) {
                    factor = factor.max(error.l2() / table[row][column]);
                }
            }
        }
    }
    Ok(factor)
}

/// Errors of single walks with leaves of one point over those of groups: value at order 0, and growth an order.
fn alone_factors(n: usize) -> Outcome<[f64; 2]> {
    let mut points = Vec::new();
    let sets = [clouds::uniform_sphere(n, SEED), clouds::plummer(n, SEED)];
    for order in COMPARED_ORDERS {
        let mut largest = 0.0f64;
        for cloud in &sets {
            let charges = charges_of_both_signs(n);
            let charges = charges.each_ref().map(Vec::as_slice);
            let problem = problem(cloud, None);
            for theta in COMPARED_THETAS {
                let opening = Opening::Nakasato { theta };
                let single = walk(opening, order)
                    .method(Treecode::new().opening(opening).group_capacity(1))
                    .depth(Depth::Adaptive { leaf_capacity: 1 });
                let single = errors(single, &problem, &charges)?;
                let groups = errors(walk(opening, order), &problem, &charges)?;
                let ratios = single.iter().zip(&groups).map(|(a, b)| a.l2() / b.l2());
                largest = ratios.fold(largest, f64::max);
            }
        }
        eprintln!("single walks, order {order}: {largest:.2} times the error of groups");
        points.push((order as f64, largest));
    }
    Ok(line_above(&points))
}

fn table<const N: usize>(about: &str, name: &str, table: &Table<N>) -> String {
    let rows: String = table.iter().map(|row| format!("    {},\n", list(row, 1))).collect();
    format!("/// {about}\npub(super) const {name}: Table<{N}> = [\n{rows}];\n\n")
}

fn interactions_text(counted: &[[f64; 2]; 8]) -> String {
    let row = |[cells, sources]: &[f64; 2]| format!("    [{cells:.1}, {sources:.1}],\n");
    let rows: String = counted.iter().map(row).collect();
    format!(
        "/// Numbers of cells and of sources that act on a receiver of the uniform cube, by θ.\n\
         pub(super) const INTERACTIONS: [[f64; 2]; 8] = [\n{rows}];\n\n"
    )
}

fn factors_text(remote: f64, [at_zero, growth]: [f64; 2]) -> String {
    format!(
        "/// Factor by which the errors of walks are larger for receivers away from the sources, at most, of those measured.\n\
         pub(super) const REMOTE: f64 = {remote:.1};\n\n\
         /// Errors of receivers that walk one by one, with leaves of one point, over those of groups: value at order 0, and\n\
         /// growth an order. A group opens the cells that its neediest receiver opens; higher orders gain more by it.\n\
         pub(super) const ALONE: [f64; 2] = [{at_zero:.2}, {growth:.2}];\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn envelopes_rise_with_the_angle_and_fall_with_the_order() {
        let mut measured: Table<3> = [[0.0; 3]; 9];
        for (row, errors) in measured.iter_mut().enumerate() {
            let scale = 0.3f64.powi(row.max(1) as i32);
            *errors = [scale, 2.0 * scale, 5.0 * scale];
        }
        measured[4][1] = measured[3][1];
        let table = enveloped(&measured);
        assert_eq!(table[0], table[1]);
        for row in 2..9 {
            for column in 0..3 {
                assert!(table[row][column] < table[row - 1][column] || row == 1);
                assert!(table[row][column] >= measured[row][column] * (1.0 - 1e-12));
                assert!(column == 0 || table[row][column] >= table[row][column - 1]);
            }
        }
    }
}
