//! Drawing of one panel.

use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::combinators::LogCoord;
use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

use super::Panel;
use crate::error::Error;
use crate::text::printable;

/// Pixels of the text.
const TEXT: i32 = 34;
/// Distinct colours of the series, told apart by readers with colour blindness (Okabe and Ito, 2008).
const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(86, 180, 233),
    RGBColor(230, 159, 0),
    RGBColor(0, 0, 0),
    RGBColor(150, 150, 150),
];
/// Share of the axes' height that a row of the legend takes.
const LEGEND: f64 = 0.14;
/// Points of a series up to which each has a mark.
const MARKED: usize = 40;

/// Pixels of a kind of file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pixels {
    /// Factor of all sizes.
    pub(super) scale: i32,
    /// Pixels, before that factor, by which the drawing package sets text above its place.
    pub(super) raised: i32,
}

/// Draws a panel.
pub(super) fn draw<B: DrawingBackend>(
    panel: &Panel,
    area: &DrawingArea<B, Shift>,
    pixels: Pixels,
) -> Result<(), Error> {
    let shown = || {
        let points = panel.series.iter().flat_map(|series| &series.points);
        points.filter(|(x, y)| panel.x.shows(*x) && panel.y.shows(*y))
    };
    let nothing = || Error::NoNumbers(panel.title.clone());
    if shown().count() < 2 {
        return Err(nothing());
    }
    // The legend stands above the lines.
    let legend = LEGEND * panel.series.len() as f64;
    let x = panel.x.range(shown().map(|point| point.0), 0.0)?.ok_or_else(nothing)?;
    let y = panel.y.range(shown().map(|point| point.1), legend)?.ok_or_else(nothing)?;
    let ranges = [x.clone(), y.clone()];
    let coordinates = [(&panel.x, &x), (&panel.y, &y)]
        .map(|(axis, range)| Coordinate::new(axis.logarithmic, range.clone()));
    axes(panel, area, pixels, (&ranges, coordinates))
}

/// A panel with its axes.
type Chart<'a, B> = ChartContext<'a, B, Cartesian2d<Coordinate, Coordinate>>;

/// Draws axes, lines and legend.
fn axes<B: DrawingBackend>(
    panel: &Panel,
    area: &DrawingArea<B, Shift>,
    Pixels { scale, raised }: Pixels,
    (ranges, [x, y]): (&[Range<f64>; 2], [Coordinate; 2]),
) -> Result<(), Error> {
    let thin = scale.unsigned_abs();
    let mut chart = ChartBuilder::on(area)
        .caption(printable(&panel.title), ("sans-serif", (TEXT + 4) * scale))
        .margin(12 * scale)
        .margin_right(28 * scale)
        .x_label_area_size(88 * scale)
        .y_label_area_size(150 * scale)
        .build_cartesian_2d(x, y)
        .map_err(|error| fault(&error))?;
    chart
        .configure_mesh()
        .x_desc(printable(&panel.x.label))
        .y_desc(printable(&panel.y.label))
        .x_labels(6)
        .y_labels(7)
        .x_label_formatter(&|value| panel.x.number(*value, &ranges[0]))
        .y_label_formatter(&|value| panel.y.number(*value, &ranges[1]))
        .label_style(("sans-serif", (TEXT - 4) * scale))
        .axis_desc_style(("sans-serif", TEXT * scale))
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.12).stroke_width(thin))
        .axis_style(BLACK.stroke_width(thin))
        .set_all_tick_mark_size(5 * scale)
        .y_label_offset(raised * scale)
        .draw()
        .map_err(|error| fault(&error))?;
    lines(panel, &mut chart, scale, raised)?;
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperRight)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.3).stroke_width(thin))
        .label_font(("sans-serif", (TEXT - 4) * scale))
        .margin(10 * scale)
        .legend_area_size(40 * scale)
        .draw()
        .map_err(|error| fault(&error))
}

/// Draws the lines of the series, with marks where points are few, and hands their names to the legend.
fn lines<B: DrawingBackend>(
    panel: &Panel,
    chart: &mut Chart<'_, B>,
    scale: i32,
    raised: i32,
) -> Result<(), Error> {
    for (series, colour) in panel.series.iter().zip(COLOURS.into_iter().cycle()) {
        let points = || {
            let points = series.points.iter().copied();
            points.filter(|(x, y)| panel.x.shows(*x) && panel.y.shows(*y))
        };
        let stroke = colour.stroke_width(3 * scale.unsigned_abs());
        let line = LineSeries::new(points(), stroke);
        chart
            .draw_series(line)
            .map_err(|error| fault(&error))?
            .label(printable(&series.name))
            .legend(move |(x, y)| {
                let y = y - raised * scale;
                PathElement::new([(x, y), (x + 28 * scale, y)], stroke)
            });
        if points().count() <= MARKED {
            let marks = points().map(|point| Circle::new(point, 5 * scale, colour.filled()));
            chart.draw_series(marks).map_err(|error| fault(&error))?;
        }
    }
    Ok(())
}

fn fault(error: &dyn std::fmt::Display) -> Error {
    Error::Chart(error.to_string())
}

/// A linear or logarithmic axis as one type, so that drawing is compiled once for each kind of file.
enum Coordinate {
    Linear(RangedCoordf64),
    Logarithmic(LogCoord<f64>),
}

impl Coordinate {
    fn new(logarithmic: bool, range: Range<f64>) -> Coordinate {
        match logarithmic {
            true => Coordinate::Logarithmic(range.log_scale().into()),
            false => Coordinate::Linear(range.into()),
        }
    }
}

impl Ranged for Coordinate {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        match self {
            Coordinate::Linear(axis) => axis.map(value, limit),
            Coordinate::Logarithmic(axis) => axis.map(value, limit),
        }
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        match self {
            Coordinate::Linear(axis) => axis.key_points(hint),
            Coordinate::Logarithmic(axis) => powers(&axis.range(), hint.max_num_points()),
        }
    }

    fn range(&self) -> Range<f64> {
        match self {
            Coordinate::Linear(axis) => axis.range(),
            Coordinate::Logarithmic(axis) => axis.range(),
        }
    }
}

/// Powers of ten in a range of positive numbers, about `most` of them, evenly spread.
fn powers(range: &Range<f64>, most: usize) -> Vec<f64> {
    let low = range.start.log10().ceil() as i32;
    let high = range.end.log10().floor() as i32;
    let decades = usize::try_from(high - low).unwrap_or(0);
    (low..=high).step_by(decades / most.max(1) + 1).map(|decade| 10f64.powi(decade)).collect()
}
