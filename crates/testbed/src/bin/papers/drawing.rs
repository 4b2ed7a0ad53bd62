//! Drawings that are no curves, as SVG texts: stacked bars and boxes.

/// Colours told apart by readers with colour blindness (Okabe and Ito, 2008), and grey.
const COLOURS: [&str; 10] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#f0e442", "#000000",
    "#999999", "#dddddd",
];
const WIDTH: f64 = 960.0;

/// Bars of stages on top of each other: names of the bars, and for each stage its name and a height in each bar.
pub(crate) fn stacked_bars(axis: &str, bars: &[String], stages: &[(&str, Vec<f64>)]) -> String {
    const HEIGHT: f64 = 560.0;
    let (left, top, bottom) = (130.0, 60.0, HEIGHT - 60.0);
    let total = |bar: usize| stages.iter().map(|(_, heights)| heights[bar]).sum::<f64>();
    let highest = (0..bars.len()).map(total).fold(f64::MIN_POSITIVE, f64::max);
    let scale = (bottom - top) / highest;
    let step = 480.0 / bars.len().max(1) as f64;
    let mut body = String::new();
    for tick in 0..=4 {
        let value = highest * f64::from(tick) / 4.0;
        let y = bottom - value * scale;
        body += &format!(
            "<line x1=\"{left}\" y1=\"{y:.1}\" x2=\"620\" y2=\"{y:.1}\" stroke=\"#dddddd\"/>\n{}",
            label(left - 10.0, y + 8.0, "end", &crate::page::number(value))
        );
    }
    for (bar, name) in bars.iter().enumerate() {
        let x = left + step * (bar as f64 + 0.15);
        let mut y = bottom;
        for ((_, heights), colour) in stages.iter().zip(COLOURS) {
            let height = heights[bar] * scale;
            y -= height;
            body += &rectangle([x, y, 0.7 * step, height], colour, "none");
        }
        body += &label(x + 0.35 * step, bottom + 34.0, "middle", name);
    }
    for (k, ((name, _), colour)) in stages.iter().zip(COLOURS).enumerate() {
        let y = bottom - 34.0 * (k as f64 + 1.0);
        body += &rectangle([650.0, y, 24.0, 24.0], colour, "none");
        body += &label(686.0, y + 20.0, "start", name);
    }
    body += &label(left, top - 24.0, "middle", axis);
    svg(HEIGHT, &body)
}

/// A panel of boxes of a quadtree: its name, and the fill of the box at column x and row y of the finest grid.
pub(crate) struct Boxes<'a> {
    pub(crate) name: &'a str,
    pub(crate) fill: Box<dyn Fn(u32, u32) -> Option<&'static str> + 'a>,
}

/// Panels of 2^level × 2^level boxes beside each other, with the coarser divisions as thicker lines.
pub(crate) fn grids(level: u32, panels: &[Boxes<'_>]) -> String {
    let n = 1u32 << level;
    let side = (WIDTH - 20.0) / panels.len().max(1) as f64 - 20.0;
    let cell = side / f64::from(n);
    let (top, height) = (50.0, side + 70.0);
    let mut body = String::new();
    for (k, panel) in panels.iter().enumerate() {
        let left = 20.0 + k as f64 * (side + 20.0);
        body += &label(left + 0.5 * side, top - 16.0, "middle", panel.name);
        for (x, y) in (0..n * n).map(|i| (i % n, i / n)) {
            let corner = [left + f64::from(x) * cell, top + f64::from(n - 1 - y) * cell];
            let fill = (panel.fill)(x, y).unwrap_or("#ffffff");
            body += &rectangle([corner[0], corner[1], cell, cell], fill, "#aaaaaa");
        }
        for (coarse, colour) in (1..level).rev().zip(["#0072b2", "#d55e00", "#009e73"]) {
            for i in 0..=1 << coarse {
                let at = side * f64::from(i) / f64::from(1 << coarse);
                for [x1, y1, x2, y2] in [[at, 0.0, at, side], [0.0, at, side, at]] {
                    body += &format!(
                        "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{colour}\" stroke-width=\"2\"/>\n",
                        left + x1,
                        top + y1,
                        left + x2,
                        top + y2
                    );
                }
            }
        }
    }
    svg(height, &body)
}

fn svg(height: f64, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height:.0}\" viewBox=\"0 0 {WIDTH} {height:.0}\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n{body}</svg>\n"
    )
}

fn rectangle([x, y, width, height]: [f64; 4], fill: &str, stroke: &str) -> String {
    format!(
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{fill}\" stroke=\"{stroke}\"/>\n"
    )
}

fn label(x: f64, y: f64, anchor: &str, text: &str) -> String {
    format!(
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-family=\"sans-serif\" font-size=\"24\">{text}</text>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_have_the_heights_of_their_stages() {
        let bars = ["a".to_owned(), "b".to_owned()];
        let drawn = stacked_bars("s", &bars, &[("P2P", vec![1.0, 3.0]), ("M2L", vec![1.0, 1.0])]);
        let heights: Vec<f64> = drawn
            .lines()
            .filter(|line| line.contains("width=\"168.0\""))
            .filter_map(|line| line.split("height=\"").nth(1)?.split('"').next()?.parse().ok())
            .collect();
        assert_eq!(heights.len(), 4);
        assert!((heights[2] - 3.0 * heights[0]).abs() < 0.3);
        assert!((heights[2] + heights[3] - 440.0).abs() < 0.3, "the highest bar fills the axis");
    }
}
