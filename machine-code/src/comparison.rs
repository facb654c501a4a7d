//! Two programs and the scope of the base that matters → whether the code in that scope is the same at the head.

use std::collections::{BTreeMap, BTreeSet};

use super::equivalence::{CodeDifference, CodeDifferenceKind, CodeEquivalence};
use super::pairing::{ProgramDifferences, ProgramPairing, same_instructions};
use super::program::MachineCode;
use super::reference_graph::{ReferenceGraphNode, bodies, is_startup_table};
use profile::function_name;

/// Functions that the compiler generates and a profile may lack: `drop` of a type's parts, calls through tables.
const GLUE: [&str; 4] = ["drop_in_place", "call_once", "call_mut", "{shim"];

/// Selection of the base's functions to compare.
#[derive(Debug, Clone, Copy)]
pub enum CodeScope<'a> {
    /// Everything reachable from the program's entry, and the code that runs before and after `main`.
    Program,
    /// Everything reachable from the functions with these canonical names.
    From(&'a BTreeSet<String>),
    /// Functions with these symbols of the symbol table: those that a run of the base executed.
    Executed(&'a BTreeSet<String>),
    /// Functions that a benchmark executes according to the profile of an older version.
    Sampled {
        /// Canonical names of the functions in which the benchmark starts.
        roots: &'a BTreeSet<String>,
        /// Canonical names of the functions in the profile, inlined ones included.
        executed: &'a BTreeSet<String>,
        /// Canonical names of the functions whose source changed between that version and the base.
        changed: &'a BTreeSet<String>,
    },
}

/// Compares the functions of a scope in both programs. [`super`] explains what follows from the answer.
#[must_use]
pub fn compare_programs(base: &MachineCode<'_>, head: &MachineCode<'_>, scope: CodeScope<'_>) -> CodeEquivalence {
    let mut first = BTreeSet::new();
    let wanted = match scope {
        CodeScope::Program => bodies(&base.reachable_nodes(base.entry_nodes(), |_| true)),
        CodeScope::From(roots) => {
            first = base.bodies_named(roots);
            closure(base, &first)
        }
        CodeScope::Executed(symbols) => (base.bodies.iter().enumerate())
            .filter(|(_, body)| body.names.iter().any(|symbol| symbols.contains(symbol)))
            .map(|(at, _)| at)
            .collect(),
        CodeScope::Sampled {
            roots,
            executed,
            changed,
        } => {
            first = base.bodies_named(roots);
            let mut wanted = sampled(base, executed, changed);
            wanted.extend(&first);
            wanted
        }
    };
    if wanted.is_empty() {
        return CodeEquivalence::Unknown {
            why: "none of the functions to compare is in the program".to_owned(),
        };
    }
    let plan = PairingPlan {
        whole: matches!(scope, CodeScope::Program | CodeScope::Executed(_)),
        first,
        wanted,
    };
    let differences = pair_up(base, head, &plan);
    if differences.given_up {
        return CodeEquivalence::Unknown {
            why: "there is too much to compare".to_owned(),
        };
    }
    if differences.bodies.is_empty() && !differences.program {
        return CodeEquivalence::Same {
            functions: plan.wanted.len(),
        };
    }
    let mut functions: Vec<CodeDifference> = (differences.bodies.into_iter())
        .map(|(body, why)| difference(base, body, why))
        .collect();
    if differences.program {
        functions.push(CodeDifference {
            function: "what runs before and after main".to_owned(),
            why: CodeDifferenceKind::Target,
        });
    }
    CodeEquivalence::different(functions)
}

/// Canonical names of the base's functions whose machine code differs from the head's function of the same name, or
/// that the head lacks.
#[must_use]
pub fn changed_functions(base: &MachineCode<'_>, head: &MachineCode<'_>) -> BTreeSet<String> {
    let plan = PairingPlan {
        whole: true,
        first: BTreeSet::new(),
        wanted: (0..base.bodies.len()).collect(),
    };
    (pair_up(base, head, &plan).bodies.into_keys())
        .flat_map(|body| base.canonical_names()[body].iter().cloned())
        .collect()
}

fn difference(code: &MachineCode<'_>, body: usize, why: CodeDifferenceKind) -> CodeDifference {
    let names = &code.bodies[body].names;
    let function = names.first().map(|n| function_name::demangled(n)).unwrap_or_default();
    CodeDifference { function, why }
}

/// Functions to compare, and where pairing begins.
struct PairingPlan {
    /// True if the program's start-up code counts too.
    whole: bool,
    /// Functions of the base that are paired by name first, so that others are found through them.
    first: BTreeSet<usize>,
    /// Functions of the base that are compared.
    wanted: BTreeSet<usize>,
}

/// Compares functions: those reachable from the program's entry, then those paired by name first, then the rest, which
/// only a pointer in the program's memory may reach.
fn pair_up(base: &MachineCode<'_>, head: &MachineCode<'_>, plan: &PairingPlan) -> ProgramDifferences {
    let PairingPlan { whole, first, wanted } = plan;
    let mut pairing = ProgramPairing::new(base, head, wanted);
    pairing.pair_addresses(base.entry, head.entry);
    if *whole {
        let table = |code: &MachineCode<'_>| -> Vec<(String, u64)> {
            (code.sections.iter())
                .filter(|section| is_startup_table(&section.name))
                .map(|section| (section.name.clone(), section.start))
                .collect()
        };
        let (ours, theirs) = (table(base), table(head));
        let names = |table: &[(String, u64)]| -> Vec<String> { table.iter().map(|(name, _)| name.clone()).collect() };
        if names(&ours) != names(&theirs) {
            pairing.program_differs();
        }
        for ((_, x), (_, y)) in ours.iter().zip(&theirs) {
            pairing.pair_addresses(*x, *y);
        }
    }
    pairing.run();
    let names = FunctionNameMatcher {
        base,
        head,
        ours: index(base, function_name::demangled),
        theirs: index(head, function_name::demangled),
        our_symbols: index(base, str::to_owned),
        their_symbols: index(head, str::to_owned),
    };
    for body in first {
        names.pair(&mut pairing, *body);
    }
    for certain in [true, false] {
        let alone: Vec<usize> = wanted.difference(&pairing.compared).copied().collect();
        for body in alone {
            if !certain || names.unambiguous(body).is_some() {
                names.pair(&mut pairing, body);
            }
        }
    }
    let missing: Vec<usize> = wanted.difference(&pairing.compared).copied().collect();
    let mut differences = pairing.differences();
    for body in missing {
        differences.bodies.entry(body).or_insert(CodeDifferenceKind::Missing);
    }
    differences.program &= *whole;
    differences
}

/// Bodies by name.
type BodiesByName = BTreeMap<String, Vec<usize>>;

/// Matches functions by name that no reference leads to.
struct FunctionNameMatcher<'a, 'd> {
    base: &'a MachineCode<'d>,
    head: &'a MachineCode<'d>,
    /// Functions of the base and the head by readable name, which omits the part that distinguishes two builds of a
    /// crate.
    ours: BodiesByName,
    theirs: BodiesByName,
    /// Functions of the base and the head by symbol.
    our_symbols: BodiesByName,
    their_symbols: BodiesByName,
}

impl FunctionNameMatcher<'_, '_> {
    /// The head's function of the same name if it is unambiguous: by symbol, which distinguishes two builds of a crate,
    /// or by readable name. Copies of one function in several crates share both.
    fn unambiguous(&self, body: usize) -> Option<usize> {
        let only = |index: &BodiesByName, name: &str| match index.get(name)?[..] {
            [only] => Some(only),
            _ => None,
        };
        self.base.bodies[body].names.iter().find_map(|symbol| {
            let name = function_name::demangled(symbol);
            let exact = || {
                only(&self.our_symbols, symbol)?;
                only(&self.their_symbols, symbol)
            };
            let readable = || {
                only(&self.ours, &name)?;
                only(&self.theirs, &name)
            };
            exact().or_else(readable)
        })
    }

    /// Pairs a function that has no partner yet, and compares everything that this leads to. Among several functions of
    /// its name, one with the same instructions is chosen.
    fn pair(&self, pairing: &mut ProgramPairing<'_, '_>, body: usize) {
        if pairing.compared.contains(&body) {
            return;
        }
        let partners = match self.unambiguous(body) {
            Some(partner) => vec![partner],
            None => {
                let names = &self.base.bodies[body].names;
                let candidates: BTreeSet<usize> = (names.iter())
                    .filter_map(|symbol| self.theirs.get(&function_name::demangled(symbol)))
                    .flatten()
                    .copied()
                    .collect();
                let alike = |head: &usize| same_instructions(self.base, self.head, (body, *head));
                let equal: Vec<usize> = candidates.iter().copied().filter(alike).collect();
                if equal.is_empty() {
                    candidates.into_iter().take(1).collect()
                } else {
                    equal
                }
            }
        };
        for partner in partners {
            pairing.pair(body, partner);
        }
        pairing.run();
    }
}

fn index(code: &MachineCode<'_>, key: impl Fn(&str) -> String) -> BodiesByName {
    let mut index = BodiesByName::new();
    for (at, body) in code.bodies.iter().enumerate() {
        for symbol in &body.names {
            let entry = index.entry(key(symbol)).or_default();
            if entry.last() != Some(&at) {
                entry.push(at);
            }
        }
    }
    index
}

/// Everything reachable from some functions.
fn closure(code: &MachineCode<'_>, from: &BTreeSet<usize>) -> BTreeSet<usize> {
    bodies(&code.reachable_nodes(from.iter().map(|body| ReferenceGraphNode::Body(*body)), |_| true))
}

/// Functions that the base can execute, if an older version executed `executed` and `changed` has changed since.
fn sampled(base: &MachineCode<'_>, executed: &BTreeSet<String>, changed: &BTreeSet<String>) -> BTreeSet<usize> {
    let known = base.bodies_named(executed);
    let changed: BTreeSet<String> = changed.intersection(executed).cloned().collect();
    // A changed function may call functions that it did not call before. A changed function without a body of its own
    // was inlined somewhere unknown: then everything may be executed.
    let has_body = |function: &String| base.canonical_names().iter().any(|names| names.contains(function));
    if !changed.iter().all(has_body) {
        return closure(base, &known);
    }
    let new_callers = base.bodies_named(&changed);
    let mut wanted = closure(base, &new_callers);
    wanted.extend(&known);
    let glue = |node: ReferenceGraphNode| match node {
        ReferenceGraphNode::Body(body) => (base.bodies[body].names.iter())
            .any(|symbol| GLUE.iter().any(|word| function_name::demangled(symbol).contains(word))),
        ReferenceGraphNode::Data(_) => true,
    };
    let with_glue = base.reachable_nodes(wanted.iter().map(|body| ReferenceGraphNode::Body(*body)), glue);
    bodies(&with_glue)
}
