//! A version's predictions → the changes that add up to them, for each benchmark in order of contribution: place,
//! change, evidence for the callee, executions × unit cost, share.

use analyzer::score::{BenchmarkEffect, BenchmarkPrediction, ScoredChange, VersionScore};

use super::human::{PageLayout, change_style};
use super::labels;
use crate::number_format;
use crate::style::{FAINT, PLACE, STRONG, paint};
use crate::text;

/// The most changes of one benchmark that are listed; the rest is only counted.
const CHANGES_SHOWN: usize = 20;

/// Columns of the share before each change, and the space after it.
const SHARE: usize = 10;

/// The explanation of one version: a paragraph for each benchmark that a change reaches, then the changes that reach
/// none.
#[must_use]
pub fn explanation(version: &VersionScore, page: PageLayout) -> String {
    let mut out = String::new();
    for benchmark in &version.benchmarks {
        out.push_str(&of_benchmark(version, benchmark, page));
    }
    let unreached: Vec<&ScoredChange> = version
        .changes
        .iter()
        .filter(|change| change.effects.is_empty())
        .collect();
    if !unreached.is_empty() {
        let heading = if version.benchmarks.is_empty() {
            "changes"
        } else {
            "changes that no benchmark reaches"
        };
        out.push_str(&format!("\n{}\n", paint(STRONG, heading)));
        for change in unreached.iter().take(CHANGES_SHOWN) {
            entry(&mut out, "", change, page);
        }
        rest(&mut out, unreached.len());
    }
    out
}

fn of_benchmark(version: &VersionScore, benchmark: &BenchmarkPrediction, page: PageLayout) -> String {
    let mut effects: Vec<(&ScoredChange, &BenchmarkEffect)> = version
        .changes
        .iter()
        .flat_map(|change| change.effects.iter().map(move |effect| (change, effect)))
        .filter(|(_, effect)| effect.benchmark == benchmark.name)
        .collect();
    effects.sort_by(|(_, a), (_, b)| b.cost.abs().total_cmp(&a.cost.abs()));
    let mut out = format!(
        "\n{}  {} predicted ({} to {}), risk {}: {}\n",
        paint(STRONG, &text::safe(&benchmark.name)),
        paint(
            change_style(benchmark.predicted, benchmark.selected),
            &number_format::change(benchmark.predicted)
        ),
        number_format::change(benchmark.low),
        number_format::change(benchmark.high),
        number_format::probability(benchmark.probability),
        if benchmark.selected { "run" } else { "skip" },
    );
    if effects.is_empty() {
        out.push_str(&paint(FAINT, "  no change reaches code that it executes\n"));
    }
    for (change, effect) in effects.iter().take(CHANGES_SHOWN) {
        entry(&mut out, &number_format::change(effect.share), change, page);
        let range = if effect.low == effect.high {
            String::new()
        } else {
            format!(
                " ({} to {})",
                number_format::change(effect.low),
                number_format::change(effect.high)
            )
        };
        indented(
            &mut out,
            &paint(
                FAINT,
                &format!(
                    "{} executions × {} = {}{range}",
                    number_format::count(effect.executions),
                    number_format::cost(effect.unit_cost),
                    number_format::cost(effect.cost)
                ),
            ),
        );
    }
    rest(&mut out, effects.len());
    out
}

/// Two lines: the share and the place, then the change.
fn entry(out: &mut String, share: &str, change: &ScoredChange, page: PageLayout) {
    let columns = page
        .width
        .map_or(usize::MAX, |width| width.saturating_sub(SHARE).max(20));
    let place = labels::place(change);
    let place = text::cut_start(&place, columns);
    let left = columns.saturating_sub(text::width(&place) + 2);
    let function = change.function.as_deref().map(text::safe).unwrap_or_default();
    out.push_str(&format!("{share:>8}  {}", paint(PLACE, &place)));
    if left < 12 && !function.is_empty() {
        out.push('\n');
        indented(out, &text::cut_start(&function, columns));
    } else {
        out.push_str(&format!("  {}", text::cut_start(&function, left)));
        out.truncate(out.trim_end().len());
        out.push('\n');
    }
    let kind = labels::kind(change.kind);
    let mut what = match &change.callee {
        Some(callee) => format!("{kind}: {}", text::safe(callee)),
        None => kind.to_owned(),
    };
    if let Some(evidence) = change.resolved_by {
        let how = format!(" ({})", labels::evidence(evidence));
        what = text::cut_end(&what, columns.saturating_sub(text::width(&how))).into_owned() + &how;
    }
    indented(out, &what);
}

fn indented(out: &mut String, line: &str) {
    out.push_str(&" ".repeat(SHARE));
    out.push_str(line);
    out.push('\n');
}

fn rest(out: &mut String, listed: usize) {
    if listed > CHANGES_SHOWN {
        indented(out, &paint(FAINT, &format!("and {} more", listed - CHANGES_SHOWN)));
    }
}

#[cfg(test)]
mod tests {
    use super::super::human::tests::{plain, slower};
    use super::*;

    #[test]
    fn each_number_can_be_traced() {
        let page = plain(&explanation(&slower(), PageLayout { width: Some(80) }));
        let expected = "
parse/large  +12.3% predicted (+2.0% to +31.0%), risk 87%: run
  +12.3%  src/x.rs:120  krate::parse
          call added: krate::check (profiled at this call)
          120 k executions × 35.2 = 4.22 M (+2.0% to +31.0%)
";
        assert_eq!(page, expected);
    }

    #[test]
    fn the_costliest_change_comes_first() {
        let mut version = slower();
        let mut small = version.changes[0].clone();
        small.effects[0].cost = -9_000_000.0;
        small.file = String::from("src/saving.rs");
        version.changes.push(small);
        let page = plain(&explanation(&version, PageLayout { width: None }));
        assert!(page.find("src/saving.rs") < page.find("src/x.rs"), "{page}");
    }

    #[test]
    fn changes_without_an_effect_are_listed_apart() {
        let mut version = slower();
        version.changes[0].effects.clear();
        let page = plain(&explanation(&version, PageLayout { width: None }));
        assert!(page.contains("no change reaches code that it executes"), "{page}");
        assert!(
            page.contains("changes that no benchmark reaches\n          src/x.rs:120  krate::parse\n"),
            "{page}"
        );
    }

    #[test]
    fn long_names_stay_on_the_page() {
        let mut version = slower();
        version.changes[0].function = Some("module::".repeat(30) + "end");
        version.changes[0].file = "folder/".repeat(8) + "x.rs";
        version.changes[0].callee = Some("callee::".repeat(30) + "end");
        let page = plain(&explanation(&version, PageLayout { width: Some(80) }));
        assert!(page.lines().all(|line| text::width(line) <= 80), "{page}");
    }
}
