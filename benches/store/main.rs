//! A large store, and many jobs that push to it at once: whether anything is lost, and what pushing, fetching, verifying and
//! collecting take.
//!
//!     cargo bench --bench store -- [VERSIONS] [BENCHMARKS] [JOBS] [ROUNDS]
//!
//! The store has one sample for each of VERSIONS (2,000) versions, each of BENCHMARKS (200) benchmarks, all of whose profiles
//! differ; they are small, as of programs of 20 functions. In each of ROUNDS (3) rounds, JOBS (10) clones add one sample each
//! and run `lito store push` to one bare repository at the same moment. At the end that repository must hold all of them.
//!
//! `LITO_BUCKET` names an empty place in a bucket, as in `s3://bucket/bench`, on a storage of this machine that the AWS_ variables
//! name. Then the same store goes there and comes back, all of it and the part that one prediction needs, and nothing else is
//! measured.
//!
//! `LITO_PROGRAM` names the program; without it, it is the one of this build. Everything is in `target/bench-store`, which is
//! made anew, and of which nothing leaves this machine.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]
// a study runs programs and measures their time
#![allow(clippy::disallowed_methods, clippy::disallowed_types)]

use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Barrier;

use profile::{CostUnit, Profile, ProfileFunction, format::binary};
use runner::git::{CommitId, Repository};
use runner::store::{DEFAULT_URL, Environment, ObjectKey, SampleOutcome, SampleRecord, SampleState, Store};

/// The ref that holds the store.
const STORE: &str = "refs/lito/store";

/// Functions of each profile.
const FUNCTIONS: usize = 20;

/// Samples of each commit of the store as it is made here: with one, git would write two hundred folders for each sample, and
/// take most of the time.
const VERSIONS_OF_A_COMMIT: usize = 100;

/// Time of the first version; each is a minute after the one before.
const FIRST: i64 = 1_500_000_000;

/// The cost of a run.
struct Taken {
    is_success: bool,
    said: String,
    seconds: f64,
    /// Of lito, or of a git that it starts, whichever has more.
    kilobytes: u64,
}

fn main() {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| a != "--bench").collect();
    let number = |at: usize, default: usize| arguments.get(at).map_or(default, |text| text.parse().unwrap());
    let (versions, benchmarks, jobs, rounds) = (number(0, 2000), number(1, 200), number(2, 10), number(3, 3));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/bench-store");
    if folder.exists() {
        std::fs::remove_dir_all(&folder).unwrap();
    }
    let hub = folder.join("hub");
    std::fs::create_dir_all(&hub).unwrap();
    let commits = plant(&hub, versions, jobs * rounds, benchmarks);
    println!("{versions} samples of {benchmarks} benchmarks: {}", size(&hub));
    tell("store fetch into an empty clone", &fetched(&folder, &hub));
    if let Ok(bucket) = std::env::var("LITO_BUCKET") {
        carried_by_bucket(&folder, &hub, &bucket);
        return;
    }
    let clones: Vec<PathBuf> = (0..jobs).map(|job| folder.join(format!("job-{job}"))).collect();
    for clone in &clones {
        let status = Command::new("cp")
            .arg("-al")
            .args([&folder.join("clone"), clone])
            .status();
        assert!(status.unwrap().success());
    }
    let mut failed = 0;
    for round in 0..rounds {
        let added = &commits[versions + round * jobs..][..jobs];
        for (clone, (number, commit)) in clones.iter().zip((0_u64..).zip(added)) {
            let number = number + 1_000_000 * (round as u64 + 1);
            let (sample, profiles) = sample(commit, number, benchmarks);
            let store = Store::open(&Repository::open(clone).unwrap(), DEFAULT_URL).unwrap();
            store.record(&sample, &profiles).unwrap();
        }
        let pushed = pushed_at_once(&clones);
        failed += pushed.iter().filter(|push| !push.is_success).count();
        tell(&format!("{jobs} pushes at once, the slowest"), slowest(&pushed));
        for push in pushed.iter().filter(|push| !push.is_success) {
            println!("  failed: {}", push.said.trim());
        }
    }
    let expected = versions + jobs * rounds;
    let there = git(&hub, &["ls-tree", "-r", "--name-only", STORE, "samples/"])
        .lines()
        .count();
    println!("{there} of {expected} samples are in the remote, {failed} pushes failed");
    println!("after the pushes: {}", size(&hub));
    tell("store push with nothing new", &lito(&clones[0], &["store", "push"]));
    tell("store verify", &lito(&hub, &["store", "verify"]));
    // The newer half of the versions is gone, as after a force-push.
    git(&hub, &["update-ref", "refs/heads/main", &commits[expected / 2]]);
    git(&hub, &["gc", "--quiet", "--prune=now"]);
    tell("store gc of half the samples", &lito(&hub, &["store", "gc"]));
    git(&hub, &["gc", "--quiet", "--prune=now"]);
    println!("after it and git gc: {}", size(&hub));
    assert!(there == expected, "samples are lost");
}

/// A repository with as many versions, and `more`, and a store with the samples of the first. Gives the versions, oldest first.
fn plant(hub: &Path, versions: usize, more: usize, benchmarks: usize) -> Vec<String> {
    git(hub, &["init", "--quiet", "--bare", "--initial-branch=main"]);
    imported(hub, |stream| {
        for number in 0..versions + more {
            let time = FIRST + 60 * i64::try_from(number).unwrap();
            let text = format!("pub fn version() -> usize {{ {number} }}\n");
            write!(
                stream,
                "commit refs/heads/main\ncommitter bench <bench@localhost> {time} +0000\ndata 2\n.\n"
            )
            .unwrap();
            write!(stream, "M 100644 inline src/lib.rs\ndata {}\n{text}\n", text.len()).unwrap();
        }
    });
    let commits: Vec<String> = (git(hub, &["rev-list", "--reverse", "main"]).lines())
        .map(str::to_owned)
        .collect();
    imported(hub, |stream| {
        let format = format!("lito.store/1\ninstall lito {} or newer\n", env!("CARGO_PKG_VERSION"));
        for (number, commit) in commits[..versions].iter().enumerate() {
            let (sample, profiles) = sample(commit, number as u64, benchmarks);
            if number % VERSIONS_OF_A_COMMIT == 0 {
                let time = sample.committed_at;
                write!(
                    stream,
                    "commit {STORE}\ncommitter lito <lito@localhost> {time} +0000\ndata 2\n.\n"
                )
                .unwrap();
            }
            if number == 0 {
                write!(stream, "M 100644 inline format\ndata {}\n{format}\n", format.len()).unwrap();
            }
            let record = serde_json::to_vec_pretty(&sample).unwrap();
            let path = format!("samples/{commit}/{}.json", sample.environment.id());
            let objects = profiles.into_iter().map(|profile| {
                let key = ObjectKey::of(&profile).to_string();
                (format!("objects/{}/{}", &key[..2], &key[2..]), profile)
            });
            for (path, content) in objects.chain([(path, record)]) {
                write!(stream, "M 100644 inline {path}\ndata {}\n", content.len()).unwrap();
                stream.write_all(&content).unwrap();
                writeln!(stream).unwrap();
            }
        }
    });
    commits
}

/// A sample with profiles that no other number has.
fn sample(commit: &str, number: u64, benchmarks: usize) -> (SampleRecord, Vec<Vec<u8>>) {
    let commit: CommitId = commit.parse().unwrap();
    let environment = Environment([(String::from("profiler"), String::from("callgrind"))].into());
    let minutes = i64::try_from(number).unwrap();
    let mut sample = SampleRecord::new(commit, FIRST + 60 * minutes, environment);
    sample.state = SampleState::Complete;
    let mut profiles = Vec::new();
    for benchmark in 0..benchmarks {
        let name = format!("crate::benches/group_{}/case_{benchmark}", benchmark / 10);
        let total = 1_000_000 + number * 1000 + benchmark as u64;
        let profile = binary::encode(&Profile {
            benchmark: name.clone(),
            unit: CostUnit::Instructions,
            profiler: String::from("callgrind"),
            exact_counts: true,
            total,
            files: Vec::new(),
            functions: (0..FUNCTIONS).map(|function| executed(function, total)).collect(),
            sites: Vec::new(),
            lines: Vec::new(),
        });
        let outcome = SampleOutcome::Profiled {
            profile: ObjectKey::of(&profile),
            total,
            inputs: None,
            heap: None,
            program: None,
        };
        sample.benchmarks.insert(name, outcome);
        profiles.push(profile);
    }
    (sample, profiles)
}

fn executed(function: usize, total: u64) -> ProfileFunction {
    ProfileFunction {
        name: format!("crate::module_{}::function_{function}", function % 4),
        file: None,
        line: 0,
        external: false,
        calls: total / (function as u64 + 7),
        inlined_calls: 0,
        inclusive: total / (function as u64 + 1),
        self_cost: total / (function as u64 + 30),
        estimated: false,
    }
}

/// Gives `git fast-import` a stream.
fn imported(repository: &Path, write: impl FnOnce(&mut BufWriter<std::process::ChildStdin>)) {
    let mut child = Command::new("git")
        .args(["fast-import", "--quiet", "--force"])
        .current_dir(repository)
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stream = BufWriter::new(child.stdin.take().unwrap());
    write(&mut stream);
    drop(stream);
    assert!(child.wait().unwrap().success());
}

/// A clone with the store, which `lito store fetch` got.
fn fetched(folder: &Path, hub: &Path) -> Taken {
    let clone = folder.join("clone");
    // By the protocol, as over a network: nothing is shared.
    let url = format!("file://{}", hub.display());
    git(folder, &["clone", "--quiet", "--bare", &url, "clone"]);
    lito(&clone, &["store", "fetch"])
}

/// Sends the store to a bucket and gets it back.
fn carried_by_bucket(folder: &Path, hub: &Path, bucket: &str) {
    tell("store push to the bucket", &lito(hub, &["store", "push", bucket]));
    tell("store push with nothing new", &lito(hub, &["store", "push", bucket]));
    let url = format!("file://{}", hub.display());
    for (name, part) in [("whole", &[][..]), ("part", &["--nearest", "3"])] {
        git(folder, &["clone", "--quiet", "--bare", &url, name]);
        let clone = folder.join(name);
        let arguments = [&["store", "fetch", bucket], part].concat();
        tell(
            &format!("{} into an empty clone", arguments.join(" ")),
            &lito(&clone, &arguments),
        );
        println!("  {}", size(&clone));
    }
    let whole = |clone: &str| git(&folder.join(clone), &["rev-parse", &format!("{STORE}^{{tree}}")]);
    assert_eq!(whole("whole"), whole("hub"), "the store that came back is another");
}

/// Each clone pushes its store, all at one moment.
fn pushed_at_once(clones: &[PathBuf]) -> Vec<Taken> {
    let barrier = Barrier::new(clones.len());
    std::thread::scope(|scope| {
        let jobs: Vec<_> = (clones.iter())
            .map(|clone| {
                let barrier = &barrier;
                scope.spawn(move || {
                    barrier.wait();
                    lito(clone, &["store", "push"])
                })
            })
            .collect();
        jobs.into_iter().map(|job| job.join().unwrap()).collect()
    })
}

fn slowest(pushes: &[Taken]) -> &Taken {
    let order = |one: &&Taken, other: &&Taken| one.seconds.total_cmp(&other.seconds);
    pushes.iter().max_by(order).unwrap()
}

/// Runs lito in a repository.
fn lito(repository: &Path, arguments: &[&str]) -> Taken {
    let program = std::env::var("LITO_PROGRAM").unwrap_or_else(|_| env!("CARGO_BIN_EXE_lito").to_owned());
    let output = Command::new("/usr/bin/time")
        .args(["-f", "%e %M", &program])
        .args(arguments)
        .current_dir(repository)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let figures = said.lines().last().unwrap_or_default().to_owned();
    let (seconds, kilobytes) = figures.split_once(' ').unwrap();
    Taken {
        is_success: output.status.success(),
        seconds: seconds.parse().unwrap(),
        kilobytes: kilobytes.parse().unwrap(),
        said: said.trim_end().strip_suffix(&figures).unwrap_or_default().to_owned(),
    }
}

fn tell(name: &str, taken: &Taken) {
    let end = if taken.is_success { "" } else { ", FAILED" };
    println!(
        "{name}: {:.1} s, {} MB at most{end}",
        taken.seconds,
        taken.kilobytes / 1000
    );
    if let Some(line) = taken.said.trim().lines().last() {
        println!("  {line}");
    }
}

/// The bytes on disk of what the store's ref leads to, and its commits.
fn size(hub: &Path) -> String {
    let bytes: u64 = git(hub, &["rev-list", "--objects", "--disk-usage", STORE])
        .trim()
        .parse()
        .unwrap();
    let commits = git(hub, &["rev-list", "--count", STORE]);
    format!(
        "{} MB on disk behind {STORE}, {} commits",
        bytes / 1_000_000,
        commits.trim()
    )
}

fn git(folder: &Path, arguments: &[&str]) -> String {
    let output = Command::new("git")
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).unwrap()
}
