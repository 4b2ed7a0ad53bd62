//! Ranks that are threads of the command: the same output as one process, and errors that end all of them.

use crate::common::{Folder, rows};
use serde_json::Value;

/// Compares two fields: positions and charges to the bit, sums to 1e-12 of the largest.
///
/// Sums over ranks differ from those of one process by the order in which multipoles and pairs are added: some hundred
/// roundings of 1.1e-16.
fn check_same(folder: &Folder, name: &str, expected: &str, n_given: usize) {
    let (found, expected) = (rows(folder, name), rows(folder, expected));
    assert_eq!(found.len(), expected.len());
    let width = expected[0].len();
    for column in 0..width {
        let values = |rows: &[Vec<f64>]| rows.iter().map(|row| row[column]).collect::<Vec<f64>>();
        let (found, expected) = (values(&found), values(&expected));
        if column < n_given {
            assert_eq!(found, expected);
        }
        let largest = expected.iter().fold(0.0, |largest: f64, value| largest.max(value.abs()));
        for (found, expected) in found.iter().zip(&expected) {
            assert!((found - expected).abs() <= 1e-12 * largest, "{column}: {found} {expected}");
        }
    }
}

#[test]
fn three_ranks_write_the_field_of_one_process() {
    let folder = Folder::new();
    folder.succeed("generate plummer -n 5000 --seed 3 -o a.npz");
    folder.succeed("generate sphere -n 700 --seed 4 -o r.npz");
    let walk = "treecode --criterion relative --alpha 0.001";
    for method in ["fmm", "direct", "treecode", "treecode --criterion neighbours", walk] {
        let command = format!("evaluate a.npz --method {method} --tolerance 1e-6");
        folder.succeed(&format!("{command} -o one.csv"));
        folder.succeed(&format!("{command} -o ranks.csv --ranks 3"));
        check_same(&folder, "ranks.csv", "one.csv", 4);
        folder.succeed(&format!("{command} --receivers r.npz -o one.csv"));
        folder.succeed(&format!("{command} --receivers r.npz -o ranks.csv --ranks 3"));
        check_same(&folder, "ranks.csv", "one.csv", 3);
    }
}

/// An array of which every rank reads its rows gives the field of an archive that rank 0 reads.
#[test]
fn ranks_read_their_rows_of_arrays() {
    let folder = Folder::new();
    for kind in ["npy", "npz", "csv"] {
        folder.succeed(&format!("generate plummer -n 1003 --seed 5 -o a.{kind}"));
        folder.succeed(&format!("generate sphere -n 41 --seed 6 -o r.{kind}"));
    }
    for method in ["fmm", "direct"] {
        for (sources, receivers) in [("npy", "npy"), ("npy", "csv"), ("npz", "npy")] {
            let of = |sources, receivers| {
                format!("evaluate a.{sources} --receivers r.{receivers} --method {method}")
            };
            folder.succeed(&format!("{} --ranks 4 -o archives.csv", of("npz", "npz")));
            folder.succeed(&format!("{} --ranks 4 -o rows.csv", of(sources, receivers)));
            assert!(
                folder.read("archives.csv") == folder.read("rows.csv"),
                "{sources} {receivers}"
            );
        }
        let command = |file: &str| format!("evaluate {file} --unit-charges --columns 1,2,3");
        folder.succeed(&format!("{} --method {method} -o one.csv", command("a.npy")));
        folder.succeed(&format!("{} --method {method} --ranks 3 -o ranks.csv", command("a.npy")));
        check_same(&folder, "ranks.csv", "one.csv", 4);
    }
    // Ranks of more than there are rows, and without output.
    folder.succeed("evaluate r.npy --unit-charges --ranks 60 --method fmm");
}

#[test]
fn faults_in_the_rows_of_any_rank_are_those_of_one_process() {
    let folder = Folder::new();
    folder.succeed("generate cube -n 100 -o a.npy");
    let sound = folder.read("a.npy");
    let numbers = sound.len() - 8 * 4 * 100;
    for row in [0, 20, 99] {
        let mut bytes = sound.clone();
        bytes[numbers + 8 * 4 * row..][..8].copy_from_slice(&f64::NAN.to_le_bytes());
        folder.write("nan.npy", bytes);
        let alone = folder.fail("evaluate nan.npy -o f.csv");
        assert!(alone.contains(&format!("[{row}, 0]")), "{alone}");
        assert_eq!(folder.fail("evaluate nan.npy -o f.csv --ranks 4"), alone);
        let receivers = folder.fail("evaluate a.npy --receivers nan.npy -o f.csv");
        let over = folder.fail("evaluate a.npy --receivers nan.npy -o f.csv --ranks 4");
        assert_eq!(over, receivers);
    }
    folder.write("short.npy", &sound[..sound.len() - 1]);
    folder.write("none.npy", &sound[..10]);
    folder.write("empty.npy", "");
    for name in ["short", "none", "empty", "missing"] {
        let alone = folder.fail(&format!("evaluate {name}.npy -o f.csv"));
        assert_eq!(folder.fail(&format!("evaluate {name}.npy -o f.csv --ranks 4")), alone);
    }
    let columns = "evaluate a.npy --columns 1,2,9 -o f.csv";
    assert_eq!(folder.fail(&format!("{columns} --ranks 3")), folder.fail(columns));
}

#[test]
fn the_output_is_that_of_any_number_of_threads() {
    let folder = Folder::new();
    folder.succeed("generate cube -n 3000 -o a.npy");
    for threads in [1, 2, 5] {
        folder.succeed(&format!(
            "evaluate a.npy --method fmm --ranks 3 --threads {threads} -o f{threads}.npz"
        ));
    }
    assert!(folder.read("f1.npz") == folder.read("f2.npz"));
    assert!(folder.read("f1.npz") == folder.read("f5.npz"));
}

#[test]
fn the_report_tells_what_each_rank_did() {
    let folder = Folder::new();
    folder.succeed("generate cube -n 3000 -o a.npz");
    let command = "evaluate a.npz --method fmm --verify 100 --ranks";
    let report = folder.succeed(&format!("{command} 3 --json"));
    assert_eq!(report.lines().count(), 1);
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!((&report["n_sources"], &report["method"]), (&3000.into(), &"fmm".into()));
    assert!(report["error"]["gradient_l2"].as_f64().unwrap() < 1e-6);
    for imbalance in ["imbalance", "imbalance_of_points"] {
        assert!((0.0..0.5).contains(&report[imbalance].as_f64().unwrap()), "{report}");
    }
    assert!(["by points", "by work"].contains(&report["cuts"].as_str().unwrap()));
    let ranks = report["ranks"].as_array().unwrap();
    assert_eq!(ranks.len(), 3);
    for rank in ranks {
        for count in ["messages", "bytes_sent", "bytes_received", "bytes"] {
            assert!(rank[count].as_u64().unwrap() > 0, "{count}: {rank}");
        }
        let seconds = rank["seconds"].as_object().unwrap();
        let stages = seconds.iter().filter(|(name, _)| *name != "total");
        let sum: f64 = stages.map(|(_, seconds)| seconds.as_f64().unwrap()).sum();
        assert!(sum > 0.0 && (sum - seconds["total"].as_f64().unwrap()).abs() < 1e-9 * sum);
    }
    let lines = |ranks: usize| {
        let text = folder.succeed(&format!("{command} {ranks}"));
        let table = text.split("ranks       ").nth(1).unwrap().to_owned();
        table.lines().take_while(|line| !line.starts_with("measured")).count() - 2
    };
    assert_eq!((lines(1), lines(8), lines(9)), (1, 8, 3));
}

#[test]
fn more_ranks_than_points() {
    let folder = Folder::new();
    folder.write("a.csv", "x,y,z,q\n0,0,0,1\n1,0,0,2\n0,2,0,-3\n");
    folder.write("r.csv", "x,y,z\n5,5,5\n");
    for arguments in ["", "--method fmm", "--receivers r.csv", "--method fmm --receivers r.csv"] {
        let given = if arguments.contains("receivers") { 3 } else { 4 };
        folder.succeed(&format!("evaluate a.csv {arguments} -o one.csv"));
        folder.succeed(&format!("evaluate a.csv {arguments} --ranks 7 --verify 3 -o ranks.csv"));
        check_same(&folder, "ranks.csv", "one.csv", given);
    }
}

#[test]
fn failures_of_files_and_outputs_are_those_of_one_process() {
    let folder = Folder::new();
    folder.write("a.csv", "x,y,z,q\n0,0,0,1\n1,0,0,2\n");
    folder.write("bad.csv", "x,y,z,q\n0,0,0,1\n1,nan,0,2\n");
    for arguments in [
        "evaluate no.csv -o f.csv",
        "evaluate bad.csv -o f.csv",
        "evaluate a.csv --receivers no.csv -o f.csv",
        "evaluate a.csv -o none/f.csv",
        "evaluate a.csv -o f.png",
        "evaluate a.csv -o a.csv",
        "evaluate - --receivers - -o f.csv",
        "evaluate a.csv --tolerance 0 -o f.csv",
        "evaluate a.csv --tolerance 1e-30 -o f.csv",
        "evaluate a.csv --softening -1 -o f.csv",
        "evaluate a.csv --order 99 -o f.csv",
        "evaluate a.csv --threads 20000 -o f.csv",
    ] {
        let alone = folder.fail(arguments);
        assert_eq!(folder.fail(&format!("{arguments} --ranks 3")), alone);
    }
}

#[test]
fn what_has_no_form_over_ranks_is_refused() {
    let folder = Folder::new();
    folder.write("a.csv", "x,y,z,q\n0,0,0,1\n1,0,0,2\n");
    for arguments in ["--theta 0.5", "--criterion nakasato", "--alpha 0.001"] {
        let treecode = format!("evaluate a.csv --method treecode {arguments} --ranks 2");
        folder.succeed(&treecode);
        #[cfg(feature = "emulator")]
        {
            let line = folder.fail(&format!("{treecode} --device emulated --tolerance 0.01"));
            let told = "farfield: over ranks with a GPU each the treecode goes on lists; choose --criterion neighbours ";
            assert!(line.starts_with(told), "{line}");
        }
    }
    let line = folder.fail("evaluate a.csv --ranks 600 -o f.csv");
    assert_eq!(line, "farfield: 600 ranks cannot run as threads; give 1 to 512");
    assert!(folder.fail("evaluate a.csv --ranks 0").contains("give 1 or more"));
}

/// Positions far from the origin keep their digits in f32 over ranks, and numbers that f32 has no room for are refused.
#[test]
fn f32_over_ranks() {
    let folder = Folder::new();
    let row = |i: u32| {
        format!("{},{},{},1\n", 6.4e6 + 0.37 * f64::from(i % 13), i % 7, 0.1 * f64::from(i))
    };
    let rows: String = (0..400).map(row).collect();
    folder.write("far.csv", format!("x,y,z,q\n{rows}"));
    folder.write("large.csv", "x,y,z,q\n0,0,0,1\n1,0,0,1e39\n");
    folder.write("small.csv", "x,y,z,q\n0,0,0,1e-50\n1,0,0,-2e-50\n");
    let single = "--precision f32 --tolerance 1e-4 --ranks 3";
    folder.succeed(&format!("evaluate far.csv {single} -o single.csv"));
    folder.succeed("evaluate far.csv --tolerance 1e-9 -o double.csv");
    let potentials = |name: &str| -> Vec<f64> {
        let text = String::from_utf8(folder.read(name)).unwrap();
        let mut lines = text.lines();
        let column = lines.next().unwrap().split(',').position(|name| name == "potential").unwrap();
        lines.map(|line| line.split(',').nth(column).unwrap().parse().unwrap()).collect()
    };
    for (single, double) in potentials("single.csv").iter().zip(potentials("double.csv")) {
        assert!((single / double - 1.0).abs() < 1e-3, "{single} {double}");
    }
    let line = folder.fail(&format!("evaluate large.csv {single} -o f.csv"));
    assert!(line.contains("a charge of 1e39 is beyond f32"), "{line}");
    let line = folder.fail(&format!("evaluate small.csv {single} -o f.csv"));
    assert!(line.contains("the largest charge, 2e-50, is below the range of f32"), "{line}");
}

#[test]
#[cfg(unix)]
fn a_full_stdout_is_told_once() {
    let folder = Folder::new();
    folder.write("a.csv", "x,y,z,q\n0,0,0,1\n1,0,0,2\n");
    let outcome = folder.shell("$farfield evaluate a.csv --ranks 3 >/dev/full");
    assert_eq!(outcome.code, 2);
    assert!(outcome.line().starts_with("farfield: cannot write the report (No space left"));
}

/// The limit reaches the plan: without one, uneven work is cut by work; `inf` keeps the cuts by points.
#[test]
fn the_imbalance_limit_decides_the_cuts() {
    let folder = Folder::new();
    folder.succeed("generate plummer -n 20000 --seed 9 -o a.npz");
    let command = "evaluate a.npz --method fmm --order 3 --ranks 8 --json";
    let cuts = |limit: &str| -> Value {
        let report = folder.succeed(&format!("{command} {limit}"));
        serde_json::from_str::<Value>(&report).unwrap()["cuts"].clone()
    };
    assert_eq!(cuts("--imbalance-limit inf"), "by points");
    assert_eq!(cuts("--imbalance-limit 0.001"), "by work");
    let refused = folder.fail("evaluate a.npz --imbalance-limit -1");
    assert!(refused.contains("an imbalance limit of -1.0 makes no sense"), "{refused}");
}
