//! Shapes as SVG, in units of a pixel, on a ground of white that suits pages in the dark too.

use std::fmt::Write;

/// Colours that are told apart by people who see no red or no green (Okabe and Ito 2008).
pub(crate) const BLUE: &str = "#0072b2";
pub(crate) const ORANGE: &str = "#e69f00";
pub(crate) const GREEN: &str = "#009e73";
pub(crate) const RED: &str = "#d55e00";
pub(crate) const PURPLE: &str = "#cc79a7";
pub(crate) const SKY: &str = "#56b4e9";
pub(crate) const YELLOW: &str = "#f0e442";
pub(crate) const GREY: &str = "#8a8a8a";
pub(crate) const BLACK: &str = "#222222";

/// Alignment of a text at its place.
#[derive(Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

/// A picture of some size.
pub(crate) struct Drawing {
    size: [f64; 2],
    body: String,
}

impl Drawing {
    pub(crate) fn new(size: [f64; 2]) -> Self {
        Self { size, body: String::new() }
    }

    /// A filled rectangle from its corner of least coordinates.
    pub(crate) fn area(&mut self, [x, y]: [f64; 2], [width, height]: [f64; 2], fill: &str) {
        self.add(&format!(
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{width:.2}\" height=\"{height:.2}\" fill=\"{fill}\"/>"
        ));
    }

    /// The edges of squares, each its corner and side, as one path.
    pub(crate) fn squares(&mut self, squares: &[([f64; 2], f64)], stroke: &str, width: f64) {
        let mut path = String::new();
        for ([x, y], side) in squares {
            let _ = write!(path, "M{x:.2} {y:.2}h{side:.2}v{side:.2}h-{side:.2}z");
        }
        self.add(&format!(
            "<path d=\"{path}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"{width}\"/>"
        ));
    }

    /// Stretches of rows, each its corner and length, filled as one path.
    pub(crate) fn rows(&mut self, rows: &[([f64; 2], f64)], height: f64, fill: &str) {
        let mut path = String::new();
        for ([x, y], length) in rows {
            let _ = write!(path, "M{x} {y}h{length}v{height}h-{length}z");
        }
        self.add(&format!("<path d=\"{path}\" fill=\"{fill}\"/>"));
    }

    /// Dots of one size as one path.
    pub(crate) fn dots(&mut self, places: &[[f64; 2]], fill: &str, diameter: f64) {
        let mut path = String::new();
        for [x, y] in places {
            let _ = write!(path, "M{x:.1} {y:.1}h0");
        }
        self.add(&format!(
            "<path d=\"{path}\" stroke=\"{fill}\" stroke-width=\"{diameter}\" stroke-linecap=\"round\"/>"
        ));
    }

    /// A line through places, `dashes` being the pattern, empty for none.
    pub(crate) fn line(&mut self, places: &[[f64; 2]], stroke: &str, width: f64, dashes: &str) {
        let points: Vec<String> = places.iter().map(|[x, y]| format!("{x:.2},{y:.2}")).collect();
        self.add(&format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{stroke}\" stroke-width=\"{width}\" stroke-dasharray=\"{dashes}\"/>",
            points.join(" ")
        ));
    }

    /// A text on its base line; `size` is that of the font.
    pub(crate) fn text(&mut self, [x, y]: [f64; 2], size: f64, anchor: Anchor, text: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let text = text.replace('&', "&amp;").replace('<', "&lt;");
        self.add(&format!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{size}\" text-anchor=\"{anchor}\" fill=\"{BLACK}\">{text}</text>"
        ));
    }

    /// Window for all that is drawn until [`Self::end_window`]: a square of this side at the top left.
    pub(crate) fn begin_window(&mut self, side: f64) {
        self.add(&format!("<svg width=\"{side}\" height=\"{side}\">"));
    }

    pub(crate) fn end_window(&mut self) {
        self.add("</svg>");
    }

    fn add(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }

    /// The file's text, with a title for those who do not see it.
    pub(crate) fn finish(self, title: &str) -> String {
        let [width, height] = self.size;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"Open Sans, Helvetica, Arial, sans-serif\">\n\
             <title>{title}</title>\n<rect width=\"{width}\" height=\"{height}\" rx=\"6\" fill=\"#ffffff\"/>\n{}</svg>\n",
            self.body
        )
    }
}
