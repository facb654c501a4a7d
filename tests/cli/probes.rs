//! The profiler that needs no valgrind: programs whose counts are known by hand, sources that do not compile with
//! probes, and what is said of the unit.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::repository::TestRepository;

fn programs() -> Vec<(String, String)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/data/counts");
    let mut found: Vec<(String, String)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, fs::read_to_string(&path).unwrap())
        })
        .collect();
    found.sort();
    found
}

/// A repository with these programs, each a benchmark; the first of them builds all.
fn with_programs(programs: &[(String, String)]) -> TestRepository {
    let repository = TestRepository::unborn();
    repository.write(
        "Cargo.toml",
        "[package]\nname = \"count\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
    );
    let mut settings = String::new();
    for (index, (name, text)) in programs.iter().enumerate() {
        repository.write(&format!("src/bin/{name}.rs"), text);
        let subject = rules(text)
            .find_map(|words| (words[0] == "subject").then(|| words[1].replace("count::", "")))
            .unwrap_or_else(|| "subject".to_owned());
        let build = if index == 0 {
            "build = [\"cargo\", \"build\", \"--release\", \"--offline\"]\n"
        } else {
            ""
        };
        settings.push_str(&format!(
            "[[benchmarks]]\nadapter = \"command\"\nname = \"{name}\"\n{build}run = [\"target/release/{name}\"]\n\
             subject = \"{name}::{subject}\"\n"
        ));
    }
    repository.write("lito.toml", &settings);
    repository.write(".gitignore", "/target\n/Cargo.lock\n");
    repository.commit("the programs");
    repository
}

fn rules(text: &str) -> impl Iterator<Item = Vec<&str>> {
    text.lines()
        .filter_map(|line| line.strip_prefix("//= ").or(line.strip_prefix("//+ ")))
        .map(|rule| rule.split_whitespace().collect())
}

fn profile(repository: &TestRepository, benchmark: &str) -> Value {
    let shown = ["store", "show", "HEAD", "--bench", benchmark, "--format", "json"];
    serde_json::from_str(repository.lito(&shown).output()).unwrap()
}

fn number(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap()
}

/// The functions whose name ends in these segments.
fn named<'p>(profile: &'p Value, wanted: &str) -> Vec<&'p Value> {
    let end = format!("::{wanted}");
    let functions = profile["functions"].as_array().unwrap().iter();
    functions
        .filter(|function| {
            let name = function["name"].as_str().unwrap();
            name == wanted || name.ends_with(&end)
        })
        .collect()
}

fn broken_rules(profile: &Value, name: &str, text: &str) -> Vec<String> {
    let mut broken = Vec::new();
    let total = number(profile, "total");
    for rule in rules(text) {
        let calls = |wanted: &str| -> u64 { named(profile, wanted).iter().map(|f| number(f, "calls")).sum() };
        let wanted = |count: &str| count.trim_start_matches('~').parse::<u64>().unwrap();
        let failed = match rule.as_slice() {
            ["calls", function, count] => (calls(function) != wanted(count)).then(|| calls(function)),
            ["absent", function] => (calls(function) > 0).then(|| calls(function)),
            ["executions", mark, count] => {
                let end = format!("// @{mark}");
                let line = 1 + text.lines().position(|line| line.trim_end().ends_with(&end)).unwrap();
                let lines = profile["lines"].as_array().unwrap().iter();
                let executions = lines
                    .filter(|l| number(l, "line") == line as u64)
                    .filter(|l| l["file"].as_str().unwrap().ends_with(&format!("{name}.rs")))
                    .map(|l| number(l, "executions"))
                    .max()
                    .unwrap_or(0);
                (executions != wanted(count)).then_some(executions)
            }
            ["sums"] => {
                let functions = profile["functions"].as_array().unwrap();
                let sum: u64 = functions.iter().map(|f| number(f, "self")).sum();
                let above = functions.iter().any(|f| number(f, "inclusive") > total);
                (sum != total || above).then_some(sum)
            }
            _ => None,
        };
        if let Some(got) = failed {
            broken.push(format!("{name}: {rule:?}, but {got}"));
        }
    }
    broken
}

#[test]
fn every_hand_counted_program_has_its_counts() {
    let programs = programs();
    assert!(programs.len() > 10);
    let repository = with_programs(&programs);
    repository.lito(&["sample", "--profiler", "probes"]).output();
    let broken: Vec<String> = programs
        .iter()
        .flat_map(|(name, text)| broken_rules(&profile(&repository, name), name, text))
        .collect();
    assert_eq!(broken, [""; 0]);
}

#[test]
fn a_profile_of_probes_says_so_and_is_kept_apart() {
    let repository = TestRepository::with_benchmark();
    repository.lito(&["sample", "--profiler", "probes"]).output();
    let profile = profile(&repository, "sum");
    assert_eq!(profile["unit"], "operations");
    assert_eq!(profile["profiler"], "probes");
    assert_eq!(profile["exact_counts"], true);
    assert_eq!(named(&profile, "sum").iter().map(|f| number(f, "calls")).max(), Some(1));
    let listed = repository.lito(&["store", "list"]);
    let listed = listed.output();
    assert!(listed.contains("probes-1"), "{listed}");

    // Sampled again: nothing is left to do. The user's files are as they were.
    assert_eq!(repository.git(&["status", "--porcelain"]), "");
    let again = repository.lito(&["sample", "--profiler", "probes"]);
    assert!(again.stderr.contains("was sampled before"), "{again:?}");

    repository.write(
        "src/lib.rs",
        "pub fn sum(of: &[u64]) -> u64 {\n    of.iter().map(|x| x * 3).sum()\n}\n",
    );
    repository.commit("more work");
    let score = repository.lito(&["score"]);
    let score = score.output();
    assert!(score.contains("unit: operations, counted by probes"), "{score}");
}

#[cfg(target_arch = "x86_64")]
#[test]
fn a_function_that_does_not_compile_with_probes_goes_without() {
    let repository = TestRepository::with_benchmark();
    repository.write(
        "src/lib.rs",
        "#[unsafe(naked)]\npub extern \"C\" fn bare() {\n    core::arch::naked_asm!(\"ret\")\n}\n\n\
         pub fn sum(of: &[u64]) -> u64 {\n    bare();\n    of.iter().copied().map(twice).sum()\n}\n\n\
         fn twice(x: u64) -> u64 {\n    x * 2\n}\n",
    );
    repository.commit("a naked function");
    repository.lito(&["sample", "--profiler", "probes"]).output();
    let profile = profile(&repository, "sum");
    assert_eq!(
        named(&profile, "twice").iter().map(|f| number(f, "calls")).sum::<u64>(),
        2_000
    );
    let bare = named(&profile, "sum::bare");
    assert_eq!(bare.iter().map(|f| number(f, "calls")).sum::<u64>(), 1);
    assert!(bare.iter().all(|f| f["external"] == false), "{bare:?}");
}

#[test]
fn a_machine_without_valgrind_samples_all_the_same_and_says_by_what() {
    let repository = TestRepository::with_benchmark();
    let tools = tempfile::tempdir().unwrap();
    let path = path_without_valgrind(tools.path());
    let mut command = repository.command(&["sample"]);
    let output = command.env("PATH", path).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(
        said.contains("valgrind is missing") && said.contains("operations"),
        "{said}"
    );
    assert_eq!(profile(&repository, "sum")["unit"], "operations");
}

/// A folder with links to everything in `PATH` but valgrind.
fn path_without_valgrind(folder: &Path) -> PathBuf {
    for place in std::env::split_paths(&std::env::var_os("PATH").unwrap()) {
        for entry in fs::read_dir(place).into_iter().flatten().flatten() {
            let name = entry.file_name();
            if !name.to_string_lossy().contains("valgrind") {
                // The first of a name wins, as in a real path.
                let _ = std::os::unix::fs::symlink(entry.path(), folder.join(name));
            }
        }
    }
    folder.to_owned()
}
