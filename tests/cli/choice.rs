//! Benchmarks chosen by name or package: what is taken, and what is said of those left out.

use serde_json::Value;

use super::gate::replace;
use super::repository::TestRepository;

const LIBRARY: &str = "#[inline(never)]
pub fn work(of: &[u64]) -> u64 {
    of.iter().fold(7, |sum, value| sum.wrapping_mul(31) ^ value)
}

#[inline(never)]
pub fn other(of: &[u64]) -> u64 {
    of.iter().fold(9, |sum, value| sum.wrapping_mul(37) ^ value)
}

pub fn unused() -> u64 {
    7
}
";

const PROGRAM: &str = "fn main() {
    let of: Vec<u64> = (0..4_000).collect();
    let run = match std::env::args().nth(1).as_deref() {
        Some(\"other\") => sum::other,
        _ => sum::work,
    };
    std::process::exit(i32::from(run(std::hint::black_box(&of)) == 7));
}
";

const SETTINGS: &str = r#"
[[benchmarks]]
adapter = "command"
name = "fold/work"
build = ["cargo", "build", "--release", "--offline"]
run = ["target/release/sum"]

[[benchmarks]]
adapter = "command"
name = "fold/other"
build = ["cargo", "build", "--release", "--offline"]
run = ["target/release/sum", "other"]

[gate]
audit = "0%"
"#;

/// A repository with two benchmarks, not sampled.
fn two_benchmarks() -> TestRepository {
    let repository = TestRepository::with_benchmark();
    repository.write("src/lib.rs", LIBRARY);
    repository.write("src/main.rs", PROGRAM);
    repository.write("lito.toml", SETTINGS);
    repository.commit("two benchmarks");
    repository
}

fn score(repository: &TestRepository) -> Value {
    let score = repository.lito(&["score", "HEAD", "--format", "json"]);
    let document: Value = serde_json::from_str(score.output()).unwrap();
    document["versions"][0].clone()
}

#[test]
fn a_list_holds_what_is_chosen_and_refuses_a_name_that_nothing_has() {
    let repository = two_benchmarks();
    let listed = repository.lito(&["bench", "list", "--bench", "*/other"]);
    assert!(
        listed.output().contains("fold/other") && !listed.output().contains("fold/work"),
        "{listed:?}"
    );
    repository
        .lito(&["bench", "list", "--bench", "fold/othr"])
        .fails(2, &["--bench fold/othr", "did you mean `fold/other`?"]);
}

#[test]
fn what_is_left_out_of_a_sample_is_a_risk_until_it_is_taken() {
    let repository = two_benchmarks();
    repository
        .lito(&["sample", "--bench", "fold/work"])
        .says(0, &["1 benchmark", "1 left out", "a risk for every change of code"]);
    // Nothing that is sampled executes it.
    replace(&repository, "src/lib.rs", "mul(37)", "mul(41)");
    let unknown = score(&repository);
    assert_eq!(unknown["decision"], "benchmark", "{unknown:#}");
    assert!(
        unknown["reason"]
            .as_str()
            .unwrap()
            .contains("1 benchmark is left out of the sample"),
        "{unknown:#}"
    );
    repository.write("README.md", "Adds up.\n");
    repository.commit("documentation");
    assert_eq!(score(&repository)["decision"], "skip", "no code changed");

    repository.lito(&["sample", "HEAD~2"]).says(0, &["2 benchmarks"]);
    replace(&repository, "src/lib.rs", "    7\n", "    8\n");
    let known = score(&repository);
    assert_eq!(known["decision"], "skip", "{known:#}");
}

#[test]
fn a_gate_on_chosen_benchmarks_judges_those_alone_and_is_not_kept() {
    let repository = two_benchmarks();
    repository.lito(&["sample"]).output();
    replace(
        &repository,
        "src/lib.rs",
        "mul(37) ^ value",
        "mul(37).rotate_left((value % 7) as u32) ^ value",
    );
    let judged = |bench: &str, code: i32| -> Value {
        let judged = repository.lito(&["gate", "--bench", bench, "--format", "json"]);
        assert_eq!(judged.code, code, "{judged:?}");
        serde_json::from_str(&judged.stdout).unwrap()
    };
    let untouched = judged("fold/work", 0);
    assert_eq!(untouched["verdict"], "skipped", "{untouched:#}");
    let slower = judged("fold/other", 1);
    assert_eq!(slower["verdict"], "regression", "{slower:#}");
    let names: Vec<&Value> = (slower["benchmarks"].as_array().unwrap().iter())
        .filter(|entry| entry["gating"] == true)
        .map(|entry| &entry["name"])
        .collect();
    assert!(names.iter().all(|name| *name == "fold/other"), "{slower:#}");
    assert!(
        slower["repeat"].as_str().unwrap().contains("--bench fold/other"),
        "{slower:#}"
    );
    assert_eq!(repository.stored("verdicts"), [""; 0]);
}

/// A workspace of two packages, whose tests stand in for benchmarks and have the same name.
fn two_packages() -> TestRepository {
    let repository = TestRepository::unborn();
    repository.write(
        "Cargo.toml",
        "[workspace]\nmembers = [\"a\", \"b\"]\nresolver = \"2\"\n",
    );
    repository.write("lito.toml", "[gate]\naudit = \"0%\"\nmetrics = [\"instructions\"]\n");
    repository.write(".gitignore", "/target\n/Cargo.lock\n");
    for package in ["a", "b"] {
        let manifest = format!("[package]\nname = \"{package}\"\nversion = \"1.0.0\"\nedition = \"2021\"\n");
        let test =
            format!("#[test]\nfn same() {{\n    assert_ne!({package}::work(std::hint::black_box(2_000)), 1);\n}}\n");
        repository.write(&format!("{package}/Cargo.toml"), &manifest);
        repository.write(&format!("{package}/tests/whole.rs"), &test);
        repository.write(
            &format!("{package}/src/lib.rs"),
            "pub fn work(of: u64) -> u64 {\n    (0..of).fold(7, |sum, value| sum ^ std::hint::black_box(value))\n}\n",
        );
    }
    repository.commit("two packages");
    repository
}

#[test]
fn a_sample_of_one_package_lets_no_benchmark_of_another_be_skipped() {
    let repository = two_packages();
    repository
        .lito(&["sample", "--package", "a"])
        .says(0, &["1 benchmark", "1 left out"]);
    replace(
        &repository,
        "b/src/lib.rs",
        "sum ^ std",
        "sum.rotate_left(3).wrapping_mul(31) ^ std",
    );
    for choice in [&["--package", "b"][..], &["--bench", "b/*"], &["--bench", "*"], &[]] {
        let gate = [&["gate", "--format", "json"], choice].concat();
        let judged = repository.lito(&gate);
        let report: Value = serde_json::from_str(&judged.stdout).unwrap_or_default();
        assert_eq!(report["verdict"], "regression", "{choice:?}: {judged:#?}");
    }
}

#[test]
fn counts_of_one_package_do_not_stand_for_those_of_another() {
    let repository = two_packages();
    // Other machine code of the same cost: it is counted.
    replace(&repository, "a/src/lib.rs", "fold(7", "fold(9");
    repository.git(&["reset", "--quiet", "--soft", "HEAD~1"]);
    replace(
        &repository,
        "b/src/lib.rs",
        "sum ^ std",
        "sum.rotate_left(3).wrapping_mul(31) ^ std",
    );
    let verdict = |package: &str, code: i32| {
        let judged = repository.lito(&["gate", "--package", package, "--format", "json"]);
        assert_eq!(judged.code, code, "{package}: {judged:#?}");
    };
    verdict("a", 0);
    verdict("b", 1);
}

#[test]
fn bench_targets_beside_the_workspace_are_told_until_settings_name_them() {
    let bench = |name: &str| {
        format!(
            "#![feature(test)]\nextern crate test;\n#[bench]\nfn {name}(bencher: &mut test::Bencher) {{\n    \
             bencher.iter(|| test::black_box(2) + 1);\n}}\n"
        )
    };
    let repository = TestRepository::with_library();
    repository.write("benches/own.rs", &bench("own"));
    let manifest = "[package]\nname = \"compare\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n";
    repository.write("compare/Cargo.toml", manifest);
    repository.write("compare/src/lib.rs", "");
    repository.write("compare/benches/others.rs", &bench("others"));
    let listed = repository.lito(&["bench", "list"]);
    listed.says(0, &["`compare`", "not measured: `others`", "directory = \"compare\""]);
    assert!(listed.output().contains("own "), "{}", listed.output());
    let settings = "[[benchmarks]]\nadapter = \"cargo-bench\"\n\n[[benchmarks]]\nadapter = \"cargo-bench\"\ndirectory = \
                    \"compare\"\n";
    repository.write("lito.toml", settings);
    let listed = repository.lito(&["bench", "list", "--format", "markdown"]);
    assert!(listed.output().contains("`own`") && listed.output().contains("`others`"));
    assert!(!listed.stderr.contains("not measured"));
}
