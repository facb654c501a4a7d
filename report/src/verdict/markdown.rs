//! The parts of a verdict in markdown: changed and inconclusive benchmarks, reasons, stages. `github` puts pages
//! together.

use verdict::{Acknowledgement, BenchmarkOutcome, BenchmarkVerdict, VerdictReport};

use super::labels;
use super::sections::VerdictSections;
use crate::markdown::{MarkdownLimits, list, name, sentence};
use crate::number_format;
use crate::text::{cut_end, markdown_prose};

/// Columns of the environment, names and values in one sentence.
const ENVIRONMENT: usize = 960;

/// The table of what moved. What somebody accepted is marked.
pub(crate) fn moved(
    entries: &[&BenchmarkVerdict],
    acknowledgements: &[Acknowledgement],
    room: MarkdownLimits,
) -> String {
    let rows = entries.iter().map(|entry| {
        let accepted = entry.gating && acknowledgements.iter().any(|known| known.covers(entry));
        let (strong, aside) = match (entry.gating, accepted) {
            (true, false) => ("**", ""),
            (true, true) => ("", " (accepted)"),
            (false, _) => ("", " (aside)"),
        };
        format!(
            "| {} | {}{aside} | {} | {} | {strong}{}{strong} | {} | {} |\n",
            name(&entry.name),
            entry.metric,
            labels::value(entry.metric, entry.base),
            labels::value(entry.metric, entry.head),
            labels::times(entry),
            labels::times_range(entry),
            labels::reachable(entry.reachable),
        )
    });
    let head = "| benchmark | metric | base | head | head / base | range | change reaches it |\n\
                |---|---|---:|---:|---:|---:|---|\n";
    list(head, rows, room)
}

/// Who accepted what, and why.
pub(crate) fn accepted(report: &VerdictReport, acknowledgements: &[Acknowledgement], room: MarkdownLimits) -> String {
    let mut settled: Vec<&Acknowledgement> = Vec::new();
    for (_, known) in report.entries_to_accept(acknowledgements) {
        if let Some(known) = known.filter(|known| !settled.contains(known)) {
            settled.push(known);
        }
    }
    let lines = settled.iter().map(|known| {
        format!(
            "- {} was accepted by {}: {}\n",
            name(&known.benchmark),
            name(&known.by),
            sentence(&known.reason)
        )
    });
    list("", lines, room)
}

/// The table of failed, removed and inconclusive benchmarks.
pub(crate) fn untold(entries: &[&BenchmarkVerdict], room: MarkdownLimits) -> String {
    let rows = entries.iter().map(|entry| {
        format!(
            "| {} | {} | {} | {} |\n",
            name(&entry.name),
            entry.metric,
            labels::meaning(entry.verdict),
            sentence(&entry.reason),
        )
    });
    let head = "| benchmark | metric | outcome | why |\n|---|---|---|---|\n";
    list(head, rows, room)
}

/// By what rule each of these is what it is, and whether the changed code can be why.
pub(crate) fn reasons(entries: &[&BenchmarkVerdict], room: MarkdownLimits) -> String {
    let lines = entries.iter().map(|entry| {
        let evidence = entry.evidence.as_deref().map(|evidence| {
            let reached = match entry.reachable {
                Some(true) => "Reached by the change: ",
                Some(false) => "**Not reached by the change**, so most likely not its doing: ",
                None => "",
            };
            format!(". {reached}{}", sentence(evidence))
        });
        format!(
            "- {}: {}{}\n",
            name(&entry.name),
            sentence(&entry.reason),
            evidence.unwrap_or_default()
        )
    });
    list("", lines, room)
}

/// The remaining benchmarks, a line for each outcome, and a summary of the lines:
/// `4 unchanged, 14 skipped`.
pub(crate) fn quiet(sections: &VerdictSections<'_>, room: MarkdownLimits) -> (String, String) {
    let title: Vec<String> = (sections.quiet.iter())
        .map(|(outcome, names)| format!("{} {}", names.len(), labels::outcome(*outcome)))
        .collect();
    let lines: Vec<String> = (sections.quiet.iter())
        .map(|(outcome, names)| {
            let bytes = room.bytes / sections.quiet.len() / 2;
            let line = enumerated(names.iter().map(|benchmark| name(benchmark)), bytes);
            format!("- {} {}: {line}\n", names.len(), labels::meaning(*outcome))
        })
        .collect();
    (title.join(", "), list("", lines.into_iter(), room))
}

/// `a, b and 3 more`.
fn enumerated(names: impl ExactSizeIterator<Item = String>, bytes: usize) -> String {
    let all = names.len();
    let mut line = String::new();
    for (shown, next) in names.enumerate() {
        if line.len() + next.len() > bytes {
            return format!("{line} and {} more", all - shown);
        }
        if shown > 0 {
            line.push_str(", ");
        }
        line.push_str(&next);
    }
    line
}

/// Sizes and build times that changed and decide nothing: one line.
pub(crate) fn byproducts(sections: &VerdictSections<'_>, room: MarkdownLimits) -> String {
    if sections.byproducts.is_empty() {
        return String::new();
    }
    let told = (sections.byproducts.iter()).map(|entry| labels::byproduct(entry, &name(&entry.name)));
    let line = enumerated(told.collect::<Vec<_>>().into_iter(), room.bytes);
    format!("\nAlso changed, and not part of the verdict: {line}.\n")
}

/// Benchmarks and time of each stage.
pub(crate) fn stages(report: &VerdictReport, room: MarkdownLimits) -> String {
    let rows = report.stages.iter().map(|stage| {
        format!(
            "| {} | {} | {} | {} |\n",
            labels::stage(stage.name),
            stage.benchmarks,
            stage.selected,
            number_format::duration(stage.seconds)
        )
    });
    let head = "| stage | benchmarks | left | time |\n|---|---:|---:|---:|\n";
    list(head, rows, room)
}

/// The time that was spent and what it is held against, in one sentence.
pub(crate) fn spent(report: &VerdictReport) -> String {
    (report.spent.as_ref()).map_or_else(String::new, |time| {
        format!("\nCost: {}.\n", sentence(&super::spent::spent(time)))
    })
}

/// The environment of the measurements, in one sentence.
pub(crate) fn environment(report: &VerdictReport) -> String {
    if report.environment.is_empty() {
        return String::new();
    }
    let facts = labels::environment(report);
    format!("\nMeasured with {}.\n", markdown_prose(&cut_end(&facts, ENVIRONMENT)))
}

/// True for a change in either direction, a failure or a removal.
pub(crate) fn is_news(entry: &BenchmarkVerdict) -> bool {
    let told = matches!(
        entry.verdict,
        BenchmarkOutcome::Regression
            | BenchmarkOutcome::Improvement
            | BenchmarkOutcome::Failed
            | BenchmarkOutcome::Removed
    );
    entry.gating && told
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{byproducts, hostile, report};
    use super::*;

    const ROOM: MarkdownLimits = MarkdownLimits { rows: 10, bytes: 4_000 };

    #[test]
    fn sizes_and_build_times_that_nobody_asked_for_are_one_line() {
        let mut report = report();
        assert_eq!(byproducts_of(&report), "");
        report.benchmarks.extend(byproducts());
        assert_eq!(
            byproducts_of(&report),
            "\nAlso changed, and not part of the verdict: build time 20 s → 30 s (+50.0%, one build of each), \
             binary size of `speed` 412 kB → 433 kB (+5.0%).\n"
        );
        let hostile = hostile().0.benchmarks[0].name.clone();
        for entry in &mut report.benchmarks {
            entry.name.clone_from(&hostile);
        }
        let line = byproducts_of(&report);
        assert!(line.contains(&name(&hostile)) && !line.contains('\u{202e}'), "{line}");
        assert_eq!(line.trim().lines().count(), 1, "{line}");
    }

    fn byproducts_of(report: &VerdictReport) -> String {
        super::byproducts(&VerdictSections::of(report), ROOM)
    }
}
