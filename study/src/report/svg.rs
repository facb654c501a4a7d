//! A plot → SVG: axes, lines, dots, a legend. Colours are classes of the page's style sheet, so that they follow the
//! reader's light or dark theme. Series also differ by dash or shape.

use super::table_layout::escaped;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 58.0;
const RIGHT: f64 = 18.0;
const BOTTOM: f64 = 48.0;
const TOP: f64 = 12.0;
/// Height of a row of the legend.
const LEGEND_ROW: f64 = 18.0;
/// Width of a character of the legend, enough for any likely font.
const CHARACTER: f64 = 6.6;

/// The scale of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AxisScale {
    Linear,
    /// Logarithmic; values at or below the start of the axis are drawn at its start.
    Log,
}

#[derive(Debug, Clone)]
pub(super) struct PlotAxis {
    pub(super) label: String,
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) scale: AxisScale,
    /// The positions and texts of the marks.
    pub(super) ticks: Vec<(f64, String)>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SeriesShape {
    Line,
    Dashed,
    /// A thin line without an entry in the legend.
    Background,
    /// Small dots without names.
    Dots,
    /// Rings.
    Rings,
}

/// One series. Its colour is the style sheet's `cN`.
#[derive(Debug, Clone)]
pub(super) struct PlotSeries {
    pub(super) name: String,
    pub(super) color: u8,
    pub(super) shape: SeriesShape,
    pub(super) points: Vec<PlotPoint>,
}

#[derive(Debug, Clone, Default)]
pub(super) struct PlotPoint {
    pub(super) x: f64,
    pub(super) y: f64,
    /// Lower and upper bound of y.
    pub(super) between: Option<(f64, f64)>,
    /// A name, displayed under the pointer.
    pub(super) name: Option<String>,
}

/// A figure with a description.
#[derive(Debug, Clone)]
pub(super) struct Plot {
    pub(super) title: String,
    pub(super) about: String,
    pub(super) x: PlotAxis,
    pub(super) y: PlotAxis,
    /// Straight lines for orientation, each from one point to another, in the axes' units.
    pub(super) guides: Vec<[(f64, f64); 2]>,
    pub(super) series: Vec<PlotSeries>,
}

/// An axis from 0 to 100%.
pub(super) fn share_axis(label: &str) -> PlotAxis {
    PlotAxis {
        label: label.to_owned(),
        from: 0.0,
        to: 1.0,
        scale: AxisScale::Linear,
        ticks: (0..=5).map(|n| (f64::from(n) / 5.0, format!("{}%", n * 20))).collect(),
    }
}

impl PlotAxis {
    /// The position of a value on the axis, 0 to 1.
    fn place(&self, value: f64) -> f64 {
        let place = match self.scale {
            AxisScale::Linear => (value - self.from) / (self.to - self.from),
            AxisScale::Log if value <= self.from => 0.0,
            AxisScale::Log => (value / self.from).ln() / (self.to / self.from).ln(),
        };
        if place.is_finite() { place.clamp(0.0, 1.0) } else { 0.0 }
    }
}

/// The drawing as an SVG element; `id` is unique on the page.
pub(super) fn svg(plot: &Plot, id: &str) -> String {
    let legend = legend(plot);
    let top = TOP + legend.rows * LEGEND_ROW;
    let frame = PlotArea { plot, top };
    let mut out = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\
         <title id=\"{id}-t\">{}</title><desc id=\"{id}-d\">{}</desc>\n{}",
        escaped(&plot.title),
        escaped(&plot.about),
        legend.drawn
    );
    frame.axes(&mut out);
    for [from, to] in &plot.guides {
        let ((x1, y1), (x2, y2)) = (frame.at(from.0, from.1), frame.at(to.0, to.1));
        out.push_str(&format!(
            "<line class=\"guide\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>\n"
        ));
    }
    for series in &plot.series {
        frame.series(series, &mut out);
    }
    out.push_str("</svg>\n");
    out
}

struct PlotArea<'p> {
    plot: &'p Plot,
    top: f64,
}

impl PlotArea<'_> {
    fn at(&self, x: f64, y: f64) -> (f64, f64) {
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        (
            LEFT + self.plot.x.place(x) * (right - LEFT),
            bottom - self.plot.y.place(y) * (bottom - self.top),
        )
    }

    fn axes(&self, out: &mut String) {
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        for (value, label) in &self.plot.x.ticks {
            let (x, _) = self.at(*value, self.plot.y.from);
            out.push_str(&format!(
                "<line class=\"grid\" x1=\"{x:.1}\" y1=\"{:.1}\" x2=\"{x:.1}\" y2=\"{bottom:.1}\"/>\
                 <text class=\"tick\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n",
                self.top,
                bottom + 16.0,
                escaped(label)
            ));
        }
        for (value, label) in &self.plot.y.ticks {
            let (_, y) = self.at(self.plot.x.from, *value);
            out.push_str(&format!(
                "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right:.1}\" y2=\"{y:.1}\"/>\
                 <text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\n",
                LEFT - 6.0,
                y + 4.0,
                escaped(label)
            ));
        }
        let middle = (self.top + bottom) / 2.0;
        out.push_str(&format!(
            "<text class=\"label\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
             <text class=\"label\" transform=\"translate(14 {middle:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
            (LEFT + right) / 2.0,
            HEIGHT - 10.0,
            escaped(&self.plot.x.label),
            escaped(&self.plot.y.label)
        ));
    }

    fn series(&self, series: &PlotSeries, out: &mut String) {
        let color = series.color;
        for point in &series.points {
            if let Some((low, high)) = point.between {
                let ((x, y1), (_, y2)) = (self.at(point.x, low), self.at(point.x, high));
                out.push_str(&format!(
                    "<line class=\"bar c{color}\" x1=\"{x:.1}\" y1=\"{y1:.1}\" x2=\"{x:.1}\" y2=\"{y2:.1}\"/>\n"
                ));
            }
        }
        match series.shape {
            SeriesShape::Line | SeriesShape::Dashed | SeriesShape::Background => {
                let places: Vec<String> = series
                    .points
                    .iter()
                    .map(|point| {
                        let (x, y) = self.at(point.x, point.y);
                        format!("{x:.1},{y:.1}")
                    })
                    .collect();
                let class = match series.shape {
                    SeriesShape::Dashed => "line dashed",
                    SeriesShape::Background => "line thin",
                    _ => "line",
                };
                out.push_str(&format!(
                    "<polyline class=\"{class} c{color}\" points=\"{}\"><title>{}</title></polyline>\n",
                    places.join(" "),
                    escaped(&series.name)
                ));
            }
            SeriesShape::Dots => {
                // One path of zero-length strokes, each a round dot: this stays small for thousands of dots.
                let strokes: String = series
                    .points
                    .iter()
                    .map(|point| {
                        let (x, y) = self.at(point.x, point.y);
                        format!("M{x:.1} {y:.1}h0")
                    })
                    .collect();
                out.push_str(&format!("<path class=\"dots c{color}\" d=\"{strokes}\"/>\n"));
            }
            SeriesShape::Rings => {
                for point in &series.points {
                    let (x, y) = self.at(point.x, point.y);
                    let name = point.name.as_deref().unwrap_or(&series.name);
                    out.push_str(&format!(
                        "<circle class=\"ring c{color}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\"><title>{}</title></circle>\n",
                        escaped(name)
                    ));
                }
            }
        }
    }
}

struct PlotLegend {
    rows: f64,
    drawn: String,
}

/// Names of the series above the plot, in as many rows as they need.
fn legend(plot: &Plot) -> PlotLegend {
    let (mut x, mut row) = (LEFT, 0.0);
    let mut drawn = String::new();
    let named = plot
        .series
        .iter()
        .filter(|series| series.shape != SeriesShape::Background);
    for series in named {
        let width = 34.0 + series.name.chars().count() as f64 * CHARACTER;
        if x > LEFT && x + width > WIDTH - RIGHT {
            x = LEFT;
            row += 1.0;
        }
        let y = TOP + row * LEGEND_ROW + 6.0;
        let color = series.color;
        drawn.push_str(&match series.shape {
            SeriesShape::Dots => format!("<path class=\"dots c{color}\" d=\"M{:.1} {y:.1}h0\"/>", x + 9.0),
            SeriesShape::Rings => {
                format!(
                    "<circle class=\"ring c{color}\" cx=\"{:.1}\" cy=\"{y:.1}\" r=\"3.5\"/>",
                    x + 9.0
                )
            }
            shape => format!(
                "<line class=\"line{} c{color}\" x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\"/>",
                if shape == SeriesShape::Dashed { " dashed" } else { "" },
                x + 20.0
            ),
        });
        drawn.push_str(&format!(
            "<text class=\"key\" x=\"{:.1}\" y=\"{:.1}\">{}</text>\n",
            x + 25.0,
            y + 4.0,
            escaped(&series.name)
        ));
        x += width;
    }
    PlotLegend {
        rows: if drawn.is_empty() { 0.0 } else { row + 1.0 },
        drawn,
    }
}
