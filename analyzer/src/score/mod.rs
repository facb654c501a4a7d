//! One version → one prediction: the changes, their cost in each benchmark of the sample, whether a benchmark run is
//! worthwhile, and why.
//!
//! Builds and runs nothing, and reads sources only through the file sources in its arguments.

#![deny(clippy::wildcard_enum_match_arm)]

mod degraded_files;
mod described_benchmarks;
mod executed_tests;
mod input_evidence;
mod later_inclusions;
mod later_runs;
mod later_scripts;
mod later_source;
mod loaded_code;
mod model;
mod newer_benchmarks;
mod prior_weight;
mod reach;
mod reason;
mod source_mentions;
mod unfollowed;
mod unrecorded_builds;
mod version_changes;

use std::cell::LazyCell;
use std::sync::Arc;

use profile::CostUnit;

use crate::change::{
    ChangeKind, ChangeSet, ChangeSubject, FunctionPair, ItemPresence, SourceChange, is_benchmark_source,
    is_runtime_input, may_be_read,
};
use crate::cost::{
    BenchmarkAssessment, ExecutionAssumptions, KnownValues, NewBlockPolicy, ParsedFile, ParsedSources, PriceList,
    SampleMatch, ScoringContext, lito, paper,
};
use crate::languages::language_of;
use crate::layout::SourceLayout;
use crate::sample::{IndexedProfile, LaterVersion, Sample};
use crate::sources::{Blob, FileChange, FileSource, OutsideSources};
use crate::syntax::ParseCache;

use degraded_files::{listed, not_analysed};
use input_evidence::READS_FOLDERS;
pub use model::*;
use newer_benchmarks::NewerBenchmarks;
pub use reach::BenchmarkReach;
pub use reason::{DecisionCause, DecisionReason, PredictedMovement};
pub use source_mentions::KnownWords;
use source_mentions::MentioningSources;
use version_changes::changes;

/// A version and its base.
pub struct VersionSources<'a> {
    /// The version, as displayed.
    pub commit: String,
    /// Its first parent, as displayed; `None` for a root.
    pub parent: Option<String>,
    /// The files that differ.
    pub files: &'a [FileChange],
    /// All files of the parent.
    pub before: &'a dyn FileSource,
    /// All files of the version.
    pub after: &'a dyn FileSource,
}

/// The newest sample at or before a version's parent.
#[derive(Clone, Copy)]
pub struct NearestSample<'a> {
    /// The sample.
    pub sample: &'a Sample,
    /// Number of first-parent commits from the sampled version to the scored version.
    pub distance: u32,
    /// Paths that differ between the sampled and the scored version. Asked for where the version would be skipped.
    pub changed_since: &'a dyn Fn() -> Vec<String>,
}

/// How versions are scored; one value for a whole range.
pub struct ScoreOptions {
    /// The cost model.
    pub model: CostModel,
    /// Relative change from which a version is worth a benchmark, e.g. 0.05.
    pub threshold: f64,
    /// The assumptions of the model.
    pub costs: PriceList,
    /// A cache that parses each content once.
    pub parser: ParseCache,
    /// The words of sources that were searched without a sample.
    pub words: KnownWords,
    /// All sources outside the repository that are compiled with each version.
    pub outside: OutsideSources,
}

/// Scores one version.
#[must_use]
pub fn score(version: &VersionSources<'_>, nearest: Option<NearestSample<'_>>, scoring: &ScoreOptions) -> VersionScore {
    match nearest {
        None => {
            let found = changes(version, None, scoring);
            without_sample(version, without_test_only_changes(found, |_| false, |_| false), scoring)
        }
        Some(nearest) => {
            let moved = nearest.sample.with_moved_sources(version.before);
            let nearest = NearestSample {
                sample: moved.as_ref().unwrap_or(nearest.sample),
                ..nearest
            };
            with_scoring_context(version, nearest, scoring, |scene| {
                on_sample(version, nearest, scene, scoring)
            })
        }
    }
}

/// Finds the changes of a version and their functions in a sample, and runs `then` with both.
pub fn with_scoring_context<T>(
    version: &VersionSources<'_>,
    nearest: NearestSample<'_>,
    scoring: &ScoreOptions,
    then: impl FnOnce(&ScoringContext<'_>) -> T,
) -> T {
    let sides = [version.before, version.after];
    let compiled = (nearest.sample.as_compiled(sides)).filter(|_| scoring.model == CostModel::Lito);
    let Some(compiled) = compiled else {
        return with_sources_as_written(version, nearest, scoring, then);
    };
    let [before, after] = sides.map(|side| compiled.tree(side));
    let files: Vec<FileChange> = version.files.iter().map(|file| compiled.change(file)).collect();
    let version = VersionSources {
        commit: version.commit.clone(),
        parent: version.parent.clone(),
        files: &files,
        before: &before,
        after: &after,
    };
    let sample = &compiled.sample;
    with_sources_as_written(&version, NearestSample { sample, ..nearest }, scoring, then)
}

/// The same with all branches of the preprocessor.
fn with_sources_as_written<T>(
    version: &VersionSources<'_>,
    nearest: NearestSample<'_>,
    scoring: &ScoreOptions,
    then: impl FnOnce(&ScoringContext<'_>) -> T,
) -> T {
    let found = changes(version, Some(nearest.sample), scoring);
    // Where every changed file is one that no benchmark depends on, nothing is looked up in them.
    let is_settled = found.changes.is_empty() && found.pairs.is_empty() && found.not_analysed().next().is_none();
    let sources = match is_settled {
        true => ParsedSources::default(),
        false => parsed(version, &scoring.parser),
    };
    // Code that only tests run matters where a test is the benchmark.
    let executed = executed_pairs(&found, nearest.sample, before(version, scoring), scoring);
    let changes = without_test_only_changes(
        found,
        |pair| executed[pair],
        |file| executes_tests_of(file, nearest.sample, &scoring.parser),
    );
    // One sample has one profiler, and with it one unit.
    let first = nearest.sample.benchmarks.first();
    let unit = first.map_or(CostUnit::Instructions, |indexed| indexed.profile().unit);
    let files = nearest.sample.benchmarks.iter().flat_map(IndexedProfile::files);
    let costs = scoring.costs.in_unit(unit, files.filter_map(language_of));
    let later = before(version, scoring);
    let scene = ScoringContext::new(&changes, &sources, nearest.sample, &costs, later, &scoring.outside);
    then(&scene)
}

fn on_sample(
    version: &VersionSources<'_>,
    nearest: NearestSample<'_>,
    scene: &ScoringContext<'_>,
    scoring: &ScoreOptions,
) -> VersionScore {
    let assessed: Vec<(&IndexedProfile, BenchmarkAssessment)> = nearest
        .sample
        .benchmarks
        .iter()
        .map(|profile| {
            let assessment = match scoring.model {
                CostModel::Paper => paper::assess(scene, profile),
                CostModel::Lito => lito::assess(scene, profile),
            };
            (profile, assessment)
        })
        .collect();
    let mut benchmarks: Vec<BenchmarkPrediction> = assessed
        .iter()
        .map(|(profile, assessment)| predicted(&profile.profile().benchmark, assessment, scoring))
        .collect();
    benchmarks.sort_by(|a, b| {
        b.probability
            .total_cmp(&a.probability)
            .then_with(|| b.predicted.abs().total_cmp(&a.predicted.abs()))
            .then_with(|| a.name.cmp(&b.name))
    });
    let selected = benchmarks.iter().any(|benchmark| benchmark.selected);
    let mut scored = VersionScore {
        commit: version.commit.clone(),
        parent: version.parent.clone(),
        sample: Some(SampleReference {
            commit: nearest.sample.commit.clone(),
            distance: nearest.distance,
            profiler: counted_by(nearest.sample),
        }),
        decision: if selected {
            ScoreDecision::Benchmark
        } else {
            ScoreDecision::Skip
        },
        reason: DecisionReason::NothingCompiledChanged,
        probability: benchmarks.first().map_or(0.0, |benchmark| benchmark.probability),
        benchmarks,
        changes: scored_changes(scene.changes, Some(&assessed), &|_| 0.0),
        degraded: listed(not_analysed(scene)),
        unused: scene.changes.unused.iter().map(ToString::to_string).collect(),
        newer_benchmarks: Vec::new(),
        changed_benchmarks: changed_benchmarks(version),
        reach: Some(BenchmarkReach::of(
            version,
            scene,
            assessed.iter().map(|(_, assessment)| assessment),
        )),
    };
    if scored.decision == ScoreDecision::Skip
        && scoring.model == CostModel::Lito
        && let Some(newer) = newer_benchmarks_at_risk(version, nearest, scene.changes)
    {
        scored.decision = ScoreDecision::Benchmark;
        scored.probability = scored.probability.max(scoring.costs.risk.without_sample);
        scored.newer_benchmarks = newer.sources;
    }
    let left_out = &nearest.sample.left_out;
    if scored.decision == ScoreDecision::Skip
        && scoring.model == CostModel::Lito
        && !left_out.is_empty()
        && left_out_may_execute(scene.changes)
    {
        scored.decision = ScoreDecision::Benchmark;
        scored.probability = scored.probability.max(scoring.costs.risk.without_sample);
        scored.reason = DecisionReason::LeftOutBenchmarks {
            benchmarks: left_out.len(),
        };
        return scored;
    }
    scored.reason = DecisionReason::of(&scored, scoring.model, scoring.threshold);
    scored
}

fn changed_benchmarks(version: &VersionSources<'_>) -> Vec<String> {
    let paths = version.files.iter().map(|file| &*file.path);
    paths
        .filter(|path| is_benchmark_source(path))
        .map(str::to_owned)
        .collect()
}

/// The changed files that may be an input of a benchmark of which nobody recorded what it depends on.
fn changed_inputs(changes: &ChangeSet) -> impl Iterator<Item = &str> + Clone {
    // Whether it reads a file beside the code, the file's name has to tell.
    let is_risk = |change: &&SourceChange| match change.subject {
        ChangeSubject::Data { .. } => is_runtime_input(&change.file),
        ChangeSubject::Function(_)
        | ChangeSubject::Item { .. }
        | ChangeSubject::Dependency { .. }
        | ChangeSubject::Build { .. } => true,
    };
    let changed = changes.changes.iter().filter(is_risk);
    (changed.map(|change| &*change.file)).chain(changes.not_analysed().map(|degraded| &*degraded.file))
}

/// True if a benchmark that was left out of the sample may execute, or read, what changed. Sources that no sampled benchmark
/// depends on may be compiled into it.
fn left_out_may_execute(changes: &ChangeSet) -> bool {
    let is_source = |file: &&Arc<str>| language_of(file).is_some();
    changed_inputs(changes).next().is_some() || changes.unused.iter().any(|file| is_source(&file))
}

/// The benchmarks that the sample lacks, if one of them may execute what a version changes.
fn newer_benchmarks_at_risk(
    version: &VersionSources<'_>,
    nearest: NearestSample<'_>,
    changes: &ChangeSet,
) -> Option<NewerBenchmarks> {
    let at_risk = changed_inputs(changes);
    if at_risk.clone().next().is_none() && changes.unused.is_empty() {
        return None;
    }
    let newer = NewerBenchmarks::find(version, nearest)?;
    newer.may_execute(version, at_risk, &changes.unused).then_some(newer)
}

/// Without a sample every change of code that is not only for tests is a risk, and every change of a file that a benchmark
/// may read.
fn without_sample(version: &VersionSources<'_>, mut changes: ChangeSet, scoring: &ScoreOptions) -> VersionScore {
    keep_risks(version, &mut changes, scoring);
    let changes = &changes;
    let at_risk = !changes.changes.is_empty() || changes.not_analysed().next().is_some();
    let mut scored = VersionScore {
        commit: version.commit.clone(),
        parent: version.parent.clone(),
        sample: None,
        decision: if at_risk {
            ScoreDecision::Benchmark
        } else {
            ScoreDecision::Skip
        },
        reason: DecisionReason::NothingCompiledChanged,
        probability: if at_risk {
            scoring.costs.risk.without_sample
        } else {
            0.0
        },
        benchmarks: Vec::new(),
        changes: scored_changes(changes, None, &|change| {
            prior_weight::prior_weight(change, changes, &scoring.costs)
        }),
        degraded: listed(changes.not_analysed()),
        unused: Vec::new(),
        newer_benchmarks: Vec::new(),
        changed_benchmarks: changed_benchmarks(version),
        reach: None,
    };
    scored.reason = DecisionReason::of(&scored, scoring.model, scoring.threshold);
    scored
}

fn predicted(name: &str, assessment: &BenchmarkAssessment, scoring: &ScoreOptions) -> BenchmarkPrediction {
    let share = assessment.share;
    let (probability, selected) = match scoring.model {
        // The published model decides on the sum alone.
        CostModel::Paper => {
            let selected = share.expected >= scoring.threshold;
            (if selected { 1.0 } else { 0.0 }, selected)
        }
        CostModel::Lito => {
            let risk = &scoring.costs.risk;
            let probability = (risk.calibration).probability(&assessment.terms, scoring.threshold);
            (probability, probability >= risk.select_at)
        }
    };
    BenchmarkPrediction {
        name: name.to_owned(),
        predicted: share.expected,
        low: share.low,
        high: share.high,
        probability,
        selected,
        terms: assessment.terms.clone(),
    }
}

/// The changes in the form of the contract, those with the largest possible effect first; of the same effect, those that
/// weigh most. With a sample, those that need a mention are left out where no benchmark has one.
fn scored_changes(
    changes: &ChangeSet,
    assessed: Option<&[(&IndexedProfile, BenchmarkAssessment)]>,
    weight: &dyn Fn(&SourceChange) -> f64,
) -> Vec<ScoredChange> {
    let mut scored: Vec<(f64, ScoredChange)> = changes
        .changes
        .iter()
        .enumerate()
        .filter_map(|(index, change)| {
            let mut effects = Vec::new();
            let mut resolved = None;
            for (profile, assessment) in assessed.unwrap_or_default() {
                let total = profile.total();
                for part in assessment.contributions.iter().filter(|part| part.change == index) {
                    effects.push(BenchmarkEffect {
                        benchmark: profile.profile().benchmark.clone(),
                        executions: part.executions.expected.abs().round() as u64,
                        unit_cost: part.unit_cost,
                        terms: part.terms.clone(),
                        cost: part.cost.expected,
                        share: part.cost.expected / total,
                        low: part.cost.low / total,
                        high: part.cost.high / total,
                    });
                    resolved = resolved.or(part.resolved.as_ref());
                }
            }
            if assessed.is_some() && effects.is_empty() && change.needs_mention() {
                return None;
            }
            effects.sort_by(|a, b| {
                b.reach()
                    .total_cmp(&a.reach())
                    .then_with(|| a.benchmark.cmp(&b.benchmark))
            });
            let (function, dependency) = match &change.subject {
                ChangeSubject::Function(pair) => {
                    let pair = &changes.pairs[*pair];
                    let located = pair.after.as_ref().or(pair.before.as_ref());
                    (located.map(|located| located.name.to_string()), None)
                }
                ChangeSubject::Item { name, .. } => (Some(name.to_string()), None),
                ChangeSubject::Dependency { package, .. } => (None, Some(package.to_string())),
                ChangeSubject::Build { setting } => (None, Some(setting.to_string())),
                ChangeSubject::Data { .. } => (None, None),
            };
            let input_of = match &change.subject {
                ChangeSubject::Data { dependents, .. } => dependents.as_deref().cloned(),
                ChangeSubject::Function(_)
                | ChangeSubject::Item { .. }
                | ChangeSubject::Dependency { .. }
                | ChangeSubject::Build { .. } => None,
            };
            let scored = ScoredChange {
                kind: change.kind,
                function,
                file: change.file.to_string(),
                line: change.line,
                callee: dependency.or_else(|| change.callee.as_ref().map(|callee| shown(callee, resolved))),
                resolved_by: resolved.map(|resolved| resolved.evidence),
                effects,
                input_of,
            };
            Some((weight(change), scored))
        })
        .collect();
    scored.sort_by(|(one, a), (other, b)| b.reach().total_cmp(&a.reach()).then(other.total_cmp(one)));
    scored.into_iter().map(|(_, scored)| scored).collect()
}

/// A callee by its full name if it was resolved, else as written.
fn shown(callee: &crate::syntax::SyntaxCallee, resolved: Option<&crate::cost::ResolvedCallee>) -> String {
    resolved
        .filter(|resolved| crate::sample::last_segment(&resolved.name) == callee.name)
        .map_or_else(
            || {
                let mut segments = callee.path.clone();
                segments.push(callee.name.clone());
                segments.join("::")
            },
            |resolved| resolved.name.clone(),
        )
}

impl ScoredChange {
    /// True for the change of a file beside the code, which is read as a whole.
    #[must_use]
    pub fn is_of_read_file(&self) -> bool {
        self.kind == ChangeKind::Constant && self.line == 0 && self.function.is_none()
    }

    /// The largest share of any benchmark that the change can move.
    fn reach(&self) -> f64 {
        self.effects.iter().map(BenchmarkEffect::reach).fold(0.0, f64::max)
    }
}

impl BenchmarkEffect {
    /// The largest share that the change can move, in either direction.
    fn reach(&self) -> f64 {
        self.low.abs().max(self.high.abs())
    }
}

/// Drops the changes of what nothing can depend on, as far as names tell: documents that no source names, and names with
/// another meaning that no source writes.
fn keep_risks(version: &VersionSources<'_>, changes: &mut ChangeSet, scoring: &ScoreOptions) {
    let [before, after] = [version.before, version.after].map(|tree| MentioningSources::of(tree, scoring));
    let reads_folders = LazyCell::new(|| READS_FOLDERS.iter().any(|reader| after.may_mention(reader)));
    changes.changes.retain(|change| match &change.subject {
        _ if !change.needs_mention() => true,
        ChangeSubject::Data { file, .. } => {
            let (folders, name) = file.rsplit_once('/').unwrap_or(("", file));
            let is_in_named_folder = || {
                let mut folders = folders.split('/').filter(|folder| !folder.is_empty());
                *reads_folders && folders.any(|folder| after.may_mention(folder))
            };
            is_runtime_input(file) || may_be_read(file) && (after.may_mention(name) || is_in_named_folder())
        }
        // A version that defines a name holds it: the other one tells who writes it.
        ChangeSubject::Item { name, presence, .. } => {
            let name = crate::sample::last_segment(name);
            match presence {
                ItemPresence::Added => before.may_mention(name),
                ItemPresence::Gone | ItemPresence::Kept => after.may_mention(name),
            }
        }
        ChangeSubject::Function(_) | ChangeSubject::Dependency { .. } | ChangeSubject::Build { .. } => true,
    });
}

/// Drops code that only tests run, unless a benchmark executes it.
fn without_test_only_changes(
    mut found: ChangeSet,
    executed: impl Fn(usize) -> bool,
    executes_tests_of: impl Fn(&str) -> bool,
) -> ChangeSet {
    let keep: Vec<bool> = found
        .changes
        .iter()
        .map(|change| {
            let is_executed = || match &change.subject {
                ChangeSubject::Function(pair) => executed(*pair),
                ChangeSubject::Item { .. } => executes_tests_of(&change.file),
                ChangeSubject::Dependency { .. } | ChangeSubject::Build { .. } | ChangeSubject::Data { .. } => true,
            };
            !change.is_test_only(&found) || is_executed()
        })
        .collect();
    let mut keep = keep.into_iter();
    found.changes.retain(|_| keep.next().unwrap_or(true));
    found
}

/// True if a benchmark is a test in a file, or executes what only tests of the file execute.
fn executes_tests_of(file: &str, sample: &Sample, parser: &ParseCache) -> bool {
    let Some(source) = sample.source(file, parser) else {
        return false;
    };
    source
        .functions
        .iter()
        .filter(|function| function.test_only)
        .any(|function| {
            let lines = function.lines;
            (sample.benchmarks.iter()).any(|profile| profile.declared(file, lines.first, lines.last).next().is_some())
        })
}

/// The profiler behind a sample whose unit is not instructions.
fn counted_by(sample: &Sample) -> Option<String> {
    let profile = sample.benchmarks.first()?.profile();
    (profile.unit == CostUnit::Operations).then(|| profile.profiler.clone())
}

/// For each pair, whether it is only for tests and a benchmark executes it anyway.
fn executed_pairs(found: &ChangeSet, sample: &Sample, later: LaterVersion<'_>, scoring: &ScoreOptions) -> Vec<bool> {
    let assumed = ExecutionAssumptions {
        new_blocks: NewBlockPolicy::Bounded,
        costs: &scoring.costs,
        most_rounds: 1.0,
        before: KnownValues::default(),
        after: KnownValues::default(),
    };
    let is_executed = |pair: &FunctionPair| {
        SampleMatch::find_in_sample(pair, sample, later).is_some_and(|standing| {
            sample
                .benchmarks
                .iter()
                .any(|profile| standing.executions(pair, profile, assumed).is_some())
        })
    };
    found
        .pairs
        .iter()
        .map(|pair| {
            let before = pair.before.as_ref();
            before.is_some_and(|before| before.function.test_only) && is_executed(pair)
        })
        .collect()
}

/// The version before, to find the successors of sampled functions.
fn before<'a>(version: &VersionSources<'a>, scoring: &'a ScoreOptions) -> LaterVersion<'a> {
    LaterVersion {
        tree: version.before,
        parser: &scoring.parser,
    }
}

fn parsed(version: &VersionSources<'_>, parser: &ParseCache) -> ParsedSources {
    let layouts = [version.before, version.after].map(SourceLayout::new);
    let side = |layout: &SourceLayout<'_>, blob: fn(&FileChange) -> Option<&Blob>| {
        version
            .files
            .iter()
            .filter_map(|file| {
                let language = crate::languages::language_of(&file.path)?;
                let blob = blob(file)?;
                let source = parser.get(&file.path, blob);
                let module = layout.module(&file.path, language);
                let text = blob.content.bytes().cloned().unwrap_or_default();
                Some(ParsedFile::new(Arc::clone(&file.path), text, source, &module))
            })
            .collect()
    };
    ParsedSources {
        before: side(&layouts[0], |file| file.before.as_ref()),
        after: side(&layouts[1], |file| file.after.as_ref()),
    }
}
