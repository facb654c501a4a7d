//! `lito init`: the documented defaults into a lito.toml at the root of the repository, the workflows of its host beside it,
//! and what lito will take for its benchmarks. Builds nothing, overwrites nothing unless told to, and asks only which lito
//! the workflows are to install, on a terminal, where nothing says so.

mod build_systems;
mod ci_files;
mod suites;

use std::path::{Path, PathBuf};

use runner::environment::{self, FindingSeverity};
use runner::git::Repository;
use runner::whole_file::{self, ExistingFilePolicy, NewFileMode};

use super::{checkout, interruption};
use crate::cli::{CiArgument, InitArguments, LitoSource};
use crate::exit::{CommandExit, Failure};
use crate::terminal::Terminal;
use engine::settings::FILE;

/// The settings as they are written.
const DOCUMENTED: &str = include_str!("../../../config/lito.toml");

/// The git hook.
const HOOK: &str = include_str!("../../../config/hooks/pre-push");

/// Where this lito was built from, if that is known.
const BUILT_FROM: Option<&str> = option_env!("LITO_SOURCE");

/// Where it is not.
const NO_SOURCE: &str = "this lito does not know which repository and commit it was built from, so that it cannot say \
                         which lito they are to install; name it with --source OWNER/NAME@COMMIT, a repository on \
                         GitHub, or --source https://HOST/PATH@COMMIT, with all 40 digits of the commit";

const QUESTION: &str = "Which lito are the workflows to install? OWNER/NAME@COMMIT on GitHub, or \
                        https://HOST/PATH@COMMIT; nothing to write no workflow: ";

/// Writes the files.
pub(super) fn run(directory: &Path, arguments: &InitArguments, terminal: &Terminal) -> Result<CommandExit, Failure> {
    let repository = Repository::open(directory)?;
    let root = checkout(&repository, "writing the settings")?;
    let build_system = build_systems::of_repository(root);
    let settings = build_system.map_or_else(|| DOCUMENTED.to_owned(), |system| system.settings(DOCUMENTED));
    let suites = suites::of_repository(&repository, root)?;
    let settings = suites::settings(&settings, &suites);
    let mut files = vec![(root.join(FILE), settings)];
    let host = (arguments.ci).unwrap_or_else(|| ci_files::detected_host(&repository, root));
    let source = match host {
        CiArgument::None => None,
        CiArgument::Github | CiArgument::Gitlab | CiArgument::Forgejo => lito_source(arguments, terminal)?,
    };
    let workflows = source.map(|source| ci_files::ci_files(host, &repository, root, &source));
    if let Some(workflows) = &workflows {
        files.extend(workflows.files.clone());
    }
    if arguments.hook {
        files.push((repository.hooks_folder()?.join("pre-push"), HOOK.to_owned()));
    }
    write_all(root, &files, arguments.force, terminal)?;
    match build_system {
        _ if !suites.is_empty() => terminal.note(&report::text::safe_lines(&suites::told(&suites))),
        Some(system) => terminal.note(&format!(
            "lito finds benchmarks of cargo by itself, and measures any other program; say which in {FILE}, where an \
             example for {} stands",
            system.name
        )),
        None => tell_of_benchmarks(root, terminal)?,
    }
    for step in workflows.iter().flat_map(|workflows| &workflows.by_hand) {
        terminal.warn(step);
    }
    terminal.note(match (workflows, host) {
        (None, _) | (_, CiArgument::None) => "next: `lito sample --last 100`, then `lito score` on any version",
        (_, CiArgument::Gitlab) => {
            "next: commit these files to the default branch and push; the next merge request has a verdict"
        }
        (_, CiArgument::Github | CiArgument::Forgejo) => {
            "next: commit these files to the default branch and push; the next pull request has a verdict"
        }
    });
    Ok(CommandExit::Passed)
}

/// The lito that the workflows install: the one that was named, the one that runs, or the answer to a question. `None`
/// if nobody knows it and nobody asked for workflows.
fn lito_source(arguments: &InitArguments, terminal: &Terminal) -> Result<Option<LitoSource>, Failure> {
    let built_from = || BUILT_FROM?.parse().ok();
    if let Some(source) = arguments.source.clone().or_else(built_from) {
        return Ok(Some(source));
    }
    if let Some(answer) = terminal.ask(QUESTION)? {
        return answered(&answer);
    }
    match arguments.ci {
        Some(_) => Err(Failure::usage(format_args!("writing the workflows: {NO_SOURCE}"))),
        None => {
            terminal.warn(&format!("no workflow is written: {NO_SOURCE}"));
            Ok(None)
        }
    }
}

/// The answer to the question; `None` for an empty one.
fn answered(answer: &str) -> Result<Option<LitoSource>, Failure> {
    match answer.trim() {
        "" => Ok(None),
        named => named
            .parse()
            .map(Some)
            .map_err(|why| Failure::usage(format_args!("writing the workflows: {named}: {why}"))),
    }
}

/// Writes the files; fails if every one of them was there before.
fn write_all(root: &Path, files: &[(PathBuf, String)], force: bool, terminal: &Terminal) -> Result<(), Failure> {
    // All or nothing: before the first of them is written.
    for (path, _) in files.iter().filter(|(path, _)| force || !path.exists()) {
        whole_file::refuse_links(path)
            .map_err(|error| Failure::usage(format_args!("writing the settings: on {error}")))?;
    }
    let mut kept = Vec::new();
    for (path, content) in files {
        match write(path, content, force)? {
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
    Ok(())
}

enum InitFileOutcome {
    New,
    /// It was there.
    Kept,
}

/// Writes a file; a script so that it can be run.
fn write(path: &Path, content: &str, force: bool) -> Result<InitFileOutcome, Failure> {
    let existing = match force {
        true => ExistingFilePolicy::Replace,
        false => ExistingFilePolicy::Keep,
    };
    let mode = match content.starts_with("#!") {
        true => NewFileMode::Executable,
        false => NewFileMode::Usual,
    };
    match whole_file::write_with(path, content.as_bytes(), existing, mode) {
        Ok(true) => Ok(InitFileOutcome::New),
        Ok(false) => Ok(InitFileOutcome::Kept),
        Err(error) => Err(Failure::environment(format_args!(
            "writing the settings: on {error}; make the folder writable"
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
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_empty_answer_is_no_workflow_and_a_wrong_one_says_what_is_expected() {
        assert_eq!(answered("\n").unwrap(), None);
        let commit = "0123456789abcdef0123456789abcdef01234567";
        let source = answered(&format!(" example/lito@{commit}\n")).unwrap().unwrap();
        assert_eq!(source.action(), Some("example/lito"));
        assert!(
            answered("example/lito")
                .unwrap_err()
                .to_string()
                .contains("OWNER/NAME@COMMIT")
        );
    }
}
