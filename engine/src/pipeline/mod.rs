//! The gate on one screen: two versions in, the verdict out. Each stage costs ten to a hundred times the one before,
//! and decides most of what reaches it: the source, the build, deterministic counts, wall time.

mod build;
mod candidate;
mod code;
mod counts;
mod external_measurements;
mod measurement_plan;
mod reachability;
mod request;
mod selection;
mod source;
mod verdict_draft;
mod wall_time;

use verdict::{CascadeStageName, Verdict};

use crate::error::EngineError;
use measurement_plan::GateMeasurementPlan;
use selection::SelectedBenchmarks;
use verdict_draft::VerdictDraft;

pub use external_measurements::ExternalMeasurements;
pub use request::{GateContext, GateJudgement, GateRequest, GateThoroughness};
pub use selection::SelectionRequest;

/// Scores, selects, builds, compares, measures and judges.
pub fn judge(question: &GateRequest<'_>, place: &GateContext<'_>) -> Result<GateJudgement, EngineError> {
    let mut draft = VerdictDraft::begin();

    let source = source::score_and_select(question, place)?;
    draft.end(CascadeStageName::Source, source.passed(), source.skipped_entries());
    if source.selection.run == SelectedBenchmarks::Nothing {
        return Ok(draft.finish(question, source));
    }

    let mut built = build::build_both_sides(question, place)?;
    let (paired, unpaired) = build::pair_benchmarks(&built, &source);
    let compared = code::compare(&built, &source, paired, question.thoroughness);
    compared.log_differences(place.progress);
    draft.end(CascadeStageName::Build, compared.passed(), unpaired);
    draft.add(compared.same);

    let terms = GateMeasurementPlan::of(question, place, &built)?;
    let counted = counts::measure(&mut built, &compared.programs, compared.different, &terms)?;
    draft.end(CascadeStageName::Counts, counted.passed(), counted.entries);

    let to_time = terms.timing_candidates(counted.left, counted.moved);
    let timed = wall_time::measure(&mut built, &to_time, &terms)?;
    draft.end(CascadeStageName::WallTime, timed.passed(), timed.entries);

    draft.explain(&built, &compared.programs, &source);
    Ok(GateJudgement {
        unbuilt: built.unbuilt(),
        rounds: timed.rounds,
        ..draft.finish_measured(question, source, &built)
    })
}

/// Scores, and judges on what another job measured: for whoever may not run the code of the versions.
pub fn judge_measured(
    question: &GateRequest<'_>,
    place: &GateContext<'_>,
    elsewhere: ExternalMeasurements,
) -> Result<GateJudgement, EngineError> {
    let mut draft = VerdictDraft::begin();
    let source = source::score_and_select(question, place)?;
    let taken = external_measurements::usable_measurements(&source, question, elsewhere);
    let skipped = external_measurements::skipped_entries(&source, &taken);
    draft.end(CascadeStageName::Source, source.passed(), skipped);
    draft.add(taken.entries);
    let mut judgement = draft.finish(question, source);
    let report = &mut judgement.report;
    report.stages.extend(taken.stages);
    report.environment = taken.environment;
    report.cost_seconds = report.cost_seconds.max(taken.seconds);
    if let Some(why) = taken.missing {
        report.verdict = Verdict::Inconclusive;
        report.reason = format!("nothing was measured: {why}");
    }
    Ok(judgement)
}
