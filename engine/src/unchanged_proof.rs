//! A measured version and a later one → whether nothing that a benchmark executes differs between them.
//!
//! A small prediction is not a proof: anything that the score can't exclude counts as a change.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::sync::Arc;

use analyzer::change::{ChangeKind, is_beside_benchmarks, is_runtime_input};
use analyzer::sample::Sample;
use analyzer::score::{BenchmarkPrediction, ScoreDecision, ScoreOptions, VersionScore};
use runner::benchmark::BenchmarkDefinitions;
use runner::git::{BlobContent, CommitId, Repository};
use runner::store::SampleRecord;

use crate::error::EngineError;
use crate::file_sources;
use crate::recorded_inputs;
use crate::sample_loader::SampleLoader;
use crate::scoring;

/// Everything besides the versions that a proof needs.
#[derive(Clone, Copy)]
pub(crate) struct ProofGround<'a> {
    /// The repository.
    pub(crate) repository: &'a Repository,
    /// The configured benchmarks: their variables are those that a later version would be built with.
    pub(crate) definitions: &'a BenchmarkDefinitions,
    /// How predictions are made.
    pub(crate) scoring: &'a ScoreOptions,
}

/// True if the later version's costs are those of the sampled one. Held against the sampled version itself, however
/// many lie between: what was executed is known of it.
pub(crate) fn is_unchanged_since_sample(
    ground: ProofGround<'_>,
    measured: &SampleRecord,
    later: CommitId,
    samples: &mut SampleLoader<'_>,
) -> Result<bool, EngineError> {
    // An unreadable file proves nothing.
    let Ok(sample) = samples.load(measured) else {
        return Ok(false);
    };
    // Of a benchmark that failed nobody knows what it executes.
    let knows_all = measured.profiles().count() == measured.benchmarks.len();
    is_unchanged(ground, (measured.commit, later), &sample, knows_all)
}

/// The same for a version that was measured, sampled or not. Of one without a sample it is not known what it executed: then
/// nothing at all may differ that is compiled otherwise.
pub(crate) fn is_unchanged_since(
    ground: ProofGround<'_>,
    (measured, later): (CommitId, CommitId),
    samples: &mut SampleLoader<'_>,
) -> Result<bool, EngineError> {
    match samples.nearest(measured)? {
        Some((sample, _)) => is_unchanged(ground, (measured, later), &sample, false),
        None => Ok(false),
    }
}

fn is_unchanged(
    ground: ProofGround<'_>,
    (measured, later): (CommitId, CommitId),
    sample: &Arc<Sample>,
    knows_all: bool,
) -> Result<bool, EngineError> {
    let repository = ground.repository;
    let paths = file_sources::changed_paths(repository, measured, later)?;
    // Neither does a score know what a benchmark's own source selects, nor what a program reads while it runs.
    let opened = recorded_inputs::opened_at(repository, sample, measured)?;
    let is_known = (sample.benchmarks.iter()).all(|indexed| {
        let opened = opened.get(&indexed.profile().benchmark);
        opened.is_some_and(|opened| opened.is_complete)
    });
    let is_read = |path: &str| {
        let is_opened = opened.values().any(|opened| opened.notices_presence(path));
        is_opened || (!is_known && is_runtime_input(path))
    };
    if (paths.iter()).any(|path| is_read(path) || is_beside_benchmarks(path)) {
        return Ok(false);
    }
    // The version would be built with what is set now.
    let set_now = |name: &str| {
        let defined = (ground.definitions.iter()).find_map(|definition| definition.env.get(name));
        let defined = defined.map(|value| value.clone().into_bytes());
        defined.or_else(|| std::env::var_os(name).map(OsString::into_encoded_bytes))
    };
    if !recorded_inputs::changed_variables(sample, set_now).is_empty() {
        return Ok(false);
    }
    let nearest = (Arc::clone(sample), 1);
    let score = scoring::score_pair_on_sample(repository, (measured, later), Some(nearest), ground.scoring)?;
    if !proves(&score) || !(knows_all || score.changes.is_empty()) {
        return Ok(false);
    }
    // A test may be a benchmark: whether one came or went, no profile tells.
    let of = |commit: CommitId, path: &str| -> Result<BTreeSet<String>, EngineError> {
        let read = repository.file_at(commit, path.as_bytes(), file_sources::FILE_LIMIT)?;
        Ok(match read {
            Some(BlobContent::Bytes(text)) => marked_functions(&String::from_utf8_lossy(&text)),
            _ => BTreeSet::new(),
        })
    };
    for path in paths.iter().filter(|path| path.ends_with(".rs")) {
        if of(measured, path)? != of(later, path)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Decisions that the score words as "only docs, tests or code that nothing compiles or calls changed" or "no benchmark
/// executes what changed".
fn proves(score: &VersionScore) -> bool {
    let still = |benchmark: &BenchmarkPrediction| {
        let figures = [
            benchmark.predicted,
            benchmark.low,
            benchmark.high,
            benchmark.probability,
        ];
        !benchmark.selected && figures.iter().all(|figure| *figure == 0.0)
    };
    let elsewhere = |kind: ChangeKind| matches!(kind, ChangeKind::Dependency | ChangeKind::BuildSetting);
    score.decision == ScoreDecision::Skip
        && score.sample.is_some()
        && score.degraded.is_empty()
        && !score.benchmarks.is_empty()
        && score.benchmarks.iter().all(still)
        && !score.changes.iter().any(|change| elsewhere(change.kind))
}

/// The functions below an attribute that makes tests or benchmarks of them (`#[test]`, `#[bench]`,
/// `#[divan::bench(..)]`), with the lines of their attributes, as they are written.
fn marked_functions(source: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut attributes = String::new();
    for line in source.lines().map(str::trim) {
        if line.starts_with("#[") {
            attributes.push_str(line);
            attributes.push('\n');
        } else if !attributes.is_empty() && !line.is_empty() && !line.starts_with("//") {
            let is_marked = ["test", "bench", "case"].iter().any(|mark| attributes.contains(mark));
            if is_marked && line.contains("fn ") {
                found.insert(format!("{attributes}{}", line.trim_end_matches('{')));
            }
            attributes.clear();
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use analyzer::score::ScoredChange;

    use super::*;
    use crate::score_fixture;

    fn score() -> VersionScore {
        let benchmarks = vec![BenchmarkPrediction::default(), BenchmarkPrediction::default()];
        score_fixture::score(ScoreDecision::Skip, benchmarks)
    }

    #[test]
    fn only_a_score_without_any_doubt_proves() {
        assert!(proves(&score()));
        let doubts: [fn(&mut VersionScore); 7] = [
            |score| score.benchmarks[1].high = 1e-9,
            |score| score.benchmarks[1].low = -1e-9,
            |score| score.benchmarks[0].probability = 1e-9,
            |score| score.benchmarks[0].predicted = f64::NAN,
            |score| score.benchmarks.clear(),
            |score| score.sample = None,
            |score| score.decision = ScoreDecision::Benchmark,
        ];
        for doubt in doubts {
            let mut doubtful = score();
            doubt(&mut doubtful);
            assert!(!proves(&doubtful), "{doubtful:?}");
        }
    }

    #[test]
    fn what_is_built_otherwise_is_no_proof_whatever_is_predicted() {
        for (kind, proven) in [
            (ChangeKind::Dependency, false),
            (ChangeKind::BuildSetting, false),
            (ChangeKind::Operation, true),
        ] {
            let mut scored = score();
            scored.changes.push(ScoredChange {
                kind,
                function: None,
                file: String::new(),
                line: 0,
                callee: None,
                resolved_by: None,
                effects: Vec::new(),
                input_of: None,
            });
            assert_eq!(proves(&scored), proven, "{kind:?}");
        }
    }

    #[test]
    fn tests_that_come_and_go_are_seen() {
        let one = "#[test]\nfn a() {\n    b();\n}\n\n#[inline]\nfn c() {}\n";
        assert_eq!(marked_functions(one).len(), 1);
        assert_eq!(marked_functions(&one.replace("b();", "c();")), marked_functions(one));
        let two = format!("{one}\n    #[divan::bench(args = [1])]\n    // why\n    fn d(n: u64) {{\n");
        assert_eq!(marked_functions(&two).len(), 2);
        assert_ne!(marked_functions(&two.replace("[1]", "[1, 2]")), marked_functions(&two));
    }
}
