//! A command that writes → what it leaves where it is killed, or finds a full disk, at one of its calls that change files.
//!
//! strace kills the process on its way into the call, so that the state between each two calls is seen. Only calls of
//! lito's own main thread count: what the programs that it starts leave is in folders of lito.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use tempfile::TempDir;

use crate::played_github::PlayedGithub;
use crate::repository::{COMMAND, git_in, program};

/// The library of the second version: it is at risk in each judgement, so that each one measures.
const SLOWER: &str = "pub fn sum(of: &[u64]) -> u64 {\n    let mut total = 0;\n    for n in of {\n        \
                      for times in 0..*n % 7 {\n            total += std::hint::black_box(n * times);\n        }\n    }\n    \
                      total\n}\n";

/// System calls that change files or the order in which changes reach the disk.
const CALLS: &str = "rename,renameat,renameat2,link,linkat,unlink,unlinkat,rmdir,mkdir,mkdirat,fsync,fdatasync,write,\
                     pwrite64,writev,openat,open,creat,ftruncate,symlink,chmod,fchmod,utimensat,copy_file_range";

/// A folder with everything that a command reads and writes: `repository`, `other`, `cache`, `tmp`, and `hub` where there
/// is one to push to. It is copied back to the same path before each run, since caches are kept by path.
pub(super) struct Bench {
    root: TempDir,
    /// Where verdicts are posted.
    pub(super) github: Option<PlayedGithub>,
}

/// A fault at a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    Kill,
    /// The call fails; later ones do not.
    FullDisk,
}

/// A command and the files that it leaves.
pub(super) struct WritingCommand<'a> {
    pub(super) arguments: &'a [&'a str],
    /// Only calls on paths that contain this are taken: a run of a profiler is slow.
    pub(super) within: &'a str,
    /// Files that hold, after the kill, what they held before or what they hold after an undisturbed run.
    pub(super) outputs: &'a [&'a str],
    /// It is there to remove entries of the store.
    pub(super) removes: bool,
    /// Calls that are taken by default.
    pub(super) points: usize,
}

/// The state of everything after a run.
#[derive(Debug, PartialEq, Eq)]
struct LeftBehind {
    /// Paths of all files that are no objects, builds or measurements.
    paths: BTreeSet<String>,
    /// The entries of the store and of the one it is pushed to; their content is decided by time where a command measures.
    entries: BTreeSet<String>,
    /// Check runs and comments that are posted.
    posted: Option<[usize; 2]>,
}

impl Bench {
    /// A repository of two versions, the first one recorded in the store of `other`, which is exported as `store.bundle`.
    pub(super) fn new() -> Self {
        let bench = Self {
            root: tempfile::tempdir().unwrap(),
            github: None,
        };
        for folder in ["repository", "other", "cache", "tmp", "out"] {
            fs::create_dir_all(bench.path(folder)).unwrap();
        }
        let repository = bench.path("repository");
        git_in(&repository, &["init", "--quiet", "--initial-branch=main"]);
        let write = |path: &str, text: &str| {
            let path = repository.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write(
            "Cargo.toml",
            "[package]\nname = \"sum\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        );
        write(
            "src/lib.rs",
            "pub fn sum(of: &[u64]) -> u64 {\n    of.iter().sum()\n}\n",
        );
        write(
            "src/main.rs",
            "fn main() {\n    let of: Vec<u64> = (0..2_000).collect();\n    for _ in 0..100 {\n        \
             std::hint::black_box(sum::sum(std::hint::black_box(&of)));\n    }\n}\n",
        );
        write(".gitignore", "/target\n/Cargo.lock\n");
        write("lito.toml", COMMAND);
        for message in ["first", "second"] {
            git_in(&repository, &["add", "--all"]);
            git_in(&repository, &["commit", "--quiet", "--message", message]);
            write("src/lib.rs", SLOWER);
        }
        let url = repository.display().to_string();
        git_in(bench.root.path(), &["clone", "--quiet", &url, "work/other"]);
        bench
    }

    pub(super) fn path(&self, path: &str) -> PathBuf {
        self.root.path().join("work").join(path)
    }

    pub(super) fn commits(&self) -> [String; 2] {
        ["HEAD~1", "HEAD"].map(|version| git_in(&self.path("repository"), &["rev-parse", version]))
    }

    /// Keeps the present state as the one that each run starts from.
    fn keep(&self) {
        copy(&self.root.path().join("work"), &self.root.path().join("kept"));
    }

    fn restore(&self) {
        copy(&self.root.path().join("kept"), &self.root.path().join("work"));
        if let Some(github) = &self.github {
            github.clear();
        }
    }

    fn command(&self, name: &Path) -> Command {
        let mut command = Command::new(name);
        command
            .current_dir(self.path("repository"))
            .env("LITO_CACHE", self.path("cache"))
            .env("TMPDIR", self.path("tmp"))
            .env("CARGO_HOME", self.path("cargo"))
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .envs(self.github.iter().flat_map(PlayedGithub::environment));
        command
    }

    pub(super) fn lito(&self, arguments: &[&str]) -> ExitStatus {
        let mut command = self.command(&lito());
        let output = command.args(arguments).output().unwrap();
        assert!(
            output.status.code() < Some(2),
            "lito {arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        output.status
    }

    /// Runs lito under strace with these options; gives its end.
    fn traced(&self, options: &[&str], arguments: &[&str]) -> ExitStatus {
        crate::needs::program("strace");
        let mut command = self.command(Path::new("strace"));
        command.arg("-qq").args(options).arg(lito()).args(arguments);
        command.output().unwrap().status
    }

    fn left_behind(&self) -> LeftBehind {
        let mut paths = BTreeSet::new();
        let root = self.root.path().join("work");
        let mut folders = vec![root.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(&folder).unwrap().map(Result::unwrap) {
                let path = entry.path();
                let shown = path.strip_prefix(&root).unwrap().display().to_string();
                // Objects by their hash; builds, and runs by their number or time, are as many as there were runs.
                let is_object = shown.contains("/objects/")
                    && shown.rsplit('/').next().unwrap().len() <= 38
                    && !shown.contains("tmp");
                // The cache keeps more or less, depending on its earlier content.
                let is_kept = ["cache", "cargo"].iter().any(|kept| shown.starts_with(kept));
                // The lock file of a package says what it is built with. It stands in a checkout until the next visit.
                let name = shown.rsplit('/').next().unwrap();
                let is_unfinished =
                    name != "Cargo.lock" && ["unfinished", "tmp", ".lock"].iter().any(|part| name.contains(part));
                if entry.file_type().unwrap().is_dir() {
                    folders.push(path);
                }
                // Git tidies up by itself where it receives.
                let is_received = shown.starts_with("hub/");
                if !is_object && !is_received && (!is_kept || is_unfinished) {
                    paths.insert(shown);
                }
            }
        }
        LeftBehind {
            paths,
            entries: self.entries(),
            posted: self.github.as_ref().map(PlayedGithub::counts),
        }
    }

    /// The paths of the store, and of the one it is pushed to; none without a store.
    fn entries(&self) -> BTreeSet<String> {
        let mut entries = BTreeSet::new();
        for name in ["repository", "hub"] {
            let repository = self.path(name);
            if repository.exists() && !git_in(&repository, &["for-each-ref", "refs/lito/store"]).is_empty() {
                let listed = git_in(&repository, &["ls-tree", "-r", "--name-only", "refs/lito/store"]);
                entries.extend(listed.lines().map(|path| format!("{name}: {path}")));
            }
        }
        entries
    }

    /// Removes the build folders of this name, as on a machine that has not built anything.
    pub(super) fn remove_builds(&self, name: &str) {
        for repository in fs::read_dir(self.path("cache")).unwrap() {
            let _ = fs::remove_dir_all(repository.unwrap().path().join(name));
        }
    }

    /// The calls at which the command is killed: each with its number among the calls of its name.
    fn points(&self, fault: Fault, command: &WritingCommand<'_>) -> Vec<(String, usize)> {
        let trace = self.root.path().join("trace");
        let of_calls = format!("trace={CALLS}");
        let file = trace.display().to_string();
        self.restore();
        self.traced(&["-y", "-o", &file, "-e", &of_calls], command.arguments);
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        let mut points = Vec::new();
        for line in fs::read_to_string(&trace).unwrap().lines() {
            let Some((name, rest)) = line.split_once('(') else {
                continue;
            };
            if !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
                continue;
            }
            let count = counts.entry(name.to_owned()).or_default();
            *count += 1;
            let opens_only = name.starts_with("open") && !rest.contains("O_CREAT") && !rest.contains("O_TRUNC");
            let fills_disk = ["open", "mkdir", "write", "pwrite", "rename", "link", "fsync"]
                .iter()
                .any(|part| name.starts_with(part));
            let can_fail = fault == Fault::Kill || (fills_disk && rest.contains("/work/"));
            if !opens_only && can_fail && rest.contains(command.within) {
                points.push((name.to_owned(), *count));
            }
        }
        assert!(points.len() > 2, "{:?} writes", command.arguments);
        points
    }

    /// Kills the command at its calls, or lets them find a full disk, and checks what comes after each.
    pub(super) fn sweep(&self, fault: Fault, command: &WritingCommand<'_>) {
        self.keep();
        let before = self.left_behind();
        let contents = |bench: &Self| -> Vec<Option<Vec<u8>>> {
            let outputs = command.outputs.iter();
            outputs.map(|output| fs::read(bench.path(output)).ok()).collect()
        };
        let old = contents(self);
        self.lito(command.arguments);
        let new = contents(self);
        let usual = self.lito(command.arguments);
        let undisturbed = self.left_behind();
        let points = self.points(fault, command);
        let taken = chosen(&points, command.points);
        let mut hit = 0;
        for (call, number) in &taken {
            let place = format!("lito {}, {fault:?} at {call} {number}", command.arguments.join(" "));
            self.restore();
            let inject = match fault {
                Fault::Kill => format!("inject={call}:signal=SIGKILL:when={number}"),
                Fault::FullDisk => format!("inject={call}:error=ENOSPC:when={number}"),
            };
            let of_calls = format!("trace={call}");
            let trace = self.root.path().join("trace");
            let file = trace.display().to_string();
            let end = self.traced(&["-o", &file, "-e", &of_calls, "-e", &inject], command.arguments);
            match fault {
                // Some calls are more in one run than in another.
                Fault::Kill => hit += usize::from(end.signal() == Some(9)),
                Fault::FullDisk => {
                    hit += usize::from(fs::read_to_string(&trace).unwrap().contains("(INJECTED)"));
                    // Calls that only tidy up may fail.
                    let ends = [usual.code(), Some(3)];
                    assert!(ends.contains(&end.code()), "{place}: ends with {end}");
                    let now = self.left_behind().paths;
                    let more: Vec<_> = (now.difference(&before.paths))
                        .filter(|path| !undisturbed.paths.contains(*path))
                        .collect();
                    assert!(more.is_empty(), "{place}: files that no run leaves: {more:?}");
                }
            }
            self.lito(&["store", "verify"]);
            let now = self.entries();
            if !command.removes {
                let gone: Vec<_> = before.entries.difference(&now).collect();
                assert!(gone.is_empty(), "{place}: gone from the store: {gone:?}");
            }
            for ((found, old), (new, name)) in contents(self).iter().zip(&old).zip(new.iter().zip(command.outputs)) {
                assert!(
                    found == old || found == new,
                    "{place}: {name} is neither the old nor the new one"
                );
            }
            self.lito(command.arguments);
            let left = self.left_behind();
            let difference: Vec<_> = left.paths.symmetric_difference(&undisturbed.paths).collect();
            assert!(
                difference.is_empty(),
                "{place}: other files than without it: {difference:?}"
            );
            let missing: Vec<_> = undisturbed.entries.difference(&left.entries).collect();
            assert!(missing.is_empty(), "{place}: never stored: {missing:?}");
            // A disk that is full where the machine is asked for its processor leaves that unknown: another environment, with a
            // verdict of its own.
            let is_of_another_environment = |entry: &&String| fault == Fault::FullDisk && entry.contains(": verdicts/");
            let more: Vec<_> = (left.entries.difference(&undisturbed.entries))
                .filter(|entry| !is_of_another_environment(entry))
                .collect();
            assert!(more.is_empty(), "{place}: stored beyond it: {more:?}");
            assert_eq!(left.posted, undisturbed.posted, "{place}");
            self.lito(&["store", "verify"]);
        }
        assert!(hit * 3 > taken.len(), "{hit} of {} were hit", taken.len());
        let report = format!(
            "{fault:?}: lito {}: {} calls that write, {} tried, {hit} hit\n",
            command.arguments.join(" "),
            points.len(),
            taken.len()
        );
        std::io::Write::write_all(&mut std::io::stderr(), report.as_bytes()).unwrap();
    }
}

/// The calls to try: a few, all, or the part of all that the environment names.
fn chosen<P>(points: &[P], few: usize) -> Vec<&P> {
    let number = |text: &str| text.parse::<usize>().expect("a number");
    let (first, every) = match std::env::var("LITO_SWEEP").as_deref() {
        Ok("all") => (0, 1),
        Ok(part) => {
            let (part, of) = part.split_once('/').expect("all, or a part as 1/4");
            (number(part) - 1, number(of))
        }
        Err(_) => {
            let every = points.len().div_ceil(few);
            let seed = std::env::var("LITO_SWEEP_SEED").map_or(0, |seed| number(&seed));
            (seed % every, every)
        }
    };
    points.iter().skip(first).step_by(every).collect()
}

fn lito() -> PathBuf {
    PathBuf::from(program("lito").get_program())
}

fn copy(from: &Path, to: &Path) {
    if to.exists() {
        fs::remove_dir_all(to).unwrap();
    }
    let status = Command::new("cp").arg("-a").args([from, to]).status().unwrap();
    assert!(status.success());
}
