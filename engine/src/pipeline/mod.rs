//! The gate on one screen: two versions in, the verdict out. Each stage costs ten to a hundred times the one before,
//! and decides most of the benchmarks that reach it: source, last measured, build, counts, wall time.

#![deny(clippy::wildcard_enum_match_arm)]

mod build;
mod byproducts;
mod candidate;
mod claims;
mod code;
mod counts;
mod earlier_counts;
mod external_measurements;
mod judging_criteria;
mod last_measured;
mod measurement_plan;
mod reachability;
mod request;
mod selection;
mod source;
mod spent_time;
mod verdict_draft;
mod verdict_history;
mod wall_time;

use std::collections::BTreeSet;
use std::time::Instant;

use runner::measure::sides::BaseOrHead;
use verdict::{CascadeStageName, Verdict, VerdictReport};

use crate::error::EngineError;
use crate::skipping_audit;
use last_measured::{HeadRuns, LastMeasuredResult};
use measurement_plan::GateMeasurementPlan;
use verdict_draft::{StageCounts, VerdictDraft};

pub use external_measurements::ExternalMeasurements;
pub use request::{GateContext, GateJudgement, GateRequest, GateReuse, GateThoroughness};
pub use selection::SelectionRequest;
pub(crate) use selection::left_out_for_good;

/// Scores, selects, builds, compares, measures and judges.
///
/// # Errors
/// The versions can't be read, neither builds, this machine can't measure, or the user stopped it.
pub fn judge(question: &GateRequest<'_>, place: &GateContext<'_>) -> Result<GateJudgement, EngineError> {
    let judgement = judge_so_far(question, place)?;
    match place.interruption.is_raised() {
        true => Err(EngineError::Interrupted),
        false => Ok(judgement),
    }
}

/// The same; once benchmarks are measured, an interruption leaves the rest inconclusive and the verdict on what was
/// measured stands.
fn judge_so_far(question: &GateRequest<'_>, place: &GateContext<'_>) -> Result<GateJudgement, EngineError> {
    let mut draft = VerdictDraft::begin();

    selection::check_names(question, place)?;
    let claimed = claims::claimed_names(question, place)?;
    let source = source::score_and_select(question, place, claimed)?;
    draft.end(CascadeStageName::Source, source.passed(), Vec::new());
    if source.selection.is_empty() {
        draft.add(source.skipped(&BTreeSet::new()));
        return Ok(draft.finish(question, source));
    }
    if matches!(question.which, SelectionRequest::Flagged { .. })
        && let Some(likely) = spent_time::forecast(&source.passed(), place)?
    {
        place.progress.note(&report::verdict::forecast(&likely));
    }

    let site = build::prepare(place)?;
    let head = build::build_head(question, place, &site)?;
    let terms = GateMeasurementPlan::of(question, place, &site, head.environment())?;
    let head_built = Instant::now();
    let results = build::earlier_results(&head, question, place, &site)?;
    let programs = build::identities(head.side(), &source);
    let counted_before = last_measured::compare((&head, &programs, &results), &source, (question, place), &terms)?;
    let terms = terms.resumed(question.budget, head_built.elapsed());
    let passed = counted_before.passed();
    let all = StageCounts {
        on: passed.of,
        ..passed
    };
    draft.end_at(CascadeStageName::HeadBuild, all, head_built);
    draft.counted_programs(BaseOrHead::Head, programs);
    let LastMeasuredResult {
        findings,
        settled,
        head_runs,
        is_whole,
        ..
    } = counted_before;
    draft.end(CascadeStageName::LastMeasured, passed, findings);
    if is_whole {
        let reused_programs = head.side().reused;
        draft.add(source.skipped(&settled));
        draft.measured_in(head.environment());
        head.keep();
        return Ok(GateJudgement {
            reused_programs,
            builds: u32::from(!reused_programs),
            ..draft.finish(question, source)
        });
    }

    let mut built = build::build_base(head, question, place.progress, results)?;
    let mut head_runs = match built.head_is_another {
        true => HeadRuns::new(),
        false => head_runs,
    };
    built.check_names(question)?;
    let identities = |which| build::identities(built.sides.side(which), &source);
    draft.counted_programs(BaseOrHead::Base, identities(BaseOrHead::Base));
    if built.head_is_another {
        draft.counted_programs(BaseOrHead::Head, identities(BaseOrHead::Head));
    }
    let (paired, unpaired) = build::pair_benchmarks(&built, &source, &settled);
    let compared = code::compare(&built, &source, &settled, paired, &terms);
    compared.report_differences(place.progress);
    draft.end(CascadeStageName::Build, compared.passed(), unpaired);
    draft.add(compared.same);
    draft.add(compared.skipped);

    draft.add_entries(byproducts::of_builds(&built, &source, &terms));
    let programs = &compared.programs;
    let mut counted = counts::measure(&mut built, programs, compared.different, &mut head_runs, &terms)?;
    counted.include(counts::check(
        &mut built,
        programs,
        &compared.unforeseen,
        &mut head_runs,
        &terms,
    )?);
    draft.end(CascadeStageName::Counts, counted.passed(), counted.findings);

    let (to_time, claimed): (Vec<_>, Vec<_>) = (terms.timing_candidates(counted.left).into_iter())
        .partition(|candidate| source.selection.selects(&candidate.name));
    // Those of claims share no budget and no rate of false alarms with the others: nobody can claim a regression away.
    let mut timed = wall_time::measure(&mut built, &to_time, &terms)?;
    timed.append(wall_time::measure(&mut built, &claimed, &terms)?);
    draft.end(CascadeStageName::WallTime, timed.passed(), timed.findings);

    draft.explain(&built, &compared.programs, &source);
    draft.measured_in(built.sides.environment());
    let is_reused = BaseOrHead::BOTH.map(|which| built.sides.side(which).reused);
    Ok(GateJudgement {
        unbuilt: built.unbuilt(),
        reused_programs: is_reused.contains(&true),
        builds: is_reused.map(|is_reused| u32::from(!is_reused)).iter().sum(),
        rounds: timed.rounds,
        ..draft.finish(question, source)
    })
}

/// Judges, and records the verdict of the gate with the audits so far. Measurements of chosen benchmarks, of a head that is not
/// committed, and what an interruption left are not recorded. Whether there was one the caller's flag tells.
///
/// # Errors
/// As [`judge`], except for an interruption once benchmarks are measured.
pub fn judge_and_record(question: &GateRequest<'_>, place: &GateContext<'_>) -> Result<GateJudgement, EngineError> {
    let mut judgement = judge_so_far(question, place)?;
    let is_everything = place.settings.benchmarks.choice().is_everything();
    let is_whole = is_everything && !question.draft && !place.interruption.is_raised();
    if is_whole && matches!(question.which, SelectionRequest::Flagged { .. }) {
        judgement.report.spent = Some(spent_time::spent_time(&judgement, place)?);
        if judgement.report.verdict != Verdict::Skipped {
            let committed_at = place.repository.committed_at(question.head)?;
            place
                .store
                .record_verdict(&without_claims(&judgement.report), committed_at)?;
        }
        judgement.report.audit = skipping_audit::audit_of_verdicts(&place.store.verdicts()?.verdicts);
    }
    Ok(judgement)
}

/// The report as it is kept: measurements of two versions, whoever asked for them and whatever was claimed.
fn without_claims(report: &VerdictReport) -> VerdictReport {
    VerdictReport {
        claims: Vec::new(),
        repeat: None,
        ..report.clone()
    }
}

/// Scores, and judges on another job's measurements: for callers that may not run the code of the versions. A claim about
/// benchmarks that the other job did not measure is not answered: the text of a pull request may be newer than the job.
pub fn judge_measured(
    question: &GateRequest<'_>,
    place: &GateContext<'_>,
    delivered: ExternalMeasurements,
) -> Result<GateJudgement, EngineError> {
    let mut draft = VerdictDraft::begin();
    let source = source::score_and_select(question, place, Vec::new())?;
    let found = external_measurements::judge_delivery(&source, (question, place), delivered)?;
    let skipped = external_measurements::skipped(&source, &found);
    draft.end(CascadeStageName::Source, source.passed(), skipped);
    draft.add_external(found);
    let mut judgement = draft.finish(question, source);
    judgement.report.spent = Some(spent_time::spent_time(&judgement, place)?);
    Ok(judgement)
}
