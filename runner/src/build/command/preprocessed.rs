//! The output of a preprocessor with `-dD` → the macros that the unit begins with, and the names that each file defines or takes
//! back.
//!
//! One line is a marker, `# 12 "a.h" 1`, a definition, `#define A(x) x`, its end, `#undef A`, or text. A `#line` of the source
//! changes the name in the markers and not the file that is read.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{self, BufRead};
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use super::strace_call::quoted;

/// Names in place of a file of what the compiler and its command line define.
const PREDEFINED: [&[u8]; 3] = [b"<built-in>", COMMAND_LINES[0], COMMAND_LINES[1]];

/// Those of what the command line defines, by GCC and Clang.
const COMMAND_LINES: [&[u8]; 2] = [b"<command-line>", b"<command line>"];

/// Longest delimiter of a raw string, in bytes, by the standard of C++.
const LONGEST_DELIMITER: usize = 16;

/// Letters before the quotation mark of a raw string.
const RAW_STRINGS: [&[u8]; 5] = [b"R", b"LR", b"uR", b"UR", b"u8R"];

/// Letters before the quotation mark of a character.
const CHARACTERS: [&[u8]; 4] = [b"L", b"u", b"U", b"u8"];

/// The macros of one unit.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct UnitMacros {
    /// Those that it begins with, by their bare names.
    pub(super) predefined: BTreeMap<String, MacroDefinition>,
    /// The names that each file defines or takes back. Every file that was read is there.
    pub(super) by_file: BTreeMap<PathBuf, BTreeSet<String>>,
}

/// One definition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct MacroDefinition {
    /// Its name with its parameters, `A(x)`.
    pub(super) name: String,
    /// Its text.
    pub(super) text: String,
    /// True if the command line gives it.
    pub(super) is_given: bool,
}

/// Reads what a preprocessor wrote that was started in a folder; `None` if the output can't be understood.
///
/// # Errors
/// The output can't be read.
pub(super) fn read(mut output: impl BufRead, folder: &Path) -> io::Result<Option<UnitMacros>> {
    let mut reader = OutputReader {
        found: UnitMacros::default(),
        files: vec![None],
        folder,
        raw_string: None,
        is_given: false,
    };
    let mut line = Vec::new();
    loop {
        line.clear();
        if output.read_until(b'\n', &mut line)? == 0 {
            break;
        }
        if reader.line(line.trim_ascii_end()).is_none() {
            return Ok(None);
        }
    }
    let is_whole = reader.files.len() == 1 && reader.raw_string.is_none() && !reader.found.predefined.is_empty();
    Ok(is_whole.then_some(reader.found))
}

struct OutputReader<'f> {
    found: UnitMacros,
    /// The files that are being read, each included by the one before it; `None` for what is predefined.
    files: Vec<Option<PathBuf>>,
    folder: &'f Path,
    /// The end of the raw string that the line begins in.
    raw_string: Option<Vec<u8>>,
    /// What is predefined comes from the command line.
    is_given: bool,
}

impl OutputReader<'_> {
    fn line(&mut self, line: &[u8]) -> Option<()> {
        if self.raw_string.is_some() || !line.starts_with(b"#") {
            self.text(line);
        } else if let Some((name, flags)) = marker(line) {
            self.marker(&name, flags)?;
        } else if let Some(definition) = line.strip_prefix(b"#define ") {
            let definition = String::from_utf8_lossy(definition);
            let bare = bare_name(&definition);
            let is_given = self.is_given;
            self.names(bare, || definition_of(&definition, is_given));
        } else if let Some(name) = line.strip_prefix(b"#undef ") {
            let name = String::from_utf8_lossy(name);
            self.names(bare_name(name.trim()), || None);
        }
        Some(())
    }

    fn marker(&mut self, name: &[u8], flags: &[u8]) -> Option<()> {
        let file = (!PREDEFINED.contains(&name)).then(|| self.folder.join(OsString::from_vec(name.to_vec())));
        self.is_given = COMMAND_LINES.contains(&name);
        let mut flags = flags.split(u8::is_ascii_whitespace);
        match flags.find(|flag| !flag.is_empty()) {
            Some(b"1") => self.files.push(file),
            Some(b"2") => {
                // The file before it goes on, whatever `#line` calls it.
                self.files.pop();
                self.files.last()?;
                return Some(());
            }
            // Only the source takes the place of what is predefined. Another name for a file comes from `#line`.
            _ => match self.files.as_mut_slice() {
                [only] if only.is_none() || file.is_none() => *only = file,
                _ => return Some(()),
            },
        }
        if let Some(Some(file)) = self.files.last() {
            self.found.by_file.entry(file.clone()).or_default();
        }
        Some(())
    }

    fn names(&mut self, bare: &str, definition: impl FnOnce() -> Option<MacroDefinition>) {
        match self.files.last() {
            Some(Some(file)) => {
                let names = self.found.by_file.entry(file.clone()).or_default();
                if !names.contains(bare) {
                    names.insert(bare.to_owned());
                }
            }
            _ => match definition() {
                Some(definition) => drop(self.found.predefined.insert(bare.to_owned(), definition)),
                None => drop(self.found.predefined.remove(bare)),
            },
        }
    }

    /// Finds out whether a raw string goes on in the next line: its lines may look like any other.
    fn text(&mut self, line: &[u8]) {
        let mut at = 0;
        if let Some(end) = &self.raw_string {
            let Some(found) = line.windows(end.len()).position(|part| part == end) else {
                return;
            };
            at = found + end.len();
            self.raw_string = None;
        }
        while let Some(&byte) = line.get(at) {
            let word = word_before(line, at);
            match byte {
                b'"' if RAW_STRINGS.contains(&word) => match raw_string_end(&line[at + 1..]) {
                    Some(end) => match line[at..].windows(end.len()).position(|part| part == end) {
                        Some(found) => at += found + end.len(),
                        None => {
                            self.raw_string = Some(end);
                            return;
                        }
                    },
                    None => at = after_quoted(line, at),
                },
                b'"' => at = after_quoted(line, at),
                // Between digits it is a separator.
                b'\'' if word.is_empty() || CHARACTERS.contains(&word) => at = after_quoted(line, at),
                _ => at += 1,
            }
        }
    }
}

/// The name and the flags of `# 12 "name" flags`.
fn marker(line: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let rest = line.strip_prefix(b"# ")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let text = (digits > 0).then(|| rest[digits..].strip_prefix(b" \""))??;
    let (name, next) = quoted(text, 0)?;
    Some((name, &text[next..]))
}

/// The name of `NAME(x) TEXT` or `NAME TEXT`.
fn bare_name(definition: &str) -> &str {
    let end = definition.find(|letter: char| letter == '(' || letter.is_whitespace());
    &definition[..end.unwrap_or(definition.len())]
}

fn definition_of(text: &str, is_given: bool) -> Option<MacroDefinition> {
    let bare = bare_name(text).len();
    let end = match text[bare..].starts_with('(') {
        true => bare + text[bare..].find(')')? + 1,
        false => bare,
    };
    Some(MacroDefinition {
        name: text[..end].to_owned(),
        text: text[end..].trim().to_owned(),
        is_given,
    })
}

/// The letters, digits and underscores that end before a place.
fn word_before(line: &[u8], at: usize) -> &[u8] {
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    let length = line[..at].iter().rev().take_while(|byte| is_letter(byte)).count();
    &line[at - length..at]
}

/// The place behind the quotation mark that ends what begins with one, or behind the line.
fn after_quoted(line: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while line.get(at).is_some_and(|byte| *byte != line[start]) {
        at += if line[at] == b'\\' { 2 } else { 1 };
    }
    at + 1
}

/// The end `)delimiter"` of a raw string, by what stands behind its first quotation mark.
fn raw_string_end(text: &[u8]) -> Option<Vec<u8>> {
    let length = text.iter().take(LONGEST_DELIMITER + 1).position(|&byte| byte == b'(')?;
    Some([b")", &text[..length], b"\""].concat())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    const START: &str = "# 0 \"a.c\"\n# 0 \"<built-in>\"\n#define __STDC__ 1\n#define MAX(a,b) (a) > (b)\n#define GONE 1\n\
                         # 0 \"<command-line>\"\n#undef GONE\n#define EMPTY \n# 1 \"/usr/include/p.h\" 1 3 4\n#define P 1\n\
                         # 0 \"<command-line>\" 2\n# 1 \"a.c\"\n";

    fn found(output: &str) -> Option<UnitMacros> {
        read(output.as_bytes(), Path::new("/work")).unwrap()
    }

    fn names(output: &str) -> Vec<(String, Vec<String>)> {
        let found = found(&format!("{START}{output}")).unwrap();
        let name = |path: &Path| path.display().to_string();
        (found.by_file.iter())
            .map(|(path, names)| (name(path), names.iter().cloned().collect()))
            .collect()
    }

    fn with_source(names_of_source: &[&str]) -> Vec<(String, Vec<String>)> {
        let names_of_source = names_of_source.iter().map(|&name| name.to_owned()).collect();
        vec![
            ("/usr/include/p.h".to_owned(), vec!["P".to_owned()]),
            ("/work/a.c".to_owned(), names_of_source),
        ]
    }

    #[test]
    fn the_compiler_and_its_command_line_define_what_a_unit_begins_with() {
        let found = found(START).unwrap();
        let definitions = found.predefined.iter();
        let texts: Vec<(&str, &str, &str)> = definitions
            .map(|(bare, definition)| (&**bare, &*definition.name, &*definition.text))
            .collect();
        assert_eq!(
            texts,
            [
                ("EMPTY", "EMPTY", ""),
                ("MAX", "MAX(a,b)", "(a) > (b)"),
                ("__STDC__", "__STDC__", "1"),
            ]
        );
    }

    #[test]
    fn a_name_belongs_to_the_file_that_is_read() {
        assert_eq!(
            names("#define A 1\n# 1 \"lib/b.h\" 1\n#undef B\n# 2 \"a.c\" 2\n#define C(x) x\n"),
            [
                ("/usr/include/p.h".to_owned(), vec!["P".to_owned()]),
                ("/work/a.c".to_owned(), vec!["A".to_owned(), "C".to_owned()]),
                ("/work/lib/b.h".to_owned(), vec!["B".to_owned()]),
            ]
        );
    }

    #[test]
    fn another_name_for_a_file_changes_nothing() {
        assert_eq!(
            names("# 7 \"grammar.y\"\n#define A 1\n# 1 \"/usr/include/p.h\" 1\n# 9 \"grammar.y\" 2\n#define B 1\n"),
            with_source(&["A", "B"])
        );
    }

    #[test]
    fn a_raw_string_is_text() {
        assert_eq!(
            names(
                "const char *a = R\"x(\n#define NOT 1\n# 1 \"b.c\"\n)\"\n)x\", b = 1'000, c = '\"', *d = \"R\\\"(\";\n\
                 #define A 1\n"
            ),
            with_source(&["A"])
        );
    }

    #[test]
    fn the_markers_of_clang_are_read_too() {
        let found = found(
            "# 1 \"a.c\"\n# 1 \"<built-in>\" 1\n# 1 \"<built-in>\" 3\n#define __clang__ 1\n# 414 \"<built-in>\" 3\n\
             # 1 \"<command line>\" 1\n#define D 2\n# 1 \"<built-in>\" 2\n# 1 \"a.c\" 2\n#define A 1\n",
        )
        .unwrap();
        assert!(found.predefined.keys().eq(["D", "__clang__"]), "{found:?}");
        assert_eq!(found.by_file, [("/work/a.c".into(), ["A".to_owned()].into())].into());
    }

    #[test]
    fn what_is_no_whole_output_is_not_understood() {
        for output in [
            "",
            "int a;\n",
            &format!("{START}# 1 \"b.h\" 1\n"),
            &format!("{START}# 1 \"a.c\" 2\n"),
            &format!("{START}R\"(\n"),
        ] {
            assert_eq!(found(output), None, "{output}");
        }
    }

    proptest! {
        #[test]
        fn any_output_is_read_without_a_panic(
            output in "((# 1 \"|#define |#undef |R\"|')?[\"\\\\()'<>a-zäR0-9 ]{0,9}\n?){0,20}"
        ) {
            found(&output);
        }
    }
}
