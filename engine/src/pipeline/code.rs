//! Stage 3, second half: the machine code that a benchmark executes, compared between base and head. Where code and
//! constants are the same, the head does the same as the base, and is not run.
//!
//! Set-up code counts: a benchmark whose subject is the same but whose input is prepared differently may change. Data
//! counts too: where a file changed that the benchmark opens, equal code proves nothing. What it opens is known from the
//! sample, or from the run of the base; until then it may be any file that is not compiled.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use analyzer::change::may_be_read;
use machine_code::{self, CodeEquivalence, CodeReachability, CodeScope, MachineCode, ReachabilityQuery};
use profile::inputs::OpenedFiles;
use rayon::prelude::*;
use runner::measure::sides::{BaseOrHead, MeasuredSides};
use verdict::{BenchmarkOutcome, ReachabilityEvidence, UnmeasuredReason};

use super::GateThoroughness;
use super::build::BuildStageResult;
use super::candidate::{BenchmarkCandidate, BenchmarkFinding};
use super::measurement_plan::GateMeasurementPlan;
use super::reachability;
use super::source::SourceStageResult;
use super::verdict_draft::StageCounts;
use crate::progress::{Activity, CodeDifference, Progress};

/// Functions that a report of differing code names.
const NAMED: usize = 3;

/// The comparisons of both sides' programs.
pub(super) struct ProgramComparisonSet {
    /// Paths of the files that differ.
    changed_files: Vec<String>,
    /// The files that benchmarks open at the base, where the sample tells.
    opened: BTreeMap<String, OpenedFiles>,
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

impl ProgramComparison {
    /// The functions whose machine code differs; `None` where that is not known.
    fn known_changes(&self) -> Option<&BTreeSet<String>> {
        match self.whole {
            CodeEquivalence::Same { .. } | CodeEquivalence::Different { .. } => Some(&self.changed),
            CodeEquivalence::Unknown { .. } => None,
        }
    }
}

/// The result of comparing the programs.
pub(super) struct CodeStageResult {
    /// Benchmarks whose programs differ, or that are measured anyway.
    pub(super) different: Vec<BenchmarkCandidate>,
    /// The findings of the others.
    pub(super) same: Vec<BenchmarkFinding>,
    /// Benchmarks that the score leaves out, though the code that they execute differs.
    pub(super) unforeseen: Vec<BenchmarkCandidate>,
    /// The findings of the other benchmarks that the score leaves out.
    pub(super) skipped: Vec<BenchmarkFinding>,
    pub(super) programs: ProgramComparisonSet,
}

impl CodeStageResult {
    /// Reports the differences between the programs.
    pub(super) fn report_differences(&self, progress: Progress<'_>) {
        self.programs.report_differences(progress);
    }

    pub(super) fn passed(&self) -> StageCounts {
        let on = self.different.len() + self.unforeseen.len();
        StageCounts {
            of: on + self.same.len(),
            on,
        }
    }
}

/// Compares the programs of benchmarks that both sides have: of these candidates, and of those that the score leaves out.
/// The compiler may have compiled these otherwise because of a change beside them, which no source shows.
pub(super) fn compare(
    built: &BuildStageResult,
    source: &SourceStageResult,
    settled: &BTreeSet<String>,
    candidates: Vec<BenchmarkCandidate>,
    terms: &GateMeasurementPlan<'_>,
) -> CodeStageResult {
    let sides = &built.sides;
    let left_out: Vec<BenchmarkCandidate> = source.left_out(settled).collect();
    let pairs: BTreeSet<(PathBuf, PathBuf)> = (candidates.iter().chain(&left_out))
        .filter_map(|candidate| of_both(sides, &candidate.name))
        .collect();
    let compared = (pairs.into_par_iter())
        .map(|pair| {
            let compared = compare_programs(&pair);
            (pair, compared)
        })
        .collect();
    let programs = ProgramComparisonSet {
        changed_files: source.changed_files.clone(),
        opened: source.opened.clone(),
        compared,
    };
    let (mut different, mut same) = (Vec::new(), Vec::new());
    for candidate in candidates {
        match programs.all_the_same(sides, &candidate.name) {
            Some(functions) if terms.thoroughness != GateThoroughness::Exhaustive => {
                let reason = UnmeasuredReason::SameProgram { functions };
                same.push(candidate.unmeasured(BenchmarkOutcome::SameCode, reason));
            }
            Some(_) | None => different.push(candidate),
        }
    }
    let (unforeseen, skipped) = programs.split_by_executed_code(sides, source, left_out);
    CodeStageResult {
        different,
        same,
        unforeseen,
        skipped: skipped.iter().map(BenchmarkCandidate::skipped).collect(),
        programs,
    }
}

impl ProgramComparisonSet {
    /// The number of functions, if all that a benchmark's program can reach are the same code.
    fn all_the_same(&self, sides: &MeasuredSides, benchmark: &str) -> Option<usize> {
        match self.of(sides, benchmark)?.whole {
            CodeEquivalence::Same { functions } if self.changed_input(self.opened.get(benchmark)).is_none() => {
                Some(functions)
            }
            CodeEquivalence::Same { .. } | CodeEquivalence::Different { .. } | CodeEquivalence::Unknown { .. } => None,
        }
    }

    /// Benchmarks that the score leaves out since they execute no changed source, though they can reach changed machine
    /// code from what they executed at the sample; and the others. Where no machine code can be read, the score has the last
    /// word.
    fn split_by_executed_code(
        &self,
        sides: &MeasuredSides,
        source: &SourceStageResult,
        left_out: Vec<BenchmarkCandidate>,
    ) -> (Vec<BenchmarkCandidate>, Vec<BenchmarkCandidate>) {
        let mut by_programs: BTreeMap<Option<(PathBuf, PathBuf)>, Vec<BenchmarkCandidate>> = BTreeMap::new();
        for candidate in left_out {
            let pair = of_both(sides, &candidate.name);
            let pair = pair.filter(|_| reachability::is_for_code_to_decide(&candidate.reach));
            by_programs.entry(pair).or_default().push(candidate);
        }
        let with_evidence = by_programs.into_iter().flat_map(|(pair, candidates)| match pair {
            Some(pair) => self.with_code_evidence(&pair, source, candidates),
            None => candidates,
        });
        with_evidence.partition(|candidate| match &candidate.reach {
            ReachabilityEvidence::ExecutesChangedCode { .. }
            | ReachabilityEvidence::ReachesChangedCode { .. }
            | ReachabilityEvidence::UnknownCode { .. } => true,
            ReachabilityEvidence::NoProfile
            | ReachabilityEvidence::ExecutesChange { .. }
            | ReachabilityEvidence::NotAnalyzed { .. }
            | ReachabilityEvidence::ExecutesNoChange { .. }
            | ReachabilityEvidence::ReachesNoChangedCode { .. } => false,
        })
    }

    /// The same benchmarks of two programs, with the machine code's evidence where it can be read.
    fn with_code_evidence(
        &self,
        pair: &(PathBuf, PathBuf),
        source: &SourceStageResult,
        candidates: Vec<BenchmarkCandidate>,
    ) -> Vec<BenchmarkCandidate> {
        let unknown = BTreeSet::new();
        let changed = self.compared[pair].known_changes();
        let reaches = changed.and_then(|changed| {
            with_code(&pair.0, |base| {
                let reach = |candidate: &BenchmarkCandidate| {
                    let executed = source
                        .sampled_functions
                        .functions
                        .get(&candidate.name)
                        .unwrap_or(&unknown);
                    let question = ReachabilityQuery {
                        roots: executed,
                        executed,
                        changed,
                    };
                    machine_code::find_reachability(base, question)
                };
                candidates.par_iter().map(reach).collect::<Vec<_>>()
            })
        });
        match reaches {
            Some(reaches) => (candidates.into_iter().zip(reaches))
                .map(|(candidate, reach)| BenchmarkCandidate {
                    reach: reachability::by_code(reach),
                    ..candidate
                })
                .collect(),
            None => candidates,
        }
    }

    fn changed_input(&self, opened: Option<&OpenedFiles>) -> Option<&String> {
        changed_input(&self.changed_files, opened)
    }

    /// The number of functions, if all that the base executed are the same code at the head, and what it opened is the
    /// same.
    pub(super) fn execute_the_same(
        &self,
        sides: &MeasuredSides,
        benchmark: &str,
        (executed, opened): (&BTreeSet<String>, &OpenedFiles),
    ) -> Option<usize> {
        if self.changed_input(Some(opened)).is_some() {
            return None;
        }
        let (base, head) = of_both(sides, benchmark)?;
        match with_both_codes(&base, &head, |base, head| {
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
        let (base, _) = of_both(sides, benchmark)?;
        let changed = compared.known_changes()?.union(sources).cloned().collect();
        with_code(&base, |base| {
            let question = ReachabilityQuery {
                roots: &BTreeSet::new(),
                executed: &BTreeSet::new(),
                changed: &changed,
            };
            machine_code::find_reachability(base, question)
        })
    }

    /// Reports for each pair of programs whether their machine code differs, and a changed file that they may read.
    fn report_differences(&self, progress: Progress<'_>) {
        for ((base, _), compared) in &self.compared {
            let program = base.file_name().unwrap_or_default().to_string_lossy();
            let difference = match &compared.whole {
                CodeEquivalence::Same { .. } => CodeDifference::None,
                CodeEquivalence::Unknown { why } => CodeDifference::Unknown { why },
                CodeEquivalence::Different { functions } => CodeDifference::Functions {
                    count: functions.len(),
                    named: functions.iter().take(NAMED).map(ToString::to_string).collect(),
                },
            };
            let program = &*program;
            progress.activity(&Activity::ProgramsCompared { program, difference });
        }
        let of_any = match self.opened.is_empty() {
            true => self.changed_input(None),
            false => self.opened.values().find_map(|opened| self.changed_input(Some(opened))),
        };
        if let Some(path) = of_any {
            progress.activity(&Activity::DataChanged { path });
        }
    }

    fn of(&self, sides: &MeasuredSides, benchmark: &str) -> Option<&ProgramComparison> {
        self.compared.get(&of_both(sides, benchmark)?)
    }
}

/// A changed file that a benchmark opens, or may open where that is not known in full.
pub(super) fn changed_input<'f>(changed_files: &'f [String], opened: Option<&OpenedFiles>) -> Option<&'f String> {
    let is_opened = |path: &str| opened.is_some_and(|opened| opened.notices_presence(path));
    let is_known = opened.is_some_and(|opened| opened.is_complete);
    (changed_files.iter()).find(|path| is_opened(path) || (!is_known && may_be_read(path)))
}

/// The programs of a benchmark that is on both sides.
fn of_both(sides: &MeasuredSides, benchmark: &str) -> Option<(PathBuf, PathBuf)> {
    let program = |which| Some(sides.side(which).benchmark(benchmark)?.program.clone());
    Some((program(BaseOrHead::Base)?, program(BaseOrHead::Head)?))
}

fn compare_programs((base, head): &(PathBuf, PathBuf)) -> ProgramComparison {
    let compared = with_both_codes(base, head, |base, head| ProgramComparison {
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

/// The result of `ask` on two programs; `None` where one can't be read as machine code.
fn with_both_codes<T>(
    base: &Path,
    head: &Path,
    ask: impl FnOnce(&MachineCode<'_>, &MachineCode<'_>) -> T,
) -> Option<T> {
    with_code(base, |base| with_code(head, |head| ask(base, head)))?
}

/// The result of `ask` on a program; `None` where it can't be read as machine code.
fn with_code<T>(program: &Path, ask: impl FnOnce(&MachineCode<'_>) -> T) -> Option<T> {
    let bytes = std::fs::read(program).ok()?;
    Some(ask(&machine_code::read_program(&bytes).ok()?))
}

fn why_unknown(program: &Path) -> Option<String> {
    let bytes = std::fs::read(program).ok()?;
    Some(machine_code::read_program(&bytes).err()?.to_string())
}
