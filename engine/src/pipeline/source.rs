//! Stage 1: scores the change from base to head and selects the benchmarks to run. Reads git objects only.

use std::collections::{BTreeMap, BTreeSet};

use analyzer::sample::Sample;
use analyzer::score::{CostModel, ScoreDecision, VersionScore};
use profile::inputs::OpenedFiles;
use runner::benchmark::BenchmarkChoice;
use runner::git::CommitId;
use runner::suite::SampledFunctions;

use super::candidate::{BenchmarkCandidate, BenchmarkFinding};
use super::reachability;
use super::selection::{BenchmarkSelection, select};
use super::verdict_draft::StageCounts;
use super::{GateContext, GateRequest, SelectionRequest};
use crate::error::EngineError;
use crate::file_sources;
use crate::recorded_inputs;
use crate::sample_loader::SampleLoader;
use crate::scoring;
use crate::skipping_audit::stays_drawn;

/// The result of scoring the sources.
pub(super) struct SourceStageResult {
    pub(super) score: VersionScore,
    pub(super) selection: BenchmarkSelection,
    /// The benchmarks that whoever asked chose among.
    pub(super) chosen: BenchmarkChoice,
    /// Paths of the files that differ.
    pub(super) changed_files: Vec<String>,
    /// The files that each benchmark opens at the base, where a record says so.
    pub(super) opened: BTreeMap<String, OpenedFiles>,
    /// The functions that each benchmark executed at the sample.
    pub(super) sampled_functions: SampledFunctions,
}

/// Scores and selects, the benchmarks of these claimed names as well.
pub(super) fn score_and_select(
    question: &GateRequest<'_>,
    place: &GateContext<'_>,
    claimed: Vec<String>,
) -> Result<SourceStageResult, EngineError> {
    let chosen = place.settings.benchmarks.choice();
    let without = question.is_scored_again.then(|| place.repository.without_submodules());
    let without = without.transpose()?;
    let sources = without.as_ref().unwrap_or(place.repository);
    let mut samples = SampleLoader::new(sources, place.store)?.only(chosen.clone());
    let scoring = scoring::scoring_for_model(
        CostModel::Lito,
        place.settings.gate.threshold.share(),
        (sources, &place.settings.benchmarks),
    );
    let (base, head) = (question.base, question.head);
    let score = scoring::score_pair(sources, (base, head), &mut samples, &scoring)?;
    let changed_files = file_sources::changed_paths(sources, base, head)?;
    let sample = samples.nearest(base)?.map(|(sample, _)| sample);
    let opened = match &sample {
        Some(sample) => recorded_inputs::opened_at(sources, sample, base)?,
        None => BTreeMap::new(),
    };
    let drawn = score.decision == ScoreDecision::Skip && is_drawn(question, place)?;
    let selection = BenchmarkSelection {
        claimed,
        ..select(&score, drawn, question.which)
    };
    let selection = match chosen.packages.is_empty() {
        true => selection,
        false => selection.without_names_of_sample(),
    };
    Ok(SourceStageResult {
        score,
        selection,
        chosen: chosen.clone(),
        changed_files,
        opened,
        sampled_functions: sample.as_deref().map(sampled_functions).unwrap_or_default(),
    })
}

fn sampled_functions(sample: &Sample) -> SampledFunctions {
    let mut functions = SampledFunctions::at(sample.commit.clone());
    for indexed in &sample.benchmarks {
        functions.add(indexed.profile());
    }
    functions
}

/// Whether the version is audited if the score skips it.
fn is_drawn(question: &GateRequest<'_>, place: &GateContext<'_>) -> Result<bool, EngineError> {
    let SelectionRequest::Flagged { audit } = question.which else {
        return Ok(false);
    };
    if audit.is_drawn() || !audit.remembers() {
        return Ok(audit.is_drawn());
    }
    let kept = place.store.verdicts()?.verdicts;
    let versions = (question.base.to_string(), question.head.to_string());
    let is_merged = |head: &str| {
        let head: Option<CommitId> = head.parse().ok();
        head.is_some_and(|head| place.repository.is_on_default_branch(head).unwrap_or(false))
    };
    Ok(stays_drawn(&kept, (&versions.0, &versions.1), is_merged))
}

impl SourceStageResult {
    /// The number of the sample's benchmarks that the score decided on, and of those that are run.
    pub(super) fn passed(&self) -> StageCounts {
        let names = self.score.benchmarks.iter();
        let taken = names.filter(|benchmark| self.selection.takes(&benchmark.name));
        let on = taken.count();
        StageCounts {
            of: on + self.skipped_names().count(),
            on,
        }
    }

    /// The findings of the benchmarks that are not run by the score, except for those that are `settled` all the same.
    pub(super) fn skipped(&self, settled: &BTreeSet<String>) -> Vec<BenchmarkFinding> {
        self.left_out(settled).map(|candidate| candidate.skipped()).collect()
    }

    /// The benchmarks that the score leaves out, except for those that are `settled` all the same.
    pub(super) fn left_out(&self, settled: &BTreeSet<String>) -> impl Iterator<Item = BenchmarkCandidate> {
        (self.skipped_names())
            .filter(|name| !settled.contains(*name))
            .map(|name| self.candidate(name))
    }

    /// The sample's benchmarks that the score decided not to run. Those that whoever asked left out are not among them.
    fn skipped_names(&self) -> impl Iterator<Item = &str> {
        let by_score = !self.selection.by_hand();
        (self.score.benchmarks.iter())
            .map(|benchmark| benchmark.name.as_str())
            .filter(move |name| by_score && !self.selection.takes(name))
    }

    /// A benchmark with its prediction.
    pub(super) fn candidate(&self, name: &str) -> BenchmarkCandidate {
        BenchmarkCandidate {
            name: name.to_owned(),
            probability: self.selection.probabilities.get(name).copied(),
            reach: reachability::by_score(&self.score, name),
        }
    }
}
