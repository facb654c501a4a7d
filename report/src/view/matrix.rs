//! The profiles of one benchmark at many versions → the evolution matrix: components × versions (Sandoval, Beck and
//! Bergel, *Performance Evolution Matrix*, VISSOFT 2019, section III).
//!
//! The cost of a component is that of its most expensive function, never a sum: functions of one component call each
//! other (section III.C).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use profile::Profile;
use profile::timeline::Timeline;
use serde::Serialize;

use super::function_names::parts;
use super::functions::ViewFunctionTable;
use super::string_table::{NONE, ViewStringTable};

/// Functions below this share of the total in every version have no row: the page hides what is below 2% at first, and
/// this is as far as its threshold can be moved.
const SMALLEST_SHARE: f64 = 0.001;

/// One version of a matrix.
#[derive(Debug, Clone)]
pub struct MatrixColumn<'a> {
    /// Index of the version.
    pub version: usize,
    /// Profile of the benchmark at this version.
    pub profile: &'a Profile,
    /// Functions whose source differs from the column before; none in the first.
    pub modified: BTreeSet<Arc<str>>,
    /// Its execution over time, if known.
    pub timeline: Option<&'a Timeline>,
}

/// The versions of one benchmark, oldest first.
#[derive(Debug, Clone)]
pub struct EvolutionMatrix<'a> {
    /// Its name.
    pub benchmark: &'a str,
    /// The versions at which it was measured.
    pub columns: Vec<MatrixColumn<'a>>,
}

/// The evolution matrix of one benchmark (M1 to M10).
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "Matrix"))]
pub(super) struct MatrixPayload {
    benchmark: usize,
    /// Version of each column, oldest first.
    columns: Vec<usize>,
    /// Total of the benchmark in each column: 100% of the cost.
    totals: Vec<u64>,
    rows: MatrixRowsPayload,
    /// [row][column]: inclusive cost, of a container the maximum over its functions; -1 if absent.
    cost: Vec<Vec<i64>>,
    /// [row][column]: change against the column before, 0.1 for +10%; null if one of them is absent.
    change: Vec<Vec<Option<f64>>>,
    /// [row][column]: number of functions modified since the column before; 0 in the first column.
    modified: Vec<Vec<usize>>,
    edges: MatrixEdgesPayload,
    /// At most one for each column.
    timelines: Vec<TimeFramesPayload>,
}

/// Columns of the rows, in preorder; siblings are sorted by share, largest first.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "MatrixRows"))]
struct MatrixRowsPayload {
    /// Row of the container; -1 for the project.
    parent: Vec<i64>,
    name: Vec<u32>,
    kind: Vec<MatrixComponentKind>,
    /// Function of the row; -1 for a container.
    function: Vec<i64>,
    /// Largest share of the total in any column, 0 to 1: compared with the threshold of M3.
    share: Vec<f64>,
}

/// The dynamic call graph.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "MatrixEdges"))]
struct MatrixEdgesPayload {
    /// Functions.
    caller: Vec<u32>,
    /// Functions.
    callee: Vec<u32>,
    /// [edge][column]: number of calls, 0 if there is none.
    calls: Vec<Vec<u64>>,
}

/// The functions that ran in each time frame of one column.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "TimeFrames"))]
struct TimeFramesPayload {
    column: usize,
    /// Number of time frames.
    frames: usize,
    unit: &'static str,
    function: Vec<u32>,
    /// `share[i]` belongs to `function[i]`: percent of each time frame, 0 to 100.
    share: Vec<Vec<u8>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[cfg_attr(test, derive(ts_rs::TS), ts(rename = "MatrixRowKind"))]
enum MatrixComponentKind {
    Project,
    Package,
    Module,
    Type,
    Function,
}

/// A container or a function, with what is inside of it.
#[derive(Debug)]
struct MatrixComponent<'n> {
    kind: MatrixComponentKind,
    name: &'n str,
    function: Option<u32>,
    /// Inclusive cost by column; `None` where it was not executed.
    cost: Vec<Option<u64>>,
    /// By column, how many functions of it changed.
    modified: Vec<usize>,
    inside: BTreeMap<(MatrixComponentKind, &'n str), MatrixComponent<'n>>,
}

impl<'n> MatrixComponent<'n> {
    fn new(kind: MatrixComponentKind, name: &'n str, columns: usize) -> Self {
        Self {
            kind,
            name,
            function: None,
            cost: vec![None; columns],
            modified: vec![0; columns],
            inside: BTreeMap::new(),
        }
    }

    fn inner(&mut self, kind: MatrixComponentKind, name: &'n str) -> &mut Self {
        let columns = self.cost.len();
        (self.inside.entry((kind, name))).or_insert_with(|| Self::new(kind, name, columns))
    }

    fn raise(&mut self, costs: &[Option<u64>]) {
        for (own, cost) in self.cost.iter_mut().zip(costs) {
            *own = (*own).max(*cost);
        }
    }

    /// Does something to this component and to each below it on the way to a function.
    fn on_the_way(&mut self, way: &[(MatrixComponentKind, &'n str)], act: &mut impl FnMut(&mut Self)) {
        act(self);
        if let Some((&(kind, name), rest)) = way.split_first() {
            self.inner(kind, name).on_the_way(rest, act);
        }
    }
}

/// Lays a matrix out.
pub(super) fn matrix_payload<'n>(
    matrix: &EvolutionMatrix<'n>,
    benchmark: usize,
    project: &'n str,
    functions: &ViewFunctionTable<'n>,
    strings: &mut ViewStringTable,
) -> MatrixPayload {
    let costs = costs(matrix);
    let mut root = MatrixComponent::new(MatrixComponentKind::Project, project, matrix.columns.len());
    for (name, cost) in &costs {
        if share(matrix, cost) < SMALLEST_SHARE {
            continue;
        }
        let way = way(name, functions);
        root.on_the_way(&way, &mut |component| component.raise(cost));
        let mut function = &mut root;
        for (kind, name) in way {
            function = function.inner(kind, name);
        }
        function.function = functions.number(name);
    }
    count_modified(&mut root, matrix, functions);
    let mut shown = MatrixPayload {
        benchmark,
        columns: (matrix.columns.iter()).map(|column| column.version).collect(),
        totals: (matrix.columns.iter()).map(|column| column.profile.total).collect(),
        rows: MatrixRowsPayload::default(),
        cost: Vec::new(),
        change: Vec::new(),
        modified: Vec::new(),
        edges: MatrixEdgesPayload::default(),
        timelines: timelines(matrix, functions),
    };
    add(&mut shown, matrix, &root, NONE, strings);
    let in_rows: BTreeSet<u32> = (shown.rows.function.iter())
        .filter_map(|function| u32::try_from(*function).ok())
        .collect();
    shown.edges = edges(matrix, functions, &in_rows);
    shown
}

/// Inclusive cost of each function by column; of several of one name the largest.
fn costs<'n>(matrix: &EvolutionMatrix<'n>) -> BTreeMap<&'n str, Vec<Option<u64>>> {
    let mut costs: BTreeMap<&str, Vec<Option<u64>>> = BTreeMap::new();
    for (at, column) in matrix.columns.iter().enumerate() {
        for function in &column.profile.functions {
            let by_column = (costs.entry(&function.name)).or_insert_with(|| vec![None; matrix.columns.len()]);
            by_column[at] = by_column[at].max(Some(function.inclusive));
        }
    }
    costs
}

/// The largest share of the total in any column.
fn share(matrix: &EvolutionMatrix<'_>, costs: &[Option<u64>]) -> f64 {
    let shares = (matrix.columns.iter().zip(costs)).map(|(column, cost)| {
        #[expect(clippy::cast_precision_loss, reason = "costs are far below 2^53")]
        let share = cost.unwrap_or(0) as f64 / column.profile.total.max(1) as f64;
        share
    });
    shares.fold(0.0, f64::max)
}

/// The components from below the project down to a function.
fn way<'n>(name: &'n str, functions: &ViewFunctionTable<'n>) -> Vec<(MatrixComponentKind, &'n str)> {
    let known = functions.known(name);
    let file = known.and_then(|known| known.file.filter(|_| known.external));
    let parts = parts(name, file);
    let mut way = vec![(MatrixComponentKind::Package, parts.package)];
    way.extend(parts.module.map(|module| (MatrixComponentKind::Module, module)));
    way.extend(parts.of_type.map(|of_type| (MatrixComponentKind::Type, of_type)));
    way.push((MatrixComponentKind::Function, parts.label));
    way
}

/// Counts what changed, executed or not, into the components that have a row.
fn count_modified<'n>(
    root: &mut MatrixComponent<'n>,
    matrix: &'n EvolutionMatrix<'_>,
    functions: &ViewFunctionTable<'n>,
) {
    for (at, column) in matrix.columns.iter().enumerate() {
        for name in &column.modified {
            let mut component = &mut *root;
            component.modified[at] += 1;
            for key in way(name, functions) {
                let Some(inner) = component.inside.get_mut(&key) else {
                    break;
                };
                component = inner;
                component.modified[at] += 1;
            }
        }
    }
}

/// Adds a component and all inside of it, the largest share first.
fn add(
    shown: &mut MatrixPayload,
    matrix: &EvolutionMatrix<'_>,
    component: &MatrixComponent<'_>,
    parent: i64,
    strings: &mut ViewStringTable,
) {
    let row = i64::try_from(shown.cost.len()).unwrap_or(i64::MAX);
    shown.rows.parent.push(parent);
    shown.rows.name.push(strings.number(component.name));
    shown.rows.kind.push(component.kind);
    (shown.rows.function).push(component.function.map_or(NONE, i64::from));
    shown.rows.share.push(share(matrix, &component.cost));
    let cost = |cost: &Option<u64>| cost.map_or(NONE, |cost| i64::try_from(cost).unwrap_or(NONE));
    shown.cost.push(component.cost.iter().map(cost).collect());
    shown.change.push(changes(&component.cost));
    shown.modified.push(component.modified.clone());
    let mut inside: Vec<&MatrixComponent<'_>> = component.inside.values().collect();
    inside.sort_by(|one, two| {
        (share(matrix, &two.cost).total_cmp(&share(matrix, &one.cost)))
            .then(one.kind.cmp(&two.kind))
            .then(one.name.cmp(two.name))
    });
    for inner in inside {
        add(shown, matrix, inner, row, strings);
    }
}

/// Δtime of section III.C, equation 1: the change against the column before.
fn changes(costs: &[Option<u64>]) -> Vec<Option<f64>> {
    let before = std::iter::once(None).chain(costs.iter().copied());
    let pairs = before.zip(costs.iter().copied());
    pairs
        .map(|(before, after)| match (before, after) {
            (Some(before), Some(after)) if before > 0 => {
                #[expect(clippy::cast_precision_loss, reason = "costs are far below 2^53")]
                let change = after as f64 / before as f64 - 1.0;
                Some(super::rounded(change))
            }
            _ => None,
        })
        .collect()
}

/// Calls between functions that have a row.
fn edges(
    matrix: &EvolutionMatrix<'_>,
    functions: &ViewFunctionTable<'_>,
    in_rows: &BTreeSet<u32>,
) -> MatrixEdgesPayload {
    let mut calls: BTreeMap<(u32, u32), Vec<u64>> = BTreeMap::new();
    for (at, column) in matrix.columns.iter().enumerate() {
        let number = |id| functions.number(&column.profile.function(id).name);
        for site in &column.profile.sites {
            let (Some(caller), Some(callee)) = (number(site.caller), number(site.callee)) else {
                continue;
            };
            if in_rows.contains(&caller) && in_rows.contains(&callee) {
                let by_column = calls.entry((caller, callee));
                by_column.or_insert_with(|| vec![0; matrix.columns.len()])[at] += site.calls;
            }
        }
    }
    let mut edges = MatrixEdgesPayload::default();
    for ((caller, callee), calls) in calls {
        edges.caller.push(caller);
        edges.callee.push(callee);
        edges.calls.push(calls);
    }
    edges
}

/// All timelines in frames of one length, so that a longer run has more of them.
fn timelines(matrix: &EvolutionMatrix<'_>, functions: &ViewFunctionTable<'_>) -> Vec<TimeFramesPayload> {
    let all = || matrix.columns.iter().filter_map(|column| column.timeline);
    let longest = all().map(|timeline| timeline.frame).max().unwrap_or(1);
    let columns = matrix.columns.iter().enumerate();
    columns
        .filter_map(|(at, column)| Some((at, column.timeline?.with_frame_length(longest))))
        .map(|(at, timeline)| {
            let known =
                (timeline.functions.iter()).filter_map(|one| Some((functions.number(&one.name)?, one.shares.clone())));
            let (function, share) = known.unzip();
            TimeFramesPayload {
                column: at,
                frames: timeline.frames(),
                unit: crate::profile::unit(timeline.unit),
                function,
                share,
            }
        })
        .collect()
}
