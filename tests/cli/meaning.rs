//! Changes whose cost shows in no changed call, on a sample of a real build: debug information decides where the cost of
//! what macros write is placed, so fixtures by hand cannot tell.

use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use super::repository::{COMMAND, TestRepository};

const LIBRARY: &str = "\
#[macro_use]
mod readers;
mod sizes;

pub struct Reader<'d> {
    data: &'d [u8],
    at: usize,
}

impl Reader<'_> {
    readers!(next_byte);
}

pub struct Held(pub u64);

impl std::ops::Deref for Held {
    type Target = u64;
    fn deref(&self) -> &u64 {
        &self.0
    }
}

pub fn spin(rounds: u64) -> u64 {
    (0..rounds).fold(0, |sum, round| std::hint::black_box(sum ^ round))
}

pub fn work(data: &[u8]) -> u64 {
    let mut reader = Reader { data, at: 0 };
    let mut sum = Held(0);
    while let Some(byte) = reader.next_byte() {
        sum = Held(*sum ^ u64::from(byte));
    }
    *sum ^ spin(sizes::ALL) ^ macros::rounds!()
}
";

const READERS: &str = "\
macro_rules! readers {
    ($name:ident) => {
        pub fn $name(&mut self) -> Option<u8> {
            let byte = self.data.get(self.at).copied()?;
            self.at += 1;
            Some(byte)
        }
    };
}
macro_rules! unused {
    () => {
        fn unused() {}
    };
}
";

const PROGRAM: &str = "\
fn main() {
    let data = vec![7; 2_000];
    let sum = (0..20).fold(0, |sum, _| sum ^ sum::work(std::hint::black_box(&data)));
    std::process::exit(i32::from(sum == 1));
}
";

const MACROS: &str = "\
use proc_macro::TokenStream;
#[proc_macro]
pub fn rounds(_: TokenStream) -> TokenStream {
    text().parse().unwrap()
}
fn text() -> String {
    String::from(\"1u64\")
}
";

fn sampled() -> TestRepository {
    let repository = TestRepository::with_benchmark();
    repository.write(
        "Cargo.toml",
        "[package]\nname = \"sum\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\
         [dependencies]\nmacros = { path = \"macros\" }\n",
    );
    repository.write(
        "macros/Cargo.toml",
        "[package]\nname = \"macros\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[lib]\nproc-macro = true\n",
    );
    repository.write("macros/src/lib.rs", MACROS);
    repository.write("src/lib.rs", LIBRARY);
    repository.write("src/readers.rs", READERS);
    repository.write(
        "src/sizes.rs",
        "pub const ALL: u64 = 10 * ONE;\nconst ONE: u64 = 10;\npub const OTHER: u64 = 1;\n",
    );
    repository.write("src/main.rs", PROGRAM);
    repository.write("lito.toml", COMMAND);
    repository.commit("the library");
    repository.lito(&["sample"]).output();
    repository
}

/// Each change: its name, file, old and new text, and whether the benchmark must run.
const CHANGES: [(&str, &str, &str, &str, bool); 8] = [
    (
        "a loop in a method that a macro writes",
        "src/readers.rs",
        "            self.at += 1;\n",
        "            for _ in 0..50 {\n                std::hint::black_box(&self.at);\n            }\n            self.at += 1;\n",
        true,
    ),
    (
        "a macro that nobody invokes",
        "src/readers.rs",
        "fn unused() {}",
        "fn unused() { loop {} }",
        false,
    ),
    (
        "a constant of a constant",
        "src/sizes.rs",
        "ONE: u64 = 10",
        "ONE: u64 = 1000",
        true,
    ),
    (
        "a constant that nobody names",
        "src/sizes.rs",
        "OTHER: u64 = 1",
        "OTHER: u64 = 1000",
        false,
    ),
    (
        "work in a call that the compiler adds",
        "src/lib.rs",
        "        &self.0\n",
        "        spin(20);\n        &self.0\n",
        true,
    ),
    (
        "what a procedural macro writes",
        "macros/src/lib.rs",
        "\"1u64\"",
        "\"spin(100_000)\"",
        true,
    ),
    (
        "a comment in a procedural macro",
        "macros/src/lib.rs",
        "fn text()",
        "// A text.\nfn text()",
        false,
    ),
    (
        "a drop of a value that hot code makes",
        "src/lib.rs",
        "pub fn spin(",
        "impl Drop for Held {\n    fn drop(&mut self) {\n        std::hint::black_box(spin(self.0));\n    }\n}\n\npub fn spin(",
        true,
    ),
];

#[test]
fn what_changes_the_cost_without_a_changed_call_is_run_and_what_cannot_is_skipped() {
    let repository = sampled();
    let mut wrong = Vec::new();
    for (what, file, from, to, runs) in CHANGES {
        let before = std::fs::read_to_string(repository.file(file)).unwrap();
        assert_eq!(before.matches(from).count(), 1, "{what}: {file} has `{from}` once");
        repository.write(file, &before.replace(from, to));
        repository.commit(what);
        let answer = repository.lito(&["score", "HEAD", "--format", "json"]);
        let answer: Value = serde_json::from_str(answer.output()).unwrap();
        let version = &answer["versions"][0];
        if (version["decision"] == "benchmark") != runs {
            wrong.push(format!("{what}: {}", version["reason"]));
        }
        repository.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    }
    assert_eq!(wrong, Vec::<String>::new());
}

/// `tests/data/meaning/changes.toml`, whose head says what each key means.
#[derive(Deserialize)]
struct ListedChanges {
    change: Vec<ListedChange>,
}

#[derive(Deserialize)]
struct ListedChange {
    what: String,
    file: String,
    from: String,
    to: String,
    runs: Option<String>,
}

fn copy(folder: &Path, below: &str, repository: &TestRepository) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = format!("{below}{}", entry.file_name().to_str().unwrap());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &format!("{name}/"), repository),
            false => repository.write(&name, &std::fs::read_to_string(entry.path()).unwrap()),
        }
    }
}

/// Makes a change, and takes it back in a commit of its own; the first one.
fn commit_and_revert(repository: &TestRepository, change: &ListedChange) -> String {
    let before = std::fs::read_to_string(repository.file(&change.file)).unwrap();
    let places = before.matches(&change.from).count();
    assert_eq!(places, 1, "{}: in {}", change.what, change.file);
    repository.write(&change.file, &before.replace(&change.from, &change.to));
    let commit = repository.commit(&change.what);
    repository.write(&change.file, &before);
    repository.commit("back");
    commit
}

#[test]
fn a_value_is_followed_to_the_code_that_it_decides_about() {
    let data = Path::new("tests/data/meaning");
    let list: ListedChanges = toml::from_str(&std::fs::read_to_string(data.join("changes.toml")).unwrap()).unwrap();
    let repository = TestRepository::unborn();
    copy(&data.join("library"), "", &repository);
    repository.commit("the library");
    repository.lito(&["sample"]).output();
    let base = repository.git(&["rev-parse", "HEAD"]);
    let commits: Vec<String> = (list.change.iter())
        .map(|change| commit_and_revert(&repository, change))
        .collect();
    let range = format!("{}..HEAD", base.trim());
    let answer = repository.lito(&["score", &range, "--format", "json"]);
    let answer: Value = serde_json::from_str(answer.output()).unwrap();
    let versions = answer["versions"].as_array().unwrap();
    let mut wrong = Vec::new();
    for (change, commit) in list.change.iter().zip(&commits) {
        let version = versions
            .iter()
            .find(|version| version["commit"] == commit.as_str())
            .unwrap();
        let benchmarks = version["benchmarks"].as_array().unwrap();
        let is_right = match &change.runs {
            Some(runs) => (benchmarks.iter()).any(|one| one["name"] == runs.as_str() && one["selected"] == true),
            None => version["decision"] == "skip",
        };
        if !is_right {
            wrong.push(format!("{}: {}", change.what, version["reason"]));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}
