//! A trace with calling contexts and the debug information of the profiled program in, a [`CallTree`] out: one node
//! for each path of calls, inlined ones included.
//!
//! A context of the trace is a path of machine-level functions; each of its instructions lies in a chain of inlined
//! functions, which goes on from there, and what a call instruction calls goes on from the chain it lies in. Costs are
//! exact but for one case: where one context is called from several inlined functions of its caller, what it and those
//! below it executed is not known of each, and divided in the ratio of the calls' costs, which are
//! ([`Attributed::divided`]). Calls of functions that kept a body are exact; of inlined ones as in
//! [`super::attribute()`]. `docs/src/explanation/call-trees.md` has measurements.

mod copies;
mod join;
mod order;
mod paths;
mod shares;

use std::collections::{BTreeMap, HashMap};

use super::debug_info::Placement;
use super::flow::{Flow, Machine, Step};
use super::{Attribution, DebugInfoError, Roots, debug_info, find_program};
use crate::callgrind::trace::{ContextCall, ContextStep, ContextTrace};
use profile::call_tree::{CallTree, Calls, Function};
use profile::name;

use copies::Copies;
pub use join::{Joined, with_calls_of};
use order::{Order, calls_of};
use paths::{Known, Path, Paths};
use shares::Shares;

/// Name of the root of every tree that is made here, whatever the subject is called: so that roots always match.
pub const ROOT: &str = "benchmark";

/// What the functions are to a reader in which collection starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outermost {
    /// A part of the benchmark: below the root.
    Shown,
    /// A framework's frame around it: the root itself.
    Root,
}

/// A tree that was made of a trace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attributed {
    /// Its self costs add up to the trace's total.
    pub tree: CallTree,
    /// Of the total, what was divided among several callers in a ratio that is not its own.
    pub divided: u64,
    /// False if there were more contexts than a tree may have: what did not fit is in its callers' self costs.
    pub complete: bool,
}

/// Turns a trace with contexts into a tree.
///
/// # Errors
/// [`DebugInfoError`] if the program is no executable or has no line tables.
pub fn call_tree(
    trace: &ContextTrace,
    with: &Attribution<'_>,
    outermost: Outermost,
) -> Result<Attributed, DebugInfoError> {
    let whole = &trace.trace;
    let program = find_program(whole, with.program);
    let steps = super::steps_of(whole, program);
    let addresses: Vec<u64> = steps.iter().map(|step| step.address).collect();
    let placement = debug_info::place(with.binary, &addresses)?;
    let placed = Placed {
        program,
        steps: &steps,
        placement: &placement,
    };
    Ok(grow(trace, placed, with, outermost))
}

/// The profiled program's own part of a trace, and where it comes from.
#[derive(Debug, Clone, Copy)]
struct Placed<'a> {
    /// The trace's object that is the program.
    program: Option<u32>,
    steps: &'a [Step],
    placement: &'a Placement,
}

fn grow(trace: &ContextTrace, placed: Placed<'_>, with: &Attribution<'_>, outermost: Outermost) -> Attributed {
    let Placed {
        program,
        steps,
        placement,
    } = placed;
    let machine = Machine {
        trace: &trace.trace,
        program,
        placement,
        build: with.build,
    };
    let copies = Copies::new(placement, steps, &Flow::new(machine, steps));
    let mut growth = Growth::new(trace, placed, with.roots);
    let order = order::order(trace, &growth.own_costs());
    growth.plant(&order, outermost);
    for context in &order.sequence {
        growth.context(*context, &order, &copies);
    }
    let divided = growth.divided;
    let (mut tree, complete) = growth.paths.finish();
    at_least_once(&mut tree);
    Attributed {
        tree,
        divided,
        complete,
    }
}

/// What executed something was called: estimates and divided numbers may have been rounded to nothing.
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

/// The tree while it grows.
struct Growth<'a> {
    trace: &'a ContextTrace,
    placed: Placed<'a>,
    paths: Paths,
    /// Function of each origin of the placement.
    of_origin: Vec<Known>,
    /// The body that each context is in.
    bodies: Vec<Known>,
    /// Paths of each context, with the cost of the calls that lead there.
    places: Vec<Vec<(Path, u64)>>,
    divided: u64,
}

impl<'a> Growth<'a> {
    fn new(trace: &'a ContextTrace, placed: Placed<'a>, roots: &Roots) -> Self {
        let placement = placed.placement;
        let mut growth = Self {
            trace,
            placed,
            paths: Paths::new(Function::named(ROOT)),
            of_origin: Vec::new(),
            bodies: Vec::new(),
            places: vec![Vec::new(); trace.contexts.len()],
            divided: 0,
        };
        let mut keys = Keys::default();
        for origin in &placement.origins {
            let file = origin.file.map(|file| roots.name(&placement.files[file as usize]));
            let known = Known {
                key: match &*origin.symbol {
                    "" => keys.of(&format!("{}:{:?}:{}", origin.name, origin.file, origin.line)),
                    symbol => keys.of(symbol),
                },
                declared: growth.paths.declare(Function {
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

    /// The function that each context is in: what the debug information has at its entry or, where that was not seen,
    /// at its first instruction; without debug information its symbol.
    fn find_bodies(&mut self, keys: &mut Keys) {
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
        let mut of_symbol: HashMap<(u32, u32), Known> = HashMap::new();
        for (at, (context, root)) in self.trace.contexts.iter().zip(first).enumerate() {
            let known = match root {
                Some(root) => self.of_instance(root),
                None => *of_symbol.entry((context.symbol, objects[at])).or_insert_with(|| {
                    let symbol = self.trace.trace.symbols.get(context.symbol as usize);
                    let symbol = symbol.map_or("", |symbol| symbol);
                    Known {
                        // two libraries may each have a function of that name
                        key: keys.of(&format!("{symbol} of {}", objects[at])),
                        declared: self.paths.declare(Function::named(name::canonical(symbol))),
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
        copies::enclosing(self.placed.placement, step).last()
    }

    fn of_instance(&self, instance: u32) -> Known {
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

    /// Puts the contexts in which collection starts below the root, or in its place.
    fn plant(&mut self, order: &Order, outermost: Outermost) {
        self.paths.add_calls(
            Paths::ROOT,
            Calls {
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
                Outermost::Root => Paths::ROOT,
                Outermost::Shown => {
                    let path = self.paths.enter(Paths::ROOT, self.bodies[*top as usize]);
                    let calls = Calls {
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

    /// Adds what a context executed, and finds the paths of those it calls.
    fn context(&mut self, context: u32, order: &Order, copies: &Copies<'_>) {
        let mut places = Shares::of(std::mem::take(&mut self.places[context as usize]));
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
            let mut chains = Chains {
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
                    Calls {
                        count: places.part(count.count, place),
                        estimated: count.estimated || places.paths.len() > 1,
                    },
                );
            }
            for (call, calls) in &made {
                let at = self.find(call.from_object, call.at);
                let caller = chains.path(self, at.and_then(|at| self.placed.placement.places[at].instance));
                let calls = Calls {
                    count: places.part(calls.count, place),
                    estimated: calls.estimated || places.paths.len() > 1,
                };
                let callee = self.bodies[call.to as usize];
                let cut = order.rank[call.to as usize] <= order.rank[context as usize];
                let path = if cut {
                    // recursion: what it executed is with the callee's other calls
                    let Some(path) = self.paths.on(caller, callee.key) else {
                        continue;
                    };
                    path
                } else {
                    let path = self.paths.enter(caller, callee);
                    let cost = places.part(call.cost, place);
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

/// Calls that were made while costs were collected, as in [`Flow::calls_made`]: an instruction calls no more often than
/// it runs.
fn made<'t>(own: &[ContextStep], calls: &'t [ContextCall]) -> Vec<(&'t ContextCall, Calls)> {
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
            made.push((call, Calls { count, estimated }));
        }
    }
    made
}

/// Paths of one context in one of its places.
struct Chains {
    context: u32,
    body: Path,
    known: HashMap<u32, Path>,
}

impl Chains {
    /// The path to an inlined copy, or to the body itself.
    fn path(&mut self, growth: &mut Growth<'_>, instance: Option<u32>) -> Path {
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
            // the outermost is the body, unless the symbol table and the debug information disagree on where it ends
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

/// Numbers for symbols.
#[derive(Default)]
struct Keys(HashMap<String, u32>);

impl Keys {
    fn of(&mut self, symbol: &str) -> u32 {
        if let Some(key) = self.0.get(symbol) {
            return *key;
        }
        let key = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        self.0.insert(symbol.to_owned(), key);
        key
    }
}

#[cfg(test)]
mod tests;
