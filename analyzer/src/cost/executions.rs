//! How often each block of a function runs: read from a profile for the sampled version, carried over to
//! the versions before and after a change through matched blocks.
//!
//! Blocks, not lines: a count belongs to a block of the sampled function, and a block that moved, or whose
//! lines shifted, keeps it.

use profile::ProfileFunctionId;

use crate::change::{BlockMap, FunctionPair, match_blocks};
use crate::cost::early_exits::{is_early_exit, lines_after};
use crate::cost::trip_count::{KnownValues, loop_trip_count};
use crate::cost::{Estimate, PriceList};
use crate::languages::is_interpreted;
use crate::sample::{IndexedProfile, LaterVersion, Sample, SampledFunction, last_segment};
use crate::syntax::{BlockId, BlockKind, LineRange, SyntaxBlock, SyntaxFunction, SyntaxNode};

/// The position of a changed function in a sample: the sampled function, and the sampled block of each block before the
/// change.
#[derive(Debug)]
pub struct SampleMatch {
    /// The function as it was sampled.
    pub sampled: SampledFunction,
    /// For each block before the change, the sampled block.
    sampled_of_before: Vec<Option<BlockId>>,
}

/// How often the blocks of a changed function run in one benchmark.
#[derive(Debug, Clone, PartialEq)]
pub struct BlockExecutions {
    /// For each block before the change.
    pub before: Vec<Estimate>,
    /// For each block after the change.
    pub after: Vec<Estimate>,
}

/// How often a block that the profile never saw is assumed to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewBlockPolicy {
    /// Section 4.1 of the published model: a conditional is executed; a loop runs as often as the nearest executed loop
    /// around it.
    AsPublished,
    /// A share of the block around it, within bounds (`config/costs/model.toml`).
    Bounded,
}

/// The assumptions about the blocks of a changed function that the profile never saw.
#[derive(Clone, Copy)]
pub struct ExecutionAssumptions<'a> {
    /// How often new blocks run.
    pub new_blocks: NewBlockPolicy,
    /// The assumptions used where the source does not give a count.
    pub costs: &'a PriceList,
    /// The most rounds that a loop may run in one call: as many as others in the benchmark.
    pub most_rounds: f64,
    /// The values of names before the change.
    pub before: KnownValues<'a>,
    /// The values of names after the change.
    pub after: KnownValues<'a>,
}

impl ExecutionAssumptions<'_> {
    /// The ratio of a matched loop's rounds after the change to those before it, where the source gives both and they
    /// differ. The published model reads no bounds.
    #[must_use]
    pub fn trip_count_ratio(
        &self,
        (before, after): (&SyntaxFunction, &SyntaxFunction),
        (old, new): (BlockId, BlockId),
    ) -> Option<f64> {
        if self.new_blocks == NewBlockPolicy::AsPublished {
            return None;
        }
        let was = loop_trip_count(before, old, self.before)?.high;
        let is = loop_trip_count(after, new, self.after)?.high;
        // A loop that did not run at all gives no ratio.
        (was > 0.0 && was != is).then(|| is / was)
    }
}

impl SampleMatch {
    /// Finds the function before the change in the sample; `None` if the sampled version did not have it.
    #[must_use]
    pub fn find_in_sample(pair: &FunctionPair, sample: &Sample, later: LaterVersion<'_>) -> Option<Self> {
        let before = pair.before.as_ref()?;
        let sampled = sample.find(before, later)?;
        let sampled_of_before = if sampled.function.digest == before.function.digest {
            identity(&before.function)
        } else {
            let BlockMap { before_of, .. } = match_blocks(&sampled.function, &before.function);
            before_of
        };
        Some(Self {
            sampled,
            sampled_of_before,
        })
    }

    /// The counts of the changed function's blocks in one benchmark; `None` if it was not executed there.
    #[must_use]
    pub fn executions(
        &self,
        pair: &FunctionPair,
        profile: &IndexedProfile,
        assumed: ExecutionAssumptions<'_>,
    ) -> Option<BlockExecutions> {
        let measured = measured_block_counts(&self.sampled, profile)?;
        let before_function = &pair.before.as_ref()?.function;
        let before = derive_block_counts(before_function, (assumed, assumed.before), |block, _| {
            let sampled = self.sampled_of_before.get(block.0 as usize).copied().flatten()?;
            carried_over((&self.sampled.function, sampled), (before_function, block), &measured)
        });
        Some(BlockExecutions::carried(pair, before, assumed))
    }
}

impl BlockExecutions {
    /// The counts of a function for which only the number of entries is known.
    #[must_use]
    pub(super) fn from_entry_count(
        pair: &FunctionPair,
        entered: Estimate,
        assumed: ExecutionAssumptions<'_>,
    ) -> Option<Self> {
        let function = &pair.before.as_ref()?.function;
        let before = counts_from_entry_count(function, entered, assumed);
        Some(Self::carried(pair, before, assumed))
    }

    /// Carries the counts before a change over to the version after it.
    fn carried(pair: &FunctionPair, before: Vec<Estimate>, assumed: ExecutionAssumptions<'_>) -> Self {
        let sides = pair.before.as_ref().zip(pair.after.as_ref());
        let after = sides.map_or_else(Vec::new, |(was, is)| {
            let sides = (was.function.as_ref(), is.function.as_ref());
            let known = (assumed, assumed.after);
            derive_block_counts(&is.function, known, |block, counts| {
                let matched = counterpart(&pair.blocks, block)?;
                let count = before.get(matched.0 as usize).copied()?;
                let share = wrapped(sides, &pair.blocks, (matched, block), (&before, counts));
                let rounds = assumed.trip_count_ratio(sides, (matched, block)).unwrap_or(1.0);
                Some(count * share * rounds)
            })
        });
        Self { before, after }
    }
}

/// The counts of the blocks of a function that was not sampled, from its number of entries.
pub(super) fn counts_from_entry_count(
    function: &SyntaxFunction,
    entered: Estimate,
    assumed: ExecutionAssumptions<'_>,
) -> Vec<Estimate> {
    derive_block_counts(function, (assumed, assumed.before), |block, _| {
        (block == BlockId::BODY).then_some(entered)
    })
}

/// The counts of a sampled function that is not among the changed ones; `None` if it was not executed.
pub(super) fn counts_of_unchanged(
    sampled: &SampledFunction,
    function: &SyntaxFunction,
    profile: &IndexedProfile,
    assumed: ExecutionAssumptions<'_>,
) -> Option<Vec<Estimate>> {
    let measured = measured_block_counts(sampled, profile)?;
    let was = if sampled.function.digest == function.digest {
        identity(function)
    } else {
        match_blocks(&sampled.function, function).before_of
    };
    Some(derive_block_counts(function, (assumed, assumed.before), |block, _| {
        let was = was.get(block.0 as usize).copied().flatten()?;
        carried_over((&sampled.function, was), (function, block), &measured)
    }))
}

/// The count of a sampled block for the block that it became. A block that was not executed, and whose condition is
/// another one since, may be executed now.
fn carried_over(
    (sampled, was): (&SyntaxFunction, BlockId),
    (function, is): (&SyntaxFunction, BlockId),
    measured: &[Estimate],
) -> Option<Estimate> {
    let count = measured.get(was.0 as usize).copied()?;
    let (was, is) = (sampled.block(was), function.block(is));
    let is_decided_anew = || is.kind.is_conditional() && was.condition() != is.condition();
    (!count.is_zero() || sampled.digest == function.digest || !is_decided_anew()).then_some(count)
}

/// The counts of a sampled function's blocks, from its calls, its lines, its call sites and its closures.
/// `None` if the benchmark did not execute it.
#[must_use]
pub(super) fn measured_block_counts(sampled: &SampledFunction, profile: &IndexedProfile) -> Option<Vec<Estimate>> {
    let ids = sampled.ids(profile);
    let calls: u64 = ids.iter().map(|&id| profile.profile().function(id).calls).sum();
    if calls == 0 {
        return None;
    }
    let function = &sampled.function;
    let mut counts: Vec<Estimate> = Vec::with_capacity(function.blocks.len());
    for (index, block) in function.blocks.iter().enumerate() {
        let count = match block.parent {
            None => Estimate::exactly(calls as f64),
            Some(parent) => {
                let around = counts[parent.0 as usize];
                let id = BlockId(u32::try_from(index).expect("a function has fewer than 2^32 blocks"));
                block_count(
                    id,
                    around,
                    &BlockCountEvidence {
                        sampled,
                        profile,
                        ids: &ids,
                    },
                )
            }
        };
        counts.push(count);
    }
    Some(counts)
}

/// The evidence that a profile has about the blocks of one function.
struct BlockCountEvidence<'a> {
    sampled: &'a SampledFunction,
    profile: &'a IndexedProfile,
    ids: &'a [ProfileFunctionId],
}

/// The count of one block inside a block that runs `around` times.
fn block_count(id: BlockId, around: Estimate, evidence: &BlockCountEvidence<'_>) -> Estimate {
    let function = &evidence.sampled.function;
    let block = function.block(id);
    let own_lines = own_lines(function, id);
    // This block ran at least as often as any conditional inside it.
    let by_lines = evidence
        .lines_of(&own_lines)
        .or_else(|| evidence.lines_of(&lines_once(function, id)));
    let by_calls = evidence.calls_in(block);
    let by_closure = evidence.closures_in(function, id);
    let seen = [by_lines, by_calls, by_closure].into_iter().flatten().max();
    if let Some(count) = seen {
        let count = count as f64;
        return match block.kind {
            // A conditional never runs more often than the block around it. Line counts that show otherwise belong to
            // merged code, and so may those that show more than its calls.
            BlockKind::Conditional | BlockKind::Arm => {
                let most = count.min(around.high);
                let called = by_calls
                    .filter(|&calls| calls > 0)
                    .map_or(most, |calls| most.min(calls as f64));
                Estimate::between(called, called, most)
            }
            BlockKind::Body | BlockKind::Loop | BlockKind::Closure => Estimate::exactly(count),
        };
    }
    if evidence.is_interpreted() {
        // Each line is counted by itself. One that shares its line with the block around it is not told apart.
        return match evidence.lines_of(&every_line(function)) {
            Some(_) if !own_lines.is_empty() => Estimate::ZERO,
            Some(_) | None => Estimate::between(0.0, around.expected / 2.0, around.high),
        };
    }
    if is_early_exit(block) {
        // Its instructions are shared with every other way out. The code behind it was reached less often.
        if let Some(passed) = evidence.lines_of(&lines_after(function, id)) {
            let left = (around.expected - passed as f64).max(0.0);
            return Estimate::between(left, left, around.high);
        }
    } else if own_lines.len() > 1 {
        // The block has several lines, and no instruction of them ran: it was not executed.
        return Estimate::ZERO;
    }
    // A loop that contains only loops runs more often than the block around it, and less often than those loops.
    if block.kind == BlockKind::Loop
        && let Some(inside) = evidence.lines_of(&all_lines(block))
    {
        let inside = inside as f64;
        let outside = around.expected.min(inside);
        return Estimate::between(outside, f64::sqrt(outside * inside), inside);
    }
    // A single line without a call may have been merged into the code around it.
    Estimate::between(0.0, around.expected / 2.0, around.high)
}

impl BlockCountEvidence<'_> {
    fn lines_of(&self, lines: &[u32]) -> Option<u64> {
        let (&first, &last) = (lines.first()?, lines.last()?);
        self.profile
            .lines(&self.sampled.file, first, last)
            .iter()
            .filter(|count| lines.binary_search(&count.line).is_ok() && self.sampled.owns(count.line))
            .map(|count| count.executions)
            .max()
    }

    /// True if an interpreter runs the function: a line is counted by itself, and no call has a line.
    fn is_interpreted(&self) -> bool {
        is_interpreted(&self.sampled.file)
    }

    /// The count of the most executed call of the block that the profile saw on the call's own line; 0 if it saw none
    /// of the calls, `None` if the block has no call or the lines of calls are not known.
    fn calls_in(&self, block: &SyntaxBlock) -> Option<u64> {
        if self.is_interpreted() {
            return None;
        }
        let calls = block.nodes.iter().filter_map(|node| match node {
            SyntaxNode::Call(call) => Some(call),
            SyntaxNode::Operation(_) | SyntaxNode::Block(_) => None,
        });
        calls
            .map(|call| {
                self.ids
                    .iter()
                    .flat_map(|&id| self.profile.sites(id))
                    .filter(|site| site.line == call.line)
                    .filter(|site| last_segment(&self.profile.profile().function(site.callee).name) == call.callee.name)
                    .map(|site| site.calls)
                    .sum()
            })
            .max()
    }

    /// The calls of closures that are declared directly in the block.
    fn closures_in(&self, function: &SyntaxFunction, id: BlockId) -> Option<u64> {
        let block = function.block(id);
        if !matches!(block.kind, BlockKind::Loop | BlockKind::Closure) {
            return None;
        }
        let LineRange { first, last } = block.lines;
        self.profile
            .closures(&self.sampled.file, first, last)
            .map(|closure| self.profile.profile().function(closure))
            .filter(|closure| !children(function, id).any(|child| holds(child.lines, closure.line)))
            .map(|closure| closure.calls)
            .max()
    }
}

/// The lines that belong to a block alone: without the lines of blocks inside it, and without a first line that it
/// shares with the block around it.
pub(super) fn own_lines(function: &SyntaxFunction, id: BlockId) -> Vec<u32> {
    all_lines(function.block(id))
        .into_iter()
        .filter(|&line| !children(function, id).any(|child| holds(child.lines, line)))
        .collect()
}

/// The lines that run at most once for each run of a block: without those of loops and closures inside it.
fn lines_once(function: &SyntaxFunction, id: BlockId) -> Vec<u32> {
    let repeated: Vec<LineRange> = function
        .blocks
        .iter()
        .filter(|inner| matches!(inner.kind, BlockKind::Loop | BlockKind::Closure))
        .filter(|inner| std::iter::successors(inner.parent, |&id| function.block(id).parent).any(|outer| outer == id))
        .map(|inner| inner.lines)
        .collect();
    all_lines(function.block(id))
        .into_iter()
        .filter(|&line| !repeated.iter().any(|&inner| holds(inner, line)))
        .collect()
}

/// The lines of a function, its first one left out.
fn every_line(function: &SyntaxFunction) -> Vec<u32> {
    all_lines(function.block(BlockId::BODY))
}

/// All lines of a block except the first, which the block around it may share.
fn all_lines(block: &SyntaxBlock) -> Vec<u32> {
    let LineRange { first, last } = block.lines;
    // A generated function of a million lines takes too long to enumerate and adds little evidence.
    const MOST_LINES: u32 = 20_000;
    if last.saturating_sub(first) > MOST_LINES {
        return Vec::new();
    }
    (first.saturating_add(1)..=last).collect()
}

fn holds(lines: LineRange, line: u32) -> bool {
    (lines.first..=lines.last).contains(&line)
}

pub(super) fn children(function: &SyntaxFunction, id: BlockId) -> impl Iterator<Item = &SyntaxBlock> {
    function.blocks.iter().filter(move |block| block.parent == Some(id))
}

/// Gives every block of a function a count: the known one, or one derived from the block around it.
fn derive_block_counts(
    function: &SyntaxFunction,
    (assumed, values): (ExecutionAssumptions<'_>, KnownValues<'_>),
    known: impl Fn(BlockId, &[Estimate]) -> Option<Estimate>,
) -> Vec<Estimate> {
    let mut counts: Vec<Estimate> = Vec::with_capacity(function.blocks.len());
    for (index, block) in function.blocks.iter().enumerate() {
        let id = BlockId(u32::try_from(index).expect("a function has fewer than 2^32 blocks"));
        let count = known(id, &counts).unwrap_or_else(|| {
            let around = block.parent.map_or(Estimate::ZERO, |parent| counts[parent.0 as usize]);
            match assumed.new_blocks {
                NewBlockPolicy::AsPublished if block.kind == BlockKind::Loop => {
                    enclosing_loop(function, block, &counts).unwrap_or(around)
                }
                NewBlockPolicy::AsPublished => around,
                NewBlockPolicy::Bounded => {
                    let runs = assumed.costs.runs(function, id, values);
                    let is_read = block.kind != BlockKind::Loop || loop_trip_count(function, id, values).is_some();
                    if is_read || runs.expected <= 0.0 {
                        (around * runs).at_most_times(assumed.costs.widest)
                    } else {
                        let high = runs.high.max(assumed.most_rounds);
                        let widest = assumed.costs.widest.max(high / runs.expected);
                        (around * Estimate { high, ..runs }).at_most_times(widest)
                    }
                }
            }
        });
        counts.push(count);
    }
    counts
}

fn counterpart(blocks: &BlockMap, after: BlockId) -> Option<BlockId> {
    blocks.before_of.get(after.0 as usize).copied().flatten()
}

/// The factor by which a matched block runs more often because blocks were added or deleted around it. It is 1 where
/// the blocks around it are unchanged, and where blocks were both added and deleted (one took the other's place).
fn wrapped(
    (before, after): (&SyntaxFunction, &SyntaxFunction),
    blocks: &BlockMap,
    (old, new): (BlockId, BlockId),
    (before_counts, after_counts): (&[Estimate], &[Estimate]),
) -> Estimate {
    let once = Estimate::exactly(1.0);
    let (Some(old_around), Some(new_around)) = (before.block(old).parent, after.block(new).parent) else {
        return once;
    };
    let share = |inner: Estimate, outer: Estimate| {
        if outer.expected > 0.0 {
            inner * (1.0 / outer.expected)
        } else {
            once
        }
    };
    let still_around = std::iter::successors(Some(new_around), |&id| after.block(id).parent)
        .find(|&id| counterpart(blocks, id) == Some(old_around));
    if let Some(outer) = still_around {
        let count = |id: BlockId| after_counts[id.0 as usize];
        return share(count(new_around), count(outer));
    }
    let was_around = std::iter::successors(Some(old_around), |&id| before.block(id).parent)
        .find(|&id| counterpart(blocks, new_around) == Some(id));
    was_around.map_or(once, |outer| {
        let count = |id: BlockId| before_counts[id.0 as usize];
        share(count(outer), count(old_around))
    })
}

/// The count of the nearest executed loop around a block.
fn enclosing_loop(function: &SyntaxFunction, block: &SyntaxBlock, counts: &[Estimate]) -> Option<Estimate> {
    std::iter::successors(block.parent, |&id| function.block(id).parent)
        .filter(|&id| function.block(id).kind == BlockKind::Loop)
        .map(|id| counts[id.0 as usize])
        .find(|count| count.expected > 0.0)
}

fn identity(function: &SyntaxFunction) -> Vec<Option<BlockId>> {
    (0..u32::try_from(function.blocks.len()).expect("a function has fewer than 2^32 blocks"))
        .map(|index| Some(BlockId(index)))
        .collect()
}
