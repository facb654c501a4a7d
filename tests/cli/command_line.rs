//! The command line: help, mistakes, settings, generated files. Needs no profile.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};

use super::repository::{TestRepository, answer, lito_in, program};

#[test]
fn help_groups_the_commands_and_has_examples() {
    let folder = tempfile::tempdir().unwrap();
    let help = lito_in(folder.path(), &["--help"]);
    let help = help.output();
    assert!(help.contains("\n  compare "), "{help}");
    assert!(help.contains("\n  track "), "{help}");
    assert!(help.contains("Exit codes: 0 passed or skipped"), "{help}");
    assert!(help.contains("130 interrupted"), "{help}");
    let headings = [
        "Every day:",
        "Continuous integration:",
        "Research:",
        "This program:",
        "Global options:",
    ];
    let at: Vec<Option<usize>> = headings.iter().map(|heading| help.find(heading)).collect();
    assert!(at.is_sorted() && at[0].is_some(), "{help}");
    let score = lito_in(folder.path(), &["score", "--help"]);
    let score = score.output();
    assert!(score.find("Global options:") < score.find("Examples:"), "{score}");
    assert!(score.contains("\n  lito score HEAD~20..HEAD "), "{score}");
}

#[test]
fn an_unknown_flag_is_a_usage_error() {
    let folder = tempfile::tempdir().unwrap();
    lito_in(folder.path(), &["schema", "--formt", "json"]).fails(2, &["--formt"]);
    lito_in(folder.path(), &["schmea"]).fails(2, &["schmea", "schema"]);
    lito_in(folder.path(), &["--quiet", "--verbose", "schema"]).fails(2, &["--quiet"]);
}

#[test]
fn without_a_command_the_help_is_shown_as_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let nothing = lito_in(folder.path(), &[]);
    assert_eq!(nothing.code, 2);
    assert!(nothing.stderr.contains("Usage: lito"), "{nothing:#?}");
}

#[test]
fn cargo_calls_it_too() {
    let output = program("cargo-lito").args(["lito", "--version"]).output().unwrap();
    assert!(answer(&output).output().starts_with("lito "));
}

#[test]
fn init_writes_workflows_that_pin_the_action_and_sample_the_default_branch() {
    const ACTION: &str = "example/lito@0123456789abcdef0123456789abcdef01234567";
    let repository = TestRepository::with_benchmark();
    repository.git(&["branch", "--move", "trunk"]);
    repository.lito(&["init", "--force", "--action", ACTION]).output();
    assert!(
        !repository.file(".github").exists(),
        "nothing says that this is on GitHub"
    );
    repository.git(&["remote", "add", "origin", "https://github.com/example/sum"]);
    repository.write(".github/workflows/lito.yml", "jobs: {}\n");
    repository.lito(&["init", "--action", ACTION]).says(
        0,
        &["kept lito.toml", "kept .github/workflows/lito.yml", "next: commit"],
    );
    let read = |name: &str| fs::read_to_string(repository.file(name)).unwrap();
    assert_eq!(read(".github/workflows/lito.yml"), "jobs: {}\n");
    for name in ["lito-report.yml", "lito-sample.yml"] {
        let workflow = read(&format!(".github/workflows/{name}"));
        assert!(workflow.contains(&format!("uses: {ACTION} # v")), "{workflow}");
        assert!(!workflow.contains("uses: ACTION"), "{workflow}");
    }
    assert!(read(".github/workflows/lito-sample.yml").contains("branches: [trunk]"));
    let said = repository.lito(&["doctor"]).stdout;
    assert!(
        said.contains("the jobs that use lito have exactly the permissions that they need"),
        "{said}"
    );
}

#[test]
fn an_action_that_could_be_moved_is_refused() {
    let repository = TestRepository::with_library();
    for action in ["example/lito@v1", "example/lito", "lito@0123", "../x@y"] {
        repository
            .lito(&["init", "--action", action])
            .says(2, &["OWNER/NAME@COMMIT"]);
    }
}

#[test]
fn init_writes_settings_that_lito_reads_and_overwrites_nothing() {
    let repository = TestRepository::with_library();
    assert!(repository.lito(&["init"]).output().is_empty());
    let written = fs::read_to_string(repository.file("lito.toml")).unwrap();
    repository.write("lito.toml", "# mine\n");
    repository
        .lito(&["init"])
        .fails(2, &["lito.toml", "is there already", "--force"]);
    assert_eq!(fs::read_to_string(repository.file("lito.toml")).unwrap(), "# mine\n");
    repository.lito(&["init", "--force"]).output();
    assert_eq!(fs::read_to_string(repository.file("lito.toml")).unwrap(), written);
}

#[test]
fn init_writes_to_the_root_and_says_what_will_be_the_benchmarks() {
    let repository = TestRepository::with_library();
    let below = repository.file("src");
    lito_in(&below, &["init"]).says(0, &["no bench target", "unit tests", "next: `lito sample"]);
    assert!(!below.join("lito.toml").exists());
    assert!(repository.file("lito.toml").is_file());
    repository.write("benches/adding_up.rs", "fn main() {}\n");
    repository
        .lito(&["init", "--force"])
        .says(0, &["bench targets: adding_up", "`lito bench list`"]);
}

#[test]
fn init_writes_the_suites_that_a_repository_without_a_package_of_cargo_has() {
    let repository = TestRepository::unborn();
    repository.write("pyproject.toml", "");
    repository.write("src/sums/__init__.py", "");
    repository.write(
        "checks/test_sums.py",
        "def test_sum(benchmark):\n    benchmark(sum, [1])\n",
    );
    repository
        .lito(&["init", "--ci", "none"])
        .says(0, &["an example for Python"]);
    repository.commit("the sums");
    let found = repository.lito(&["init", "--force", "--ci", "none"]);
    found.says(0, &["found benchmarks of pytest in checks", "`lito bench list`"]);
    let settings = fs::read_to_string(repository.file("lito.toml")).unwrap();
    assert!(
        settings.contains("\nrun = [\"python3\", \"-m\", \"pytest\", \"checks\"]\n"),
        "{settings}"
    );
}

#[test]
fn a_folder_that_cannot_be_written_is_the_environments_fault() {
    let repository = TestRepository::with_library();
    // Not a matter of permissions, so that it holds for root as well.
    repository.write("file", "");
    let below_a_file = repository.file("file/pages");
    repository
        .lito(&["man", below_a_file.to_str().unwrap()])
        .fails(3, &["writing the manual pages", "file/pages"]);
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let folder = tempfile::tempdir().unwrap();
    lito_in(folder.path(), &["--quiet", "man", "pages"]).output();
    let page = fs::read_to_string(folder.path().join("pages/lito-init.1")).unwrap();
    assert!(page.contains("lito.toml"), "{page}");
}

#[test]
fn completions_know_the_commands() {
    let folder = tempfile::tempdir().unwrap();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = lito_in(folder.path(), &["completions", shell]);
        assert!(script.output().contains("schema"), "{shell}");
    }
}

#[test]
fn the_schema_knows_every_table_of_the_settings() {
    let folder = tempfile::tempdir().unwrap();
    let schema = lito_in(folder.path(), &["schema"]);
    let schema: serde_json::Value = serde_json::from_str(schema.output()).unwrap();
    for table in ["benchmarks", "sampling", "gate", "store"] {
        assert!(schema["properties"][table].is_object(), "{table}");
    }
    assert_eq!(schema["additionalProperties"], false);
}

#[test]
fn a_reader_that_stops_early_is_no_error() {
    let mut child = program("lito")
        .args(["completions", "zsh"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(said, "");
}

#[test]
fn colour_is_for_terminals_unless_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("lito.toml"), "").unwrap();
    let plain = lito_in(folder.path(), &["init"]);
    assert!(!plain.stderr.contains('\x1b'), "{plain:#?}");
    let coloured = lito_in(folder.path(), &["--color", "always", "init"]);
    assert!(coloured.stderr.contains('\x1b'), "{coloured:#?}");
}

#[test]
fn the_hook_scores_what_is_pushed_and_keeps_nothing_from_being_pushed() {
    let repository = TestRepository::with_library();
    let first = repository.git(&["rev-parse", "HEAD"]);
    repository.lito(&["init", "--hook"]).says(0, &["wrote", "pre-push"]);
    repository.lito(&["init", "--hook"]).fails(2, &["pre-push", "--force"]);
    repository.write(
        "src/lib.rs",
        "pub fn sum(of: &[u64]) -> u64 {\n    of.iter().rev().sum()\n}\n",
    );
    let second = repository.commit("second");
    let zeros = "0".repeat(40);
    let pushed = |known: &str, pushed: &str| {
        let folder = Path::new(env!("CARGO_BIN_EXE_lito")).parent().unwrap();
        let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
        let mut hook = Command::new(repository.file(".git/hooks/pre-push"))
            .args(["origin", "address"])
            .current_dir(repository.path())
            .env("PATH", path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let line = format!("refs/heads/main {pushed} refs/heads/main {known}\n");
        hook.stdin.take().unwrap().write_all(line.as_bytes()).unwrap();
        let output = hook.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(
        pushed(&first, &second).contains(&second[..10]),
        "{}",
        pushed(&first, &second)
    );
    for (known, head) in [
        (&second, &zeros),
        (&zeros, &second),
        (&second, &second),
        (&second, &first),
    ] {
        assert_eq!(pushed(known, head), "", "{known} {head}");
    }
}
