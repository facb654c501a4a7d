//! A version's predictions → the changes that add up to them, for each benchmark in order of contribution: place,
//! change, evidence for the callee, executions × unit cost, share.

use analyzer::cost::CostTerm;
use std::collections::BTreeSet;

use analyzer::change::{InputDependents, TellingNames};
use analyzer::score::{BenchmarkEffect, BenchmarkPrediction, ScoredChange, VersionScore};

use super::human::{PageLayout, change_style};
use super::labels;
use crate::number_format;
use crate::style::{FAINT, PLACE, STRONG, paint};
use crate::text;

/// The most changes of one benchmark that are listed; the rest is only counted.
const CHANGES_SHOWN: usize = 20;

/// Names that are listed of those that depend on a file.
const NAMES_SHOWN: usize = 3;

/// Digits of a sample's commit.
const COMMIT_SHOWN: usize = 10;

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
            entry(&mut out, ("", None), change, page);
        }
        rest(&mut out, unreached.len());
    }
    out.push_str(&unused_files(version, page));
    out
}

/// The changed files that the sample's records rule out.
fn unused_files(version: &VersionScore, page: PageLayout) -> String {
    let (Some(sample), false) = (&version.sample, version.unused.is_empty()) else {
        return String::new();
    };
    let sample = sample.commit.get(..COMMIT_SHOWN).unwrap_or(&sample.commit);
    let heading = format!("no input of any benchmark (recorded at {sample})");
    let mut out = format!("\n{}\n", paint(STRONG, &heading));
    for file in version.unused.iter().take(CHANGES_SHOWN) {
        let columns = page
            .width
            .map_or(usize::MAX, |width| width.saturating_sub(SHARE).max(20));
        indented(&mut out, &text::cut_start(&text::safe(file), columns));
    }
    rest(&mut out, version.unused.len());
    out
}

/// Who depends on a changed file, by the records: first the benchmark that is explained.
fn dependents(input: &InputDependents, benchmark: Option<&str>) -> String {
    let is_read_here = benchmark.is_some_and(|benchmark| input.read_by.contains(benchmark));
    let named = |names: &BTreeSet<String>| {
        let mut shown: Vec<String> = names
            .iter()
            .take(NAMES_SHOWN)
            .map(|name| text::safe(name).into_owned())
            .collect();
        if names.len() > NAMES_SHOWN {
            shown.push(format!("{} more", names.len() - NAMES_SHOWN));
        }
        shown.join(", ")
    };
    let telling = benchmark.and_then(|benchmark| input.told_by.get(benchmark));
    match benchmark {
        Some(benchmark) if is_read_here => match telling {
            Some(TellingNames { names, values_of, read }) => {
                let all = names.iter().chain(values_of).chain(read).cloned().collect();
                format!("loaded by {}; code asks for {}", text::safe(benchmark), named(&all))
            }
            None => format!("read at run time by {}", text::safe(benchmark)),
        },
        // A command of the user builds no package that is known.
        Some(_) | None if input.compiled_into.contains("") => "read by the command that builds".to_owned(),
        Some(_) | None if !input.compiled_into.is_empty() => format!("compiled into {}", named(&input.compiled_into)),
        Some(_) | None => format!("read at run time by {}", named(&input.read_by)),
    }
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
        entry(
            &mut out,
            (&number_format::change(effect.share), Some(&benchmark.name)),
            change,
            page,
        );
        for line in calculation(effect) {
            indented(&mut out, &paint(FAINT, &line));
        }
    }
    if let Some(hidden) = effects.get(CHANGES_SHOWN..).filter(|hidden| !hidden.is_empty()) {
        let share: f64 = hidden.iter().map(|(_, effect)| effect.share).sum();
        let more = format!("and {} more, together {}", hidden.len(), number_format::change(share));
        indented(&mut out, &paint(FAINT, &more));
    }
    let sum: f64 = effects.iter().map(|(_, effect)| effect.share).sum();
    if sum < benchmark.predicted - NOTICEABLE {
        let limit = format!(
            "together {}, of which {} counts: no benchmark can save more than it costs",
            number_format::change(sum),
            number_format::change(benchmark.predicted)
        );
        indented(&mut out, &paint(FAINT, &limit));
    }
    out
}

/// A difference of shares that is more than what rounding leaves.
const NOTICEABLE: f64 = 0.0005;

/// The most products of one change that are written out; the rest is told by its sum.
const TERMS_SHOWN: usize = 4;

/// The products that a change's cost is the sum of, one a line, then the sum and its bounds.
fn calculation(effect: &BenchmarkEffect) -> Vec<String> {
    let range = match effect.low == effect.high {
        true => String::new(),
        false => format!(
            " ({} to {})",
            number_format::change(effect.low),
            number_format::change(effect.high)
        ),
    };
    let product = |term: &CostTerm| {
        let sign = if term.executions < 0.0 { "-" } else { "" };
        let executions = number_format::count(term.executions.abs().round() as u64);
        let noun = if executions == "1" { "execution" } else { "executions" };
        let believed = match term.believed < 1.0 {
            true => format!(" × {} believed", number_format::share(term.believed)),
            false => String::new(),
        };
        format!(
            "{sign}{executions} {noun} × {}{believed} = {}",
            number_format::cost(term.unit_cost),
            number_format::cost(term.cost())
        )
    };
    match effect.terms.as_slice() {
        [] => vec![format!("no price, only bounds{range}")],
        [term] => vec![product(term) + &range],
        terms => {
            let (shown, hidden) = terms.split_at(terms.len().min(TERMS_SHOWN));
            let mut lines: Vec<String> = shown.iter().map(product).collect();
            if !hidden.is_empty() {
                let cost: f64 = hidden.iter().map(CostTerm::cost).sum();
                let cost = number_format::cost(cost);
                lines.push(format!(
                    "{} like these = {cost}",
                    number_format::counted_noun(hidden.len(), "more term")
                ));
            }
            lines.push(format!("together {}{range}", number_format::cost(effect.cost)));
            lines
        }
    }
}

/// Two lines: the share and the place, then the change.
fn entry(out: &mut String, (share, benchmark): (&str, Option<&str>), change: &ScoredChange, page: PageLayout) {
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
    let mut what = match (&change.callee, &change.input_of) {
        (Some(callee), _) => format!("{kind}: {}", text::safe(callee)),
        (None, Some(input)) => dependents(input, benchmark),
        (None, None) if change.is_of_read_file() => "file that a benchmark may read: no sample recorded it".to_owned(),
        (None, None) => kind.to_owned(),
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
    fn a_file_is_explained_by_who_depends_on_it() {
        let mut version = slower();
        let change = &mut version.changes[0];
        (change.callee, change.resolved_by, change.function) = (None, None, None);
        change.file = String::from("data/a.txt");
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        change.input_of = Some(InputDependents {
            read_by: names(&["parse/large", "parse/small"]),
            compiled_into: names(&["krate"]),
            ..InputDependents::default()
        });
        version.unused = vec![String::from("examples/show.rs")];
        let page = plain(&explanation(&version, PageLayout { width: None }));
        assert!(page.contains("          read at run time by parse/large\n"), "{page}");
        let mut loaded = version.clone();
        let input = loaded.changes[0].input_of.as_mut().expect("it was set");
        let telling = TellingNames {
            names: names(&["LIMIT"]),
            values_of: names(&["Reader"]),
            ..TellingNames::default()
        };
        input.told_by = [("parse/large".to_owned(), telling)].into();
        let page_of_loaded = plain(&explanation(&loaded, PageLayout { width: None }));
        let expected = "          loaded by parse/large; code asks for LIMIT, Reader\n";
        assert!(page_of_loaded.contains(expected), "{page_of_loaded}");
        assert!(
            page.ends_with("\nno input of any benchmark (recorded at cccccccccc)\n          examples/show.rs\n"),
            "{page}"
        );
        version.changes[0]
            .input_of
            .as_mut()
            .expect("it was set")
            .read_by
            .clear();
        let page = plain(&explanation(&version, PageLayout { width: None }));
        assert!(page.contains("          compiled into krate\n"), "{page}");
    }

    #[test]
    fn a_swap_shows_the_new_and_the_old_price_and_a_discount_by_itself() {
        let term = |executions, unit_cost, believed| CostTerm {
            executions,
            unit_cost,
            believed,
        };
        let mut version = slower();
        let effect = &mut version.changes[0].effects[0];
        effect.terms = vec![term(1_000.0, 42.0, 0.31), term(-10.0, 35.0, 1.0)];
        effect.cost = effect.terms.iter().map(CostTerm::cost).sum();
        let page = plain(&explanation(&version, PageLayout { width: None }));
        let expected = "
          1.00 k executions × 42 × 31% believed = 13.0 k
          -10 executions × 35 = -350
          together 12.7 k (+2.0% to +31.0%)
";
        assert!(page.contains(expected), "{page}");
    }

    #[test]
    fn a_change_that_only_has_bounds_says_so() {
        let mut version = slower();
        version.changes[0].effects[0].terms.clear();
        let page = plain(&explanation(&version, PageLayout { width: None }));
        assert!(
            page.contains("          no price, only bounds (+2.0% to +31.0%)\n"),
            "{page}"
        );
    }

    #[test]
    fn what_is_listed_adds_up_to_what_is_predicted() {
        let mut version = slower();
        let change = version.changes[0].clone();
        version.changes = vec![change; CHANGES_SHOWN + 3];
        let page = plain(&explanation(&version, PageLayout { width: None }));
        assert!(page.contains("          and 3 more, together +36.9%\n"), "{page}");
        for change in &mut version.changes {
            change.effects[0].share = -0.123;
        }
        version.benchmarks[0].predicted = -1.0;
        let page = plain(&explanation(&version, PageLayout { width: None }));
        let limit = "together -283%, of which -100% counts: no benchmark can save more than it costs";
        assert!(page.contains(limit), "{page}");
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
