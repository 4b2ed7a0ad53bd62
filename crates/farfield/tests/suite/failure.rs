//! Bad input is one line on stderr and exit code 2, and leaves no file.

use crate::common::{Folder, fixture};

const GOOD: &str = "x,y,z,q\n0,0,0,1\n1,0,0,2\n";

#[test]
fn every_bad_input_names_file_line_and_cure() {
    let array = std::fs::read(fixture("fortran-f4.npy")).unwrap();
    let cases: [(&str, &[u8], &str); 12] = [
        ("a.csv", b"x,y,z,q\n1,2,3\n", "a.csv:2: found 3 columns, expected 4"),
        ("a.csv", b"x,y,z,q\n1,2,3,4\n1,2,nan,4\n", "a.csv:3: z (column 3) is NaN"),
        ("a.dat", b"1 2 3 4\n1 2 inf 4\n", "a.dat:2: column 3 is inf"),
        ("a.dat", b"1 2 3 4\n1 4..5 3 4\n", "a.dat:2: found \"4..5\" in column 2"),
        ("a.csv", b"", "a.csv: holds no points"),
        (
            "a.csv",
            b"x,y,z\n1,2,3\n",
            "a.csv:1: has no charges, but x, y, z; name their column (--charge",
        ),
        ("a.dat", b"1 2 3 4 5\n", "a.dat:1: has 5 columns without names; say which"),
        ("a.dat.gz", b"1 2 3 4\n", "a.dat.gz: is not a sound gzip file"),
        ("a.npy", &array[..array.len() - 1], "a.npy: the array ends after 11 of 12 numbers"),
        ("a.npz", b"PK", "a.npz: is not a sound .npz archive"),
        ("a.pqr", b"ATOM 1 N MET 1 2 3 4\n", "a.pqr:1: found \"ATOM 1 N MET 1 2 3 4\""),
        ("a.foo", b"", "a.foo: the extension .foo names no known format"),
    ];
    for (name, bytes, expected) in cases {
        let folder = Folder::new();
        folder.write(name, bytes);
        let line = folder.fail(&format!("evaluate {name} --output f.npz"));
        assert!(line.starts_with(&format!("farfield: {expected}")), "{line}");
        assert!(line.contains(';') || line.contains("use one of"), "no cure: {line}");
        // As receivers, no charges are needed.
        if !expected.contains("has no charges") {
            folder.write("good.csv", GOOD);
            let line = folder.fail(&format!("evaluate good.csv --receivers {name} -o f.csv"));
            assert!(line.starts_with(&format!("farfield: {name}")), "{line}");
        }
    }
}

#[test]
fn missing_files() {
    let folder = Folder::new();
    folder.write("a.csv", GOOD);
    for command in
        ["evaluate no.csv -o f.npz", "evaluate a.csv --receivers no.csv -o f.npz", "tree no.csv"]
    {
        let line = folder.fail(command);
        assert!(line.starts_with("farfield: no.csv: cannot be opened ("), "{line}");
    }
}

#[test]
fn outputs_that_cannot_be() {
    let folder = Folder::new();
    folder.write("a.csv", GOOD);
    assert!(
        folder
            .fail("evaluate a.csv -o f.png")
            .contains("use one of .npz, .csv, .dat, .txt, .tsv, .vtk")
    );
    assert!(
        folder.fail("evaluate a.csv -o none/f.csv").contains("none/f.csv: cannot be written (")
    );
    assert!(folder.fail("generate cube -n 5 -o c.pqr").contains("c.pqr: the extension .pqr names"));
    std::fs::create_dir(folder.path().join("taken.csv")).unwrap();
    assert!(
        folder
            .fail("generate cube -n 5 -o taken.csv")
            .contains("taken.csv: is not a regular file;")
    );
}

#[test]
fn requests_that_cannot_be_met() {
    let folder = Folder::new();
    folder.write("a.csv", GOOD);
    for tolerance in ["0", "-1", "nan", "1e-30"] {
        let line = folder.fail(&format!("evaluate a.csv --tolerance {tolerance} -o f.csv"));
        assert!(line.contains("tolerance") && line.contains("; ask for "), "{line}");
    }
    let line = folder.fail("evaluate a.csv --tolerance 1e-9 --precision f32 -o f.csv");
    assert!(line.contains("cannot be reached with f32"), "{line}");
    assert!(folder.fail("evaluate a.csv --softening -1 -o f.csv").contains("softening"));
    let line = folder.fail("evaluate a.csv --order 0 -o f.csv");
    assert!(line.contains("order of 0") && line.contains("; choose 1 to "), "{line}");
}

#[test]
fn criteria_that_cannot_be() {
    let folder = Folder::new();
    folder.write("a.csv", GOOD);
    for (arguments, cure) in [
        ("--theta 0.5", "method is auto; add --method treecode"),
        ("--method fmm --criterion neighbours", "method is fmm; add --method treecode"),
        ("--method treecode --theta 0", "give a positive number"),
        ("--method treecode --theta nan", "give a positive number"),
        ("--method treecode --alpha -1", "give a positive number"),
        (
            "--method treecode --criterion relative --theta 0.5",
            "use it with --criterion barnes-hut or nakasato",
        ),
        ("--method treecode --criterion neighbours --theta 0.5", "--criterion barnes-hut"),
        ("--method treecode --criterion nakasato --alpha 0.1", "use it with --criterion relative"),
    ] {
        let line = folder.fail(&format!("evaluate a.csv {arguments} -o f.csv"));
        assert!(line.contains(cure), "{arguments}: {line}");
    }
}

#[test]
fn usage_errors_exit_with_2() {
    let folder = Folder::new();
    folder.write("a.csv", GOOD);
    for arguments in [
        "",
        "evaluate",
        "evaluate a.csv --method magic",
        "evaluate a.csv --columns x,y",
        "evaluate a.csv --charge 0",
        "evaluate a.csv --charge q --unit-charges",
        "evaluate a.csv --receiver-columns 1,2,3",
        "evaluate a.csv --threads 0",
        "evaluate a.csv --order 3 --tolerance 1e-3",
        "evaluate a.csv --order three",
        "evaluate a.csv --method treecode --theta 0.5 --alpha 0.001",
        "evaluate a.csv --method treecode --criterion angle",
        "evaluate a.csv --verify 0",
        "generate cube -n 0 -o c.csv",
        "generate torus -n 5 -o c.csv",
    ] {
        let outcome = folder.run(arguments);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (2, ""), "{arguments}");
        assert!(!outcome.stderr.is_empty());
    }
    assert_eq!(folder.names(), ["a.csv"]);
}
