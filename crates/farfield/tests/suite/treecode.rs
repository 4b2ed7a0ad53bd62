//! The treecode from the command line: criteria, orders, and the report's words on them.

use crate::common::Folder;
use serde_json::Value;

fn report(folder: &Folder, arguments: &str) -> Value {
    let line = folder.succeed(&format!("evaluate a.npz {arguments} --verify 500 --json"));
    serde_json::from_str(&line).unwrap()
}

fn galaxy() -> Folder {
    let folder = Folder::new();
    folder.succeed("generate galaxy -n 3000 --seed 2 -o a.npz");
    folder
}

#[test]
fn every_criterion_is_taken_and_told() {
    let folder = galaxy();
    for (arguments, criterion, parameter, value) in [
        ("--order 1", "nakasato", "theta", 0.6),
        ("--theta 0.5 --order 1", "nakasato", "theta", 0.5),
        ("--criterion nakasato --order 1", "nakasato", "theta", 0.6),
        ("--criterion barnes-hut --theta 0.4 --order 3", "barnes-hut", "theta", 0.4),
        ("--criterion relative --order 3", "relative", "alpha", 0.001),
        ("--alpha 0.002 --order 3", "relative", "alpha", 0.002),
        ("--criterion neighbours --order 4", "neighbours", "theta", f64::NAN),
    ] {
        let report = report(&folder, &format!("--method treecode {arguments}"));
        assert_eq!(report["method"], "treecode");
        let opening = report["opening"].as_object().unwrap();
        assert_eq!(opening["criterion"], criterion, "{arguments}");
        let told = opening.get(parameter).map_or(f64::NAN, |value| value.as_f64().unwrap());
        assert_eq!(told.to_bits(), value.to_bits(), "{arguments}");
        assert_eq!(report["tolerance"], Value::Null, "{arguments}");
        assert!(report.get("m2l").is_none(), "{arguments}");
        for number in [&report["error"]["gradient_l2"], &report["net_force"]] {
            let number = number.as_f64().unwrap();
            assert!(number > 0.0 && number < 0.02, "{arguments}: {number}");
        }
    }
}

#[test]
fn the_tolerance_is_kept_by_the_treecode() {
    let folder = galaxy();
    for tolerance in [1e-3, 1e-6] {
        let report = report(&folder, &format!("--method treecode --tolerance {tolerance}"));
        assert_eq!(report["tolerance"], tolerance);
        for norm in ["potential_l2", "gradient_l2"] {
            let error = report["error"][norm].as_f64().unwrap();
            assert!(error > 0.0 && error <= tolerance, "{norm}: {error}");
        }
    }
}

/// The smaller the angle and the higher the order, the smaller the error.
#[test]
fn angle_and_order_decide_the_error() {
    let folder = galaxy();
    let error = |arguments: &str| {
        let report = report(&folder, &format!("--method treecode {arguments}"));
        report["error"]["gradient_mean_relative"].as_f64().unwrap()
    };
    let paper = error("--theta 0.6 --order 1");
    assert!(error("--theta 0.3 --order 1") < 0.3 * paper);
    assert!(error("--theta 0.6 --order 5") < 0.3 * paper);
}

#[test]
fn an_order_is_for_the_fast_multipole_method_too() {
    let folder = galaxy();
    let report = report(&folder, "--method fmm --order 8");
    assert_eq!(report["order"], 8);
    assert!(report.get("opening").is_none() && report["m2l"].is_string());
}
