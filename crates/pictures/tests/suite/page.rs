//! The page holds the points it says, needs no network, and a browser draws it.

use std::path::{Path, PathBuf};
use std::process::Command;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use formats::{Snapshot, write_snapshot};
use pictures::{Error, PointColours, ViewOptions, view};

/// A row of points along x that moves along y, and one point far outside.
fn snapshots(folder: &Path, count: usize) -> Vec<PathBuf> {
    let write = |k: usize| {
        let mut positions: Vec<[f64; 3]> =
            (0..1000).map(|i| [f64::from(i) / 500.0 - 1.0, k as f64 * 0.25, 0.0]).collect();
        positions.push([1000.0, 0.0, 0.0]);
        let velocities = (0..1001).map(|i| [0.0, f64::from(i), 0.0]).collect();
        let mut ids: Vec<u64> = (0..1001).collect();
        // Other orders of the file make no difference.
        if k % 2 == 1 {
            positions.reverse();
            ids.reverse();
        }
        let masses = vec![1.0; 1001];
        let snapshot = Snapshot { time: k as f64, step: 0, positions, velocities, masses, ids };
        let path = folder.join(format!("{k}.npz"));
        write_snapshot(&path, &snapshot).unwrap();
        path
    };
    (0..count).map(write).collect()
}

/// Bytes of the frames of a page.
fn frames(html: &str) -> Vec<Vec<u8>> {
    let texts = html.split("\"data\":\"").skip(1).map(|part| part.split('"').next().unwrap());
    texts.map(|text| STANDARD.decode(text).unwrap()).collect()
}

fn number(html: &str, name: &str) -> f64 {
    let text = html.split(&format!("\"{name}\":")).nth(1).unwrap();
    text.split([',', '}']).next().unwrap().parse().unwrap()
}

#[test]
fn points_come_back_to_16_bits() {
    let folder = tempfile::tempdir().unwrap();
    let options = ViewOptions { colours: PointColours::Speed, ..ViewOptions::default() };
    let page = view(&snapshots(folder.path(), 3), &options).unwrap();
    assert_eq!((page.frames, page.shown, page.total, page.outside), (3, 3000, 3003, 3));
    let half = number(&page.html, "half");
    assert!(page.html.contains("\"same\":true"));
    let frames = frames(&page.html);
    assert_eq!(frames.len(), 3);
    for (k, bytes) in frames.iter().enumerate() {
        assert_eq!(bytes.len(), 7 * 1000);
        let value = |i: usize, axis: usize| {
            let at = 6 * i + 2 * axis;
            (f64::from(u16::from_le_bytes([bytes[at], bytes[at + 1]])) / 65535.0 * 2.0 - 1.0) * half
        };
        // Differences of two points have no part of the centre.
        for i in [0, 499, 999] {
            let x = value(i, 0) - value(0, 0);
            assert!((x - i as f64 / 500.0).abs() < 2.0 * half / 65535.0, "{k} {i} {x}");
        }
        assert!(bytes[6000..].is_sorted_by(|a, b| if k % 2 == 0 { a <= b } else { a >= b }));
    }
}

#[test]
fn the_same_share_of_particles_is_in_all_frames() {
    let folder = tempfile::tempdir().unwrap();
    let options = ViewOptions { points: 600, ..ViewOptions::default() };
    let page = view(&snapshots(folder.path(), 4), &options).unwrap();
    let lengths: Vec<usize> = frames(&page.html).iter().map(Vec::len).collect();
    assert!(lengths.iter().all(|length| *length == lengths[0]), "{lengths:?}");
    // A share of 600 / 4004 of 1001 particles: 150 ± 4 √150.
    assert!((100 * 4..200 * 4).contains(&page.shown), "{}", page.shown);
    assert!(page.html.contains("\"same\":true"));
}

#[test]
fn each_frame_has_a_point() {
    let folder = tempfile::tempdir().unwrap();
    let paths = snapshots(folder.path(), 6);
    for points in [1, 3, 6] {
        let options = ViewOptions { points, ..ViewOptions::default() };
        let page = view(&paths, &options).unwrap();
        assert_eq!((page.shown, page.total), (6, 6006));
        assert!(page.html.contains("\"same\":true"));
        assert!(frames(&page.html).iter().all(|bytes| bytes.len() == 7));
    }
}

#[test]
fn choices_of_nothing_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let paths = snapshots(folder.path(), 1);
    let none = ViewOptions { points: 0, ..ViewOptions::default() };
    assert!(matches!(view(&paths, &none), Err(Error::NoPoints)));
    let ids = Some("5000..6000".parse().unwrap());
    let beyond = ViewOptions { ids, ..ViewOptions::default() };
    assert!(matches!(view(&paths, &beyond), Err(Error::NoneChosen)));
}

#[test]
fn texts_have_no_control_characters_and_name_no_place_of_the_page() {
    let folder = tempfile::tempdir().unwrap();
    let options = ViewOptions {
        title: "a\u{1}{{data}}".into(),
        time_unit: "M\u{2}yr".into(),
        length_unit: "k\u{3}pc".into(),
        ..ViewOptions::default()
    };
    let html = view(&snapshots(folder.path(), 1), &options).unwrap().html;
    assert!(html.contains("<title>a &#123;&#123;data}}</title>"));
    assert!(html.contains("\"timeUnit\":\"M yr\",\"lengthUnit\":\"k pc\""));
    assert!(!html.contains(|c: char| c.is_control() && c != '\n'));
    assert_eq!(html.matches("\"frames\":[").count(), 1);
}

#[test]
fn nothing_is_loaded_from_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let title = "<script src=\"http://x\"></script>";
    let options = ViewOptions { title: title.into(), ..ViewOptions::default() };
    let html = view(&snapshots(folder.path(), 1), &options).unwrap().html;
    assert!(!html.contains(title));
    // The title stands in the page as a text, where it does no harm.
    let html = html.replace(" src=\"http://x\"", "").replace(" src=\\u0022http://x", "");
    for word in ["http:", "https:", " src=", "@import", "url(", "fetch("] {
        assert!(!html.contains(word), "{word}");
    }
}

/// A browser that draws without a screen; `FARFIELD_BROWSER` names one.
fn browser() -> Option<String> {
    let named = std::env::var("FARFIELD_BROWSER").ok();
    let names = named.into_iter().chain(["chromium".into(), "google-chrome".into()]);
    let runs = |name: &String| {
        Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success())
    };
    names.into_iter().find(runs)
}

#[test]
fn a_browser_draws_by_webgl_or_on_a_canvas() {
    let Some(browser) = browser() else {
        eprintln!("SKIPPED: no Chromium; install one, or name it in FARFIELD_BROWSER");
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let page = view(&snapshots(folder.path(), 3), &ViewOptions::default()).unwrap();
    let path = folder.path().join("page.html");
    std::fs::write(&path, page.html).unwrap();
    for (hash, drawings) in [("", ["webgl", "canvas"]), ("#2d", ["canvas"; 2])] {
        let output = Command::new(&browser)
            .args(["--headless", "--no-sandbox", "--enable-unsafe-swiftshader", "--dump-dom"])
            .args(["--virtual-time-budget=2000", "--window-size=400,600"])
            .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
            .arg(format!("file://{}{hash}", path.display()))
            .output()
            .unwrap();
        let dom = String::from_utf8_lossy(&output.stdout);
        let drawn = drawings.iter().any(|name| dom.contains(&format!("data-drawing=\"{name}\"")));
        assert!(drawn, "{dom}");
        assert!(dom.contains("3,000 of 3,003 points shown in 3 frames, 3 far outside left out"));
        assert!(dom.contains("t = 0 "), "the loop has not run");
    }
}
