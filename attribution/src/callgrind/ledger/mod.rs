//! Costs and counts by instruction → a [`Profile`]: sums by function, call site and line, then sorted and numbered.
//! Reads neither the trace's text nor debug information.

pub(super) mod inclusive_cost;
mod merge_counts;

use std::collections::{BTreeMap, HashMap};

use crate::callgrind::AttributionInput;
use crate::callgrind::control_flow::{ControlFlowGraph, ExecutedInstruction};
use crate::callgrind::placement::{DebugPosition, PathRemapping, ProfilePath, SymbolizedProgram};
use crate::callgrind::trace::CallgrindTrace;
use profile::function_name;
use profile::{CostUnit, Profile, ProfileCallSite, ProfileFileId, ProfileFunction, ProfileFunctionId, ProfileLine};

pub use merge_counts::merge_exact_counts;

/// Identity of a function in the profile.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct TraceFunctionKey {
    name: String,
    file: Option<String>,
    line: u32,
    external: bool,
}

/// Sums under construction; functions and files in the order of their first appearance.
pub(super) struct TraceLedger<'a> {
    placement: &'a SymbolizedProgram,
    files: Vec<ProfilePath>,
    keys: Vec<TraceFunctionKey>,
    ids: HashMap<TraceFunctionKey, usize>,
    functions: Vec<TraceFunctionSums>,
    /// For each origin of the placement, its function.
    of_origin: Vec<usize>,
    /// For each symbol without debug information, its function.
    of_symbol: HashMap<u32, usize>,
    sites: BTreeMap<TraceSiteKey, TraceSiteSums>,
    lines: BTreeMap<(u32, u32), TraceLineSums>,
    symbols: &'a [String],
}

#[derive(Debug, Clone, Default)]
struct TraceFunctionSums {
    own: u64,
    calls: u64,
    inlined: u64,
    estimated: bool,
    entered_from_outside: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct TraceSiteKey {
    caller: usize,
    file: Option<u32>,
    line: u32,
    callee: usize,
    inlined: bool,
}

#[derive(Debug, Clone, Default)]
struct TraceSiteSums {
    calls: u64,
    cost: u64,
    estimated: bool,
}

#[derive(Debug, Clone, Default)]
struct TraceLineSums {
    executions: u64,
    own: u64,
    estimated: bool,
}

impl<'a> TraceLedger<'a> {
    pub(super) fn new(trace: &'a CallgrindTrace, roots: &PathRemapping, placement: &'a SymbolizedProgram) -> Self {
        let mut ledger = Self {
            placement,
            files: placement.files.iter().map(|f| roots.to_profile_path(f)).collect(),
            keys: Vec::new(),
            ids: HashMap::new(),
            functions: Vec::new(),
            of_origin: Vec::new(),
            of_symbol: HashMap::new(),
            sites: BTreeMap::new(),
            lines: BTreeMap::new(),
            symbols: &trace.symbols,
        };
        for origin in &placement.origins {
            let file = origin.file.map(|file| &ledger.files[file as usize]);
            let key = TraceFunctionKey {
                name: origin.name.clone(),
                external: file.is_none_or(|file| file.external),
                file: file.map(|file| file.path.clone()),
                line: origin.line,
            };
            let id = ledger.function(key);
            ledger.of_origin.push(id);
        }
        ledger
    }

    fn function(&mut self, key: TraceFunctionKey) -> usize {
        if let Some(id) = self.ids.get(&key) {
            return *id;
        }
        let id = self.keys.len();
        self.keys.push(key.clone());
        self.ids.insert(key, id);
        self.functions.push(TraceFunctionSums::default());
        id
    }

    fn of_symbol(&mut self, symbol: u32) -> usize {
        if let Some(id) = self.of_symbol.get(&symbol) {
            return *id;
        }
        let id = self.function(TraceFunctionKey {
            name: function_name::canonical(&self.symbols[symbol as usize]),
            file: None,
            line: 0,
            external: true,
        });
        self.of_symbol.insert(symbol, id);
        id
    }

    fn of_instance(&self, instance: u32) -> usize {
        self.of_origin[self.placement.instances[instance as usize].origin as usize]
    }

    /// Returns the function that owns an executed address of the program.
    fn owner(&mut self, at: usize, symbol: u32) -> usize {
        match self.placement.places[at].instance {
            Some(instance) => self.of_instance(instance),
            None => self.of_symbol(symbol),
        }
    }

    /// Adds self costs of functions and of lines.
    pub(super) fn book_steps(&mut self, trace: &CallgrindTrace, program: Option<u32>, steps: &[ExecutedInstruction]) {
        for (at, step) in steps.iter().enumerate() {
            let owner = self.owner(at, step.symbol);
            add(&mut self.functions[owner].own, step.executed);
            let DebugPosition { file, line, .. } = self.placement.places[at].position;
            if let Some(file) = file
                && line > 0
            {
                add(&mut self.lines.entry((file, line)).or_default().own, step.executed);
            }
        }
        for step in &trace.instructions {
            if Some(step.object) != program {
                let owner = self.of_symbol(step.symbol);
                add(&mut self.functions[owner].own, step.executed);
            }
        }
    }

    /// Adds calls of functions that have their own body.
    pub(super) fn book_calls(
        &mut self,
        trace: &CallgrindTrace,
        program: Option<u32>,
        steps: &[ExecutedInstruction],
        flow: &ControlFlowGraph<'_>,
    ) {
        let find = |object: u32, address: u64| {
            (Some(object) == program)
                .then(|| steps.binary_search_by_key(&address, |step| step.address).ok())
                .flatten()
        };
        for call in &trace.calls {
            let to = find(call.to_object, call.to);
            let callee = match to {
                Some(at) => match flow.outermost_instance(at) {
                    Some(root) => self.of_instance(root),
                    None => self.of_symbol(steps[at].symbol),
                },
                None => self.of_symbol(call.to_symbol),
            };
            let Some(made) = flow.calls_made(call) else {
                // the caller executed nothing during collection: it is above the subject
                if call.cost > 0 && to.is_some() {
                    self.functions[callee].entered_from_outside = true;
                }
                continue;
            };
            if made.calls == 0 {
                continue;
            }
            let (caller, position) = match find(call.from_object, call.from) {
                Some(at) => (self.owner(at, steps[at].symbol), self.placement.places[at].position),
                None => (self.of_symbol(call.from_symbol), DebugPosition::default()),
            };
            let site = self
                .sites
                .entry(TraceSiteKey {
                    caller,
                    callee,
                    file: position.file,
                    line: position.line,
                    inlined: false,
                })
                .or_default();
            add(&mut site.calls, made.calls);
            add(&mut site.cost, call.cost);
            site.estimated |= made.estimated;
        }
        // executions of a body's first instruction are its entries: exact
        for entry in flow.entries() {
            let function = match entry.root {
                Some(root) => self.of_instance(root),
                None => self.of_symbol(entry.symbol),
            };
            add(&mut self.functions[function].calls, entry.executed);
        }
        let mut elsewhere: BTreeMap<u32, u64> = BTreeMap::new();
        for call in &trace.calls {
            if Some(call.to_object) != program
                && let Some(made) = flow.calls_made(call)
            {
                add(elsewhere.entry(call.to_symbol).or_default(), made.calls);
            }
        }
        for (symbol, calls) in elsewhere {
            let function = self.of_symbol(symbol);
            add(&mut self.functions[function].calls, calls);
        }
    }

    /// Adds calls of inlined functions.
    pub(super) fn book_copies(&mut self, steps: &[ExecutedInstruction], flow: &ControlFlowGraph<'_>) {
        let regions = flow.region_costs(steps);
        for (index, instance) in self.placement.instances.iter().enumerate() {
            let Some(parent) = instance.parent else {
                continue;
            };
            let entries = flow.copy_entries(index);
            let callee = self.of_origin[instance.origin as usize];
            let function = &mut self.functions[callee];
            add(&mut function.calls, entries.count);
            add(&mut function.inlined, entries.count);
            function.estimated |= entries.estimated;
            let site = self
                .sites
                .entry(TraceSiteKey {
                    caller: self.of_instance(parent),
                    callee,
                    file: instance.call.file,
                    line: instance.call.line,
                    inlined: true,
                })
                .or_default();
            add(&mut site.calls, entries.count);
            add(&mut site.cost, regions[index]);
            site.estimated |= entries.estimated;
        }
    }

    pub(super) fn book_lines(&mut self, flow: &ControlFlowGraph<'_>, steps: &[ExecutedInstruction]) {
        // one line may hold parts of several functions (a closure in a call): its count is the largest of theirs, as in
        // coverage tools
        let mut by_function: BTreeMap<(u32, u32, usize), (u64, bool)> = BTreeMap::new();
        for line in flow.line_executions(steps) {
            let owner = self.of_instance(line.instance);
            let sum = by_function.entry((line.file, line.line, owner)).or_default();
            add(&mut sum.0, line.executions.count);
            sum.1 |= line.executions.estimated;
        }
        for ((file, line, _), (count, estimated)) in by_function {
            let sums = self.lines.entry((file, line)).or_default();
            if count >= sums.executions {
                sums.executions = count;
                sums.estimated = estimated;
            }
        }
    }

    /// Computes inclusive costs, then sorts and numbers everything.
    pub(super) fn into_profile(self, trace: &CallgrindTrace, with: &AttributionInput<'_>) -> Profile {
        let total = trace.total;
        let mut edges: BTreeMap<(usize, usize), u64> = BTreeMap::new();
        for (site, sums) in &self.sites {
            let cost = edges.entry((site.caller, site.callee)).or_default();
            *cost = cost.saturating_add(sums.cost);
        }
        let own: Vec<u64> = self.functions.iter().map(|f| f.own).collect();
        let outside: Vec<bool> = (self.functions.iter()).map(|f| f.entered_from_outside).collect();
        let inclusive = inclusive_cost::inclusive_costs(&own, &edges, &outside, total);

        let mut used = vec![false; self.functions.len()];
        for (index, sums) in self.functions.iter().enumerate() {
            used[index] = sums.own > 0 || sums.calls > 0;
        }
        for site in self.sites.keys() {
            used[site.caller] = true;
            used[site.callee] = true;
        }
        let mut order: Vec<usize> = (0..self.keys.len()).filter(|index| used[*index]).collect();
        order.sort_by(|a, b| self.keys[*a].cmp(&self.keys[*b]));
        let mut number = vec![u32::MAX; self.keys.len()];
        for (place, index) in order.iter().enumerate() {
            number[*index] = u32::try_from(place).unwrap_or(u32::MAX);
        }

        let mut names: Vec<&str> = (order.iter())
            .filter_map(|index| self.keys[*index].file.as_deref())
            .collect();
        let of_file = |file: u32| self.files[file as usize].path.as_str();
        names.extend(self.sites.keys().filter_map(|s| s.file).map(of_file));
        names.extend(self.lines.keys().map(|(file, _)| of_file(*file)));
        names.sort_unstable();
        names.dedup();
        let file_id = |name: &str| {
            let at = names.binary_search(&name).unwrap_or(usize::MAX);
            ProfileFileId(u32::try_from(at).unwrap_or(u32::MAX))
        };

        let functions: Vec<ProfileFunction> = order
            .iter()
            .map(|index| {
                let (key, sums) = (&self.keys[*index], &self.functions[*index]);
                ProfileFunction {
                    name: key.name.clone(),
                    file: key.file.as_deref().map(file_id),
                    line: key.line,
                    external: key.external,
                    calls: sums.calls,
                    inlined_calls: sums.inlined,
                    inclusive: inclusive[*index],
                    self_cost: sums.own,
                    estimated: sums.estimated,
                }
            })
            .collect();
        let mut sites: Vec<ProfileCallSite> = self
            .sites
            .iter()
            .map(|(site, sums)| ProfileCallSite {
                caller: ProfileFunctionId(number[site.caller]),
                callee: ProfileFunctionId(number[site.callee]),
                file: site.file.map(|file| file_id(of_file(file))),
                line: site.line,
                calls: sums.calls,
                inclusive: sums.cost.min(inclusive[site.callee]),
                inlined: site.inlined,
                estimated: sums.estimated,
            })
            .collect();
        sites.sort_by_key(|s| (s.caller, s.file, s.line, s.callee, s.inlined));
        let mut lines: Vec<ProfileLine> = self
            .lines
            .iter()
            .map(|((file, line), sums)| ProfileLine {
                file: file_id(of_file(*file)),
                line: *line,
                executions: sums.executions,
                self_cost: sums.own,
                estimated: sums.estimated,
            })
            .collect();
        lines.sort_by_key(|l| (l.file, l.line));
        lines.dedup_by(|next, kept| {
            // two spellings of one path
            let same = (next.file, next.line) == (kept.file, kept.line);
            if same {
                add(&mut kept.executions, next.executions);
                add(&mut kept.self_cost, next.self_cost);
                kept.estimated |= next.estimated;
            }
            same
        });
        Profile {
            benchmark: with.benchmark.to_owned(),
            unit: CostUnit::Instructions,
            profiler: "callgrind".to_owned(),
            exact_counts: !functions.iter().any(|f| f.estimated)
                && !sites.iter().any(|s| s.estimated)
                && !lines.iter().any(|l| l.estimated),
            total,
            files: names.into_iter().map(str::to_owned).collect(),
            functions,
            sites,
            lines,
        }
    }
}

/// Adds a count; sums of hostile traces saturate.
fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
}
