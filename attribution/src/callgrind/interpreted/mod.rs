//! A trace of an interpreter, and the code that it generated for each interpreted function → a profile of interpreted
//! functions.
//!
//! The interpreter calls a piece of code of its own making, a trampoline, each time that it enters a function. Callgrind
//! counts these like any function, and leaves out the interpreter's and the libraries' own functions: it adds their costs
//! to the function that they work for. So the self cost of a function holds what the interpreter does for it until the next
//! trampoline. What remains of native code without a name is added to its callers here (`folding`).
//!
//! Knows no language: who asks names the functions. Lines and calls of lines are not known.

mod folding;

use std::collections::BTreeMap;

use super::PathRemapping;
use super::ledger::inclusive_cost::inclusive_costs;
use super::trace::CallgrindTrace;
use folding::{CallArc, CallGraph};
use profile::function_name;
use profile::{CostUnit, Profile, ProfileCallSite, ProfileFileId, ProfileFunction, ProfileFunctionId};

/// Callgrind's name for an object that is no file: code that was generated.
const NO_OBJECT: &str = "???";

/// The start of the names that callgrind makes up of addresses.
const ADDRESS: &str = "0x";

/// The functions of a program, and the code by which the interpreter enters them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InterpretedProgram {
    /// The pieces of code, sorted by their first address.
    pub pieces: Vec<CodePiece>,
    /// The functions.
    pub functions: Vec<InterpretedFunction>,
}

/// Code by which a function is entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodePiece {
    /// Its first address in the process.
    pub start: u64,
    /// Its length in bytes.
    pub size: u64,
    /// Index into [`InterpretedProgram::functions`].
    pub function: u32,
}

/// An interpreted function.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InterpretedFunction {
    /// The canonical name, as the profile has it.
    pub name: String,
    /// Its file on the machine, absolute; `None` if it stands in none.
    pub file: Option<String>,
    /// The first lines of the functions in the file that may be meant: several of one name, or none where that is unknown.
    pub lines: Vec<u32>,
    /// True if the interpreter may enter it without its piece of code, so that calls and costs are part of its callers'.
    pub is_entered_otherwise: bool,
}

/// Everything that attribution needs besides the trace.
#[derive(Debug)]
pub struct InterpretedInput<'a> {
    /// Name of the benchmark.
    pub benchmark: &'a str,
    /// Its functions.
    pub program: &'a InterpretedProgram,
    /// Rules that name source paths.
    pub roots: &'a PathRemapping,
}

/// Turns a trace, in which the interpreter's own functions are left out, into a profile. The self costs add up to the
/// trace's total. Where several functions have one name in one file, each gets the same part of what was counted for the
/// name, as an estimate.
#[must_use]
pub fn attribute_interpreted(trace: &CallgrindTrace, with: &InterpretedInput<'_>) -> Profile {
    let nodes = TraceNodes::new(trace, with.program);
    let mut graph = nodes.graph(trace);
    graph.fold(&nodes.unnamed);
    let functions: Vec<NodeFunction> = nodes.functions(trace, with);
    profile_of(&graph, &functions, trace.total, with.benchmark)
}

/// All functions that a process entered, of which the interpreter wrote a list: what each costs is not known, and counts as one.
#[must_use]
pub fn entered_functions(with: &InterpretedInput<'_>) -> Profile {
    let trace = CallgrindTrace::default();
    let nodes = TraceNodes::new(&trace, with.program);
    let mut graph = nodes.graph(&trace);
    for node in 0..with.program.functions.len() {
        graph.add_cost(node, 1);
    }
    let total = with.program.functions.len() as u64;
    profile_of(&graph, &nodes.functions(&trace, with), total, with.benchmark)
}

/// A function of the profile under construction.
#[derive(Debug, Clone, PartialEq, Eq)]
struct NodeFunction {
    name: String,
    file: Option<String>,
    external: bool,
    /// At least one; 0 where unknown.
    lines: Vec<u32>,
    estimated: bool,
}

/// The nodes of the call graph: interpreted functions first, then native ones by object and symbol.
struct TraceNodes<'a> {
    program: &'a InterpretedProgram,
    generated: Option<u32>,
    natives: BTreeMap<(u32, u32), usize>,
    /// For each node, whether it is native code without a name.
    unnamed: Vec<bool>,
}

impl<'a> TraceNodes<'a> {
    fn new(trace: &CallgrindTrace, program: &'a InterpretedProgram) -> Self {
        let generated = trace.objects.iter().position(|object| object == NO_OBJECT);
        let mut nodes = Self {
            program,
            generated: generated.and_then(|at| u32::try_from(at).ok()),
            natives: BTreeMap::new(),
            unnamed: vec![false; program.functions.len()],
        };
        let steps = trace.instructions.iter();
        let steps = steps.map(|step| (step.object, step.address, step.symbol));
        let calls = trace.calls.iter().flat_map(|call| {
            [
                (call.from_object, call.from, call.from_symbol),
                (call.to_object, call.to, call.to_symbol),
            ]
        });
        for (object, address, symbol) in steps.chain(calls) {
            if nodes.interpreted(object, address).is_none() && !nodes.natives.contains_key(&(object, symbol)) {
                nodes.natives.insert((object, symbol), nodes.unnamed.len());
                let name = trace.symbols.get(symbol as usize);
                nodes.unnamed.push(name.is_none_or(|name| name.starts_with(ADDRESS)));
            }
        }
        nodes
    }

    fn interpreted(&self, object: u32, address: u64) -> Option<usize> {
        if Some(object) != self.generated {
            return None;
        }
        let pieces = &self.program.pieces;
        let after = pieces.partition_point(|piece| piece.start <= address);
        let piece = pieces.get(after.checked_sub(1)?)?;
        let function = piece.function as usize;
        (address - piece.start < piece.size && function < self.program.functions.len()).then_some(function)
    }

    fn node(&self, object: u32, address: u64, symbol: u32) -> Option<usize> {
        let native = || self.natives.get(&(object, symbol)).copied();
        self.interpreted(object, address).or_else(native)
    }

    fn graph(&self, trace: &CallgrindTrace) -> CallGraph {
        let mut graph = CallGraph::new(self.unnamed.len());
        for step in &trace.instructions {
            if let Some(node) = self.node(step.object, step.address, step.symbol) {
                graph.add_cost(node, step.executed);
            }
        }
        for call in &trace.calls {
            let from = self.node(call.from_object, call.from, call.from_symbol);
            let to = self.node(call.to_object, call.to, call.to_symbol);
            // A callee without any cost was not called during collection, and one without calls began before it.
            if let (Some(from), Some(to)) = (from, to)
                && call.cost > 0
                && call.calls > 0
            {
                let arc = CallArc {
                    calls: call.calls,
                    cost: call.cost,
                    estimated: false,
                };
                graph.add_arc(from, to, arc);
            }
        }
        graph
    }

    /// The function of each node.
    fn functions(&self, trace: &CallgrindTrace, with: &InterpretedInput<'_>) -> Vec<NodeFunction> {
        let interpreted = self.program.functions.iter().map(|function| {
            let path = function.file.as_deref().map(|file| with.roots.to_profile_path(file));
            NodeFunction {
                name: function.name.clone(),
                external: path.as_ref().is_none_or(|path| path.external),
                file: path.map(|path| path.path),
                lines: match function.lines.is_empty() {
                    true => vec![0],
                    false => function.lines.clone(),
                },
                estimated: function.lines.len() > 1 || function.is_entered_otherwise,
            }
        });
        let mut natives: Vec<((u32, u32), usize)> = self.natives.iter().map(|(key, node)| (*key, *node)).collect();
        natives.sort_by_key(|(_, node)| *node);
        let native = natives.into_iter().map(|((_, symbol), _)| NodeFunction {
            name: function_name::canonical(trace.symbols.get(symbol as usize).map_or("", String::as_str)),
            file: None,
            external: true,
            lines: vec![0],
            estimated: false,
        });
        interpreted.chain(native).collect()
    }
}

/// One function of the profile, with its part of a node's counts.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct FunctionKey<'a> {
    name: &'a str,
    file: Option<&'a str>,
    line: u32,
    external: bool,
}

#[derive(Debug, Clone, Default)]
struct FunctionSums {
    own: u64,
    inclusive: u64,
    calls: u64,
    estimated: bool,
}

fn profile_of(graph: &CallGraph, functions: &[NodeFunction], total: u64, benchmark: &str) -> Profile {
    let edges: BTreeMap<(usize, usize), u64> = graph.arcs().map(|(key, arc)| (key, arc.cost)).collect();
    let outside = vec![false; functions.len()];
    let inclusive = inclusive_costs(graph.own(), &edges, &outside, total);
    let mut calls = vec![0u64; functions.len()];
    let mut is_used: Vec<bool> = graph.own().iter().map(|own| *own > 0).collect();
    for ((from, to), arc) in graph.arcs() {
        calls[to] = calls[to].saturating_add(arc.calls);
        is_used[from] = true;
        is_used[to] = true;
    }
    let mut sums: BTreeMap<FunctionKey<'_>, FunctionSums> = BTreeMap::new();
    let keys = |node: usize| {
        let function = &functions[node];
        function.lines.iter().map(|line| FunctionKey {
            name: &function.name,
            file: function.file.as_deref(),
            line: *line,
            external: function.external,
        })
    };
    for node in (0..functions.len()).filter(|node| is_used[*node]) {
        let parts = functions[node].lines.len();
        for (at, key) in keys(node).enumerate() {
            let of_function = sums.entry(key).or_default();
            add(&mut of_function.own, part(graph.own()[node], at, parts));
            add(&mut of_function.inclusive, part(inclusive[node], at, parts));
            add(&mut of_function.calls, part(calls[node], at, parts));
            of_function.estimated |= functions[node].estimated;
        }
    }
    let mut sites: BTreeMap<(FunctionKey<'_>, FunctionKey<'_>), CallArc> = BTreeMap::new();
    for ((from, to), arc) in graph.arcs() {
        let parts = functions[from].lines.len() * functions[to].lines.len();
        let pairs = keys(from).flat_map(|caller| keys(to).map(move |callee| (caller.clone(), callee)));
        for (at, pair) in pairs.enumerate() {
            let site = sites.entry(pair).or_default();
            add(&mut site.calls, part(arc.calls, at, parts));
            add(&mut site.cost, part(arc.cost, at, parts));
            site.estimated |= arc.estimated || functions[from].estimated || functions[to].estimated;
        }
    }
    let mut files: Vec<&str> = sums.keys().filter_map(|key| key.file).collect();
    files.sort_unstable();
    files.dedup();
    let file_id = |file: &str| ProfileFileId(number(files.binary_search(&file).unwrap_or(usize::MAX)));
    let numbers: BTreeMap<&FunctionKey<'_>, usize> = sums.keys().zip(0..).collect();
    let id = |key: &FunctionKey<'_>| ProfileFunctionId(number(numbers.get(key).copied().unwrap_or(usize::MAX)));
    let sites: Vec<ProfileCallSite> = sites
        .iter()
        .map(|((caller, callee), arc)| ProfileCallSite {
            caller: id(caller),
            callee: id(callee),
            file: None,
            line: 0,
            calls: arc.calls,
            inclusive: arc.cost.min(sums.get(callee).map_or(0, |sums| sums.inclusive)),
            inlined: false,
            estimated: arc.estimated,
        })
        .collect();
    let functions: Vec<ProfileFunction> = sums
        .iter()
        .map(|(key, sums)| ProfileFunction {
            name: key.name.to_owned(),
            file: key.file.map(file_id),
            line: key.line,
            external: key.external,
            calls: sums.calls,
            inlined_calls: 0,
            inclusive: sums.inclusive.min(total),
            self_cost: sums.own,
            estimated: sums.estimated,
        })
        .collect();
    Profile {
        benchmark: benchmark.to_owned(),
        unit: CostUnit::Instructions,
        profiler: "callgrind".to_owned(),
        exact_counts: !functions.iter().any(|function| function.estimated) && !sites.iter().any(|site| site.estimated),
        total,
        files: files.into_iter().map(str::to_owned).collect(),
        functions,
        sites,
        lines: Vec::new(),
    }
}

fn number(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Part `at` of a count that is divided evenly; the first parts get what is left.
fn part(count: u64, at: usize, parts: usize) -> u64 {
    let (at, parts) = (at as u64, (parts as u64).max(1));
    count / parts + u64::from(at < count % parts)
}

/// Adds a count; sums of hostile traces saturate.
fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
}

#[cfg(test)]
mod tests;
