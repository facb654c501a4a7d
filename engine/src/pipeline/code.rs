//! Stage 2, second half: what a benchmark executes, compiled, at base and head. Where that is the same machine code with
//! the same constants, the head does what the base does, and need not be run.
//!
//! Set-up counts: a benchmark whose subject is the same, but not what prepares its input, may move. So does data: where
//! files differ that a program may read, the same code says nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use analyzer::change::is_runtime_input;
use machine_code::{self, CodeEquivalence, CodeReachability, CodeScope, MachineCode, ReachabilityQuery};
use rayon::prelude::*;
use report::number_format;
use runner::measure::sides::{BaseOrHead, MeasuredSides};
use verdict::{BenchmarkOutcome, BenchmarkVerdict};

use super::GateThoroughness;
use super::build::BuildStageResult;
use super::candidate::BenchmarkCandidate;
use super::source::SourceStageResult;
use super::verdict_draft::StageCounts;
use crate::progress::Progress;

/// Functions that are named where code differs.
const NAMED: usize = 3;

/// What is known of the code of both sides' programs.
pub(super) struct ProgramComparisonSet {
    /// A file that differs and that a program may read.
    data: Option<String>,
    /// By the programs of base and head.
    compared: BTreeMap<(PathBuf, PathBuf), ProgramComparison>,
}

/// Two programs, compared as wholes.
struct ProgramComparison {
    /// Whether everything that either can execute is the same.
    whole: CodeEquivalence,
    /// Functions whose machine code differs, by canonical name.
    changed: BTreeSet<String>,
}

/// What comparing the programs gave.
pub(super) struct CodeStageResult {
    /// Benchmarks whose programs differ, or are measured all the same.
    pub(super) different: Vec<BenchmarkCandidate>,
    /// The entries of the others.
    pub(super) same: Vec<BenchmarkVerdict>,
    pub(super) programs: ProgramComparisonSet,
}

impl CodeStageResult {
    /// Says what differs, to whoever asked with -v.
    pub(super) fn log_differences(&self, progress: Progress<'_>) {
        for sentence in self.programs.differences() {
            progress.detail(&sentence);
        }
    }

    pub(super) fn passed(&self) -> StageCounts {
        StageCounts {
            of: self.different.len() + self.same.len(),
            on: self.different.len(),
        }
    }
}

/// Compares the programs of benchmarks that both sides have.
pub(super) fn compare(
    built: &BuildStageResult,
    source: &SourceStageResult,
    candidates: Vec<BenchmarkCandidate>,
    thoroughness: GateThoroughness,
) -> CodeStageResult {
    let sides = &built.sides;
    let pairs: BTreeSet<(PathBuf, PathBuf)> = (candidates.iter())
        .filter_map(|candidate| of_both(sides, &candidate.name))
        .collect();
    let compared = (pairs.into_par_iter())
        .map(|pair| {
            let compared = compare_programs(&pair);
            (pair, compared)
        })
        .collect();
    let data = source.changed_files.iter().find(|path| is_runtime_input(path));
    let programs = ProgramComparisonSet {
        data: data.cloned(),
        compared,
    };
    let (mut different, mut same) = (Vec::new(), Vec::new());
    for candidate in candidates {
        match programs.all_the_same(sides, &candidate.name) {
            Some(functions) if thoroughness != GateThoroughness::Exhaustive => {
                let functions = number_format::counted_noun(functions, "function");
                let reason = format!("all {functions} that it can reach are the same machine code");
                same.push(candidate.entry(BenchmarkOutcome::SameCode, reason));
            }
            _ => different.push(candidate),
        }
    }
    CodeStageResult {
        different,
        same,
        programs,
    }
}

impl ProgramComparisonSet {
    /// The number of functions, if all that a benchmark's program can reach are the same code.
    fn all_the_same(&self, sides: &MeasuredSides, benchmark: &str) -> Option<usize> {
        match self.of(sides, benchmark)?.whole {
            CodeEquivalence::Same { functions } if self.data.is_none() => Some(functions),
            _ => None,
        }
    }

    /// The number of functions, if all that the base executed are the same code at the head.
    pub(super) fn execute_the_same(
        &self,
        sides: &MeasuredSides,
        benchmark: &str,
        executed: &BTreeSet<String>,
    ) -> Option<usize> {
        if self.data.is_some() {
            return None;
        }
        let (base, head) = of_both(sides, benchmark)?;
        match with_code(&base, &head, |base, head| {
            machine_code::compare_programs(base, head, CodeScope::Executed(executed))
        })? {
            CodeEquivalence::Same { functions } => Some(functions),
            CodeEquivalence::Different { .. } | CodeEquivalence::Unknown { .. } => None,
        }
    }

    /// Whether a benchmark's program can reach a function whose machine code changed, or whose source did.
    pub(super) fn reach(
        &self,
        sides: &MeasuredSides,
        benchmark: &str,
        sources: &BTreeSet<String>,
    ) -> Option<CodeReachability> {
        let compared = self.of(sides, benchmark)?;
        let (base, head) = of_both(sides, benchmark)?;
        let changed = compared.changed.union(sources).cloned().collect();
        with_code(&base, &head, |base, _| {
            let question = ReachabilityQuery {
                roots: &BTreeSet::new(),
                executed: &BTreeSet::new(),
                changed: &changed,
            };
            machine_code::find_reachability(base, question)
        })
    }

    /// Why two programs are not the same, for a note: some of the functions that differ, or why it is not known.
    fn differences(&self) -> Vec<String> {
        let sentences = self.compared.iter().map(|((base, _), compared)| {
            let program = base.file_name().unwrap_or_default().to_string_lossy();
            match &compared.whole {
                CodeEquivalence::Same { .. } => format!("{program}: the same machine code"),
                CodeEquivalence::Unknown { why } => {
                    format!("{program}: its code can't be compared: {why}")
                }
                CodeEquivalence::Different { functions } => {
                    let named: Vec<String> = functions.iter().take(NAMED).map(ToString::to_string).collect();
                    let count = number_format::counted_noun(functions.len(), "function");
                    format!("{program}: {count} differ: {}", named.join(", "))
                }
            }
        });
        let data = self
            .data
            .iter()
            .map(|path| format!("{path} differs, which programs may read: the same code need not do the same"));
        sentences.chain(data).collect()
    }

    fn of(&self, sides: &MeasuredSides, benchmark: &str) -> Option<&ProgramComparison> {
        self.compared.get(&of_both(sides, benchmark)?)
    }
}

/// The programs of a benchmark that is on both sides.
fn of_both(sides: &MeasuredSides, benchmark: &str) -> Option<(PathBuf, PathBuf)> {
    let program = |which| Some(sides.side(which).benchmark(benchmark)?.program.clone());
    Some((program(BaseOrHead::Base)?, program(BaseOrHead::Head)?))
}

fn compare_programs((base, head): &(PathBuf, PathBuf)) -> ProgramComparison {
    let compared = with_code(base, head, |base, head| ProgramComparison {
        whole: machine_code::compare_programs(base, head, CodeScope::Program),
        changed: machine_code::changed_functions(base, head),
    });
    compared.unwrap_or_else(|| ProgramComparison {
        whole: CodeEquivalence::Unknown {
            why: why_unknown(base).unwrap_or_else(|| String::from("a program can't be read")),
        },
        changed: BTreeSet::new(),
    })
}

/// What `ask` makes of two programs; `None` where one can't be read as code.
fn with_code<T>(base: &Path, head: &Path, ask: impl FnOnce(&MachineCode<'_>, &MachineCode<'_>) -> T) -> Option<T> {
    let (base, head) = (std::fs::read(base).ok()?, std::fs::read(head).ok()?);
    Some(ask(
        &machine_code::read_program(&base).ok()?,
        &machine_code::read_program(&head).ok()?,
    ))
}

fn why_unknown(program: &Path) -> Option<String> {
    let bytes = std::fs::read(program).ok()?;
    Some(machine_code::read_program(&bytes).err()?.to_string())
}
