//! A measured version and a later one → whether nothing that a benchmark executes differs between them.
//!
//! A small prediction is not a proof: anything that the score can't exclude counts as a change.

use std::collections::BTreeSet;
use std::ffi::OsString;

use analyzer::change::{ChangeKind, is_runtime_input};
use analyzer::score::{BenchmarkPrediction, ScoreDecision, VersionScore};
use runner::git::{BlobContent, CommitId};
use runner::store::SampleRecord;

use super::TrackRequest;
use crate::error::EngineError;
use crate::file_sources;
use crate::recorded_inputs;
use crate::sample_loader::SampleLoader;
use crate::scoring;

/// True if the later version's costs are those of the measured one. Held against the measured version itself, however
/// many lie between: what was executed is known of it.
pub(super) fn is_unchanged(
    request: &TrackRequest<'_>,
    measured: &SampleRecord,
    later: CommitId,
    samples: &mut SampleLoader<'_>,
) -> Result<bool, EngineError> {
    let repository = request.sampling.repository;
    let paths = file_sources::changed_paths(repository, measured.commit, later)?;
    // An unreadable file proves nothing.
    let Ok(sample) = samples.load(measured) else {
        return Ok(false);
    };
    // Neither does a score know what a benchmark's own source selects, nor what a program reads while it runs.
    let opened = recorded_inputs::opened_at(repository, &sample, measured.commit)?;
    let is_known = measured
        .profiles()
        .all(|(name, _)| opened.get(name).is_some_and(|opened| opened.is_complete));
    let is_read = |path: &str| {
        let is_opened = opened.values().any(|opened| opened.notices_presence(path));
        is_opened || (!is_known && is_runtime_input(path))
    };
    if paths.iter().any(|path| is_read(path) || is_benchmark(path)) {
        return Ok(false);
    }
    // The version would be built with what is set now.
    let definitions = request.sampling.definitions;
    let set_now = |name: &str| {
        let defined = definitions.iter().find_map(|definition| definition.env.get(name));
        let defined = defined.map(|value| value.clone().into_bytes());
        defined.or_else(|| std::env::var_os(name).map(OsString::into_encoded_bytes))
    };
    if !recorded_inputs::changed_variables(&sample, set_now).is_empty() {
        return Ok(false);
    }
    let score =
        scoring::score_pair_on_sample(repository, (measured.commit, later), Some((sample, 1)), request.scoring)?;
    // Of a benchmark that failed nobody knows what it executes.
    let all_profiled = measured.profiles().count() == measured.benchmarks.len();
    if !proves(&score) || !(all_profiled || score.changes.is_empty()) {
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
        if of(measured.commit, path)? != of(later, path)? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Decisions that the score words as "only docs, tests or code that nothing calls changed" or "no benchmark executes what changed".
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

/// True for the source of a benchmark, by cargo's convention.
pub(super) fn is_benchmark(path: &str) -> bool {
    path.split('/').any(|folder| folder == "benches")
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
    use analyzer::score::{DecisionReason, SampleReference, ScoredChange};

    use super::*;

    fn score() -> VersionScore {
        VersionScore {
            commit: String::new(),
            parent: None,
            sample: Some(SampleReference {
                commit: String::new(),
                distance: 1,
                profiler: None,
            }),
            decision: ScoreDecision::Skip,
            reason: DecisionReason::NotExecuted,
            probability: 0.0,
            benchmarks: vec![BenchmarkPrediction::default(), BenchmarkPrediction::default()],
            changes: Vec::new(),
            degraded: Vec::new(),
            unused: Vec::new(),
            newer_benchmarks: Vec::new(),
            reach: None,
        }
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

    #[test]
    fn a_benchmarks_own_source_is_known_by_its_folder() {
        assert!(is_benchmark("benches/parse.rs") && is_benchmark("crates/a/benches/data.bin"));
        assert!(!is_benchmark("src/benches.rs") && !is_benchmark("README.md"));
    }
}
