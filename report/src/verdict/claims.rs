//! Claims with what measurements say of them → sentences, as the contract `lito.verdict/1` stores them, and their parts of
//! a page. The claim itself is its author's text, made safe where it is shown.

use verdict::claims::{
    Claim, ClaimError, ClaimEvidence, ClaimFinding, ClaimOutcome, ClaimReason, ClaimSource, ClaimVerdict, JudgedClaim,
    LONGEST_CLAIM, MOST_CLAIMS, RequestedClaim,
};
use verdict::{Metric, VerdictReport};

use super::labels;
use crate::markdown::{MarkdownLimits, list, name, sentence};
use crate::number_format::{change, counted_noun};

/// A claim with its answer.
#[must_use]
pub fn answer(claim: &Claim, source: ClaimSource, judged: &JudgedClaim) -> ClaimVerdict {
    ClaimVerdict {
        claim: claim.to_string(),
        source,
        outcome: judged.outcome,
        reason: reason(judged),
        benchmarks: judged.findings.iter().map(evidence).collect(),
    }
}

/// A text that is not a claim, or one about benchmarks that do not exist, with the reason.
#[must_use]
pub fn malformed(requested: &RequestedClaim, why: String) -> ClaimVerdict {
    ClaimVerdict {
        claim: requested.text.clone(),
        source: requested.source,
        outcome: ClaimOutcome::Malformed,
        reason: why,
        benchmarks: Vec::new(),
    }
}

/// Why a text is not a claim, and how to mend it, as clauses.
#[must_use]
pub fn claim_error(error: &ClaimError) -> String {
    let form = "write `BENCHMARK faster 10%`, with faster, slower, smaller, larger or unchanged";
    match error {
        ClaimError::TooLong => format!("it is longer than {LONGEST_CLAIM} bytes; use `*` for a part of the name"),
        ClaimError::TooMany => format!("it follows {MOST_CLAIMS} others, and no more are read; use `*` in names"),
        ClaimError::NoEffect => format!("it does not say what changes; {form}"),
        ClaimError::NoBenchmark => format!("it names no benchmark; {form}"),
        ClaimError::NoPercent => String::from("it does not say by how much; write a percentage, such as `faster 10%`"),
        ClaimError::NotAPercentage(found) => format!(
            "{found} is not a percentage that is possible; write one above 0%, such as `faster 10%`, and at most 100% \
             for faster and smaller"
        ),
        ClaimError::NoMetric => {
            format!("it does not say in which metric; add `in` and one of {}", metrics())
        }
        ClaimError::UnknownMetric(found) => format!("{found} is not a metric; write one of {}", metrics()),
        ClaimError::Unexpected(rest) => {
            format!("{rest} is left over; a claim ends with its percentage, or with `in` and a metric")
        }
    }
}

/// Why a claim can't be answered by what is measured, and how to mend it, as clauses. `option` is the metric as
/// `--metric` and `gate.metrics` take it.
#[must_use]
pub fn metric_not_measured(metric: Option<Metric>, option: &str) -> String {
    let about = metric.map_or_else(
        || String::from("it is about time or work"),
        |metric| format!("it is about {metric}"),
    );
    format!("{about}, which is not measured; add `--metric {option}`")
}

fn metrics() -> String {
    Metric::ALL.map(|metric| metric.to_string()).join(", ")
}

/// The reason of the whole answer: that of the first benchmark that decides it.
fn reason(judged: &JudgedClaim) -> String {
    let findings = &judged.findings;
    let deciding = |finding: &&ClaimFinding| finding.reason.outcome() == judged.outcome;
    let Some(first) = findings.iter().find(deciding) else {
        return String::from("no benchmark has this name");
    };
    let count = findings.iter().filter(deciding).count();
    let said = clause(first);
    if findings.len() == 1 {
        return said;
    }
    let all = counted_noun(findings.len(), "measurement");
    let more = match (count, judged.outcome) {
        (_, ClaimOutcome::Confirmed) => return format!("each of {all} is as claimed{}", range(findings)),
        (1, _) => String::new(),
        (_, ClaimOutcome::Refuted) => format!("; {count} of {all} refute it"),
        (_, ClaimOutcome::CannotBeTold | ClaimOutcome::Malformed) => format!("; {count} of {all} leave it open"),
    };
    format!("{} ({}): {said}{more}", first.benchmark, first.metric)
}

/// `: -18.3% to -12.0%`, over all findings; nothing where one has no bounds.
fn range(findings: &[ClaimFinding]) -> String {
    let bounds: Option<Vec<(f64, f64)>> = (findings.iter())
        .map(|finding| Some((finding.low?, finding.high?)))
        .collect();
    let Some(bounds) = bounds else {
        return String::new();
    };
    let low = bounds.iter().map(|(low, _)| *low).fold(f64::INFINITY, f64::min);
    let high = bounds.iter().map(|(_, high)| *high).fold(f64::NEG_INFINITY, f64::max);
    format!(": {}", interval(low, high))
}

/// `-18.3% to -12.0%`, or one figure where the bounds do not differ.
fn interval(low: f64, high: f64) -> String {
    let (low, high) = (change(low), change(high));
    if low == high { low } else { format!("{low} to {high}") }
}

fn evidence(finding: &ClaimFinding) -> ClaimEvidence {
    ClaimEvidence {
        name: finding.benchmark.clone(),
        metric: finding.metric,
        change: finding.change,
        low: finding.low,
        high: finding.high,
        outcome: finding.reason.outcome(),
        reason: clause(finding),
    }
}

/// The rule behind one finding, with its figures.
fn clause(finding: &ClaimFinding) -> String {
    let moved = match (finding.low, finding.high) {
        (Some(low), Some(high)) if low == 0.0 && high == 0.0 => String::from("it did not change"),
        (Some(low), Some(high)) => format!("it changed by {}", interval(low, high)),
        _ => String::from("it rose from zero"),
    };
    match finding.reason {
        ClaimReason::WhollyWithin => format!("{moved}, as claimed"),
        ClaimReason::WhollyOutside => format!("{moved}, not as claimed"),
        ClaimReason::SameCodeAsClaimed => String::from("both versions have the same machine code"),
        ClaimReason::SameCodeDespiteClaim => {
            String::from("both versions have the same machine code, so that nothing changed")
        }
        ClaimReason::JudgedUnchanged => String::from("it did not change by more than noise explains"),
        ClaimReason::JudgedChanged => format!("{moved}, which is beyond noise"),
        ClaimReason::Straddles => format!("{moved}: a part of this range is as claimed, another is not"),
        ClaimReason::NotSignificant => format!("{moved}, which is not beyond noise, or too small to count"),
        ClaimReason::Undecided => String::from("its measurements do not decide"),
        ClaimReason::TooFewRounds => String::from("it was timed in too few rounds"),
        ClaimReason::NotCompared(outcome) => labels::meaning(outcome).to_owned(),
        ClaimReason::OtherMetrics => format!("it was not measured in {}", finding.metric),
    }
}

/// The heading of an answer.
pub(super) fn outcome(outcome: ClaimOutcome) -> &'static str {
    match outcome {
        ClaimOutcome::Confirmed => "confirmed",
        ClaimOutcome::Refuted => "refuted",
        ClaimOutcome::CannotBeTold => "cannot be told",
        ClaimOutcome::Malformed => "malformed",
    }
}

/// The claims with their answers, as markdown.
pub(crate) fn markdown(report: &VerdictReport, room: MarkdownLimits) -> String {
    let lines = report.claims.iter().map(|claim| {
        let mark = match claim.outcome {
            ClaimOutcome::Confirmed => "✅",
            ClaimOutcome::Refuted => "❌",
            ClaimOutcome::CannotBeTold => "❔",
            ClaimOutcome::Malformed => "⚠️",
        };
        format!(
            "- {mark} {}: {}. {}\n",
            name(&claim.claim),
            outcome(claim.outcome),
            sentence(&claim.reason)
        )
    });
    let title = "Claims about this change:\n\n";
    list(title, lines, room)
}

#[cfg(test)]
mod tests {
    use verdict::BenchmarkOutcome;
    use verdict::claims::judge_claim;

    use super::*;
    use crate::verdict::fixture::{entry, report};

    fn answered(text: &str, of: &VerdictReport) -> ClaimVerdict {
        let claim: Claim = text.parse().unwrap_or_else(|error| panic!("{text}: {error:?}"));
        let start = claim.benchmarks.trim_end_matches('*').to_owned();
        let judged = judge_claim(&claim, &of.benchmarks, |name| name.starts_with(&start));
        answer(&claim, ClaimSource::CommandLine, &judged)
    }

    #[test]
    fn an_answer_names_the_figures_that_decide() {
        let report = report();
        let says = |text| {
            let answered = answered(text, &report);
            format!("{}: {}", outcome(answered.outcome), answered.reason)
        };
        assert_eq!(
            says("parse/large slower 5%"),
            "confirmed: it changed by +10.0%, as claimed"
        );
        assert_eq!(
            says("parse/large faster 5%"),
            "refuted: it changed by +10.0%, not as claimed"
        );
        assert_eq!(
            says("glob/* unchanged"),
            "confirmed: each of 3 measurements is as claimed: 0%"
        );
        assert_eq!(
            says("glob/1 unchanged"),
            "confirmed: both versions have the same machine code"
        );
        assert_eq!(
            says("print/* unchanged"),
            "cannot be told: print/01 (instructions): not likely to change, not run; 14 of 14 measurements leave it open"
        );
        assert_eq!(says("nosuch unchanged"), "malformed: no benchmark has this name");
    }

    #[test]
    fn every_outcome_without_a_measurement_is_worded() {
        let mut report = report();
        for outcome in [
            BenchmarkOutcome::Failed,
            BenchmarkOutcome::Removed,
            BenchmarkOutcome::Added,
            BenchmarkOutcome::Skipped,
        ] {
            report.benchmarks = vec![entry("a", outcome)];
            assert_eq!(answered("a unchanged", &report).reason, labels::meaning(outcome));
        }
    }

    #[test]
    fn a_claim_stays_in_its_line_of_markdown() {
        let mut report = report();
        let hostile = "</details>`x` @all [a](b) | <!-- unchanged";
        let requested = RequestedClaim::read(hostile, ClaimSource::PullRequest);
        let Err(error) = RequestedClaim::read("@all faster [a](b)", ClaimSource::PullRequest).claim else {
            panic!("it is not a claim")
        };
        report.claims = vec![malformed(&requested, claim_error(&error))];
        let shown = markdown(&report, MarkdownLimits { rows: 10, bytes: 4000 });
        let line = shown.lines().find(|line| line.starts_with("- ")).unwrap_or_default();
        assert!(
            line.contains("``</details>`x` @all [a](b) \\| <!-- unchanged``: malformed."),
            "{shown}"
        );
        assert!(line.contains("\\[a\\](b) is not a percentage"), "{shown}");
    }
}
