//! Nakasato (2012), "Implementation of a parallel tree method on a GPU": Tables 2 to 7, Figures 2, 9 and 10, and the two
//! comparisons of section 6.

pub(crate) mod caches;
pub(crate) mod causes;
mod comparisons;
pub(crate) mod direct;
pub(crate) mod errors;
mod errors_page;
pub(crate) mod launches;
mod paper;
mod particles;
mod text;
pub(crate) mod walks;

pub(crate) use launches::launch_walk;
pub(crate) use walks::walk_once;

use crate::Outcome;
use crate::curves::{Crossover, crossover};
use crate::page::{Page, count, factor, items, logarithmic, number, place};
use paper::{BY_ANGLE, BY_NUMBER, FLOPS, HITS};
use testbed::record::{Record, Records};

/// Writes the page.
///
/// # Errors
/// Errors of drawing.
pub(crate) fn page(records: &Records) -> Outcome<Page> {
    let mut page = Page::new("nakasato.md", text::TITLE, text::INTRODUCTION);
    items(&mut page, &text::ITEMS);
    direct_rate(&mut page, records)?;
    by_number(&mut page, records)?;
    against_direct(&mut page, records)?;
    cache_hits(&mut page, records)?;
    by_angle(&mut page, records)?;
    errors_page::write(&mut page, records)?;
    comparisons::treecode_and_fmm(&mut page, records);
    comparisons::rates(&mut page, records);
    page.errata(&text::ERRATA);
    Ok(page)
}

/// Points of a column by N.
fn curve(record: Option<&Record>, column: &str) -> Vec<(f64, f64)> {
    record.map_or(Vec::new(), |record| record.table.pairs("N", column))
}

fn both<'a>(records: &'a Records, run: &str) -> [Option<&'a Record>; 2] {
    [records.cpu(run), records.gpu(run)]
}

fn direct_rate(page: &mut Page, records: &Records) -> Outcome {
    let both = both(records, "nk-fig2");
    page.heading("nk-fig2: rate of the direct sum");
    page.paragraph(text::DIRECT);
    let rate = |(n, seconds): (f64, f64)| (n, 1e-9 * FLOPS[0] * n * n / seconds);
    let curves = both.map(|r| curve(r, "direct / s").into_iter().map(rate).collect::<Vec<_>>());
    let (n, paper) = (paper::DIRECT.0, 1e3 * paper::DIRECT.1);
    let panel = logarithmic(
        "Direct sum, 38 operations a pair",
        ["N", "Gflop/s"],
        vec![
            ("CPU", curves[0].clone()),
            ("GPU", curves[1].clone()),
            ("paper, HD 5870", vec![(150_000.0, paper), (n, paper)]),
        ],
    );
    page.diagram("nk-fig2", "Rate of the direct sum by the number of particles", vec![panel])?;
    let mut rows = Vec::new();
    for (device, curve) in ["CPU", "GPU"].into_iter().zip(&curves) {
        for (at, rate) in curve {
            let seconds = 1e-9 * FLOPS[0] * at * at / rate;
            let cells = [seconds * 1e3, *rate, rate * FLOPS[1] / FLOPS[0]].map(number);
            rows.push([vec![device.to_owned(), count(*at)], cells.to_vec()].concat());
        }
    }
    page.table(1, &["device", "N", "ms", "Gflop/s, 38 a pair", "Gflop/s, 22 a pair"], &rows);
    for (device, curve) in ["CPU", "GPU"].into_iter().zip(&curves) {
        if let Some((_, rate)) = curve.iter().find(|point| point.0 == n) {
            page.paragraph(&format!(
                "At N = {} the {device} reaches {} the paper's {paper:.0} Gflop/s.",
                count(n),
                factor(rate / paper)
            ));
        }
    }
    page.origin(both);
    Ok(())
}

fn by_number(page: &mut Page, records: &Records) -> Outcome {
    let both = both(records, "nk-table2");
    page.heading("nk-table2 and nk-table3: time by N");
    page.paragraph(text::BY_NUMBER);
    let papers = |which: usize| -> Vec<(f64, f64)> {
        BY_NUMBER.iter().map(|row| (1024.0 * row.0 as f64, [row.1, row.2][which][0])).collect()
    };
    let panel = |title: &str, record| {
        let series = vec![
            ("paper, unsorted", papers(0)),
            ("paper, Morton", papers(1)),
            ("one by one, unsorted", curve(record, "unsorted / s")),
            ("one by one, Morton", curve(record, "Morton / s")),
        ];
        logarithmic(title, ["N", "time / s"], series)
    };
    let devices = ["CPU", "GPU"].into_iter().zip(both);
    let devices = devices.filter(|(_, record)| record.is_some());
    let panels = devices.map(|(name, record)| panel(name, record)).collect();
    page.diagram("nk-table3", "Time of the treecode by the number of particles", panels)?;
    let columns = &walks::BY_NUMBER_COLUMNS[1..7];
    for (record, device) in both.into_iter().zip(["CPU", "GPU"]) {
        let Some(record) = record else { continue };
        page.paragraph(&format!("Milliseconds, {device}:"));
        let row = |row: &(usize, [f64; 2], [f64; 2])| {
            let n = 1024.0 * row.0 as f64;
            let paper = row.1.into_iter().chain(row.2).map(|x| number(1e3 * x));
            let ours =
                columns.iter().map(|c| number(record.table.find("N", n, c).map(|x| 1e3 * x)));
            std::iter::once(format!("{}K", row.0)).chain(paper).chain(ours).collect()
        };
        let rows: Vec<Vec<String>> = BY_NUMBER.iter().map(row).collect();
        page.table(0, &text::BY_NUMBER_HEADS, &rows);
        let ratio = |(k, unsorted, morton): &(usize, [f64; 2], [f64; 2])| {
            let of = |column| record.table.find("N", 1024.0 * *k as f64, column);
            let ours = of("unsorted / s")? / of("Morton / s")?;
            Some(format!("{k}K: {} (paper {})", factor(ours), factor(unsorted[0] / morton[0])))
        };
        let ratios: Vec<String> = BY_NUMBER.iter().filter_map(ratio).collect();
        page.paragraph(&format!("Unsorted over Morton order, {device}: {}.", ratios.join(", ")));
    }
    page.origin(both);
    Ok(())
}

fn against_direct(page: &mut Page, records: &Records) -> Outcome {
    let both = both(records, "nk-table2");
    page.heading("nk-fig9: treecode and direct sum");
    page.paragraph(text::AGAINST_DIRECT);
    let names = ["one by one, unsorted", "one by one, Morton", "groups", "direct"];
    let curves = both.map(|record| {
        let groups = record.map_or(Vec::new(), groups);
        let built =
            |column| record.map_or(Vec::new(), |record| totals(record, ["build / s", column]));
        [built("unsorted / s"), built("Morton / s"), groups, curve(record, "direct / s")]
    });
    let panel = |title, k: usize| {
        let series = names.into_iter().zip(curves[k].clone()).collect();
        logarithmic(title, ["N", "total time / s"], series)
    };
    page.diagram(
        "nk-fig9",
        "Treecode and direct sum by the number of particles",
        vec![panel("CPU", 0), panel("GPU", 1)],
    )?;
    let found = |device: usize, form: usize| match curves[device][form].is_empty() {
        true => "–".to_owned(),
        false => place(crossover(&curves[device][form], &curves[device][3])),
    };
    let row = |(form, paper): (usize, &str)| {
        vec![names[form].to_owned(), paper.to_owned(), found(0, form), found(1, form)]
    };
    let paper = count(paper::CROSSOVER);
    let rows = [(1, paper.as_str()), (0, "–"), (2, "–")].map(row);
    page.table(1, &["faster than the direct sum from", "paper, GPU", "CPU", "GPU"], &rows);
    if let Some(Crossover::At(x)) = crossover(&curves[1][1], &curves[1][3]) {
        let than = if x < paper::CROSSOVER { "fewer" } else { "more" };
        page.paragraph(&format!(
            "On the GPU the crossover is at {than} particles than the paper's {paper}."
        ));
    }
    page.origin(both);
    forms_of_the_walk(page, &curves)?;
    page.origin(both);
    Ok(())
}

/// Times of the walk one by one and by groups, which are the second and the third curve of a device.
fn forms_of_the_walk(page: &mut Page, curves: &[[Vec<(f64, f64)>; 4]; 2]) -> Outcome {
    page.heading("nk-fig10: three forms of the walk");
    page.paragraph(text::FORMS);
    let forms = vec![
        ("one by one, GPU", curves[1][1].clone()),
        ("groups, GPU", curves[1][2].clone()),
        ("one by one, CPU", curves[0][1].clone()),
        ("groups, CPU", curves[0][2].clone()),
    ];
    let panel = logarithmic("Forms of the walk", ["N", "time / s"], forms);
    page.diagram(
        "nk-fig10",
        "Time of the walk one by one and by groups, on CPU and GPU",
        vec![panel],
    )?;
    let n = 1024.0 * 800.0;
    let at = |device: usize, form: usize| {
        curves[device][form].iter().find(|point| point.0 == n).map(|point| point.1)
    };
    let told = [("GPU", 1), ("CPU", 0)].map(|(name, k)| {
        let share = 100.0 * at(k, 2)? / at(k, 1)?;
        Some(format!(
            "On the {name} groups take {share:.0} % of the time of one by one at 800K, each with its construction."
        ))
    });
    let told: Vec<String> = told.into_iter().flatten().collect();
    page.paragraph(&told.join(" "));
    Ok(())
}

/// Total time of the walk by groups, by N.
fn groups(record: &Record) -> Vec<(f64, f64)> {
    totals(record, ["groups: build / s", "groups: walk / s"])
}

/// Sums of two columns, by N.
fn totals(record: &Record, columns: [&str; 2]) -> Vec<(f64, f64)> {
    let total = |row: &Vec<Option<f64>>| {
        let [a, b] = columns.map(|column| record.table.get(row, column));
        Some((row[0]?, a? + b?))
    };
    record.table.rows.iter().filter_map(total).collect()
}

/// Hit rates of a walk, first and second level.
fn hits(record: Option<&Record>, curve: usize, thousands: usize, theta: f64) -> [Option<f64>; 2] {
    let Some(record) = record else { return [None; 2] };
    let key = [curve as f64, thousands as f64, theta].map(Some);
    let row = record.table.rows.iter().find(|row| row[..3] == key);
    row.map_or([None; 2], |row| [row[3], row[4]])
}

fn cache_hits(page: &mut Page, records: &Records) -> Outcome {
    let record = records.gpu("nk-table4");
    page.heading("nk-table4: cache hits by N");
    page.paragraph(text::HITS);
    let cell =
        |curve, thousands| hits(record, curve, thousands, paper::THETA).map(number).join(" / ");
    let row = |(k, unsorted, morton): &(usize, f64, f64)| {
        vec![
            format!("{k}K"),
            number(*unsorted),
            cell(0, *k),
            number(*morton),
            cell(1, *k),
            cell(2, *k),
        ]
    };
    let heads = ["N", "paper, unsorted", "here", "paper, Morton", "here", "Peano–Hilbert"];
    page.table(0, &heads, &HITS.iter().map(row).collect::<Vec<_>>());
    let first =
        |k: usize| hits(record, 0, k, paper::THETA)[0].zip(hits(record, 1, k, paper::THETA)[0]);
    if let (Some(few), Some(many)) = (first(50), first(800)) {
        let falls = |a: f64, b: f64| if b < a { "falls" } else { "does not fall" };
        page.paragraph(&format!(
            "From 50K to 800K the first level's rate {} without order ({} to {} %) and {} in Morton order ({} to {} %); in the paper both fall.",
            falls(few.0, many.0), number(few.0), number(many.0), falls(few.1, many.1), number(few.1), number(many.1)
        ));
    }
    page.origin([record]);
    Ok(())
}

fn by_angle(page: &mut Page, records: &Records) -> Outcome {
    let both = both(records, "nk-table5");
    page.heading("nk-table5: time by θ");
    page.paragraph(text::BY_ANGLE);
    let of = |record: Option<&Record>, theta: f64, column: &str| {
        record.and_then(|record| record.table.find("θ", theta, column))
    };
    let row = |(theta, seconds, hit): &(f64, f64, f64)| {
        let ms = |record, column| number(of(record, *theta, column).map(|x| 1e3 * x));
        let groups = |record| {
            let [build, walk] =
                ["groups: build / s", "groups: walk / s"].map(|c| of(record, *theta, c));
            number(build.zip(walk).map(|(build, walk)| 1e3 * (build + walk)))
        };
        let interactions = both.iter().find_map(|record| of(*record, *theta, "interactions"));
        vec![
            theta.to_string(),
            number(1e3 * seconds),
            ms(both[0], "one by one / s"),
            groups(both[0]),
            ms(both[1], "one by one / s"),
            groups(both[1]),
            interactions.map_or("–".to_owned(), count),
            number(*hit),
            hits(records.gpu("nk-table4"), 1, 800, *theta).map(number).join(" / "),
        ]
    };
    let rows: Vec<Vec<String>> = BY_ANGLE.iter().map(row).collect();
    let panel = logarithmic(
        "800K particles",
        ["θ", "time / s"],
        vec![
            ("paper", BY_ANGLE.iter().map(|row| (row.0, row.1)).collect()),
            (
                "one by one, CPU",
                both[0].map_or(Vec::new(), |r| r.table.pairs("θ", "one by one / s")),
            ),
            (
                "one by one, GPU",
                both[1].map_or(Vec::new(), |r| r.table.pairs("θ", "one by one / s")),
            ),
        ],
    );
    page.diagram("nk-table5", "Time of the treecode by the opening angle", vec![panel])?;
    page.table(0, &text::BY_ANGLE_HEADS, &rows);
    page.origin([both[0], both[1], records.gpu("nk-table4")]);
    Ok(())
}
