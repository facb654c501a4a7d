//! Variables of this process and those that a program asks for → a block of variables of the same length on every
//! machine, for programs whose instructions are counted. Starts nothing.
//!
//! The block lies above the stack, so that its length decides how the stack is aligned, and what a program reads in it
//! decides what the program executes. CI systems add tens of variables that differ from job to job.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};

use super::is_secret;

/// The variables and the address space of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ProcessSurroundings {
    /// The variables of this process, and addresses at random.
    #[default]
    Inherited,
    /// The same on every machine: few variables of this process, a block of fixed length, and the same addresses in
    /// every run. Where the system refuses the latter, as some containers do, the program runs all the same.
    Fixed {
        /// Bytes that lie beside the variables: the program's own arguments.
        words: usize,
    },
}

/// Variables of this process that programs in fixed surroundings get: where programs, libraries and files are found.
const KEPT: [&str; 7] = [
    "CARGO_HOME",
    "HOME",
    "LD_LIBRARY_PATH",
    "PATH",
    "RUSTUP_HOME",
    "TMPDIR",
    "VALGRIND_LIB",
];

/// Variables with the same value everywhere: language and time zone decide how much code formats a date.
const SET: [(&str, &str); 2] = [("LANG", "C.UTF-8"), ("TZ", "UTC")];

/// The number of variables is a multiple of this.
const VARIABLES: usize = 64;

/// The length of all variables and words is a multiple of this, in bytes.
const BLOCK: usize = 16 << 10;

/// Name of the variables that fill the block, before their number.
const FILLER: &str = "LITO_FILLER_";

/// All variables of a program in fixed surroundings. `added` are its own; `None` removes one.
pub(super) fn fixed_variables(
    inherited: impl IntoIterator<Item = (OsString, OsString)>,
    added: &[(OsString, Option<OsString>)],
    words: usize,
) -> BTreeMap<OsString, OsString> {
    let kept = (inherited.into_iter()).filter(|(name, _)| KEPT.iter().any(|kept| name == kept));
    let set = SET.map(|(name, value)| (name.into(), value.into()));
    let mut all: BTreeMap<OsString, OsString> = kept.chain(set).collect();
    for (name, value) in added {
        match value {
            Some(value) if !is_secret(name) => {
                all.insert(name.clone(), value.clone());
            }
            _ => {
                all.remove(name);
            }
        }
    }
    for name in KEPT {
        // The loader reads each name to its end: one that is not set has a stand-in of the same length.
        if !all.contains_key(OsStr::new(name)) {
            all.insert(name.chars().rev().collect::<String>().into(), OsString::new());
        }
    }
    let missing = (all.len() + 1).next_multiple_of(VARIABLES) - all.len();
    all.extend((0..missing).map(|number| (format!("{FILLER}{number:02}").into(), OsString::new())));
    let length = words + all.iter().map(|(name, value)| bytes_of(name, value)).sum::<usize>();
    let filling = "-".repeat(length.next_multiple_of(BLOCK) - length);
    all.insert(format!("{FILLER}00").into(), filling.into());
    all
}

/// `NAME=VALUE` with its end.
fn bytes_of(name: &OsStr, value: &OsStr) -> usize {
    name.len() + value.len() + 2
}

/// True if a failed program may have wanted a variable that it does not get: its last words name one that this process
/// has, or speak of variables.
pub(crate) fn may_lack_a_variable(said: &str) -> bool {
    let speaks = ["NotPresent", "environment variable", "environment not found"];
    let left_out = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    speaks.iter().any(|words| said.contains(words))
        || (left_out.filter(|name| KEPT.iter().all(|kept| name != kept)))
            .any(|name| name.len() >= SHORTEST_NAME && words_of(said).any(|word| word == name))
}

/// Names shorter than this are words of a message as well.
const SHORTEST_NAME: usize = 4;

fn words_of(text: &str) -> impl Iterator<Item = &str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(variables: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        (variables.iter())
            .map(|(name, value)| (OsString::from(name), OsString::from(value)))
            .collect()
    }

    fn shape(variables: &BTreeMap<OsString, OsString>, words: usize) -> (usize, usize) {
        let bytes = variables
            .iter()
            .map(|(name, value)| bytes_of(name, value))
            .sum::<usize>();
        (variables.len(), bytes + words)
    }

    #[test]
    fn what_a_ci_system_sets_and_where_a_user_lives_change_no_length() {
        let one = fixed_variables(pairs(&[("HOME", "/root"), ("PATH", "/bin")]), &[], 10);
        let injected: Vec<(String, String)> = (0..40).map(|at| (format!("GITHUB_{at}"), "x".repeat(at))).collect();
        let injected = injected.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let mut there = vec![
            ("HOME", "/home/somebody/else"),
            ("PATH", "/bin:/usr/bin"),
            ("TMPDIR", "/var/tmp"),
        ];
        there.extend(injected);
        let two = fixed_variables(pairs(&there), &[], 300);
        assert_eq!(shape(&one, 10), shape(&two, 300));
        let names = |all: &BTreeMap<OsString, OsString>| all.keys().map(|name| name.len()).sum::<usize>();
        assert_eq!(names(&one), names(&two), "TMPDIR is set on one of them");
        assert_eq!(two[OsStr::new("HOME")], "/home/somebody/else");
        assert!(two.keys().all(|name| !name.to_string_lossy().starts_with("GITHUB_")));
    }

    #[test]
    fn a_program_gets_what_it_asks_for_but_no_secret() {
        let asked = [("DATA", Some("here")), ("GITHUB_TOKEN", Some("secret")), ("TZ", None)]
            .map(|(name, value)| (name.into(), value.map(Into::into)));
        let variables = fixed_variables(pairs(&[("GITHUB_TOKEN", "secret")]), &asked, 0);
        assert_eq!(variables[OsStr::new("DATA")], "here");
        assert!(!variables.contains_key(OsStr::new("GITHUB_TOKEN")));
        assert!(!variables.contains_key(OsStr::new("TZ")));
    }

    #[test]
    fn many_variables_take_more_room_and_none_is_lost() {
        let own: Vec<(OsString, Option<OsString>)> = (0..VARIABLES)
            .map(|at| (format!("OWN_{at}").into(), Some("x".repeat(BLOCK / 32).into())))
            .collect();
        let variables = fixed_variables(Vec::new(), &own, 0);
        assert_eq!(variables.len() % VARIABLES, 0);
        assert_eq!(shape(&variables, 0).1 % BLOCK, 0);
        assert!(own.iter().all(|(name, _)| variables.contains_key(name)));
    }

    #[test]
    fn a_program_that_speaks_of_variables_may_lack_one() {
        assert!(may_lack_a_variable(
            "called `Result::unwrap()` on an `Err` value: NotPresent"
        ));
        assert!(may_lack_a_variable("DATABASE_URL: environment variable not found"));
        assert!(!may_lack_a_variable("index out of bounds: the len is 3"));
    }
}
