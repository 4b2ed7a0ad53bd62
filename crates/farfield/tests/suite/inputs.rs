//! Inputs by stdin, numbers beyond the precision, and shapes, through the front door.

use crate::common::{Folder, fixture};

const GOOD: &str = "x,y,z,q\n0,0,0,1\n1,0,0,2\n0,2,0,-3\n";

#[test]
fn stdin_gives_the_field_of_the_file() {
    let folder = Folder::new();
    folder.write("a.csv", GOOD);
    folder.succeed("generate plummer -n 50 -o b.csv");
    for name in ["a.dat", "a.csv.gz", "a.xyz", "a.npy", "a.npz", "a.npy.gz", "a.txt"] {
        folder.succeed(&format!("generate plummer -n 50 -o {name}"));
        folder.succeed(&format!("evaluate {name} --method direct -o file.csv"));
        let bytes = folder.read(name);
        let outcome = folder.feed(&bytes, "evaluate - --method direct -o stdin.csv");
        assert_eq!(outcome.code, 0, "{name}: {outcome:?}");
        assert!(folder.read("stdin.csv") == folder.read("file.csv"), "{name}");
        let outcome = folder.feed(&bytes, "evaluate a.csv --receivers - --method direct -o r.csv");
        assert_eq!(outcome.code, 0, "{name}: {outcome:?}");
        assert_eq!(folder.feed(&bytes, "tree -").code, 0, "{name}");
    }
    let pqr = std::fs::read(fixture("1AFS.pqr")).unwrap();
    assert_eq!(folder.feed(&pqr, "evaluate -").code, 0);
    let pal5 = std::fs::read(fixture("pal5.dat.gz")).unwrap();
    assert_eq!(folder.feed(&pal5, "evaluate - --columns 2,3,4 --charge 1").code, 0);
}

#[test]
fn stdin_that_cannot_be() {
    let folder = Folder::new();
    folder.write("-", GOOD);
    for (stdin, expected) in [
        ("", "stdin: holds no points; give a file with at least one"),
        ("x,y,z,q\n", "stdin: holds no points;"),
        ("1 2 3 4\n5 6 7\n", "stdin:2: found 3 columns, expected 4"),
        ("3\n\nH 0 0 0\n", "stdin:3: has no charges, but element, x, y, z;"),
        ("\u{1f}", "stdin: holds no points;"),
    ] {
        let outcome = folder.feed(stdin.as_bytes(), "evaluate - -o f.csv");
        assert_eq!(outcome.code, 2, "{outcome:?}");
        assert!(outcome.line().starts_with(&format!("farfield: {expected}")), "{outcome:?}");
    }
    let line = folder.fail("evaluate - --receivers - -o f.csv");
    assert_eq!(
        line,
        "farfield: stdin holds one set of points; give a file for INPUT or for --receivers"
    );
    // A file of this name has a path.
    assert!(folder.fail("evaluate ./-").starts_with("farfield: ./-: a name without extension"));
    assert_eq!(folder.names(), ["-"]);
}

/// Files alone are read where there are several, and written everywhere.
#[test]
fn stdin_and_stdout_are_no_files() {
    let folder = Folder::new();
    folder.write("a.csv", "x,y,z,m\n0,0,0,1\n1,0,0,2\n");
    for arguments in [
        "simulate - --time 1",
        "render - -o p.png",
        "render a.csv - -o p",
        "plot - -o p.svg",
        "view a.csv - -o p.html",
    ] {
        let expected = "farfield: stdin is read by evaluate and tree alone; name a file";
        assert_eq!(folder.fail(arguments), expected, "{arguments}");
    }
    for arguments in [
        "evaluate a.csv -o -",
        "generate cube -n 5 -o -",
        "simulate a.csv --time 1 --snapshots -",
        "render a.csv -o -",
        "render a.csv --movie -",
        "plot a.csv -o -",
        "view a.csv -o -",
    ] {
        let line = folder.fail(arguments);
        assert!(line.starts_with("farfield: stdout, which - stands for, "), "{arguments}: {line}");
    }
}

/// Messages name the option of the file that they are about.
#[test]
fn columns_of_receivers_have_their_option() {
    let folder = Folder::new();
    folder.write("a.csv", GOOD);
    folder.write("sky.csv", "ra,dec,d,q\n0,0,0,1\n");
    folder.write("wide.dat", "0 0 0 0 1\n");
    for (arguments, expected) in [
        ("sky.csv", "name the three of positions (--columns A,B,C)"),
        ("a.csv --receivers sky.csv", "name the three of positions (--receiver-columns A,B,C)"),
        (
            "a.csv --receivers sky.csv --ranks 2",
            "name the three of positions (--receiver-columns A,B,C)",
        ),
        ("wide.dat", "say which are x,y,z (--columns 1,2,3) and which the charge (--charge 4)"),
        ("a.csv --receivers wide.dat", "say which are x,y,z (--receiver-columns 1,2,3)"),
    ] {
        let line = folder.fail(&format!("evaluate {arguments}"));
        assert!(line.ends_with(&format!("; {expected}")), "{arguments}: {line}");
    }
    assert!(folder.fail("tree wide.dat").ends_with("; say which are x,y,z (--columns 1,2,3)"));
}

#[test]
fn extensions_that_are_not_known_leave_stdin() {
    let folder = Folder::new();
    folder.write("a.foo", GOOD);
    let expected = "farfield: a.foo: the extension .foo names no known format; use one of .csv, .dat, .txt, .tsv, .pqr, .xyz, .npy, .npz, .vtk, .tipsy, .gadget, or - for stdin, whose content tells the format";
    for command in ["evaluate a.foo", "tree a.foo"] {
        assert_eq!(folder.fail(command), expected);
    }
    assert!(folder.fail("simulate a.foo --time 1").ends_with(".tipsy, .gadget"));
}

#[test]
fn numbers_beyond_f32_name_their_line_and_f64() {
    let folder = Folder::new();
    folder.write("a.csv", "# stars\nx,y,z,q\n\n0,0,0,1\n1,1e39,0,1\n");
    folder.write("q.dat", "0 0 0 1\n# c\n1 0 0 -4e38\n");
    folder.write("good.csv", GOOD);
    let cure = "is beyond f32; choose --precision f64 or a larger unit";
    for (arguments, expected) in [
        ("a.csv", "a.csv:5: a coordinate of 1e39"),
        ("q.dat", "q.dat:3: a charge of -4e38"),
        ("good.csv --receivers a.csv", "a.csv:5: a coordinate of 1e39"),
    ] {
        let line =
            folder.fail(&format!("evaluate {arguments} --precision f32 --tolerance 1e-3 -o f.csv"));
        assert_eq!(line, format!("farfield: {expected} {cure}"));
        folder.succeed(&format!("evaluate {arguments} --method direct"));
    }
    for charges in ["0 0 0 1e-50\n1 0 0 1\n", "0 0 0 0\n1 0 0 0\n"] {
        folder.write("q.dat", charges);
        folder.succeed("evaluate q.dat --precision f32 --tolerance 1e-3");
    }
    folder.succeed("generate cube -n 10 -o rows.npy");
    let mut bytes = folder.read("rows.npy");
    let at = bytes.len() - 8;
    bytes[at..].copy_from_slice(&1e39f64.to_le_bytes());
    folder.write("rows.npy", bytes);
    let line = folder.fail("evaluate rows.npy --precision f32 --tolerance 1e-3 -o f.csv");
    assert_eq!(line, format!("farfield: rows.npy: row 9 (from 0): a charge of 1e39 {cure}"));
}

#[test]
fn numbers_beyond_f64_name_their_line() {
    let folder = Folder::new();
    folder.write("good.csv", GOOD);
    folder.write("a.csv", "x,y,z,q\n0,0,0,1\n\n0,-1.5e308,0,1\n");
    let expected = "farfield: a.csv:4: a coordinate has magnitude 1.5e308; choose a larger unit of length (at most 2e307)";
    for arguments in ["evaluate a.csv", "tree a.csv", "evaluate good.csv --receivers a.csv"] {
        assert_eq!(folder.fail(arguments), expected, "{arguments}");
    }
    folder.write("a.csv", "x,y,z,q\n0,0,0,1\n0,1e400,0,1\n");
    assert_eq!(
        folder.fail("evaluate a.csv"),
        "farfield: a.csv:3: y (column 2) is \"1e400\", beyond the largest number 1.8e308; choose a larger unit"
    );
}

#[test]
fn results_beyond_the_precision_name_the_line_of_their_receiver() {
    let folder = Folder::new();
    folder.write("a.csv", "x,y,z,q\n0,0,0,1e25\n1e-9,0,0,1\n");
    folder.write("r.csv", "x,y,z\n1,0,0\n\n2e-9,0,0\n");
    let f32 = "--precision f32 --tolerance 1e-3 -o f.csv";
    for (arguments, place) in
        [("evaluate a.csv", "a.csv:3"), ("evaluate a.csv --receivers r.csv", "r.csv:4")]
    {
        let line = folder.fail(&format!("{arguments} {f32}"));
        assert!(
            line.starts_with(&format!("farfield: {place}: the gradient at receiver 1 ")),
            "{line}"
        );
        assert!(
            line.ends_with(
                "beyond the range of f32; scale positions or charges, or use --precision f64"
            ),
            "{line}"
        );
        folder.succeed(arguments);
    }
    folder.write("a.csv", "x,y,z,q\n0,0,0,1e300\n1e-9,0,0,1\n");
    let line = folder.fail("evaluate a.csv");
    assert!(line.ends_with("beyond the range of f64; scale positions or charges"), "{line}");
}

#[test]
fn a_softening_far_beyond_all_distances_is_named() {
    let folder = Folder::new();
    folder.write("a.csv", GOOD);
    for softening in ["1e160", "1e104"] {
        let line = folder.fail(&format!("evaluate a.csv --softening {softening}"));
        let start = format!("farfield: a softening length of {softening} is too long for these ");
        assert!(line.starts_with(&start), "{line}");
    }
    folder.succeed("evaluate a.csv --softening 1e60");
    folder.write("light.csv", "x,y,z,q\n0,0,0,1e-40\n1,0,0,1e-40\n");
    let line = folder.fail("evaluate light.csv --softening 1e95");
    assert!(line.starts_with("farfield: a softening length of 1e95 makes the gradient "), "{line}");
    assert!(line.ends_with("give a smaller one, or scale positions or charges"), "{line}");
}

#[test]
fn pairs_too_near_for_f64_are_named() {
    let folder = Folder::new();
    folder.write("a.csv", "x,y,z,q\n1,0,0,1\n0,0,0.5,1\n0,1e-120,0.5,1\n");
    folder.write("b.csv", "x,y,z\n1,0,0\n0,0,0.5\n");
    folder.write("c.csv", "x,y,z\n0,-1e-120,0.5\n");
    let near = " is 1e-120 from the point [0.0, ";
    for precision in ["f64", "f32"] {
        let line = folder.fail(&format!("evaluate a.csv --tolerance 1e-4 --precision {precision}"));
        assert!(line.starts_with(&format!("farfield: a.csv:3: source 1{near}")), "{line}");
        let apart = format!(
            "evaluate b.csv --unit-charges --receivers c.csv --tolerance 1e-4 --precision {precision}"
        );
        let line = folder.fail(&apart);
        assert!(line.starts_with(&format!("farfield: b.csv:3: source 1{near}")), "{line}");
    }
    folder.write("a.csv", "x,y,z,q\n1,0,0,1\n0,0,0.5,1\n0,1e-90,0.5,1\n");
    folder.succeed("evaluate a.csv");
}

#[test]
fn tolerances_are_relative_errors() {
    let folder = Folder::new();
    folder.write("a.csv", GOOD);
    for tolerance in ["inf", "-inf", "nan", "0", "-0", "-1e-6", "1e400", "2", "1e300", "infinity"] {
        for command in ["evaluate a.csv", "tree a.csv", "bench --points 10"] {
            let line = folder.fail(&format!("{command} --tolerance={tolerance}"));
            assert!(line.starts_with("farfield: a tolerance of "), "{line}");
            assert!(
                line.ends_with(
                    "is no relative error; ask for a number between 0 and 1, such as 1e-6"
                ),
                "{line}"
            );
        }
    }
    folder.succeed("evaluate a.csv --tolerance 1");
}

#[cfg(unix)]
#[test]
fn pipes_and_folders_as_inputs() {
    let folder = Folder::new();
    folder.write("a.csv", GOOD);
    folder.succeed("generate cube -n 20 -o a.npz");
    std::fs::create_dir(folder.path().join("d.csv")).unwrap();
    assert!(folder.fail("evaluate d.csv").starts_with("farfield: d.csv: is a folder; name a file"));
    assert!(folder.fail("evaluate .").starts_with("farfield: .: is a folder; name a file"));
    assert!(folder.fail("evaluate a.csv/").starts_with("farfield: a.csv/: cannot be opened ("));
    for name in ["a.csv", "a.npz"] {
        let script = format!("mkfifo p{name}; cat {name} > p{name} & $farfield evaluate p{name}");
        assert_eq!(folder.shell(&script).code, 0, "{name}");
    }
    assert!(
        folder
            .shell("$farfield evaluate - < .")
            .line()
            .contains("stdin: cannot be read (Is a directory")
    );
    assert!(folder.shell("$farfield evaluate - <&-").line().contains("stdin: holds no points;"));
    let outcome =
        folder.shell("chmod 000 a.csv; cat a.csv >/dev/null 2>&1 || $farfield evaluate a.csv");
    // The superuser may read anything.
    assert!(
        outcome.code == 0 || outcome.line().contains("a.csv: cannot be opened (Permission denied")
    );
}
