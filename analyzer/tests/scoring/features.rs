//! Features that a build turns on by itself: the code that asks for one, and the package that gets one.

use crate::support::{ScoringTestFiles, ScoringTestProfile, scored};
use analyzer::score::CostModel;

const TOTAL: u64 = 1_000_000;

const MANIFEST: &str = "[package]\nname = \"k\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dependencies]\nzlib = \"1\"\n[features]\ndefault = [\"std\"]\nstd = []\nfast = []\nnamed = []\n";

fn is_run(asks: &str, spent_in_zlib: u64, default: &str) -> bool {
    let before = ScoringTestFiles::default()
        .with("Cargo.toml", MANIFEST)
        .with("src/lib.rs", &format!("{asks}mod slow;\npub mod work;\n"))
        .with("src/slow.rs", "pub fn step(x: u64) -> u64 {\n    x + 1\n}\n")
        .with("src/work.rs", "pub fn work(x: u64) -> u64 {\n    zlib::adler(x)\n}\n");
    let after = before.replaced("default = [\"std\"]", &format!("default = [{default}]"));
    let profile = ScoringTestProfile::new("b", TOTAL)
        .function("k::work::work", 1, 1, (TOTAL, TOTAL - spent_in_zlib))
        .in_file("src/work.rs")
        .function("zlib::adler", 1, 1, (spent_in_zlib, spent_in_zlib))
        .site("k::work::work", 2, "zlib::adler", (1, spent_in_zlib));
    let score = scored(CostModel::Lito, &before, vec![profile], (&before, &after));
    score.benchmarks.iter().any(|one| one.selected)
}

#[test]
fn a_default_feature_that_the_code_asks_for_is_run_wherever_it_asks() {
    let asks = "#[cfg(feature = \"fast\")]\nmod fast;\n#[cfg(not(feature = \"fast\"))]\n";
    assert!(is_run(asks, 0, "\"std\", \"fast\""));
    assert!(is_run(&asks.replace("\"fast\"", "\"std\""), 0, ""));
    assert!(!is_run(asks, 0, "\"std\", \"named\""));
    assert!(!is_run("", 0, "\"std\", \"fast\""));
}

#[test]
fn a_feature_of_another_package_is_run_where_the_package_takes_part_of_the_cost() {
    assert!(is_run("", 900_000, "\"std\", \"zlib/fast\""));
    assert!(is_run("", 900_000, "\"std\", \"zlib?/fast\""));
    assert!(!is_run("", 10_000, "\"std\", \"zlib/fast\""));
}
