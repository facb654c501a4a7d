//! Sampling by many tasks: on this machine, and as a scheduler's, which is played here; `slurm` asks the real one.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::repository::{LitoOutput, TestRepository, answer};

/// A program of C that is built in a moment, at each of `count` versions with another number of rounds. The second one does
/// not build.
pub(super) fn history(count: usize) -> TestRepository {
    let repository = TestRepository::unborn();
    repository.write(
        "lito.toml",
        "[[benchmarks]]\nadapter = \"command\"\nname = \"sum\"\nbuild = [\"sh\", \"build.sh\"]\n\
         run = [\"target/sum\"]\nsubject = \"subject\"\n",
    );
    repository.write(
        "build.sh",
        "mkdir -p $CARGO_TARGET_DIR\ncc -O1 -g -o $CARGO_TARGET_DIR/sum sum.c\n",
    );
    for version in 0..count {
        let fault = if version == 1 { "no C" } else { "" };
        repository.write(
            "sum.c",
            &format!(
                "{fault}\n#include <stdio.h>\n__attribute__((noinline)) static long subject(long rounds) {{\n    \
                 long sum = rounds;\n    for (long i = 0; i < rounds; i++)\n        sum ^= i + sum / 3;\n    \
                 return sum;\n}}\nint main(void) {{ printf(\"%ld\\n\", subject({})); }}\n",
                1000 + 10 * version
            ),
        );
        repository.commit(&format!("version {version}"));
    }
    repository
}

/// The same commits in another repository, with a cache of its own.
pub(super) fn copy(repository: &TestRepository) -> TestRepository {
    copy_of(repository.path())
}

/// The commits of any repository's HEAD, as those of [`copy`].
pub(super) fn copy_of(repository: &Path) -> TestRepository {
    let copy = TestRepository::unborn();
    copy.git(&["pull", "--quiet", &repository.to_string_lossy(), "HEAD"]);
    copy
}

/// Byte for byte the same store. Shows the records that differ.
pub(super) fn are_alike(one: &TestRepository, other: &TestRepository) {
    let tree = |repository: &TestRepository| repository.git(&["rev-parse", "refs/lito/store^{tree}"]);
    if tree(one) == tree(other) {
        return;
    }
    let [left, right] = [one, other].map(|repository| {
        let lines = repository.stored("samples").into_iter();
        let record = |line: String| {
            let (object, path) = line.split_once('\t').unwrap();
            let object = object.split(' ').nth(2).unwrap();
            (path.to_owned(), repository.git(&["cat-file", "-p", object]))
        };
        lines.map(record).collect::<BTreeSet<(String, String)>>()
    });
    panic!(
        "only in one store:\n{:#?}\nonly in the other:\n{:#?}",
        left.difference(&right).next(),
        right.difference(&left).next()
    );
}

/// Nothing is left of a job.
pub(super) fn leaves_nothing(repository: &TestRepository) {
    let parts = repository.git(&["for-each-ref", "--format=%(refname)", "refs/lito/parts"]);
    assert_eq!(parts, "", "parts of the store");
    let jobs = jobs(repository);
    assert!(jobs.is_empty(), "{jobs:?}");
}

/// The folders of jobs.
pub(super) fn jobs(repository: &TestRepository) -> Vec<PathBuf> {
    let entries = fs::read_dir(repository.file(".git/lito/jobs"))
        .into_iter()
        .flatten()
        .flatten();
    entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
}

pub(super) fn last_progress(answer: &LitoOutput) -> Value {
    serde_json::from_str(answer.stdout.lines().last().unwrap_or_default()).unwrap_or_else(|_| panic!("{answer:#?}"))
}

#[test]
fn tasks_fill_the_store_that_one_process_fills() {
    let one = history(6);
    let many = copy(&one);
    let arguments = ["sample", "--last", "6", "--every", "1"];
    one.lito(&arguments).says(0, &["no profile"]);
    let answer = many.lito(
        &[
            &arguments[..],
            &["--executor", "local", "--tasks", "3", "--format", "json"],
        ]
        .concat(),
    );
    assert_eq!(answer.code, 0, "{answer:#?}");
    are_alike(&one, &many);
    leaves_nothing(&many);
    let last = last_progress(&answer);
    assert_eq!((&last["versions"], &last["done"]), (&Value::from(6), &Value::from(6)));
    assert_eq!(last["failed"].as_array().map(Vec::len), Some(1), "{last:#}");
    assert!(answer.stderr.contains("sampled  1 benchmark"), "{answer:#?}");
    assert!(answer.stderr.contains("no profile"), "{answer:#?}");
    // Nothing is due any more, so nothing is started.
    let again = many.lito(&[&arguments[..], &["--executor", "local", "--format", "json"]].concat());
    assert_eq!(again.output(), "");
    assert!(again.stderr.contains("6 versions of 6"), "{again:#?}");
}

#[test]
fn a_track_whose_samples_tasks_take_is_that_of_one_process() {
    let one = history(5);
    let many = copy(&one);
    let arguments = ["track", "--last", "5", "--exhaustive", "--format", "json"];
    let alone = one.lito(&arguments);
    let by_tasks = many.lito(&[&arguments[..], &["--executor", "local", "--tasks", "2"]].concat());
    assert_eq!(alone.output(), by_tasks.output());
    are_alike(&one, &many);
    leaves_nothing(&many);
}

#[test]
fn an_interrupted_job_keeps_what_is_finished_and_goes_on() {
    let one = history(8);
    let many = copy(&one);
    let arguments = ["sample", "--last", "8", "--every", "1"];
    one.lito(&arguments).output();
    let job = [&arguments[..], &["--executor", "local", "--tasks", "2"]].concat();
    let mut started = many
        .command(&job)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let outcomes = |repository: &TestRepository| {
        let folders = jobs(repository).into_iter().map(|job| job.join("outcomes"));
        folders
            .filter_map(|folder| fs::read_dir(folder).ok())
            .map(Iterator::count)
            .sum::<usize>()
    };
    wait_until("two versions are finished", || outcomes(&many) >= 2);
    many.lito(&job).fails(2, &["another lito watches them"]);
    let interrupted = Command::new("kill")
        .args(["-INT", &started.id().to_string()])
        .status()
        .unwrap();
    assert!(interrupted.success());
    assert_eq!(started.wait().unwrap().code(), Some(130));
    assert!(!many.stored("samples").is_empty(), "what is finished is in the store");
    assert_eq!(jobs(&many).len(), 1, "the job stays");
    let answer = many.lito(&job);
    assert_eq!(answer.code, 0, "{answer:#?}");
    are_alike(&one, &many);
    leaves_nothing(&many);
}

pub(super) fn wait_until(what: &str, is_so: impl FnMut() -> bool) {
    wait_for(Duration::from_secs(300), what, is_so);
}

pub(super) fn wait_for(limit: Duration, what: &str, mut is_so: impl FnMut() -> bool) {
    let started = Instant::now();
    while !is_so() {
        assert!(started.elapsed() < limit, "{what}: not within {} s", limit.as_secs());
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A folder of programs that take the place of others.
struct PlayedPrograms {
    folder: tempfile::TempDir,
}

impl PlayedPrograms {
    fn new(scripts: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, script) in scripts {
            let path = folder.path().join(name);
            fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        Self { folder }
    }

    fn lito(&self, repository: &TestRepository, arguments: &[&str]) -> LitoOutput {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(self.folder.path().to_owned()).chain(std::env::split_paths(&path));
        let mut command = repository.command(arguments);
        command.env("PATH", std::env::join_paths(folders).unwrap());
        answer(&command.output().unwrap())
    }
}

const ON_A_CLUSTER: [&str; 9] = [
    "sample",
    "--last",
    "3",
    "--every",
    "1",
    "--executor",
    "slurm",
    "--tasks",
    "2",
];

#[test]
fn machines_that_count_otherwise_refuse_to_share_a_job() {
    let repository = history(3);
    let scheduler = PlayedPrograms::new(&[("sbatch", "echo 7"), ("squeue", ""), ("scancel", "")]);
    let detached = scheduler.lito(&repository, &[&ON_A_CLUSTER[..], &["--detach"]].concat());
    assert_eq!(detached.code, 0, "{detached:#?}");
    let job = jobs(&repository).remove(0);
    let job = job.to_str().unwrap();
    // The scheduler would have run this.
    let script = fs::read_to_string(Path::new(job).join("task.sh")).unwrap();
    assert!(script.contains(&format!("sample --job {job} ")), "{script}");
    repository.lito(&["sample", "--job", job, "--task", "1"]).output();
    // The first task took everything: its last version is free again.
    let last = repository.git(&["rev-parse", "HEAD"]);
    for left in [format!("claims/{last}"), format!("outcomes/{last}.json")] {
        fs::remove_file(Path::new(job).join(left)).unwrap();
    }
    let valgrind = which("valgrind");
    let other = PlayedPrograms::new(&[(
        "valgrind",
        &format!(
            "[ \"$*\" = --version ] && echo valgrind-0.0.1 && exit\nexec {} \"$@\"",
            valgrind.display()
        ),
    )]);
    other.lito(&repository, &["sample", "--job", job, "--task", "2"]).fails(
        3,
        &[
            "counts otherwise than the job's first one",
            "valgrind-0.0.1 here",
            "machines of one kind",
        ],
    );
    let problem = fs::read_to_string(Path::new(job).join("problems/2")).unwrap();
    assert!(problem.contains("counts otherwise"), "{problem}");
    assert!(
        !Path::new(job).join("claims").join(&last).exists(),
        "another task may take it"
    );
    repository.lito(&["sample", "--job", job, "--task", "2"]).output();
}

fn which(program: &str) -> PathBuf {
    super::needs::program(program);
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path)
        .map(|folder| folder.join(program))
        .find(|path| path.is_file());
    found.unwrap()
}

#[test]
fn a_scheduler_that_is_missing_or_refuses_is_said_and_loses_nothing() {
    let repository = history(3);
    let nowhere = PlayedPrograms::new(&[("squeue", ""), ("sbatch", "echo Invalid partition >&2; exit 1")]);
    nowhere
        .lito(&repository, &ON_A_CLUSTER)
        .fails(3, &["submitting tasks", "exited with code 1", "Invalid partition"]);
    let mut command = repository.command(&ON_A_CLUSTER);
    let git = which("git");
    command.env("PATH", git.parent().unwrap());
    if !git.with_file_name("squeue").exists() {
        answer(&command.output().unwrap()).fails(3, &["asking for the tasks", "login node"]);
    }
    assert_eq!(jobs(&repository).len(), 1, "the same command goes on");
}

#[test]
fn tasks_that_are_killed_again_and_again_leave_a_version_and_then_the_job() {
    let repository = history(3);
    // A scheduler whose tasks take a version and are gone.
    let scheduler = PlayedPrograms::new(&[
        ("squeue", ""),
        (
            "sbatch",
            "for script in \"$@\"; do :; done; job=$(dirname \"$script\"); mkdir -p \"$job/claims\"\n\
             for commit in $(git rev-list HEAD); do [ -e \"$job/claims/$commit\" ] || echo 1 >\"$job/claims/$commit\"; \
             done; echo 7",
        ),
    ]);
    let answer = scheduler.lito(&repository, &[&ON_A_CLUSTER[..], &["--format", "json"]].concat());
    answer.says(
        3,
        &[
            "the tasks that sampled it were killed 3 times",
            "every task that tried was killed",
        ],
    );
    assert_eq!(
        last_progress(&answer)["failed"].as_array().map(Vec::len),
        Some(3),
        "{answer:#?}"
    );
    leaves_nothing(&repository);
}

#[test]
fn options_that_do_not_belong_together_are_refused() {
    let repository = TestRepository::with_library();
    repository
        .lito(&["sample", "--executor", "local"])
        .fails(2, &["--last"]);
    let arguments = ["sample", "--last", "3", "--executor", "local", "--detach"];
    repository
        .lito(&arguments)
        .fails(2, &["its tasks end with this command"]);
    repository.lito(&["sample", "--format", "json"]).fails(2, &["--plan"]);
    repository
        .lito(&["sample", "--last", "3", "--executor", "local", "--tasks", "0"])
        .fails(2, &["--tasks"]);
    let job = repository.file("nowhere");
    repository
        .lito(&["sample", "--job", job.to_str().unwrap(), "--task", "1"])
        .fails(3, &["reading the job", "it is missing"]);
}

#[test]
fn the_pods_of_a_planned_kubernetes_job_fill_the_store_of_the_remote() {
    let one = history(4);
    let hub = tempfile::tempdir().unwrap();
    one.git(&["clone", "--quiet", "--bare", ".", &hub.path().to_string_lossy()]);
    let planner = copy(&one);
    planner.git(&["remote", "add", "origin", &hub.path().to_string_lossy()]);
    let range = ["sample", "--last", "4", "--every", "1"];
    let plan = [&range[..], &["--plan", "--shards", "2", "--format", "kubernetes"]].concat();
    planner.lito(&plan).fails(2, &["add --image NAME"]);
    let job = planner.lito(&[&plan[..], &["--image", "lito:1", "--bench", "*"]].concat());
    let job: Value = serde_json::from_str(job.output()).unwrap();
    assert_eq!(job["spec"]["completions"], 2);
    let lito = assert_cmd::cargo::cargo_bin("lito");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(lito.parent().unwrap().to_owned()).chain(std::env::split_paths(&path));
    let path = std::env::join_paths(folders).unwrap();
    for index in ["0", "1"] {
        let pod = tempfile::tempdir().unwrap();
        // As the kubelet runs them: one after the other, in folders that they share.
        for containers in ["initContainers", "containers"] {
            let container = &job["spec"]["template"]["spec"][containers][0];
            let words = |field: &str| {
                let words = container[field].as_array().into_iter().flatten();
                words
                    .map(|word| word.as_str().unwrap().replace("$$(", "$("))
                    .collect::<Vec<_>>()
            };
            let command = words("command");
            let mut run = Command::new(&command[0]);
            run.args(&command[1..]).args(words("args")).current_dir(pod.path());
            for variable in container["env"].as_array().unwrap() {
                if let Some(value) = variable["value"].as_str() {
                    run.env(
                        variable["name"].as_str().unwrap(),
                        value.replace("/work", pod.path().to_str().unwrap()),
                    );
                }
            }
            run.env("JOB_COMPLETION_INDEX", index)
                .env("PATH", &path)
                .env("GIT_CONFIG_GLOBAL", "/dev/null");
            let output = run.output().unwrap();
            assert!(
                output.status.success(),
                "{containers} of {index}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
    }
    one.lito(&range).output();
    planner.lito(&["store", "fetch"]).output();
    are_alike(&one, &planner);
}
