//! Reports of plans and evaluations on the cores.

use rayon::prelude::*;

use super::geometry::Geometry;
use crate::api::{Method, Report, Request, Seconds, Treecode};
use crate::choose::{Algorithm, Scheme};
use crate::engine::Scalar;

/// The report of a plan.
pub(super) fn of_plan<T: Scalar>(
    request: &Request,
    geometry: &Geometry<T>,
    scheme: &Scheme,
    seconds: Seconds,
) -> Report {
    let Geometry { tree, lists, .. } = geometry;
    let pairs = |receiver: usize, sources: &[u32]| -> u64 {
        let n_sources: usize = sources.iter().map(|b| tree.sources(*b as usize).len()).sum();
        tree.receivers(receiver).len() as u64 * n_sources as u64
    };
    let n_boxes = tree.n_boxes();
    // A walk makes its lists, and counts them, when it is evaluated.
    let rows = if scheme.algorithm.walks() { 0 } else { n_boxes };
    let sum = |count: &(dyn Fn(usize) -> u64 + Sync)| (0..rows).into_par_iter().map(count).sum();
    let mut report = Report {
        n_sources: geometry.sources().len(),
        n_receivers: geometry.receivers().len(),
        method: method(request, scheme.algorithm),
        device: request.device,
        instructions: lanes::Arch::best().name().into(),
        precision: T::NAME,
        tolerance: request.tolerance,
        leaf_capacity: scheme.tree.depth.leaf_capacity(),
        levels: tree.n_levels(),
        boxes: n_boxes,
        leaves: tree.leaves().len(),
        p2p_pairs: sum(&|b| pairs(b, lists.near.row(b))),
        m2l_pairs: match scheme.algorithm {
            Algorithm::TreecodeLists { .. } => 0,
            _ => lists.far.n_items() as u64,
        },
        m2p_pairs: sum(&|b| (tree.receivers(b).len() * lists.m2p.row(b).len()) as u64),
        p2l_pairs: sum(&|b| {
            lists.p2l.row(b).iter().map(|leaf| tree.sources(*leaf as usize).len() as u64).sum()
        }),
        bytes: geometry.bytes(),
        seconds,
        ..Report::default()
    };
    report.opening = scheme.algorithm.opening();
    if geometry.has_expansions() {
        report_algorithm(scheme.algorithm, scheme, &mut report);
    }
    report
}

/// The method of an algorithm, with the options of the request.
pub(crate) fn method(request: &Request, algorithm: Algorithm) -> Method {
    match algorithm {
        Algorithm::Direct => Method::Direct,
        Algorithm::Fmm { .. } => Method::Fmm,
        Algorithm::TreecodeLists { .. } | Algorithm::TreecodeWalk(_) => {
            Method::Treecode(request.treecode().unwrap_or(Treecode::new()))
        }
    }
}

/// Order, criterion, form of M2L and expected error of the expansions in use.
pub(crate) fn report_algorithm(algorithm: Algorithm, scheme: &Scheme, report: &mut Report) {
    report.order = algorithm.order().unwrap_or(0);
    (report.opening, report.m2l) = (algorithm.opening(), algorithm.m2l());
    report.predicted_error = scheme.predicted_error;
}

/// Makes a report say that all pairs were summed.
pub(crate) fn report_all_pairs(report: &mut Report) {
    (report.method, report.order) = (Method::Direct, 0);
    (report.opening, report.m2l) = (None, None);
    report.p2p_pairs = report.n_sources as u64 * report.n_receivers as u64;
    [report.m2l_pairs, report.m2p_pairs, report.p2l_pairs] = [0; 3];
}
