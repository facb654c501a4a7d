//! The store of a repository that lito works for → results in the form of a studied project: the versions with counts
//! relative to their base, and their current predictions.
//!
//! The gate stores the counts of versions that it measured: flagged versions, and skipped ones that its audit drew.
//! Samples of a commit and of its parent also give the counts of both sides. Builds and measures nothing.

use analyzer::score::CostModel;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::accuracy::{
    CodeAnswer, ComparisonBase, EvaluationOptions, MeasuredBenchmark, MeasuredVersion, PredictedVersion,
    ProjectResults, StudyKind,
};
use crate::report::StoreBasis;
use runner::git::{CommitId, Repository};
use runner::store::{SampleRecord, Store};
use verdict::Metric;
use verdict::{BenchmarkOutcome, BenchmarkVerdict, VerdictReport};

use super::prediction;
use super::shipped_weights::shipped;
use engine::EngineError;
use engine::sample_loader::SampleLoader;
use engine::scoring;
use engine::settings::Settings;
use engine::skipping_audit;

/// The results in a store.
pub struct StoreStudy {
    /// The results, as those of a project of the study.
    pub project: ProjectResults,
    /// The source of its counts.
    pub rests_on: StoreBasis,
    /// The problems with records that were skipped.
    pub set_aside: Vec<String>,
}

/// Count at the base, count at the head, and the comparison of machine code.
type BaseHeadCounts = (u64, u64, CodeAnswer);

/// A version with counts.
struct CountedVersion {
    base: CommitId,
    head: CommitId,
    at: i64,
    counts: BTreeMap<String, BaseHeadCounts>,
    source: CountOrigin,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CountOrigin {
    Flagged,
    Audited,
    Sampled,
}

/// Count of a benchmark that was not run because its code did not change, and that no sample contains. Any value works
/// if both sides have it; the smallest one weighs least in the sum over the benchmarks.
const NOT_RUN: u64 = 1;

/// Reads the store, and predicts the versions that have counts.
pub fn read_store(repository: &Repository, settings: &Settings) -> Result<StoreStudy, EngineError> {
    let store = Store::open(repository, &settings.store.url)?;
    let verdicts = store.verdicts()?;
    let sampled = store.samples()?;
    let findings = verdicts.set_aside.iter().chain(&sampled.set_aside);
    let mut set_aside: Vec<String> = findings
        .map(|finding| format!("{}: {}", finding.path, finding.why))
        .collect();
    let mut pairs = gated(repository, &verdicts.verdicts, &mut set_aside);
    let known: BTreeSet<CommitId> = pairs.iter().map(|pair| pair.head).collect();
    pairs.extend(neighbours(repository, &store, &sampled.samples, &known)?);
    pairs.sort_by_key(|pair| (pair.at, pair.head));
    if pairs.is_empty() {
        return Err(nothing(repository));
    }

    let mut samples = SampleLoader::new(repository, &store)?;
    let mut scoring = scoring::scoring_for_model(
        CostModel::Lito,
        settings.gate.threshold.share(),
        (repository, &settings.benchmarks),
    );
    let mut project = ProjectResults {
        name: name(repository),
        study: StudyKind::Commits,
        dropped: None,
        held_out: false,
        measured: Vec::new(),
        predicted: BTreeMap::new(),
        sampling: BTreeMap::new(),
    };
    let every = settings.sampling.every;
    let mut rests_on = StoreBasis {
        audit: skipping_audit::audit_of_verdicts(&verdicts.verdicts),
        ..StoreBasis::default()
    };
    for mut pair in pairs {
        let nearest = samples.nearest(pair.base)?;
        if let Some((sample, _)) = &nearest {
            for profile in sample.benchmarks.iter().map(|indexed| indexed.profile()) {
                if let Some((base, head, CodeAnswer::Same)) = pair.counts.get_mut(&profile.benchmark) {
                    (*base, *head) = (profile.total, profile.total);
                }
            }
        }
        match pair.source {
            CountOrigin::Flagged => rests_on.flagged += 1,
            CountOrigin::Audited => rests_on.audited += 1,
            CountOrigin::Sampled => rests_on.sampled += 1,
        }
        let mut predicted = PredictedVersion {
            commit: pair.head.to_string(),
            files: prediction::compiled_files(repository, (pair.base, pair.head))?,
            on: BTreeMap::new(),
        };
        match &nearest {
            Some(nearest) => {
                let versions = (pair.base, pair.head);
                let on = prediction::predict_from_sample(repository, versions, nearest, &mut scoring)?;
                predicted.on.insert(every, on);
            }
            None => rests_on.unpredicted += 1,
        }
        samples.forget_unused();
        project.measured.extend(measured(repository, &pair)?);
        (project.predicted).insert(predicted.commit.clone(), predicted);
    }
    set_aside.extend(samples.skipped_record_warnings());
    set_aside.sort();
    set_aside.dedup();
    if rests_on.unpredicted == project.predicted.len() {
        return Err(unpredicted(repository, &project));
    }
    Ok(StoreStudy {
        project,
        rests_on,
        set_aside,
    })
}

/// The options for an evaluation of one's own repository: nothing is learned from it, and there is no other project to
/// learn from.
pub fn options(settings: &Settings) -> EvaluationOptions {
    let gate = settings.gate.threshold.share();
    let mut options = EvaluationOptions {
        gate_threshold: gate,
        ks: vec![settings.sampling.every],
        headline: settings.sampling.every,
        learning: crate::accuracy::LearningMode::Given(shipped()),
        ablate: false,
        ..EvaluationOptions::default()
    };
    options.thresholds.push(gate);
    options.thresholds.sort_by(f64::total_cmp);
    options.thresholds.dedup();
    options
}

/// The name of the folder that contains the repository.
fn name(repository: &Repository) -> String {
    let root = repository.workdir().unwrap_or(repository.common_dir());
    let name = root.file_name().unwrap_or_default().to_string_lossy();
    name.into_owned()
}

/// Versions that the gate measured, with one pair each; if there are several, the pair with the parent.
fn gated(repository: &Repository, verdicts: &[VerdictReport], set_aside: &mut Vec<String>) -> Vec<CountedVersion> {
    let mut best: BTreeMap<CommitId, (bool, CountedVersion)> = BTreeMap::new();
    for report in verdicts {
        let (Ok(base), Ok(head)) = (report.base.parse(), report.head.parse()) else {
            continue;
        };
        let counts = counts(report);
        if counts.is_empty() {
            continue;
        }
        let here = repository
            .committed_at(base)
            .and_then(|_| repository.committed_at(head));
        let at = match here {
            Ok(at) => at,
            Err(error) => {
                set_aside.push(format!("the verdict on {head}: {error}"));
                continue;
            }
        };
        // A parent that a shallow clone cut off is unknown.
        let of_parent = repository.parent(head).ok().flatten() == Some(base);
        let pair = CountedVersion {
            base,
            head,
            at,
            counts,
            source: if report.audited {
                CountOrigin::Audited
            } else {
                CountOrigin::Flagged
            },
        };
        let weight = |(of_parent, pair): &(bool, CountedVersion)| (*of_parent, pair.counts.len());
        let candidate = (of_parent, pair);
        let is_better = (best.get(&head)).is_none_or(|known| weight(&candidate) > weight(known));
        if is_better {
            best.insert(head, candidate);
        }
    }
    best.into_values().map(|(_, pair)| pair).collect()
}

/// The counts of a verdict for each benchmark, in instructions where it has them.
fn counts(report: &VerdictReport) -> BTreeMap<String, BaseHeadCounts> {
    let mut counts = BTreeMap::new();
    for metric in [Metric::Operations, Metric::Instructions] {
        let entries = report.benchmarks.iter();
        counts.extend(
            entries
                .filter(|entry| entry.metric == metric)
                .filter_map(|entry| Some((entry.name.clone(), counted(entry)?))),
        );
    }
    counts
}

fn counted(entry: &BenchmarkVerdict) -> Option<BaseHeadCounts> {
    let whole = |value: f64| value.round() as u64;
    match (entry.verdict, entry.base, entry.head) {
        (_, Some(base), Some(head)) => Some((whole(base), whole(head), CodeAnswer::Different)),
        (BenchmarkOutcome::SameCode, Some(base), None) => Some((whole(base), whole(base), CodeAnswer::SameExecuted)),
        (BenchmarkOutcome::SameCode, None, None) => Some((NOT_RUN, NOT_RUN, CodeAnswer::Same)),
        _ => None,
    }
}

/// Pairs of a commit and its parent that were sampled in the same environment.
fn neighbours(
    repository: &Repository,
    store: &Store,
    samples: &[SampleRecord],
    known: &BTreeSet<CommitId>,
) -> Result<Vec<CountedVersion>, EngineError> {
    let mut pairs: BTreeMap<CommitId, CountedVersion> = BTreeMap::new();
    for head in samples.iter().filter(|record| record.is_baseline()) {
        if known.contains(&head.commit) || pairs.contains_key(&head.commit) {
            continue;
        }
        // A commit that no longer exists, or whose parent a shallow clone cut off, has no pair.
        let Ok(Some(parent)) = repository.parent(head.commit) else {
            continue;
        };
        let base = samples.iter().find(|record| {
            record.commit == parent && record.environment.id() == head.environment.id() && record.is_baseline()
        });
        let Some(base) = base else { continue };
        let (before, after) = (totals(store, base)?, totals(store, head)?);
        let counts: BTreeMap<String, BaseHeadCounts> = (after.into_iter())
            .filter_map(|(name, count)| Some((name.clone(), (*before.get(&name)?, count, CodeAnswer::Unknown))))
            .collect();
        if !counts.is_empty() {
            let pair = CountedVersion {
                base: parent,
                head: head.commit,
                at: head.committed_at,
                counts,
                source: CountOrigin::Sampled,
            };
            pairs.insert(head.commit, pair);
        }
    }
    Ok(pairs.into_values().collect())
}

/// μ of each benchmark. A profile that cannot be read is left out.
fn totals(store: &Store, record: &SampleRecord) -> Result<BTreeMap<String, u64>, EngineError> {
    let mut totals = BTreeMap::new();
    for (name, key) in record.profiles() {
        let bytes = store.object(key)?;
        if let Ok(profile) = profile::format::binary::decode(&bytes) {
            totals.insert(name.to_owned(), profile.total);
        }
    }
    Ok(totals)
}

/// The base and the version. Seconds are not known: verdicts only store the sum of all stages.
fn measured(repository: &Repository, pair: &CountedVersion) -> Result<[MeasuredVersion; 2], EngineError> {
    let side = |commit: CommitId, against, count: fn(&BaseHeadCounts) -> u64| {
        let benchmarks = pair.counts.iter().map(|(name, counts)| {
            let measured = MeasuredBenchmark {
                instructions: Some(count(counts)),
                failed: None,
                code: counts.2,
                seconds: 0.0,
            };
            (name.clone(), measured)
        });
        Ok::<_, EngineError>(MeasuredVersion {
            version: commit.short(),
            commit: commit.to_string(),
            at: repository.committed_at(commit)?,
            against,
            unbuilt: None,
            benchmarks: benchmarks.collect(),
            dependencies: Vec::new(),
            build: 0.0,
        })
    };
    Ok([
        side(pair.base, ComparisonBase::Nothing, |counts| counts.0)?,
        side(pair.head, ComparisonBase::Commit(pair.base.to_string()), |counts| {
            counts.1
        })?,
    ])
}

fn nothing(repository: &Repository) -> EngineError {
    EngineError::request(format_args!(
        "evaluating {}: its store holds no counts of a version and of the one before it; `lito gate` measures the versions \
         that it flags and a share of the others (`gate.audit` in lito.toml), and `lito sample --last N --every 1` profiles \
         one version after the other",
        place(repository)
    ))
}

fn unpredicted(repository: &Repository, project: &ProjectResults) -> EngineError {
    let measured = project.measured.iter();
    let base = measured.map(|version| &version.version).next();
    EngineError::request(format_args!(
        "evaluating {}: {} measured, and none has a sample at or before the version that it is compared with; \
         `lito sample {}` makes one",
        place(repository),
        report::number_format::counted_noun(project.predicted.len(), "version"),
        base.map_or("", String::as_str)
    ))
}

fn place(repository: &Repository) -> String {
    let root = repository.workdir().unwrap_or(repository.common_dir());
    // git ends the path with a slash; this removes it.
    let root: PathBuf = root.components().collect();
    root.display().to_string()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use verdict::{SCHEMA, Verdict};

    use super::*;

    fn entry(name: &str, metric: Metric, outcome: BenchmarkOutcome, values: [Option<f64>; 2]) -> BenchmarkVerdict {
        BenchmarkVerdict {
            base: values[0],
            head: values[1],
            ..BenchmarkVerdict::without_values(name, metric, outcome)
        }
    }

    #[test]
    fn what_compiled_to_the_same_code_did_not_move_and_what_was_not_measured_is_not_known() {
        use BenchmarkOutcome::{Failed, Pass, Regression, SameCode, Skipped};
        let instructions = Metric::Instructions;
        let report = VerdictReport {
            schema: SCHEMA.to_owned(),
            base: String::new(),
            head: String::new(),
            verdict: Verdict::Regression,
            reason: String::new(),
            benchmarks: vec![
                entry("slower", instructions, Regression, [Some(100.0), Some(150.0)]),
                entry("slower", Metric::WallTime, Regression, [Some(9.5), Some(20.5)]),
                entry("both", instructions, Pass, [Some(100.0), Some(101.0)]),
                entry("both", Metric::Operations, Pass, [Some(7.0), Some(8.0)]),
                entry("probed", Metric::Operations, Pass, [Some(7.0), Some(8.0)]),
                entry("same", instructions, SameCode, [None, None]),
                entry("same where run", instructions, SameCode, [Some(4.0), None]),
                entry("skipped", instructions, Skipped, [None, None]),
                entry("broken", instructions, Failed, [Some(4.0), None]),
            ],
            stages: Vec::new(),
            audited: false,
            audit: None,
            claims: Vec::new(),
            repeat: None,
            environment: BTreeMap::new(),
            programs: BTreeMap::new(),
            cost_seconds: 0.0,
            spent: None,
        };
        let known: Vec<(String, BaseHeadCounts)> = counts(&report).into_iter().collect();
        let expected = [
            ("both", (100, 101, CodeAnswer::Different)),
            ("probed", (7, 8, CodeAnswer::Different)),
            ("same", (NOT_RUN, NOT_RUN, CodeAnswer::Same)),
            ("same where run", (4, 4, CodeAnswer::SameExecuted)),
            ("slower", (100, 150, CodeAnswer::Different)),
        ];
        assert_eq!(known, expected.map(|(name, counts)| (name.to_owned(), counts)));
    }
}
