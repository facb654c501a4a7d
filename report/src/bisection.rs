//! The search for the version that moved a benchmark → a page for people, markdown, and JSON for programs.

use analyzer::score::ScoredChange;
use anstyle::Style;
use schemars::JsonSchema;
use serde::Serialize;

use crate::json_document::json_document;
use crate::number_format;
use crate::score::{PageLayout, labels};
use crate::style::{BAD, FAINT, GOOD, PLACE, STRONG, UNSURE, paint};
use crate::table::{TableColumn, table};
use crate::text;

/// The version of the contract.
pub const SCHEMA: &str = "lito.bisection/1";

/// Versions whose chance is at least this are listed although they were not measured.
const WORTH_A_ROW: f64 = 0.05;

/// A finished search.
#[derive(Debug, Clone, PartialEq)]
pub struct BisectionReport {
    /// The benchmark.
    pub benchmark: String,
    /// Instructions just before the change.
    pub before: f64,
    /// Instructions just after it.
    pub after: f64,
    /// The first and the last version that may hold the change, as indices: equal where it was found.
    pub found: (usize, usize),
    /// Versions that were built, the first and the last included.
    pub builds: u32,
    /// Measurements that halving takes at most, the first and the last version left out.
    pub halvings: u32,
    /// All versions, oldest first; the first is the one without the change.
    pub versions: Vec<BisectedVersion>,
    /// Changes of the version that was found that the benchmark executes, largest effect first.
    pub changes: Vec<ScoredChange>,
}

/// One version of the range.
#[derive(Debug, Clone, PartialEq)]
pub struct BisectedVersion {
    /// The commit.
    pub commit: String,
    /// The first line of its message.
    pub summary: String,
    /// The predicted probability that it moves the benchmark by half of the change; `None` for the first.
    pub predicted: Option<f64>,
    /// The probability that it holds the change, given all that was measured.
    pub chance: f64,
    /// Its instructions or why it has none, and where they are from; `None` if it was not measured.
    pub cost: Option<(Result<u64, String>, CostSource)>,
}

/// Where a cost is from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CostSource {
    /// A sample of the store.
    Stored,
    /// A run now.
    Counted,
}

impl BisectionReport {
    fn suspects(&self) -> &[BisectedVersion] {
        &self.versions[self.found.0..=self.found.1]
    }

    fn change(&self) -> f64 {
        self.after / self.before - 1.0
    }

    /// `1a2b3c4d5e made it 10.1% slower`, or which versions may have.
    fn headline(&self) -> String {
        let change = self.change();
        let by = number_format::share(change.abs());
        let effect = if change > 0.0 { "more" } else { "fewer" };
        match self.suspects() {
            [found] => format!("{} takes {by} {effect} instructions", text::short_id(&found.commit)),
            several => format!(
                "one of {} versions takes {by} {effect} instructions; those between them cannot be measured",
                several.len()
            ),
        }
    }

    /// How much was measured for it.
    fn account(&self) -> String {
        let range = number_format::counted_noun(self.versions.len() - 1, "version");
        let measured = self.versions.iter().filter(|version| version.cost.is_some()).count();
        let stored = match measured.saturating_sub(self.builds as usize) {
            0 => String::new(),
            stored => format!("; {stored} of all costs from the store"),
        };
        // Both ends are measured in any case.
        let between = measured.saturating_sub(2);
        format!(
            "{range}, {between} measured between the ends, where halving takes up to {}{stored}",
            self.halvings
        )
    }

    fn compare_command(&self) -> Option<String> {
        let [found] = self.suspects() else { return None };
        let before = &self.versions[self.found.0 - 1];
        Some(format!(
            "lito compare {} {} --bench '{}'",
            text::short_id(&before.commit),
            text::short_id(&found.commit),
            self.benchmark
        ))
    }

    /// The versions with something to say: measured, suspect, or likely by the prediction.
    fn rows(&self) -> impl Iterator<Item = (usize, &BisectedVersion)> {
        let is_suspect = |index: usize| (self.found.0..=self.found.1).contains(&index);
        (self.versions.iter().enumerate()).filter(move |(index, version)| {
            let is_likely = version.predicted.is_some_and(|chance| chance >= WORTH_A_ROW);
            version.cost.is_some() || is_suspect(*index) || is_likely
        })
    }
}

fn cost_cell(version: &BisectedVersion) -> String {
    match &version.cost {
        Some((Ok(cost), _)) => number_format::count(*cost),
        Some((Err(why), _)) => text::safe(why.lines().next().unwrap_or_default()).into_owned(),
        None => String::from("not measured"),
    }
}

/// The page.
#[must_use]
pub fn human(report: &BisectionReport, page: PageLayout) -> String {
    let style = match report.suspects() {
        [_] if report.change() > 0.0 => BAD,
        [_] => GOOD,
        _ => UNSURE,
    };
    let benchmark = text::safe(&report.benchmark).into_owned();
    let mut out = format!(
        "{}  {}\n",
        paint(STRONG, &benchmark),
        paint(style.bold(), &report.headline())
    );
    if let [found] = report.suspects() {
        out.push_str(&format!("{}\n", text::safe(&found.summary)));
    }
    out.push_str(&format!("{}\n\n", paint(FAINT, &report.account())));
    let columns = [
        TableColumn::Words("version"),
        TableColumn::Figures("predicted"),
        TableColumn::Figures("chance"),
        TableColumn::Figures("instructions"),
        TableColumn::Words("summary"),
    ];
    let rows = report.rows().map(|(index, version)| {
        let is_suspect = (report.found.0..=report.found.1).contains(&index);
        let style = if is_suspect { style } else { Style::new() };
        let chance = |chance: f64| match chance {
            0.0 => String::from("-"),
            chance => number_format::probability(chance),
        };
        vec![
            (style, text::short_id(&version.commit).into_owned()),
            (
                Style::new(),
                version.predicted.map_or_else(|| String::from("-"), chance),
            ),
            (style, chance(version.chance)),
            (Style::new(), cost_cell(version)),
            (FAINT, text::safe(&version.summary).into_owned()),
        ]
    });
    out.push_str(&table(&columns, rows.collect(), page.width));
    for (index, change) in report.changes.iter().enumerate() {
        if index == 0 {
            out.push_str(&format!("\n{}\n", paint(STRONG, "changes that it executes")));
        }
        out.push_str(&format!("  {}\n", change_line(change)));
    }
    if let Some(command) = report.compare_command() {
        out.push_str(&format!(
            "\n{} {}\n",
            paint(FAINT, "where the cost is:"),
            paint(PLACE, &text::safe(&command))
        ));
    }
    out
}

/// `src/lib.rs:12  loop added in k::work, predicted +12%`.
fn change_line(change: &ScoredChange) -> String {
    let place = format!("{}:{}", text::safe(&change.file), change.line);
    let within = change
        .function
        .as_deref()
        .map_or_else(String::new, |name| format!(" in {}", text::safe(name)));
    let predicted = change.effects.first().map_or(0.0, |effect| effect.share);
    format!(
        "{}  {}{within}, predicted {}",
        paint(PLACE, &place),
        labels::kind(change.kind),
        number_format::change(predicted)
    )
}

/// The same as markdown.
#[must_use]
pub fn markdown(report: &BisectionReport) -> String {
    let mut out = format!(
        "### {}: {}\n\n{}\n\n",
        text::markdown_code(&report.benchmark),
        text::markdown_prose(&report.headline()),
        text::markdown_prose(&report.account())
    );
    out.push_str("| version | predicted | chance | instructions | summary |\n|---|---:|---:|---:|---|\n");
    for (_, version) in report.rows() {
        out.push_str(&format!(
            "| {} | {} | {} | {} | {} |\n",
            text::markdown_code(&text::short_id(&version.commit)),
            version
                .predicted
                .map_or_else(|| String::from("-"), number_format::probability),
            number_format::probability(version.chance),
            text::markdown_prose(&cost_cell(version)),
            text::markdown_prose(&version.summary)
        ));
    }
    out
}

/// The version that moved a benchmark.
#[derive(Serialize, JsonSchema)]
pub(crate) struct BisectionDocument<'a> {
    /// [`SCHEMA`].
    schema: &'static str,
    /// The benchmark.
    benchmark: &'a str,
    /// The version that holds the change; `null` where several may.
    found: Option<&'a str>,
    /// All versions that may hold it.
    suspects: Vec<&'a str>,
    /// Instructions just before the change.
    before: f64,
    /// Instructions just after it.
    after: f64,
    /// The relative change: 0.1 is ten per cent more.
    change: f64,
    /// Versions that were built, the first and the last included.
    builds: u32,
    /// Measurements that halving takes at most between the first and the last.
    halvings: u32,
    /// The versions, oldest first; the first is without the change.
    versions: Vec<VersionEntry<'a>>,
    /// Changes of the version that was found that the benchmark executes.
    changes: &'a [ScoredChange],
}

/// One version.
#[derive(Serialize, JsonSchema)]
struct VersionEntry<'a> {
    /// The version.
    commit: &'a str,
    /// The first line of its message.
    summary: &'a str,
    /// Predicted probability that it moves the benchmark by half of the change; `null` for the first.
    predicted: Option<f64>,
    /// Probability that it holds the change, given all that was measured.
    chance: f64,
    /// Its instructions; `null` where it was not measured, or has no count.
    instructions: Option<u64>,
    /// Where the count is from; `null` where it was not measured.
    source: Option<CostSource>,
    /// Why there is no count; `null` where there is one, or it was not measured.
    failed: Option<&'a str>,
}

/// Everything as one JSON document.
#[must_use]
pub fn json(report: &BisectionReport) -> String {
    let suspects: Vec<&str> = report
        .suspects()
        .iter()
        .map(|version| version.commit.as_str())
        .collect();
    let document = BisectionDocument {
        schema: SCHEMA,
        benchmark: &report.benchmark,
        found: match suspects.as_slice() {
            [found] => Some(found),
            _ => None,
        },
        suspects,
        before: report.before,
        after: report.after,
        change: report.change(),
        builds: report.builds,
        halvings: report.halvings,
        versions: (report.versions.iter())
            .map(|version| {
                let cost = version.cost.as_ref();
                VersionEntry {
                    commit: &version.commit,
                    summary: &version.summary,
                    predicted: version.predicted,
                    chance: version.chance,
                    instructions: cost.and_then(|(cost, _)| cost.as_ref().ok().copied()),
                    source: cost.map(|(_, source)| *source),
                    failed: cost.and_then(|(cost, _)| cost.as_ref().err().map(String::as_str)),
                }
            })
            .collect(),
        changes: &report.changes,
    };
    json_document(&document)
}
