//! The cost of one call, in the profile's unit: measured where the profile knows the callee, read from its body where
//! the commit contains one, a prior for the standard library, bounds where nothing is known.
//!
//! A new function is priced by reading it. Recursion is cut, results are cached.

use hashbrown::HashMap;
use std::cell::RefCell;
use std::rc::Rc;

use profile::ProfileFunctionId;

use crate::change::LocatedFunction;
use crate::cost::trip_count::KnownValues;
use crate::cost::unchanged_functions::UnchangedFunction;
use crate::cost::{CostAccountKey, Estimate, LibraryCallee, LibraryPrices, PriceList, ScoringContext};
use crate::resolve::{CallResolution, CallTarget, CalleeEvidence, CallerContext, CandidateDefinitions, resolve};
use crate::sample::IndexedProfile;
use crate::syntax::{BlockId, SourceFile, SyntaxCall, SyntaxFunction, SyntaxNode};

/// The functions of the changed files of one side, by name, each with its file.
#[derive(Debug, Default)]
pub struct SourceFunctionIndex<'a> {
    alone: HashMap<&'a str, Vec<&'a LocatedFunction>>,
    others: HashMap<&'a str, Vec<&'a LocatedFunction>>,
    sources: HashMap<&'a str, &'a SourceFile>,
}

impl<'a> SourceFunctionIndex<'a> {
    /// Indexes the functions that only one side of a change has, and all functions of the changed files, with the
    /// parsed files of that side by path.
    pub fn new(
        alone: impl Iterator<Item = &'a LocatedFunction>,
        all: impl Iterator<Item = &'a LocatedFunction>,
        sources: HashMap<&'a str, &'a SourceFile>,
    ) -> Self {
        let index = |functions: &mut dyn Iterator<Item = &'a LocatedFunction>| {
            let mut by_name: HashMap<&str, Vec<&LocatedFunction>> = HashMap::new();
            for located in functions {
                let name = located.function.name();
                by_name.entry(name).or_default().push(located);
            }
            by_name
        };
        let mut alone = alone;
        let alone = index(&mut alone);
        let is_alone = |located: &LocatedFunction| {
            let same_name = alone.get(located.function.name());
            same_name
                .into_iter()
                .flatten()
                .any(|one| one.file == located.file && one.function.lines == located.function.lines)
        };
        let others = index(&mut all.filter(|located| !is_alone(located)));
        Self { alone, others, sources }
    }

    /// The functions of a name that the other side does not have.
    #[must_use]
    pub fn named_on_this_side(&self, name: &str) -> &[&'a LocatedFunction] {
        self.alone.get(name).map_or(&[], Vec::as_slice)
    }

    /// The functions of a name that both sides have in the changed files.
    #[must_use]
    pub fn named_on_both_sides(&self, name: &str) -> &[&'a LocatedFunction] {
        self.others.get(name).map_or(&[], Vec::as_slice)
    }

    /// The parsed file of a function of this side.
    #[must_use]
    pub fn source(&self, file: &str) -> Option<&'a SourceFile> {
        self.sources.get(file).copied()
    }
}

/// The cost of each call, and the evidence for it.
#[derive(Debug, Clone, PartialEq)]
pub struct CallPrice {
    /// Cost of one call, in the profile's unit.
    pub unit: Estimate,
    /// The part of the cost that is certain to be spent, whatever is inlined: calls of libraries that stay calls, for
    /// example of the allocator.
    pub firm: f64,
    /// How the callee was found.
    pub evidence: CalleeEvidence,
    /// The full name of the callee where it was found, otherwise the name as written. Two calls with one name are calls
    /// of one function and share their uncertainty.
    pub name: String,
    /// The parameters with a known number, where the body was read with them: they give one name several costs.
    pub given: Vec<(String, u64)>,
    /// The profile's functions that match the callee.
    pub profiled: Vec<ProfileFunctionId>,
}

/// Prices calls in one benchmark.
pub(super) struct CallPricer<'a> {
    profile: &'a IndexedProfile,
    scene: &'a ScoringContext<'a>,
    bodies: &'a SourceFunctionIndex<'a>,
    costs: &'a PriceList,
    read: RefCell<HashMap<(String, ParameterValues, u64, bool), Estimate>>,
}

/// The assumed number of executions of a call's place in a benchmark.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CallFrequency {
    /// Expected executions.
    pub executions: f64,
    /// True if a conditional on the path has an unknown number of executions.
    pub supposed: bool,
}

impl CallFrequency {
    /// A place whose count is measured.
    #[must_use]
    pub fn counted(executions: Estimate) -> Self {
        Self {
            executions: executions.expected,
            supposed: false,
        }
    }
}

/// The context of a call in a body that is read.
#[derive(Clone, Copy)]
struct PricingContext<'a> {
    /// The body's parameters with a known number.
    given: &'a [(&'a str, u64)],
    /// Number of bodies around it.
    depth: u32,
    reach: CallFrequency,
}

/// Parameters with their values, where those are known.
type ParameterValues = Vec<(String, u64)>;

impl CallPrice {
    /// Returns the account of such calls: those of one function, given the same numbers, cost the same each.
    #[must_use]
    pub fn account(&self) -> CostAccountKey {
        CostAccountKey::Calls {
            callee: self.name.clone(),
            given: self.given.clone(),
        }
    }
}

impl<'a> CallPricer<'a> {
    /// A pricer for one benchmark and one side of a change.
    #[must_use]
    pub(super) fn new(
        profile: &'a IndexedProfile,
        scene: &'a ScoringContext<'a>,
        bodies: &'a SourceFunctionIndex<'a>,
    ) -> Self {
        Self {
            profile,
            scene,
            bodies,
            costs: scene.costs,
            read: RefCell::default(),
        }
    }

    /// Prices a call.
    #[must_use]
    pub(super) fn price(&self, call: &SyntaxCall, caller: &CallerContext<'_>, reach: CallFrequency) -> CallPrice {
        self.price_in_context(
            call,
            caller,
            PricingContext {
                given: &[],
                depth: 0,
                reach,
            },
        )
    }

    /// Prices a call in a body that is read.
    fn price_in_context(&self, call: &SyntaxCall, caller: &CallerContext<'_>, around: PricingContext<'_>) -> CallPrice {
        let name = &call.callee.name;
        let unchanged = self.unchanged(name);
        let in_changed_files = self.bodies.named_on_both_sides(name).iter().copied();
        let others: Vec<&LocatedFunction> = in_changed_files
            .chain(unchanged.iter().map(|one| &one.located))
            .collect();
        let definitions = CandidateDefinitions {
            alone: self.bodies.named_on_this_side(name),
            others: &others,
        };
        let CallResolution { target, evidence } = resolve(call, caller, self.profile, definitions);
        match target {
            CallTarget::Profiled(ids) => self.limit_by_observed_calls(self.measured(&ids, evidence), around.reach),
            CallTarget::Source(bodies) => {
                let name = bodies.first().map_or("", |body| &body.name).to_owned();
                let values = KnownValues {
                    source: Some(caller.source),
                    given: around.given,
                };
                let given = bodies
                    .first()
                    .map_or_else(Vec::new, |body| given(call, &body.function, values));
                let unit = bodies
                    .iter()
                    .map(|body| self.body(body, &given, around))
                    .reduce(Estimate::or)
                    .unwrap_or_else(|| self.unknown());
                CallPrice {
                    unit,
                    // Read, not measured: no part of it is certain.
                    firm: 0.0,
                    evidence,
                    name,
                    given,
                    profiled: Vec::new(),
                }
            }
            CallTarget::Named { of_type } => {
                let callee = LibraryCallee {
                    callee: &call.callee,
                    of_type: of_type.as_deref(),
                    source: Some(caller.source),
                };
                self.by_name(callee, self.costs.library(&caller.located.file))
            }
        }
    }

    /// Scales down the price of a call that the profile saw less often than its place is assumed to run. A function
    /// that a benchmark calls a few times is mostly the slow path of frequent work: a conditional without a known count
    /// is not expected to take it more often than the profile shows. For an inlined function the debug information often
    /// keeps the slow path only, so its few calls look expensive.
    fn limit_by_observed_calls(&self, price: CallPrice, reach: CallFrequency) -> CallPrice {
        let (mut calls, mut inlined) = (0, 0);
        for &id in &price.profiled {
            let function = self.profile.profile().function(id);
            calls += function.calls;
            inlined += function.inlined_calls;
        }
        let calls = calls as f64;
        if !(reach.supposed || inlined > 0) || reach.executions <= calls {
            return price;
        }
        let Estimate { low, expected, high } = price.unit;
        let share = calls / reach.executions;
        let expected = expected * share;
        CallPrice {
            firm: price.firm * share,
            unit: Estimate::between(low.min(expected), expected, high),
            ..price
        }
    }

    fn measured(&self, ids: &[ProfileFunctionId], evidence: CalleeEvidence) -> CallPrice {
        let profile = self.profile.profile();
        let unit = ids
            .iter()
            .filter_map(|&id| self.profile.cost_per_call(id))
            .map(Estimate::exactly)
            .reduce(Estimate::or)
            .map_or_else(
                || self.unknown(),
                |unit| {
                    // Candidates are weighted by their number of calls.
                    let (cost, calls) = ids.iter().fold((0.0, 0.0), |(cost, calls), &id| {
                        let function = profile.function(id);
                        (cost + function.inclusive as f64, calls + function.calls as f64)
                    });
                    Estimate::between(unit.low, cost / f64::max(calls, 1.0), unit.high)
                },
            );
        let calls: f64 = ids.iter().map(|&id| profile.function(id).calls as f64).sum();
        // A function of the project may have moved with everything that it calls; a library function has not.
        let library = ids.iter().filter(|&&id| profile.function(id).external);
        let firm: f64 = library
            .filter_map(|&id| {
                let each = self.profile.non_inlined_cost_per_call(id)?;
                Some(each * profile.function(id).calls as f64)
            })
            .sum();
        let name = ids
            .first()
            .map_or_else(String::new, |&id| profile.function(id).name.clone());
        CallPrice {
            unit,
            firm: firm / calls.max(1.0),
            evidence,
            name,
            given: Vec::new(),
            profiled: ids.to_vec(),
        }
    }

    fn by_name(&self, of: LibraryCallee<'_>, library: &LibraryPrices) -> CallPrice {
        let callee = of.callee;
        let written = match of.of_type.or_else(|| callee.path.last().map(String::as_str)) {
            Some(of_type) => format!("{of_type}::{}", callee.name),
            None => callee.name.clone(),
        };
        let passing = library.cost_of_passing(of, self.profile.most_rounds());
        library.prior(of).map_or_else(
            || CallPrice {
                unit: self.unknown(),
                firm: 0.0,
                evidence: CalleeEvidence::Unknown,
                name: written.clone(),
                given: Vec::new(),
                profiled: Vec::new(),
            },
            |prior| CallPrice {
                unit: Estimate {
                    high: prior.high.max(passing),
                    ..prior
                },
                firm: prior.low,
                evidence: CalleeEvidence::Prior,
                name: written.clone(),
                given: Vec::new(),
                profiled: Vec::new(),
            },
        )
    }

    /// Nothing is known: bounded by the cheapest function and an expensive function of this benchmark.
    fn unknown(&self) -> Estimate {
        let (typical, dear) = self.profile.typical_costs_per_call();
        Estimate::between(self.profile.cheapest_call(), typical, dear)
    }

    /// The functions of a name in files that did not change; none where the profile has measured one.
    fn unchanged(&self, name: &str) -> Rc<[UnchangedFunction]> {
        let named = self.profile.functions_named(name).iter();
        let is_measured = |id: &ProfileFunctionId| self.profile.profile().function(*id).calls > 0;
        match named.filter(|id| is_measured(id)).count() {
            0 => self.scene.unchanged.named(name, self.scene),
            _ => Rc::default(),
        }
    }

    /// The highest cost that can be read of a function of a name, for a call whose receiver is not known; 0 if there is
    /// none.
    pub(super) fn dearest_body(&self, call: &SyntaxCall) -> f64 {
        let unchanged = self.unchanged(&call.callee.name);
        let around = PricingContext {
            given: &[],
            depth: 0,
            reach: CallFrequency {
                executions: 1.0,
                supposed: true,
            },
        };
        let bodies = unchanged.iter().filter(|one| one.located.function.takes(call));
        bodies
            .map(|one| self.body(&one.located, &[], around).high)
            .fold(0.0, f64::max)
    }

    /// The price of a new method that existing calls mean now.
    pub(super) fn price_of_method(&self, method: &LocatedFunction) -> CallPrice {
        let around = PricingContext {
            given: &[],
            depth: 0,
            reach: CallFrequency {
                executions: 1.0,
                supposed: false,
            },
        };
        CallPrice {
            unit: self.body(method, &[], around),
            firm: 0.0,
            evidence: CalleeEvidence::Body,
            name: method.name.to_string(),
            given: Vec::new(),
            profiled: Vec::new(),
        }
    }

    /// The cost of one call of a function that is read, including its frame.
    fn body(&self, located: &LocatedFunction, given: &[(String, u64)], around: PricingContext<'_>) -> Estimate {
        let CallFrequency { executions, supposed } = around.reach;
        let depth = around.depth + 1;
        let key = (
            located.name.to_string(),
            given.to_vec(),
            executions.round() as u64,
            supposed,
        );
        if let Some(known) = self.read.borrow().get(&key) {
            return *known;
        }
        if depth > self.costs.body_depth {
            return self.unknown();
        }
        // A cycle finds this entry and adds nothing: the recursion's depth is not known statically.
        self.read.borrow_mut().insert(key.clone(), Estimate::ZERO);
        let given: Vec<(&str, u64)> = given.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let inside = PricingContext {
            given: &given,
            depth,
            reach: around.reach,
        };
        let unit = self.costs.call_overhead + self.block(located, BlockId::BODY, inside);
        let unit = unit.at_most_times(self.costs.widest);
        self.read.borrow_mut().insert(key, unit);
        unit
    }

    /// The cost of running a block once: its head, its nodes, and the blocks in it.
    fn block(&self, located: &LocatedFunction, id: BlockId, around: PricingContext<'_>) -> Estimate {
        let unchanged = match self.bodies.source(&located.file) {
            Some(_) => None,
            None => self
                .unchanged(located.function.name())
                .iter()
                .find(|one| one.located.file == located.file)
                .cloned(),
        };
        let source = unchanged.as_ref().map(|one| &*one.source);
        let Some(source) = source.or_else(|| self.bodies.source(&located.file)) else {
            return self.unknown();
        };
        let caller = CallerContext {
            located,
            source,
            ids: &[],
            sampled_lines: None,
        };
        let function: &SyntaxFunction = &located.function;
        let block = function.block(id);
        let values = KnownValues {
            source: Some(source),
            given: around.given,
        };
        block
            .head
            .iter()
            .chain(&block.nodes)
            .map(|node| match node {
                SyntaxNode::Call(call) => {
                    self.price_in_context(call, &caller, around).unit
                        + self.costs.operation * f64::from(call.arguments.weight)
                }
                SyntaxNode::Operation(operation) => self.costs.operation * f64::from(operation.weight),
                SyntaxNode::Block(child) => {
                    let runs = self.costs.runs(function, *child, values);
                    let reach = CallFrequency {
                        executions: around.reach.executions * runs.expected,
                        supposed: around.reach.supposed || function.block(*child).kind.is_conditional(),
                    };
                    runs * self.block(located, *child, PricingContext { reach, ..around })
                }
            })
            .sum()
    }
}

/// The parameters of a function that a call sets to a number, if the function's own loops could depend on them.
fn given(call: &SyntaxCall, function: &SyntaxFunction, values: KnownValues<'_>) -> ParameterValues {
    let texts = call.arguments.each();
    // A method that is called by its path takes its receiver as the first argument.
    let receivers = texts.len().saturating_sub(function.parameters.len());
    function
        .parameters
        .iter()
        .zip(texts.into_iter().skip(receivers))
        .filter(|(parameter, _)| !parameter.name.is_empty())
        .filter_map(|(parameter, text)| Some((parameter.name.clone(), values.integer_value(text)?)))
        .collect()
}
