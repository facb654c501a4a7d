//! Executed instructions, jumps and calls → counts of source events: entries of bodies and of inlined copies, calls,
//! executions of lines. Knows places in the source only as keys; adds up nothing by function.

use std::collections::{BTreeMap, HashMap};

use super::ProfiledBuild;
use super::placement::{DebugPosition, SymbolizedProgram};
use crate::callgrind::trace::{CallgrindTrace, TraceCall};

/// Fewer restarts than this are attributed to instruction scheduling, which interleaves parts of one execution; loops
/// are mostly unrolled four times and more. Against exact counts of six real programs, 1 instead of 2 put 3% fewer line
/// executions within 5% of the truth, 3 or 4 put 0.2% fewer.
const FEWEST_RESTARTS: u64 = 2;

/// One executed instruction of the profiled program.
#[derive(Debug, Clone, Copy)]
pub(super) struct ExecutedInstruction {
    pub(super) address: u64,
    pub(super) symbol: u32,
    pub(super) executed: u64,
}

/// A count, and whether it is an estimate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct ExecutionCount {
    pub(super) count: u64,
    pub(super) estimated: bool,
}

/// Calls made from one instruction to one function while costs were collected.
#[derive(Debug, Clone, Copy)]
pub(super) struct CollectedCalls {
    pub(super) calls: u64,
    pub(super) estimated: bool,
}

/// The first instruction of a function's own body.
#[derive(Debug, Clone, Copy)]
pub(super) struct BodyEntry {
    pub(super) root: Option<u32>,
    pub(super) symbol: u32,
    pub(super) executed: u64,
}

/// Executions of one line within one body.
#[derive(Debug, Clone, Copy)]
pub(super) struct LineExecutions {
    pub(super) instance: u32,
    pub(super) file: u32,
    pub(super) line: u32,
    pub(super) executions: ExecutionCount,
}

/// Jumps by target step: (origin step, times).
type JumpsByTarget = BTreeMap<usize, Vec<(usize, u64)>>;

/// The run and the program whose control flow is derived.
#[derive(Debug, Clone, Copy)]
pub(super) struct ControlFlowInput<'a> {
    pub(super) trace: &'a CallgrindTrace,
    /// Index of the program among the trace's objects.
    pub(super) program: Option<u32>,
    pub(super) placement: &'a SymbolizedProgram,
    pub(super) build: ProfiledBuild,
}

/// A sequence of instructions that is only entered at its first and only left after its last.
#[derive(Debug)]
struct BasicBlock {
    /// Indices of steps.
    steps: std::ops::Range<usize>,
    executed: u64,
    /// Control flow from other blocks: (block, times).
    from: Vec<(usize, u64)>,
    /// Control flow from calls.
    called: u64,
}

/// The flow of control of the profiled program, instruction by instruction.
#[derive(Debug)]
pub(super) struct ControlFlowGraph<'a> {
    trace: &'a CallgrindTrace,
    program: Option<u32>,
    placement: &'a SymbolizedProgram,
    build: ProfiledBuild,
    blocks: Vec<BasicBlock>,
    /// Block of each step.
    block_of: Vec<usize>,
    entries: Vec<BodyEntry>,
    /// For each call instruction: its executions, and the number of listed calls that share them.
    made: HashMap<(u32, u64), (u64, u64)>,
    /// For each instance, the blocks that hold its instructions.
    touched: Vec<Vec<usize>>,
    /// For each inlined copy, its entries.
    copies: Vec<ExecutionCount>,
    /// For each step, the cost of its calls.
    call_cost: Vec<u64>,
}

impl<'a> ControlFlowGraph<'a> {
    pub(super) fn new(from: ControlFlowInput<'a>, steps: &[ExecutedInstruction]) -> Self {
        let ControlFlowInput {
            trace,
            program,
            placement,
            build,
        } = from;
        let mut flow = Self {
            trace,
            program,
            placement,
            build,
            blocks: Vec::new(),
            block_of: vec![0; steps.len()],
            entries: Vec::new(),
            made: HashMap::new(),
            touched: vec![Vec::new(); placement.instances.len()],
            copies: Vec::new(),
            call_cost: vec![0; steps.len()],
        };
        flow.share_calls(steps);
        flow.cut_blocks(steps);
        for (index, block) in flow.block_of.iter().enumerate() {
            let mut next = placement.places[index].instance;
            while let Some(instance) = next {
                let touched = &mut flow.touched[instance as usize];
                if touched.last() != Some(block) {
                    touched.push(*block);
                }
                next = placement.instances[instance as usize].parent;
            }
        }
        flow.copies = (0..placement.instances.len())
            .map(|instance| flow.count_entries(instance))
            .collect();
        flow
    }

    fn find(&self, steps: &[ExecutedInstruction], object: u32, address: u64) -> Option<usize> {
        if Some(object) != self.program {
            return None;
        }
        steps.binary_search_by_key(&address, |step| step.address).ok()
    }

    fn executed(&self, object: u32, address: u64) -> Option<u64> {
        let all = &self.trace.instructions;
        all.binary_search_by_key(&(object, address), |i| (i.object, i.address))
            .ok()
            .map(|at| all[at].executed)
    }

    /// Callgrind counts calls even while it collects no costs. Executions of a call instruction are exact; a callee
    /// without any cost was not called during collection.
    fn share_calls(&mut self, steps: &[ExecutedInstruction]) {
        for call in &self.trace.calls {
            let Some(executed) = self.executed(call.from_object, call.from) else {
                continue;
            };
            if call.cost == 0 {
                continue;
            }
            let shared = self.made.entry((call.from_object, call.from)).or_insert((executed, 0));
            shared.1 = shared.1.saturating_add(call.calls);
            if let Some(at) = self.find(steps, call.from_object, call.from) {
                self.call_cost[at] = self.call_cost[at].saturating_add(call.cost);
            }
        }
    }

    /// Calls during collection; `None` if the calling instruction never ran during collection.
    pub(super) fn calls_made(&self, call: &TraceCall) -> Option<CollectedCalls> {
        let none = CollectedCalls {
            calls: 0,
            estimated: false,
        };
        let Some((executed, listed)) = self.made.get(&(call.from_object, call.from)) else {
            return self.executed(call.from_object, call.from).map(|_| none);
        };
        if call.cost == 0 {
            return Some(none);
        }
        if listed <= executed {
            // fewer than executed: a conditional jump to another function
            return Some(CollectedCalls {
                calls: call.calls,
                estimated: false,
            });
        }
        let share = u128::from(call.calls) * u128::from(*executed) / u128::from(*listed).max(1);
        Some(CollectedCalls {
            calls: u64::try_from(share).unwrap_or(*executed),
            estimated: *listed != call.calls,
        })
    }

    /// Jumps by target, and the steps that jump. Callgrind counts jumps even while it collects no costs; executions of
    /// the instructions around them are exact.
    fn share_jumps(&self, steps: &[ExecutedInstruction], called: &[bool]) -> (JumpsByTarget, Vec<bool>) {
        let mut away: BTreeMap<usize, Vec<(usize, u64, bool)>> = BTreeMap::new();
        let mut targets = vec![false; steps.len()];
        for jump in &self.trace.jumps {
            if let (Some(from), Some(to)) = (
                self.find(steps, jump.object, jump.from),
                self.find(steps, jump.object, jump.to),
            ) {
                let jumps = away.entry(from).or_default();
                jumps.push((to, jump.followed, jump.conditional));
                targets[to] |= jump.followed > 0;
            }
        }
        let mut jumped = JumpsByTarget::new();
        let mut jumps_away = vec![false; steps.len()];
        for (from, jumps) in away {
            jumps_away[from] = true;
            let executed = steps[from].executed;
            let listed = (jumps.iter()).fold(0u64, |sum, jump| sum.saturating_add(jump.1));
            let conditional = jumps.iter().any(|jump| jump.2);
            // the next executed instruction is the fall-through, if nothing else leads there
            let next =
                (from + 1 < steps.len() && !targets[from + 1] && !called[from + 1]).then(|| steps[from + 1].executed);
            let followed = match next {
                Some(fell_through) if conditional => executed.saturating_sub(fell_through),
                _ if conditional => listed.min(executed),
                _ => executed,
            };
            for (to, times, _) in jumps {
                let share = u128::from(times) * u128::from(followed) / u128::from(listed.max(1));
                let share = u64::try_from(share).unwrap_or(followed);
                if share > 0 {
                    jumped.entry(to).or_default().push((from, share));
                }
            }
        }
        (jumped, jumps_away)
    }

    fn cut_blocks(&mut self, steps: &[ExecutedInstruction]) {
        let mut called = vec![false; steps.len()];
        for call in &self.trace.calls {
            if let Some(at) = self.find(steps, call.to_object, call.to) {
                called[at] = true;
            }
        }
        let (jumped, jumps_away) = self.share_jumps(steps, &called);
        for (index, step) in steps.iter().enumerate() {
            let leads = index == 0
                || called[index]
                || jumps_away[index - 1]
                || jumped.contains_key(&index)
                || steps[index - 1].executed != step.executed
                || steps[index - 1].symbol != step.symbol;
            if leads {
                self.blocks.push(BasicBlock {
                    steps: index..index,
                    executed: step.executed,
                    from: Vec::new(),
                    called: 0,
                });
            }
            let last = self.blocks.len() - 1;
            self.blocks[last].steps.end = index + 1;
            self.block_of[index] = last;
        }
        for index in 0..self.blocks.len() {
            let start = self.blocks[index].steps.start;
            let mut left = self.blocks[index].executed;
            let mut from: Vec<(usize, u64)> = Vec::new();
            for (source, times) in jumped.get(&start).into_iter().flatten() {
                from.push((self.block_of[*source], *times));
                left = left.saturating_sub(*times);
            }
            if called[start] {
                self.blocks[index].called = left;
                self.entries.push(BodyEntry {
                    root: self.outermost_instance(start),
                    symbol: steps[start].symbol,
                    executed: left,
                });
            } else if index > 0 && left > 0 {
                from.push((index - 1, left));
            }
            self.blocks[index].from = from;
        }
    }

    /// The outermost body that holds a step: the function that it is compiled into.
    pub(super) fn outermost_instance(&self, step: usize) -> Option<u32> {
        let mut root = self.placement.places[step].instance?;
        while let Some(parent) = self.placement.instances[root as usize].parent {
            root = parent;
        }
        Some(root)
    }

    pub(super) fn entries(&self) -> &[BodyEntry] {
        &self.entries
    }

    fn holds(&self, instance: usize, step: usize) -> bool {
        let mut next = self.placement.places[step].instance;
        while let Some(inner) = next {
            if inner as usize == instance {
                return true;
            }
            next = self.placement.instances[inner as usize].parent;
        }
        false
    }

    /// The role of an instruction in a body: a position in it, or a copy inlined into it.
    fn key_in(&self, instance: usize, step: usize) -> Option<(DebugPosition, u32)> {
        let place = self.placement.places[step];
        let mut inner = place.instance?;
        if inner as usize == instance {
            return Some((place.position, u32::MAX));
        }
        loop {
            let body = &self.placement.instances[inner as usize];
            let parent = body.parent?;
            if parent as usize == instance {
                return Some((body.call, inner));
            }
            inner = parent;
        }
    }

    /// How often a body or copy starts again within straight-line code: it was left, and one of its earlier keys
    /// follows.
    fn restarts(&self, steps: std::ops::Range<usize>, key: impl Fn(usize) -> Option<(DebugPosition, u32)>) -> u64 {
        if self.build == ProfiledBuild::Counting {
            return 0;
        }
        let mut seen: Vec<(DebugPosition, u32)> = Vec::new();
        let mut left = false;
        let mut restarts = 0;
        for step in steps {
            let Some(key) = key(step) else {
                left = true;
                continue;
            };
            if left && seen.contains(&key) {
                restarts += 1;
                seen.clear();
            }
            left = false;
            if !seen.contains(&key) {
                seen.push(key);
            }
        }
        if restarts >= FEWEST_RESTARTS { restarts } else { 0 }
    }

    fn count_entries(&self, instance: usize) -> ExecutionCount {
        let blocks = &self.touched[instance];
        if self.placement.instances[instance].parent.is_none() {
            return ExecutionCount::default();
        }
        let mut count = 0u64;
        for index in blocks {
            let block = &self.blocks[*index];
            count = count.saturating_add(block.called);
            let repeats = self.restarts(block.steps.clone(), |step| self.key_in(instance, step));
            count = count.saturating_add(block.executed.saturating_mul(repeats));
            for (source, times) in &block.from {
                let inside = blocks.binary_search(source).is_ok();
                let last = self.blocks[*source].steps.end - 1;
                if !inside || (*source >= *index && !self.holds(instance, last)) {
                    count = count.saturating_add(*times);
                }
            }
        }
        ExecutionCount {
            count,
            estimated: self.build == ProfiledBuild::Optimised,
        }
    }

    /// Number of entries of an inlined copy.
    pub(super) fn copy_entries(&self, instance: usize) -> ExecutionCount {
        self.copies[instance]
    }

    /// Inclusive cost of each body, inlined copies and callees included.
    pub(super) fn region_costs(&self, steps: &[ExecutedInstruction]) -> Vec<u64> {
        let instances = &self.placement.instances;
        let mut costs = vec![0u64; instances.len()];
        for (index, step) in steps.iter().enumerate() {
            if let Some(instance) = self.placement.places[index].instance {
                let cost = &mut costs[instance as usize];
                *cost = cost.saturating_add(step.executed.saturating_add(self.call_cost[index]));
            }
        }
        for index in (0..instances.len()).rev() {
            if let Some(parent) = instances[index].parent {
                costs[parent as usize] = costs[parent as usize].saturating_add(costs[index]);
            }
        }
        costs
    }

    /// Executions of each line of each body.
    pub(super) fn line_executions(&self, steps: &[ExecutedInstruction]) -> Vec<LineExecutions> {
        let mut lines: BTreeMap<(u32, u32, u32), ExecutionCount> = BTreeMap::new();
        let mut at_most = |instance: u32, position: DebugPosition, seen: ExecutionCount| {
            if let Some(file) = position.file
                && position.line > 0
            {
                let line = lines.entry((instance, file, position.line)).or_default();
                if seen.count >= line.count {
                    *line = seen;
                }
            }
        };
        for (index, step) in steps.iter().enumerate() {
            let place = self.placement.places[index];
            if let Some(instance) = place.instance {
                let seen = ExecutionCount {
                    count: step.executed,
                    estimated: self.build == ProfiledBuild::Optimised,
                };
                at_most(instance, place.position, seen);
            }
        }
        let mut calls: BTreeMap<(u32, DebugPosition, u32), ExecutionCount> = BTreeMap::new();
        for (index, instance) in self.placement.instances.iter().enumerate() {
            if let Some(parent) = instance.parent {
                let sum = calls.entry((parent, instance.call, instance.origin)).or_default();
                sum.count = sum.count.saturating_add(self.copies[index].count);
                sum.estimated |= self.copies[index].estimated;
            }
        }
        for ((parent, position, _), seen) in calls {
            at_most(parent, position, seen);
        }
        if self.build == ProfiledBuild::Optimised {
            self.count_call_lines(steps, &mut at_most);
        }
        lines
            .into_iter()
            .map(|((instance, file, line), executions)| LineExecutions {
                instance,
                file,
                line,
                executions,
            })
            .collect()
    }

    /// Several call instructions may be copies of one call in the source: its line was executed as often as all of them
    /// together.
    fn count_call_lines(
        &self,
        steps: &[ExecutedInstruction],
        at_most: &mut impl FnMut(u32, DebugPosition, ExecutionCount),
    ) {
        let mut made: BTreeMap<(u32, DebugPosition, u64), u64> = BTreeMap::new();
        for call in &self.trace.calls {
            let Some(at) = self.find(steps, call.from_object, call.from) else {
                continue;
            };
            let place = self.placement.places[at];
            if let (Some(instance), Some(calls)) = (place.instance, self.calls_made(call)) {
                let sum = made.entry((instance, place.position, call.to)).or_default();
                *sum = sum.saturating_add(calls.calls);
            }
        }
        for ((instance, position, _), calls) in made {
            let seen = ExecutionCount {
                count: calls,
                estimated: true,
            };
            at_most(instance, position, seen);
        }
    }
}
