//! A sample and the functions of its version → which of them its benchmarks execute, crate by crate or package by package.
//!
//! The functions are those that may be built into a benchmark: tests, benchmarks and examples are left out.

use std::collections::BTreeMap;
use std::sync::Arc;

use hashbrown::HashMap;

use crate::languages::is_measured_code;
use crate::outline::{FunctionDefinition, SourceOutline};
use crate::sample::Sample;
use crate::syntax::ParseCache;

/// The functions of one version and the benchmarks that execute them.
#[derive(Debug, Clone, PartialEq)]
pub struct BenchmarkCoverage {
    /// Every function, by file and line.
    pub functions: Vec<FunctionCoverage>,
}

/// One function.
#[derive(Debug, Clone, PartialEq)]
pub struct FunctionCoverage {
    /// The function.
    pub definition: Arc<FunctionDefinition>,
    /// The benchmark that spends the largest share of its cost in it; `None` if none executes it.
    pub hottest: Option<HottestBenchmark>,
}

/// A benchmark that executes a function.
#[derive(Debug, Clone, PartialEq)]
pub struct HottestBenchmark {
    /// Its name.
    pub benchmark: String,
    /// The function's own cost, as a share of the benchmark's: 0 to 1.
    pub share: f64,
}

/// How many functions of a crate or package the benchmarks execute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageCoverage {
    /// Its name, as it begins the names of its functions.
    pub name: String,
    /// Number of its functions.
    pub functions: usize,
    /// Number of those that a benchmark executes.
    pub executed: usize,
}

impl BenchmarkCoverage {
    /// Finds the functions of an outline that the benchmarks of a sample execute. The outline is that of the sampled version.
    #[must_use]
    pub fn of(sample: &Sample, outline: &SourceOutline, parser: &ParseCache) -> Self {
        let mut built: HashMap<Arc<str>, bool> = HashMap::new();
        let mut is_built = |definition: &FunctionDefinition| {
            *built.entry(Arc::clone(&definition.file)).or_insert_with_key(|path| {
                let support = definition.language.support();
                is_measured_code(path) && !support.is_excluded_from_build(path, &*sample.tree, parser)
            })
        };
        let mut functions: Vec<FunctionCoverage> = (outline.functions())
            .flat_map(|(_, definitions)| definitions)
            .filter(|definition| !definition.test_only && is_built(definition))
            .map(|definition| FunctionCoverage {
                definition: Arc::clone(definition),
                hottest: None,
            })
            .collect();
        functions.sort_by(|a, b| place(a).cmp(&place(b)));
        let mut of_file: HashMap<Arc<str>, Vec<usize>> = HashMap::new();
        for (index, function) in functions.iter().enumerate() {
            of_file
                .entry(Arc::clone(&function.definition.file))
                .or_default()
                .push(index);
        }
        for indexed in &sample.benchmarks {
            let profile = indexed.profile();
            let mut own_cost: BTreeMap<usize, u64> = BTreeMap::new();
            for executed in (profile.functions.iter()).filter(|function| !function.external && !function.is_of_set_up())
            {
                let file = executed.file.and_then(|file| of_file.get(profile.file(file)));
                let around = file.and_then(|there| innermost(&functions, there, executed.line));
                if let Some(index) = around {
                    *own_cost.entry(index).or_default() += executed.self_cost;
                }
            }
            for (index, cost) in own_cost {
                let share = cost as f64 / indexed.total();
                let hottest = &mut functions[index].hottest;
                if hottest.as_ref().is_none_or(|known| known.share < share) {
                    *hottest = Some(HottestBenchmark {
                        benchmark: profile.benchmark.clone(),
                        share,
                    });
                }
            }
        }
        Self { functions }
    }

    /// The crates or packages, by name.
    #[must_use]
    pub fn packages(&self) -> Vec<PackageCoverage> {
        let mut packages: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for function in &self.functions {
            let (all, executed) = packages.entry(package(&function.definition)).or_default();
            *all += 1;
            *executed += usize::from(function.hottest.is_some());
        }
        let coverage = |(name, (functions, executed)): (&str, _)| PackageCoverage {
            name: name.to_owned(),
            functions,
            executed,
        };
        packages.into_iter().map(coverage).collect()
    }
}

fn package(definition: &FunctionDefinition) -> &str {
    definition.language.package_of(&definition.name)
}

fn place(function: &FunctionCoverage) -> (&str, u32) {
    (&function.definition.file, function.definition.lines.first)
}

/// The last of some functions to begin among those that hold a line.
fn innermost(functions: &[FunctionCoverage], among: &[usize], line: u32) -> Option<usize> {
    let holds = |index: &&usize| {
        let lines = functions[**index].definition.lines;
        (lines.first..=lines.last).contains(&line)
    };
    among.iter().rev().find(holds).copied()
}
