//! The gate as a maintainer meets it: what is not run, what is, and what it says of both.

use serde_json::Value;

use super::repository::{COMMAND, LitoOutput, TestRepository};

/// The subject of the benchmarks here: `work` is what they measure, `idle` is never executed.
pub(super) const LIBRARY: &str = "pub fn work(of: &[u64]) -> u64 {
    let mut sum = 0u64;
    for value in of {
        sum = sum.wrapping_mul(31).wrapping_add(step(*value));
    }
    sum
}

#[inline(never)]
fn step(value: u64) -> u64 {
    value ^ (value >> 7)
}

pub fn idle(of: &[u64]) -> usize {
    of.len()
}
";

/// Runs `work` a few hundred times, so that it outweighs the start of the process.
pub(super) const PROGRAM: &str = "fn main() {
    let of: Vec<u64> = (0..4_000).collect();
    let mut all = 0;
    for _ in 0..200 {
        all ^= sum::work(std::hint::black_box(&of));
    }
    std::process::exit(i32::from(all == 7));
}
";

/// A sampled repository with one benchmark, that audits nothing.
pub(super) fn sampled() -> TestRepository {
    sampled_with("audit = \"0%\"")
}

/// A sampled repository with one benchmark and these settings of the gate.
fn sampled_with(gate: &str) -> TestRepository {
    let repository = TestRepository::with_benchmark();
    repository.write("src/lib.rs", LIBRARY);
    repository.write("src/main.rs", PROGRAM);
    repository.write("README.md", "Adds up.\n");
    repository.write("lito.toml", &format!("{COMMAND}\n[gate]\n{gate}\n"));
    repository.commit("the library");
    repository.lito(&["sample"]).output();
    repository
}

pub(super) fn replace(repository: &TestRepository, path: &str, from: &str, to: &str) -> String {
    let text = std::fs::read_to_string(repository.file(path)).unwrap();
    assert!(text.contains(from), "{path} has no `{from}`");
    repository.write(path, &text.replace(from, to));
    repository.commit("a change")
}

/// More work in each step.
pub(super) fn slower(repository: &TestRepository) -> String {
    replace(
        repository,
        "src/lib.rs",
        "value ^ (value >> 7)",
        "let mut value = value;\n    for _ in 0..8 {\n        value = std::hint::black_box(value ^ (value >> 7));\n    }\n    value",
    )
}

#[track_caller]
pub(super) fn report(answer: &LitoOutput, code: i32) -> Value {
    assert_eq!(answer.code, code, "{answer:#?}");
    serde_json::from_str(&answer.stdout).unwrap()
}

#[track_caller]
pub(super) fn entry<'r>(report: &'r Value, metric: &str) -> &'r Value {
    let entries = report["benchmarks"].as_array().unwrap();
    let found = entries.iter().find(|entry| entry["metric"] == metric);
    found.unwrap_or_else(|| panic!("no {metric} in {report:#}"))
}

#[test]
fn what_cannot_matter_is_skipped_without_building_anything() {
    let repository = sampled();
    let built = std::fs::metadata(repository.cache()).unwrap();
    let changes = [
        ("README.md", "Adds up.", "Adds up numbers."),
        ("src/lib.rs", "pub fn work", "/// Adds up.\npub fn work"),
        (
            "src/lib.rs",
            "    let mut sum = 0u64;\n",
            "    let mut sum =\n        0u64;\n",
        ),
        ("src/lib.rs", "    of.len()", "    of.len() + 1"),
    ];
    for (path, from, to) in changes {
        replace(&repository, path, from, to);
        let answer = repository.lito(&["gate", "--format", "json"]);
        let report = report(&answer, 0);
        assert_eq!(report["schema"], "lito.verdict/1");
        assert_eq!(report["verdict"], "skipped", "{path}: {report:#}");
        assert_eq!(report["stages"].as_array().map(Vec::len), Some(1), "{report:#}");
    }
    assert_eq!(
        built.modified().unwrap(),
        std::fs::metadata(repository.cache()).unwrap().modified().unwrap()
    );
}

#[test]
fn a_regression_is_confirmed_blamed_and_the_exit_code_says_so() {
    let repository = sampled();
    let (base, head) = (repository.git(&["rev-parse", "HEAD"]), slower(&repository));
    let folder = tempfile::tempdir().unwrap();
    let files = folder.path().join("report");
    let answer = repository.lito(&["gate", "--format", "json", "--report", files.to_str().unwrap()]);
    let json = report(&answer, 1);
    assert_eq!(json["verdict"], "regression");
    assert_eq!(
        (json["base"].as_str(), json["head"].as_str()),
        (Some(&*base), Some(&*head))
    );
    let entry = entry(&json, "instructions");
    assert_eq!(entry["verdict"], "regression");
    assert_eq!(entry["significant"], true);
    assert_eq!(entry["reachable"], true, "{entry:#}");
    assert!(entry["change"].as_f64().unwrap() > 0.5, "{entry:#}");
    assert!(json["environment"]["presented processor"].is_string());
    let sarif = std::fs::read_to_string(files.join("verdict.sarif")).unwrap();
    let sarif: Value = serde_json::from_str(&sarif).unwrap();
    let place = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "src/lib.rs", "{sarif:#}");
    let markdown = std::fs::read_to_string(files.join("verdict.md")).unwrap();
    assert!(markdown.contains("× slower"), "{markdown}");
    assert!(files.join("verdict.json").is_file());
}

#[test]
fn what_compiles_to_the_same_code_is_not_run() {
    let repository = sampled();
    // Another name for a variable, in hot code.
    replace(&repository, "src/lib.rs", "sum", "total");
    let report = report(&repository.lito(&["measure", "HEAD~1", "HEAD", "--format", "json"]), 0);
    assert_eq!(report["verdict"], "pass", "{report:#}");
    assert_eq!(report["benchmarks"][0]["verdict"], "same_code", "{report:#}");
    let stages = report["stages"].as_array().unwrap();
    assert!(stages.iter().all(|stage| stage["name"] != "counts"), "{report:#}");
}

#[test]
fn data_that_the_base_does_not_open_needs_no_run_of_the_head() {
    // Without a sample nobody recorded what it opens.
    let repository = TestRepository::with_benchmark();
    repository.write("data/numbers.txt", "1 2 3\n");
    repository.commit("data");
    let measure = ["measure", "HEAD~1", "HEAD", "--metric", "instructions"];
    let report = report(&repository.lito(&[&measure[..], &["--format", "json"]].concat()), 0);
    assert_eq!(report["benchmarks"][0]["verdict"], "same_code", "{report:#}");
    let stages = report["stages"].as_array().unwrap();
    assert!(
        stages.iter().any(|stage| stage["name"] == "counts"),
        "the base is run: {report:#}"
    );
}

#[test]
fn data_that_no_run_of_the_sample_opened_needs_no_run() {
    let repository = sampled();
    repository.write("data/numbers.txt", "1 2 3\n");
    repository.commit("data");
    let measure = ["measure", "HEAD~1", "HEAD", "--metric", "instructions"];
    let report = report(&repository.lito(&[&measure[..], &["--format", "json"]].concat()), 0);
    assert_eq!(report["benchmarks"][0]["verdict"], "same_code", "{report:#}");
    let stages = report["stages"].as_array().unwrap();
    assert!(stages.iter().all(|stage| stage["name"] != "counts"), "{report:#}");
}

#[test]
fn an_improvement_passes() {
    let repository = sampled();
    slower(&repository);
    let report = report(&repository.lito(&["measure", "HEAD", "HEAD~1", "--format", "json"]), 0);
    assert_eq!(report["verdict"], "improvement", "{report:#}");
}

#[test]
fn identical_versions_pass_in_every_metric() {
    let repository = sampled();
    let all = ["--metric", "instructions", "--metric", "memory"];
    let arguments = [&["measure", "HEAD", "HEAD", "--format", "json"][..], &all].concat();
    let report = report(&repository.lito(&arguments), 0);
    assert_eq!(report["verdict"], "pass", "{report:#}");
}

#[test]
fn a_head_that_does_not_build_is_inconclusive_and_says_why() {
    let repository = sampled();
    replace(&repository, "src/lib.rs", "value >> 7", "value >> missing");
    let answer = repository.lito(&["measure", "HEAD~1"]);
    assert_eq!(answer.code, 4, "{answer:#?}");
    assert!(answer.stdout.contains("does not build"), "{answer:#?}");
    assert!(answer.stdout.contains("missing"), "{answer:#?}");
}

#[test]
fn a_benchmark_that_fails_at_the_head_is_not_passed() {
    let repository = sampled();
    replace(&repository, "src/main.rs", "i32::from(all == 7)", "3");
    let answer = repository.lito(&["measure", "HEAD~1", "HEAD", "--format", "json"]);
    let report = report(&answer, 4);
    let entry = entry(&report, "instructions");
    assert_eq!(entry["verdict"], "failed", "{report:#}");
    assert!(entry["reason"].as_str().unwrap().contains('3'), "{entry:#}");
}

#[test]
fn benchmarks_that_come_and_go_are_named() {
    let repository = TestRepository::with_library();
    let test = |name: &str| format!("#[test]\nfn {name}() {{\n    assert_eq!(sum::sum(&[1, 2]), 3);\n}}\n");
    repository.write("tests/whole.rs", &[test("stays"), test("goes")].concat());
    repository.commit("two tests");
    repository.write("tests/whole.rs", &[test("stays"), test("comes")].concat());
    repository.commit("one of them is another");
    let answer = repository.lito(&["measure", "HEAD~1", "HEAD", "--format", "json"]);
    let report = report(&answer, 4);
    let verdict = |name: &str| {
        let entries = report["benchmarks"].as_array().unwrap();
        let entry = entries
            .iter()
            .find(|entry| entry["name"].as_str().unwrap().ends_with(name));
        entry.map(|entry| entry["verdict"].as_str().unwrap().to_owned())
    };
    assert_eq!(verdict("goes").as_deref(), Some("removed"), "{report:#}");
    assert_eq!(verdict("comes").as_deref(), Some("added"), "{report:#}");
    // The list of all tests is a constant of the program: it is run, to be sure.
    assert_eq!(verdict("stays").as_deref(), Some("pass"), "{report:#}");
}

#[test]
fn a_benchmark_that_is_newer_than_the_sample_is_run_for_what_it_may_execute() {
    let repository = sampled();
    repository.write(
        "src/bin/idle.rs",
        "fn main() {\n    let of = vec![1; 4_000];\n    for _ in 0..50_000 {\n        std::hint::black_box(sum::idle(\
         std::hint::black_box(&of)));\n    }\n}\n",
    );
    let settings = std::fs::read_to_string(repository.file("lito.toml")).unwrap();
    let newer = COMMAND
        .replace("\"sum\"", "\"idle\"")
        .replace("target/release/sum", "target/release/idle");
    repository.write("lito.toml", &format!("{newer}\n{settings}"));
    repository.commit("another benchmark");
    replace(
        &repository,
        "src/lib.rs",
        "    of.len()",
        "    of.iter().map(|one| std::hint::black_box(*one) as usize).sum()",
    );
    let report = report(&repository.lito(&["gate", "--format", "json"]), 1);
    let verdicts: Vec<(&str, &str)> = (report["benchmarks"].as_array().unwrap().iter())
        .map(|entry| (entry["name"].as_str().unwrap(), entry["verdict"].as_str().unwrap()))
        .collect();
    assert!(verdicts.contains(&("idle", "regression")), "{report:#}");
    assert!(verdicts.contains(&("sum", "skipped")), "{report:#}");
    replace(&repository, "README.md", "Adds up.", "Adds up and counts.");
    let report = self::report(&repository.lito(&["gate", "--format", "json"]), 0);
    assert_eq!(report["verdict"], "skipped", "{report:#}");
}

#[test]
fn what_was_measured_is_not_measured_again_unless_asked() {
    let repository = sampled();
    slower(&repository);
    let measure = ["measure", "HEAD~1", "HEAD", "--metric", "instructions", "-v"];
    let first = repository.lito(&measure);
    assert_eq!(first.code, 1, "{first:#?}");
    let second = repository.lito(&measure);
    second.says(1, &["kept"]);
    let fresh = repository.lito(&[&measure[..], &["--fresh"]].concat());
    assert_eq!(fresh.code, 1, "{fresh:#?}");
    assert!(!fresh.stderr.contains("kept"), "{fresh:#?}");
}

#[test]
fn versions_that_were_built_are_not_built_again_and_get_the_same_verdict() {
    let repository = sampled();
    slower(&repository);
    let gate = ["gate", "-v", "--format", "json"];
    let first = repository.lito(&gate);
    assert!(!first.stderr.contains("not built again"), "{first:#?}");
    let second = repository.lito(&gate);
    second.says(1, &["the head is not built again"]);
    assert!(
        !second.stderr.contains("the base"),
        "its counts are in the sample: {second:#?}"
    );
    let [first, second] = [first, second].map(|answer| report(&answer, 1));
    for part in ["verdict", "base", "head", "environment"] {
        assert_eq!(first[part], second[part], "{part}");
    }
    assert_eq!(entry(&first, "instructions"), entry(&second, "instructions"));
    let fresh = repository.lito(&[&gate[..], &["--fresh"]].concat());
    assert!(!fresh.stderr.contains("not built again"), "{fresh:#?}");
    assert_eq!(report(&fresh, 1)["verdict"], first["verdict"]);
    replace(&repository, "README.md", "Adds up.", "Adds up numbers.");
    let next = repository.lito(&["measure", "HEAD~1", "HEAD", "-v"]);
    next.says(0, &["the base is not built again"]);
    assert!(!next.stderr.contains("the head is not built again"), "{next:#?}");
}

#[test]
fn a_skipped_version_that_is_drawn_is_measured_and_the_account_is_kept() {
    let repository = sampled();
    let settings = format!("{COMMAND}\n[gate]\naudit = \"100%\"\n");
    repository.write("lito.toml", &settings);
    repository.commit("audit all");
    replace(&repository, "README.md", "Adds up.", "Adds up numbers.");
    let report = report(&repository.lito(&["gate", "--format", "json"]), 0);
    assert_eq!(report["audited"], true, "{report:#}");
    assert_eq!(report["verdict"], "pass", "{report:#}");
    assert_eq!(report["audit"]["measured"], 1, "{report:#}");
    assert_eq!(report["audit"]["missed"], 0, "{report:#}");
    let high = report["audit"]["high"].as_f64().unwrap();
    assert!(high > 0.9 && high <= 1.0, "one of one says little: {high}");
}

#[test]
fn a_change_that_was_drawn_stays_drawn_when_it_is_amended() {
    let repository = sampled_with("audit = \"100%\"");
    replace(&repository, "README.md", "Adds up.", "Adds up numbers.");
    let drawn = report(&repository.lito(&["gate", "--format", "json"]), 0);
    assert_eq!(drawn["audited"], true, "{drawn:#}");
    // From here on next to nothing is drawn by chance.
    let rare = format!("{COMMAND}\n[gate]\naudit = \"0.000001%\"\n");
    repository.write("lito.toml", &rare);
    repository.write("README.md", "Adds numbers up.\n");
    repository.git(&["commit", "-q", "--amend", "-m", "another try", "README.md"]);
    let amended = report(&repository.lito(&["gate", "--format", "json"]), 0);
    assert_eq!(amended["audited"], true, "{amended:#}");
    assert_ne!(amended["head"], drawn["head"]);
    let none = report(&repository.lito(&["gate", "--no-audit", "--format", "json"]), 0);
    assert_eq!(none["verdict"], "skipped", "{none:#}");
}

#[test]
fn slow_creep_is_a_regression_since_an_older_version_and_told_once() {
    let repository = sampled_with("audit = \"0%\"\nthreshold = \"0.1%\"\ntolerance = \"5%\"");
    let begin = repository.git(&["rev-parse", "HEAD"]);
    let step = |from: &str, to: &str, code: i32| {
        replace(&repository, "src/main.rs", from, to);
        let answer = repository.lito(&["gate", "--metric", "instructions", "--format", "json"]);
        let report = report(&answer, code);
        let entry = entry(&report, "instructions").clone();
        let change = entry["change"].as_f64().unwrap();
        assert!(change > 0.01 && change < 0.03, "{entry:#}");
        entry
    };
    assert_eq!(step("0..200", "0..204", 0)["verdict"], "pass");
    assert_eq!(step("0..204", "0..208", 0)["verdict"], "pass");
    let alarm = step("0..208", "0..212", 1);
    assert_eq!(alarm["verdict"], "regression", "{alarm:#}");
    let reason = alarm["reason"].as_str().unwrap();
    assert!(
        reason.contains(&format!("since {}, in 3 versions", &begin[..10])),
        "{reason}"
    );
    assert_eq!(step("0..212", "0..216", 0)["verdict"], "pass", "told once");
}

#[test]
fn without_valgrind_probes_count_and_are_named() {
    let repository = sampled();
    slower(&repository);
    let measure = ["measure", "HEAD~1", "HEAD", "--profiler", "probes", "--format", "json"];
    let report = report(&repository.lito(&measure), 1);
    let entry = entry(&report, "operations");
    assert_eq!(entry["tool"], "probes");
    assert_eq!(entry["verdict"], "regression", "{report:#}");
    assert!(entry["change"].as_f64().unwrap() > 0.5, "{entry:#}");
    assert!(
        report["environment"]["profiler"]
            .as_str()
            .unwrap()
            .starts_with("probes")
    );
    let same = ["measure", "HEAD", "HEAD", "--profiler", "probes", "--format", "json"];
    assert_eq!(repository.lito(&same).code, 0);
    // The user's files have no probes in them.
    assert_eq!(repository.git(&["status", "--short"]), "");
}

#[test]
fn the_first_version_has_nothing_to_be_compared_with() {
    let repository = TestRepository::with_library();
    repository.lito(&["gate"]).fails(2, &["first version", "--base"]);
}

/// A library whose benchmarks are its two unit tests.
fn with_unit_tests() -> TestRepository {
    let repository = TestRepository::with_library();
    repository.write(".gitignore", "/target\n/Cargo.lock\n");
    repository.write(
        "src/lib.rs",
        &format!(
            "{LIBRARY}\n#[cfg(test)]\nmod tests {{\n    #[test]\n    fn works() {{\n        \
             assert_ne!(super::work(&vec![3; 40_000]), 7);\n    }}\n    #[test]\n    fn idles() {{\n        \
             assert_eq!(super::idle(&[1]), 1);\n    }}\n}}\n"
        ),
    );
    repository.commit("the library");
    repository
}

#[test]
fn a_name_that_no_benchmark_has_is_refused_before_anything_is_built() {
    let repository = sampled();
    let built = std::fs::metadata(repository.cache()).unwrap().modified().unwrap();
    slower(&repository);
    for command in [&["measure", "HEAD~1"][..], &["compare"], &["track", "--last", "2"]] {
        let answer = repository.lito(&[command, &["--bench", "smu"]].concat());
        answer.fails(2, &["--bench smu", "`lito bench list`", "sum"]);
        let answer = repository.lito(&[command, &["--bench", "sum", "--bench", "other*"]].concat());
        answer.fails(2, &["--bench other*", "the only one is sum"]);
    }
    assert_eq!(
        std::fs::metadata(repository.cache()).unwrap().modified().unwrap(),
        built
    );
}

#[test]
fn a_name_that_the_sample_lacks_is_refused_once_the_benchmarks_are_listed() {
    let repository = with_unit_tests();
    repository
        .lito(&["measure", "HEAD", "--bench", "tests::wroks"])
        .fails(2, &["--bench tests::wroks", "did you mean `tests::works`?"]);
    repository.lito(&["sample"]).output();
    let before = std::fs::metadata(repository.cache()).unwrap().modified().unwrap();
    repository
        .lito(&["measure", "HEAD", "--bench", "nosuch"])
        .fails(2, &["--bench nosuch", "tests::idles, tests::works"]);
    assert_eq!(
        std::fs::metadata(repository.cache()).unwrap().modified().unwrap(),
        before,
        "nothing was built"
    );
    // A test that is newer than the sample is not refused.
    replace(
        &repository,
        "src/lib.rs",
        "fn idles() {",
        "fn newer() {\n        assert_ne!(super::work(&[1, 2]), 7);\n    }\n    #[test]\n    fn idles() {",
    );
    let answer = repository.lito(&[
        "measure",
        "HEAD",
        "HEAD",
        "--bench",
        "tests::newer",
        "--metric",
        "instructions",
    ]);
    assert!(answer.output().contains("tests::newer"), "{answer:#?}");
}

#[test]
fn benchmarks_that_were_left_out_by_hand_are_not_called_unlikely_to_change() {
    let repository = with_unit_tests();
    repository.lito(&["sample"]).output();
    slower(&repository);
    let answer = repository.lito(&[
        "measure",
        "HEAD~1",
        "--bench",
        "tests::works",
        "--metric",
        "instructions",
        "--format",
        "json",
    ]);
    let report = report(&answer, 1);
    let names: Vec<&Value> = report["benchmarks"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["gating"] == true)
        .map(|entry| &entry["name"])
        .collect();
    assert!(names.iter().all(|name| *name == "tests::works"), "{report:#}");
}

#[test]
fn a_function_that_was_idle_at_the_sample_is_at_risk_once_the_benchmark_calls_it() {
    let repository = sampled();
    let call = "sum::work(std::hint::black_box(&of))";
    let both = format!("{call} ^ sum::idle(std::hint::black_box(&of)) as u64");
    replace(&repository, "src/main.rs", call, &both);
    let scan = "let mut most = 0;\n    for value in of {\n        most = most.max(std::hint::black_box(*value));\n    }\n    most as usize";
    replace(&repository, "src/lib.rs", "of.len()", scan);
    let answer = repository.lito(&["score", "HEAD", "--format", "json"]);
    let score = report(&answer, 0);
    assert_eq!(score["versions"][0]["decision"], "benchmark", "{score:#}");
    let told = report(
        &repository.lito(&["gate", "--metric", "instructions", "--format", "json"]),
        1,
    );
    assert_eq!(told["verdict"], "regression", "{told:#}");
}

#[test]
fn a_skipped_version_says_why_nothing_had_to_run() {
    let repository = sampled();
    let head = repository.git(&["rev-parse", "HEAD"]);
    let same = repository.lito(&["gate", "--base", &head]);
    assert!(same.output().contains("base and head are the same commit"), "{same:#?}");
    replace(&repository, "README.md", "Adds up.", "Adds up numbers.");
    let docs = repository.lito(&["gate"]);
    assert!(
        docs.output().contains("nothing that a benchmark compiles changed"),
        "{docs:#?}"
    );
    replace(&repository, "src/lib.rs", "    of.len()", "    of.len() + 1");
    let unreached = repository.lito(&["gate"]);
    for told in [
        "the only benchmark is not likely to change (risk < 1%)",
        "no benchmark executes the changed function",
    ] {
        assert!(unreached.output().contains(told), "{unreached:#?}");
    }
}

#[test]
fn the_coverage_of_a_sample_names_what_no_benchmark_executes() {
    let repository = TestRepository::with_benchmark();
    (repository.lito(&["bench", "coverage"])).fails(2, &["has no sample", "lito sample"]);
    let repository = sampled();
    let coverage = report(&repository.lito(&["bench", "coverage", "--format", "json"]), 0);
    let benchmark_of = |name: &str| {
        let functions = coverage["functions"].as_array().unwrap().iter();
        let found = functions
            .filter(|function| function["name"] == name)
            .collect::<Vec<_>>();
        assert_eq!(found.len(), 1, "{name} in {coverage:#}");
        found[0]["benchmark"].clone()
    };
    assert_eq!(benchmark_of("sum::work"), "sum");
    assert_eq!(benchmark_of("sum::idle"), serde_json::Value::Null);
    let page = repository.lito(&["bench", "coverage"]);
    assert!(page.output().contains("1 benchmark executes "), "{page:#?}");
    let doctor = repository.lito(&["doctor"]);
    assert!(doctor.output().contains("1 benchmark executes "), "{doctor:#?}");
}

#[test]
fn changes_that_are_not_committed_are_judged_like_a_commit_and_leave_nothing_behind() {
    let repository = sampled();
    let state = || repository.git(&["for-each-ref"]) + &repository.git(&["count-objects", "-v"]);
    let before = state();
    let unchanged = repository.lito(&["gate", "--uncommitted"]);
    assert_eq!(unchanged.code, 0, "{unchanged:#?}");
    assert!(unchanged.stderr.contains("nothing is changed"), "{unchanged:#?}");
    let library = std::fs::read_to_string(repository.file("src/lib.rs")).unwrap();
    let slower = library.replace(
        "value ^ (value >> 7)",
        "std::hint::black_box(value) ^ (std::hint::black_box(value) >> 7)",
    );
    assert_ne!(library, slower);
    repository.write("src/lib.rs", &slower);
    let patch = repository.git(&["diff"]) + "\n";
    repository.write("slower.patch", &patch);
    let gate = ["gate", "--uncommitted", "--metric", "instructions", "--format", "json"];
    let told = report(&repository.lito(&gate), 1);
    assert_eq!(told["head"], "the checkout", "{told:#}");
    repository.git(&["checkout", "--", "src/lib.rs"]);
    let patched = repository.lito(&["score", "--patch", "slower.patch", "--format", "json"]);
    let score = report(&patched, 0);
    assert_eq!(score["versions"][0]["decision"], "benchmark", "{score:#}");
    repository
        .lito(&["score", "HEAD~1", "--staged"])
        .fails(2, &["--staged"]);
    assert_eq!(state(), before, "no verdict is kept, and no object is left");
}
