//! A host, a repository and a lito → the files that let the host judge each pull request and sample the default branch, and
//! what is left to do by hand. Writes nothing.

use std::fs;
use std::path::{Path, PathBuf};

use runner::environment;
use runner::git::Repository;

use crate::cli::{CiArgument, LitoSource};

/// The workflows of GitHub, but for the action that they use and the branch that they sample.
const GITHUB: [(&str, &str); 3] = [
    ("lito.yml", include_str!("../../../config/workflows/lito.yml")),
    (
        "lito-report.yml",
        include_str!("../../../config/workflows/lito-report.yml"),
    ),
    (
        "lito-sample.yml",
        include_str!("../../../config/workflows/lito-sample.yml"),
    ),
];

/// Where GitHub looks for them.
const GITHUB_FOLDER: &str = ".github/workflows";

/// A step of theirs where lito is not on GitHub: its sources, from which the action in them builds it. Removed first, so
/// that nothing of a pull request is among them.
const FETCHED_ACTION: &str = r#"      - name: Fetch lito
        run: |
          rm -rf .lito
          git init --quiet .lito/lito
          git -C .lito/lito fetch --quiet --depth 1 ADDRESS COMMIT
          git -C .lito/lito checkout --quiet COMMIT
      - uses: ./.lito/lito # zizmor: ignore[self-repository] fetched by the step before"#;

/// The jobs of GitLab, but for their stage and the lito that they install.
const GITLAB: &str = include_str!("../../../config/gitlab/lito.yml");

/// Where they are written.
const GITLAB_FILE: &str = ".gitlab/lito.yml";

/// The configuration that includes them, where there is none.
const GITLAB_CONFIGURATION: &str = include_str!("../../../config/gitlab/gitlab-ci.yml");

/// Where GitLab looks for it.
const GITLAB_CONFIGURATION_FILE: &str = ".gitlab-ci.yml";

/// The stage of GitLab's own stages in which tests run.
const TEST_STAGE: &str = "test";

/// The workflow of Forgejo and Gitea, but for the branch that it samples and the lito that it installs.
const FORGEJO: &str = include_str!("../../../config/forgejo/lito.yml");

/// Where a repository lists its submodules.
const SUBMODULES: &str = ".gitmodules";

/// The files of a host, and its manual steps.
pub(super) struct CiFiles {
    /// Each file with its content.
    pub(super) files: Vec<(PathBuf, String)>,
    /// Steps that are left to a person, a sentence each.
    pub(super) by_hand: Vec<String>,
}

/// The host of the remotes, `origin` before others; else the one whose folder or file is there.
pub(super) fn detected_host(repository: &Repository, root: &Path) -> CiArgument {
    if let Some(host) = repository.remote_hosts().iter().find_map(|name| host_by_name(name)) {
        return host;
    }
    let has = |names: &[&str]| names.iter().any(|name| root.join(name).exists());
    if has(&[GITLAB_CONFIGURATION_FILE, ".gitlab"]) {
        CiArgument::Gitlab
    } else if has(&[".forgejo", ".gitea"]) {
        CiArgument::Forgejo
    } else if has(&[".github"]) {
        CiArgument::Github
    } else {
        CiArgument::None
    }
}

/// The host that the name of a server suggests: organisations run their own.
fn host_by_name(server: &str) -> Option<CiArgument> {
    let suggests = |parts: &[&str]| parts.iter().any(|part| server.contains(part));
    if suggests(&["github"]) {
        Some(CiArgument::Github)
    } else if suggests(&["gitlab"]) {
        Some(CiArgument::Gitlab)
    } else if suggests(&["forgejo", "gitea", "codeberg"]) {
        Some(CiArgument::Forgejo)
    } else {
        None
    }
}

/// The files of a host.
pub(super) fn ci_files(host: CiArgument, repository: &Repository, root: &Path, source: &LitoSource) -> CiFiles {
    let mut written = match host {
        CiArgument::Github => github(repository, root, source),
        CiArgument::Gitlab => gitlab(root, source),
        CiArgument::Forgejo => forgejo(repository, root, source),
        CiArgument::None => CiFiles {
            files: Vec::new(),
            by_hand: Vec::new(),
        },
    };
    if root.join(SUBMODULES).is_file() {
        for (_, content) in &mut written.files {
            *content = with_submodules(content);
        }
    }
    written
}

/// The jobs that check all versions out check the submodules out as well.
fn with_submodules(jobs: &str) -> String {
    (jobs.replace(
        "          fetch-depth: 0\n",
        "          fetch-depth: 0\n          submodules: recursive\n",
    ))
    .replace(
        "    GIT_DEPTH: \"0\"\n",
        "    GIT_DEPTH: \"0\"\n    GIT_SUBMODULE_STRATEGY: recursive\n",
    )
}

fn github(repository: &Repository, root: &Path, source: &LitoSource) -> CiFiles {
    let version = env!("CARGO_PKG_VERSION");
    let step = match source.action() {
        Some(action) => format!("      - uses: {action}@{} # v{version}", source.commit()),
        None => (FETCHED_ACTION.replace("ADDRESS", source.address())).replace("COMMIT", source.commit()),
    };
    let branch = sampled_branch(repository);
    let files = GITHUB.map(|(name, template)| {
        let content = template
            .replace("      - uses: ACTION", &step)
            .replace("DEFAULT_BRANCH", &branch);
        (root.join(GITHUB_FOLDER).join(name), content)
    });
    CiFiles {
        files: files.into(),
        by_hand: Vec::new(),
    }
}

fn gitlab(root: &Path, source: &LitoSource) -> CiFiles {
    let configuration = root.join(GITLAB_CONFIGURATION_FILE);
    let mut stages = environment::gitlab_stages(&configuration).unwrap_or_default();
    let stage = match stages.iter().any(|stage| stage == TEST_STAGE) || stages.is_empty() {
        true => String::from(TEST_STAGE),
        false => stages.swap_remove(0),
    };
    let jobs = installing(GITLAB, source).replace("stage: STAGE", &format!("stage: {}", quoted(stage)));
    let mut written = CiFiles {
        files: vec![(root.join(GITLAB_FILE), jobs)],
        by_hand: Vec::new(),
    };
    match fs::read_to_string(&configuration) {
        Ok(text) if text.contains(GITLAB_FILE) => {}
        _ if configuration.exists() => written.by_hand.push(format!(
            "{GITLAB_CONFIGURATION_FILE} is yours and stays as it is: add this line to its `include:`, or both lines if \
             it has none\n{}",
            GITLAB_CONFIGURATION.trim_end()
        )),
        _ => (written.files).push((configuration, GITLAB_CONFIGURATION.to_owned())),
    }
    written
}

fn forgejo(repository: &Repository, root: &Path, source: &LitoSource) -> CiFiles {
    let has = |name: &str| root.join(name).is_dir();
    // Gitea does not look into Forgejo's folder; Forgejo looks into Gitea's if it has none of its own.
    let folder = match has(".gitea") && !has(".forgejo") {
        true => ".gitea/workflows",
        false => ".forgejo/workflows",
    };
    let mut by_hand = Vec::new();
    if !has(folder) && has(GITHUB_FOLDER) {
        by_hand.push(format!(
            "from now on Forgejo runs the workflows in {folder} instead of those in {GITHUB_FOLDER}: copy the ones that it \
             is to run"
        ));
    }
    let workflow = installing(FORGEJO, source).replace("DEFAULT_BRANCH", &sampled_branch(repository));
    CiFiles {
        files: vec![(root.join(folder).join("lito.yml"), workflow)],
        by_hand,
    }
}

/// The template with the lito that its jobs install, and an image that can build that.
fn installing(template: &str, source: &LitoSource) -> String {
    template
        .replace("LITO_SOURCE: ADDRESS", &format!("LITO_SOURCE: {}", source.address()))
        .replace("LITO_COMMIT: COMMIT", &format!("LITO_COMMIT: \"{}\"", source.commit()))
        .replace("vVERSION", concat!("v", env!("CARGO_PKG_VERSION")))
        .replace("rust:RUST_VERSION", concat!("rust:", env!("CARGO_PKG_RUST_VERSION")))
}

/// The default branch, as a filter that matches nothing else.
fn sampled_branch(repository: &Repository) -> String {
    branch_filter(&repository.default_branch().unwrap_or_else(|| String::from("main")))
}

/// A branch's name as a filter that matches nothing else, in the quotes of YAML, which are JSON's.
fn branch_filter(branch: &str) -> String {
    let mut filter = String::with_capacity(branch.len());
    for character in branch.chars() {
        if "*?+[]!\\".contains(character) {
            filter.push('\\');
        }
        filter.push(character);
    }
    quoted(filter)
}

/// Text as a value of YAML, in the quotes of JSON, which are YAML's, where it needs any.
fn quoted(text: String) -> String {
    if text.chars().all(|c| c.is_ascii_alphanumeric() || "-_/.".contains(c)) {
        return text;
    }
    serde_json::to_string(&text).expect("a string is always encoded")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_is_filtered_by_its_own_name_only() {
        assert_eq!(branch_filter("main"), "main");
        assert_eq!(branch_filter("release/1.0"), "release/1.0");
        assert_eq!(branch_filter("a*b"), r#""a\\*b""#);
        assert_eq!(branch_filter("# x: \"y\""), r##""# x: \"y\"""##);
    }
}
