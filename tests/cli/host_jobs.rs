//! The jobs that `lito init` writes for GitLab and Forgejo, run as their runners would: the scripts in order, each in a
//! clone of its own, with the variables of the host. What installs programs is played; the cache is a folder that the test
//! carries from job to job.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use saphyr::{LoadableYamlNode as _, Yaml};
use serde_json::Value;

use super::gate::{LIBRARY, PROGRAM};
use super::init::{COMMIT, init};
use super::repository::{COMMAND, LitoOutput, TestRepository, answer, git_in};

/// A repository with one benchmark and the files of a host; the default branch as it is before any change.
struct HostedProject {
    repository: TestRepository,
    work: tempfile::TempDir,
    base: String,
}

impl HostedProject {
    fn new(host: &str) -> Self {
        super::needs::program("valgrind");
        let repository = TestRepository::unborn();
        repository.write(
            "Cargo.toml",
            "[package]\nname = \"sum\"\nversion = \"0.1.0\"\nedition = \"2021\"\n",
        );
        repository.write(".gitignore", "/target\n/Cargo.lock\n");
        repository.write("src/lib.rs", LIBRARY);
        repository.write("src/main.rs", PROGRAM);
        repository.write("README.md", "Adds up.\n");
        init(&repository, &["--ci", host]).output();
        repository.write("lito.toml", &format!("{COMMAND}\n[gate]\naudit = \"0%\"\n"));
        let base = repository.commit("the project");
        let work = tempfile::tempdir().unwrap();
        let project = Self { repository, work, base };
        project.play_programs();
        project
    }

    /// An apt-get that has nothing to do, and a cargo that installs the lito under test.
    fn play_programs(&self) {
        let folder = self.work.path().join("programs");
        fs::create_dir(&folder).unwrap();
        let cargo = format!(
            "#!/bin/sh\nif [ \"$1\" != install ]; then PATH=\"${{PATH#{}:}}\" exec cargo \"$@\"; fi\n\
             test \"$PWD\" = / || exit 9\n\
             case \"$*\" in *'--git https://github.com/example/lito --rev {COMMIT} '*) ;; *) exit 8 ;; esac\n\
             while [ \"$1\" != --root ]; do shift; done\nmkdir -p \"$2/bin\" && cp '{}' \"$2/bin/lito\"\n",
            folder.display(),
            assert_cmd::cargo::cargo_bin("lito").display()
        );
        for (name, script) in [("apt-get", "#!/bin/sh\n"), ("cargo", &cargo)] {
            let file = folder.join(name);
            fs::write(&file, script).unwrap();
            fs::set_permissions(file, fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    /// A change on a branch, committed.
    fn branch(&self, name: &str, path: &str, from: &str, to: &str) {
        self.repository.git(&["checkout", "--quiet", "-b", name, &self.base]);
        let text = fs::read_to_string(self.repository.file(path)).unwrap();
        assert!(text.contains(from));
        self.repository.write(path, &text.replace(from, to));
        self.repository.commit(name);
    }

    /// A clone of a branch, as a job finds it, with what an earlier job left in the cache.
    fn checked_out(&self, branch: &str, cached: Option<&Path>) -> PathBuf {
        let folder = tempfile::tempdir_in(self.work.path()).unwrap().keep();
        git_in(
            &folder,
            &[
                "clone",
                "--quiet",
                "--branch",
                branch,
                self.repository.path().to_str().unwrap(),
                ".",
            ],
        );
        git_in(&folder, &["checkout", "--quiet", "--detach"]);
        if let Some(cached) = cached {
            let copied = Command::new("cp").arg("-R").args([cached, &folder]).status().unwrap();
            assert!(copied.success());
        }
        folder
    }

    /// Runs a script in a checkout.
    fn run(&self, shell: &[&str], script: &str, variables: &[(String, String)], checkout: &Path) -> LitoOutput {
        let path = format!(
            "{}:{}",
            self.work.path().join("programs").display(),
            std::env::var("PATH").unwrap()
        );
        let output = Command::new(shell[0])
            .args(&shell[1..])
            .arg(script)
            .current_dir(checkout)
            .envs(variables.iter().map(|(name, value)| (name, value)))
            .env("PATH", path)
            .env("LITO_CACHE", self.repository.cache())
            .env("GIT_CONFIG_GLOBAL", self.work.path().join("gitconfig"))
            .output()
            .unwrap();
        answer(&output)
    }

    /// Runs a job of GitLab to its end.
    fn gitlab(&self, job: &str, branch: &str, cached: Option<&Path>, variables: &[(&str, &str)]) -> RunJob {
        let text = fs::read_to_string(self.repository.file(".gitlab/lito.yml")).unwrap();
        let document = &Yaml::load_from_str(&text).unwrap()[0];
        let shared = document.as_mapping_get(".lito").unwrap();
        assert_eq!(
            document
                .as_mapping_get(job)
                .unwrap()
                .as_mapping_get("extends")
                .unwrap()
                .as_str(),
            Some(".lito")
        );
        let lines = |node: &Yaml<'_>, key: &str| -> Vec<String> {
            let lines = node.as_mapping_get(key).unwrap().as_sequence().unwrap().iter();
            lines.map(|line| line.as_str().unwrap().to_owned()).collect()
        };
        let script = [
            lines(shared, "before_script"),
            lines(document.as_mapping_get(job).unwrap(), "script"),
        ]
        .concat();
        let checkout = self.checked_out(branch, cached);
        let mut all = texts(shared.as_mapping_get("variables").unwrap());
        all.push((String::from("CI_PROJECT_DIR"), checkout.display().to_string()));
        all.extend(
            variables
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
        );
        let output = self.run(&["bash", "-eo", "pipefail", "-c"], &script.join("\n"), &all, &checkout);
        RunJob { output, checkout }
    }

    /// Runs the scripts of a job of Forgejo until one fails; gives the output of the last.
    fn forgejo(&self, job: &str, branch: &str, cached: Option<&Path>, target: &str) -> RunJob {
        let text = fs::read_to_string(self.repository.file(".forgejo/workflows/lito.yml")).unwrap();
        let document = &Yaml::load_from_str(&text).unwrap()[0];
        let mut variables = texts(document.as_mapping_get("env").unwrap());
        variables.push((String::from("TARGET"), target.to_owned()));
        let steps = document.as_mapping_get("jobs").unwrap().as_mapping_get(job).unwrap();
        let steps = steps.as_mapping_get("steps").unwrap().as_sequence().unwrap();
        let checkout = self.checked_out(branch, cached);
        let mut output = None;
        for script in steps.iter().filter_map(|step| step.as_mapping_get("run")?.as_str()) {
            assert!(!script.contains("${{"), "an expression in a script: {script}");
            let ran = self.run(&["sh", "-ec"], script, &variables, &checkout);
            let failed = ran.code != 0;
            output = Some(ran);
            if failed {
                break;
            }
        }
        RunJob {
            output: output.unwrap(),
            checkout,
        }
    }
}

/// A job at its end.
struct RunJob {
    output: LitoOutput,
    checkout: PathBuf,
}

impl RunJob {
    /// The folder that goes into the cache.
    #[track_caller]
    fn cache(&self) -> PathBuf {
        self.output.output();
        let cache = self.checkout.join(".lito");
        let mut held: Vec<String> = fs::read_dir(&cache)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        held.sort();
        assert_eq!(held, [COMMIT, "store.bundle"], "{:#?}", self.output);
        cache
    }

    fn report(&self, name: &str) -> String {
        let file = self.checkout.join("lito-verdict").join(name);
        fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}: {:#?}", file.display(), self.output))
    }

    #[track_caller]
    fn verdict(&self, code: i32, verdict: &str) -> Value {
        assert_eq!(self.output.code, code, "{:#?}", self.output);
        let report: Value = serde_json::from_str(&self.report("verdict.json")).unwrap();
        assert_eq!(report["verdict"], verdict, "{report:#}");
        report
    }
}

/// The names of a mapping with their texts.
fn texts(mapping: &Yaml<'_>) -> Vec<(String, String)> {
    let entries = mapping.as_mapping().unwrap().iter();
    let text = |node: &Yaml<'_>| node.as_str().unwrap().to_owned();
    entries.map(|(name, value)| (text(name), text(value))).collect()
}

const SLOWER: (&str, &str, &str) = (
    "src/lib.rs",
    "value ^ (value >> 7)",
    "let mut value = value;\n    for _ in 0..8 {\n        value = std::hint::black_box(value ^ (value >> 7));\n    }\n    value",
);

#[test]
fn on_gitlab_the_profiles_of_the_default_branch_reach_merge_requests_through_the_cache() {
    let project = HostedProject::new("gitlab");
    let on_schedule = [("CI_PIPELINE_SOURCE", "schedule")];
    let sampled = project.gitlab("lito-sample", "main", None, &on_schedule);
    let cached = sampled.cache();
    assert!(!sampled.checkout.join("lito-verdict").exists(), "nothing was pushed");

    project.branch("readme", "README.md", "Adds up.", "Adds up numbers.");
    let base = project.base.as_str();
    let merge_request = [
        ("CI_MERGE_REQUEST_DIFF_BASE_SHA", base),
        ("CI_MERGE_REQUEST_TARGET_BRANCH_SHA", ""),
    ];
    let skipped = project.gitlab("lito-gate", "readme", Some(&cached), &merge_request);
    let report = skipped.verdict(0, "skipped");
    assert_eq!(report["score"]["sample"]["commit"], *base, "{report:#}");
    assert!(skipped.report("verdict.junit.xml").contains("<skipped"));

    project.branch("slower", SLOWER.0, SLOWER.1, SLOWER.2);
    let slower = project.gitlab("lito-gate", "slower", Some(&cached), &merge_request);
    slower.verdict(1, "regression");
    assert!(slower.report("verdict.junit.xml").contains("<failure"));
    assert!(
        slower
            .report("metrics.txt")
            .contains("lito_benchmark{benchmark=\"sum\",metric=\"instructions\"} ")
    );
    let findings: Value = serde_json::from_str(&slower.report("code-quality.json")).unwrap();
    assert_eq!(findings[0]["location"]["path"], "src/lib.rs", "{findings:#}");

    // GitLab merges both first: what the target branch has gained is not the merge request's.
    let target = project.repository.git(&["rev-parse", "slower"]);
    project
        .repository
        .git(&["checkout", "--quiet", "-b", "merged", "slower"]);
    project
        .repository
        .git(&["merge", "--quiet", "--no-ff", "--no-edit", "readme"]);
    let merged = [
        ("CI_MERGE_REQUEST_DIFF_BASE_SHA", base),
        ("CI_MERGE_REQUEST_TARGET_BRANCH_SHA", &target),
    ];
    let report = project
        .gitlab("lito-gate", "merged", Some(&cached), &merged)
        .verdict(0, "skipped");
    assert_eq!(report["base"], *target, "{report:#}");

    // A push to the default branch is judged, and fails nothing.
    project.repository.git(&["checkout", "--quiet", "main"]);
    project.repository.git(&["merge", "--quiet", "slower"]);
    let pushed = [("CI_PIPELINE_SOURCE", "push"), ("CI_COMMIT_BEFORE_SHA", base)];
    let pushed = project.gitlab("lito-sample", "main", Some(&cached), &pushed);
    pushed.cache();
    pushed.verdict(0, "regression");
}

#[test]
fn on_gitlab_a_cache_that_cannot_be_read_is_like_none() {
    let project = HostedProject::new("gitlab");
    let cached = project.work.path().join(".lito");
    fs::create_dir_all(cached.join("an-older-lito")).unwrap();
    fs::write(cached.join("store.bundle"), "not a bundle").unwrap();
    project.branch("slower", SLOWER.0, SLOWER.1, SLOWER.2);
    let merge_request = [("CI_MERGE_REQUEST_DIFF_BASE_SHA", project.base.as_str())];
    let judged = project.gitlab("lito-gate", "slower", Some(&cached), &merge_request);
    let report = judged.verdict(1, "regression");
    assert_eq!(report["score"]["sample"], Value::Null, "{report:#}");
    assert!(
        judged.output.stdout.contains("going on without the profiles"),
        "{:#?}",
        judged.output
    );
    // The first push of a branch, or of a project, has no version before it.
    let zeros = "0".repeat(40);
    let first = [("CI_PIPELINE_SOURCE", "push"), ("CI_COMMIT_BEFORE_SHA", zeros.as_str())];
    project.gitlab("lito-sample", "main", Some(&cached), &first).cache();
}

#[test]
fn on_forgejo_the_profiles_of_the_default_branch_reach_pull_requests_through_the_cache() {
    let project = HostedProject::new("forgejo");
    let cached = project.forgejo("sample", "main", None, "").cache();
    project.branch("slower", SLOWER.0, SLOWER.1, SLOWER.2);
    let slower = project.forgejo("gate", "slower", Some(&cached), &project.base);
    let report = slower.verdict(1, "regression");
    assert_eq!(report["score"]["sample"]["commit"], project.base, "{report:#}");
    project.branch("readme", "README.md", "Adds up.", "Adds up numbers.");
    let target = project.repository.git(&["rev-parse", "slower"]);
    // The target branch has moved on since: what it gained is not the pull request's.
    let skipped = project.forgejo("gate", "readme", Some(&cached), &target);
    assert_eq!(skipped.verdict(0, "skipped")["base"], project.base);
}
