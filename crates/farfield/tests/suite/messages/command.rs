//! Messages of the command's own errors and of its arguments, by running it.

use crate::common::Folder;

const GOOD: &str = "x,y,z,q\n0,0,0,1\n1,0,0,2\n0,2,0,-3\n";

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("a.csv", GOOD);
    folder.write("small.csv", "x,y,z,q\n1,0,0,1e-50\n0,0,0,-2e-50\n");
    // Of the last two points, which rank 1 has, the potential is 1e308 / 1e-10.
    folder.write("near.csv", "x,y,z,q\n0,0,0,1\n1,0,0,2\n5,0,0,1e308\n5,1e-10,0,1e308\n");
    folder.write("large.csv", "x,y,z,q\n1e39,0,0,1\n1.5e308,0,0,1\n");
    folder
}

/// Arguments of evaluations over ranks, with their messages.
#[cfg(unix)]
const OF_RANKS: [(&str, &str); 1] = [(
    "evaluate near.csv --ranks 2 --method direct",
    "rank 1, whose receivers begin at near.csv:4: the potential at receiver 0 by charge vector 0 is about 1e318, beyond the range of f64; scale positions or charges",
)];

/// Messages where threads or the place of the report are missing.
#[cfg(unix)]
fn of_resources(folder: &Folder) -> [(String, &'static str); 2] {
    let scripts = [
        (
            // Stacks so large that what is left of the memory when one does not fit serves all else.
            "export RUST_MIN_STACK=500000000; ulimit -v 8000000; $farfield evaluate a.csv --threads 64",
            "cannot start threads (Resource temporarily unavailable (os error 11)); choose fewer with --threads, or raise the limit of processes",
        ),
        (
            "$farfield evaluate a.csv >/dev/full",
            "cannot write the report (No space left on device (os error 28)); check where stdout goes",
        ),
    ];
    scripts.map(|(script, text)| (folder.shell(script).line(), text))
}

#[test]
#[cfg(unix)]
fn of_the_command() {
    let folder = folder();
    let cores = std::thread::available_parallelism().unwrap();
    let threads = format!(
        "--threads 20000 is beyond the {} threads that {cores} cores can use; choose fewer",
        64.max(4 * cores.get())
    );
    let rows = [
        (
            "evaluate a.csv --theta 0.5",
            "an opening criterion is the treecode's and the method is auto; add --method treecode",
        ),
        (
            "evaluate a.csv --method treecode --theta 1 --criterion relative",
            "--theta is no parameter of this criterion; use it with --criterion barnes-hut or nakasato",
        ),
        (
            "evaluate large.csv --precision f32 --tolerance 1e-3",
            "large.csv:2: a coordinate of 1e39 is beyond f32; choose --precision f64 or a larger unit",
        ),
        (
            "evaluate small.csv --precision f32 --tolerance 1e-3",
            "small.csv:3: the largest charge, -2e-50, is below the range of f32; choose --precision f64 or a smaller unit",
        ),
        (
            "evaluate large.csv",
            "large.csv:3: a coordinate has magnitude 1.5e308; choose a larger unit of length (at most 2e307)",
        ),
        ("evaluate a.csv --threads 20000", threads.as_str()),
        (
            "generate cube -n 4294967295 -o c.csv",
            "4294967295 points do not fit into memory; take fewer, or raise the memory limit",
        ),
        ("evaluate a.csv -o ./a.csv", "the output ./a.csv is an input; name another file"),
        (
            "evaluate - --receivers -",
            "stdin holds one set of points; give a file for INPUT or for --receivers",
        ),
        ("view - -o v.html", "stdin is read by evaluate and tree alone; name a file"),
        (
            "generate plummer -n 5 -o -",
            "stdout, which - stands for, takes the report alone; name another output",
        ),
        ("generate plummer -n 5 --w0 3 -o c.csv", "--w0 is a parameter of king alone; drop it"),
    ];
    // Memory for more points than any machine has, whatever the machine.
    let mut told: Vec<_> = rows
        .iter()
        .chain(&OF_RANKS)
        .map(|(arguments, text)| {
            let outcome = folder.shell(&format!(
                "export RAYON_NUM_THREADS=1; ulimit -v 16000000; $farfield {arguments}"
            ));
            (outcome.line(), *text)
        })
        .collect();
    told.extend(of_resources(&folder));
    let rows: Vec<_> = told
        .iter()
        .map(|(line, text)| (line.strip_prefix("farfield: ").unwrap().to_owned(), *text))
        .collect();
    // Handed on: files, requests, communication, faults of rank 0 and of ranks without points; simulations, their steps,
    // devices and King models; pictures and their arguments. Processes: tests/mpi.rs and tests/process.rs.
    super::check(&rows, &["src/command/error/mod.rs"], 3 + 2 + 2 + 4 + 3);
}

#[test]
fn of_arguments() {
    let folder = folder();
    for (arguments, expected) in [
        ("evaluate", "<INPUT> is missing; give it"),
        ("generate cube", "--number <N>, --output <FILE> is missing; give it"),
        ("evaluate a.csv b.csv", "b.csv is not known; drop it"),
        ("evaluate a.csv --bogus", "--bogus is not known; drop it"),
        (
            "evaluate a.csv --order -1",
            "-1 is taken for an option; write a negative value as in --name=-1",
        ),
        ("evaluate a.csv --tolerence 1", "--tolerence is not known; use --tolerance"),
        (
            "evaluat a.csv",
            "\"evaluat\" is no subcommand; use evaluate, generate, tree, bench, simulate, render, plot or view",
        ),
        ("evaluate a.csv --tolerance", "--tolerance <EPS> has no value; give one"),
        ("evaluate a.csv --tolerance x", "\"x\" is no value of --tolerance <EPS>; give a number"),
        ("evaluate a.csv --order 1.5", "\"1.5\" is no value of --order <P>; give a whole number"),
        ("evaluate a.csv --threads 0", "\"0\" is no value of --threads <N>; give 1 or more"),
        ("evaluate a.csv --json=3", "--json takes no value such as \"3\"; drop the value"),
        ("evaluate a.csv --json --json", "--json is given twice; give it once"),
        (
            "evaluate a.csv --order 3 --tolerance 1e-3",
            "--order <P> cannot be used with --tolerance <EPS>; drop one of them",
        ),
        ("evaluate a.csv --receiver-columns 1,2,3", "--receivers <FILE> is missing; give it"),
        (
            "evaluate a.csv --precision f16",
            "\"f16\" is no value of --precision <PRECISION>; choose one of f64, f32",
        ),
        (
            "evaluate a.csv --method magic",
            "\"magic\" is no value of --method <METHOD>: there is no method 'magic'; choose auto, direct, treecode or fmm",
        ),
        (
            "evaluate a.csv --device tpu",
            "\"tpu\" is no value of --device <DEVICE>: there is no device 'tpu'; choose cpu, cuda or hybrid (cuda:1, hybrid:1 for the second GPU)",
        ),
        (
            "evaluate a.csv --columns x,y",
            "\"x,y\" is no value of --columns <X,Y,Z>: found 2 columns; expected three such as x,y,z or 2,3,4",
        ),
        (
            "evaluate a.csv --charge 0",
            "\"0\" is no value of --charge <NAME|NUMBER>: column 0; columns are counted from 1",
        ),
        (
            "generate cube -n 0 -o c.csv",
            "\"0\" is no value of --number <N>: 0 is not in 1..=4294967295",
        ),
        (
            "generate torus -n 5 -o c.csv",
            "\"torus\" is no value of <SHAPE>; choose one of cube, sphere, sphere-volume, plummer, hernquist, king, galaxy, collision",
        ),
    ] {
        assert_eq!(folder.fail(arguments), format!("farfield: {expected}, see --help"));
    }
}
