//! How much of a change the sample's benchmarks execute: a skip tells little about what none of them reaches.

use std::collections::BTreeMap;
use std::sync::Arc;

use analyzer::coverage::BenchmarkCoverage;
use analyzer::outline::OutlineReader;
use analyzer::score::{BenchmarkReach, CostModel};
use analyzer::sources::FileSource as _;
use analyzer::syntax::ParseCache;

use crate::support::{ScoringTestFiles, ScoringTestProfile, library, sample, scored};

const SOURCE: &str = "\
pub fn work(of: u64) -> u64 {
    of * 3
}
pub fn idle(of: u64) -> u64 {
    of + 1
}
#[cfg(test)]
mod quality;
#[cfg(test)]
mod tests {
    #[test]
    fn works() {
        assert_eq!(super::work(1), 3);
    }
}
";

/// A library, and a package beside it of which nothing is executed.
fn workspace() -> ScoringTestFiles {
    library(SOURCE)
        .with("other/Cargo.toml", "[package]\nname = \"other-one\"\n")
        .with("src/quality.rs", "pub fn helps(of: u64) -> u64 {\n    of\n}\n")
        .with("other/src/lib.rs", "pub fn far(of: u64) -> u64 {\n    of - 1\n}\n")
        .with(
            "tests/whole.rs",
            "#[test]\nfn whole() {\n    assert_eq!(k::idle(1), 2);\n}\n",
        )
}

fn profile(files: &ScoringTestFiles) -> ScoringTestProfile {
    ScoringTestProfile::new("b", 1_000)
        .function("k::work", files.line_of("fn work("), 100, (900, 250))
        .line(files.line_of("of * 3"), 100)
}

fn reach_of(changes: &[(&str, &str)]) -> BenchmarkReach {
    let before = workspace();
    let after = (changes.iter()).fold(before.clone(), |files, (from, to)| files.replaced(from, to));
    let score = scored(CostModel::Lito, &before, vec![profile(&before)], (&before, &after));
    score.reach.expect("there is a sample")
}

#[test]
fn changed_functions_are_counted_with_those_that_a_benchmark_executes() {
    let reach = reach_of(&[("of * 3", "of * 4"), ("of + 1", "of + 2")]);
    assert_eq!((reach.functions, reach.executed), (2, 1));
    assert_eq!(reach.unreached_crates, Vec::<String>::new());
}

#[test]
fn a_crate_of_which_nothing_is_executed_is_named() {
    let reach = reach_of(&[("of - 1", "of - 2")]);
    assert_eq!((reach.functions, reach.executed), (1, 0));
    assert_eq!(reach.unreached_crates, ["other_one"]);
}

#[test]
fn functions_of_tests_are_not_counted() {
    let reach = reach_of(&[
        ("super::work(1), 3", "super::work(2), 6"),
        ("k::idle(1), 2", "k::idle(2), 3"),
    ]);
    assert_eq!(reach, BenchmarkReach::default());
}

#[test]
fn the_coverage_of_a_sample_has_every_function_of_the_library_once() {
    let files = workspace();
    let sample = sample(&files, vec![profile(&files)]);
    let parser = ParseCache::default();
    let paths = ["src/lib.rs", "src/quality.rs", "other/src/lib.rs", "tests/whole.rs"];
    let sources = paths.map(|path| (Arc::from(path), files.file(path).expect("it is there")));
    let outline = OutlineReader::new(&parser).outline(sources, &files);
    let coverage = BenchmarkCoverage::of(&sample, &outline, &parser);
    let found: BTreeMap<&str, Option<(&str, f64)>> = (coverage.functions.iter())
        .map(|function| {
            let hottest = function.hottest.as_ref();
            let hottest = hottest.map(|hottest| (hottest.benchmark.as_str(), hottest.share));
            (&*function.definition.name, hottest)
        })
        .collect();
    let expected = [
        ("k::idle", None),
        ("k::work", Some(("b", 0.25))),
        ("other_one::far", None),
    ];
    assert_eq!(found, BTreeMap::from(expected));
    let packages = coverage.packages();
    let packages: Vec<_> = (packages.iter())
        .map(|package| (package.name.as_str(), package.functions, package.executed))
        .collect();
    assert_eq!(packages, [("k", 2, 1), ("other_one", 1, 0)]);
}
