//! Diagrams name their axes, and their lines have the numbers of the data.

use formats::{PointTable, Snapshot};
use pictures::plot::{
    Axis, Diagnostics, Figure, Panel, Profile, Run, Series, cost, energy, profiles,
};

/// Texts of an SVG file.
fn texts(svg: &str) -> Vec<String> {
    let parts = svg.split("<text").skip(1);
    parts.map(|part| part.split(['>', '<']).nth(1).unwrap().trim().to_owned()).collect()
}

fn names(svg: &str, expected: &[&str]) {
    let texts = texts(svg);
    for text in expected {
        assert!(texts.iter().any(|found| found == text), "no {text:?} in {texts:?}");
    }
}

#[test]
fn energies_have_both_panels_and_units() {
    let folder = tempfile::tempdir().unwrap();
    for header in [
        "time,kinetic,potential,total,px,py,pz,lx,ly,lz",
        "time,steps,kinetic,potential,energy,momentum_x,momentum_y,momentum_z,angular_momentum_x,angular_momentum_y,angular_momentum_z",
    ] {
        let steps = if header.contains("steps") { "7," } else { "" };
        let rows: String = (0..9)
            .map(|i| {
                format!("{i},{steps}0.5,-1.0,{},0,{i}e-9,0,0,0,1\n", -0.5 + 1e-6 * f64::from(i))
            })
            .collect();
        let path = folder.path().join("diagnostics.csv");
        std::fs::write(&path, format!("{header}\n{rows}")).unwrap();
        let diagnostics = Diagnostics::read(&path).unwrap();
        assert_eq!(diagnostics.times.len(), 9);
        let figure = energy(&diagnostics, "Myr");
        let changes = &figure.panels[1].series;
        assert!((changes[0].points[8].1 - 1.6e-5).abs() < 1e-12);
        assert_eq!((changes[1].points[8].1, changes[2].points[8].1), (8e-9, 0.0));
        names(
            &figure.svg().unwrap(),
            &["time / Myr", "energy", "kinetic", "potential", "total", "change", "|ΔP|", "10⁻⁶"],
        );
    }
}

/// Momenta that begin at zero are relative to what they may be at most, and so do not depend on units.
#[test]
fn changes_of_momenta_are_relative() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("diagnostics.csv");
    for (length, mass) in [(1.0, 1.0), (1e3, 1e20)] {
        // In units in which the time stays the same.
        let (momentum, spin, unit) =
            (mass * length, mass * length * length, mass * length * length);
        let row = |time: f64, kinetic: f64| {
            let [p, l] = [1e-3 * time * momentum, 1e-2 * time * spin];
            let (e, inertia) = (-0.5 * unit, 2.0 * mass * length * length);
            format!("{time},{},{e},{e},0,{p},0,0,0,{l},{mass},{inertia}\n", kinetic * unit)
        };
        let names = "time,kinetic,potential,total,px,py,pz,lx,ly,lz,mass,inertia";
        // At rest in the beginning, so that the largest kinetic energy is that of the end.
        let text = format!("{names}\n{}{}", row(0.0, 0.0), row(1.0, 2.0));
        std::fs::write(&path, text).unwrap();
        let figure = energy(&Diagnostics::read(&path).unwrap(), "");
        let changes = &figure.panels[1].series;
        let [p, l] = [changes[1].points[1].1, changes[2].points[1].1];
        assert!((p - 1e-3 / 2.0).abs() < 1e-12, "{p}");
        assert!((l - 1e-2 / 8f64.sqrt()).abs() < 1e-12, "{l}");
        self::names(&figure.svg().unwrap(), &["relative change", "|ΔP| / √(2MT)", "|ΔL| / √(2IT)"]);
    }
}

#[test]
fn profiles_have_the_density_of_a_uniform_ball() {
    let cloud = nbody::initial_conditions::uniform_sphere(40_000, 3);
    let table = PointTable { positions: cloud.positions, charges: cloud.masses };
    let profile = Profile::of(&Snapshot::at_rest(table).unwrap());
    let expected = 3.0 / (4.0 * std::f64::consts::PI);
    let inside = profile.shells.iter().filter(|(radius, _)| (0.3..0.7).contains(radius));
    assert!(inside.clone().count() >= 3);
    for (radius, density) in inside {
        // Shells of over 1000 points: 1/√1000, and the centre is found to some hundredths.
        assert!((density / expected - 1.0).abs() < 0.15, "{radius} {density}");
    }
    let svg = profiles(&[profile.clone(), profile], "kpc", "").svg().unwrap();
    names(&svg, &["radius / kpc", "density: mass / volume", "t = 0"]);
}

#[test]
fn costs_are_lines_by_name() {
    let run = |name: &str, points: f64, error| Run {
        name: name.to_owned(),
        points,
        seconds: points / 65536.0,
        error,
    };
    let runs = [run("fmm", 1e5, Some(1e-4)), run("direct", 1e4, None), run("fmm", 1e4, Some(2e-4))];
    let figure = cost(&runs);
    assert_eq!(figure.panels[0].series[1].points, [(1e4, 1e4 / 65536.0), (1e5, 1e5 / 65536.0)]);
    names(
        &figure.svg().unwrap(),
        &["number of points", "time / s", "relative L2 error", "fmm", "direct", "10⁵"],
    );
    assert_eq!(cost(&runs[1..2]).panels.len(), 1);
}

#[test]
fn pngs_have_the_size_of_their_panels() {
    let panel = Panel {
        title: "Title".into(),
        x: Axis::linear("x"),
        y: Axis::linear("y"),
        series: vec![Series { name: "line".into(), points: vec![(0.0, 0.0), (1.0, 1.0)] }],
    };
    let heights = [1, 2].map(|count| {
        let bytes = Figure { panels: vec![panel.clone(); count] }.png().unwrap();
        let reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        reader.info().height
    });
    assert_eq!(heights[1], 2 * heights[0]);
}

#[test]
fn lines_without_two_points_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let empty = Figure { panels: cost(&[]).panels };
    let message = empty.write(&folder.path().join("a.svg")).unwrap_err().to_string();
    assert_eq!(message, "Time of a sum has no numbers to draw; give a file with at least two rows");
    let constant = Diagnostics {
        times: vec![0.0, 1.0],
        energies: vec![[0.0; 3]; 2],
        momenta: vec![[0.0; 3]; 2],
        angular_momenta: vec![[0.0; 3]; 2],
        extent: None,
    };
    assert!(energy(&constant, "").svg().is_ok());
    assert!(energy(&constant, "").write(&folder.path().join("a.pdf")).is_err());
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Two rows of diagnostics.
fn rows(times: [f64; 2], energies: [f64; 2]) -> Diagnostics {
    Diagnostics {
        times: times.to_vec(),
        energies: energies.map(|energy| [energy; 3]).to_vec(),
        momenta: vec![[0.0; 3]; 2],
        angular_momenta: vec![[0.0; 3]; 2],
        extent: None,
    }
}

#[test]
fn axes_longer_than_f64_are_refused_and_others_end() {
    for extreme in [1e308, f64::MAX] {
        let ends = [-extreme, extreme];
        for (diagnostics, name) in
            [(rows(ends, [1.0, 2.0]), "time / Myr"), (rows([0.0, 1.0], ends), "energy")]
        {
            let message = energy(&diagnostics, "Myr").svg().unwrap_err().to_string();
            let told = format!("the axis {name:?} from {:e} to {extreme:e}", -extreme);
            assert!(message.starts_with(&told), "{message}");
        }
        // One large number each, and all numbers of a logarithmic axis, are drawn.
        for diagnostics in [rows([extreme; 2], [1.0, 2.0]), rows([0.0, 1.0], [extreme; 2])] {
            assert!(energy(&diagnostics, "").svg().is_ok());
        }
        for points in [[extreme, 10.0], [extreme, 1e-300], [extreme; 2]] {
            let run = |points| Run { name: "fmm".into(), points, seconds: points, error: None };
            let figure = cost(&points.map(run));
            assert!(texts(&figure.svg().unwrap()).len() > 4, "{points:?}");
            figure.png().unwrap();
        }
    }
}

#[test]
fn errors_of_zero_make_no_panel() {
    let run = |points| Run { name: "direct".into(), points, seconds: 1.0, error: Some(0.0) };
    assert_eq!(cost(&[run(1e4), run(1e5)]).panels.len(), 1);
}

#[test]
fn control_characters_do_not_reach_a_diagram() {
    let odd = "a\u{1}b\u{fffe}";
    let mut run = Run { name: odd.into(), points: 1e4, seconds: 1.0, error: None };
    let mut figure = cost(&[run.clone(), {
        run.points = 1e5;
        run
    }]);
    figure.panels[0].title = odd.into();
    figure.panels[0].x = Axis::logarithmic(odd);
    figure.panels[0].y = Axis::logarithmic(odd);
    let svg = figure.svg().unwrap();
    assert!(!svg.contains(|c: char| (c.is_control() && c != '\n') || c == '\u{fffe}'));
    assert_eq!(texts(&svg).iter().filter(|text| *text == "a b").count(), 4);
}

#[test]
fn profiles_are_around_one_of_two_equal_clusters() {
    let mut both = Snapshot::default();
    for (seed, place) in [(11, -15.0), (12, 15.0)] {
        let cloud = nbody::initial_conditions::plummer(4000, seed);
        both.positions.extend(cloud.positions.iter().map(|[x, y, z]| [x + place, *y, *z]));
        both.masses.extend(cloud.masses);
    }
    let alone = Snapshot {
        positions: both.positions[..4000].to_vec(),
        masses: both.masses[..4000].to_vec(),
        ..Snapshot::default()
    };
    // Mass of 1 and scale radius of 1 (Aarseth, Hénon and Wielen, 1974).
    let expected = |r: f64| 3.0 / (4.0 * std::f64::consts::PI) * (1.0 + r * r).powf(-2.5);
    for profile in [Profile::of(&both), Profile::of(&alone)] {
        let middle = profile.shells.iter().filter(|(radius, _)| (0.3..1.0).contains(radius));
        assert!(middle.clone().count() >= 3);
        for &(radius, density) in middle {
            // Shells of some 100 particles.
            assert!((density / expected(radius) - 1.0).abs() < 0.35, "{radius} {density}");
        }
    }
}
