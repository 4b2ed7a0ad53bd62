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
