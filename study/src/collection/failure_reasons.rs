//! Why a version has no count → the few words of it that are kept: short, and without the names of this machine's folders,
//! so that results can be published and compared with those of another machine.

use std::path::Path;

use super::history::StudyHistory;

/// Lines that are kept of a reason: what a compiler says, and where.
const LINES: usize = 2;

/// Characters that are kept of a line.
const LENGTH: usize = 200;

/// Folders of this machine, each with what stands for it.
#[derive(Debug)]
pub(super) struct PathRedactions(Vec<(String, &'static str)>);

impl PathRedactions {
    /// Those that messages about a history name.
    pub(super) fn of(history: &StudyHistory) -> Self {
        let home = std::env::home_dir();
        let mut places = vec![
            // Places in the sources of a version are told as from its root.
            (inside(&history.cache.tree()), ""),
            (inside(history.root()), ""),
            (name(&history.cache.tree()), "the checkout"),
            (name(history.root()), "the repository"),
            (name(history.cache.root()), "<cache>"),
        ];
        places.extend(home.map(|home| (name(&home), "~")));
        for definition in &history.definitions {
            if let Some(harness) = &definition.harness {
                places.push((name(harness), "<harness>"));
            }
        }
        Self::new(places)
    }

    fn new(mut places: Vec<(String, &'static str)>) -> Self {
        places.retain(|(place, _)| place.len() > 1);
        // A folder before the one that it lies in.
        places.sort_by_key(|(place, _)| std::cmp::Reverse(place.len()));
        Self(places)
    }

    /// The first lines, as one.
    pub(super) fn shortened(&self, why: &str) -> String {
        let mut lines = Vec::new();
        for line in why.lines().map(str::trim) {
            if !line.is_empty() && lines.len() < LINES && !is_drawn(line) {
                lines.push(self.shortened_line(line));
            }
        }
        lines.join(" ")
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

/// A margin of a source excerpt, with or without its line.
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
    fn a_long_line_is_cut() {
        let cut = places().shortened(&"ä".repeat(1000));
        assert_eq!(cut.chars().count(), LENGTH + 1);
    }
}
