//! A posting into a page of markdown: the verdict in one line, what was scored and run, what moved and what may be why,
//! what to do; the rest folded. The comment, the check run's summary and the job's summary are this page in two sizes.

use std::collections::BTreeSet;

use analyzer::score::{BenchmarkEffect, ScoreDecision, ScoredChange};
use verdict::{BenchmarkOutcome, BenchmarkVerdict, CascadeStageName, Verdict};

use super::skipping_risk::SkippingRisk;
use super::title::title;
use super::{ARTIFACT, COMPARISON, MARKER, MeasurementOrigin, PostingContent, names, reproduction_command, run};
use crate::markdown::{MarkdownLimits, folded, list, name, sentence};
use crate::score::{labels as score_words, markdown as predicted, reach_line};
use crate::text::{markdown_block, markdown_code, markdown_prose, short_id};
use crate::verdict::blame::blamed;
use crate::verdict::sections::VerdictSections;
use crate::verdict::{claims, labels, markdown as part};
use crate::{number_format, text};

/// How much of everything a page has.
#[derive(Debug, Clone, Copy)]
struct GithubPageLimits {
    /// Of a part in sight.
    seen: MarkdownLimits,
    /// Of a part that is folded.
    folded: MarkdownLimits,
    /// Whether every prediction is listed, too.
    predictions: bool,
}

/// GitHub refuses comments and check summaries of more than 65,535 characters. It counts code points; bytes are never
/// fewer, so bytes are what is counted here. There are at most fourteen parts.
const COMMENT: GithubPageLimits = GithubPageLimits {
    seen: MarkdownLimits { rows: 10, bytes: 4_000 },
    folded: MarkdownLimits { rows: 50, bytes: 4_000 },
    predictions: false,
};

/// GitHub drops a step's summary of more than 1 MiB.
const SUMMARY: GithubPageLimits = GithubPageLimits {
    seen: MarkdownLimits {
        rows: 100,
        bytes: 50_000,
    },
    folded: MarkdownLimits {
        rows: 1_000,
        bytes: 50_000,
    },
    predictions: true,
};

/// The comment: below 65,535 characters, and bytes.
#[must_use]
pub fn comment(posting: &PostingContent<'_>) -> String {
    format!("{MARKER}\n{}", page(posting, COMMENT))
}

/// The job's summary: below 1 MiB.
#[must_use]
pub fn summary(posting: &PostingContent<'_>) -> String {
    page(posting, SUMMARY)
}

/// The check run's: the comment without what it is found by.
pub(super) fn check_summary(posting: &PostingContent<'_>) -> String {
    page(posting, COMMENT)
}

fn page(posting: &PostingContent<'_>, size: GithubPageLimits) -> String {
    let sections = VerdictSections::of(posting.report);
    let (untold, aside): (Vec<_>, Vec<_>) = (sections.untold.iter().copied()).partition(|entry| entry.gating);
    let (same, others) = part::quiet(&sections, size.folded);
    [
        head(posting),
        notes(posting, size),
        scored(posting),
        claims::markdown(posting.report, size.seen),
        part::moved(&sections.worse, posting.acknowledgements, size.seen),
        part::accepted(posting.report, posting.acknowledgements, size.seen),
        part::untold(&untold, size.seen),
        part::byproducts(&sections, size.seen),
        causes(posting, size),
        to_do(posting),
        folded(
            "Why these count, and whether the change reaches them",
            &part::reasons(&sections.worse, size.folded),
        ),
        folded(&better(&sections), &part::moved(&sections.better, &[], size.folded)),
        folded(&same, &others),
        folded("Measured for comparison only", &part::untold(&aside, size.folded)),
        folded("How it was decided", &decided(posting, size)),
        folded("Environment", &part::environment(posting.report)),
    ]
    .concat()
}

/// `### ❌ parse/large is 1.10 × slower`.
fn head(posting: &PostingContent<'_>) -> String {
    let report = posting.report;
    let mark = match report.verdict {
        _ if posting.is_accepted() && !posting.is_open() => "☑️",
        _ if posting.is_accepted() => "❔",
        Verdict::Regression | Verdict::Mixed => "❌",
        Verdict::Pass | Verdict::Improvement => "✅",
        Verdict::Inconclusive => "❔",
        Verdict::Skipped => "⏭️",
    };
    format!("### {mark} {}\n", markdown_prose(&title(posting)))
}

fn notes(posting: &PostingContent<'_>, size: GithubPageLimits) -> String {
    let fork = "The measurements come from the fork's own run and are advisory; the score is our own.";
    let fork = (posting.measured_by == MeasurementOrigin::Fork).then(|| format!("- {fork}\n"));
    let notes = posting.notes.iter().map(|note| format!("- {}\n", sentence(note)));
    let lines: Vec<String> = fork.into_iter().chain(notes).collect();
    list("", lines.into_iter(), size.seen)
}

/// Scored and run benchmarks, and the remaining risk.
fn scored(posting: &PostingContent<'_>) -> String {
    let report = posting.report;
    let all = report.benchmark_names();
    let ran = run(report).len();
    let mut said = format!("Scored {}", number_format::counted_noun(all.len(), "benchmark"));
    let built = (report.stages.iter()).any(|stage| stage.name > CascadeStageName::Source);
    if ran == 0 {
        said.push_str(if built {
            ", compared the programs of both versions and ran none."
        } else {
            ", built and ran none."
        });
    } else {
        said.push_str(&format!(
            ", ran {ran} in {}.",
            number_format::duration(report.cost_seconds)
        ));
    }
    if let Some(risk) = SkippingRisk::of(posting) {
        said.push(' ');
        said.push_str(&risk.sentence(posting.threshold));
        if let Some(audit) = &report.audit {
            said.push_str(&format!(" So far, {}.", labels::audit(audit)));
        }
    }
    if report.audited {
        said.push_str(" The score would have skipped all: this run is an audit of it.");
    }
    let reach = posting.score.as_deref().and_then(|score| score.reach.as_ref());
    if let Some(reach) = reach.and_then(reach_line) {
        said.push_str(&format!(" {}", sentence(&reach)));
    }
    format!("\n{said}\n")
}

/// The changes that the slower benchmarks execute; where nothing got slower, those with the largest effects.
fn causes(posting: &PostingContent<'_>, size: GithubPageLimits) -> String {
    let Some(score) = posting.score.as_deref() else {
        return String::new();
    };
    let blamed = blamed(posting.report, Some(score));
    let (title, changes): (_, Vec<(&ScoredChange, Option<&BenchmarkEffect>)>) = if blamed.is_empty() {
        let reaching = predicted::most(&score.changes);
        let reaching = reaching.into_iter().filter(|(_, effect)| effect.is_some());
        (
            "Changes that benchmarks execute, by their predicted share:",
            reaching.collect(),
        )
    } else {
        let first = blamed.iter().map(|b| (b.change, Some(b.effects[0])));
        (
            "Changes that the slower benchmarks execute, by their predicted share:",
            first.collect(),
        )
    };
    let table = predicted::changes(changes.into_iter(), size.seen);
    if table.is_empty() {
        return table;
    }
    format!("\n{title}\n{table}")
}

/// How to see it again, and how to accept it.
fn to_do(posting: &PostingContent<'_>) -> String {
    let open: Vec<&BenchmarkVerdict> = (posting.report.entries_to_accept(posting.acknowledgements))
        .filter(|(_, settled)| settled.is_none())
        .map(|(entry, _)| entry)
        .collect();
    let failed = names(posting.report, |outcome| outcome == BenchmarkOutcome::Failed);
    let again: BTreeSet<&str> = (open.iter())
        .filter(|entry| entry.verdict == BenchmarkOutcome::Regression && entry.metric.is_of_benchmark())
        .map(|entry| entry.name.as_str())
        .chain(failed)
        .collect();
    let mut out = String::new();
    if let Some(command) = reproduction_command::command(posting.report, &again).filter(|_| !again.is_empty()) {
        out.push_str(&format!("\n{}To measure it yourself:\n\n", drawn(posting)));
        out.push_str(&markdown_block("sh", &command));
        let compare = command.replacen("lito measure", "lito compare", 1);
        out.push_str("\nTo see where it comes from:\n\n");
        out.push_str(&markdown_block("sh", &format!("{compare} --output {COMPARISON}")));
    }
    let to_accept: BTreeSet<&str> = open.iter().map(|entry| entry.name.as_str()).collect();
    let (whom, each) = match to_accept.first() {
        None => return out,
        Some(only) if to_accept.len() == 1 && is_typable(only) => (*only, ""),
        Some(_) if to_accept.len() == 1 => ("<benchmark>", ""),
        Some(_) => ("<benchmark>", " for each"),
    };
    let line = markdown_code(&format!(
        "/lito accept {whom} @{} <reason>",
        short_id(&posting.report.head)
    ));
    out.push_str(&format!("\nTo accept it as it is, comment {line}{each}.\n"));
    out
}

/// Where the comparison is that the run drew. Its address is GitHub's own; another one is not linked.
fn drawn(posting: &PostingContent<'_>) -> String {
    let is_plain = |url: &&str| {
        let is_known = |byte: u8| byte.is_ascii_alphanumeric() || b"/:._-".contains(&byte);
        url.starts_with("http") && url.contains("://") && url.bytes().all(is_known)
    };
    let Some(url) = posting.compared_in.filter(is_plain) else {
        return String::new();
    };
    let by = match posting.measured_by {
        MeasurementOrigin::Fork => ", which the fork's own run wrote,",
        MeasurementOrigin::Ourselves => "",
    };
    format!(
        "Where it comes from is drawn in `{COMPARISON}`{by} in the artifact [`{ARTIFACT}`]({url}#artifacts): the calls \
         that got slower, flame graphs, and the source before and after.\n\n"
    )
}

/// Whether the name can be copied from the page as it is, and is one word.
fn is_typable(name: &str) -> bool {
    text::safe(name) == name && name.len() <= 100 && !name.contains(['|', '`', ' '])
}

fn better(sections: &VerdictSections<'_>) -> String {
    let names: BTreeSet<&str> = sections.better.iter().map(|b| b.name.as_str()).collect();
    let how = labels::worse_or_slower(sections.better.iter().copied(), ["faster", "better"]);
    format!("{} {how}", names.len())
}

/// From what it was predicted, what each stage did, what is known of the misses.
fn decided(posting: &PostingContent<'_>, size: GithubPageLimits) -> String {
    let report = posting.report;
    let id = |id: &str| name(&short_id(id));
    let mut out = format!("\n{} compared with {}.", id(&report.head), id(&report.base));
    if let Some(score) = posting.score.as_deref() {
        let decision = match score.decision {
            ScoreDecision::Benchmark => "run",
            ScoreDecision::Skip => "skip",
        };
        out.push_str(&format!(" Score: {decision}; {}.", sentence(&score.reason)));
        match &score.sample {
            Some(sample) => out.push_str(&format!(
                " Predicted from the profile of {}, {} before{}.",
                id(&sample.commit),
                number_format::counted_noun(sample.distance as usize, "version"),
                sentence(&score_words::counted_by(sample))
            )),
            None => out.push_str(" There is no sample to predict from; `lito sample` takes one."),
        }
    }
    out.push('\n');
    out.push_str(&part::stages(report, size.folded));
    out.push_str(&part::spent(report));
    if let Some(score) = posting.score.as_deref() {
        if size.predictions {
            out.push_str(&predicted::predictions(&score.benchmarks, size.folded));
        }
        let unread = predicted::degraded(&score.degraded, size.folded);
        if !unread.is_empty() {
            out.push_str("\nNot fully analysed, and counted as a risk:\n");
            out.push_str(&unread);
        }
    }
    out
}
