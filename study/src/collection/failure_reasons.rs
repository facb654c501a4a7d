//! The reason why a version has no count → a short form of it, without the names of this machine's folders, so that
//! results can be published and compared with those of another machine.

use std::path::Path;

use super::history::StudyHistory;

/// The most lines of a reason: the compiler's message, and its place.
const LINES: usize = 2;

/// The most characters of a line.
const LENGTH: usize = 200;

/// Folders of this machine, each with its replacement.
#[derive(Debug)]
pub(super) struct PathRedactions(Vec<(String, &'static str)>);

impl PathRedactions {
    /// The folders in messages about a history.
    pub(super) fn of(history: &StudyHistory) -> Self {
        let home = std::env::home_dir();
        let mut places = vec![
            // Places in the sources of a version are shown relative to its root.
            (inside(&history.cache.tree()), ""),
            (inside(history.root()), ""),
            (name(&history.cache.tree()), "the checkout"),
            (name(history.root()), "the repository"),
            (name(history.cache.root()), "<cache>"),
        ];
        places.extend(home.map(|home| (name(&home), "~")));
        for definition in history.definitions.iter() {
            if let Some(harness) = &definition.harness {
                places.push((name(harness), "<harness>"));
            }
        }
        Self::new(places)
    }

    fn new(mut places: Vec<(String, &'static str)>) -> Self {
        places.retain(|(place, _)| place.len() > 1);
        // A nested folder before the folder that contains it.
        places.sort_by_key(|(place, _)| std::cmp::Reverse(place.len()));
        Self(places)
    }

    /// The lines of a reason that matter, joined into one line: from the first error of a compiler or panic of a benchmark
    /// on, after the clause that the reason begins with. Without either, its first lines.
    pub(super) fn shortened(&self, why: &str) -> String {
        let mut lines = Vec::new();
        let all: Vec<&str> = why.lines().map(str::trim).collect();
        let matters = all.iter().position(|line| is_error(line)).unwrap_or(0);
        let head = all
            .first()
            .filter(|_| matters > 0)
            .and_then(|first| first.split_once(": "));
        for line in all[matters.min(all.len())..].iter().copied() {
            if !line.is_empty() && lines.len() < LINES && !is_drawn(line) {
                lines.push(self.shortened_line(line));
            }
        }
        let shortened = lines.join(" ");
        match head {
            Some((what, _)) => format!("{}: {shortened}", self.shortened_line(what)),
            None => shortened,
        }
    }

    fn shortened_line(&self, line: &str) -> String {
        let mut line = line.to_owned();
        for (place, stands_for) in &self.0 {
            line = line.replace(place, stands_for);
        }
        match line.char_indices().nth(LENGTH) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        }
    }
}

/// True for a line in which a compiler or a linker names an error, or a program the place of its panic.
fn is_error(line: &str) -> bool {
    line.starts_with("error:")
        || line.starts_with("error[")
        || line.contains(": error:")
        || line.contains(": error[")
        || line.contains("panicked at ")
}

/// True for the margin of a source excerpt, with or without its source line.
fn is_drawn(line: &str) -> bool {
    line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ')
        .starts_with('|')
}

fn name(folder: &Path) -> String {
    folder.to_string_lossy().into_owned()
}

fn inside(folder: &Path) -> String {
    name(folder) + "/"
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn places() -> PathRedactions {
        PathRedactions::new(vec![
            (String::from("/"), "nothing"),
            (String::from("/home/me"), "~"),
            (String::from("/home/me/cache/r/tree/"), ""),
            (String::from("/home/me/cache/r"), "<cache>"),
        ])
    }

    #[test]
    fn the_message_and_its_place_are_kept_and_no_folder_of_this_machine() {
        let why = "does not build: error: cannot find macro `vec`\n   --> /home/me/cache/r/tree/src/a.rs:710:21\n    |\n\
                   710 | vec![]\n    | ^^^";
        assert_eq!(
            places().shortened(why),
            "does not build: error: cannot find macro `vec` --> src/a.rs:710:21"
        );
        assert_eq!(
            places().shortened("\nin /home/me/cache/r/target and /home/me/.cargo/x\nb\nc"),
            "in <cache>/target and ~/.cargo/x b"
        );
    }

    #[test]
    fn the_error_is_kept_and_not_what_was_said_before_it() {
        let why = "does not build: warning: unused import: `x`\n  --> src/a.rs:1:5\n   Compiling a v1\n\
                   error[E0425]: cannot find value `y` in this scope\n   --> /home/me/cache/r/tree/src/a.rs:7:9\n    |\n\
                   error: aborting";
        assert_eq!(
            places().shortened(why),
            "does not build: error[E0425]: cannot find value `y` in this scope --> src/a.rs:7:9"
        );
        let why = "running sum: exit status 101\nsome output\nthread 'main' panicked at src/main.rs:3:5:\nindex out of bounds\nnote: run";
        assert_eq!(
            places().shortened(why),
            "running sum: thread 'main' panicked at src/main.rs:3:5: index out of bounds"
        );
        assert_eq!(places().shortened(""), "");
    }

    #[test]
    fn a_long_line_is_cut() {
        let cut = places().shortened(&"ä".repeat(1000));
        assert_eq!(cut.chars().count(), LENGTH + 1);
    }
}
