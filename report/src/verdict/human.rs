//! A verdict into a page for a terminal: the verdict, what moved with what it may come from, what can't be told, and
//! the rest by its numbers.

use std::collections::BTreeSet;

use analyzer::score::VersionScore;
use anstyle::Style;
use profile::verdict::{BenchmarkVerdict, Outcome, Report, Verdict};

use super::blame::{Blamed, blamed, blamed_for};
use super::sections::Sections;
use super::words;
use crate::number;
use crate::score::{Page, words as score_words};
use crate::style::{BAD, FAINT, GOOD, PLACE, STRONG, UNSURE, paint};
use crate::table::{Column, table};
use crate::text;

/// Rows of one table at most.
const ROWS_SHOWN: usize = 30;

/// Names that a line lists before it only counts them.
const NAMES_SHOWN: usize = 6;

/// Changes that are named below a regression.
const BLAMED_SHOWN: usize = 3;

/// Columns of a label at the start of a line, and of the space after it.
const LABEL: usize = 13;

/// Columns of a benchmark's name in a table, however long it is.
const NAME_AT_MOST: usize = 40;

/// The page. `score` is the prediction of the same pair of versions, if there is one.
#[must_use]
pub fn human(report: &Report, score: Option<&VersionScore>, page: Page) -> String {
    let sections = Sections::of(report);
    let blamed = blamed(report, score);
    let mut out = head(report, page);
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
        heading(&mut out, UNSURE, "not told");
        for entry in sections.untold.iter().take(ROWS_SHOWN) {
            untold(&mut out, entry, page);
        }
        rest(&mut out, sections.untold.len());
    }
    if !sections.quiet.is_empty() {
        out.push('\n');
        for (outcome, names) in &sections.quiet {
            let style = if *outcome == Outcome::Pass {
                GOOD
            } else {
                FAINT
            };
            labelled(
                &mut out,
                style,
                words::outcome(*outcome),
                &names_of(names, words::meaning(*outcome)),
                page,
            );
        }
    }
    out.push_str(&cost(report, page));
    out
}

/// The verdict and why; between which versions, and the time it took.
fn head(report: &Report, page: Page) -> String {
    let style = match report.verdict {
        Verdict::Regression | Verdict::Mixed => BAD,
        Verdict::Improvement | Verdict::Pass => GOOD,
        Verdict::Inconclusive => UNSURE,
        Verdict::Skipped => FAINT,
    };
    let word = words::verdict(report.verdict);
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
    let benchmarks: BTreeSet<&str> = report.benchmarks.iter().map(|b| b.name.as_str()).collect();
    let versions = format!(
        "{} compared with {}: {} in {}",
        text::short_id(&report.head),
        text::short_id(&report.base),
        number::of(benchmarks.len(), "benchmark"),
        number::duration(report.cost_seconds)
    );
    out.push_str(&paint(FAINT, &text::cut_end(&versions, columns(page, 0))));
    out.push('\n');
    if report.audited {
        out.push_str(&paint(
            FAINT,
            "an audit: the score would have skipped this version\n",
        ));
    }
    out
}

/// The table of what moved.
fn moved(entries: &[&BenchmarkVerdict], style: Style, page: Page) -> String {
    let columns = [
        Column::Words("benchmark"),
        Column::Words("metric"),
        Column::Figures("base"),
        Column::Figures("head"),
        Column::Figures("change"),
        Column::Figures("range"),
        Column::Figures("ratio"),
        Column::Words("reached"),
    ];
    let rows = entries.iter().take(ROWS_SHOWN).map(|entry| {
        let main = if entry.gating { Style::new() } else { FAINT };
        let aside = if entry.gating { "" } else { " *" };
        vec![
            (
                main,
                text::cut_start(&text::safe(&entry.name), NAME_AT_MOST).into_owned(),
            ),
            (main, format!("{}{aside}", entry.metric)),
            (FAINT, words::value(entry.metric, entry.base)),
            (main, words::value(entry.metric, entry.head)),
            (
                if entry.gating { style } else { FAINT },
                words::change(entry),
            ),
            (FAINT, words::range(entry)),
            (main, words::ratio(entry)),
            (
                if entry.reachable == Some(false) {
                    UNSURE
                } else {
                    FAINT
                },
                words::reachable(entry.reachable).to_owned(),
            ),
        ]
    });
    let mut out = table(&columns, rows.collect(), page.width);
    rest(&mut out, entries.len());
    if entries.iter().any(|entry| !entry.gating) {
        out.push_str(&paint(FAINT, "* for comparison, not part of the verdict\n"));
    }
    out
}

/// Below the table: by what rule the entry is a regression, whether the changed code can be why, and which.
fn why(out: &mut String, entry: &BenchmarkVerdict, blamed: &[Blamed<'_>], page: Page) {
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
        indented(
            out,
            style,
            &format!("{prefix}{}", text::safe(evidence)),
            page,
        );
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
            number::change(effect.share)
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
            number::of(changes.len() - BLAMED_SHOWN, "more change")
        );
        indented(out, FAINT, &more, page);
    }
}

fn untold(out: &mut String, entry: &BenchmarkVerdict, page: Page) {
    let aside = if entry.gating { "" } else { " *" };
    let line = format!(
        "{} {}{aside}: {}",
        text::safe(&entry.name),
        paint(FAINT, &entry.metric.to_string()),
        words::meaning(entry.verdict)
    );
    out.push_str(&format!("  {line}\n"));
    indented(out, FAINT, &text::safe(&entry.reason), page);
    if entry.retries > 0 {
        let retries = format!("tried again {}", number::of(entry.retries as usize, "time"));
        indented(out, FAINT, &retries, page);
    }
}

/// `3 compiled to the same machine code, not run: a, b, c`.
fn names_of(names: &BTreeSet<&str>, meaning: &str) -> String {
    let shown: Vec<_> = names
        .iter()
        .take(NAMES_SHOWN)
        .map(|name| text::safe(name))
        .collect();
    let more = if names.len() > NAMES_SHOWN {
        format!(" and {} more", names.len() - NAMES_SHOWN)
    } else {
        String::new()
    };
    format!("{} {meaning}: {}{more}", names.len(), shown.join(", "))
}

/// The stages with what they cost, the audits, the environment.
fn cost(report: &Report, page: Page) -> String {
    let mut out = String::new();
    if !report.stages.is_empty() {
        out.push('\n');
        let columns = [
            Column::Words("stage"),
            Column::Figures("benchmarks"),
            Column::Figures("left"),
            Column::Figures("time"),
        ];
        let rows = report.stages.iter().map(|stage| {
            vec![
                (Style::new(), words::stage(stage.name).to_owned()),
                (Style::new(), stage.benchmarks.to_string()),
                (Style::new(), stage.selected.to_string()),
                (FAINT, number::duration(stage.seconds)),
            ]
        });
        out.push_str(&table(&columns, rows.collect(), page.width));
    }
    if report.audit.is_some() || !report.environment.is_empty() {
        out.push('\n');
    }
    if let Some(audit) = &report.audit {
        labelled(&mut out, FAINT, "audit", &words::audit(audit), page);
    }
    if !report.environment.is_empty() {
        labelled(
            &mut out,
            FAINT,
            "environment",
            &words::environment(report),
            page,
        );
    }
    out
}

fn heading(out: &mut String, style: Style, heading: &str) {
    out.push_str(&format!("\n{}\n", paint(style.bold(), heading)));
}

fn labelled(out: &mut String, style: Style, label: &str, value: &str, page: Page) {
    for (index, line) in text::wrapped(value, columns(page, LABEL))
        .iter()
        .enumerate()
    {
        let label = if index == 0 { label } else { "" };
        out.push_str(&format!("{style}{label:11}{style:#}  {line}\n"));
    }
}

fn indented(out: &mut String, style: Style, value: &str, page: Page) {
    for line in text::wrapped(value, columns(page, 4)) {
        out.push_str(&format!("    {}\n", paint(style, &line)));
    }
}

fn rest(out: &mut String, listed: usize) {
    if listed > ROWS_SHOWN {
        let more = format!(
            "and {} more; `--format json` has them all\n",
            listed - ROWS_SHOWN
        );
        out.push_str(&paint(FAINT, &more));
    }
}

/// What a page leaves beside an indent.
fn columns(page: Page, indent: usize) -> usize {
    page.width
        .map_or(usize::MAX, |width| width.saturating_sub(indent).max(20))
}

#[cfg(test)]
mod tests {
    use super::super::sample::{hostile, report, score};
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
        let page = human(&report(), Some(&score()), Page { width: Some(100) });
        insta::assert_snapshot!(plain(&page));
    }

    #[test]
    fn lines_fit_the_page() {
        for width in [80, 100, 140] {
            let page = plain(&human(
                &report(),
                Some(&score()),
                Page { width: Some(width) },
            ));
            assert!(
                page.lines().all(|line| text::width(line) <= width),
                "{page}"
            );
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
            let page = plain(&human(&report, None, Page { width: None }));
            assert!(page.starts_with(words::verdict(verdict)), "{page}");
            assert_eq!(page.lines().count(), 2);
        }
    }

    #[test]
    fn names_do_not_reach_the_terminal_as_they_are() {
        let (report, score) = hostile();
        for width in [None, Some(60)] {
            let page = plain(&human(&report, Some(&score), Page { width }));
            let hostile = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
            assert!(!page.chars().any(hostile), "{page:?}");
        }
    }

    #[test]
    fn what_is_only_for_comparison_says_so() {
        let page = plain(&human(&report(), None, Page { width: Some(100) }));
        assert!(page.contains("wall time *"), "{page}");
        assert!(
            page.contains("* for comparison, not part of the verdict"),
            "{page}"
        );
    }
}
