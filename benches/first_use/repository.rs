//! One repository → what came of it: every command that a user would type, timed.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Instant;

use serde_json::Value;

use crate::{FirstUse, ListedRepository, plant};

/// The longest that a command may take, as `timeout` takes it.
const LIMIT: &str = "1200";

/// Functions that the loop is tried in.
const MOST_TRIED: usize = 6;

/// Share of a benchmark's cost from which a function is hot enough to plant into.
const HOT: f64 = 0.01;

/// A clone with a cache of its own, both removed at the end.
struct Clone<'a> {
    folder: tempfile::TempDir,
    lito: &'a str,
}

pub(crate) fn first_use(listed: &ListedRepository, clones: &str, lito: &str) -> FirstUse {
    let clone = Clone {
        folder: tempfile::tempdir().unwrap(),
        lito,
    };
    let address = clones
        .replace("{name}", &listed.name)
        .replace("{flat}", &listed.name.replace('/', "+"));
    let mut one = FirstUse {
        name: listed.name.clone(),
        commit: listed.commit.clone(),
        benchmarks: 0,
        tests_stand_in: false,
        targets: Vec::new(),
        missing: Vec::new(),
        notes: Vec::new(),
        clone: 0.0,
        list: 0.0,
        sample: 0.0,
        gate: 0.0,
        control_gate: 0.0,
        planted: None,
        verdict: "none".to_owned(),
        control: "none".to_owned(),
    };
    let (seconds, cloned) = timed(|| clone.fetch(&address, &listed.commit));
    one.clone = seconds;
    if let Err(why) = cloned {
        one.verdict = why;
        return one;
    }
    one.targets = clone.bench_targets();
    let (seconds, list) = timed(|| clone.lito(&["bench", "list", "--format", "json"]));
    one.list = seconds;
    one.note(&list);
    let listing: Value = serde_json::from_slice(&list.stdout).unwrap_or_default();
    let benchmarks = listing.as_array().cloned().unwrap_or_default();
    one.benchmarks = benchmarks.len();
    let told = String::from_utf8_lossy(&list.stderr).into_owned();
    one.tests_stand_in = told.contains("unit tests stand in");
    let programs: BTreeSet<String> = (benchmarks.iter())
        .filter_map(|benchmark| program_name(benchmark["command"][0].as_str()?))
        .collect();
    one.missing = (one.targets.iter())
        .filter(|target| !programs.contains(&target.replace('-', "_")) && !told.contains(&format!("`{target}`")))
        .cloned()
        .collect();
    let (seconds, sample) = timed(|| clone.lito(&["sample", "HEAD"]));
    one.sample = seconds;
    one.note(&sample);
    clone.judge(&mut one);
    one
}

impl Clone<'_> {
    fn tree(&self) -> std::path::PathBuf {
        self.folder.path().join("repository")
    }

    fn fetch(&self, address: &str, commit: &str) -> Result<(), String> {
        let tree = self.tree();
        let tree = tree.to_str().unwrap();
        let cloned = run(self.folder.path(), "git", &["clone", "--quiet", address, tree]);
        let checked_out = run(Path::new(tree), "git", &["checkout", "--quiet", commit]);
        match cloned.status.success() && checked_out.status.success() {
            true => Ok(()),
            false => Err(first_line(&cloned.stderr)),
        }
    }

    fn lito(&self, arguments: &[&str]) -> Output {
        Command::new("timeout")
            .args([LIMIT, self.lito])
            .args(arguments)
            .current_dir(self.tree())
            .env("XDG_CACHE_HOME", self.folder.path().join("cache"))
            .output()
            .unwrap()
    }

    /// The names of the bench targets of every package in the repository, by cargo itself.
    fn bench_targets(&self) -> Vec<String> {
        let listed = run(&self.tree(), "git", &["ls-files", "Cargo.toml", "*/Cargo.toml"]);
        let mut targets = BTreeSet::new();
        for manifest in String::from_utf8_lossy(&listed.stdout).lines() {
            let arguments = [
                "metadata",
                "--no-deps",
                "--format-version",
                "1",
                "--manifest-path",
                manifest,
            ];
            let metadata: Value =
                serde_json::from_slice(&run(&self.tree(), "cargo", &arguments).stdout).unwrap_or_default();
            let packages = metadata["packages"].as_array().cloned().unwrap_or_default();
            let of_packages = packages
                .iter()
                .flat_map(|package| package["targets"].as_array().into_iter().flatten());
            let benches = of_packages.filter(|target| target["kind"] == serde_json::json!(["bench"]));
            targets.extend(benches.filter_map(|target| Some(target["name"].as_str()?.to_owned())));
        }
        targets.into_iter().collect()
    }

    /// Plants the loop and the comment, and has lito judge both.
    fn judge(&self, one: &mut FirstUse) {
        let coverage = self.lito(&["bench", "coverage", "--format", "json"]);
        let coverage: Value = serde_json::from_slice(&coverage.stdout).unwrap_or_default();
        let functions = coverage["functions"].as_array().cloned().unwrap_or_default();
        let hot = functions
            .iter()
            .filter(|function| function["share"].as_f64().is_some_and(|share| share >= HOT));
        let mut tried = 0;
        for function in hot {
            let (Some(name), Some(file), Some(line)) = (
                function["name"].as_str(),
                function["file"].as_str(),
                function["line"].as_u64(),
            ) else {
                continue;
            };
            let path = self.tree().join(file);
            let Ok(source) = std::fs::read_to_string(&path) else {
                continue;
            };
            for work in plant::LOOPS {
                let Some(planted) = plant::with_loop(&source, line as usize, work) else {
                    break;
                };
                let (seconds, verdict) = self.verdict(&path, &source, &planted);
                if verdict == "inconclusive" && tried + 1 < MOST_TRIED {
                    // It does not compile here.
                    tried += 1;
                    continue;
                }
                one.planted = Some(name.to_owned());
                (one.gate, one.verdict) = (seconds, verdict);
                let commented = plant::with_comment(&source, line as usize).unwrap();
                (one.control_gate, one.control) = self.verdict(&path, &source, &commented);
                return;
            }
            if tried >= MOST_TRIED {
                break;
            }
        }
    }

    /// The verdict on another text of a file, as a change that is not committed.
    fn verdict(&self, path: &Path, before: &str, after: &str) -> (f64, String) {
        std::fs::write(path, after).unwrap();
        let (seconds, judged) = timed(|| self.lito(&["gate", "--uncommitted", "--format", "json"]));
        std::fs::write(path, before).unwrap();
        let verdict: Value = serde_json::from_slice(&judged.stdout).unwrap_or_default();
        let verdict = verdict["verdict"]
            .as_str()
            .map_or_else(|| first_line(&judged.stderr), str::to_owned);
        (seconds, verdict)
    }
}

impl FirstUse {
    /// Keeps the first lines of lito's own, and none of the compiler that it quotes: those name folders of the machine.
    fn note(&mut self, output: &Output) {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let own = said.lines().filter(|line| {
            let first = line.split_whitespace().next().unwrap_or_default();
            matches!(first, "warning:" | "error:" | "note:") || self.commit.starts_with(first) && first.len() >= 10
        });
        let notes = own.filter(|line| !line.contains(" /")).take(8);
        self.notes
            .extend(notes.map(|line| line.chars().take(300).collect::<String>()));
    }
}

/// The target's name in `/…/deps/name-0123456789abcdef`.
fn program_name(path: &str) -> Option<String> {
    let (name, _) = path.rsplit('/').next()?.rsplit_once('-')?;
    Some(name.to_owned())
}

fn run(folder: &Path, program: &str, arguments: &[&str]) -> Output {
    Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap()
}

fn first_line(text: &[u8]) -> String {
    String::from_utf8_lossy(text)
        .lines()
        .next()
        .unwrap_or("no output")
        .chars()
        .take(200)
        .collect()
}

fn timed<T>(act: impl FnOnce() -> T) -> (f64, T) {
    let started = Instant::now();
    let result = act();
    (started.elapsed().as_secs_f64(), result)
}
