//! Errors of expansions on lists, by order and form of M2L: `errors/fmm.rs`.

use expansions::MAX_ORDER;
use fmm::{Fmm, M2l, Method, Tolerance};
use testbed::clouds::{self, Cloud};
use testbed::conformance::Problem;
use testbed::fit::{decay_above, line};

use super::{charges_of_both_signs, errors, outputs, problem, remote_sets};
use crate::tables::{Target, list, up_to_two_digits};
use crate::{Outcome, SEED};

const COMMENT: &str = "\
//! Measured errors of expansions on lists, by order; written by `cargo xtask calibrate errors`.
//!
//! Each number is the largest relative L2 error over sets of 2·10⁴ to 10⁵ points, with the FMM's lists: volumes are
//! uniform cube, Plummer model, two far clusters, a star cluster and a protein, surfaces a sphere and a torus. Errors of volumes
//! by plane waves lose peaks that the orders beside them do not have.
";

/// Orders of the rows for M2L of pairs: closer together where errors fall by less than tenfold a row.
const TRANSLATION_ORDERS: [usize; 16] = [1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 30, 36, 42, 48];

/// Errors below this are those of rounding in f64 too, and are continued from the orders before: sums of 10⁵ terms
/// round by some 10⁻¹⁵.
const ROUNDING: f64 = 1e-14;

/// Degrees over which the rate of a continuation is found: errors of plane waves fall by steps of up to five degrees.
const CONTINUED_FROM: usize = 10;

/// Potential and gradient for charges of one sign, then both for mixed ones; of volumes, then of surfaces.
type Errors = [f64; 8];

/// Columns of a group of sets.
const GROUP: usize = 4;

/// Points and charges of one set.
struct Case {
    problem: Problem<f64>,
    /// Charges with the columns that their errors go to: in the set's group 0 for one sign, 2 for both.
    charges: Vec<(usize, Vec<f64>)>,
}

/// Measures and writes the file; drawn sets have up to `n` points.
pub(crate) fn calibrate(n: usize, target: &Target) -> Outcome {
    let cases = cases(n)?;
    let translations = rows(M2l::Rotation, &TRANSLATION_ORDERS, &cases)?;
    let waves: Vec<usize> = (1..=44).collect();
    let waves = rows(M2l::PlaneWaves, &waves, &cases)?;
    let text = format!(
        "use super::Row;\n\n\
         /// Errors by M2L of pairs. The last row continues the one before at the same rate.\n\
         {}\n\
         /// Errors by plane waves, none smaller than that of a higher order. The last row continues the ten before.\n\
         {}\n\
         /// Errors for receivers away from the sources, of potential and gradient: value at order 0, and rate a degree.\n\
         pub(super) const REMOTE: [[f64; 2]; 2] = {};\n",
        table("TRANSLATIONS", &completed(&translations)),
        table("WAVES", &completed(&waves)),
        remote_law(n)?,
    );
    target.put(COMMENT, &text)
}

/// The sets with their charges.
fn cases(n: usize) -> Outcome<Vec<Case>> {
    let sizes = [n / 5, n / 2, n].into_iter().enumerate();
    let drawn = sizes.flat_map(|(k, n)| {
        let seed = SEED + 20 * k as u64;
        clouds::distributions(n, seed).into_iter().chain([clouds::torus(n, seed)])
    });
    Ok(drawn.chain(clouds::real()?).map(case).collect())
}

fn case(cloud: Cloud) -> Case {
    let [masses, mixed] = charges_of_both_signs(cloud.positions.len());
    let has = |wanted: fn(&f64) -> bool| cloud.charges.iter().any(wanted);
    let own = if has(|q| *q < 0.0) && has(|q| *q > 0.0) { 2 } else { 0 };
    let problem = problem(&cloud, None);
    let group = if matches!(cloud.name, "sphere surface" | "torus") { GROUP } else { 0 };
    let charges = vec![(group, masses), (group + 2, mixed), (group + own, cloud.charges)];
    Case { problem, charges }
}

/// The largest errors over all sets of each order, by one form of M2L.
fn rows(form: M2l, orders: &[usize], cases: &[Case]) -> Outcome<Vec<(usize, Errors)>> {
    // Errors by order of each set, charges and output, with their column.
    let columns = cases.iter().flat_map(|case| &case.charges).map(|(column, _)| *column);
    let mut measured: Vec<(usize, Vec<f64>)> =
        columns.flat_map(|column| [column, column + 1]).map(|column| (column, vec![])).collect();
    for order in orders {
        let fmm = Fmm::new().method(Method::Fmm).m2l(form).tolerance(Tolerance::Order(*order));
        let mut next = measured.iter_mut();
        for Case { problem, charges } in cases {
            let vectors: Vec<&[f64]> = charges.iter().map(|(_, q)| q.as_slice()).collect();
            for error in errors(fmm, problem, &vectors)? {
                let both = outputs(&error);
                // The array first: what ends takes no item of the other.
                for (error, (_, by_order)) in both.into_iter().zip(next.by_ref()) {
                    by_order.push(error);
                }
            }
        }
        eprintln!("{form}, order {order}");
    }
    let mut rows: Vec<(usize, Errors)> = orders.iter().map(|p| (*p, [0.0; 2 * GROUP])).collect();
    for (column, errors) in measured {
        // On surfaces errors fall more from odd to even orders, or less, and no check should have to find that; and rows of
        // pairs are too far apart.
        let errors = match form {
            M2l::PlaneWaves if column < GROUP => without_peaks(&errors),
            _ => errors,
        };
        for ((_, largest), error) in rows.iter_mut().zip(errors) {
            largest[column] = largest[column].max(error);
        }
    }
    Ok(rows)
}

/// Errors by consecutive orders, none above the geometric mean of it and those beside it: peaks are the work of a few receivers,
/// and the check of an evaluation finds where an error is larger.
fn without_peaks(errors: &[f64]) -> Vec<f64> {
    let mean = |k: usize| errors[k - 1..=k + 1].iter().map(|error| error.cbrt()).product::<f64>();
    let last = errors.len().saturating_sub(1);
    let lowered = |(k, error): (usize, &f64)| match k {
        k if k == 0 || k == last => *error,
        k => error.min(mean(k)),
    };
    errors.iter().enumerate().map(lowered).collect()
}

/// Measured rows, continued beyond rounding and to the largest order, each error larger than that of a higher order.
fn completed(measured: &[(usize, Errors)]) -> Vec<(usize, Errors)> {
    let mut rows = measured.to_vec();
    rows.push((MAX_ORDER, [0.0; 2 * GROUP]));
    for column in 0..2 * GROUP {
        continue_column(&mut rows, column);
        let mut above = 0.0;
        for (_, errors) in rows.iter_mut().rev() {
            // A little more than the one above, where that is larger: orders are found by falling errors.
            above = up_to_two_digits(errors[column].max(1.001 * above));
            errors[column] = above;
        }
    }
    rows
}

/// Replaces the errors from the first on that rounding has a part in, by the rate of the orders before.
fn continue_column(rows: &mut [(usize, Errors)], column: usize) {
    let measured = rows.iter().take_while(|(_, errors)| errors[column] > ROUNDING).count();
    let Some(last) = measured.checked_sub(1) else { return };
    let (last_order, last_error) = (rows[last].0, rows[last].1[column]);
    let recent = |(order, _): &&(usize, Errors)| order + CONTINUED_FROM >= last_order;
    let logarithm = |(order, errors): &(usize, Errors)| (*order as f64, errors[column].ln());
    let points: Vec<(f64, f64)> = rows[..measured].iter().filter(recent).map(logarithm).collect();
    let [_, slope] = line(&points);
    for (order, errors) in &mut rows[measured..] {
        errors[column] = last_error * (slope * (*order - last_order) as f64).exp();
    }
}

/// The largest errors for receivers away from the sources by order, as a law.
fn remote_law(n: usize) -> Outcome<String> {
    let mut points = [const { Vec::new() }; 2];
    let sets = remote_sets(n / 2);
    for order in 2..=30 {
        let fmm = Fmm::new().method(Method::Fmm).tolerance(Tolerance::Order(order));
        let mut largest = [0.0f64; 2];
        for (cloud, receivers) in &sets {
            let charges = charges_of_both_signs(cloud.positions.len());
            let problem = problem(cloud, Some(receivers));
            for error in errors(fmm, &problem, &charges.each_ref().map(Vec::as_slice))? {
                for (k, error) in outputs(&error).into_iter().enumerate() {
                    largest[k] = largest[k].max(error);
                }
            }
        }
        eprintln!("remote receivers, order {order}: {}", list(&largest, 1));
        for (points, error) in points.iter_mut().zip(largest) {
            if error > ROUNDING {
                points.push((order as f64, error));
            }
        }
    }
    let laws = points.map(|points| list(&decay_above(&points), 2));
    Ok(format!("[{}, {}]", laws[0], laws[1]))
}

fn table(name: &str, rows: &[(usize, Errors)]) -> String {
    let row = |(order, errors): &(usize, Errors)| {
        let (volumes, surfaces) = errors.split_at(GROUP);
        format!("    ({order}, {}, {}),\n", list(volumes, 1), list(surfaces, 1))
    };
    let rows: String = rows.iter().map(row).collect();
    format!("pub(super) const {name}: &[Row] = &[\n{rows}];\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peaks_are_lowered_and_valleys_stay() {
        let mut errors: Vec<f64> = (0..9).map(|p| 0.5f64.powi(p)).collect();
        for (error, same) in errors.iter().zip(without_peaks(&errors)) {
            assert!((same / error - 1.0).abs() < 1e-12);
        }
        errors[3] *= 8.0;
        errors[6] /= 8.0;
        let lowered = without_peaks(&errors);
        assert!((lowered[3] / errors[3] - 0.25).abs() < 1e-12);
        assert_eq!(lowered[6], errors[6]);
        assert!(without_peaks(&[]).is_empty());
    }

    #[test]
    fn errors_fall_with_the_order_and_go_on_beyond_rounding() {
        let error = |order: usize| 0.5f64.powi(order as i32).max(1e-15);
        let mut measured: Vec<(usize, Errors)> = (1..=50).map(|p| (p, [error(p); 8])).collect();
        measured[9].1 = [1e-5; 8];
        let rows = completed(&measured);
        assert_eq!(rows.last().unwrap().0, MAX_ORDER);
        for pair in rows.windows(2) {
            assert!(pair[1].1[0] < pair[0].1[0], "{pair:?}");
        }
        for ((order, errors), (_, measured)) in rows.iter().zip(&measured).take(40) {
            assert!(errors[2] >= measured[2], "order {order}");
        }
        let last = rows.last().unwrap().1[3] / 0.5f64.powi(MAX_ORDER as i32);
        assert!(last > 0.9 && last < 1.2, "{last}");
    }
}
