//! S2: samples every k-th version of a history, and predicts every version with both models from the newest sample at
//! or before its base.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Instant;

use crate::accuracy::{
    BaselineIndicators, MeasuredVersion, PredictedBenchmark, PredictedVersion, SamplePrediction, baseline_indicators,
};
use analyzer::change::is_build_input;
use analyzer::sample::Sample;
use analyzer::score::{CostModel, ScoreOptions, VersionScore};
use report::score::short_reasons;
use runner::git::{CommitId, Repository};
use runner::sample::{FailureRetryPolicy, SampledVersionState};
use runner::store::{SampleRecord, SampleState, Store};

use super::failure_reasons::PathRedactions;
use super::history::{StudyHistory, StudyVersion};
use super::result_files::ProjectResultsFolder;
use super::{StudyContext, StudySampling, sample_choice};
use engine::EngineError;
use engine::profiling;
use engine::profiling::{Profiler, ProfilerChoice};
use engine::sample_loader::{NearestStoredSample, SampleLoader};
use engine::sampling;
use engine::{file_sources, scoring};

/// The threshold of the predictions. Their terms do not depend on it.
const THRESHOLD: f64 = 0.05;

/// The most changes stored with a prediction as its explanation.
const REASONS: usize = 4;

/// Significant digits of a stored share.
const DIGITS: i32 = 4;

/// Takes the samples that predictions use, unless they are there.
pub fn sample(
    history: &StudyHistory,
    schedule: StudySampling<'_>,
    folder: &ProjectResultsFolder,
    context: &StudyContext<'_>,
) -> Result<(), EngineError> {
    match schedule {
        StudySampling::Every(distances) => sample_every(history, distances, folder, context),
        StudySampling::ByDrift(limit) => sample_by_drift(history, limit, folder, context),
    }
}

/// Samples the versions at which the drift since the newest sample reaches a limit, unless already sampled.
fn sample_by_drift(
    history: &StudyHistory,
    limit: f64,
    folder: &ProjectResultsFolder,
    context: &StudyContext<'_>,
) -> Result<(), EngineError> {
    let profiler = profiling::choose_profiler(Profiler::Callgrind, context.interruption, |_| {})?;
    let mut about = folder.about()?;
    let store = Store::open(&history.repository, about.store())?;
    let request = request(history, &store, &profiler, context);
    let counted = counted(folder)?;
    let mut versions: Vec<CommitId> = (history.versions.iter())
        .map(|version| version.commit)
        .filter(|commit| counted.contains(&commit.to_string()))
        .collect();
    // No later version would be predicted from it.
    versions.pop();
    let mut consider = |commit: CommitId| context.progress.working_on(&format!("the drift at {}", commit.short()));
    let sampled = sampling::sample_by_drift(&request, &versions, limit, &mut consider, &mut |_| {})?;
    for version in sampled {
        match version.state {
            SampledVersionState::Sampled => {
                let seconds = (version.building + version.profiling).as_secs_f64();
                about.sampling.insert(version.commit.to_string(), rounded(seconds));
            }
            SampledVersionState::AlreadySampled => {}
            SampledVersionState::NoBenchmark { reason } | SampledVersionState::DoesNotBuild { reason } => {
                let why = PathRedactions::of(history).shortened(&reason);
                let commit = version.commit.short();
                context.progress.warn(&format!("{commit} has no sample: {why}"));
            }
        }
    }
    about.environment = environment(&store)?;
    folder.write_metadata(&about)
}

fn request<'a>(
    history: &'a StudyHistory,
    store: &'a Store,
    profiler: &'a ProfilerChoice,
    context: &StudyContext<'a>,
) -> sampling::SamplingRequest<'a> {
    sampling::SamplingRequest {
        budget: None,
        repository: &history.repository,
        store,
        definitions: &history.definitions,
        root: history.root(),
        // Other projects run at the same time.
        workers: 1,
        failed_before: context.failed_before,
        profiler,
        interruption: context.interruption,
    }
}

/// Samples the versions that some prediction uses, of those whose position in the history is a multiple of a distance,
/// unless already sampled. Where a sample fails, those that predictions then fall back on are taken.
fn sample_every(
    history: &StudyHistory,
    every: &[u32],
    folder: &ProjectResultsFolder,
    context: &StudyContext<'_>,
) -> Result<(), EngineError> {
    let profiler = profiling::choose_profiler(Profiler::Callgrind, context.interruption, |_| {})?;
    let mut about = folder.about()?;
    let store = Store::open(&history.repository, about.store())?;
    let is_retried = context.failed_before == FailureRetryPolicy::Retry;
    let (mut sampled, mut failed) = (BTreeSet::new(), BTreeSet::new());
    let position = |commit: CommitId| history.versions.iter().position(|version| version.commit == commit);
    for record in store.samples()?.samples {
        let Some(at) = position(record.commit) else { continue };
        if record.is_baseline() && !(is_retried && record.profiles().count() < record.benchmarks.len()) {
            sampled.insert(at);
        } else if !is_retried && record.state != SampleState::InProgress {
            failed.insert(at);
        }
    }
    let failed = failed.difference(&sampled).copied();
    let mut failed: BTreeSet<usize> = failed.collect();
    let counted = counted(folder)?;
    let is_counted = |version: &StudyVersion| counted.contains(&version.commit.to_string());
    let counted: Vec<bool> = history.versions.iter().map(is_counted).collect();
    let request = request(history, &store, &profiler, context);
    loop {
        let used = sample_choice::used_samples(&counted, every, &failed);
        let Some(at) = used.into_iter().find(|at| !sampled.contains(at)) else {
            break;
        };
        let commit = history.versions[at].commit;
        context.progress.working_on(&format!("sampling {}", commit.short()));
        let version = sampling::sample_version(&request, commit, &mut |_| {})?;
        let why = match version.state {
            SampledVersionState::Sampled => {
                let seconds = (version.building + version.profiling).as_secs_f64();
                about.sampling.insert(commit.to_string(), rounded(seconds));
                folder.write_metadata(&about)?;
                None
            }
            SampledVersionState::AlreadySampled => None,
            SampledVersionState::NoBenchmark { reason } | SampledVersionState::DoesNotBuild { reason } => Some(reason),
        };
        let why = why.or_else(|| (version.profiled == 0).then(|| String::from("no benchmark of it has a profile")));
        match why {
            None => sampled.insert(at),
            Some(why) => {
                let why = PathRedactions::of(history).shortened(&why);
                context
                    .progress
                    .warn(&format!("{} has no sample: {why}", commit.short()));
                failed.insert(at)
            }
        };
    }
    about.environment = environment(&store)?;
    folder.write_metadata(&about)
}

/// Predicts every version that has counts, from each of its samples.
pub fn predict(
    history: &StudyHistory,
    schedule: StudySampling<'_>,
    folder: &ProjectResultsFolder,
    context: &StudyContext<'_>,
) -> Result<(), EngineError> {
    let store = Store::open(&history.repository, folder.about()?.store())?;
    let mut samples = SampleLoader::new(&history.repository, &store)?;
    let sampled: BTreeSet<CommitId> = (store.samples()?.samples.into_iter())
        .filter(SampleRecord::is_baseline)
        .map(|record| record.commit)
        .collect();
    // A version without counts is never a base, and its prediction cannot be compared with a measurement.
    let counted = counted(folder)?;
    let mut scoring =
        scoring::scoring_for_model(CostModel::Lito, THRESHOLD, (&history.repository, &history.definitions));
    let mut predicted = Vec::new();
    let mut base: Option<usize> = None;
    for (index, version) in history.versions.iter().enumerate() {
        if !counted.contains(&version.commit.to_string()) {
            continue;
        }
        context.progress.working_on(&format!("scoring {}", version.name));
        if let Some(base) = base {
            let pair = (history.versions[base].commit, version.commit);
            let files = compiled_files(&history.repository, pair)?;
            let mut on = BTreeMap::new();
            for &k in schedule.distances() {
                let is_sampled = |at: &usize| sampled.contains(&history.versions[*at].commit);
                let at = match schedule {
                    StudySampling::Every(_) => sample_choice::sampled_at_or_before(base, k).find(is_sampled),
                    StudySampling::ByDrift(_) => (0..=base).rev().find(is_sampled),
                };
                let Some(at) = at else { continue };
                let Some(sample) = samples.at(history.versions[at].commit)? else {
                    continue;
                };
                let distance = u32::try_from(index - at).unwrap_or(u32::MAX);
                let nearest = (sample, distance);
                on.insert(
                    k,
                    predict_from_sample(&history.repository, pair, &nearest, &mut scoring)?,
                );
            }
            samples.forget_unused();
            predicted.push(PredictedVersion {
                commit: version.commit.to_string(),
                files,
                on,
            });
        }
        base = Some(index);
    }
    folder.write_predicted(&predicted)
}

/// The commits of the versions that have counts.
fn counted(folder: &ProjectResultsFolder) -> Result<BTreeSet<String>, EngineError> {
    let counted = folder.measured()?.into_iter().filter(MeasuredVersion::has_counts);
    Ok(counted.map(|version| version.commit).collect())
}

/// The compiled files that differ between two versions.
pub fn compiled_files(repository: &Repository, (base, head): (CommitId, CommitId)) -> Result<Vec<String>, EngineError> {
    let mut files = file_sources::changed_paths(repository, base, head)?;
    files.retain(|path| is_build_input(path));
    Ok(files)
}

/// The prediction of both models for the second version of a pair relative to the first, from a sample.
pub fn predict_from_sample(
    repository: &Repository,
    pair: (CommitId, CommitId),
    nearest: &NearestStoredSample,
    scoring: &mut ScoreOptions,
) -> Result<SamplePrediction, EngineError> {
    let started = Instant::now();
    scoring.model = CostModel::Lito;
    let lito = scoring::score_pair_on_sample(repository, pair, Some(nearest.clone()), scoring)?;
    let seconds = started.elapsed().as_secs_f64();
    scoring.model = CostModel::Paper;
    let paper = scoring::score_pair_on_sample(repository, pair, Some(nearest.clone()), scoring)?;
    scoring.model = CostModel::Lito;
    let indicators = scoring::with_pair_context(repository, pair, nearest, scoring, baseline_indicators)?;
    let sample: &Arc<Sample> = &nearest.0;
    Ok(SamplePrediction {
        sample: sample.commit.clone(),
        distance: nearest.1,
        seconds: rounded(seconds),
        benchmarks: benchmarks(&lito, &paper, &indicators),
        degraded: u32::try_from(lito.degraded.len()).unwrap_or(u32::MAX),
        kinds: kinds(&lito),
        why: short_reasons(&lito, REASONS),
    })
}

fn benchmarks(
    lito: &VersionScore,
    paper: &VersionScore,
    indicators: &BTreeMap<String, BaselineIndicators>,
) -> BTreeMap<String, PredictedBenchmark> {
    let published: BTreeMap<&str, f64> = (paper.benchmarks.iter())
        .map(|prediction| (prediction.name.as_str(), prediction.predicted))
        .collect();
    let predictions = lito.benchmarks.iter().map(|prediction| {
        let mut terms = prediction.terms.clone();
        terms.expected = rounded(terms.expected);
        terms.touched.values_mut().for_each(|share| *share = rounded(*share));
        let mut indicators = indicators.get(&prediction.name).copied().unwrap_or_default();
        indicators.each_share(|share| *share = rounded(*share));
        let published = published.get(prediction.name.as_str()).copied();
        let predicted = PredictedBenchmark {
            paper: rounded(published.unwrap_or_default()),
            terms,
            indicators,
        };
        (prediction.name.clone(), predicted)
    });
    predictions.collect()
}

fn kinds(score: &VersionScore) -> BTreeMap<analyzer::change::ChangeKind, [u32; 2]> {
    let mut kinds = BTreeMap::new();
    for change in &score.changes {
        let [all, executed]: &mut [u32; 2] = kinds.entry(change.kind).or_default();
        *all += 1;
        *executed += u32::from(!change.effects.is_empty());
    }
    kinds
}

/// The environment of the profiles.
fn environment(store: &Store) -> Result<BTreeMap<String, String>, EngineError> {
    let newest = store.samples()?.samples.into_iter().next_back();
    Ok(newest.map_or_else(BTreeMap::new, |record| record.environment.0))
}

/// Rounds to the stored number of digits.
fn rounded(value: f64) -> f64 {
    crate::rounded(value, DIGITS)
}
