//! A report into the command that measures the same again.

use std::collections::BTreeSet;

use verdict::VerdictReport;

use crate::text::{quoted_word, safe, short_id};

/// Characters of a name in the command; the rest is left to a wildcard.
const NAME: usize = 100;

/// Benchmarks in one command.
const NAMES: usize = 5;

/// Digits of the longest object id there is (SHA-256), and of the shortest that is worth one.
const OBJECT_ID: std::ops::RangeInclusive<usize> = 7..=64;

/// The command for these benchmarks, one line for a POSIX shell; `None` where the versions are no commits.
pub(super) fn command(report: &VerdictReport, benchmarks: &BTreeSet<&str>) -> Option<String> {
    let is_id = |id: &str| OBJECT_ID.contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_id(&report.base) || !is_id(&report.head) {
        return None;
    }
    let mut command = format!("lito measure {} {}", short_id(&report.base), short_id(&report.head));
    // More names than that: all benchmarks.
    if benchmarks.len() <= NAMES {
        for benchmark in benchmarks {
            command.push_str(&format!(" --bench{}", argument(benchmark)));
        }
    }
    Some(command)
}

/// The name as the value of an option: joined to it where it would be taken for one.
fn argument(name: &str) -> String {
    let pattern = pattern(name);
    let joint = if pattern.starts_with('-') { '=' } else { ' ' };
    format!("{joint}{}", quoted_word(&pattern))
}

/// The name with `*`, which stands for any text, for what can't be shown or is too long.
fn pattern(name: &str) -> String {
    let mut pattern: String = name
        .chars()
        .take(NAME)
        .map(|c| {
            if safe(c.encode_utf8(&mut [0; 4])).len() == c.len_utf8() {
                c
            } else {
                '*'
            }
        })
        .collect();
    if name.chars().count() > NAME {
        pattern.push('*');
    }
    pattern
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;
    use runner_rules::glob_matches;

    use super::*;
    use crate::verdict::fixture::report;

    /// The matching rule of `--bench`, repeated here: the rule itself is in a package that this one does not import.
    mod runner_rules {
        pub(super) fn glob_matches(glob: &str, name: &str) -> bool {
            match glob.split_once('*') {
                None => glob == name,
                Some((start, rest)) => name.strip_prefix(start).is_some_and(|name| {
                    (0..=name.len())
                        .filter(|at| name.is_char_boundary(*at))
                        .any(|at| glob_matches(rest, &name[at..]))
                }),
            }
        }
    }

    fn of(names: &[&str]) -> String {
        command(&report(), &names.iter().copied().collect()).unwrap()
    }

    #[test]
    fn the_command_names_both_versions_and_the_benchmarks() {
        let versions = "lito measure bbbbbbbbbb aaaaaaaaaa";
        assert_eq!(of(&["parse/large"]), format!("{versions} --bench parse/large"));
        assert_eq!(of(&["a b", "-c"]), format!("{versions} --bench=-c --bench 'a b'"));
        assert_eq!(of(&["it's"]), format!("{versions} --bench 'it'\\''s'"));
        assert_eq!(of(&["a\nb"]), format!("{versions} --bench 'a*b'"));
        assert_eq!(of(&["1", "2", "3", "4", "5", "6"]), versions);
    }

    #[test]
    fn what_is_no_commit_is_not_put_into_a_command() {
        let mut report = report();
        report.base = String::from("--upload-pack=x");
        assert_eq!(command(&report, &BTreeSet::new()), None);
    }

    proptest! {
        #[test]
        fn a_shell_reads_one_word_a_name(name in any::<String>()) {
            let words = shlex::split(&of(&[&name])).unwrap();
            let pattern = match &words[4..] {
                [option, name] if option == "--bench" => name.clone(),
                [joined] => joined.strip_prefix("--bench=").unwrap().to_owned(),
                other => panic!("{other:?}"),
            };
            prop_assert!(glob_matches(&pattern, &name), "{} for {}", pattern, name);
        }
    }
}
