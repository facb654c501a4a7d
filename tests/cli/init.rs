//! `lito init` on every host: which files it writes, what it leaves alone, and that lito understands what they run.

use std::fs;
use std::process::Command;

use saphyr::{LoadableYamlNode as _, Yaml};

use super::repository::{LitoOutput, TestRepository, lito_in};

pub(super) const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

const GITHUB: [&str; 3] = [
    ".github/workflows/lito-report.yml",
    ".github/workflows/lito-sample.yml",
    ".github/workflows/lito.yml",
];
const GITLAB: [&str; 2] = [".gitlab-ci.yml", ".gitlab/lito.yml"];
const FORGEJO: [&str; 1] = [".forgejo/workflows/lito.yml"];

/// Runs `lito init` with a lito from a repository on GitHub.
pub(super) fn init(repository: &TestRepository, arguments: &[&str]) -> LitoOutput {
    let source = format!("example/lito@{COMMIT}");
    repository.lito(&[&["init", "--force", "--source", &source], arguments].concat())
}

/// The YAML files that git does not know yet, in their order.
fn written(repository: &TestRepository) -> Vec<String> {
    let listed = repository.git(&["ls-files", "--others", "--", "*.yml"]);
    listed.lines().map(str::to_owned).collect()
}

fn read(repository: &TestRepository, path: &str) -> String {
    fs::read_to_string(repository.file(path)).unwrap()
}

/// The texts of a document that lie anywhere below one of these keys.
fn texts_below(node: &Yaml<'_>, keys: &[&str], below: bool, found: &mut Vec<String>) {
    if let Some(mapping) = node.as_mapping() {
        for (key, value) in mapping {
            let named = key.as_str().is_some_and(|key| keys.contains(&key));
            texts_below(value, keys, below || named, found);
        }
    } else if let Some(sequence) = node.as_sequence() {
        for value in sequence {
            texts_below(value, keys, below, found);
        }
    } else if let Some(text) = node.as_str().filter(|_| below) {
        found.push(text.to_owned());
    }
}

#[test]
fn the_host_of_the_remote_decides_and_folders_where_it_says_nothing() {
    let hosts: [(&str, &[&str], &[&str]); 10] = [
        ("https://github.com/a/b", &[".gitlab"], &GITHUB),
        ("git@github.example.test:a/b.git", &[], &GITHUB),
        ("git@gitlab.com:github/b.git", &[".github"], &GITLAB),
        ("https://codeberg.org/gitlab/b", &[], &FORGEJO),
        ("ssh://git@forgejo.example.test/a/b", &[], &FORGEJO),
        ("https://git.example.test/github/b", &[".github"], &GITHUB),
        ("https://git.example.test/a/b", &[".gitlab", ".github"], &GITLAB),
        (
            "https://git.example.test/a/b",
            &[".gitea"],
            &[".gitea/workflows/lito.yml"],
        ),
        ("https://git.example.test/a/b", &[".gitea", ".forgejo"], &FORGEJO),
        ("https://git.example.test/github/gitlab", &[], &[]),
    ];
    for (remote, folders, expected) in hosts {
        let repository = TestRepository::with_library();
        repository.git(&["remote", "add", "origin", remote]);
        for folder in folders {
            fs::create_dir(repository.file(folder)).unwrap();
        }
        let answer = init(&repository, &[]);
        answer.output();
        assert_eq!(written(&repository), expected, "{remote} {folders:?}: {answer:#?}");
        let next = match expected.is_empty() {
            true => "next: `lito sample",
            false => "next: commit these files",
        };
        answer.says(0, &[next]);
    }
}

#[test]
fn the_host_that_is_named_decides_before_all_else() {
    let named: [(&str, &[&str]); 4] = [
        ("github", &GITHUB),
        ("gitlab", &GITLAB),
        ("forgejo", &FORGEJO),
        ("none", &[]),
    ];
    for (host, expected) in named {
        let repository = TestRepository::with_library();
        repository.git(&["remote", "add", "origin", "https://github.com/a/b"]);
        init(&repository, &["--ci", host]).output();
        assert_eq!(written(&repository), expected, "{host}");
    }
}

#[test]
fn what_is_written_parses_names_the_lito_and_leaves_nothing_to_fill_in() {
    let sources = [
        format!("example/lito@{COMMIT}"),
        format!("https://git.example.test:8443/group/lito.git@{COMMIT}"),
    ];
    for source in &sources {
        for host in ["github", "gitlab", "forgejo"] {
            let repository = TestRepository::with_library();
            repository.git(&["branch", "--move", "trunk#1"]);
            repository.lito(&["init", "--ci", host, "--source", source]).output();
            for name in written(&repository) {
                let text = read(&repository, &name);
                let documents = Yaml::load_from_str(&text).unwrap();
                assert_eq!(documents.len(), 1, "{name}");
                for placeholder in [
                    "ACTION\n",
                    "ADDRESS",
                    " COMMIT",
                    "STAGE\n",
                    "DEFAULT_BRANCH]",
                    "VERSION",
                ] {
                    assert!(!text.contains(placeholder), "{name} has {placeholder}: {text}");
                }
                let pinned = name == ".gitlab-ci.yml" || text.contains(COMMIT);
                assert!(pinned, "{name} pins no lito: {text}");
            }
            if host != "gitlab" {
                let named = written(&repository)
                    .iter()
                    .any(|name| read(&repository, name).contains(r#"["trunk#1"]"#));
                assert!(named, "{host} samples the default branch");
            }
        }
    }
}

#[test]
fn on_github_a_lito_from_elsewhere_is_fetched_and_used_as_an_action() {
    let repository = TestRepository::with_benchmark();
    let source = format!("https://git.example.test/lito@{COMMIT}");
    let answer = repository.lito(&["init", "--ci", "github", "--source", &source]);
    answer.output();
    for name in GITHUB {
        let text = read(&repository, name);
        let fetched = text
            .matches(&format!(
                "fetch --quiet --depth 1 https://git.example.test/lito {COMMIT}\n"
            ))
            .count();
        assert!(fetched > 0, "{text}");
        assert_eq!(text.matches("uses: ./.lito/lito #").count(), fetched, "{text}");
    }
    let said = repository.lito(&["doctor"]).stdout;
    assert!(
        said.contains("the jobs that use lito have exactly the permissions that they need"),
        "{said}"
    );
}

#[test]
fn the_step_that_fetches_a_lito_takes_that_commit_and_nothing_of_the_pull_request() {
    let lito = TestRepository::with_library();
    let pinned = lito.git(&["rev-parse", "HEAD"]);
    lito.write("newer", "");
    lito.commit("newer");
    let repository = TestRepository::with_library();
    let source = format!("https://git.example.test/lito@{pinned}");
    repository
        .lito(&["init", "--ci", "github", "--source", &source])
        .output();
    let workflow = read(&repository, ".github/workflows/lito.yml");
    let mut scripts = Vec::new();
    texts_below(
        &Yaml::load_from_str(&workflow).unwrap()[0],
        &["steps"],
        false,
        &mut scripts,
    );
    let script = scripts.into_iter().find(|text| text.contains("git init")).unwrap();
    // A pull request may bring anything in that place.
    repository.write("elsewhere/lito/action.yml", "hostile\n");
    std::os::unix::fs::symlink("elsewhere", repository.file(".lito")).unwrap();
    let here = tempfile::tempdir().unwrap();
    let config = here.path().join("gitconfig");
    let address = format!("file://{}", lito.path().display());
    fs::write(
        &config,
        format!("[url \"{address}\"]\n    insteadOf = https://git.example.test/lito\n"),
    )
    .unwrap();
    lito.git(&["config", "uploadpack.allowReachableSHA1InWant", "true"]);
    let ran = Command::new("bash")
        .args(["-ec", &script])
        .current_dir(repository.path())
        .env("GIT_CONFIG_GLOBAL", config)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
    let fetched = repository.file(".lito/lito");
    assert_eq!(super::repository::git_in(&fetched, &["rev-parse", "HEAD"]), pinned);
    assert!(fetched.join("src/lib.rs").exists() && !fetched.join("action.yml").exists());
    assert_eq!(read(&repository, "elsewhere/lito/action.yml"), "hostile\n");
}

#[test]
fn a_configuration_of_gitlab_that_is_there_is_never_edited_and_its_stages_are_used() {
    let repository = TestRepository::with_library();
    let mine = "stages: [compile, check]\ncompile:\n  stage: compile\n  script: make\n";
    repository.write(".gitlab-ci.yml", mine);
    let answer = init(&repository, &[]);
    answer.says(0, &[".gitlab-ci.yml is yours", "include:\n  - local: .gitlab/lito.yml"]);
    assert_eq!(read(&repository, ".gitlab-ci.yml"), mine);
    assert!(read(&repository, ".gitlab/lito.yml").contains("\n  stage: compile\n"));
    let including = format!(
        "include:\n  - local: .gitlab/lito.yml\n{}",
        mine.replace("check", "test")
    );
    repository.write(".gitlab-ci.yml", &including);
    let answer = init(&repository, &[]);
    assert!(!answer.stderr.contains("is yours"), "{answer:#?}");
    assert_eq!(read(&repository, ".gitlab-ci.yml"), including);
    assert!(read(&repository, ".gitlab/lito.yml").contains("\n  stage: test\n"));
}

#[test]
fn forgejo_stops_reading_the_workflows_of_github_and_that_is_told() {
    let repository = TestRepository::with_library();
    repository.write(".github/workflows/test.yml", "on: push\njobs: {}\n");
    init(&repository, &["--ci", "forgejo"]).says(0, &["instead of those in .github/workflows"]);
    let again = init(&repository, &["--ci", "forgejo"]);
    assert!(!again.stderr.contains("instead of those"), "{again:#?}");
}

#[test]
fn a_lito_that_nobody_can_name_is_asked_for_by_an_error() {
    let repository = TestRepository::with_library();
    let asked = repository.lito(&["init", "--ci", "gitlab"]);
    if option_env!("LITO_SOURCE").is_some() {
        asked.output();
        return;
    }
    asked.fails(2, &["--source OWNER/NAME@COMMIT", "--source https://HOST/PATH@COMMIT"]);
    assert!(!repository.file("lito.toml").exists());
    fs::create_dir(repository.file(".gitlab")).unwrap();
    let found = repository.lito(&["init"]);
    found.says(0, &["no workflow is written", "--source", "next: `lito sample"]);
    assert!(written(&repository).is_empty());
}

#[test]
fn the_old_name_of_the_option_says_the_new_one() {
    let folder = tempfile::tempdir().unwrap();
    lito_in(folder.path(), &["init", "--workflows", "true"]).says(2, &["--ci github"]);
    lito_in(folder.path(), &["init", "--workflows", "false"]).says(2, &["--ci none"]);
}

/// The arguments of each call of lito in a script, with some word for each variable.
fn calls(script: &str) -> Vec<Vec<String>> {
    let script = script.replace("\\\n", " ").replace("$(", "\n").replace(')', "\n");
    let commands = script
        .lines()
        .flat_map(|line| line.split("||"))
        .flat_map(|line| line.split("&&"));
    let mut found = Vec::new();
    for command in commands.flat_map(|command| command.split(';')) {
        let words: Vec<&str> = command.split_whitespace().map(|word| word.trim_matches('"')).collect();
        let is_lito = |word: &&str| *word == "lito" || word.ends_with("/bin/lito");
        // cargo gets the name of the package, and other commands may end with that of the program.
        let called = words.iter().position(is_lito).filter(|at| at + 1 < words.len());
        if let Some(at) = called.filter(|_| !words.contains(&"cargo")) {
            found.push(words[at + 1..].iter().map(|word| word.replace('$', "")).collect());
        }
    }
    found
}

#[test]
fn lito_understands_every_command_in_the_files() {
    for (host, least) in [("gitlab", 5), ("forgejo", 5)] {
        let repository = TestRepository::with_library();
        init(&repository, &["--ci", host]).output();
        let mut scripts = Vec::new();
        for name in written(&repository) {
            for document in Yaml::load_from_str(&read(&repository, &name)).unwrap() {
                texts_below(&document, &["before_script", "script", "run"], false, &mut scripts);
            }
        }
        let calls: Vec<Vec<String>> = scripts.iter().flat_map(|script| calls(script)).collect();
        assert!(calls.len() >= least, "{host}: {calls:#?}");
        for call in calls {
            // A help is shown only if what stands before it is understood.
            let arguments: Vec<&str> = call.iter().map(String::as_str).chain(["--help"]).collect();
            let help = repository.lito(&arguments);
            assert!(help.output().contains("Usage: lito"), "{call:?}: {help:#?}");
        }
    }
}

#[test]
fn a_call_that_lito_does_not_understand_would_be_noticed() {
    assert_eq!(
        calls("test -f x || \"$program/bin/lito\" gate --bse \"$base\""),
        [["gate", "--bse", "base"]]
    );
    let repository = TestRepository::with_library();
    repository
        .lito(&["gate", "--bse", "base", "--help"])
        .says(2, &["--bse"]);
    assert!(calls("command -v lito || (cd / && cargo install --bin lito --root x lito)").is_empty());
}

#[test]
fn nothing_is_written_through_a_link_out_of_the_repository() {
    for (link, target) in [("lito.toml", "file"), (".github", "folder")] {
        let repository = TestRepository::with_library();
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("file"), "kept").unwrap();
        fs::create_dir(outside.path().join("folder")).unwrap();
        std::os::unix::fs::symlink(outside.path().join(target), repository.file(link)).unwrap();
        let source = format!("example/lito@{}", "0".repeat(40));
        repository
            .lito(&["init", "--force", "--ci", "github", "--source", &source])
            .fails(2, &[link, "is a symbolic link to", "remove the link"]);
        assert_eq!(fs::read_to_string(outside.path().join("file")).unwrap(), "kept");
        assert_eq!(fs::read_dir(outside.path().join("folder")).unwrap().count(), 0);
    }
}
