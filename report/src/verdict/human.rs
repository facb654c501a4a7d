//! A verdict → a page for a terminal: the verdict, changed benchmarks with their likely causes, inconclusive ones, and
//! the numbers of the rest.

use std::collections::BTreeSet;

use analyzer::score::BenchmarkReach;
use anstyle::Style;
use verdict::claims::{ClaimOutcome, ClaimVerdict};
use verdict::{BenchmarkOutcome, BenchmarkVerdict, Verdict, VerdictReport};

use super::blame::{BlamedChange, blamed, blamed_for};
use super::sections::VerdictSections;
use super::{claims, labels};
use crate::number_format;
use crate::score::{PageLayout, ScoreDocument, labels as score_words, reach_line};
use crate::style::{BAD, FAINT, GOOD, PLACE, STRONG, UNSURE, paint};
use crate::table::{TableColumn, table};
use crate::text;

/// Rows of one table at most.
const ROWS_SHOWN: usize = 30;

/// Names that a line lists before it only counts them.
const NAMES_SHOWN: usize = 6;

/// Changes that are named below a regression.
const BLAMED_SHOWN: usize = 3;

/// Columns of a label at the start of a line, and of the space after it.
const LABEL: usize = 13;

/// Columns that a benchmark's name in a table can count on.
const NAME_AT_LEAST: usize = 24;

/// Columns that a name takes in a list of names, where it only tells which.
const NAME_IN_LIST: usize = 40;

/// The table's columns that a narrow page goes without, in this order: the ratio says what the change says, the range
/// of a clock stands in the reason too, and that of a count is mostly exact.
const DROPPED: [usize; 2] = [6, 5];

/// The page. `score` is the prediction of the same pair of versions, if there is one.
#[must_use]
pub fn human(report: &VerdictReport, score: Option<&ScoreDocument>, page: PageLayout) -> String {
    let sections = VerdictSections::of(report);
    let blamed = blamed(report, score);
    let mut out = head(report, score.and_then(|score| score.reach.as_ref()), page);
    if !sections.worse.is_empty() {
        heading(&mut out, BAD, "worse");
        out.push_str(&moved(&sections.worse, BAD, page));
        for entry in sections.worse.iter().take(ROWS_SHOWN) {
            why(&mut out, entry, &blamed, page);
        }
    }
    if !sections.better.is_empty() {
        heading(&mut out, GOOD, "better");
        out.push_str(&moved(&sections.better, GOOD, page));
    }
    if !sections.untold.is_empty() {
        heading(&mut out, UNSURE, "inconclusive");
        for entry in sections.untold.iter().take(ROWS_SHOWN) {
            untold(&mut out, entry, page);
        }
        rest(&mut out, sections.untold.len());
    }
    if !report.claims.is_empty() {
        heading(&mut out, STRONG, "claims");
        for claim in &report.claims {
            claimed(&mut out, claim, page);
        }
    }
    if !sections.quiet.is_empty() {
        out.push('\n');
        for (outcome, names) in &sections.quiet {
            let style = if *outcome == BenchmarkOutcome::Pass {
                GOOD
            } else {
                FAINT
            };
            labelled(
                &mut out,
                style,
                labels::outcome(*outcome),
                &names_of(names, labels::meaning(*outcome)),
                page,
            );
        }
    }
    byproducts(&mut out, &sections.byproducts, page);
    out.push_str(&cost(report, page));
    out
}

/// The verdict and why; between which versions, the time it took, and how much of the change benchmarks execute.
fn head(report: &VerdictReport, reach: Option<&BenchmarkReach>, page: PageLayout) -> String {
    let style = match report.verdict {
        Verdict::Regression | Verdict::Mixed => BAD,
        Verdict::Improvement | Verdict::Pass => GOOD,
        Verdict::Inconclusive => UNSURE,
        Verdict::Skipped => FAINT,
    };
    let word = labels::verdict(report.verdict);
    let mut out = String::new();
    let indent = word.len() + 2;
    for (index, line) in text::wrapped(&text::safe(&report.reason), columns(page, indent))
        .iter()
        .enumerate()
    {
        let start = if index == 0 {
            format!("{}  ", paint(style.bold(), word))
        } else {
            " ".repeat(indent)
        };
        out.push_str(&format!("{start}{}\n", paint(STRONG, line)));
    }
    let benchmarks = report.benchmark_names();
    let versions = format!(
        "{} compared with {}: {} in {}",
        text::short_id(&report.head),
        text::short_id(&report.base),
        number_format::counted_noun(benchmarks.len(), "benchmark"),
        number_format::duration(report.cost_seconds)
    );
    out.push_str(&paint(FAINT, &text::cut_end(&versions, columns(page, 0))));
    out.push('\n');
    if let Some(reach) = reach.and_then(reach_line) {
        for line in text::wrapped(&text::safe(&reach), columns(page, 0)) {
            out.push_str(&format!("{}\n", paint(FAINT, &line)));
        }
    }
    if report.audited {
        let note = "an audit: the score would have skipped this version";
        out.push_str(&format!("{}\n", paint(FAINT, note)));
    }
    out
}

/// The table of what moved.
fn moved(entries: &[&BenchmarkVerdict], style: Style, page: PageLayout) -> String {
    let mut columns = vec![
        TableColumn::Words("benchmark"),
        TableColumn::Words("metric"),
        TableColumn::Figures("base"),
        TableColumn::Figures("head"),
        TableColumn::Figures("change"),
        TableColumn::Figures("range"),
        TableColumn::Figures("ratio"),
        TableColumn::Words("reached"),
    ];
    let mut rows: Vec<Vec<(Style, String)>> = entries.iter().take(ROWS_SHOWN).map(|entry| row(entry, style)).collect();
    for dropped in DROPPED {
        let name = widest(&rows, 0).min(NAME_AT_LEAST);
        if others(&columns, &rows) + name <= page.width.unwrap_or(usize::MAX) {
            break;
        }
        columns.remove(dropped);
        for row in &mut rows {
            row.remove(dropped);
        }
    }
    let left = page.width.map_or(usize::MAX, |width| {
        width.saturating_sub(others(&columns, &rows)).max(NAME_AT_LEAST)
    });
    for row in &mut rows {
        row[0].1 = text::cut_start(&row[0].1, left).into_owned();
    }
    let mut out = table(&columns, rows, page.width);
    rest(&mut out, entries.len());
    if entries.iter().any(|entry| !entry.gating) {
        let note = "* for comparison, not part of the verdict";
        out.push_str(&format!("{}\n", paint(FAINT, note)));
    }
    out
}

fn row(entry: &BenchmarkVerdict, style: Style) -> Vec<(Style, String)> {
    let (main, moved, aside) = if entry.gating {
        (Style::new(), style, "")
    } else {
        (FAINT, FAINT, " *")
    };
    let reached = if entry.reachable == Some(false) { UNSURE } else { FAINT };
    vec![
        (main, text::safe(&entry.name).into_owned()),
        (main, format!("{}{aside}", entry.metric)),
        (FAINT, labels::value(entry.metric, entry.base)),
        (main, labels::value(entry.metric, entry.head)),
        (moved, labels::change(entry)),
        (FAINT, labels::range(entry)),
        (main, labels::ratio(entry)),
        (reached, labels::reachable(entry.reachable).to_owned()),
    ]
}

/// Columns of the page that all but the first column of the table take.
fn others(columns: &[TableColumn], rows: &[Vec<(Style, String)>]) -> usize {
    (1..columns.len())
        .map(|index| {
            let (TableColumn::Words(heading) | TableColumn::Figures(heading)) = columns[index];
            2 + widest(rows, index).max(text::width(heading))
        })
        .sum()
}

fn widest(rows: &[Vec<(Style, String)>], column: usize) -> usize {
    rows.iter()
        .map(|row| text::width(&row[column].1))
        .max()
        .unwrap_or_default()
}

/// Below the table: by what rule the entry is a regression, whether the changed code can be why, and which.
fn why(out: &mut String, entry: &BenchmarkVerdict, blamed: &[BlamedChange<'_>], page: PageLayout) {
    if !entry.gating {
        return;
    }
    out.push('\n');
    let name = text::safe(&entry.name);
    out.push_str(&format!("  {}\n", text::cut_start(&name, columns(page, 2))));
    indented(out, FAINT, &text::safe(&entry.reason), page);
    if let Some(evidence) = &entry.evidence {
        let (style, prefix) = match entry.reachable {
            Some(false) => (UNSURE, "not reached by what changed: "),
            Some(true) => (Style::new(), "reached: "),
            None => (FAINT, ""),
        };
        indented(out, style, &format!("{prefix}{}", text::safe(evidence)), page);
    }
    let changes = blamed_for(&entry.name, blamed);
    for (change, effect) in changes.iter().take(BLAMED_SHOWN) {
        let place = score_words::place(change);
        let place = text::cut_start(&place, columns(page, 4)).into_owned();
        let callee = change
            .callee
            .as_deref()
            .map(|callee| format!(" {}", text::safe(callee)));
        let what = format!(
            "{}{}, predicted {}",
            score_words::kind(change.kind),
            callee.unwrap_or_default(),
            number_format::change(effect.share)
        );
        let left = columns(page, 4 + text::width(&place) + 2);
        if left < text::width(&what) {
            out.push_str(&format!("    {}\n", paint(PLACE, &place)));
            indented(out, Style::new(), &what, page);
        } else {
            out.push_str(&format!("    {}  {what}\n", paint(PLACE, &place)));
        }
    }
    if changes.len() > BLAMED_SHOWN {
        let more = format!(
            "and {} with an effect on it",
            number_format::counted_noun(changes.len() - BLAMED_SHOWN, "more change")
        );
        indented(out, FAINT, &more, page);
    }
}

fn untold(out: &mut String, entry: &BenchmarkVerdict, page: PageLayout) {
    let aside = if entry.gating { "" } else { " *" };
    let metric = format!("{}{aside}", entry.metric);
    let meaning = format!(": {}", labels::meaning(entry.verdict));
    let left = columns(page, 3 + text::width(&metric) + text::width(&meaning));
    let name = text::safe(&entry.name);
    let name = text::cut_start(&name, left);
    out.push_str(&format!("  {name} {}{meaning}\n", paint(FAINT, &metric)));
    indented(out, FAINT, &text::safe(&entry.reason), page);
    if entry.retries > 0 {
        let retries = format!(
            "tried again {}",
            number_format::counted_noun(entry.retries as usize, "time")
        );
        indented(out, FAINT, &retries, page);
    }
}

/// A claim, its answer and the reason.
fn claimed(out: &mut String, claim: &ClaimVerdict, page: PageLayout) {
    let style = match claim.outcome {
        ClaimOutcome::Confirmed => GOOD,
        ClaimOutcome::Refuted => BAD,
        ClaimOutcome::CannotBeTold | ClaimOutcome::Malformed => UNSURE,
    };
    let answer = claims::outcome(claim.outcome);
    let left = columns(page, 4 + text::width(answer));
    let shown = text::safe(&claim.claim);
    out.push_str(&format!(
        "  {}: {}\n",
        text::cut_end(&shown, left),
        paint(style, answer)
    ));
    indented(out, FAINT, &text::safe(&claim.reason), page);
}

/// `3 compiled to the same machine code, not run: a, b, c`.
fn names_of(names: &BTreeSet<&str>, meaning: &str) -> String {
    let shown: Vec<_> = names
        .iter()
        .take(NAMES_SHOWN)
        .map(|name| text::cut_start(&text::safe(name), NAME_IN_LIST).into_owned())
        .collect();
    let more = if names.len() > NAMES_SHOWN {
        format!(" and {} more", names.len() - NAMES_SHOWN)
    } else {
        String::new()
    };
    format!("{} {meaning}: {}{more}", names.len(), shown.join(", "))
}

/// Sizes and build times that changed and decide nothing.
fn byproducts(out: &mut String, entries: &[&BenchmarkVerdict], page: PageLayout) {
    if entries.is_empty() {
        return;
    }
    let told = entries.iter().take(NAMES_SHOWN).map(|entry| {
        let name = text::safe(&entry.name);
        labels::byproduct(entry, &text::cut_start(&name, NAME_IN_LIST))
    });
    let mut line = told.collect::<Vec<_>>().join("; ");
    if entries.len() > NAMES_SHOWN {
        line.push_str(&format!(" and {} more", entries.len() - NAMES_SHOWN));
    }
    out.push('\n');
    labelled(out, FAINT, "besides", &format!("not part of the verdict: {line}"), page);
}

/// The stages with what they cost, the audits, the environment.
fn cost(report: &VerdictReport, page: PageLayout) -> String {
    let mut out = String::new();
    if !report.stages.is_empty() {
        out.push('\n');
        let columns = [
            TableColumn::Words("stage"),
            TableColumn::Figures("benchmarks"),
            TableColumn::Figures("left"),
            TableColumn::Figures("time"),
        ];
        let rows = report.stages.iter().map(|stage| {
            vec![
                (Style::new(), labels::stage(stage.name).to_owned()),
                (Style::new(), stage.benchmarks.to_string()),
                (Style::new(), stage.selected.to_string()),
                (FAINT, number_format::duration(stage.seconds)),
            ]
        });
        out.push_str(&table(&columns, rows.collect(), page.width));
    }
    if report.spent.is_some() || report.audit.is_some() || !report.environment.is_empty() {
        out.push('\n');
    }
    if let Some(time) = &report.spent {
        labelled(&mut out, FAINT, "cost", &super::spent::spent(time), page);
    }
    if let Some(audit) = &report.audit {
        labelled(&mut out, FAINT, "audit", &labels::audit(audit), page);
    }
    if !report.environment.is_empty() {
        labelled(&mut out, FAINT, "environment", &labels::environment(report), page);
    }
    out
}

fn heading(out: &mut String, style: Style, heading: &str) {
    out.push_str(&format!("\n{}\n", paint(style.bold(), heading)));
}

fn labelled(out: &mut String, style: Style, label: &str, value: &str, page: PageLayout) {
    for (index, line) in text::wrapped(value, columns(page, LABEL)).iter().enumerate() {
        let label = if index == 0 { label } else { "" };
        out.push_str(&format!("{style}{label:11}{style:#}  {line}\n"));
    }
}

fn indented(out: &mut String, style: Style, value: &str, page: PageLayout) {
    for line in text::wrapped(value, columns(page, 4)) {
        out.push_str(&format!("    {}\n", paint(style, &line)));
    }
}

fn rest(out: &mut String, listed: usize) {
    if listed > ROWS_SHOWN {
        let more = format!("and {} more; `--format json` has them all\n", listed - ROWS_SHOWN);
        out.push_str(&paint(FAINT, &more));
    }
}

/// Columns left beside an indent.
fn columns(page: PageLayout, indent: usize) -> usize {
    page.width
        .map_or(usize::MAX, |width| width.saturating_sub(indent).max(20))
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{byproducts, hostile, report, score};
    use super::*;

    /// Without escape sequences.
    fn plain(styled: &str) -> String {
        let mut parts = styled.split('\x1b');
        let mut plain = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            plain.push_str(part.split_once('m').map_or(part, |(_, rest)| rest));
        }
        plain
    }

    #[test]
    fn a_page_says_what_moved_why_and_what_it_cost() {
        let page = human(&report(), Some(&score()), PageLayout { width: Some(100) });
        insta::assert_snapshot!(plain(&page));
    }

    #[test]
    fn lines_fit_the_page() {
        let mut report = report();
        for entry in &mut report.benchmarks {
            entry.name = "group/".repeat(20) + &entry.name;
        }
        for width in [80, 100, 140] {
            let page = plain(&human(&report, Some(&score()), PageLayout { width: Some(width) }));
            assert!(page.lines().all(|line| text::width(line) <= width), "{page}");
            assert!(page.lines().all(|line| line.trim_end() == line), "{page}");
        }
    }

    #[test]
    fn the_verdict_is_the_first_word() {
        for verdict in [Verdict::Pass, Verdict::Skipped, Verdict::Inconclusive] {
            let mut report = report();
            report.verdict = verdict;
            report.benchmarks.clear();
            report.stages.clear();
            report.environment.clear();
            report.audit = None;
            let page = plain(&human(&report, None, PageLayout { width: None }));
            assert!(page.starts_with(labels::verdict(verdict)), "{page}");
            assert_eq!(page.lines().count(), 2);
        }
    }

    #[test]
    fn sizes_and_build_times_that_nobody_asked_for_take_one_line() {
        let mut report = report();
        let page = |report: &VerdictReport| plain(&human(report, None, PageLayout { width: None }));
        let without = page(&report);
        report.benchmarks.extend(byproducts());
        let with = page(&report);
        let lines: Vec<&str> = with.lines().filter(|line| !without.contains(line)).collect();
        assert_eq!(
            lines,
            [
                "besides      not part of the verdict: build time 20 s → 30 s (+50.0%, one build of each); \
              binary size of speed 412 kB → 433 kB (+5.0%)"
            ]
        );
        assert_eq!(with.lines().count(), without.lines().count() + 2);
    }

    #[test]
    fn names_do_not_reach_the_terminal_as_they_are() {
        let (report, score) = hostile();
        for width in [None, Some(60)] {
            let page = plain(&human(&report, Some(&score), PageLayout { width }));
            let hostile = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
            assert!(!page.chars().any(hostile), "{page:?}");
        }
    }

    #[test]
    fn what_is_only_for_comparison_says_so() {
        let page = plain(&human(&report(), None, PageLayout { width: Some(100) }));
        assert!(page.contains("wall time *"), "{page}");
        assert!(page.contains("* for comparison, not part of the verdict"), "{page}");
    }
}
