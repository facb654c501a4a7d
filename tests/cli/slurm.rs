//! Sampling by tasks of a real Slurm, on a cluster of this machine alone.
//!
//! The versions are those of a small program. `LITO_SLURM_CLONE=CLONE cargo test --test cli slurm::a_cluster` takes the
//! newest of a real library's clone instead, which takes minutes to an hour. Its benchmarks must repeat: one that draws
//! random numbers differs from itself.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use super::book::{follow, recipes};
use super::jobs::{are_alike, copy, copy_of, history, jobs, last_progress, leaves_nothing, wait_for, wait_until};
use super::needs;
use super::repository::{TestRepository, answer};

/// A cluster that ends with the test.
struct Cluster {
    folder: tempfile::TempDir,
}

impl Cluster {
    fn start() -> Self {
        needs::program("sbatch");
        let cluster = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        let started = script("start", cluster.folder.path());
        assert!(started.status.success(), "{}", String::from_utf8_lossy(&started.stderr));
        cluster
    }

    fn configuration(&self) -> PathBuf {
        self.folder.path().join("slurm.conf")
    }

    fn command(&self, name: &str) -> Command {
        let mut command = Command::new(name);
        command.env("SLURM_CONF", self.configuration());
        command
    }

    fn asked(&self, name: &str, arguments: &[&str]) -> String {
        let output = self.command(name).args(arguments).output().unwrap();
        assert!(
            output.status.success(),
            "{name}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    }

    fn lito(&self, repository: &TestRepository, arguments: &[&str]) -> Command {
        let mut command = repository.command(arguments);
        command.env("SLURM_CONF", self.configuration());
        command
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        script("stop", self.folder.path());
    }
}

fn script(what: &str, folder: &Path) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/slurm/cluster.sh");
    Command::new(script)
        .arg(what)
        .arg(folder)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

/// The processes of a job's tasks: number of the task, process.
fn processes(job: &Path) -> Vec<(u32, u32)> {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let of_task = |process: u32| {
        let line = fs::read(format!("/proc/{process}/cmdline")).ok()?;
        let words: Vec<&str> = std::str::from_utf8(&line).ok()?.split('\0').collect();
        let is_of_job = words
            .windows(2)
            .any(|pair| pair[0] == "--job" && Path::new(pair[1]) == job);
        let task = words.windows(2).find(|pair| pair[0] == "--task")?[1].parse().ok()?;
        is_of_job.then_some((task, process))
    };
    let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    processes.filter_map(of_task).collect()
}

#[test]
fn a_cluster_whose_tasks_are_killed_and_requeued_fills_the_store_that_one_process_fills() {
    const VERSIONS: usize = 40;
    let clone = env::var_os("LITO_SLURM_CLONE");
    let limit = Duration::from_secs(if clone.is_some() { 2 * 3600 } else { 300 });
    let cluster = Cluster::start();
    let one = clone.map_or_else(|| history(VERSIONS), |clone| copy_of(Path::new(&clone)));
    let many = copy(&one);
    let range = ["sample", "--last", "40", "--every", "1"];
    let by_one = std::thread::scope(|scope| {
        let by_one = scope.spawn(|| one.lito(&range));
        let arguments = [&range[..], &["--executor", "slurm", "--tasks", "8", "--format", "json"]].concat();
        let many_started = cluster
            .lito(&many, &arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn();
        let many_started = many_started.unwrap();
        let (mut killed, mut requeued) = (Vec::new(), false);
        wait_for(limit, "half of the tasks are killed", || {
            let Some(job) = jobs(&many).pop() else {
                return false;
            };
            for (task, process) in processes(&job) {
                // Every other task, once, and some time after it began.
                if task % 2 == 0 && !killed.contains(&task) {
                    sleep(Duration::from_millis(300));
                    let kill = Command::new("kill")
                        .args(["-9", &process.to_string()])
                        .output()
                        .unwrap();
                    if kill.status.success() {
                        killed.push(task);
                    }
                } else if task == 1 && !requeued {
                    let name = format!("--name=lito-{}", job.file_name().unwrap().to_str().unwrap());
                    let ids = cluster.asked("squeue", &["--noheader", "--array", &name, "--format=%i %K %T"]);
                    let running = ids.lines().find_map(|line| line.strip_suffix(" 1 RUNNING"));
                    if let Some(id) = running {
                        cluster.asked("scontrol", &["requeue", id.trim()]);
                        requeued = true;
                    }
                }
            }
            killed.len() == 4 && requeued
        });
        let answer = answer(&many_started.wait_with_output().unwrap());
        assert_eq!(answer.code, 0, "{answer:#?}");
        assert_eq!(last_progress(&answer)["done"], VERSIONS, "{answer:#?}");
        by_one.join().unwrap()
    });
    assert_eq!(by_one.code, 0, "{by_one:#?}");
    are_alike(&one, &many);
    assert_eq!(many.stored("samples").len(), VERSIONS);
    leaves_nothing(&many);
}

#[test]
fn an_interrupted_job_is_detached_then_and_finished_by_a_job_that_depends_on_its_tasks() {
    let cluster = Cluster::start();
    let one = history(4);
    let many = copy(&one);
    let range = ["sample", "--last", "4", "--every", "1"];
    one.lito(&range).output();
    let watched = [&range[..], &["--executor", "slurm", "--tasks", "2"]].concat();
    let mut watcher = cluster.lito(&many, &watched).stderr(Stdio::null()).spawn().unwrap();
    wait_until("a task runs", || {
        cluster
            .asked("squeue", &["--noheader", "--states=RUNNING"])
            .contains("lito-")
    });
    let interrupted = Command::new("kill")
        .args(["-INT", &watcher.id().to_string()])
        .status()
        .unwrap();
    assert!(interrupted.success());
    assert_eq!(watcher.wait().unwrap().code(), Some(130));
    assert_eq!(cluster.asked("squeue", &["--noheader"]), "", "the tasks were cancelled");
    let arguments = [&watched[..], &["--detach"]].concat();
    let detached = answer(&cluster.lito(&many, &arguments).output().unwrap());
    assert!(detached.stderr.contains("2 tasks of lito-"), "{detached:#?}");
    let dependency = cluster.asked("squeue", &["--noheader", "--format=%j %E"]);
    assert!(dependency.contains("-afterwards afterany:"), "{dependency}");
    wait_until("the job is finished", || {
        jobs(&many).is_empty() && !many.store().is_empty()
    });
    wait_until("nothing runs", || cluster.asked("squeue", &["--noheader"]).is_empty());
    are_alike(&one, &many);
    leaves_nothing(&many);
}

#[test]
fn the_books_recipe_for_a_cluster_runs_as_it_is_written() {
    let cluster = Cluster::start();
    let repository = history(6);
    let disk = tempfile::tempdir().unwrap();
    let recipe = &recipes("how-to/sample.md", "On a Slurm cluster")[0];
    let configuration = cluster.configuration();
    let variables = [
        ("SLURM_CONF", configuration.to_str().unwrap()),
        ("TMPDIR", disk.path().to_str().unwrap()),
    ];
    follow(recipe, repository.path(), &variables).says(0, &["sampled  1 benchmark"]);
    assert_eq!(repository.stored("samples").len(), 6);
    assert!(disk.path().join("lito").is_dir(), "tasks build where the recipe says");
    leaves_nothing(&repository);
}
