//! lito on popular repositories as on the first day: cloned, not configured. How long from the clone to the first right
//! verdict, and are the benchmarks that it lists those that there are?
//!
//!     cargo bench --bench first_use                          # the table, from the stored results
//!     cargo bench --bench first_use -- --measure             # measures what has no result
//!     cargo bench --bench first_use -- --measure --only slab --again
//!
//! `--clones 'https://github.com/{name}'` is where repositories are cloned from. In it `{name}` is replaced by `owner/name`,
//! `{flat}` by `owner+name`.
//!
//! `--lito PROGRAM` is another lito than the one that is built for this.
//!
//! Each repository goes through what a user would type: `git clone`, `lito bench list`, `lito sample`, and `lito gate` on a
//! change that is not committed. The change is an empty loop in the hottest function that the sample shows: the verdict is
//! right if it is a regression. A comment in the same place is the control: it must pass, or be skipped.
#![allow(
    missing_docs,
    clippy::disallowed_types,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::unwrap_used
)]

mod plant;
mod repository;
mod table;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The list of repositories.
#[derive(Deserialize)]
struct RepositoryList {
    repository: Vec<ListedRepository>,
}

/// One repository of the list.
#[derive(Deserialize)]
struct ListedRepository {
    /// `owner/name`.
    name: String,
    /// The version, all 40 digits.
    commit: String,
}

/// The first use of lito on a repository. Times are wall times in seconds.
#[derive(Debug, Serialize, Deserialize)]
struct FirstUse {
    name: String,
    commit: String,
    /// Benchmarks in the list.
    benchmarks: usize,
    /// True if unit tests stand in for benchmarks.
    tests_stand_in: bool,
    /// Bench targets of the repository.
    targets: Vec<String>,
    /// Those whose benchmarks are neither listed nor left out with a reason.
    missing: Vec<String>,
    /// Notes of the commands, first lines.
    notes: Vec<String>,
    clone: f64,
    list: f64,
    sample: f64,
    gate: f64,
    control_gate: f64,
    /// The function that the loop was planted into.
    planted: Option<String>,
    /// The verdict on the loop; the error where there is none.
    verdict: String,
    /// The verdict on the comment.
    control: String,
}

impl FirstUse {
    /// True if each bench target is listed or told, and tests stand in only where there is none.
    fn is_listed_right(&self) -> bool {
        self.benchmarks > 0 && self.missing.is_empty() && self.tests_stand_in == self.targets.is_empty()
    }

    /// Seconds from the clone to the first right verdict; `None` if it was not right.
    fn first_right_verdict(&self) -> Option<f64> {
        let is_right = matches!(self.verdict.as_str(), "regression" | "mixed");
        is_right.then_some(self.clone + self.list + self.sample + self.gate)
    }

    /// True if a change that costs something was passed over.
    fn is_wrong_skip(&self) -> bool {
        matches!(self.verdict.as_str(), "skipped" | "pass" | "improvement")
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    let value = |option: &str| {
        let at = arguments.iter().position(|argument| argument == option)?;
        arguments.get(at + 1).cloned()
    };
    let has = |option: &str| arguments.iter().any(|argument| argument == option);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/first_use");
    let list = std::fs::read_to_string(folder.join("repositories.toml")).unwrap();
    let list: RepositoryList = toml::from_str(&list).unwrap();
    let results = folder.join("results");
    let file = |name: &str| -> PathBuf { results.join(format!("{}.json", name.replace('/', "+"))) };
    if has("--measure") {
        let clones = value("--clones").unwrap_or_else(|| "https://github.com/{name}".to_owned());
        let lito = value("--lito").unwrap_or_else(|| env!("CARGO_BIN_EXE_lito").to_owned());
        let only = value("--only").unwrap_or_default();
        for listed in list.repository.iter().filter(|listed| listed.name.contains(&only)) {
            if file(&listed.name).exists() && !has("--again") {
                continue;
            }
            eprintln!("{}", listed.name);
            let measured = repository::first_use(listed, &clones, &lito);
            eprintln!("  {measured:?}");
            std::fs::write(
                file(&listed.name),
                serde_json::to_string_pretty(&measured).unwrap() + "\n",
            )
            .unwrap();
        }
    }
    let stored = list.repository.iter().filter_map(|listed| {
        let text = std::fs::read_to_string(file(&listed.name)).ok()?;
        Some(serde_json::from_str::<FirstUse>(&text).unwrap())
    });
    print!(
        "{}",
        table::markdown(&stored.collect::<Vec<_>>(), list.repository.len())
    );
}
