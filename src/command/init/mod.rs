//! `lito init`: the documented defaults into a lito.toml at the root of the repository, the workflows of GitHub Actions
//! beside it, and what lito will take for its benchmarks. Asks nothing, builds nothing, overwrites nothing unless told
//! to.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use runner::environment::{self, FindingSeverity};
use runner::git::Repository;

use super::{checkout, interruption};
use crate::cli::InitArguments;
use crate::exit::{CommandExit, Failure};
use crate::terminal::Terminal;
use engine::settings::FILE;

/// The settings as they are written.
const DOCUMENTED: &str = include_str!("../../config/lito.toml");

/// The workflows as they are written, but for the action that they use and the branch that they sample.
const WORKFLOWS: [(&str, &str); 3] = [
    ("lito.yml", include_str!("../../config/workflows/lito.yml")),
    (
        "lito-report.yml",
        include_str!("../../config/workflows/lito-report.yml"),
    ),
    (
        "lito-sample.yml",
        include_str!("../../config/workflows/lito-sample.yml"),
    ),
];

/// The git hook.
const HOOK: &str = include_str!("../../config/hooks/pre-push");

/// Where GitHub looks for them.
const WORKFLOW_FOLDER: &str = ".github/workflows";

/// The action that this lito was built from, where that is known.
const BUILT_FROM: Option<&str> = option_env!("LITO_ACTION");

/// Where it is not.
const NO_ACTION: &str = "this lito was not built from a clone of its repository on GitHub, so that it does not know \
                         which action they are to use; name it with --action OWNER/lito@COMMIT";

/// Writes the files.
pub(super) fn run(directory: &Path, arguments: &InitArguments, terminal: &Terminal) -> Result<CommandExit, Failure> {
    let repository = Repository::open(directory)?;
    let root = checkout(&repository, "writing the settings")?;
    let mut files = vec![(root.join(FILE), DOCUMENTED.to_owned())];
    let action = arguments.action.as_deref().or(BUILT_FROM);
    let wanted = (arguments.workflows).unwrap_or_else(|| on_github(&repository, root));
    let action = match (action, arguments.workflows) {
        (None, Some(true)) => {
            return Err(Failure::usage(format_args!("writing the workflows: {NO_ACTION}")));
        }
        (None, None) if wanted => {
            terminal.warn(&format!("no workflow is written: {NO_ACTION}"));
            None
        }
        (action, _) => action.filter(|_| wanted),
    };
    if let Some(action) = action {
        let workflows = workflow_files(&repository, action).into_iter();
        files.extend(workflows.map(|(name, content)| (root.join(name), content)));
    }
    if arguments.hook {
        files.push((repository.hooks_folder()?.join("pre-push"), HOOK.to_owned()));
    }
    let mut kept = Vec::new();
    for (path, content) in &files {
        match write(path, content, arguments.force)? {
            InitFileOutcome::New => terminal.note(&format!("wrote {}", path.display())),
            InitFileOutcome::Kept => kept.push(path.strip_prefix(root).unwrap_or(path).display().to_string()),
        }
    }
    if kept.len() == files.len() {
        return Err(Failure::usage(format_args!(
            "writing the settings: on {}: {} there already; --force overwrites",
            root.display(),
            match kept.as_slice() {
                [one] => format!("{one} is"),
                more => format!("{} are", more.join(", ")),
            }
        )));
    }
    for name in kept {
        terminal.note(&format!("kept {name}, which is there already; --force overwrites it"));
    }
    tell_of_benchmarks(root, terminal)?;
    terminal.note(if action.is_some() {
        "next: commit these files to the default branch and push; the next pull request has a verdict"
    } else {
        "next: `lito sample --last 100`, then `lito score` on any version"
    });
    Ok(CommandExit::Passed)
}

/// Whether workflows are of use here.
fn on_github(repository: &Repository, root: &Path) -> bool {
    root.join(".github").is_dir() || repository.is_on_github()
}

fn workflow_files(repository: &Repository, action: &str) -> [(String, String); WORKFLOWS.len()] {
    let pinned = format!("{action} # v{}", env!("CARGO_PKG_VERSION"));
    let branch = repository.default_branch().unwrap_or_else(|| String::from("main"));
    WORKFLOWS.map(|(name, template)| {
        let content = template
            .replace("uses: ACTION", &format!("uses: {pinned}"))
            .replace("DEFAULT_BRANCH", &branch_filter(&branch));
        (format!("{WORKFLOW_FOLDER}/{name}"), content)
    })
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
    if filter.chars().all(|c| c.is_ascii_alphanumeric() || "-_/.".contains(c)) {
        return filter;
    }
    serde_json::to_string(&filter).expect("a string is always encoded")
}

enum InitFileOutcome {
    New,
    /// It was there.
    Kept,
}

/// Writes a file; a script so that it can be run.
fn write(path: &Path, content: &str, force: bool) -> Result<InitFileOutcome, Failure> {
    let written = || -> io::Result<()> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        let mut options = OpenOptions::new();
        options.write(true);
        match force {
            true => options.create(true).truncate(true),
            false => options.create_new(true),
        };
        let mut file = options.open(path)?;
        file.write_all(content.as_bytes())?;
        if content.starts_with("#!") {
            file.set_permissions(Permissions::from_mode(0o755))?;
        }
        Ok(())
    };
    match written() {
        Ok(()) => Ok(InitFileOutcome::New),
        Err(error) if error.kind() == ErrorKind::AlreadyExists && path.exists() => Ok(InitFileOutcome::Kept),
        Err(error) => Err(Failure::environment(format_args!(
            "writing the settings: on {}: {error}; make the folder writable",
            path.display()
        ))),
    }
}

fn tell_of_benchmarks(root: &Path, terminal: &Terminal) -> Result<(), Failure> {
    let found = environment::check_bench_targets(root, &interruption()?);
    let after = match found.remedy {
        Some(remedy) => remedy,
        None => String::from("`lito bench list` builds them and lists their benchmarks"),
    };
    let said = match found.message.contains('\n') {
        true => format!("{}\n{after}", found.message),
        false => format!("{}; {after}", found.message),
    };
    let said = report::text::safe_lines(&said);
    match found.severity {
        FindingSeverity::Good => terminal.note(&said),
        FindingSeverity::Warning | FindingSeverity::Error => terminal.warn(&said),
    }
    Ok(())
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
