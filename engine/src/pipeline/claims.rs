//! Claims about a change: which benchmarks they need measured, and the entries of the verdict → their answers.
//!
//! A claim adds benchmarks and takes none away. Those that only a claim asks for come after all others, so that whoever
//! claims can't use up the time of what the score selects. The verdict does not read the answers.

use std::collections::BTreeSet;

use report::verdict::claims as words;
use runner::benchmark::glob_matches;
use runner::suggestions::did_you_mean;
use verdict::BenchmarkVerdict;
use verdict::claims::{Claim, ClaimOutcome, ClaimSource, ClaimVerdict, ClaimedEffect, RequestedClaim, judge_claim};

use super::{GateContext, GateRequest};
use crate::benchmark_names::{BenchmarkNames, NamedBenchmarks};
use crate::error::EngineError;
use crate::settings::GateMetric;

/// Refuses a claim of the command line that this request can't answer: about a benchmark that neither version has, as far
/// as that is known before anything is built, or about a metric that is not measured. Gives the names of all claims that
/// may have benchmarks.
pub(super) fn claimed_names(question: &GateRequest<'_>, place: &GateContext<'_>) -> Result<Vec<String>, EngineError> {
    let names = BenchmarkNames {
        repository: place.repository,
        store: place.store,
        definitions: &place.settings.benchmarks,
    };
    let mut claimed = Vec::new();
    for (requested, claim) in well_formed(question.claims) {
        let globs = [claim.benchmarks.clone()];
        let checked = names.check(NamedBenchmarks::claimed(&globs), &[question.base, question.head]);
        match (checked, requested.source) {
            (Ok(()), ClaimSource::CommandLine) => check_metric(claim, question.metrics)?,
            (Ok(()), ClaimSource::PullRequest) => {}
            // Answered where the others are.
            (Err(EngineError::Request(_)), ClaimSource::PullRequest) => continue,
            (Err(error), ClaimSource::CommandLine | ClaimSource::PullRequest) => return Err(error),
        }
        claimed.extend(globs);
    }
    Ok(claimed)
}

/// The names in the claims of the command line.
pub(super) fn names_of_command_line(claims: &[RequestedClaim]) -> Vec<String> {
    (well_formed(claims))
        .filter(|(requested, _)| requested.source == ClaimSource::CommandLine)
        .map(|(_, claim)| claim.benchmarks.clone())
        .collect()
}

fn well_formed(claims: &[RequestedClaim]) -> impl Iterator<Item = (&RequestedClaim, &Claim)> {
    (claims.iter()).filter_map(|requested| Some((requested, requested.claim.as_ref().ok()?)))
}

/// Refuses a claim that no measurement of these metrics can answer.
fn check_metric(claim: &Claim, measured: &[GateMetric]) -> Result<(), EngineError> {
    let asked = claim.metric.and_then(GateMetric::of);
    let enough: &[GateMetric] = match (claim.metric, claim.effect) {
        // Sizes and build times are read off whatever is built.
        (Some(metric), _) if metric.is_byproduct() => return Ok(()),
        (Some(_), _) => asked.as_slice(),
        (None, ClaimedEffect::Moved { .. }) => &[GateMetric::Instructions, GateMetric::WallTime],
        (None, ClaimedEffect::Unchanged { .. }) => return Ok(()),
    };
    if enough.iter().any(|metric| measured.contains(metric)) {
        return Ok(());
    }
    let why = words::metric_not_measured(claim.metric, enough[0].name());
    Err(EngineError::request(format_args!(
        "checking the claim `{claim}`: {why}"
    )))
}

/// The claims with their answers, in their order.
pub(super) fn answers(claims: &[RequestedClaim], entries: &[BenchmarkVerdict]) -> Vec<ClaimVerdict> {
    let names: BTreeSet<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    (claims.iter())
        .map(|requested| answer(requested, entries, &names))
        .collect()
}

fn answer(requested: &RequestedClaim, entries: &[BenchmarkVerdict], names: &BTreeSet<&str>) -> ClaimVerdict {
    let claim = match &requested.claim {
        Ok(claim) => claim,
        Err(error) => return words::malformed(requested, words::claim_error(error)),
    };
    let judged = judge_claim(claim, entries, |name| glob_matches(&claim.benchmarks, name));
    let mut answer = words::answer(claim, requested.source, &judged);
    if judged.outcome == ClaimOutcome::Malformed
        && let Some(question) = did_you_mean(&claim.benchmarks, names.iter().copied())
    {
        answer.reason.push_str(&format!("; {question}"));
    }
    answer
}

#[cfg(test)]
mod tests {
    use verdict::BenchmarkOutcome;

    use verdict::Metric;

    use super::*;

    fn read(text: &str) -> RequestedClaim {
        RequestedClaim::read(text, ClaimSource::PullRequest)
    }

    #[test]
    fn every_claim_has_its_answer_in_its_place() {
        let entries = [
            BenchmarkVerdict::without_values("parse/large", Metric::Instructions, BenchmarkOutcome::SameCode),
            BenchmarkVerdict::without_values("render", Metric::Instructions, BenchmarkOutcome::Skipped),
        ];
        let claims = ["parse/* unchanged", "rendr unchanged", "parse/* quicker", "* unchanged"].map(read);
        let answered = answers(&claims, &entries);
        let outcomes: Vec<ClaimOutcome> = answered.iter().map(|answer| answer.outcome).collect();
        let (confirmed, malformed) = (ClaimOutcome::Confirmed, ClaimOutcome::Malformed);
        assert_eq!(outcomes, [confirmed, malformed, malformed, ClaimOutcome::CannotBeTold]);
        assert_eq!(answered[1].reason, "no benchmark has this name; did you mean `render`?");
        assert_eq!(answered[2].claim, "parse/* quicker");
    }

    #[test]
    fn a_claim_about_another_metric_names_the_option() {
        let refused = |text: &str, measured: &[GateMetric]| {
            let claim: Claim = text.parse().unwrap_or_else(|error| panic!("{text}: {error:?}"));
            check_metric(&claim, measured).err().map(|error| error.to_string())
        };
        let counts = [GateMetric::Instructions];
        assert_eq!(refused("a faster 10%", &counts), None);
        assert_eq!(refused("a unchanged", &[]), None);
        assert_eq!(
            refused("a smaller 10% in peak bytes", &counts).as_deref(),
            Some(
                "checking the claim `a smaller at least 10% in peak bytes`: it is about peak bytes, which is not measured; add \
                 `--metric memory`"
            )
        );
        assert!(
            refused("a faster 1%", &[GateMetric::Memory]).is_some_and(|said| said.contains("--metric instructions"))
        );
        assert!(refused("a faster 1% in wall time", &counts).is_some_and(|said| said.contains("--metric wall-time")));
    }
}
