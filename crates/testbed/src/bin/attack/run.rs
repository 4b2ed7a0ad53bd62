//! The row of an evaluation.

use fmm::Method;
use testbed::attack::{Attempt, Outcome, Verdict};
use testbed::hostile::Case;

/// Head line of the rows.
pub(crate) const HEADER: &str = "case                                signs      N  prec method            tol  order       phi      grad  seconds  verdict";

/// The row of the table.
pub(crate) fn row(outcome: &Outcome, case: &Case, attempt: Attempt, precision: &str) -> String {
    let verdict = match &outcome.verdict {
        Verdict::Ok => "ok".to_owned(),
        Verdict::Reported => "REPORTED".to_owned(),
        Verdict::Refused(error) => format!("refused: {error}"),
        Verdict::Miss => "MISS".to_owned(),
    };
    let asked = attempt.method;
    let used = outcome.report.method;
    let method = match asked {
        Method::Auto if used != Method::Auto => format!("auto:{used}"),
        _ => asked.to_string(),
    };
    let [potential, gradient] = outcome.ratios;
    let (name, signs, n) = (case.name, case.signs(), case.sources.len());
    let (tolerance, order, seconds) = (attempt.tolerance, outcome.report.order, outcome.seconds);
    format!(
        "{name:35} {signs:5} {n:6}  {precision:4} {method:14} {tolerance:7.0e} {order:5}  {potential:9.2e} {gradient:9.2e} {seconds:8.3}  {verdict}"
    )
}
