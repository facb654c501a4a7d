//! Lito's cost model: the published sum, with an interval for every term and a term for every change.
//!
//! Beyond the published model: new functions are priced by reading them; work without a call, conditions, arguments,
//! fields, attributes, constants, types, macros, dependencies and build settings have bounds from the shares of the
//! profile; a possible change of inlining is a term of its own; a callee that is added and removed cancels before its
//! uncertainty counts.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::change::{
    ChangeKind, ChangeSubject, ExecutionEdit, ItemEffect, ItemPresence, LocatedFunction, SeenBy, SourceChange,
    SourceSide, UnfollowedReach,
};
use crate::cost::entry_counts::EntryCountEstimator;
use crate::cost::ledger::{BoundedEffect, CostEntry, CostLedger};
use crate::cost::price::CallPricer;
use crate::cost::reachable_cost::{ReachableCost, ReachablePlaces};
use crate::cost::rewrite::{self, ChangeEntries};
use crate::cost::untraced::may_lack_a_trace;
use crate::cost::{
    BenchmarkAssessment, BlockExecutions, CallFrequency, CallPrice, ChangeClass, CostAccountKey, CostContribution,
    CostTerm, Estimate, NewBlockPolicy, ResolvedCallee, SampleMatch, ScoringContext, early_exits, exposure,
    is_declaration_executed, is_header_asked_for,
};
use crate::languages::{FOR_PEOPLE, is_interpreted};
use crate::resolve::CalleeEvidence;
use crate::sample::IndexedProfile;
use crate::sources::{FileSource, SourceContent};
use crate::syntax::{BlockId, SyntaxCall, SyntaxCallForm};

/// Prices a change set on one benchmark.
#[must_use]
pub fn assess(scene: &ScoringContext<'_>, profile: &IndexedProfile) -> BenchmarkAssessment {
    let benchmark = BenchmarkPricer::new(scene, profile);
    let mut ledger = CostLedger::default();
    let mut contributions = Vec::new();
    let mut unsampled = benchmark.unsampled();
    let mut set_up = benchmark.other_set_ups();
    let mut changes = Vec::new();
    for (index, change) in scene.changes.changes.iter().enumerate() {
        let pair = scene.pair_of(index);
        let entries = match pair {
            Some(pair) => {
                let mut entries = benchmark.in_function(change, pair);
                // A change without a computable cost in a function that was not sampled puts the whole function at
                // risk.
                entries.retain(|entry| {
                    !benchmark.is_unsampled(pair) || entry.is_priced() || entry.class == ChangeClass::Value
                });
                entries.extend(unsampled.remove(&pair));
                entries.extend(set_up.remove(&pair));
                entries
            }
            None => benchmark.outside_functions(change),
        };
        changes.push(ChangeEntries {
            change: index,
            pair,
            entries,
        });
    }
    rewrite::discount_rewrites(&mut changes, &rewrite::replaced_shares(scene), &benchmark);
    benchmark.limit_unsampled_prices(&mut changes);
    for of in changes {
        if let Some(contribution) = contribution(of.change, &of.entries) {
            contributions.push(contribution);
            of.entries.into_iter().for_each(|entry| ledger.add(entry));
        }
    }
    for pair in 0..scene.changes.pairs.len() {
        benchmark
            .recompilation_entries(pair)
            .into_iter()
            .chain(benchmark.replaced(pair))
            .chain(benchmark.undefined(pair))
            .chain(benchmark.uncounted_lines(pair))
            .for_each(|entry| ledger.add(entry));
    }
    // A file may be listed for several reasons, but counts once.
    let not_analysed: BTreeSet<&str> = scene.changes.not_analysed().map(|degraded| &*degraded.file).collect();
    for file in not_analysed {
        ledger.add(benchmark.not_analysed(file));
    }
    let share = ledger.total() * (1.0 / profile.total());
    BenchmarkAssessment {
        contributions,
        share: share.at_least(NOTHING_LEFT),
        terms: ledger.terms(profile.total()),
    }
}

/// A benchmark cannot save more than its whole cost.
const NOTHING_LEFT: f64 = -1.0;

fn contribution(change: usize, entries: &[CostEntry]) -> Option<CostContribution> {
    let cost: Estimate = entries.iter().map(CostEntry::cost).sum();
    if cost.is_zero() {
        return None;
    }
    // What a value decides about runs elsewhere.
    let is_here = |entry: &CostEntry| entry.class != ChangeClass::Value;
    let main = entries.iter().max_by(|a, b| {
        let effects = a.largest_effect().total_cmp(&b.largest_effect());
        is_here(a).cmp(&is_here(b)).then(effects)
    })?;
    let mut terms: Vec<CostTerm> = entries.iter().filter_map(CostEntry::term).collect();
    terms.sort_by(|a, b| b.cost().abs().total_cmp(&a.cost().abs()));
    Some(CostContribution {
        change,
        executions: main.runs,
        unit_cost: main.unit.expected,
        terms,
        cost,
        resolved: main.resolved.clone(),
    })
}

/// One benchmark with the counts of every changed function in it.
pub(super) struct BenchmarkPricer<'a> {
    pub(super) scene: &'a ScoringContext<'a>,
    pub(super) profile: &'a IndexedProfile,
    pub(super) executions: Vec<Option<BlockExecutions>>,
    before: CallPricer<'a>,
    after: CallPricer<'a>,
    reached: BTreeMap<usize, ReachableCost>,
    pub(super) gone: OnceCell<f64>,
    /// The cost of an operation of each changed function.
    pub(super) operations: Vec<OnceCell<Estimate>>,
}

impl<'a> BenchmarkPricer<'a> {
    fn new(scene: &'a ScoringContext<'a>, profile: &'a IndexedProfile) -> Self {
        let mut executions = scene.executions(profile, NewBlockPolicy::Bounded);
        let mut reached = BTreeMap::new();
        if (0..scene.changes.pairs.len()).any(|pair| may_be_reached(pair, scene, profile)) {
            let places = ReachablePlaces::of(scene, profile);
            let entered = EntryCountEstimator::new(scene, profile, &executions, &places.calls);
            let mut counted = Vec::new();
            for (place, cost) in places.costs {
                let pair = scene.mentions().places[place].pair;
                let Some(pair) = pair.filter(|&pair| may_be_reached(pair, scene, profile)) else {
                    continue;
                };
                let (counts, cost) = entered.executions(pair, (place, cost));
                counted.extend(counts.map(|counts| (pair, counts)));
                reached.insert(pair, cost);
            }
            for (pair, counts) in counted {
                executions[pair] = Some(counts);
            }
        }
        Self {
            scene,
            profile,
            executions,
            before: CallPricer::new(profile, scene, &scene.gone),
            after: CallPricer::new(profile, scene, &scene.new),
            reached,
            gone: OnceCell::new(),
            operations: vec![OnceCell::new(); scene.changes.pairs.len()],
        }
    }

    fn in_function(&self, change: &SourceChange, pair: usize) -> Vec<CostEntry> {
        let Some(runs) = &self.executions[pair] else {
            return self.other_values(change, pair);
        };
        change
            .edits
            .iter()
            .flat_map(|edit| self.edit(edit, pair, runs))
            .chain(self.early_exit(change, pair))
            .chain(self.other_values(change, pair))
            .filter(|entry| !entry.cost().is_zero())
            .collect()
    }

    /// True if the profile says nothing about a function before the change: the sampled version did not have it, or the
    /// benchmark may execute it only since.
    pub(super) fn is_unsampled(&self, pair: usize) -> bool {
        self.scene.standings[pair].is_none() || self.reached.contains_key(&pair)
    }

    /// The cost that a function before the change may hold if the profile says nothing about it.
    pub(super) fn reached_by(&self, pair: usize) -> Option<&ReachableCost> {
        self.reached.get(&pair)
    }

    pub(super) fn bounded(&self, touch: BoundedEffect) -> CostEntry {
        let share = self.scene.costs.sensitivity.share_of_class(touch.class);
        CostEntry::bounded(touch, share)
    }

    fn edit(&self, edit: &ExecutionEdit, pair: usize, runs: &BlockExecutions) -> Vec<CostEntry> {
        let before = |block: BlockId| runs.before.get(block.0 as usize).copied().unwrap_or_default();
        let after = |block: BlockId| runs.after.get(block.0 as usize).copied().unwrap_or_default();
        match edit {
            ExecutionEdit::CallAdded { call, block } => {
                let runs = self.reached(pair, SourceSide::After, *block, call);
                let reach = CallFrequency {
                    executions: runs.expected,
                    supposed: self.is_supposed(pair, *block),
                };
                self.calls(call, (pair, SourceSide::After), runs, reach)
            }
            ExecutionEdit::CallRemoved { call, before: block } => {
                let runs = self.reached(pair, SourceSide::Before, *block, call);
                self.calls(call, (pair, SourceSide::Before), -runs, CallFrequency::counted(runs))
            }
            ExecutionEdit::CallMoved {
                call,
                before: from,
                block,
            } => {
                let runs = self.reached(pair, SourceSide::After, *block, call);
                let was = self.reached(pair, SourceSide::Before, *from, call);
                self.calls(
                    call,
                    (pair, SourceSide::After),
                    runs - was,
                    CallFrequency::counted(runs),
                )
            }
            ExecutionEdit::WorkAdded { operations, block } => {
                vec![self.work(pair, after(*block) * f64::from(*operations))]
            }
            ExecutionEdit::WorkRemoved {
                operations,
                before: block,
            } => {
                vec![self.work(pair, -before(*block) * f64::from(*operations))]
            }
            ExecutionEdit::Reconditioned {
                before,
                block,
                is_negated,
            } => self.condition_change_entries(pair, (*before, *block), *is_negated, runs),
            ExecutionEdit::ArgumentsChanged { call, was, block } => {
                self.argument_change_entries(pair, (was, call), after(*block))
            }
            ExecutionEdit::FieldChanged { field, block } => {
                let touched = self.inclusive(pair);
                vec![self.bounded(BoundedEffect {
                    account: CostAccountKey::Field {
                        pair,
                        field: field.clone(),
                    },
                    class: ChangeClass::Field,
                    runs: after(*block),
                    save: touched,
                    add: touched,
                })]
            }
            ExecutionEdit::Recompiled => {
                let calls = before(BlockId::BODY);
                let touched = self.self_cost_with_inlined(pair);
                vec![self.bounded(BoundedEffect {
                    account: CostAccountKey::Signature { pair },
                    class: ChangeClass::Recompiled,
                    runs: calls,
                    save: touched,
                    add: touched,
                })]
            }
        }
    }

    /// How often a call is reached in a block of one side.
    pub(super) fn reached(&self, pair: usize, side: SourceSide, block: BlockId, call: &SyntaxCall) -> Estimate {
        let Some((runs, (located, _))) = self.executions[pair].as_ref().zip(self.scene.located(pair, side)) else {
            return Estimate::ZERO;
        };
        let counts = match side {
            SourceSide::Before => &runs.before,
            SourceSide::After => &runs.after,
        };
        early_exits::call_executions(&located.function, counts, block, call)
    }

    /// True for a block after the change that is a new conditional, or is nested in one.
    fn is_supposed(&self, pair: usize, block: BlockId) -> bool {
        let pair = &self.scene.changes.pairs[pair];
        pair.after.as_ref().is_some_and(|after| {
            std::iter::successors(Some(block), |&id| after.function.block(id).parent).any(|id| {
                let is_new = pair.blocks.before_of.get(id.0 as usize) == Some(&None);
                is_new && after.function.block(id).kind.is_conditional()
            })
        })
    }

    /// The entry of additional calls.
    fn calls(
        &self,
        call: &SyntaxCall,
        (pair, side): (usize, SourceSide),
        runs: Estimate,
        reach: CallFrequency,
    ) -> Vec<CostEntry> {
        let Some(price) = self.price(call, (pair, side), reach) else {
            return Vec::new();
        };
        let is_compiled = (self.scene.located(pair, side)).is_none_or(|(located, _)| !is_interpreted(&located.file));
        let mut entries = Vec::from_iter(is_compiled.then(|| self.call_site_change_entry(&price, side)));
        entries.push(Self::call_entry(price, runs));
        entries.push(self.work(pair, runs * f64::from(call.arguments.weight)));
        if self.scene.costs.is_hint(&call.callee.name) {
            entries.push(self.hint(call, pair));
        }
        entries
    }

    /// A changed hint: the function, and the code inlined into it, may be laid out differently.
    fn hint(&self, call: &SyntaxCall, pair: usize) -> CostEntry {
        let touched = self.inclusive(pair);
        self.bounded(BoundedEffect {
            account: CostAccountKey::Hint {
                pair,
                hint: call.callee.name.clone(),
            },
            class: ChangeClass::ImportedFunction,
            runs: Estimate::exactly(1.0),
            save: touched,
            add: touched,
        })
    }

    pub(super) fn call_entry(price: CallPrice, runs: Estimate) -> CostEntry {
        CostEntry {
            account: price.account(),
            class: ChangeClass::Calls,
            runs,
            unit: price.unit,
            believed: 1.0,
            firm: price.firm,
            touched: 0.0,
            resolved: Some(ResolvedCallee {
                name: price.name,
                evidence: price.evidence,
            }),
        }
    }

    pub(super) fn price(
        &self,
        call: &SyntaxCall,
        (pair, side): (usize, SourceSide),
        reach: CallFrequency,
    ) -> Option<CallPrice> {
        let pricer = match side {
            SourceSide::Before => &self.before,
            SourceSide::After => &self.after,
        };
        let mut price =
            (self.scene).with_caller(pair, side, self.profile, |caller| pricer.price(call, caller, reach))?;
        // Where the source shows no types, a method of a library's name may be the project's.
        let may_be_own = || price.evidence == CalleeEvidence::Prior && self.is_untyped_method(call, (pair, side));
        if price.evidence == CalleeEvidence::Unknown || may_be_own() {
            let elsewhere = self.dearest_elsewhere(&call.callee.name);
            price.unit.high = price.unit.high.max(elsewhere).max(pricer.dearest_body(call));
        }
        Some(price)
    }

    fn is_untyped_method(&self, call: &SyntaxCall, (pair, side): (usize, SourceSide)) -> bool {
        let caller = self.scene.located(pair, side);
        call.callee.form == SyntaxCallForm::Method && caller.is_some_and(|(located, _)| is_interpreted(&located.file))
    }

    /// The highest cost per call, in any benchmark of the sample, of the project's functions of a name; 0 for none.
    fn dearest_elsewhere(&self, name: &str) -> f64 {
        let costs = self.scene.sample.benchmarks.iter().flat_map(|benchmark| {
            let own = benchmark.functions_named(name).iter();
            own.filter(|&&id| !benchmark.profile().function(id).external)
                .filter_map(|&id| benchmark.cost_per_call(id))
        });
        costs.fold(0.0, f64::max)
    }

    fn outside_functions(&self, change: &SourceChange) -> Vec<CostEntry> {
        let exposures = exposure::exposures_of_change(change, self.scene, self.profile);
        let called_instead = self.called_instead(change, &exposures);
        let bounded = exposures.into_iter().map(|(class, exposure)| {
            let item = change.item_name().filter(|_| class == ChangeClass::Value);
            let growth = item.map_or(1.0, |item| self.scene.value_growth_of_items(&change.file, item));
            let account = if class == ChangeClass::FileAttribute {
                CostAccountKey::FileAttributes
            } else {
                CostAccountKey::OutsideFunctions {
                    subject: change.subject.clone(),
                    class,
                }
            };
            let effect = BoundedEffect {
                account,
                class,
                runs: Estimate::exactly((exposure.calls as f64).max(1.0)),
                save: exposure.cost,
                add: exposure.cost,
            };
            self.bounded(effect).grown(growth)
        });
        bounded.chain(called_instead).collect()
    }

    /// The calls of new methods that take the place of a trait's or of derived ones, priced by their source.
    fn called_instead(
        &self,
        change: &SourceChange,
        exposures: &[(ChangeClass, exposure::ExposedCost)],
    ) -> Vec<CostEntry> {
        let ChangeSubject::Item {
            name, effect, presence, ..
        } = &change.subject
        else {
            return Vec::new();
        };
        let is_implementation = change.kind == ChangeKind::Type && *presence != ItemPresence::Kept;
        let takes_a_place = |method: &LocatedFunction| match effect {
            ItemEffect::Shadowing | ItemEffect::Overriding => method.name == *name,
            // An implementation that came, in place of a derived one or for the compiler to call.
            ItemEffect::Redefinition => {
                let function = &method.function;
                let is_called = (function.of_trait.as_deref()).is_some_and(|of_trait| !FOR_PEOPLE.contains(&of_trait));
                is_implementation && is_called && function.owner.as_deref() == change.item_name()
            }
            ItemEffect::Layout | ItemEffect::Value | ItemEffect::LocalRedefinition | ItemEffect::ScopeRedefinition => {
                false
            }
        };
        let meant = exposures.iter().filter(|(class, _)| *class == ChangeClass::Redefined);
        let Some(calls) = meant.map(|(_, exposure)| exposure.calls).max() else {
            return Vec::new();
        };
        let new = self.scene.changes.pairs.iter().filter(|pair| pair.before.is_none());
        new.filter_map(|pair| pair.after.as_ref())
            .filter(|method| takes_a_place(method))
            .map(|method| Self::call_entry(self.after.price_of_method(method), Estimate::exactly(calls as f64)))
            .collect()
    }

    /// Degraded analysis raises the risk, never lowers it.
    fn not_analysed(&self, file: &str) -> CostEntry {
        let sample = self.scene.sample;
        let touched = if sample.may_be_built_from(self.profile, file)
            || sample.uses_folder(self.profile, file)
            || self.is_link(file) && sample.uses_link(self.profile, file)
            || self.came_since_the_sample(file)
        {
            self.profile.total()
        } else if self.scene.changes.degraded.iter().any(|degraded| degraded.file == file) {
            exposure::exposure_of_file(file, self.profile)
                .cost
                .max(self.of_unknown_file())
                .max(self.of_including_files(file))
        } else {
            // Listed because of the build of another benchmark.
            0.0
        };
        let touched = touched.max(self.unfollowed(file));
        self.bounded(BoundedEffect {
            account: CostAccountKey::NotAnalysed { file: file.into() },
            class: ChangeClass::Degraded,
            runs: Estimate::exactly(1.0),
            save: touched,
            add: touched,
        })
    }

    /// True for what was a link to something else at the sample, or before the change.
    fn is_link(&self, path: &str) -> bool {
        let trees = [self.scene.before.tree, self.scene.sample.tree.as_ref()];
        let content = |tree: &dyn FileSource| tree.file(path).map(|blob| blob.content);
        trees
            .into_iter()
            .any(|tree| matches!(content(tree), Some(SourceContent::SymbolicLink(_))))
    }

    /// True for a file that the sampled version does not have: what executes in it may have stood in any other.
    fn came_since_the_sample(&self, file: &str) -> bool {
        let is_in = |tree: &dyn FileSource| tree.file(file).is_some();
        is_in(self.scene.before.tree) && !is_in(self.scene.sample.tree.as_ref())
    }

    fn of_unknown_file(&self) -> f64 {
        self.profile.total() * self.scene.costs.unknown_file
    }

    /// The cost of the code that may depend on what changed in a file and is not followed.
    fn unfollowed(&self, file: &str) -> f64 {
        let of_file = (self.scene.changes.unfollowed.iter()).filter(|unfollowed| unfollowed.file.file == file);
        let seen = |by: SeenBy| match by {
            SeenBy::File => (exposure::cost_decided_by_file(file, self.profile).cost).max(self.of_unknown_file()),
            SeenBy::Program => self.profile.total(),
        };
        let costs = of_file.map(|unfollowed| match &unfollowed.reach {
            UnfollowedReach::Name { name, presence, .. }
                if !is_declaration_executed((name, *presence), self.scene, self.profile) =>
            {
                0.0
            }
            UnfollowedReach::Header { directive } if !is_header_asked_for(directive, self.scene) => 0.0,
            UnfollowedReach::Header { .. } => seen(SeenBy::Program),
            UnfollowedReach::Name { seen_by, .. } | UnfollowedReach::Any(seen_by) => seen(*seen_by),
        });
        costs.fold(0.0, f64::max)
    }

    /// Includes its closures: their blocks are blocks of the function.
    pub(super) fn self_cost(&self, pair: usize) -> f64 {
        let closures = self.scene.standings[pair]
            .as_ref()
            .map_or_else(Vec::new, |standing| standing.sampled.closures(self.profile));
        let of_closures: u64 = closures
            .into_iter()
            .map(|id| self.profile.profile().function(id).self_cost)
            .sum();
        self.sum(pair, |function| function.self_cost) + of_closures as f64
    }

    pub(super) fn inclusive(&self, pair: usize) -> f64 {
        self.sum(pair, |function| function.inclusive).min(self.profile.total())
    }

    pub(super) fn sum(&self, pair: usize, of: impl Fn(&profile::ProfileFunction) -> u64) -> f64 {
        self.scene.standings[pair].as_ref().map_or(0.0, |standing| {
            standing
                .sampled
                .ids(self.profile)
                .into_iter()
                .map(|id| of(self.profile.profile().function(id)) as f64)
                .sum()
        })
    }
}

/// True for a pair whose function before the change is not in the profile, and that may be executed since the sample, or was
/// executed without a trace.
fn may_be_reached(pair: usize, scene: &ScoringContext<'_>, profile: &IndexedProfile) -> bool {
    let before = scene.changes.pairs[pair].before.as_ref();
    let is_idle = |standing: &SampleMatch| standing.sampled.ids_with_closures(profile).is_empty();
    before.is_some_and(|before| !before.function.test_only)
        && match &scene.standings[pair] {
            Some(standing) => {
                let is_reached_by_now = || scene.has_changed_since_the_sample() && is_idle(standing);
                is_reached_by_now() || may_lack_a_trace(&standing.sampled, scene, profile)
            }
            None => true,
        }
}
