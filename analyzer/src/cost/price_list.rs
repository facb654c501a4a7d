//! The assumptions of the cost model, read from `config/costs/`, `config/risk.toml` and
//! `config/languages/*/prices.toml`: the cost of an operation where neither the profile nor the source gives it.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use profile::CostUnit;
use serde::{Deserialize, Serialize};

use crate::cost::Calibration;
use crate::cost::library_prices::{LibraryPrices, PricesFile, price_files};
use crate::cost::trip_count::{KnownValues, loop_trip_count};
use crate::cost::{ChangeClass, Estimate};
use crate::languages::{Language, is_interpreted};
use crate::syntax::{BlockId, BlockKind, SyntaxBlock, SyntaxFunction, SyntaxNode};

/// Bounds and an expected value, as written in a configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EstimateBounds {
    low: f64,
    expected: f64,
    high: f64,
}

impl EstimateBounds {
    pub(super) fn times(self, factor: f64) -> Self {
        Self {
            low: self.low * factor,
            expected: self.expected * factor,
            high: self.high * factor,
        }
    }

    pub(super) fn estimate(self) -> Estimate {
        Estimate::between(self.low, self.expected, self.high)
    }
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct BlockRunBounds {
    conditional: EstimateBounds,
    arm: EstimateBounds,
    closure: EstimateBounds,
    r#loop: EstimateBounds,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct BodyPricingLimits {
    depth: u32,
    widest: f64,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct UnknownFile {
    share: f64,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct ArgumentBounds {
    largest_growth: f64,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct CostModelFile {
    operation: EstimateBounds,
    call_overhead: EstimateBounds,
    runs: BlockRunBounds,
    body: BodyPricingLimits,
    unknown_file: UnknownFile,
    arguments: ArgumentBounds,
    inlining: InliningAssumptions,
    rewrite: RewriteAssumptions,
    sensitivity: ChangeSensitivity,
    optimisation_settings: BTreeSet<String>,
    build_settings: BTreeMap<String, f64>,
}

/// Share of the cost at risk that a change without a computable cost can add or save, each in 0..=1.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChangeSensitivity {
    /// Of the callee's cost, for a call with other arguments.
    pub arguments: f64,
    /// Of the inclusive cost of a function that writes another field value.
    pub field: f64,
    /// Of the range from never to always running a block whose condition changed.
    pub condition: f64,
    /// Of the self cost of a function whose attributes or signature changed.
    pub recompiled: f64,
    /// Of the self cost of any changed function.
    pub rebuilt: f64,
    /// Of the inclusive cost of a function in which a block that leaves it early was added or deleted.
    pub early_exit: f64,
    /// Of the cost that depends on inlining a function: the overhead of its calls, its self cost, and that of the
    /// functions it is inlined into.
    pub inlining: f64,
    /// Of the self cost of functions that name a changed constant.
    pub constant: f64,
    /// Of the self cost of functions that name a changed type, and of its methods.
    pub r#type: f64,
    /// Of the cost of the code that uses a type, for an implementation that was added or deleted.
    pub implementation: f64,
    /// Of the cost of functions that name an imported function that was replaced or has another hint.
    pub imported_function: f64,
    /// Of the whole cost, for a setting that decides how everything is compiled.
    pub optimisation: f64,
    /// Of the self cost of functions that use a changed macro.
    pub r#macro: f64,
    /// Of the cost spent in a changed dependency.
    pub dependency: f64,
    /// Of the whole cost, for an attribute of a crate or module.
    pub file_attribute: f64,
    /// Of the cost of functions in a file that cannot be analysed.
    pub degraded: f64,
    /// Of the cost that a changed function may hold if the sampled version did not have it.
    pub unsampled: f64,
    /// Of the self cost of a deleted function.
    pub replaced: f64,
    /// Of the cost of functions that mention a value.
    pub value: f64,
    /// Of the cost of functions that mention a name that means something else.
    pub redefined: f64,
    /// Of the cost of functions that mention a file.
    pub input: f64,
}

/// How far the price of code that replaced other code is trusted.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RewriteAssumptions {
    /// The multiple of the old code's cost up to which the new price is taken as read.
    pub believable: f64,
    /// Weight of the price beyond that, in logarithms, in 0..=1.
    pub reading: f64,
    /// The share of a function from which on the weight applies in full.
    pub part: f64,
}

/// When an optimiser may change its decision to inline a function.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InliningAssumptions {
    /// A change of the size by this many nodes of the syntax tree counts in full.
    pub nodes: f64,
    /// Weight of a change that keeps the size, in 0..=1.
    pub least: f64,
}

/// How the cost at risk becomes a probability and a decision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RiskParameters {
    /// Probability from which a benchmark, and therefore the version, is selected.
    pub select_at: f64,
    /// Probability assigned to a change of code without a sample.
    pub without_sample: f64,
    /// The calibration from cost at risk to probability, fitted on measured histories.
    pub calibration: Calibration,
}

/// All assumptions of the cost models.
#[derive(Debug, Clone)]
pub struct PriceList {
    /// Cost of one primitive operation, in instructions.
    pub operation: Estimate,
    /// Cost of entering and leaving a function, in instructions.
    pub call_overhead: Estimate,
    /// The depth to which calls of functions without a profile are followed.
    pub body_depth: u32,
    /// Upper bounds that are products of assumptions are limited to this multiple of the expected value.
    pub widest: f64,
    /// The assumed share of the whole cost that a file puts at risk if it cannot be analysed and is not in the profile.
    pub unknown_file: f64,
    /// The largest factor on the price of a call when a number in its arguments grows.
    pub largest_growth: f64,
    /// When an optimiser may change its inlining decision.
    pub inlining: InliningAssumptions,
    /// How far the price of replacing code is trusted.
    pub rewrite: RewriteAssumptions,
    /// Bounds of changes without a computable cost.
    pub sensitivity: ChangeSensitivity,
    /// How bounds become a decision.
    pub risk: RiskParameters,
    runs: BlockRunBounds,
    /// Last parts of the paths of settings that decide how everything is compiled.
    optimisation_settings: BTreeSet<String>,
    /// Share of the whole cost that another build setting can move, by prefix of its path.
    build_settings: BTreeMap<String, f64>,
    /// The library functions that compiled code calls.
    compiled: LibraryPrices,
    /// Those that code of an interpreter calls.
    interpreted: LibraryPrices,
    diverging: BTreeSet<String>,
    sizing: BTreeSet<String>,
    told: BTreeSet<String>,
    hints: BTreeSet<String>,
}

impl ChangeSensitivity {
    /// The share of its cost at risk that a class of change can move. Priced changes have bounds of their own, and
    /// build settings weights of their own.
    #[must_use]
    pub fn share_of_class(&self, class: ChangeClass) -> f64 {
        match class {
            ChangeClass::Calls | ChangeClass::Work | ChangeClass::Firm | ChangeClass::BuildSetting => 1.0,
            ChangeClass::Optimisation => self.optimisation,
            ChangeClass::Arguments => self.arguments,
            ChangeClass::Field => self.field,
            ChangeClass::Condition => self.condition,
            ChangeClass::EarlyExit => self.early_exit,
            ChangeClass::Recompiled => self.recompiled,
            ChangeClass::Rebuilt => self.rebuilt,
            ChangeClass::Inlining => self.inlining,
            ChangeClass::Unsampled => self.unsampled,
            ChangeClass::Constant => self.constant,
            ChangeClass::Type => self.r#type,
            ChangeClass::Implementation => self.implementation,
            ChangeClass::ImportedFunction => self.imported_function,
            ChangeClass::Macro => self.r#macro,
            ChangeClass::Dependency | ChangeClass::ReplacedDependency => self.dependency,
            ChangeClass::FileAttribute => self.file_attribute,
            ChangeClass::Degraded => self.degraded,
            ChangeClass::Replaced => self.replaced,
            ChangeClass::Value => self.value,
            ChangeClass::Redefined => self.redefined,
            ChangeClass::Input => self.input,
        }
    }
}

/// The least that an interpreter spends on an operation, of what is expected: to read a local and to bind it takes CPython 21
/// instructions, a fifth of an operator.
const LEAST_INTERPRETED: f64 = 0.2;

impl PriceList {
    /// The assumptions that are part of lito.
    #[must_use]
    pub fn shipped() -> Self {
        let model: CostModelFile = parsed("config/costs/model.toml", include_str!("../../config/costs/model.toml"));
        let risk = parsed("config/risk.toml", include_str!("../../config/risk.toml"));
        let [mut diverging, mut sizing, mut told, mut hints] = <[BTreeSet<String>; 4]>::default();
        let files: Vec<(Language, PricesFile)> = price_files().collect();
        for (_, file) in &files {
            diverging.extend(file.diverging.iter().cloned());
            sizing.extend(file.sizing.iter().cloned());
            told.extend(file.told.iter().cloned());
            hints.extend(file.hints.iter().cloned());
        }
        let library = |interpreted: bool| {
            let of_kind = files
                .iter()
                .filter(|(language, _)| language.support().is_loaded_by_programs() == interpreted);
            LibraryPrices::of(of_kind.map(|(_, file)| file), interpreted)
        };
        Self {
            operation: model.operation.estimate(),
            call_overhead: model.call_overhead.estimate(),
            body_depth: model.body.depth,
            widest: model.body.widest,
            unknown_file: model.unknown_file.share,
            largest_growth: model.arguments.largest_growth,
            inlining: model.inlining,
            rewrite: model.rewrite,
            sensitivity: model.sensitivity,
            risk,
            runs: model.runs,
            optimisation_settings: model.optimisation_settings,
            build_settings: model.build_settings,
            compiled: library(false),
            interpreted: library(true),
            diverging,
            sizing,
            told,
            hints,
        }
    }

    /// The same assumptions in a profile's unit. One operation counted by probes stands for the assumed cost of an
    /// operation in instructions, so that prices and counts of one profile share one scale. `languages` are those of the
    /// code that was executed: where an interpreter was among them, an operation costs as much as there.
    #[must_use]
    pub fn in_unit(&self, unit: CostUnit, languages: impl Iterator<Item = Language>) -> Cow<'_, Self> {
        let scale = match unit {
            CostUnit::Instructions => languages
                .map(|language| language.support().operation_scale())
                .fold(1.0, f64::max),
            CostUnit::Operations => 1.0 / self.operation.expected.max(f64::MIN_POSITIVE),
        };
        if scale == 1.0 {
            return Cow::Borrowed(self);
        }
        let mut scaled = self.clone();
        scaled.operation = self.operation * scale;
        if unit == CostUnit::Instructions {
            // An interpreter folds nothing away.
            scaled.operation.low = scaled.operation.expected * LEAST_INTERPRETED;
        }
        scaled.call_overhead = self.call_overhead * scale;
        // The cost of a library is known in instructions, whoever calls it.
        if unit == CostUnit::Operations {
            scaled.compiled = self.compiled.scaled(scale);
            scaled.interpreted = self.interpreted.scaled(scale);
        }
        Cow::Owned(scaled)
    }

    /// The prices of the library functions that compiled code calls.
    #[must_use]
    pub fn compiled_library(&self) -> &LibraryPrices {
        &self.compiled
    }

    /// The prices of the library functions that the code of a file calls.
    #[must_use]
    pub fn library(&self, file: &str) -> &LibraryPrices {
        if is_interpreted(file) {
            &self.interpreted
        } else {
            &self.compiled
        }
    }

    fn runs_of(&self, kind: BlockKind) -> Estimate {
        match kind {
            BlockKind::Body => Estimate::exactly(1.0),
            BlockKind::Loop => self.runs.r#loop.estimate(),
            BlockKind::Conditional => self.runs.conditional.estimate(),
            BlockKind::Arm => self.runs.arm.estimate(),
            BlockKind::Closure => self.runs.closure.estimate(),
        }
    }

    /// True if a build setting decides how everything is compiled.
    #[must_use]
    pub fn is_of_optimisation(&self, path: &str) -> bool {
        let last = path.rsplit('.').next().unwrap_or(path);
        self.optimisation_settings.contains(last)
    }

    /// The share of the whole cost that another value of a build setting can add or save: that of the longest listed
    /// prefix of its dotted path.
    #[must_use]
    pub fn build_setting(&self, path: &str) -> f64 {
        self.build_settings
            .iter()
            .filter(|(prefix, _)| path.starts_with(prefix.as_str()))
            .max_by_key(|(prefix, _)| prefix.len())
            .map_or(0.0, |(_, share)| *share)
    }

    /// True for a library function that returns, or creates, something of a size given as an argument.
    #[must_use]
    pub fn is_sizing(&self, function: &str) -> bool {
        self.sizing.contains(function)
    }

    /// The most that a library function costs that passes over as much as an argument tells it; 0 for any other.
    #[must_use]
    pub fn most_when_told(&self, function: &str) -> f64 {
        let is_told = self.told.contains(function);
        if is_told { self.compiled.most(function) } else { 0.0 }
    }

    /// True for a function that is only a hint to the optimiser.
    #[must_use]
    pub fn is_hint(&self, function: &str) -> bool {
        self.hints.contains(function)
    }

    /// True if a block makes a call that never returns.
    #[must_use]
    pub fn diverges(&self, block: &SyntaxBlock) -> bool {
        block.nodes.iter().any(|node| match node {
            SyntaxNode::Call(call) => self.diverging.contains(&call.callee.name),
            SyntaxNode::Operation(_) | SyntaxNode::Block(_) => false,
        })
    }

    /// How often a block runs for each execution of the block around it, where it was never profiled: by the source
    /// where that gives a count, else by its kind.
    #[must_use]
    pub fn runs(&self, function: &SyntaxFunction, id: BlockId, values: KnownValues<'_>) -> Estimate {
        let block = function.block(id);
        if block.kind != BlockKind::Body && self.diverges(block) {
            return Estimate::ZERO;
        }
        loop_trip_count(function, id, values).unwrap_or_else(|| self.runs_of(block.kind))
    }
}

/// A file that is compiled into the program: the first test finds a mistake in it.
pub(super) fn parsed<T: serde::de::DeserializeOwned>(file: &str, text: &str) -> T {
    toml::from_str(text).unwrap_or_else(|why| unreachable!("the shipped {file} is valid: {why}"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::languages::language_of;

    #[test]
    fn the_shipped_assumptions_are_ordered_and_shares_are_shares() {
        let costs = PriceList::shipped();
        for estimate in [costs.operation, costs.call_overhead] {
            assert!(0.0 <= estimate.low && estimate.low < estimate.expected && estimate.expected < estimate.high);
        }
        for bounds in costs.compiled.priors().chain(costs.interpreted.priors()) {
            assert!(0.0 <= bounds.low && bounds.low <= bounds.expected && bounds.expected <= bounds.high);
        }
        assert!((0.0..1.0).contains(&costs.risk.select_at));
        assert!((0.0..1.0).contains(&costs.sensitivity.rebuilt));
    }

    #[test]
    fn in_operations_an_operation_costs_one_and_everything_else_keeps_its_proportion() {
        let costs = PriceList::shipped();
        assert!(matches!(
            costs.in_unit(CostUnit::Instructions, language_of("a.rs").into_iter()),
            Cow::Borrowed(_)
        ));
        let scaled = costs.in_unit(CostUnit::Operations, std::iter::empty());
        assert_eq!(scaled.operation.expected, 1.0);
        let ratio = |costs: &PriceList| {
            let insert = costs.compiled.prior_by_name(Some("HashMap"), "insert").unwrap();
            (
                insert.high / costs.operation.high,
                insert.expected / costs.call_overhead.expected,
            )
        };
        assert_eq!(ratio(&scaled), ratio(&costs));
        assert_eq!(scaled.sensitivity, costs.sensitivity);
    }

    #[test]
    fn an_operation_of_an_interpreter_costs_more_than_one_of_compiled_code() {
        let costs = PriceList::shipped();
        let languages = ["a.rs", "b.py"].into_iter().filter_map(language_of);
        let scaled = costs.in_unit(CostUnit::Instructions, languages);
        assert_eq!(scaled.operation.expected, 100.0);
        assert_eq!(scaled.call_overhead.expected / costs.call_overhead.expected, 50.0);
    }

    #[test]
    fn no_library_function_is_in_two_classes() {
        let (interpreted, compiled): (Vec<_>, Vec<_>) =
            price_files().partition(|(language, _)| language.support().is_loaded_by_programs());
        for files in [interpreted, compiled] {
            let classes = files.iter().flat_map(|(_, file)| &file.class);
            let mut names: Vec<&String> = classes.flat_map(|class| &class.functions).collect();
            names.sort();
            let twice: Vec<_> = names.windows(2).filter(|pair| pair[0] == pair[1]).collect();
            assert!(twice.is_empty(), "{twice:?}");
        }
    }

    #[test]
    fn a_build_setting_has_the_share_of_its_longest_prefix() {
        let costs = PriceList::shipped();
        assert!(costs.build_setting("features.std") > costs.build_setting("package.edition"));
        assert!(costs.build_setting("never heard of it") > 0.0);
    }

    #[test]
    fn settings_of_the_compiler_are_told_from_those_of_the_build_around_it() {
        let costs = PriceList::shipped();
        assert!(costs.is_of_optimisation("profile.release.lto"));
        assert!(costs.is_of_optimisation("toolchain"));
        assert!(!costs.is_of_optimisation("profile.release.debug"));
    }

    #[test]
    fn a_prior_of_the_type_goes_before_that_of_the_name() {
        let costs = PriceList::shipped();
        let prior = |of_type, name| costs.compiled.prior_by_name(of_type, name);
        assert!(prior(Some("HashMap"), "insert").unwrap().expected > prior(Some("Vec"), "len").unwrap().expected);
        assert_eq!(prior(Some("NoSuchType"), "no_such_function"), None);
    }
}
