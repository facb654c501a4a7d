//! What one call costs, in the profile's unit: measured where the profile knows the callee, read from its
//! body where the commit brings one, a prior for the standard library, bounds where nothing is known.
//!
//! Idea 1 of the model: a new function is priced by reading it. Recursion is cut, results are kept.

use std::cell::RefCell;
use std::collections::HashMap;

use profile::FunctionId;

use crate::change::LocatedFunction;
use crate::cost::{Costs, Estimate};
use crate::resolve::{Caller, Resolution, Target, resolve};
use crate::sample::IndexedProfile;
use crate::score::Evidence;
use crate::syntax::{BlockId, Call, Function, Node, SourceFile};

/// The functions that a scored change defines, by name, each with its file.
#[derive(Debug, Default)]
pub struct Bodies<'a> {
    by_name: HashMap<&'a str, Vec<LocatedFunction>>,
    sources: HashMap<&'a str, &'a SourceFile>,
}

impl<'a> Bodies<'a> {
    /// Indexes functions that one side of a change has and the other has not, with the parsed files of
    /// that side by path.
    pub fn new(
        functions: impl Iterator<Item = &'a LocatedFunction>,
        sources: HashMap<&'a str, &'a SourceFile>,
    ) -> Self {
        let mut by_name: HashMap<&str, Vec<LocatedFunction>> = HashMap::new();
        for located in functions {
            by_name
                .entry(located.function.path.last().map_or("", String::as_str))
                .or_default()
                .push(located.clone());
        }
        Self { by_name, sources }
    }

    /// The functions of a name.
    #[must_use]
    pub fn named(&self, name: &str) -> &[LocatedFunction] {
        self.by_name.get(name).map_or(&[], Vec::as_slice)
    }

    /// The parsed file of a function of this side.
    #[must_use]
    pub fn source(&self, file: &str) -> Option<&'a SourceFile> {
        self.sources.get(file).copied()
    }
}

/// What a call costs each time, and how that is known.
#[derive(Debug, Clone, PartialEq)]
pub struct Price {
    /// Cost of one call, in the profile's unit.
    pub unit: Estimate,
    /// How the callee was found.
    pub evidence: Evidence,
    /// The full name of the callee, where it was found; otherwise as written. Two calls of one name are
    /// calls of one function: their uncertainties are one.
    pub name: String,
    /// The profile's functions that it is.
    pub profiled: Vec<FunctionId>,
}

/// Prices calls in one benchmark.
pub struct Pricer<'a> {
    profile: &'a IndexedProfile,
    bodies: &'a Bodies<'a>,
    costs: &'a Costs,
    read: RefCell<HashMap<String, Estimate>>,
}

impl<'a> Pricer<'a> {
    /// A pricer for one benchmark and one side of a change.
    #[must_use]
    pub fn new(profile: &'a IndexedProfile, bodies: &'a Bodies<'a>, costs: &'a Costs) -> Self {
        Self {
            profile,
            bodies,
            costs,
            read: RefCell::default(),
        }
    }

    /// Prices a call.
    #[must_use]
    pub fn price(&self, call: &Call, caller: &Caller<'_>) -> Price {
        self.at_depth(call, caller, 0)
    }

    fn at_depth(&self, call: &Call, caller: &Caller<'_>, depth: u32) -> Price {
        let Resolution { target, evidence } =
            resolve(call, caller, self.profile, |name| self.bodies.named(name));
        match target {
            Target::Profiled(ids) => self.measured(&ids, evidence),
            Target::Source(bodies) => {
                let name = bodies.first().map_or("", |body| &body.name).to_owned();
                let unit = bodies
                    .iter()
                    .map(|body| self.body(body, depth + 1))
                    .reduce(Estimate::or)
                    .unwrap_or_else(|| self.unknown());
                Price {
                    unit,
                    evidence,
                    name,
                    profiled: Vec::new(),
                }
            }
            Target::Named { of_type } => self.by_name(call, of_type.as_deref()),
        }
    }

    fn measured(&self, ids: &[FunctionId], evidence: Evidence) -> Price {
        let profile = self.profile.profile();
        let unit = ids
            .iter()
            .filter_map(|&id| self.profile.cost_per_call(id))
            .map(Estimate::exactly)
            .reduce(Estimate::or)
            .map_or_else(
                || self.unknown(),
                |unit| {
                    // Candidates weigh by how often they are called, not one each.
                    let (cost, calls) = ids.iter().fold((0.0, 0.0), |(cost, calls), &id| {
                        let function = profile.function(id);
                        (
                            cost + function.inclusive as f64,
                            calls + function.calls as f64,
                        )
                    });
                    Estimate::between(unit.low, cost / f64::max(calls, 1.0), unit.high)
                },
            );
        let name = ids
            .first()
            .map_or_else(String::new, |&id| profile.function(id).name.clone());
        Price {
            unit,
            evidence,
            name,
            profiled: ids.to_vec(),
        }
    }

    fn by_name(&self, call: &Call, of_type: Option<&str>) -> Price {
        let callee = &call.callee;
        let written = match (of_type, callee.path.last()) {
            (Some(of_type), _) => format!("{of_type}::{}", callee.name),
            (None, Some(segment)) => format!("{segment}::{}", callee.name),
            (None, None) => callee.name.clone(),
        };
        self.costs.prior(of_type, &callee.name).map_or_else(
            || Price {
                unit: self.unknown(),
                evidence: Evidence::Unknown,
                name: written.clone(),
                profiled: Vec::new(),
            },
            |unit| Price {
                unit,
                evidence: Evidence::Prior,
                name: written.clone(),
                profiled: Vec::new(),
            },
        )
    }

    /// Nothing is known: as cheap as the cheapest and as dear as a dear function of this benchmark.
    fn unknown(&self) -> Estimate {
        let (typical, dear) = self.profile.typical_calls();
        Estimate::between(self.profile.cheapest_call(), typical, dear)
    }

    /// The cost of one call of a function that is read, its frame included.
    fn body(&self, located: &LocatedFunction, depth: u32) -> Estimate {
        if let Some(known) = self.read.borrow().get(&*located.name) {
            return *known;
        }
        if depth > self.costs.body_depth {
            return self.unknown();
        }
        // A cycle finds this entry and adds nothing: the recursion's depth is not known statically.
        self.read
            .borrow_mut()
            .insert(located.name.to_string(), Estimate::ZERO);
        let unit = self.costs.call_overhead + self.block(located, BlockId::BODY, depth);
        self.read
            .borrow_mut()
            .insert(located.name.to_string(), unit);
        unit
    }

    /// The cost of running a block once: its head, its nodes, and what it starts.
    fn block(&self, located: &LocatedFunction, id: BlockId, depth: u32) -> Estimate {
        let Some(source) = self.bodies.source(&located.file) else {
            return self.unknown();
        };
        let caller = Caller {
            located,
            source,
            ids: &[],
            sampled_lines: None,
        };
        let function: &Function = &located.function;
        let block = function.block(id);
        block
            .head
            .iter()
            .chain(&block.nodes)
            .map(|node| match node {
                Node::Call(call) => {
                    self.at_depth(call, &caller, depth).unit
                        + self.costs.operation * f64::from(call.arguments.weight)
                }
                Node::Operation(operation) => self.costs.operation * f64::from(operation.weight),
                Node::Block(child) => {
                    self.costs.runs(function.block(*child)) * self.block(located, *child, depth)
                }
            })
            .sum()
    }
}
