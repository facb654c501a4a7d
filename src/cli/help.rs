//! The help beyond the arguments: the commands in groups, and an example for each. Parses nothing.

use clap::{Command, CommandFactory as _};
use report::text;

use super::{CliArguments, GLOBAL};

/// The commands by who needs them.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "Every day",
        &[
            "doctor", "bench", "sample", "score", "gate", "measure", "compare", "track", "bisect",
        ],
    ),
    ("Continuous integration", &["init", "post", "store", "cache"]),
    ("Research", &["demo", "selftest", "evaluate", "import"]),
    ("This program", &["completions", "man", "schema"]),
];

/// Command lines for each command that does something by itself, with the effect of each.
const EXAMPLES: [(&str, &[(&str, &str)]); 31] = [
    (
        "init",
        &[
            ("lito init", "write lito.toml and the workflows of the host"),
            ("lito init --ci gitlab", "write what GitLab needs"),
            (
                "lito init --source https://HOST/PATH@COMMIT",
                "let the workflows install lito from there",
            ),
        ],
    ),
    ("doctor", &[("lito doctor", "check everything that lito needs here")]),
    (
        "bench list",
        &[("lito bench list", "build the benchmarks and list them")],
    ),
    (
        "bench coverage",
        &[("lito bench coverage", "show which functions no benchmark executes")],
    ),
    (
        "sample",
        &[
            ("lito sample", "profile the benchmarks at HEAD"),
            ("lito sample --last 100", "profile every 20th of the last 100 versions"),
        ],
    ),
    (
        "score",
        &[
            ("lito score", "predict what HEAD changes"),
            ("lito score --uncommitted", "predict what the checkout changes"),
            ("lito score HEAD~20..HEAD", "predict each of the last 20 versions"),
            (
                "lito score HEAD~2 --explain",
                "show how the numbers of a version are made",
            ),
        ],
    ),
    (
        "measure",
        &[
            ("lito measure main", "measure HEAD against main"),
            (
                "lito measure v1.0 v1.1 --bench 'parse/*'",
                "measure some benchmarks of two versions",
            ),
        ],
    ),
    (
        "gate",
        &[
            ("lito gate", "judge HEAD, or the branch that it is on"),
            ("lito gate --uncommitted", "judge what is not committed yet"),
            (
                "lito gate --claim 'parse/* faster 10%'",
                "and check whether it does what it is meant to do",
            ),
            (
                "lito gate --base v1.0 --report verdict",
                "judge a release, and keep the verdict as files",
            ),
        ],
    ),
    (
        "post",
        &[(
            "lito post verdict/posting.json --repository OWNER/NAME",
            "post a result that could not be posted",
        )],
    ),
    (
        "track",
        &[
            ("lito track --last 50", "show what each of the last 50 versions cost"),
            (
                "lito track --last 50 --output track.html",
                "and explain each jump in a report",
            ),
        ],
    ),
    (
        "bisect",
        &[(
            "lito bisect v1.0 --bench parse/large",
            "find the version since v1.0 that moved it",
        )],
    ),
    (
        "compare",
        &[
            ("lito compare main", "show where HEAD differs from main"),
            (
                "lito compare main --bench parse/large --output report.html",
                "draw it for one benchmark",
            ),
            (
                "lito compare --folded before.folded after.folded",
                "compare the stacks of another profiler",
            ),
        ],
    ),
    (
        "selftest",
        &[(
            "lito selftest --seeds 2",
            "plant two changes of each kind, and judge them",
        )],
    ),
    (
        "evaluate",
        &[(
            "lito evaluate",
            "compare the predictions with the samples of this repository",
        )],
    ),
    ("store list", &[("lito store list", "list the sampled versions")]),
    (
        "store show",
        &[(
            "lito store show HEAD~3 --bench parse",
            "show the functions that a benchmark executed",
        )],
    ),
    (
        "store verify",
        &[("lito store verify", "check every entry of the store")],
    ),
    (
        "store gc",
        &[
            ("lito store gc", "remove samples of versions that are gone"),
            (
                "lito store gc --keep 200 --dry-run",
                "list what is beyond the 200 newest versions",
            ),
            (
                "lito store gc --keep 20 --older-than 90d",
                "remove what is older than 90 days, but not the 20 newest",
            ),
        ],
    ),
    (
        "store fetch",
        &[("lito store fetch", "merge the store of origin into the local one")],
    ),
    ("store push", &[("lito store push", "send the local store to origin")]),
    (
        "store export",
        &[("lito store export ../part.store", "write the store to a file")],
    ),
    (
        "store merge",
        &[("lito store merge ../part.store", "merge a file of another machine")],
    ),
    (
        "cache key",
        &[("lito cache key", "name what a host's cache may have of HEAD")],
    ),
    (
        "cache export",
        &[("lito cache export ../built", "keep the built dependencies")],
    ),
    (
        "cache import",
        &[("lito cache import ../built", "build upon them in another job")],
    ),
    (
        "import crate",
        &[(
            "lito import crate semver ../semver --last 20",
            "make a history of the last 20 releases",
        )],
    ),
    (
        "import python",
        &[(
            "lito import python tomli ../tomli --last 20",
            "make a history of the last 20 releases",
        )],
    ),
    (
        "demo",
        &[(
            "lito demo --library httparse --last 10",
            "try everything on ten releases of httparse",
        )],
    ),
    (
        "completions",
        &[("lito completions zsh", "print the completion script for zsh")],
    ),
    ("man", &[("lito man target/man", "write the manual pages to a folder")]),
    (
        "schema",
        &[
            ("lito schema", "print the JSON schema of lito.toml"),
            ("lito schema verdict", "print that of the JSON of lito gate"),
        ],
    ),
];

/// The column at which the descriptions of the commands begin.
const DESCRIPTIONS_AT: usize = 15;

/// Columns of the help. The same as that of clap's own parts.
pub(super) const WIDTH: usize = 100;

/// The command line, with its help.
pub(crate) fn command() -> Command {
    let mut command = CliArguments::command();
    for (path, examples) in EXAMPLES {
        let words: Vec<&str> = path.split(' ').collect();
        command = with_examples(command, &words, &rendered(examples));
    }
    let template = format!(
        "{{before-help}}{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}{}\n{{options}}{{after-help}}",
        grouped(&command),
        heading(&command, GLOBAL),
    );
    command.help_template(template)
}

/// The command with these examples below the long help of one of its subcommands.
fn with_examples(command: Command, path: &[&str], examples: &str) -> Command {
    match path {
        [] => command.after_long_help(examples.to_owned()),
        [first, rest @ ..] => command.mut_subcommand(first, |sub| with_examples(sub, rest, examples)),
    }
}

fn rendered(examples: &[(&str, &str)]) -> String {
    let widest = examples.iter().map(|(line, _)| line.len()).max().unwrap_or_default();
    let title = if examples.len() == 1 { "Example:" } else { "Examples:" };
    let lines = examples
        .iter()
        .map(|(line, effect)| format!("\n  {line:widest$}  {effect}"));
    std::iter::once(title.to_owned()).chain(lines).collect()
}

/// The commands, each with its description, under the headings of their groups.
fn grouped(command: &Command) -> String {
    let literal = command.get_styles().get_literal();
    let mut out = String::new();
    for (title, names) in GROUPS {
        out.push_str(&format!("{}\n", heading(command, title)));
        for name in names {
            let found = command.get_subcommands().find(|sub| sub.get_name() == *name);
            let about = found
                .and_then(Command::get_about)
                .map(ToString::to_string)
                .unwrap_or_default();
            let lines = text::wrapped(&about, WIDTH - DESCRIPTIONS_AT);
            for (index, line) in lines.iter().enumerate() {
                let name = if index == 0 { name } else { "" };
                out.push_str(&format!("  {literal}{name:11}{literal:#}  {line}\n"));
            }
        }
        out.push('\n');
    }
    out
}

fn heading(command: &Command, title: &str) -> String {
    let style = command.get_styles().get_header();
    format!("{style}{title}:{style:#}")
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches as _;

    use super::*;

    /// The paths of the commands that have no commands below them.
    fn leaves(command: &Command, path: &str) -> Vec<String> {
        let subs = command.get_subcommands().filter(|sub| sub.get_name() != "help");
        let below: Vec<String> = subs
            .flat_map(|sub| leaves(sub, format!("{path} {}", sub.get_name()).trim()))
            .collect();
        if below.is_empty() { vec![path.to_owned()] } else { below }
    }

    #[test]
    fn every_command_is_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        grouped.sort_unstable();
        let command = CliArguments::command();
        let mut known: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        known.sort_unstable();
        assert_eq!(grouped, known);
    }

    #[test]
    fn every_command_has_examples_that_are_accepted() {
        let mut with_examples: Vec<&str> = EXAMPLES.iter().map(|(path, _)| *path).collect();
        with_examples.sort_unstable();
        let mut known = leaves(&CliArguments::command(), "");
        known.sort_unstable();
        assert_eq!(with_examples, known);
        for (path, examples) in EXAMPLES {
            for (line, _) in examples {
                assert!(line.starts_with(&format!("lito {path}")), "{line}");
                let whole = line.replace("COMMIT", &"0".repeat(40));
                // Spaces between single quotes part no words.
                let parts = whole.split('\'').enumerate();
                let words = parts.flat_map(|(at, part)| match at % 2 {
                    0 => part.split_whitespace().collect(),
                    _ => vec![part],
                });
                let matches = command()
                    .try_get_matches_from(words)
                    .unwrap_or_else(|error| panic!("{line}: {error}"));
                assert!(CliArguments::from_arg_matches(&matches).is_ok(), "{line}");
            }
        }
    }

    #[test]
    fn descriptions_do_not_leave_the_page() {
        let lines = grouped(&CliArguments::command());
        for line in lines.lines() {
            let plain = anstream::adapter::strip_str(line).to_string();
            assert!(plain.len() <= WIDTH, "{plain}");
        }
    }
}
