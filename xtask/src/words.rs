//! `cargo xtask words`: how plain the names and comments of a tree of Rust sources are, in four figures.
//!
//! Counts definitions (`struct`, `enum`, `trait`, `type`, `union`) line by line, as text: associated types of
//! implementations (`type Error = …`) are not definitions of a name, and are left out. Works on any tree, so that the
//! figures can be compared with those of other projects.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::root;

/// Most definitions of one-word names, as a share of all definitions.
const ONE_WORD_AT_MOST: f64 = 0.45;

/// Most definitions of names that are defined three times or more, as a share of all definitions.
const THRICE_AT_MOST: f64 = 0.08;

/// Most comment lines that begin with "What", as a share of all comment lines.
const WHAT_AT_MOST: f64 = 0.002;

/// Most lines of a file.
const LINES_AT_MOST: usize = 600;

/// Folders without sources of the tree itself, by their path below its root.
const LEFT_OUT: [&str; 6] = [
    "target",
    "node_modules",
    "tests/data",
    "study/harnesses",
    "config",
    ".git",
];

const KEYWORDS: [&str; 5] = ["struct ", "enum ", "trait ", "type ", "union "];

/// Names and comments of a tree, counted.
#[derive(Debug, Default)]
struct WordCounts {
    /// Each name with the places of its definitions, `file:line`.
    names: BTreeMap<String, Vec<String>>,
    comments: usize,
    /// Places of comment lines that begin with "What".
    what: Vec<String>,
    /// Files with more than [`LINES_AT_MOST`] lines.
    long: Vec<String>,
}

/// Prints the figures of a tree, `--list` with each place; with `--check`, fails where one is missed.
pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let flag = |name: &str| arguments.iter().any(|argument| argument == name);
    let tree = arguments
        .iter()
        .find(|argument| !argument.starts_with("--"))
        .map_or_else(root, PathBuf::from);
    let mut counts = WordCounts::default();
    counts.add_folder(&tree, &tree)?;
    if flag("--list") {
        counts.list();
    }
    let missed = counts.print();
    if flag("--check") && missed {
        return Err(String::from(
            "words: a figure is missed: `cargo xtask words --list` names the places",
        ));
    }
    Ok(())
}

impl WordCounts {
    fn add_folder(&mut self, folder: &Path, tree: &Path) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("words: reading {}: {error}", folder.display());
        let mut entries = Vec::new();
        for entry in fs::read_dir(folder).map_err(failed)? {
            entries.push(entry.map_err(failed)?.path());
        }
        entries.sort();
        for path in entries {
            let relative = path.strip_prefix(tree).unwrap_or(&path).to_string_lossy().into_owned();
            if path.is_dir() {
                let left_out = |name: &&str| relative == **name || relative.ends_with(&format!("/{name}"));
                if !LEFT_OUT.iter().any(|name| left_out(&name)) {
                    self.add_folder(&path, tree)?;
                }
            } else if relative.ends_with(".rs") {
                let text = fs::read_to_string(&path).map_err(failed)?;
                self.add_file(&relative, &text);
            }
        }
        Ok(())
    }

    fn add_file(&mut self, path: &str, text: &str) {
        let lines = text.lines().count();
        if lines > LINES_AT_MOST {
            self.long.push(format!("{path}: {lines} lines"));
        }
        // An implementation's `type Output = …` defines no name; a trait's `type Output;` neither.
        let mut block = None;
        for (index, line) in text.lines().enumerate() {
            let place = format!("{path}:{}", index + 1);
            let code = line.trim_start();
            let indent = line.len() - code.len();
            if block.is_some_and(|outer| indent <= outer && code.starts_with('}')) {
                block = None;
            }
            if block.is_none() && (code.starts_with("impl") || code.contains("trait ")) && !line.ends_with('}') {
                block = Some(indent);
            }
            if let Some(comment) = comment(code) {
                self.comments += 1;
                if comment.split(|c: char| !c.is_alphanumeric()).next() == Some("What") {
                    self.what.push(place);
                }
            } else if let Some(name) = defined(code)
                && !(code.starts_with("type ") && block.is_some())
            {
                self.names.entry(name.to_owned()).or_default().push(place);
            }
        }
    }

    /// Prints the figures; true if one is missed.
    fn print(&self) -> bool {
        let share = |part: usize, whole: usize| part as f64 / whole.max(1) as f64;
        let definitions = |wanted: &dyn Fn(&str, &[String]) -> bool| -> usize {
            let names = self.names.iter().filter(|(name, places)| wanted(name, places));
            names.map(|(_, places)| places.len()).sum()
        };
        let all = definitions(&|_, _| true);
        let figures = [
            (
                "type definitions with a one-word name",
                share(definitions(&|name, _| words(name) == 1), all),
                ONE_WORD_AT_MOST,
            ),
            (
                "type definitions whose name is defined three times or more",
                share(definitions(&|_, places| places.len() >= 3), all),
                THRICE_AT_MOST,
            ),
            (
                "comment lines that begin with \"What\"",
                share(self.what.len(), self.comments),
                WHAT_AT_MOST,
            ),
        ];
        let mut missed = !self.long.is_empty();
        println!("{all} type definitions, {} comment lines", self.comments);
        for (figure, share, at_most) in figures {
            missed |= share > at_most;
            println!("{:6.2}%  {figure} (at most {:.1}%)", share * 100.0, at_most * 100.0);
        }
        println!("{:6}   files above {LINES_AT_MOST} lines (none)", self.long.len());
        missed
    }

    fn list(&self) {
        for (name, places) in &self.names {
            if words(name) == 1 || places.len() >= 3 {
                println!("{name}: {}", places.join(" "));
            }
        }
        for place in self.what.iter().chain(&self.long) {
            println!("{place}");
        }
    }
}

/// The text of a comment line that has any.
fn comment(code: &str) -> Option<&str> {
    let text = code.strip_prefix("//")?.trim_start_matches(['/', '!']).trim();
    (!text.is_empty()).then_some(text)
}

/// The name that a line defines.
fn defined(code: &str) -> Option<&str> {
    let code = match code.strip_prefix("pub(") {
        Some(restricted) => restricted.split_once(')')?.1.trim_start(),
        None => code.strip_prefix("pub ").unwrap_or(code),
    };
    let code = code.strip_prefix("unsafe ").unwrap_or(code);
    let rest = KEYWORDS.iter().find_map(|keyword| code.strip_prefix(keyword))?;
    let end = rest
        .find(|c: char| !c.is_alphanumeric() && c != '_')
        .unwrap_or(rest.len());
    let name = &rest[..end];
    name.starts_with(|c: char| c.is_ascii_uppercase()).then_some(name)
}

/// Words of a name in camel case: `CallTree` has two, `HTTPServer` one and a half and counts as two.
fn words(name: &str) -> usize {
    let letters: Vec<char> = name.chars().collect();
    let starts = letters.iter().enumerate().filter(|(at, letter)| {
        letter.is_ascii_uppercase() && (*at == 0 || !letters[at - 1].is_ascii_uppercase())
            || letter.is_ascii_uppercase() && letters.get(at + 1).is_some_and(char::is_ascii_lowercase)
    });
    starts.count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_begin_with_capitals() {
        assert_eq!(words("Side"), 1);
        assert_eq!(words("CallTree"), 2);
        assert_eq!(words("HTTPServer"), 2);
        assert_eq!(words("X86Code"), 2);
    }

    #[test]
    fn definitions_are_found_whatever_their_visibility() {
        assert_eq!(defined("pub(crate) struct CallTree {"), Some("CallTree"));
        assert_eq!(defined("pub enum Side {"), Some("Side"));
        assert_eq!(defined("type Pair<'a> = ();"), Some("Pair"));
        assert_eq!(defined("let type_of = 1;"), None);
        assert_eq!(defined("structure Foo"), None);
    }

    #[test]
    fn associated_types_define_no_name() {
        let mut counts = WordCounts::default();
        counts.add_file("a.rs", "impl X for Y {\n    type Err = String;\n}\ntype Pair = ();\n");
        assert_eq!(counts.names.keys().collect::<Vec<_>>(), ["Pair"]);
    }

    #[test]
    fn comments_that_begin_with_what_are_counted() {
        let mut counts = WordCounts::default();
        counts.add_file(
            "a.rs",
            "/// What it is.\n//! Whatever.\n// A word\n//\nlet a = 1; // What\n",
        );
        assert_eq!((counts.comments, counts.what.len()), (3, 1));
    }
}
