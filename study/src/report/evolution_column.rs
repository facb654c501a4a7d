//! The last column of the paper's Table 7: the evolution of each project as a line a benchmark, as small as a word.

use crate::accuracy::{BenchmarkEvolution, Evaluation, ProjectSummary};

use super::basis::is_of_store;
use super::table_layout::{DrawnColumn, escaped};
use report::number_format;

const WIDTH: f64 = 240.0;
const HEIGHT: f64 = 30.0;
/// Room for a sign at the edge.
const EDGE: f64 = 5.0;
/// The least range of a drawing, as a factor: a tremble of 0.1% is not a mountain.
const LEAST_RANGE: f64 = 1.1;
/// Colours of the style sheet for lines; the second one, red, is for regressions.
const LINES: [u8; 3] = [0, 2, 3];
const REGRESSION: u8 = 1;
/// Half the width of a cross.
const ARM: f64 = 3.0;

/// The drawings, a project a row of `scopes`. A store has counts of single pairs, which are no history.
pub(super) fn evolution_column(evaluation: &Evaluation, scopes: &[String]) -> Option<DrawnColumn> {
    if is_of_store(evaluation) {
        return None;
    }
    let drawing = |scope: &String| {
        let is_here = |project: &&ProjectSummary| *scope == format!("{}/{}", project.study.name(), project.name);
        let project = evaluation.projects.iter().find(is_here);
        project.map_or_else(String::new, sparkline)
    };
    Some(DrawnColumn {
        name: "performance evolution by benchmark",
        about: String::from(
            "The last column: the instructions of each benchmark against its first version, on a logarithmic scale of their \
             own for each project. A ring is a regression that lito finds, a cross one that it misses. Names are under the \
             pointer.",
        ),
        cells: scopes.iter().map(drawing).collect(),
    })
}

fn sparkline(project: &ProjectSummary) -> String {
    let evolutions: Vec<RelativeEvolution<'_>> = project.evolutions.iter().filter_map(RelativeEvolution::of).collect();
    let Some(scale) = SparklineScale::of(&evolutions) else {
        return String::new();
    };
    let names: Vec<String> = evolutions.iter().map(RelativeEvolution::in_words).collect();
    let mut out = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">",
        escaped(&names.join("; "))
    );
    for ((evolution, color), name) in evolutions.iter().zip(LINES.iter().cycle()).zip(&names) {
        out.push_str(&format!(
            "<path class=\"line c{color}\" d=\"{}\"><title>{}</title></path>",
            scale.line(evolution),
            escaped(name)
        ));
    }
    // Signs lie above all lines.
    for evolution in &evolutions {
        out.push_str(&scale.signs(evolution));
    }
    out + "</svg>"
}

/// The logarithms of a benchmark's counts, relative to the first of them.
struct RelativeEvolution<'e> {
    evolution: &'e BenchmarkEvolution,
    values: Vec<Option<f64>>,
}

impl<'e> RelativeEvolution<'e> {
    /// `None` without any instruction.
    fn of(evolution: &'e BenchmarkEvolution) -> Option<Self> {
        let counted = |count: &Option<u64>| count.filter(|count| *count > 0).map(|count| count as f64);
        let first = evolution.counts.iter().find_map(counted)?;
        let relative = |count: &Option<u64>| counted(count).map(|count| (count / first).ln());
        Some(Self {
            evolution,
            values: evolution.counts.iter().map(relative).collect(),
        })
    }

    /// `parse: +12.0%, 2 regressions, 1 missed`.
    fn in_words(&self) -> String {
        let last = self.values.iter().rev().find_map(|value| *value).unwrap_or_default();
        let mut words = format!("{}: {}", self.evolution.benchmark, number_format::change(last.exp_m1()));
        let regressions = &self.evolution.regressions;
        if !regressions.is_empty() {
            let missed = regressions.iter().filter(|regression| !regression.found).count();
            words.push_str(&format!(
                ", {}",
                number_format::counted_noun(regressions.len(), "regression")
            ));
            if missed > 0 {
                words.push_str(&format!(", {missed} missed"));
            }
        }
        words
    }
}

/// The positions of one project's versions and values in the drawing.
struct SparklineScale {
    versions: usize,
    least: f64,
    range: f64,
}

impl SparklineScale {
    fn of(evolutions: &[RelativeEvolution<'_>]) -> Option<Self> {
        let values = || {
            evolutions
                .iter()
                .flat_map(|evolution| evolution.values.iter().flatten())
        };
        let least = values().copied().reduce(f64::min)?;
        let most = values().copied().reduce(f64::max)?;
        let range = (most - least).max(LEAST_RANGE.ln());
        Some(Self {
            versions: evolutions.iter().map(|evolution| evolution.values.len()).max()?,
            least: (least + most - range) / 2.0,
            range,
        })
    }

    fn at(&self, version: usize, value: f64) -> (f64, f64) {
        let last = self.versions.saturating_sub(1).max(1) as f64;
        (
            EDGE + version as f64 / last * (WIDTH - 2.0 * EDGE),
            HEIGHT - EDGE - (value - self.least) / self.range * (HEIGHT - 2.0 * EDGE),
        )
    }

    /// The line: open where a version has no count, level stretches without the points between. A lone value is a line of no
    /// length, which round ends make a dot.
    fn line(&self, evolution: &RelativeEvolution<'_>) -> String {
        let values = &evolution.values;
        let mut line = String::new();
        for (version, value) in values.iter().enumerate() {
            let Some(value) = value else { continue };
            let before = version.checked_sub(1).and_then(|before| values[before]);
            let after = values.get(version + 1).copied().flatten();
            if before == Some(*value) && after == before {
                continue;
            }
            let (x, y) = self.at(version, *value);
            line.push_str(&match before {
                Some(_) => format!("L{x:.1} {y:.1}"),
                None => format!("M{x:.1} {y:.1}h0"),
            });
        }
        line
    }

    fn signs(&self, evolution: &RelativeEvolution<'_>) -> String {
        let signs = evolution.evolution.regressions.iter().filter_map(|regression| {
            let (x, y) = self.at(regression.version, evolution.values[regression.version]?);
            Some(match regression.found {
                true => format!("<circle class=\"ring c{REGRESSION}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.8\"/>"),
                false => {
                    let (left, top, size) = (x - ARM, y - ARM, 2.0 * ARM);
                    format!(
                        "<path class=\"cross c{REGRESSION}\" d=\"M{left:.1} {top:.1}l{size} {size}m0 -{size}l-{size} {size}\"/>"
                    )
                }
            })
        });
        signs.collect()
    }
}
