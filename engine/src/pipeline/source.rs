//! Stage 1: the change from base to head scored, and what is run because of that. Reads git objects only.

use analyzer::score::{CostModel, VersionScore};
use verdict::BenchmarkVerdict;

use super::candidate::BenchmarkCandidate;
use super::reachability;
use super::selection::{BenchmarkSelection, select};
use super::verdict_draft::StageCounts;
use super::{GateContext, GateRequest};
use crate::error::EngineError;
use crate::sample_loader::SampleLoader;
use crate::scoring;

/// What the sources say.
pub(super) struct SourceStageResult {
    pub(super) score: VersionScore,
    pub(super) selection: BenchmarkSelection,
    /// Paths of the files that differ.
    pub(super) changed_files: Vec<String>,
}

/// Scores and selects.
pub(super) fn score_and_select(
    question: &GateRequest<'_>,
    place: &GateContext<'_>,
) -> Result<SourceStageResult, EngineError> {
    let mut samples = SampleLoader::new(place.repository, place.store)?;
    let scoring = scoring::scoring_for_model(CostModel::Lito, place.settings.gate.threshold.share());
    let (base, head) = (question.base, question.head);
    let score = scoring::score_pair(place.repository, (base, head), &mut samples, &scoring)?;
    let changed_files = scoring::changed_paths(place.repository, base, head)?;
    let selection = select(&score, &changed_files, head, question.which);
    Ok(SourceStageResult {
        score,
        selection,
        changed_files,
    })
}

impl SourceStageResult {
    /// Of the sample's benchmarks, those that are run.
    pub(super) fn passed(&self) -> StageCounts {
        let names = self.score.benchmarks.iter();
        let taken = names.filter(|benchmark| self.selection.takes(&benchmark.name));
        StageCounts {
            of: self.score.benchmarks.len(),
            on: taken.count(),
        }
    }

    /// The entries of those that are not.
    pub(super) fn skipped_entries(&self) -> Vec<BenchmarkVerdict> {
        (self.score.benchmarks.iter())
            .filter(|benchmark| !self.selection.takes(&benchmark.name))
            .map(|benchmark| self.candidate(&benchmark.name).skipped())
            .collect()
    }

    /// A benchmark with what the score says of it.
    pub(super) fn candidate(&self, name: &str) -> BenchmarkCandidate {
        BenchmarkCandidate {
            name: name.to_owned(),
            probability: self.selection.probabilities.get(name).copied(),
            reach: reachability::by_score(&self.score, name),
        }
    }
}
