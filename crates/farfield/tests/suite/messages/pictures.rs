//! Messages of pictures, of the subcommands that draw, and of their arguments.

use pictures::{Error, Form};

use crate::common::Folder;

#[test]
fn of_pictures() {
    let rows = [
        (
            Error::View([0.0; 3]),
            "the view [0.0, 0.0, 0.0] is no direction; give x,y,z of which one is not 0",
        ),
        (Error::Width(-1.0), "a width of -1.0 shows nothing; give a positive length"),
        (
            Error::Size { width: 1, height: 2 },
            "a picture of 1x2 pixels cannot be drawn; choose 64 to 16384 each way",
        ),
        (
            Error::Angle(f64::NAN),
            "--rotate NaN is no angle; give a finite number of degrees such as 360",
        ),
        (
            Error::Area(2.4e200),
            "a pixel of a view 2.4e200 wide has an area beyond the range of f64; choose another --width or unit of length",
        ),
        (Error::Extent, "positions reach beyond the range of f64; choose a larger unit of length"),
        (
            Error::NoneChosen,
            "--ids chooses none of the particles; choose among their numbers, or leave it out",
        ),
        (
            Error::Mass { place: "a.csv:17".into(), value: -0.5 },
            "a.csv:17: the mass is -0.5; pictures show masses of 0 or more",
        ),
        (Error::NoPoints, "a view of 0 points shows nothing; give --points of 1 or more"),
        (
            Error::Memory { width: 9, height: 8 },
            "a picture of 9x8 pixels does not fit into memory; choose a smaller --size",
        ),
        (
            Error::Rate { format: "GIF", rate: 60.0, slower: 50.0, faster: 100.0 },
            "GIF does not keep 60.0 frames a second; choose 50 or 100",
        ),
        (
            Error::Range { axis: "time".into(), low: -1e308, high: 1e308 },
            "the axis \"time\" from -1e308 to 1e308 is longer than f64 holds; choose a larger unit",
        ),
        (
            Error::Dark,
            "no mass is inside the view; choose a larger --width, another --centre or other --ids",
        ),
        (
            Error::Extension { name: "a.avi".into(), what: "movies", known: ".gif, .webp" },
            "the name \"a.avi\" tells no format of movies; use one of .gif, .webp",
        ),
        (
            Error::NoNumbers("Energy".into()),
            "Energy has no numbers to draw; give a file with at least two rows",
        ),
        (
            Error::Chart("no range".into()),
            "the chart cannot be drawn (no range); check that its numbers are finite and differ",
        ),
    ];
    let rows = rows.map(|(error, text)| (error.to_string(), text));
    // Handed on: files.
    super::check(&rows, &["../pictures/src/error.rs"], 1);
}

#[test]
fn of_texts() {
    let rows = [
        (Form::Vector, "expected three numbers such as 1,0,0.5; give x,y,z"),
        (Form::Size, "expected columns and rows of pixels such as 1280x720; give both"),
        (
            Form::Scale,
            "expected two positive densities such as 1e-3,10; give the smaller one first",
        ),
        (Form::Ids, "expected ranges of numbers such as 0..1000,5000..6000; the ends are left out"),
    ];
    let rows = rows.map(|(error, text)| (error.to_string(), text));
    super::check(&rows, &["../pictures/src/parse.rs"], 0);
}

#[cfg(unix)]
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("a.csv", "x,y,z,q\n0,0,0,1\n1,0,0,2\n0,2,0,3\n");
    folder.write("runs.json", "{\"n_sources\": 5}");
    folder.write("one.json", "{\"n_sources\": 5, \"seconds\": {\"total\": 1}}");
    folder.write("none.json", "{\"n_sources\": 5, \"seconds\": {\"total\": 0}}");
    folder
}

#[test]
#[cfg(unix)]
fn of_the_subcommands() {
    let folder = folder();
    let rows = [
        (
            "render a.csv a.csv -o a.png",
            "2 frames do not fit into one .png; name a folder, or a --movie",
        ),
        (
            "render a.csv -o a.csv/frames",
            "the folder a.csv/frames cannot be made (Not a directory (os error 20)); name another",
        ),
        (
            "render a.csv -o a.jpg",
            "frames are written as .png and a.jpg is none; name a folder or a .png, or give --movie",
        ),
        (
            "render a.csv -o a.png --movie ./a.png",
            "the output ./a.png would be written twice; name another file",
        ),
        (
            "render a.csv --movie a.gif --fps 0",
            "a rate of 0.0 frames a second shows nothing; give a positive number such as 20",
        ),
        (
            "render a.csv -o a.png --rotate 90",
            "--rotate 90.0 turns the camera from frame to frame and there is one; drop it, or add --frames 120",
        ),
        (
            "plot a.csv --unit-charges -o a.svg",
            "--columns, --charge and --unit-charges are for profiles of snapshots; add --kind profile, or drop them",
        ),
        (
            "plot a.csv a.csv -o a.svg",
            "an energy diagram takes one table and 2 are given; name one file",
        ),
        (
            "plot one.json -o a.svg",
            "cost is a line through two reports or more and 1 are given; name more files",
        ),
        (
            "plot a.csv -o a.svg --kind profile",
            "a.csv: fewer than two shells have 8 particles and a density within f64, as a profile needs; name a larger snapshot",
        ),
        (
            "plot runs.json -o a.svg",
            "runs.json: holds no reports of evaluate --json (no n_sources or seconds.total); write them again",
        ),
    ];
    let rows = rows.map(|(arguments, text)| {
        let line = folder.fail(arguments);
        (line.strip_prefix("farfield: ").unwrap().to_owned(), text)
    });
    super::check(&rows, &["src/command/error/drawing.rs"], 0);
}

#[test]
#[cfg(unix)]
fn handed_on_by_the_subcommands() {
    let folder = folder();
    for (arguments, expected) in [
        (
            "render a.csv -o a.png --size 100",
            "\"100\" is no value of --size <WxH>: expected columns and rows of pixels such as 1280x720; give both, see --help",
        ),
        (
            "render a.csv -o a.png --view 0,0,0",
            "the view [0.0, 0.0, 0.0] is no direction; give x,y,z of which one is not 0",
        ),
        (
            "render a.csv --movie a.avi",
            "the name \"a.avi\" tells no format of movies; use one of .gif, .apng, .png, .webp",
        ),
        ("render a.csv -o a.png --fps 10", "--movie <FILE> is missing; give it, see --help"),
        (
            "plot none.json -o a.svg",
            "none.json: holds no reports of evaluate --json (seconds.total is 0.0, and not positive); write them again",
        ),
        ("view a.csv -o ./a.csv", "the output ./a.csv is an input; name another file"),
        (
            "plot a.csv -o a.svg",
            "a.csv:1: has no column \"kinetic\"; the columns are x, y, z, q: choose among them",
        ),
    ] {
        assert_eq!(folder.fail(arguments), format!("farfield: {expected}"));
    }
}
