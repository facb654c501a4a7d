//! Repositories to try lito on, made with the git program in a folder that vanishes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// A repository in a temporary folder, and beside it the cache that lito uses for it.
pub(crate) struct TestRepository {
    folder: TempDir,
    cache: TempDir,
}

/// A benchmark that is built in half a second and costs some ten thousand instructions of its own.
pub(crate) const COMMAND: &str = "[[benchmarks]]\nadapter = \"command\"\nname = \"sum\"\n\
    build = [\"cargo\", \"build\", \"--release\", \"--offline\"]\nrun = [\"target/release/sum\"]\n";

impl TestRepository {
    /// Without a commit.
    pub(crate) fn unborn() -> Self {
        let repository = Self {
            folder: tempfile::tempdir().unwrap(),
            cache: tempfile::tempdir().unwrap(),
        };
        repository.git(&["init", "--quiet", "--initial-branch=main"]);
        repository
    }

    /// With a library of one function, in one commit.
    pub(crate) fn with_library() -> Self {
        let repository = Self::unborn();
        repository.write(
            "Cargo.toml",
            "[package]\nname = \"sum\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        );
        repository.write(
            "src/lib.rs",
            "pub fn sum(of: &[u64]) -> u64 {\n    of.iter().sum()\n}\n",
        );
        repository.commit("the library");
        repository
    }

    /// With a library, a program that uses it and is its benchmark, in one commit.
    pub(crate) fn with_benchmark() -> Self {
        let repository = Self::with_library();
        repository.write(
            "src/main.rs",
            "fn main() {\n    let of: Vec<u64> = (0..2_000).collect();\n    \
             std::process::exit(i32::from(sum::sum(std::hint::black_box(&of)) == 7));\n}\n",
        );
        repository.write(".gitignore", "/target\n/Cargo.lock\n");
        repository.write("lito.toml", COMMAND);
        repository.commit("the benchmark");
        repository
    }

    /// Where lito builds what is in this repository.
    pub(crate) fn cache(&self) -> &Path {
        self.cache.path()
    }

    /// The object that the store's ref names; empty without a store.
    pub(crate) fn store(&self) -> String {
        self.git(&["for-each-ref", "--format=%(objectname)", "refs/lito/store"])
    }

    /// The files of one of the store's folders, as git lists them: mode, kind, object and path.
    pub(crate) fn stored(&self, folder: &str) -> Vec<String> {
        let listed = self.git(&["ls-tree", "-r", "refs/lito/store", folder]);
        listed.lines().map(str::to_owned).collect()
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn file(&self, path: &str) -> PathBuf {
        self.path().join(path)
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.file(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Commits everything, and gives the commit's id.
    pub(crate) fn commit(&self, message: &str) -> String {
        self.git(&["add", "--all"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    /// Runs git here, without the settings of whoever runs the tests.
    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        git_in(self.path(), arguments)
    }

    /// Runs lito here.
    pub(crate) fn lito(&self, arguments: &[&str]) -> LitoOutput {
        answer(&self.command(arguments).output().unwrap())
    }

    /// Lito here, to be started by the caller.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        if arguments.first().is_some_and(|command| PROFILES.contains(command)) {
            super::needs::program("valgrind");
        }
        let mut command = program("lito");
        command
            .args(arguments)
            .current_dir(self.path())
            .env("LITO_CACHE", self.cache());
        command
    }
}

/// The output of a lito process.
#[derive(Debug)]
pub(crate) struct LitoOutput {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl LitoOutput {
    /// Asserts the exit code and that the one error says all of this.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, code, "{self:#?}");
        assert_eq!(self.stderr.matches("error:").count(), 1, "said once: {self:#?}");
        for part in parts {
            assert!(self.stderr.contains(part), "`{part}` is missing: {self:#?}");
        }
        assert!(!self.stderr.contains("panicked"), "{self:#?}");
    }

    /// Asserts the exit code and that the standard error says all of this, in as many lines as it wants.
    #[track_caller]
    pub(crate) fn says(&self, code: i32, parts: &[&str]) {
        assert_eq!(self.code, code, "{self:#?}");
        for part in parts {
            assert!(self.stderr.contains(part), "`{part}` is missing: {self:#?}");
        }
        assert!(!self.stderr.contains("panicked"), "{self:#?}");
    }

    /// Asserts that it went well, and gives the output.
    #[track_caller]
    pub(crate) fn output(&self) -> &str {
        assert_eq!(self.code, 0, "{self:#?}");
        &self.stdout
    }
}

/// The commands that profile programs.
const PROFILES: [&str; 8] = [
    "bisect", "compare", "evaluate", "gate", "measure", "sample", "selftest", "track",
];

/// Runs lito in a folder.
pub(crate) fn lito_in(folder: &Path, arguments: &[&str]) -> LitoOutput {
    let output = program("lito").args(arguments).current_dir(folder).output().unwrap();
    answer(&output)
}

/// A program of this package, with an environment of its own.
pub(crate) fn program(name: &str) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin(name));
    command
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .env("GIT_CONFIG_GLOBAL", "/dev/null");
    command
}

/// Runs git in a folder.
pub(crate) fn git_in(folder: &Path, arguments: &[&str]) -> String {
    super::needs::program("git");
    let output = Command::new("git")
        .args([
            "-c",
            "user.name=test",
            "-c",
            "user.email=test@example.test",
            "-c",
            "protocol.file.allow=always",
        ])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "git {arguments:?}: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).trim().to_owned()
}

#[track_caller]
pub(crate) fn answer(output: &Output) -> LitoOutput {
    let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
    super::schemas::check_output(&stdout);
    LitoOutput {
        code: output.status.code().expect("lito is not killed by a signal"),
        stdout,
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
