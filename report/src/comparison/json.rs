//! Comparisons into one `lito.comparison/1` document.

use profile::call_tree::{EvolutionNode, Kind, Measure, Side};
use serde::Serialize;

use super::{Comparison, Execution};

/// The version of the contract.
pub const SCHEMA: &str = "lito.comparison/1";

/// The document. `nodes` are in preorder, a `parent` and `hot` are indices into them.
#[must_use]
pub fn json(comparisons: &[Comparison], unit: &str) -> String {
    let document = Document {
        schema: SCHEMA,
        unit,
        comparisons: comparisons.iter().map(entry).collect(),
    };
    let mut out = serde_json::to_string_pretty(&document).expect("strings and numbers are always encoded");
    out.push('\n');
    out
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    unit: &'a str,
    comparisons: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Entry<'a> {
    before: Run<'a>,
    after: Run<'a>,
    hot: usize,
    nodes: Vec<Node<'a>>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct Run<'a> {
    benchmark: &'a str,
    label: &'a str,
    commit: Option<&'a str>,
    total: u64,
}

#[derive(Serialize)]
struct Node<'a> {
    parent: Option<usize>,
    function: &'a str,
    kind: &'static str,
    changed: bool,
    before: Option<Costs>,
    after: Option<Costs>,
    estimated: bool,
    h: Heights,
    w: Option<f64>,
    noise: Vec<&'static str>,
}

#[derive(Serialize)]
struct Costs {
    inclusive: u64,
    #[serde(rename = "self")]
    own: u64,
    calls: Option<u64>,
}

#[derive(Serialize)]
struct Heights {
    share_inclusive: f64,
    share_self: f64,
    cost_inclusive: f64,
    cost_self: f64,
}

fn entry(comparison: &Comparison) -> Entry<'_> {
    let evolution = &comparison.evolution;
    Entry {
        before: run(&comparison.before, evolution.total_before),
        after: run(&comparison.after, evolution.total_after),
        hot: comparison.hot(),
        nodes: (evolution.nodes.iter().enumerate())
            .map(|(at, one)| node(comparison, at, one))
            .collect(),
        notes: &comparison.notes,
    }
}

fn run(execution: &Execution, total: u64) -> Run<'_> {
    Run {
        benchmark: &execution.benchmark,
        label: &execution.label,
        commit: execution.commit.as_deref(),
        total,
    }
}

fn node<'a>(comparison: &'a Comparison, at: usize, node: &EvolutionNode) -> Node<'a> {
    let difference = &node.difference;
    let noise = Measure::ALL.into_iter().filter(|measure| difference.is_noise(*measure));
    Node {
        parent: node.parent,
        function: comparison.evolution.name(at),
        kind: match node.kind() {
            Kind::Both => "both",
            Kind::New => "new",
            Kind::Removed => "removed",
        },
        changed: comparison.is_changed(at),
        before: node.before.map(costs),
        after: node.after.map(costs),
        estimated: node.is_estimated(),
        h: Heights {
            share_inclusive: difference.height(Measure::ShareInclusive),
            share_self: difference.height(Measure::ShareSelf),
            cost_inclusive: difference.height(Measure::CostInclusive),
            cost_self: difference.height(Measure::CostSelf),
        },
        w: node.width,
        noise: noise.map(name).collect(),
    }
}

fn costs(side: Side) -> Costs {
    Costs {
        inclusive: side.inclusive,
        own: side.self_cost,
        calls: side.calls.map(|calls| calls.count),
    }
}

fn name(measure: Measure) -> &'static str {
    match measure {
        Measure::ShareInclusive => "share_inclusive",
        Measure::ShareSelf => "share_self",
        Measure::CostInclusive => "cost_inclusive",
        Measure::CostSelf => "cost_self",
    }
}
