//! A track into its report: the chart, a matrix for each benchmark, and the comparisons that its points lead to.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use analyzer::outline::{ProfileNames, SourceOutline};
use profile::COUNT_NOISE_FLOOR;
use profile::Profile;
use profile::call_tree::{CostNoise, FunctionRenames, prune};
use profile::timeline::Timeline;
use report::comparison::{ExecutionComparison, main_causes};
use report::number_format;
use report::track::{CostTrack, TrackChange, TrackedBenchmark};
use report::view::{
    CostTrend, EarlierNames, EvolutionMatrix, MatrixColumn, ReportHeadline, ReportHeadlineLine, ViewVersion,
};
use runner::profilers::ProfiledCallTree;

use super::comparison_report::costs;
use crate::compare::{ComparisonSide, compare, notes};
use crate::function_moves::{FunctionMoves, NewestNames};
use crate::outlines::modified;

/// Contexts below this share of both executions are drawn as one: they are less than a pixel wide.
const SMALLEST_SHARE: f64 = 0.0005;

/// Contexts of all comparisons of a report together: about as many as fit into its size.
const MOST_NODES: usize = 400_000;

/// Lines of the strip on top.
const MOST_LINES: usize = 24;

/// Benchmarks that a line of it names, so that it stays one line.
const NAMED: usize = 1;

/// One benchmark at the versions of a track.
pub struct BenchmarkSeries {
    /// Name of the benchmark.
    pub benchmark: String,
    /// For each version the place of the one at which it was measured: itself, or an earlier one that it is carried over
    /// from. None in a gap.
    pub measured: Vec<Option<usize>>,
}

/// Executions of benchmarks at the versions at which they were measured, by benchmark and position of the version.
#[derive(Default)]
pub struct TrackExecutions {
    /// Profiles.
    pub profiles: BTreeMap<(String, usize), Profile>,
    /// Call trees.
    pub trees: BTreeMap<(String, usize), ProfiledCallTree>,
    /// Timelines.
    pub timelines: BTreeMap<(String, usize), Timeline>,
}

impl TrackExecutions {
    /// Gives the functions of time frames, which are named as their source stands, the names of profiles.
    pub fn rename_timelines(&mut self, names: &ProfileNames) {
        for timeline in self.timelines.values_mut() {
            for function in &mut timeline.functions {
                if let Some(called) = names.get(function.name.as_str()) {
                    function.name = called.to_string();
                }
            }
            in_order(timeline);
        }
    }

    /// Gives all functions the names that they have at the newest version. Returns the older names of those that had one.
    pub fn rename_to_newest(&mut self, newest: &NewestNames) -> EarlierNames {
        let mut earlier = EarlierNames::new();
        let mut name = |at: usize, name: &str| {
            let new = newest.name(at, name);
            if new != name && !FunctionMoves::is_displaced(&new) {
                earlier.entry(new.clone()).or_default().insert(name.to_owned());
            }
            new
        };
        for ((_, at), profile) in &mut self.profiles {
            let names: BTreeMap<String, String> = (profile.functions.iter())
                .map(|function| (function.name.clone(), name(*at, &function.name)))
                .collect();
            profile.rename_functions(|function| names[&function.name].clone());
        }
        for ((_, at), contexts) in &mut self.trees {
            contexts.tree = contexts.tree.with_names(|function| newest.name(*at, &function.name));
        }
        for ((_, at), timeline) in &mut self.timelines {
            for function in &mut timeline.functions {
                function.name = newest.name(*at, &function.name);
            }
            in_order(timeline);
        }
        earlier
    }

    /// The functions of the project, each with the place of a version, its file and its line there.
    pub fn functions(&self) -> impl Iterator<Item = (usize, &str, &str, u32)> {
        self.profiles.iter().flat_map(|((_, at), profile)| {
            let own = profile.functions.iter().filter(|function| !function.external);
            own.filter_map(move |function| {
                let file = profile.file(function.file?);
                Some((*at, function.name.as_str(), file, function.line))
            })
        })
    }
}

/// Puts renamed functions of time frames in order; of those that got one name, one stays.
fn in_order(timeline: &mut Timeline) {
    timeline.functions.sort_by(|one, two| one.name.cmp(&two.name));
    timeline.functions.dedup_by(|one, two| one.name == two.name);
}

/// The matrix of each benchmark that was profiled anywhere. All versions go by the newest names.
pub fn matrices<'a>(
    series: &'a [BenchmarkSeries],
    executed: &'a TrackExecutions,
    outlines: &[SourceOutline],
    newest: &NewestNames,
) -> Vec<EvolutionMatrix<'a>> {
    let matrices = series.iter().map(|one| {
        let mut columns: Vec<MatrixColumn<'a>> = Vec::new();
        for (at, measured) in one.measured.iter().enumerate() {
            let Some(measured) = *measured else { continue };
            let key = (one.benchmark.clone(), measured);
            let Some(profile) = executed.profiles.get(&key) else {
                continue;
            };
            let before = columns.last().map(|column| column.version);
            columns.push(MatrixColumn {
                version: at,
                profile,
                modified: before.map_or_else(BTreeSet::new, |before| {
                    let moves = newest.moves_between(before, at);
                    modified(&outlines[before], &outlines[at], &moves)
                }),
                timeline: executed.timelines.get(&key),
            });
        }
        EvolutionMatrix {
            benchmark: &one.benchmark,
            columns,
        }
    });
    matrices.filter(|matrix| !matrix.columns.is_empty()).collect()
}

/// A pair of places at which a benchmark was measured, and how much a reader wants to see it: the less, the sooner.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ComparisonCandidate {
    rank: ComparisonRank,
    /// Of a step, in millionths.
    largest_first: Reverse<u64>,
    distance: usize,
    newest_first: Reverse<usize>,
    before: usize,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ComparisonRank {
    /// Neighbours between which the cost made a step.
    Step,
    /// The oldest and the newest.
    Whole,
    /// Other neighbours.
    Neighbours,
    /// All others.
    Any,
}

/// Everything that comparisons of a track are made of.
pub struct TrackComparisonBuilder<'a> {
    /// The costs over time.
    pub track: &'a CostTrack,
    /// As the report shows them.
    pub versions: &'a [ViewVersion],
    /// The benchmarks, each with the versions at which it was measured.
    pub series: &'a [BenchmarkSeries],
    /// Profiles, call trees and timelines of the benchmarks.
    pub executed: &'a TrackExecutions,
    /// The sources of the versions.
    pub outlines: &'a [SourceOutline],
    /// The moves of functions between them.
    pub newest: &'a NewestNames,
}

impl TrackComparisonBuilder<'_> {
    /// The comparisons that points of the chart and cells of the matrix lead to, the most important first, as many as a
    /// report holds.
    pub fn comparisons(&self) -> Vec<ExecutionComparison> {
        let mut wanted: Vec<(ComparisonCandidate, &BenchmarkSeries)> = (self.series.iter())
            .flat_map(|one| self.wanted(one).into_iter().map(move |pair| (pair, one)))
            .collect();
        wanted.sort_by(|(one, of), (two, other)| one.cmp(two).then_with(|| of.benchmark.cmp(&other.benchmark)));
        let mut room = MOST_NODES;
        let mut comparisons = Vec::new();
        for (pair, of) in wanted {
            let places = [pair.before, pair.newest_first.0];
            let tree = |at: usize| self.executed.trees.get(&(of.benchmark.clone(), at));
            let [Some(old), Some(new)] = places.map(tree) else {
                continue;
            };
            // All versions go by one name for each function.
            let pruned = prune(&old.tree, &new.tree, &FunctionRenames::new(), SMALLEST_SHARE);
            let (old_tree, new_tree) = (pruned.before, pruned.after);
            let size = old_tree.nodes.len() + new_tree.nodes.len();
            let Some(left) = room.checked_sub(size) else {
                break;
            };
            room = left;
            let side = |at: usize, tree| ComparisonSide {
                benchmark: &of.benchmark,
                label: &self.versions[at].label,
                commit: Some(&self.versions[at].commit),
                tree,
                outline: Some(&self.outlines[at]),
            };
            let labels = places.map(|at| self.versions[at].label.as_str());
            comparisons.push(compare(
                side(places[0], &old_tree),
                side(places[1], &new_tree),
                &self.newest.moves_between(places[0], places[1]),
                CostNoise::Counted,
                notes([old, new], labels),
            ));
        }
        comparisons
    }

    /// All pairs of places at which a benchmark of one source was measured.
    fn wanted(&self, of: &BenchmarkSeries) -> Vec<ComparisonCandidate> {
        let measured: BTreeSet<usize> = of.measured.iter().copied().flatten().collect();
        let measured: Vec<usize> = measured.into_iter().collect();
        let tracked = (self.track.benchmarks.iter()).find(|one| one.name == of.benchmark);
        let (changes, rewritten) = tracked.map_or((&[][..], &[][..]), |one| (&one.changes, &one.rewritten));
        let step_at = |place: usize| {
            let steps = changes.iter().filter(|change| change.at == place);
            steps.map(|change| (change.relative().abs() * 1e6) as u64).max()
        };
        let mut wanted = Vec::new();
        for (later, &after) in measured.iter().enumerate() {
            // Another source is another benchmark: it is not compared with what was before.
            let source_since = rewritten
                .iter()
                .rev()
                .find(|start| **start <= after)
                .copied()
                .unwrap_or(0);
            let oldest = measured.partition_point(|place| *place < source_since);
            for (earlier, &before) in measured[..later].iter().enumerate().skip(oldest) {
                let (rank, size) = match (later - earlier, step_at(after)) {
                    (1, Some(size)) => (ComparisonRank::Step, size),
                    _ if earlier == oldest && later + 1 == measured.len() => (ComparisonRank::Whole, 0),
                    (1, None) => (ComparisonRank::Neighbours, 0),
                    _ => (ComparisonRank::Any, 0),
                };
                wanted.push(ComparisonCandidate {
                    rank,
                    largest_first: Reverse(size),
                    distance: later - earlier,
                    newest_first: Reverse(after),
                    before,
                });
            }
        }
        wanted
    }

    /// The summary for the reader: the newest version against the oldest, and the versions that changed costs.
    pub fn headline(&self, comparisons: &[ExecutionComparison]) -> ReportHeadline {
        let events = self.events();
        let lines: Vec<ReportHeadlineLine> = (events.iter().take(MOST_LINES))
            .map(|event| self.event_line(event, comparisons))
            .collect();
        let whole: Vec<f64> = self.track.benchmarks.iter().filter_map(over_all).collect();
        let count = |tone: CostTrend| whole.iter().filter(|change| tone_of(**change) == tone).count();
        let (slower, faster) = (count(CostTrend::Slower), count(CostTrend::Faster));
        let of = number_format::counted_noun(whole.len(), "benchmark");
        let versions = number_format::counted_noun(self.versions.len(), "version");
        let steps = match events.len() {
            0 => "no step".to_owned(),
            1 => "1 version made a step".to_owned(),
            many => format!("{many} versions made steps"),
        };
        ReportHeadline {
            tone: CostTrend::of_counts(slower, faster),
            text: format!(
                "Over {versions}, {slower} of {of} {} more, {faster} less; {steps}",
                costs(slower)
            ),
            lines,
        }
    }

    /// The changes, those of one version together, the largest first.
    fn events(&self) -> Vec<VersionEvent<'_>> {
        let mut events: BTreeMap<(usize, usize), VersionEvent<'_>> = BTreeMap::new();
        for benchmark in &self.track.benchmarks {
            for change in &benchmark.changes {
                events
                    .entry((change.at, change.since))
                    .or_default()
                    .push((benchmark, change));
            }
        }
        let mut events: Vec<VersionEvent<'_>> = events.into_values().collect();
        for event in &mut events {
            event.sort_by(|(_, one), (_, two)| size(two).total_cmp(&size(one)));
        }
        events.sort_by(|one, two| size(two[0].1).total_cmp(&size(one[0].1)));
        events
    }

    fn event_line(&self, event: &VersionEvent<'_>, comparisons: &[ExecutionComparison]) -> ReportHeadlineLine {
        let (benchmark, change) = event[0];
        let [since, version] = [change.since, change.at].map(|place| &self.versions[place]);
        let leads_to = comparisons.iter().position(|comparison| {
            comparison.after.benchmark == benchmark.name && comparison.after.commit.as_deref() == Some(&version.commit)
        });
        let named = event.iter().take(NAMED).map(|(benchmark, change)| {
            let amount = number_format::change(change.relative());
            format!("{} {amount}", benchmark.name)
        });
        let mut text = named.collect::<Vec<String>>().join(", ");
        if event.len() > NAMED {
            text.push_str(&format!(" and {} more", event.len() - NAMED));
        }
        text.push_str(&match change.is_across_a_gap() {
            true => format!(" between {} and {}", since.label, version.label),
            false => format!(" at {}", version.label),
        });
        ReportHeadlineLine {
            tone: event_tone(event),
            text,
            cause: (leads_to.and_then(|at| main_causes(&comparisons[at]))).unwrap_or_default(),
            summary: match change.is_across_a_gap() {
                true => String::new(),
                false => version.summary.clone(),
            },
            benchmark: benchmark.name.clone(),
            comparison: leads_to,
        }
    }
}

/// The changes of one version: never empty, the largest first.
type VersionEvent<'a> = Vec<(&'a TrackedBenchmark, &'a TrackChange)>;

fn size(change: &TrackChange) -> f64 {
    change.relative().abs()
}

fn event_tone(event: &VersionEvent<'_>) -> CostTrend {
    let rises = event.iter().filter(|(_, change)| change.relative() > 0.0).count();
    CostTrend::of_counts(rises, event.len() - rises)
}

/// From the first to the last known cost of the same source.
fn over_all(benchmark: &TrackedBenchmark) -> Option<f64> {
    let since = benchmark.rewritten.last().copied().unwrap_or(0);
    let costs = || benchmark.points.iter().skip(since).filter_map(|point| point.cost());
    let (first, last) = (costs().next()?, costs().next_back()?);
    (first > 0).then(|| last as f64 / first as f64 - 1.0)
}

fn tone_of(change: f64) -> CostTrend {
    match change {
        change if change > COUNT_NOISE_FLOOR => CostTrend::Slower,
        change if change < -COUNT_NOISE_FLOOR => CostTrend::Faster,
        _ => CostTrend::Same,
    }
}
