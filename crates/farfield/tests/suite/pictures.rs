//! Pictures through the front door: files in, files out.

use crate::common::Folder;

/// Two snapshots of 300 points.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.succeed("generate plummer -n 300 -o a.npz");
    folder.succeed("generate plummer -n 300 -s 1 -o b.npz");
    folder
}

const SMALL: &str = "--size 96x64";

#[test]
fn frames_and_movies_of_snapshots() {
    let folder = folder();
    let told = folder.succeed(&format!("render a.npz b.npz -o frames/ --movie m.gif {SMALL}"));
    assert_eq!(told, "wrote 2 frames to frames/\nwrote 2 frames to m.gif\n");
    let mut frames: Vec<String> = std::fs::read_dir(folder.path().join("frames"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    frames.sort();
    assert_eq!(frames, ["0000.png", "0001.png"]);
    assert!(folder.read("frames/0000.png").starts_with(b"\x89PNG\r\n\x1a\n"));
    assert!(folder.read("m.gif").starts_with(b"GIF89a"));

    folder.succeed(&format!("render a.npz --movie m.webp --rotate 360 --frames 3 {SMALL}"));
    assert_eq!(folder.read("m.webp").windows(4).filter(|name| name == b"ANMF").count(), 3);
    folder.succeed(&format!("render a.npz --movie m.apng --frames 3 {SMALL}"));
    assert_eq!(folder.read("m.apng").windows(4).filter(|name| name == b"fcTL").count(), 3);
    folder.succeed(&format!("render a.npz -o one.png --view 0,-1,0.5 --ids 0..100 {SMALL}"));
    assert_eq!(
        folder.names(),
        ["a.npz", "b.npz", "frames", "m.apng", "m.gif", "m.webp", "one.png"]
    );
}

#[test]
fn equal_input_gives_equal_pictures_for_any_number_of_threads() {
    let folder = folder();
    let picture = |threads: usize| {
        let script = format!("RAYON_NUM_THREADS={threads} $farfield render a.npz -o p.png {SMALL}");
        assert_eq!(folder.shell(&script).code, 0);
        folder.read("p.png")
    };
    assert_eq!(picture(1), picture(4));
}

#[test]
fn diagrams_of_snapshots_and_reports() {
    let folder = folder();
    folder.succeed("plot a.npz b.npz -o profile.svg --length-unit kpc");
    let svg = String::from_utf8(folder.read("profile.svg")).unwrap();
    assert!(svg.contains("radius / kpc") && svg.contains("density: mass / volume"));

    let reports = ["a.npz", "b.npz"].map(|file| {
        folder.succeed(&format!("evaluate {file} --tolerance 1e-3 --verify 10 --json"))
    });
    folder.write("runs.json", reports.concat());
    folder.succeed("generate plummer -n 3000 -o c.npz");
    folder.write("more.json", folder.succeed("evaluate c.npz --tolerance 1e-3 --verify 10 --json"));
    folder.succeed("plot runs.json more.json -o cost.svg");
    let svg = String::from_utf8(folder.read("cost.svg")).unwrap();
    for text in ["number of points", "time / s", "relative L2 error"] {
        assert!(svg.contains(text), "{text}");
    }
    // Lines of the treecode differ by criterion and parameter, those of one method by softening.
    let reports =
        ["--theta 0.5", "--theta 0.75", "--alpha 0.002", "--criterion neighbours"].map(|opening| {
            let arguments = format!("--method treecode {opening} --order 3 --softening 0.125");
            folder.succeed(&format!("evaluate a.npz {arguments} --json"))
        });
    folder.write("walks.json", reports.concat());
    folder.succeed("plot walks.json -o walks.svg");
    let svg = String::from_utf8(folder.read("walks.svg")).unwrap();
    for text in ["nakasato, θ = 0.5", "nakasato, θ = 0.75", "relative, α = 0.002", "neighbours"]
    {
        let line = format!("treecode, {text}, cpu, f64, softening 0.125, order 3");
        assert!(svg.contains(&line), "{line}: {svg}");
    }
    folder.succeed("plot runs.json more.json -o cost.png");
    assert!(folder.read("cost.png").starts_with(b"\x89PNG"));
}

#[test]
fn a_page_of_snapshots() {
    let folder = folder();
    let told = folder.succeed("view a.npz b.npz -o v.html --title Clusters --time-unit Myr");
    assert_eq!(told, "wrote 600 of 600 points in 2 frames to v.html\n");
    let html = String::from_utf8(folder.read("v.html")).unwrap();
    assert!(html.starts_with("<!DOCTYPE html>") && html.contains("<title>Clusters</title>"));
    assert!(html.contains("\"timeUnit\":\"Myr\"") && html.contains("\"shown\":600"));
}

/// Points so far from the others that 16 bits would not tell these apart.
#[test]
fn points_that_a_page_leaves_out_are_told() {
    let folder = Folder::new();
    let near: String = (0..50).map(|i| format!("{}.5,{},0,1\n", i % 7, i % 5)).collect();
    folder.write("a.csv", format!("x,y,z,m\n{near}1e9,0,0,1\n0,1e9,0,1\n0,0,-1e9,1\n"));
    let told = folder.succeed("view a.csv -o v.html");
    assert_eq!(told, "wrote 50 of 53 points (3 far outside left out) in 1 frame to v.html\n");
}

#[test]
fn frames_that_an_earlier_run_left_are_told() {
    let folder = folder();
    let render = |snapshots: &str| folder.run(&format!("render {snapshots} -o frames {SMALL}"));
    assert_eq!(render("a.npz b.npz a.npz b.npz").stderr, "");
    // Pictures of other names are not frames.
    for name in ["frames/5.png", "frames/00006.png", "frames/0007.txt", "frames/mine.png"] {
        folder.write(name, "mine");
    }
    let outcome = render("a.npz");
    assert_eq!(outcome.stdout, "wrote 1 frame to frames\n");
    assert_eq!(
        outcome.line(),
        "farfield: warning: frames has 3 frames of an earlier run, from 0001.png on; remove them, or name another folder"
    );
    assert_eq!(render("a.npz b.npz a.npz b.npz").stderr, "");
}

#[test]
fn pictures_show_no_negative_masses() {
    let folder = folder();
    folder.write("c.csv", "x,y,z,q\n\n0,0,0,1\n1,0,0,-2\n");
    folder.succeed("evaluate c.csv --method direct -o c.npz");
    for command in ["render a.npz c.csv -o p", "plot c.csv a.npz --kind profile -o p.svg"] {
        let line = folder.fail(command);
        let expected = "farfield: c.csv:4: the mass is -2; pictures show masses of 0 or more";
        assert_eq!(line, expected, "{command}");
    }
    let line = folder.fail("render c.npz -o p.png");
    assert!(line.starts_with("farfield: c.npz: row 1 (from 0): the mass is -2; "), "{line}");
    // A page shows places alone.
    folder.succeed("view c.csv -o v.html");
}

/// Outputs of `render` by way of links, while the input stays as it is.
#[test]
#[cfg(unix)]
fn renders_keep_their_input() {
    let folder = folder();
    let before = folder.read("a.npz");
    let links =
        "ln -s a.npz l.png; ln -s a.npz l.gif; ln a.npz h.png; mkdir q; ln -s ../a.npz q/0001.png";
    assert_eq!(folder.shell(links).code, 0);
    for (output, told) in [
        ("-o l.png --frames 1", "l.png"),
        ("-o h.png --frames 1", "h.png"),
        ("--movie l.gif", "l.gif"),
        ("-o frames --movie l.gif", "l.gif"),
        ("-o q", "q/0001.png"),
    ] {
        let line = folder.fail(&format!("render b.npz a.npz {output} {SMALL}"));
        assert_eq!(line, format!("farfield: the output {told} is an input; name another file"));
    }
    assert!(!folder.path().join("q/0000.png").exists());
    assert_eq!(folder.read("a.npz"), before);
}

#[test]
#[cfg(unix)]
fn outputs_that_replace_each_other_are_refused() {
    let folder = folder();
    assert_eq!(
        folder.shell("mkdir q; ln -s q r; touch q/0001.png; ln -s 0001.png q/0000.png").code,
        0
    );
    for (outputs, told) in [
        ("a.npz -o same.png --movie same.png", "same.png"),
        ("a.npz -o new --movie ./new/0000.png", "./new/0000.png"),
        // The only frame is 0000.png, a link to 0001.png.
        ("a.npz -o q --movie r/0001.png", "r/0001.png"),
        ("a.npz b.npz b.npz -o q --movie r/0002.png", "q/0001.png"),
    ] {
        let line = folder.fail(&format!("render {outputs} {SMALL}"));
        assert!(line.contains(&format!("the output {told} would be written twice; ")), "{line}");
    }
}

#[test]
fn frames_are_no_other_pictures_than_png() {
    let folder = folder();
    for name in ["x.jpg", "x.JPEG", "x.gif", "x.bmp", "x.tiff", "x.svg", "x.webp"] {
        let line = folder.fail(&format!("render a.npz -o {name} {SMALL}"));
        assert!(line.contains(&format!(".png and {name} is none; ")), "{line}");
    }
}

#[test]
fn ranges_and_sizes_beyond_f64_are_told() {
    let folder = Folder::new();
    let header = "time,kinetic,potential,total,px,py,pz,lx,ly,lz";
    for (name, rows) in [
        ("times.csv", "-1e308,1,-2,-1,0,0,0,0,0,0\n1e308,1,-2,-1,0,0,0,0,0,0\n"),
        ("energies.csv", "0,1e308,-1e308,0,0,0,0,0,0,0\n1,1e308,-1e308,0,0,0,0,0,0,0\n"),
    ] {
        folder.write(name, format!("{header}\n{rows}"));
        let line = folder.fail(&format!("plot {name} -o a.svg"));
        assert!(line.contains("from -1e308 to 1e308 is longer than f64 holds; "), "{line}");
    }
    let report =
        |points: &str| format!("{{\"n_sources\": {points}, \"seconds\": {{\"total\": 1}}}}");
    folder.write("runs.json", report("1e308") + &report("10"));
    folder.succeed("plot runs.json -o cost.svg");
    folder.write("far.csv", "x,y,z,m\n1e200,0,0,1\n0,1e200,0,1\n-1e200,0,0,1\n0,0,0,1\n");
    let line = folder.fail("render far.csv -o a.png");
    assert!(line.contains(" has an area beyond the range of f64; "), "{line}");
    for angle in ["nan", "inf"] {
        let line = folder.fail(&format!("render far.csv -o a.png --rotate {angle}"));
        assert!(
            line.starts_with("farfield: --rotate ") && line.contains("is no angle; "),
            "{line}"
        );
    }
}

#[test]
fn wide_ranges_are_not_black() {
    let folder = folder();
    folder.succeed(&format!("render a.npz -o w.png --range 1e-300,1e300 {SMALL}"));
    folder.succeed(&format!("render a.npz -o n.png --range 1e290,1e300 {SMALL}"));
    // A black picture has its labels alone.
    assert!(folder.read("w.png").len() > folder.read("n.png").len() + 500);
}

#[test]
fn pages_of_few_points_and_of_none() {
    let folder = folder();
    let told = folder.succeed("view a.npz b.npz a.npz --points 2 -o v.html");
    assert_eq!(told, "wrote 3 of 900 points in 3 frames to v.html\n");
    let line = folder.fail("view a.npz --points 0 -o w.html");
    assert_eq!(line, "farfield: a view of 0 points shows nothing; give --points of 1 or more");
    for command in ["view a.npz -o w.html", "render a.npz -o w.png"] {
        let line = folder.fail(&format!("{command} --ids 5000..6000"));
        assert!(line.starts_with("farfield: --ids chooses none of the particles; "), "{line}");
    }
}

#[test]
fn rates_of_movies_are_kept_or_refused() {
    let folder = folder();
    for (rate, told) in [("60", "50 or 100"), ("1e-9", "0.001526")] {
        let line = folder.fail(&format!("render a.npz --movie m.gif --fps {rate} {SMALL}"));
        assert!(line.ends_with(&format!("frames a second; choose {told}")), "{line}");
    }
    folder.succeed(&format!("render a.npz --movie m.webp --fps 60 {SMALL}"));
}

#[test]
#[cfg(unix)]
fn control_characters_in_units_leave_files_well_formed() {
    let folder = folder();
    let unit = "u=$(printf 'a\\001b');";
    for script in [
        "$farfield plot a.npz b.npz -o p.svg --time-unit \"$u\" --length-unit \"$u\"",
        "$farfield view a.npz -o v.html --title \"$u\" --time-unit \"$u\"",
    ] {
        assert_eq!(folder.shell(&format!("{unit} {script}")).code, 0);
    }
    for name in ["p.svg", "v.html"] {
        let text = String::from_utf8(folder.read(name)).unwrap();
        assert!(text.contains("a b") && !text.contains('\u{1}'), "{name}");
    }
}

/// Little address space: pictures that it does not hold are refused, and do not abort.
#[test]
#[cfg(target_os = "linux")]
fn pictures_beyond_memory_are_refused() {
    let folder = folder();
    let script =
        "ulimit -v 600000; RAYON_NUM_THREADS=2 $farfield render a.npz -o p.png --size 16384x16384";
    let outcome = folder.shell(script);
    assert_eq!(outcome.code, 2, "{outcome:?}");
    let told = "a picture of 16384x16384 pixels does not fit into memory; choose a smaller --size";
    assert_eq!(outcome.line(), format!("farfield: {told}"));
}
