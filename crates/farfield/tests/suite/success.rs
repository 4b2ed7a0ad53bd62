//! Each subcommand does its job on small inputs.

use crate::common::{Folder, fixture, rows};
use serde_json::Value;

/// Three charges whose field is known by hand: at distances 1, 2 and √5.
const TRIANGLE: &str = "x,y,z,q\n0,0,0,1\n1,0,0,2\n0,2,0,-3\n";

/// A file of each format that `generate` writes.
const GENERATED: [&str; 11] = [
    "a.csv", "a.dat", "a.txt.gz", "a.tsv", "a.xyz", "a.npy", "a.npz", "a.vtk", "a.vtk.gz",
    "a.tipsy", "a.gadget",
];

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "{found} {expected}");
}

#[test]
fn the_field_of_three_charges() {
    let folder = Folder::new();
    folder.write("a.csv", TRIANGLE);
    for (precision, tolerance) in [("f64", 1e-12), ("f32", 1e-5)] {
        folder.succeed(&format!(
            "evaluate a.csv --method direct --tolerance {tolerance} --precision {precision} -o f.csv"
        ));
        let field = rows(&folder, "f.csv");
        assert_eq!(field[0][..4], [0.0, 0.0, 0.0, 1.0]);
        close(field[0][4], 2.0 - 3.0 / 2.0, tolerance);
        close(field[0][5], 2.0, tolerance);
        close(field[0][6], -3.0 / 4.0, tolerance);
        close(field[0][7], 0.0, tolerance);
        close(field[2][4], 1.0 / 2.0 + 2.0 / 5f64.sqrt(), tolerance);
    }
}

/// Net charge and energy of one set, by hand: pairs 1·2/1, −1·3/2 and −2·3/√5.
#[test]
fn the_energy_of_one_set_is_told() {
    let folder = Folder::new();
    folder.write("a.csv", TRIANGLE);
    folder.write("r.csv", "x,y,z\n7,0,0\n");
    let expected = 2.0 - 3.0 / 2.0 - 6.0 / 5f64.sqrt();
    for (arguments, tolerance) in [
        ("--tolerance 1e-12", 1e-12),
        ("--tolerance 1e-12 --ranks 2", 1e-12),
        ("--precision f32 --tolerance 1e-5", 1e-5),
    ] {
        let evaluate = format!("evaluate a.csv --method direct {arguments}");
        let report = folder.succeed(&format!("{evaluate} --json"));
        let report: Value = serde_json::from_str(&report).unwrap();
        close(report["potential_energy"].as_f64().unwrap(), expected, tolerance);
        assert_eq!(report["net_charge"], 0.0, "{arguments}");
        let text = folder.succeed(&evaluate);
        assert!(text.contains("\nnet charge  0\nenergy      -2.1832"), "{text}");
    }
    let apart = "evaluate a.csv --receivers r.csv --method direct";
    let report: Value = serde_json::from_str(&folder.succeed(&format!("{apart} --json"))).unwrap();
    assert!(report.get("potential_energy").is_none() && report.get("net_charge").is_none());
    let text = folder.succeed(apart);
    assert!(!text.contains("energy") && !text.contains("net charge"), "{text}");
}

#[test]
fn softening_and_unit_charges() {
    let folder = Folder::new();
    folder.write("a.csv", "x,y,z\n0,0,0\n3,0,0\n");
    folder.succeed("evaluate a.csv --unit-charges --softening 4 --method direct -o f.csv");
    close(rows(&folder, "f.csv")[0][4], 0.2, 1e-6);
}

#[test]
fn separate_receivers() {
    let folder = Folder::new();
    folder.write("a.csv", TRIANGLE);
    folder.write("r.dat", "7 0 0 1\n7 0 0 2\n");
    folder.succeed(
        "evaluate a.csv --receivers r.dat --receiver-columns 2,3,4 --method direct -o f.csv",
    );
    let field = rows(&folder, "f.csv");
    assert_eq!(field.len(), 2);
    assert_eq!(field[1][..3], [0.0, 0.0, 2.0]);
    close(field[1][3], 1.0 / 2.0 + 2.0 / 5f64.sqrt() - 3.0 / 8f64.sqrt(), 1e-6);
}

#[test]
fn the_tolerance_is_kept_by_the_fast_method() {
    let folder = Folder::new();
    folder.succeed("generate plummer -n 3000 --seed 5 -o a.npz");
    let report = folder.succeed("evaluate a.npz --method fmm --tolerance 1e-5 --verify 500 --json");
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["method"], "fmm");
    for norm in ["potential_l2", "gradient_l2"] {
        let error = report["error"][norm].as_f64().unwrap();
        assert!(error > 0.0 && error <= 1e-5, "{norm}: {error}");
    }
    assert!(report["error"]["gradient_mean_relative"].as_f64().unwrap() > 0.0);
    assert!(report["order"].as_u64().unwrap() > 0);
}

#[test]
fn json_is_one_object_with_the_promised_keys() {
    let folder = Folder::new();
    let pal5 = fixture("pal5.dat.gz");
    let arguments = "--columns 2,3,4 --charge 1 --threads 3 --softening 0.25 --json";
    let line = folder.succeed(&format!("evaluate {pal5} {arguments}"));
    assert_eq!(line.lines().count(), 1);
    let report: Value = serde_json::from_str(&line).unwrap();
    let keys: Vec<&str> = report.as_object().unwrap().keys().map(String::as_str).collect();
    let promised = [
        "bytes",
        "device",
        "estimated_error",
        "method",
        "n_receivers",
        "n_sources",
        "net_charge",
        "net_force",
        "order",
        "p2p_pairs",
        "potential_energy",
        "precision",
        "seconds",
        "softening",
        "threads",
        "tolerance",
        "tolerance_reached",
    ];
    assert_eq!(keys, promised);
    assert_eq!(
        (report["n_sources"].as_u64(), report["n_receivers"].as_u64()),
        (Some(50), Some(50))
    );
    assert_eq!((&report["tolerance"], &report["softening"]), (&1e-6.into(), &0.25.into()));
    assert_eq!(report["threads"], 3);
    assert!(report["bytes"].as_u64().unwrap() > 0);
    assert_eq!(report["tolerance_reached"], true);
    let seconds = report["seconds"].as_object().unwrap();
    assert!(seconds.len() > 1 && seconds["total"].as_f64().unwrap() > 0.0);
}

/// Two clusters of side 1 at a distance of 10¹², and 500 points at each of 8 places.
#[test]
fn json_has_the_clumps_and_the_merged_places_of_the_text() {
    let folder = Folder::new();
    let fraction = |i: u32, factor: f64| (factor * f64::from(i * i)).fract();
    let row = |x: f64, i: u32| {
        format!("{},{},{}\n", x + fraction(i, 0.731), fraction(i, 0.577), fraction(i, 0.839))
    };
    let clusters: String = (0..6000).map(|i| row(if i % 2 == 0 { 0.0 } else { 1e12 }, i)).collect();
    folder.write("clusters.csv", format!("x,y,z\n{clusters}"));
    let crowded: String =
        (0..4000).map(|i| format!("{},{},{}\n", i & 1, i >> 1 & 1, i >> 2 & 1)).collect();
    folder.write("crowded.csv", format!("x,y,z\n{crowded}"));
    let reports = |name: &str| {
        let arguments = format!("evaluate {name}.csv --unit-charges --method fmm");
        let report: Value =
            serde_json::from_str(&folder.succeed(&format!("{arguments} --json"))).unwrap();
        (folder.succeed(&arguments), report)
    };
    let (text, report) = reports("clusters");
    let clumps = report["clumps"].as_u64().unwrap();
    assert!(clumps >= 2 && text.contains(&format!("clumps      {clumps} with")), "{text}");
    assert_eq!(report.get("places"), None);
    let (text, report) = reports("crowded");
    assert_eq!(report["places"], serde_json::json!({ "sources": 8, "receivers": 8 }));
    assert!(text.contains("places      8 of sources, 8 of receivers"), "{text}");
    assert_eq!(report.get("clumps"), None);
}

/// Charges whose sum cancels beyond the digits of f64, seen from far away.
#[test]
fn a_tolerance_that_is_not_reached_is_told_three_times() {
    // Ions seen from so far that 106 bits have no digit of their sum.
    let folder = Folder::new();
    let mut ions = "x,y,z,q\n".to_owned();
    for i in 0..216 {
        let [x, y, z] = [i / 36, i / 6 % 6, i % 6];
        let charge = if (x + y + z) % 2 == 0 { 1 } else { -1 };
        ions += &format!("{x},{y},{z},{charge}\n");
    }
    folder.write("ions.csv", &ions);
    folder.write("afar.csv", "x,y,z\n1e13,3e12,2e12\n-4e12,1e13,-7e12\n");
    let arguments = "evaluate ions.csv --receivers afar.csv --tolerance 1e-9";
    let output = folder.run(&format!("{arguments} --json"));
    assert_eq!(output.code, 0);
    assert!(output.line().contains("the tolerance is not reached"));
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!(report["tolerance_reached"], false);
    assert!(report["estimated_error"].as_f64().unwrap() > 1e-9);
    assert!(folder.run(arguments).stdout.contains("NOT reached"));
}

#[test]
fn the_text_report_tells_the_error_and_the_output() {
    let folder = Folder::new();
    let achbp = fixture("achbp.pqr");
    let text = folder.succeed(&format!("evaluate {achbp} --verify 10 --threads 1 --output f.vtk"));
    for words in ["measured at 10 receivers", "potential", "gradient", "wrote f.vtk"] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert_eq!(folder.names(), ["f.vtk"]);
    assert!(folder.read("f.vtk").starts_with(b"# vtk DataFile Version"));
}

#[test]
fn output_does_not_depend_on_threads() {
    let folder = Folder::new();
    folder.succeed("generate cube -n 3000 -o a.npy");
    folder.succeed("evaluate a.npy --method fmm --threads 1 -o one.npz");
    folder.succeed("evaluate a.npy --method fmm --threads 2 -o two.npz");
    assert!(folder.read("one.npz") == folder.read("two.npz"));
}

#[test]
fn generated_clouds_are_reproducible_in_every_format() {
    let folder = Folder::new();
    for shape in ["cube", "sphere", "sphere-volume", "plummer", "galaxy"] {
        for name in GENERATED {
            let command = format!("generate {shape} --number 10 --seed 3 --output {name}");
            assert_eq!(folder.succeed(&command), format!("wrote 10 points to {name}\n"));
            let first = folder.read(name);
            folder.succeed(&command);
            assert!(first == folder.read(name), "{command}");
            folder.succeed(&format!("evaluate {name}"));
        }
    }
    assert_eq!(folder.names().len(), GENERATED.len());
}

/// A simulation of a generated file begins as that of any other format: with its velocities, to the digits of the format.
#[test]
fn generated_particles_move_in_every_format_that_holds_velocities() {
    let folder = Folder::new();
    let begin = |name: &str| {
        folder.succeed(&format!("generate plummer -n 8 --seed 3 -o {name}"));
        farfield::formats::read_snapshot(folder.path().join(name)).unwrap()
    };
    let expected = begin("expected.npz");
    let most = |values: &[[f64; 3]]| values.as_flattened().iter().fold(0.0, |a, x| x.abs().max(a));
    for name in GENERATED.into_iter().filter(|name| !["a.xyz", "a.npy"].contains(name)) {
        let found = begin(name);
        let digits = match name.contains("tipsy") || name.contains("gadget") {
            true => f64::from(f32::EPSILON),
            false => 0.0,
        };
        for (found, expected) in
            [(&found.positions, &expected.positions), (&found.velocities, &expected.velocities)]
        {
            let bound = digits * most(expected);
            let pairs = found.as_flattened().iter().zip(expected.as_flattened());
            assert!(pairs.fold(0.0, |a, (x, y)| (x - y).abs().max(a)) <= bound, "{name}");
        }
        let run = format!("simulate {name} --time 0.01 --outputs 1 --snapshots {name}.run");
        assert!(!folder.succeed(&run).contains("at rest"), "{name}");
    }
    let line = folder.fail("generate cube -n 5 -o a.pqr");
    let known = ".csv, .dat, .txt, .tsv, .xyz, .npy, .npz, .vtk, .tipsy, .gadget";
    assert!(line.ends_with(&format!("use one of {known}")), "{line}");
}

#[test]
fn the_tree_accounts_for_every_point() {
    let folder = Folder::new();
    folder.succeed("generate sphere -n 2000 -o a.csv");
    let text = folder.succeed("tree a.csv");
    assert!(text.starts_with("points           2000\n"), "{text}");
    let level = |line: &str| -> Option<usize> {
        let fields: Vec<&str> = line.split_whitespace().collect();
        (fields.len() == 4).then(|| fields[3].parse().ok())?
    };
    let table = text.lines().skip_while(|line| !line.starts_with("level")).skip(1);
    let in_leaves: usize = table.take_while(|line| !line.is_empty()).filter_map(level).sum();
    assert_eq!(in_leaves, 2000);
    assert!(text.contains("near (U), P2P") && text.contains("far (V), M2L"), "{text}");
}

#[test]
fn help_names_every_option() {
    let folder = Folder::new();
    let help = folder.succeed("evaluate --help");
    for option in [
        "--receivers",
        "--columns",
        "--charge",
        "--unit-charges",
        "--tolerance",
        "--order",
        "--criterion",
        "--theta",
        "--alpha",
    ] {
        assert!(help.contains(option), "{option}");
    }
    assert!(help.contains("evaluate pal5.dat.gz --columns 2,3,4 --charge 1"));
    assert!(folder.succeed("--version").starts_with("farfield "));
}

/// Softening limits the levels of the tree, so that leaves of the last one hold more than others may.
#[test]
fn the_report_tells_which_leaves_have_a_capacity() {
    let folder = Folder::new();
    folder.succeed("generate cube -n 20000 -o a.npz");
    let tree = |softening: &str| {
        let arguments = "evaluate a.npz --method fmm --tolerance 1e-3";
        let text = folder.succeed(&format!("{arguments} --softening {softening}"));
        let line = text.lines().find(|line| line.starts_with("tree ")).unwrap().to_owned();
        let number = |after: &str, before: &str| -> f64 {
            let text = line.split_once(after).unwrap().1;
            text.split_once(before).unwrap().0.parse().unwrap()
        };
        let mean = 20000.0 / number("boxes, ", " leaves");
        (mean, number("at most ", " points a leaf"), line.contains(" points a leaf above level "))
    };
    let (mean, most, is_limited) = tree("0");
    assert!(mean <= most && !is_limited);
    let (mean, most, is_limited) = tree("0.005");
    assert!(mean > most && is_limited, "{mean} {most}");
}

#[test]
fn measurements_are_softened_and_told_to_programs() {
    let folder = Folder::new();
    let arguments = "bench --points 500,1000 --softening 0.25 --repeats 1 --verify 20 --json";
    let lines = folder.succeed(arguments);
    let reports: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(reports.len(), 2);
    for (report, points) in reports.iter().zip([500, 1000]) {
        assert_eq!((&report["n_sources"], &report["softening"]), (&points.into(), &0.25.into()));
        assert_eq!(report["set"], "cube");
        assert!(report["plan"].as_f64().unwrap() > 0.0 && report["evaluate"].is_number());
        assert!(report["error"]["gradient_l2"].as_f64().unwrap() <= 1e-6);
    }
    folder.write("runs.json", lines);
    folder.succeed("plot runs.json -o cost.svg");
    assert!(folder.fail("bench --points 500 --softening -1 --json").contains("softening length"));
}
