//! A trace with calling contexts and the debug information of the profiled program → a [`CallTree`] with one node for
//! each path of calls, inlined calls included.
//!
//! A context of the trace is a path of machine-level functions. Each of its instructions lies in a chain of inlined
//! functions, which extends the path; the callees of a call instruction extend the path from there. Costs are exact
//! with one exception: if several inlined functions of one caller call the same context, its cost and the costs below
//! it are known only in sum, and are divided in the ratio of the calls' costs, which are known
//! ([`AttributedCallTree::divided`]). Call counts of functions with their own body are exact; those of inlined copies
//! are as in [`super::attribute()`]. `docs/src/explanation/call-trees.md` has measurements. Does not know how the trace was recorded.

mod context_order;
mod cost_shares;
mod inlined_copies;
mod symbol_paths;
mod tree_join;

use std::collections::{BTreeMap, HashMap};

use super::control_flow::{ControlFlowGraph, ControlFlowInput, ExecutedInstruction};
use super::placement::{SymbolizedProgram, symbolize_addresses};
use super::{AttributionInput, DebugInfoError, PathRemapping, find_program};
use crate::callgrind::trace::{ContextCall, ContextStep, ContextTrace};
use profile::call_tree::{CallCount, CallTree, CallTreeFunction};
use profile::function_name;

use context_order::{ContextOrder, calls_of};
use cost_shares::PathCostShares;
use inlined_copies::InlinedCopies;
use symbol_paths::{PathFunction, SymbolPathId, SymbolPaths};
pub use tree_join::{JoinedCallTree, join_call_counts};

/// Name of the root of every tree made here, whatever the subject is called, so that roots always match.
pub const ROOT: &str = "benchmark";

/// Treatment of the functions in which collection starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutermostFrame {
    /// Part of the benchmark: shown below the root.
    Shown,
    /// A framework's frame around the benchmark: replaced by the root.
    Root,
}

/// A tree made from a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttributedCallTree {
    /// Its self costs add up to the trace's total.
    pub tree: CallTree,
    /// Part of the total that was divided among several callers in an estimated ratio.
    pub divided: u64,
    /// False if there were more contexts than a tree may have: the rest is in the self costs of its callers.
    pub complete: bool,
}

/// Turns a trace with contexts into a tree.
///
/// # Errors
/// [`DebugInfoError`] if the program is not an executable or has no line tables.
pub fn call_tree(
    trace: &ContextTrace,
    with: &AttributionInput<'_>,
    outermost: OutermostFrame,
) -> Result<AttributedCallTree, DebugInfoError> {
    let whole = &trace.trace;
    let program = find_program(whole, with.program);
    let steps = super::steps_of(whole, program);
    let addresses: Vec<u64> = steps.iter().map(|step| step.address).collect();
    let placement = symbolize_addresses(with.binary, &addresses)?;
    let placed = SymbolizedSteps {
        program,
        steps: &steps,
        placement: &placement,
    };
    Ok(grow(trace, placed, with, outermost))
}

/// Executed instructions of the profiled program and their places in the source.
#[derive(Debug, Clone, Copy)]
struct SymbolizedSteps<'a> {
    /// Index of the program among the trace's objects.
    program: Option<u32>,
    steps: &'a [ExecutedInstruction],
    placement: &'a SymbolizedProgram,
}

fn grow(
    trace: &ContextTrace,
    placed: SymbolizedSteps<'_>,
    with: &AttributionInput<'_>,
    outermost: OutermostFrame,
) -> AttributedCallTree {
    let SymbolizedSteps {
        program,
        steps,
        placement,
    } = placed;
    let machine = ControlFlowInput {
        trace: &trace.trace,
        program,
        placement,
        build: with.build,
    };
    let copies = InlinedCopies::new(placement, steps, &ControlFlowGraph::new(machine, steps));
    let mut growth = ContextTreeBuilder::new(trace, placed, with.roots);
    let order = context_order::order(trace, &growth.own_costs());
    growth.plant(&order, outermost);
    for context in &order.sequence {
        growth.context(*context, &order, &copies);
    }
    let divided = growth.divided;
    let (mut tree, complete) = growth.paths.finish();
    at_least_once(&mut tree);
    AttributedCallTree {
        tree,
        divided,
        complete,
    }
}

/// Gives contexts that executed something at least one call: estimated and divided numbers may have been rounded to
/// zero.
fn at_least_once(tree: &mut CallTree) {
    let mut ran: Vec<bool> = tree.nodes.iter().map(|node| node.self_cost > 0).collect();
    for at in (0..tree.nodes.len()).rev() {
        let node = &mut tree.nodes[at];
        if let (true, Some(parent)) = (ran[at], node.parent) {
            ran[parent.0 as usize] = true;
        }
        if let (true, Some(calls)) = (ran[at], &mut node.calls)
            && calls.estimated
        {
            calls.count = calls.count.max(1);
        }
    }
}

/// The tree under construction.
struct ContextTreeBuilder<'a> {
    trace: &'a ContextTrace,
    placed: SymbolizedSteps<'a>,
    paths: SymbolPaths,
    /// For each origin of the placement, its function.
    of_origin: Vec<PathFunction>,
    /// For each context, its body.
    bodies: Vec<PathFunction>,
    /// For each context, its paths with the cost of the calls that lead there.
    places: Vec<Vec<(SymbolPathId, u64)>>,
    divided: u64,
}

impl<'a> ContextTreeBuilder<'a> {
    fn new(trace: &'a ContextTrace, placed: SymbolizedSteps<'a>, roots: &PathRemapping) -> Self {
        let placement = placed.placement;
        let mut growth = Self {
            trace,
            placed,
            paths: SymbolPaths::new(CallTreeFunction::named(ROOT)),
            of_origin: Vec::new(),
            bodies: Vec::new(),
            places: vec![Vec::new(); trace.contexts.len()],
            divided: 0,
        };
        let mut keys = SymbolKeys::default();
        for origin in &placement.origins {
            let file = origin
                .file
                .map(|file| roots.to_profile_path(&placement.files[file as usize]));
            let known = PathFunction {
                key: match &*origin.symbol {
                    "" => keys.number(SymbolKey::Declaration {
                        name: origin.name.clone(),
                        file: origin.file,
                        line: origin.line,
                    }),
                    symbol => keys.number(SymbolKey::Program(symbol.to_owned())),
                },
                declared: growth.paths.declare(CallTreeFunction {
                    name: origin.name.clone(),
                    external: file.as_ref().is_none_or(|file| file.external),
                    file: file.map(|file| file.path),
                    line: origin.line,
                }),
            };
            growth.of_origin.push(known);
        }
        growth.find_bodies(&mut keys);
        growth
    }

    /// Finds the function of each context: from the debug information at its entry or, where the entry was not seen, at
    /// its first instruction; without debug information, its symbol.
    fn find_bodies(&mut self, keys: &mut SymbolKeys) {
        let mut first: Vec<Option<u32>> = vec![None; self.trace.contexts.len()];
        for call in &self.trace.calls {
            let root = self.find(call.to_object, call.entry).and_then(|at| self.root(at));
            if root.is_some() {
                first[call.to as usize] = root;
            }
        }
        for step in &self.trace.steps {
            if first[step.context as usize].is_none() {
                let root = self.find(step.object, step.address).and_then(|at| self.root(at));
                first[step.context as usize] = root;
            }
        }
        let mut objects: Vec<u32> = vec![0; self.trace.contexts.len()];
        for step in &self.trace.steps {
            objects[step.context as usize] = step.object;
        }
        let mut of_symbol: HashMap<(u32, u32), PathFunction> = HashMap::new();
        for (at, (context, root)) in self.trace.contexts.iter().zip(first).enumerate() {
            let known = match root {
                Some(root) => self.of_instance(root),
                None => *of_symbol.entry((context.symbol, objects[at])).or_insert_with(|| {
                    let symbol = self.trace.trace.symbols.get(context.symbol as usize);
                    let symbol = symbol.map_or("", |symbol| symbol);
                    PathFunction {
                        key: keys.number(SymbolKey::Object {
                            symbol: symbol.to_owned(),
                            object: objects[at],
                        }),
                        declared: self
                            .paths
                            .declare(CallTreeFunction::named(function_name::canonical(symbol))),
                    }
                }),
            };
            self.bodies.push(known);
        }
    }

    fn find(&self, object: u32, address: u64) -> Option<usize> {
        let found = || self.placed.steps.binary_search_by_key(&address, |step| step.address);
        (Some(object) == self.placed.program).then(found)?.ok()
    }

    fn root(&self, step: usize) -> Option<u32> {
        inlined_copies::enclosing(self.placed.placement, step).last()
    }

    fn of_instance(&self, instance: u32) -> PathFunction {
        self.of_origin[self.placed.placement.instances[instance as usize].origin as usize]
    }

    fn own_costs(&self) -> Vec<u64> {
        let mut own = vec![0u64; self.trace.contexts.len()];
        for step in &self.trace.steps {
            let own = &mut own[step.context as usize];
            *own = own.saturating_add(step.executed);
        }
        own
    }

    /// Puts the contexts in which collection starts below the root, or in place of it.
    fn plant(&mut self, order: &ContextOrder, outermost: OutermostFrame) {
        self.paths.add_calls(
            SymbolPaths::ROOT,
            CallCount {
                count: 1,
                estimated: false,
            },
        );
        let mut entered: HashMap<u32, u64> = HashMap::new();
        for call in self
            .trace
            .calls
            .iter()
            .filter(|call| call.cost > 0 && call.from != call.to)
        {
            if order.rank[call.from as usize] == u32::MAX {
                let calls = entered.entry(call.to).or_default();
                *calls = calls.saturating_add(call.calls);
            }
        }
        for top in &order.tops {
            let path = match outermost {
                OutermostFrame::Root => SymbolPaths::ROOT,
                OutermostFrame::Shown => {
                    let path = self.paths.enter(SymbolPaths::ROOT, self.bodies[*top as usize]);
                    let calls = CallCount {
                        count: entered.get(top).copied().unwrap_or_default().max(1),
                        estimated: false,
                    };
                    self.paths.add_calls(path, calls);
                    path
                }
            };
            self.places[*top as usize].push((path, 1));
        }
    }

    /// Adds the costs of a context, and finds the paths of its callees.
    fn context(&mut self, context: u32, order: &ContextOrder, copies: &InlinedCopies<'_>) {
        let mut places = PathCostShares::of(std::mem::take(&mut self.places[context as usize]));
        let own = self.steps_of(context);
        let mut by_instance: BTreeMap<Option<u32>, u64> = BTreeMap::new();
        let mut ran: Vec<(usize, u64)> = Vec::new();
        for step in own {
            let at = self.find(step.object, step.address);
            ran.extend(at.map(|at| (at, step.executed)));
            let instance = at.and_then(|at| self.placed.placement.places[at].instance);
            let cost = by_instance.entry(instance).or_default();
            *cost = cost.saturating_add(step.executed);
        }
        if places.paths.len() > 1 {
            let own = own.iter().fold(0u64, |sum, step| sum.saturating_add(step.executed));
            self.divided = self.divided.saturating_add(own);
        }
        let entered = copies.entered(&ran);
        let made = made(own, calls_of(self.trace, context));
        let own: Vec<(Option<u32>, Vec<u64>)> = (by_instance.into_iter())
            .map(|(instance, cost)| (instance, places.divide(cost)))
            .collect();
        for place in 0..places.paths.len() {
            let mut chains = InlineChains {
                context,
                body: places.paths[place],
                known: HashMap::new(),
            };
            for (instance, parts) in &own {
                let path = chains.path(self, *instance);
                self.paths.add_self(path, parts[place]);
            }
            for (instance, count) in &entered {
                let path = chains.path(self, Some(*instance));
                self.paths.add_calls(
                    path,
                    CallCount {
                        count: places.rounded_share(count.count, place),
                        estimated: count.estimated || places.paths.len() > 1,
                    },
                );
            }
            for (call, calls) in &made {
                let at = self.find(call.from_object, call.at);
                let caller = chains.path(self, at.and_then(|at| self.placed.placement.places[at].instance));
                let calls = CallCount {
                    count: places.rounded_share(calls.count, place),
                    estimated: calls.estimated || places.paths.len() > 1,
                };
                let callee = self.bodies[call.to as usize];
                let cut = order.rank[call.to as usize] <= order.rank[context as usize];
                let path = if cut {
                    // recursion: the cost belongs to the callee's other calls
                    let Some(path) = self.paths.find_entry(caller, callee.key) else {
                        continue;
                    };
                    path
                } else {
                    let path = self.paths.enter(caller, callee);
                    let cost = places.rounded_share(call.cost, place);
                    let places = &mut self.places[call.to as usize];
                    match places.iter_mut().find(|(known, _)| *known == path) {
                        Some((_, sum)) => *sum = sum.saturating_add(cost),
                        None => places.push((path, cost)),
                    }
                    path
                };
                self.paths.add_calls(path, calls);
            }
        }
    }

    fn steps_of(&self, context: u32) -> &'a [ContextStep] {
        let steps = &self.trace.steps;
        let begin = steps.partition_point(|step| step.context < context);
        let end = steps.partition_point(|step| step.context <= context);
        &steps[begin..end]
    }
}

/// Calls that were made while costs were collected, as in [`ControlFlowGraph::calls_made`]: an instruction calls at
/// most as often as it runs.
fn made<'t>(own: &[ContextStep], calls: &'t [ContextCall]) -> Vec<(&'t ContextCall, CallCount)> {
    let mut made = Vec::new();
    for calls in calls.chunk_by(|a, b| (a.from_object, a.at) == (b.from_object, b.at)) {
        let place = (calls[0].from_object, calls[0].at);
        let Ok(at) = own.binary_search_by_key(&place, |step| (step.object, step.address)) else {
            continue;
        };
        let executed = own[at].executed;
        let collected = || calls.iter().filter(|call| call.cost > 0);
        let listed = collected().fold(0u64, |sum, call| sum.saturating_add(call.calls));
        for call in collected() {
            let count = if listed <= executed {
                call.calls
            } else {
                share(call.calls, executed, listed)
            };
            let estimated = listed > executed && listed != call.calls;
            made.push((call, CallCount { count, estimated }));
        }
    }
    made
}

/// Paths below one place of a context.
struct InlineChains {
    context: u32,
    body: SymbolPathId,
    known: HashMap<u32, SymbolPathId>,
}

impl InlineChains {
    /// Returns the path to an inlined copy, or to the body itself.
    fn path(&mut self, growth: &mut ContextTreeBuilder<'_>, instance: Option<u32>) -> SymbolPathId {
        let Some(instance) = instance else {
            return self.body;
        };
        if let Some(path) = self.known.get(&instance) {
            return *path;
        }
        let parent = |instance: &u32| growth.placed.placement.instances[*instance as usize].parent;
        let chain: Vec<u32> = std::iter::successors(Some(instance), parent).collect();
        let mut path = self.body;
        for (depth, instance) in chain.iter().rev().enumerate() {
            let function = growth.of_instance(*instance);
            // the outermost one is the body, unless the symbol table and the debug information disagree on where it
            // ends
            if depth > 0 || function.key != growth.bodies[self.context as usize].key {
                path = growth.paths.enter(path, function);
            }
        }
        self.known.insert(instance, path);
        path
    }
}

fn share(count: u64, part: u64, whole: u64) -> u64 {
    let share = u128::from(count) * u128::from(part) / u128::from(whole.max(1));
    u64::try_from(share).unwrap_or(u64::MAX)
}

/// Identity of a function on the paths of a tree: two copies of a generic function are two functions.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum SymbolKey {
    /// A symbol of the profiled program.
    Program(String),
    /// A declaration that has no symbol in the debug information.
    Declaration { name: String, file: Option<u32>, line: u32 },
    /// A symbol without debug information, with the object that holds it: two libraries may share a name.
    Object { symbol: String, object: u32 },
}

/// Numbers of symbols, in the order of their first appearance.
#[derive(Default)]
struct SymbolKeys(HashMap<SymbolKey, u32>);

impl SymbolKeys {
    fn number(&mut self, symbol: SymbolKey) -> u32 {
        let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        *self.0.entry(symbol).or_insert(next)
    }
}

#[cfg(test)]
mod tests;
