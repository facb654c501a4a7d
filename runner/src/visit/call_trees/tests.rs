#![allow(clippy::unwrap_used)]

use profile::call_tree::CallTree;

use super::*;
use crate::benchmark::{BenchmarkAdapter, BenchmarkDefinition, BenchmarkDefinitions};
use crate::build::RepositoryCache;
use crate::git::Repository;
use crate::git::tests::GitFixture;
use crate::process::InterruptionFlag;
use crate::profilers::callgrind::CallgrindProfiler;
use crate::visit::sides::SideBuildPlan;

const MANIFEST: &str = "[package]\nname = \"subject\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n\
                        [profile.release]\ndebug = 1\n";

/// Calls `leaf` in two contexts, by a function that is inlined.
const LIBRARY: &str = "
#[inline(never)] pub fn leaf(n: u64) -> u64 { (0..n).fold(0, |t, i| t ^ std::hint::black_box(i)) }
#[inline(always)] fn twice(n: u64) -> u64 { leaf(n) + leaf(n + 1) }
#[inline(never)] pub fn left(n: u64) -> u64 { twice(n) }
#[inline(never)] pub fn right(n: u64) -> u64 { leaf(3 * n) }
";

const TESTS: &str = "
#[test] fn both() { assert!(subject::left(10) + subject::right(10) > 1) }
#[test] fn fails() { panic!(\"no such table\") }
#[test] fn one() { assert!(subject::left(10) > 1) }
";

struct CallTreesFixture {
    repository: Repository,
    cache: RepositoryCache,
    definitions: BenchmarkDefinitions,
    interruption: InterruptionFlag,
}

/// The result, and the events on the way.
type CallTreesRun = (Result<Vec<VersionCallTrees>, CallTreesError>, Vec<String>);

impl CallTreesFixture {
    fn of(fixture: &GitFixture) -> Self {
        Self {
            cache: RepositoryCache::below(&fixture.beside("cache"), &fixture.dir()).unwrap(),
            repository: fixture.open(),
            definitions: [BenchmarkDefinition::new(BenchmarkAdapter::CargoTest)].into(),
            interruption: InterruptionFlag::default(),
        }
    }

    fn take(
        &self,
        commits: &[CommitId],
        failed_before: FailureRetryPolicy,
        filter: BenchmarkFilter<'_>,
    ) -> CallTreesRun {
        crate::needs::program("valgrind");
        let plan = CallTreesPlan {
            context: VisitContext {
                repository: &self.repository,
                definitions: &self.definitions,
                cache: &self.cache,
                interruption: &self.interruption,
            },
            profiler: &CallgrindProfiler::new("valgrind-0".to_owned()),
            workers: 2,
            failed_before,
        };
        let mut events = Vec::new();
        let taken = take(&plan, commits, filter, &mut |event| events.push(told(event)));
        (taken, events)
    }

    /// The trees of what a comparison measured.
    fn take_measured(&self, (base, head): (CommitId, CommitId)) -> CallTreesRun {
        crate::needs::program("valgrind");
        let plan = SideBuildPlan {
            repository: &self.repository,
            base,
            head,
            definitions: &self.definitions,
            cache: &self.cache,
            profiler: &CallgrindProfiler::new("valgrind-0".to_owned()),
            interruption: &self.interruption,
            draft: false,
            fresh: false,
        };
        let mut events = Vec::new();
        let taken = take_measured(&plan, 2, &all, &mut |event| events.push(told(event)));
        (taken, events)
    }
}

fn told(event: &CallTreesEvent<'_>) -> String {
    match event {
        CallTreesEvent::Version { index, total, .. } => format!("version {index} of {total}"),
        CallTreesEvent::Waiting { holder } => format!("waiting for {holder}"),
        CallTreesEvent::Building { .. } => "building".to_owned(),
        CallTreesEvent::Listed { wanted, kept, .. } => format!("listed {wanted}, {kept} kept"),
        CallTreesEvent::Taken {
            done, total, failure, ..
        } => {
            let failed = if failure.is_some() { " failed" } else { "" };
            format!("taken {done} of {total}{failed}")
        }
        CallTreesEvent::VersionDone { .. } => "done".to_owned(),
    }
}

fn all(_: &str) -> bool {
    true
}

fn repository(versions: &[(&str, &str)]) -> (GitFixture, Vec<CommitId>) {
    let fixture = GitFixture::new();
    fixture.write("Cargo.toml", MANIFEST);
    let commits = versions.iter().map(|(library, tests)| {
        fixture.write("src/lib.rs", library);
        fixture.write("tests/whole.rs", tests);
        fixture.commit("version")
    });
    let commits = commits.collect();
    (fixture, commits)
}

/// Calls of the project's functions, by path.
fn calls(tree: &CallTree) -> BTreeMap<String, (u64, bool)> {
    let mut paths: Vec<String> = Vec::new();
    let mut calls = BTreeMap::new();
    for node in &tree.nodes {
        let function = &tree.functions[node.function.0 as usize];
        let above = node.parent.map(|parent| format!("{} ", paths[parent.0 as usize]));
        let path = format!("{}{}", above.unwrap_or_default(), function.name);
        if !function.external {
            let counted = node.calls.unwrap();
            let own = path.split(' ').filter(|name| name.starts_with("subject"));
            let own: Vec<&str> = own.collect();
            calls.insert(own.join(" "), (counted.count, counted.estimated));
        }
        paths.push(path);
    }
    calls
}

#[test]
fn trees_are_taken_once_and_what_fails_is_a_reason() {
    let (fixture, commits) = repository(&[(LIBRARY, TESTS), ("nonsense", TESTS)]);
    let setting = CallTreesFixture::of(&fixture);
    let (taken, events) = setting.take(&commits, FailureRetryPolicy::Skip, &all);
    let taken = taken.unwrap();
    let [good, bad] = &taken[..] else {
        panic!("{taken:?}");
    };
    assert!(bad.unbuilt.as_ref().unwrap().contains("nonsense"), "{bad:?}");
    assert!(good.trees["fails"].as_ref().unwrap_err().contains("101"));
    let both = good.trees["both"].as_ref().unwrap();
    let calls = calls(&both.tree);
    for (path, count) in [
        ("subject::left", 1),
        ("subject::left subject::twice", 1),
        ("subject::left subject::twice subject::leaf", 2),
        ("subject::right subject::leaf", 1),
    ] {
        assert_eq!(calls.get(path), Some(&(count, false)), "{path}: {calls:#?}");
    }
    let own: u64 = both.tree.nodes.iter().map(|node| node.self_cost).sum();
    assert_eq!(own, both.total);
    assert_eq!(events[..3], ["version 0 of 2", "building", "listed 3, 0 kept"]);

    let (again, events) = setting.take(&commits, FailureRetryPolicy::Skip, &all);
    assert_eq!(
        events,
        ["version 0 of 2", "done", "version 1 of 2", "done"],
        "nothing is built twice"
    );
    let again = again.unwrap();
    assert_eq!((again[0].reused, &again[0].trees), (3, &good.trees));
    assert_eq!(again[1].unbuilt, bad.unbuilt);
}

#[test]
fn only_what_is_wanted_is_run_and_only_what_is_missing_is_added() {
    let (fixture, commits) = repository(&[(LIBRARY, TESTS)]);
    let setting = CallTreesFixture::of(&fixture);
    let (taken, _) = setting.take(&commits, FailureRetryPolicy::Skip, &|name| name == "one");
    let taken = taken.unwrap();
    assert_eq!(taken[0].trees.keys().collect::<Vec<_>>(), ["one"]);
    let (taken, events) = setting.take(&commits, FailureRetryPolicy::Skip, &|name| name != "both");
    assert!(events.contains(&"listed 2, 1 kept".to_owned()), "{events:?}");
    assert_eq!(taken.unwrap()[0].trees.keys().collect::<Vec<_>>(), ["fails", "one"]);
    // A failure is tried again on request, a tree is not.
    let (_, events) = setting.take(&commits, FailureRetryPolicy::Retry, &|name| name != "both");
    assert!(events.contains(&"taken 1 of 1 failed".to_owned()), "{events:?}");
    // A damaged file counts as missing.
    let folder = setting.cache.root().join("call-trees-1");
    let damage = |path: std::path::PathBuf| {
        if path.extension().is_some() {
            std::fs::write(path, "x").unwrap();
        }
    };
    files(&folder).into_iter().for_each(damage);
    let (_, events) = setting.take(&commits, FailureRetryPolicy::Skip, &|name| name == "one");
    assert!(events.contains(&"taken 1 of 1".to_owned()), "{events:?}");
}

fn files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths
        .flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] })
        .collect()
}

#[test]
fn the_users_wish_to_stop_is_an_error_of_its_own_and_leaves_no_checkout() {
    let (fixture, commits) = repository(&[(LIBRARY, TESTS)]);
    let setting = CallTreesFixture::of(&fixture);
    setting.interruption.raise();
    let (taken, _) = setting.take(&commits, FailureRetryPolicy::Skip, &all);
    assert!(taken.unwrap_err().is_interruption());
    assert!(!setting.cache.tree().exists());
}

/// The figures of `docs/src/explanation/call-trees.md`, of a repository's HEAD: a row for each benchmark, then the
/// sums.
#[test]
#[ignore = "measures the repository that LITO_FIGURES names, with the harness that LITO_FIGURES_HARNESS names"]
#[allow(clippy::print_stdout)]
fn figures() {
    let folder = PathBuf::from(std::env::var_os("LITO_FIGURES").unwrap());
    let harness = std::env::var_os("LITO_FIGURES_HARNESS").map(PathBuf::from);
    let adapter = if harness.is_some() {
        BenchmarkAdapter::CargoBench
    } else {
        BenchmarkAdapter::CargoTest
    };
    let cache = tempfile::tempdir().unwrap();
    let setting = CallTreesFixture {
        cache: RepositoryCache::below(cache.path(), &folder).unwrap(),
        repository: Repository::open(&folder).unwrap(),
        definitions: [BenchmarkDefinition {
            harness,
            ..BenchmarkDefinition::new(adapter)
        }]
        .into(),
        interruption: InterruptionFlag::default(),
    };
    let head = setting.repository.resolve("HEAD").unwrap();
    let (taken, _) = setting.take(&[head], FailureRetryPolicy::Skip, &all);
    let mut sums = [0; 4];
    for (name, contexts) in &taken.unwrap()[0].trees {
        let contexts = match contexts {
            Ok(contexts) => contexts,
            Err(reason) => {
                println!("{name}: {reason}");
                continue;
            }
        };
        let with_cost = contexts.tree.nodes.iter().filter(|node| node.self_cost > 0);
        let exact = with_cost
            .clone()
            .filter(|node| node.calls.is_some_and(|calls| !calls.estimated));
        let row = [
            contexts.tree.nodes.len() as u64,
            with_cost.count() as u64,
            exact.count() as u64,
            contexts.divided,
        ];
        let percent = |part: u64| 100.0 * part as f64 / contexts.total as f64;
        println!(
            "{name}: {} nodes, {} with cost, {} of these with exact calls; {:.1}% of cost counted, {:.1}% divided",
            row[0],
            row[1],
            row[2],
            percent(contexts.counted),
            percent(contexts.divided)
        );
        for (sum, value) in sums.iter_mut().zip([row[0], row[1], row[2], 1]) {
            *sum += value;
        }
    }
    println!(
        "{} nodes, {} with cost, {} of these exact, in {} benchmarks",
        sums[0], sums[1], sums[2], sums[3]
    );
}

#[test]
fn trees_of_what_was_measured_need_no_build_where_its_programs_are_kept() {
    let slower = LIBRARY.replace("leaf(3 * n)", "leaf(9 * n)");
    let (fixture, commits) = repository(&[(LIBRARY, TESTS), (&slower, TESTS)]);
    let trees = CallTreesFixture::of(&fixture);
    let versions = (commits[0], commits[1]);
    let (built, events) = trees.take_measured(versions);
    assert_eq!(events.iter().filter(|event| *event == "building").count(), 2);
    let (kept, events) = trees.take_measured(versions);
    let version = [
        "listed 3, 0 kept",
        "taken 1 of 3",
        "taken 2 of 3",
        "taken 3 of 3",
        "done",
    ];
    let mut expected = vec!["version 0 of 2"];
    expected.extend(version);
    expected.push("version 1 of 2");
    expected.extend(version);
    let without_failures: Vec<String> = events.iter().map(|event| event.replace(" failed", "")).collect();
    assert_eq!(without_failures, expected);
    let kept = kept.unwrap();
    assert_eq!(built.unwrap(), kept);
    // The costs are those of trees with counted calls, in the same checkout.
    let (counted, _) = trees.take(&commits, FailureRetryPolicy::Skip, &all);
    let totals = |versions: &[VersionCallTrees]| -> Vec<Vec<Option<u64>>> {
        let totals = |version: &VersionCallTrees| {
            let trees = version.trees.values();
            trees.map(|tree| tree.as_ref().ok().map(|tree| tree.total)).collect()
        };
        versions.iter().map(totals).collect()
    };
    assert_eq!(totals(&kept), totals(&counted.unwrap()));
    let both = |version: &VersionCallTrees| version.trees["both"].as_ref().unwrap().total;
    assert!(both(&kept[1]) > both(&kept[0]), "each side is its own version");
}
