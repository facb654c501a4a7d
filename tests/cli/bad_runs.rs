//! Benchmarks and machines that fail while samples are taken: what can be profiled is, the rest is recorded with its
//! reason, and what was finished stays.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::repository::{COMMAND, TestRepository, answer};

/// The longest that anything here may take before a test gives up, with room for a busy machine.
pub(super) const PATIENCE: Duration = Duration::from_secs(120);

/// A benchmark that is a shell's script and needs no build; the shell has no debug information.
fn script(name: &str, script: &str) -> String {
    format!(
        "[[benchmarks]]\nadapter = \"command\"\nname = \"{name}\"\nrun = [\"sh\", \"-c\", '{script}']\ntime_limit = \"60s\"\n"
    )
}

/// A program that notes each of its runs in a file of its first argument's name below the folder that is its second,
/// and then behaves as that name says.
const PROGRAM: &str = r#"use std::io::Write;

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (name, folder) = (arguments.next().unwrap(), arguments.next().unwrap());
    let folder = std::path::Path::new(&folder);
    let mut runs = std::fs::OpenOptions::new().create(true).append(true).open(folder.join(&name)).unwrap();
    writeln!(runs, "{}", std::process::id()).unwrap();
    match name.as_str() {
        "failing" => {
            eprintln!("it went wrong");
            std::process::exit(7);
        }
        "daemon" => {
            let daemon = std::process::Command::new("setsid").args(["sleep", "1000"]).spawn().unwrap();
            std::fs::write(folder.join("left"), format!("{}\n", daemon.id())).unwrap();
        }
        "slow" => {
            while !folder.join("go").exists() {
                std::thread::sleep(std::time::Duration::from_millis(50));
            }
        }
        _ => {}
    }
}
"#;

/// A repository whose benchmarks are runs of that program under these names.
fn with_program(names: [&str; 2], folder: &Path) -> TestRepository {
    let repository = TestRepository::with_benchmark();
    repository.write("src/main.rs", PROGRAM);
    let settings = names.map(|name| {
        let run = format!("[\"target/release/sum\", \"{name}\", \"{}\"]", folder.display());
        COMMAND
            .replace("\"sum\"", &format!("\"{name}\""))
            .replace("[\"target/release/sum\"]", &run)
    });
    repository.write("lito.toml", &settings.concat());
    repository.commit("the program");
    repository
}

fn with_settings(settings: &str) -> TestRepository {
    let repository = TestRepository::with_library();
    repository.write("lito.toml", settings);
    repository.commit("settings");
    repository
}

#[test]
fn without_any_benchmark_it_says_what_was_looked_for() {
    let repository = TestRepository::with_library();
    for command in [&["sample"][..], &["bench", "list"]] {
        repository
            .lito(command)
            .fails(2, &["looking for benchmarks", "found none", "[[benchmarks]]"]);
    }
    assert_eq!(repository.store(), "");
}

#[test]
fn a_folder_without_a_package_is_no_benchmark_either_and_says_how_programs_are_named() {
    let repository = TestRepository::unborn();
    repository.write("notes.md", "notes\n");
    repository.commit("notes");
    let said = [
        "there is no Cargo.toml at the root",
        "[[benchmarks]] in lito.toml",
        "lito init",
    ];
    repository.lito(&["bench", "list"]).fails(2, &said);
    repository.lito(&["sample"]).fails(2, &said);
}

#[test]
fn a_benchmark_that_fails_is_recorded_and_the_others_are_profiled() {
    let folder = tempfile::tempdir().unwrap();
    let repository = with_program(["failing", "fine"], folder.path());
    repository.lito(&["sample"]).says(
        0,
        &[
            "failing has no profile",
            "exit status: 7",
            "it went wrong",
            "sampled  1 benchmark",
            "1 failed: failing (",
        ],
    );
    let list = repository.lito(&["store", "list"]);
    assert!(list.output().contains("failing: "), "{list:#?}");
    // It is not tried again unless asked for: it may take its time to fail.
    let known = repository.lito(&["sample"]);
    known.says(0, &["was sampled before, 1 failed: failing (", "--retry"]);
    let runs = |benchmark| runs_of(benchmark, folder.path()).len();
    let (failing, fine) = (runs("failing"), runs("fine"));
    let retried = repository.lito(&["sample", "--retry"]);
    retried.says(0, &["failing has no profile"]);
    assert!(runs("failing") > failing, "{retried:#?}");
    assert_eq!(runs("fine"), fine, "{retried:#?}");
}

#[test]
fn where_every_benchmark_fails_there_is_no_sample_now_or_later() {
    let repository = with_settings(&script("failing", "exit 7"));
    for _ in 0..2 {
        repository
            .lito(&["sample"])
            .fails(3, &["no benchmark could be profiled", "--retry"]);
    }
    let page = repository.lito(&["score"]);
    assert!(page.output().contains("sample    none"), "{page:#?}");
}

#[test]
fn a_program_that_is_not_there_is_the_benchmarks_fault() {
    let repository = with_settings(&COMMAND.replace("target/release/sum", "no-such-program"));
    repository.lito(&["sample"]).says(
        3,
        &["sum has no profile", "no-such-program", "there is no such program"],
    );
}

#[test]
fn a_benchmark_that_hangs_is_stopped_with_its_children() {
    let pids = tempfile::NamedTempFile::new().unwrap();
    let path = pids.path().to_str().unwrap();
    let hanging = script("hanging", &format!("sleep 600 & echo $! $$ > {path}; wait"));
    // A busy machine needs a longer limit to get as far as that child.
    let started = [2, 10, 60].into_iter().find_map(|limit| {
        let repository = with_settings(&hanging.replace("60s", &format!("{limit}s")));
        repository.lito(&["sample"]).says(
            3,
            &[
                "hanging has no profile",
                &format!("time limit of {limit} s"),
                "time_limit",
            ],
        );
        let list = repository.lito(&["store", "list"]);
        assert!(list.output().contains(&format!("stopped after {limit} s")), "{list:#?}");
        let started = fs::read_to_string(path).unwrap();
        (started.split_whitespace().count() == 2).then_some(started)
    });
    let started = started.expect("no limit was long enough for the script to start a child");
    for pid in started.split_whitespace() {
        assert!(is_gone(pid), "{pid} is left over");
    }
}

#[test]
fn a_program_without_debug_information_says_what_to_set() {
    let build = "build = [\"sh\", \"-c\", \"mkdir -p $CARGO_TARGET_DIR && rustc -Cstrip=symbols --crate-type=bin --edition=2021 --crate-name=bare \
                 -o $CARGO_TARGET_DIR/bare bare.rs\"]\nrun = [\"target/bare\"]\n";
    let repository = with_settings(&format!(
        "[[benchmarks]]\nadapter = \"command\"\nname = \"bare\"\n{build}"
    ));
    repository.write("bare.rs", "fn main() {}\n");
    repository.commit("bare");
    repository
        .lito(&["sample"])
        .says(3, &["bare has no profile", "no line tables", "debug = 1"]);
}

#[test]
fn without_valgrind_callgrind_builds_nothing_probes_take_its_place_and_scoring_goes_on() {
    let repository = TestRepository::with_benchmark();
    let folder = tempfile::tempdir().unwrap();
    let path = std::env::var_os("PATH").unwrap();
    for program in ["git", "cargo", "rustc", "sh", "cc"] {
        let found = std::env::split_paths(&path).map(|folder| folder.join(program));
        if let Some(found) = found.into_iter().find(|file| file.is_file()) {
            symlink(found, folder.path().join(program)).unwrap();
        }
    }
    let lito = |arguments: &[&str]| {
        let mut command = repository.command(arguments);
        answer(&command.env("PATH", folder.path()).output().unwrap())
    };
    let callgrind = ["sample", "--profiler", "callgrind"];
    lito(&callgrind).fails(3, &["valgrind is missing", "install", "--profiler probes"]);
    assert!(!repository.cache().join("target").exists());
    assert!(lito(&["score"]).output().contains("decision"));
    let doctor = lito(&["doctor"]);
    assert_eq!(doctor.code, 0, "{doctor:#?}");
    assert!(doctor.stdout.contains("warning  valgrind"), "{doctor:#?}");
    lito(&["sample"]).says(0, &["valgrind is missing", "probes", "sampled  1 benchmark"]);
}

#[test]
fn a_version_that_does_not_build_is_recorded_and_the_next_one_is_sampled() {
    let repository = TestRepository::with_benchmark();
    let whole = fs::read_to_string(repository.file("src/lib.rs")).unwrap();
    repository.write("src/lib.rs", &whole.replace("of.iter()", "nowhere.iter()"));
    let broken = repository.commit("broken");
    repository.write("src/lib.rs", &whole);
    repository.commit("mended");
    let sample = repository.lito(&["sample", "--last", "2", "--every", "1"]);
    sample.says(0, &["no profile  does not build", "nowhere", "sampled  1 benchmark"]);
    let list = repository.lito(&["store", "list"]);
    let line = list.output().lines().find(|line| line.starts_with(&broken[..10]));
    assert!(line.unwrap().contains("not built"), "{list:#?}");
    // Known to be broken: recorded once, not built a second time.
    let before = repository.store();
    let again = repository.lito(&["sample", &broken]);
    again.says(3, &["does not build", "--retry"]);
    assert_eq!(repository.store(), before);
    assert_eq!(repository.git(&["worktree", "list"]).lines().count(), 1);
}

/// Whether no such process runs; one that ended and was not yet waited for is gone.
pub(super) fn is_gone(pid: &str) -> bool {
    within(|| match fs::read_to_string(format!("/proc/{pid}/stat")) {
        Err(_) => true,
        Ok(stat) => stat.rsplit(')').next().unwrap().trim_start().starts_with('Z'),
    })
}

/// Whether it comes true in time.
pub(super) fn within(mut it: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if it() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    false
}

/// Starts sampling, and waits until the quick benchmark is stored and the slow one runs.
fn half_done(repository: &TestRepository, folder: &Path) -> Child {
    let child = repository
        .command(&["sample"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    assert!(within(
        || !repository.store().is_empty() && has_run(&folder.join("slow"))
    ));
    child
}

/// Whether a program has noted a run in this file: the file may be there before its first line.
pub(super) fn has_run(note: &Path) -> bool {
    fs::read_to_string(note).is_ok_and(|text| text.ends_with('\n'))
}

pub(super) fn runs_of(benchmark: &str, folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join(benchmark)).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn killed_while_sampling_it_leaves_no_child_and_goes_on_from_there() {
    let folder = tempfile::tempdir().unwrap();
    let repository = with_program(["quick", "slow"], folder.path());
    let mut child = half_done(&repository, folder.path());
    child.kill().unwrap();
    child.wait().unwrap();
    let slow = runs_of("slow", folder.path());
    assert!(is_gone(&slow[0]), "{slow:?} is left over");
    let list = repository.lito(&["store", "list"]);
    assert!(list.output().contains("incomplete"), "{list:#?}");
    // Half a sample is no baseline.
    repository.commit("next");
    let page = repository.lito(&["score"]);
    assert!(page.output().contains("sample    none"), "{page:#?}");
    fs::write(folder.path().join("go"), "").unwrap();
    let quick = runs_of("quick", folder.path());
    let resumed = repository.lito(&["sample", "HEAD~1"]);
    resumed.says(0, &["sampled  2 benchmarks"]);
    assert_eq!(runs_of("quick", folder.path()), quick, "it is not run again");
    repository.lito(&["store", "verify"]).output();
    assert_eq!(repository.git(&["worktree", "list"]).lines().count(), 1);
}

#[test]
fn interrupted_while_sampling_it_stops_at_once_and_keeps_what_is_finished() {
    let folder = tempfile::tempdir().unwrap();
    let repository = with_program(["quick", "slow"], folder.path());
    let child = half_done(&repository, folder.path());
    let pid = child.id().to_string();
    let sent = Command::new("sh").args(["-c", &format!("kill -INT {pid}")]).status();
    assert!(sent.unwrap().success());
    let interrupted = answer(&child.wait_with_output().unwrap());
    interrupted.fails(130, &["interrupted; what was finished is kept"]);
    assert!(is_gone(&runs_of("slow", folder.path())[0]));
    let list = repository.lito(&["store", "list"]);
    let line = list.output().lines().nth(1).unwrap();
    assert!(line.contains("incomplete") && !line.contains("slow"), "{list:#?}");
    assert_eq!(repository.git(&["worktree", "list"]).lines().count(), 1);
}

#[test]
fn a_second_interrupt_leaves_nothing_of_a_build_that_ignores_the_first() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("grandchild");
    // A child of the build that outlives its parent unless its whole group is killed.
    let build = format!(
        "trap \"\" TERM INT; sh -c \"trap '' TERM INT; echo \\$\\$ > {0}.new; mv {0}.new {0}; while :; do sleep 1; done\" & wait; \
         while :; do sleep 1; done",
        note.display()
    );
    let repository = with_settings(&format!(
        "[[benchmarks]]\nadapter = \"command\"\nname = \"slow\"\nbuild = [\"sh\", \"-c\", {build:?}]\nrun = [\"true\"]\n"
    ));
    let child = repository
        .command(&["sample"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    assert!(within(|| note.exists()), "the build has begun");
    let pid = child.id().to_string();
    // Both within the grace that the build has to end by itself.
    let sent = Command::new("sh")
        .args(["-c", &format!("kill -INT {pid}; sleep 0.2; kill -INT {pid}")])
        .status();
    assert!(sent.unwrap().success());
    let interrupted = child.wait_with_output().unwrap();
    assert_eq!(interrupted.status.code(), Some(130), "{interrupted:?}");
    assert!(is_gone(fs::read_to_string(&note).unwrap().trim()));
}

#[cfg(target_os = "linux")]
#[test]
fn killed_while_building_it_leaves_nothing_that_the_build_started() {
    let folder = tempfile::tempdir().unwrap();
    let note = folder.path().join("daemon");
    // In a session of its own, and its parent is gone.
    let build = format!(
        "setsid sh -c \"sh -c 'echo \\$\\$ > {0}.new; mv {0}.new {0}; exec sleep 1000' & exit 0\" & wait; sleep 1000",
        note.display()
    );
    let repository = with_settings(&format!(
        "[[benchmarks]]\nadapter = \"command\"\nname = \"slow\"\nbuild = [\"sh\", \"-c\", {build:?}]\nrun = [\"true\"]\n"
    ));
    let mut child = repository
        .command(&["sample"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    assert!(within(|| note.exists()), "the build has begun");
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(is_gone(fs::read_to_string(&note).unwrap().trim()));
}

#[cfg(target_os = "linux")]
#[test]
fn a_benchmark_that_leaves_a_daemon_behind_is_not_sampled() {
    for profiler in ["callgrind", "probes"] {
        let folder = tempfile::tempdir().unwrap();
        let repository = with_program(["quick", "daemon"], folder.path());
        let sample = repository.lito(&["sample", "--profiler", profiler]);
        sample.says(0, &["it left the process `sleep` running", "sampled  1 benchmark"]);
        assert!(is_gone(fs::read_to_string(folder.path().join("left")).unwrap().trim()));
    }
}

#[test]
fn a_second_lito_waits_for_the_first_and_says_for_which() {
    let folder = tempfile::tempdir().unwrap();
    let repository = with_program(["quick", "slow"], folder.path());
    let first = half_done(&repository, folder.path());
    let second = repository
        .command(&["sample", "HEAD"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let said = said_so_far(second);
    let waiting = format!("another lito (pid {}) is using this repository; waiting", first.id());
    assert!(within(|| said.lock().unwrap().contains(&waiting)), "{:?}", said.lock());
    fs::write(folder.path().join("go"), "").unwrap();
    answer(&first.wait_with_output().unwrap()).says(0, &["sampled  2 benchmarks"]);
    assert!(
        within(|| said.lock().unwrap().contains("was sampled before")),
        "{:?}",
        said.lock()
    );
}

/// The standard error of a process, as far as it was read.
fn said_so_far(mut child: Child) -> Arc<Mutex<String>> {
    let said = Arc::new(Mutex::new(String::new()));
    let kept = Arc::clone(&said);
    std::thread::spawn(move || {
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        for line in lines.map_while(Result::ok) {
            kept.lock().unwrap().push_str(&(line + "\n"));
        }
        child.wait().unwrap();
    });
    said
}
