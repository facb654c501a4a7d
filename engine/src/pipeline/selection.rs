//! A score → which benchmarks are run, in which order, or why none is.

use std::collections::BTreeMap;

use analyzer::score::{ScoreDecision, VersionScore};
use runner::benchmark::glob_matches;
use runner::git::CommitId;

use super::{GateContext, GateRequest, reachability};
use crate::benchmark_names::{BenchmarkNames, NamedBenchmarks};
use crate::error::EngineError;
use crate::skipping_audit::AuditDraw;

/// The requested benchmarks.
#[derive(Debug, Clone, Copy)]
pub enum SelectionRequest<'a> {
    /// Those that the score flags. Of some versions that it skips all are run, to count the regressions that skipping misses.
    Flagged {
        /// The draw that decides whether the version is one of those.
        audit: AuditDraw,
    },
    /// Those that match one of these globs, all if there is none, whatever the score says.
    Named(&'a [String]),
}

/// The selected benchmarks.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct BenchmarkSelection {
    pub(super) run: SelectedBenchmarks,
    /// The names in claims about the change: these benchmarks are run as well, after the others.
    pub(super) claimed: Vec<String>,
    /// True if the score skips the version and it is measured all the same.
    pub(super) audited: bool,
    /// Predicted probability of each benchmark of the sample.
    pub(super) probabilities: BTreeMap<String, f64>,
}

/// The benchmarks to run.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum SelectedBenchmarks {
    /// None.
    Nothing,
    /// Every one that there is, or that matches a glob.
    All(Vec<String>),
    /// These, and those that are new at the head.
    These(Vec<String>),
}

/// The attempt that errors about named benchmarks name.
pub(super) const NAMED: &str = "measuring";

/// Refuses a named benchmark that neither version has, as far as that is known before anything is built.
pub(super) fn check_names(question: &GateRequest<'_>, place: &GateContext<'_>) -> Result<(), EngineError> {
    let globs = match question.which {
        SelectionRequest::Flagged { .. } => &place.settings.benchmarks.choice().names,
        SelectionRequest::Named(globs) => globs,
    };
    BenchmarkNames {
        repository: place.repository,
        store: place.store,
        definitions: &place.settings.benchmarks,
    }
    .check(
        NamedBenchmarks::by_option(NAMED, globs),
        &[question.base, question.head],
    )
}

/// Decides what is run for a version that is `drawn` for an audit or not.
pub(super) fn select(score: &VersionScore, drawn: bool, which: SelectionRequest<'_>) -> BenchmarkSelection {
    let probabilities = (score.benchmarks.iter())
        .map(|benchmark| (benchmark.name.clone(), benchmark.probability))
        .collect();
    let selection = |run, audited| BenchmarkSelection {
        run,
        claimed: Vec::new(),
        audited,
        probabilities,
    };
    match (which, score.decision) {
        (SelectionRequest::Named(globs), _) => selection(SelectedBenchmarks::All(globs.to_vec()), false),
        // A profile does not show that a benchmark was removed or changed its meaning.
        (SelectionRequest::Flagged { .. }, _) if !score.changed_benchmarks.is_empty() => {
            selection(SelectedBenchmarks::All(Vec::new()), false)
        }
        (SelectionRequest::Flagged { .. }, ScoreDecision::Skip) if drawn => {
            selection(SelectedBenchmarks::All(Vec::new()), true)
        }
        (SelectionRequest::Flagged { .. }, ScoreDecision::Skip) => selection(SelectedBenchmarks::Nothing, false),
        // Without a sample nobody knows what a benchmark executes.
        (SelectionRequest::Flagged { .. }, ScoreDecision::Benchmark) if score.sample.is_none() => {
            selection(SelectedBenchmarks::All(Vec::new()), false)
        }
        (SelectionRequest::Flagged { .. }, ScoreDecision::Benchmark) => {
            let selected = (score.benchmarks.iter()).filter(|benchmark| benchmark.selected);
            let names = selected.map(|benchmark| benchmark.name.clone()).collect();
            selection(SelectedBenchmarks::These(names), false)
        }
    }
}

/// The benchmarks of the sample that a gate would not run for a version, whatever their machine code is; `None` if it would
/// not run any benchmark.
pub(crate) fn left_out_for_good(score: &VersionScore) -> Option<Vec<String>> {
    let audit = AuditDraw::NONE;
    let selection = select(score, false, SelectionRequest::Flagged { audit });
    let is_left_out = |name: &&String| {
        !selection.takes(name) && !reachability::is_for_code_to_decide(&reachability::by_score(score, name))
    };
    let names = score.benchmarks.iter().map(|benchmark| &benchmark.name);
    (!selection.is_empty()).then(|| names.filter(is_left_out).cloned().collect())
}

impl BenchmarkSelection {
    /// Whether whoever asked chose the benchmarks, not the score.
    pub(super) fn by_hand(&self) -> bool {
        matches!(&self.run, SelectedBenchmarks::All(globs) if !globs.is_empty())
    }

    /// The same where the names of the sample may be those of other benchmarks: a name is only as long as the programs that
    /// are built together make it. Where some are run, all are.
    pub(super) fn without_names_of_sample(self) -> Self {
        let run = match self.run {
            SelectedBenchmarks::These(_) => SelectedBenchmarks::All(Vec::new()),
            run @ (SelectedBenchmarks::Nothing | SelectedBenchmarks::All(_)) => run,
        };
        Self { run, ..self }
    }

    /// Whether nothing at all is run.
    pub(super) fn is_empty(&self) -> bool {
        self.run == SelectedBenchmarks::Nothing && self.claimed.is_empty()
    }

    /// Whether a benchmark is run that both sides have.
    pub(super) fn takes(&self, name: &str) -> bool {
        self.selects(name) || self.claimed.iter().any(|glob| glob_matches(glob, name))
    }

    /// Whether a benchmark is run without any claim.
    pub(super) fn selects(&self, name: &str) -> bool {
        match &self.run {
            SelectedBenchmarks::Nothing => false,
            SelectedBenchmarks::All(globs) => globs.is_empty() || globs.iter().any(|glob| glob_matches(glob, name)),
            // Benchmarks missing from the sample were not predicted.
            SelectedBenchmarks::These(names) => {
                names.iter().any(|taken| taken == name) || !self.probabilities.contains_key(name)
            }
        }
    }

    /// Benchmarks in the order in which they are run: the most probable first, then by name; last those that are run for a
    /// claim only.
    pub(super) fn ordered<'n>(&self, names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
        let mut taken: Vec<&str> = names.filter(|name| self.takes(name)).collect();
        // Benchmarks without a prediction come first: they may change by any amount.
        let probability = |name: &str| self.probabilities.get(name).copied().unwrap_or(1.0);
        taken.sort_by(|a, b| {
            let by_probability = probability(b).total_cmp(&probability(a));
            let claimed_last = self.selects(b).cmp(&self.selects(a));
            claimed_last.then(by_probability).then(a.cmp(b))
        });
        taken
    }
}

/// A number for the order of starts and for resampling: the same for everybody. Nothing is decided by it that an author
/// could gain from: see [`AuditDraw`] for what is.
pub(super) fn seed(head: CommitId) -> u64 {
    u64::from_be_bytes(head.0.first_chunk().copied().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use analyzer::score::BenchmarkPrediction;

    use super::*;
    use crate::score_fixture;

    fn score(decision: ScoreDecision, benchmarks: &[(&str, f64)]) -> VersionScore {
        let predictions = benchmarks.iter().map(|&(name, probability)| BenchmarkPrediction {
            name: name.to_owned(),
            probability,
            selected: probability > 0.1,
            ..BenchmarkPrediction::default()
        });
        score_fixture::score(decision, predictions.collect())
    }

    const FLAGGED: SelectionRequest<'_> = SelectionRequest::Flagged { audit: AuditDraw::NONE };

    #[test]
    fn what_is_flagged_is_run_most_probable_first_and_new_benchmarks_before_all() {
        let flagged = score(ScoreDecision::Benchmark, &[("a", 0.2), ("b", 0.9), ("calm", 0.01)]);
        let selection = select(&flagged, false, FLAGGED);
        let order = selection.ordered(["a", "b", "calm", "new"].into_iter());
        assert_eq!(order, ["new", "b", "a"]);
    }

    #[test]
    fn claims_add_benchmarks_behind_the_others_and_take_none_away() {
        let flagged = score(
            ScoreDecision::Benchmark,
            &[("a", 0.2), ("b", 0.9), ("calm", 0.01), ("d", 0.05)],
        );
        let claimed = vec![String::from("c*"), String::from("b")];
        let with_claims = |score: &VersionScore| BenchmarkSelection {
            claimed: claimed.clone(),
            ..select(score, false, FLAGGED)
        };
        let names = ["a", "b", "calm", "d", "new"];
        let order = with_claims(&flagged).ordered(names.into_iter());
        assert_eq!(order, ["new", "b", "a", "calm"]);
        let skipped = score(ScoreDecision::Skip, &[("a", 0.01), ("calm", 0.01)]);
        let selection = with_claims(&skipped);
        assert!(!selection.is_empty() && !selection.audited && !selection.by_hand());
        assert_eq!(selection.ordered(names.into_iter()), ["b", "calm"]);
    }

    #[test]
    fn a_skipped_version_runs_nothing_unless_it_is_drawn() {
        let skipped = score(ScoreDecision::Skip, &[("a", 0.01)]);
        let passed_over = select(&skipped, false, FLAGGED);
        assert_eq!(passed_over.run, SelectedBenchmarks::Nothing);
        let drawn = select(&skipped, true, FLAGGED);
        assert!(drawn.audited && drawn.takes("a"));
    }

    #[test]
    fn benchmarks_that_changed_themselves_are_run() {
        let mut skipped = score(ScoreDecision::Skip, &[("a", 0.0)]);
        assert_eq!(select(&skipped, false, FLAGGED).run, SelectedBenchmarks::Nothing);
        skipped.changed_benchmarks = vec![String::from("crates/x/benches/parse.rs")];
        assert!(select(&skipped, false, FLAGGED).takes("a"));
    }

    #[test]
    fn without_a_sample_everything_is_run() {
        let mut unknown = score(ScoreDecision::Benchmark, &[]);
        unknown.sample = None;
        assert!(select(&unknown, false, FLAGGED).takes("anything"));
    }

    #[test]
    fn only_names_are_a_choice_by_hand() {
        let skipped = score(ScoreDecision::Skip, &[("a", 0.0)]);
        let named = [String::from("a*")];
        assert!(select(&skipped, false, SelectionRequest::Named(&named)).by_hand());
        assert!(!select(&skipped, false, SelectionRequest::Named(&[])).by_hand());
        assert!(!select(&skipped, true, FLAGGED).by_hand());
    }

    #[test]
    fn what_is_named_is_run_whatever_the_score_says() {
        let skipped = score(ScoreDecision::Skip, &[("parse/large", 0.0)]);
        let globs = [String::from("parse/*")];
        let selection = select(&skipped, false, SelectionRequest::Named(&globs));
        assert!(selection.takes("parse/large") && !selection.takes("print"));
        assert!(select(&skipped, false, SelectionRequest::Named(&[])).takes("print"));
    }

    #[test]
    fn a_version_that_is_flagged_or_named_is_no_audit() {
        let flagged = score(ScoreDecision::Benchmark, &[("a", 0.9)]);
        assert!(!select(&flagged, true, FLAGGED).audited);
        let skipped = score(ScoreDecision::Skip, &[("a", 0.0)]);
        assert!(!select(&skipped, true, SelectionRequest::Named(&[])).audited);
    }
}
