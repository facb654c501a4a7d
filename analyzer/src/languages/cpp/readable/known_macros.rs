//! A source and the macros that are known where it begins → the same without the branches that no compiler reads.
//!
//! The directives are gone through from the first to the last, as the preprocessor does. A macro that is defined under a
//! condition of which nobody knows whether it holds is not known from there on. Every byte keeps its place.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use hashbrown::HashMap;

use super::code_bytes::CodeBytes;
use super::condition_value::{MacroFunction, NamedMacro};
use super::lines::joined_lines;
use super::other_systems::{LeftOut, directive_text, holds};
use crate::languages::{KnownMacros, MacroAtStart, PreprocessorUse};
use crate::text_search::{is_part_of_word, words_in};

/// Starts of names that compilers know without listing them among their macros, and words that are no names.
const BUILT_IN: [&str; 14] = [
    "__has_",
    "__is_",
    "__FILE",
    "__LINE__",
    "__DATE__",
    "__TIME",
    "__COUNTER__",
    "__INCLUDE_LEVEL__",
    "__BASE_FILE__",
    "__VA_",
    "__building_",
    "_Pragma",
    "true",
    "false",
];

/// Keeps the meaning of a macro, and brings it back.
const KEEPS: [&[u8]; 2] = [b"push_macro", b"pop_macro"];

/// The source without the branches that are not compiled.
pub(in crate::languages::cpp) fn compiled_with<'s>(source: &'s str, known: &dyn KnownMacros) -> Cow<'s, str> {
    // A conditional without an end is left as it is.
    ConditionReader::read_all(source, known).left_out.applied_to(source)
}

/// The macros that are known behind the last line of a source, of those that it defines or takes back itself or by what it
/// includes.
pub(in crate::languages::cpp) fn macros_behind(
    source: &str,
    known: &dyn KnownMacros,
) -> BTreeMap<String, MacroAtStart> {
    let reader = ConditionReader::read_all(source, known);
    reader
        .defined
        .into_iter()
        .filter_map(|(name, known)| Some((name, known?)))
        .collect()
}

/// The directives of a source up to one of them.
struct ConditionReader<'k> {
    known: &'k dyn KnownMacros,
    /// Macros that the source has defined or taken back, itself or by what it includes; `None` where nobody knows whether.
    defined: HashMap<String, Option<MacroAtStart>>,
    open: Vec<OpenConditional>,
    /// The first conditional that stands in no other, if it has ended.
    first: Option<OpenConditional>,
    left_out: LeftOut,
}

/// A conditional of which the end was not read yet.
struct OpenConditional {
    directives: Vec<Range<usize>>,
    holds: Vec<Option<bool>>,
    /// Whether the branch that is read now is compiled, as far as this conditional decides.
    is_compiled: Option<bool>,
}

impl OpenConditional {
    fn new(directive: Range<usize>, holds: Option<bool>) -> Self {
        Self {
            directives: vec![directive],
            holds: vec![holds],
            is_compiled: holds,
        }
    }

    /// True if an earlier branch is compiled, so that no later one is.
    fn is_decided(&self) -> bool {
        self.holds.contains(&Some(true))
    }

    fn begin_branch(&mut self, directive: Range<usize>, holds: Option<bool>) {
        let before = &self.holds;
        self.is_compiled = match holds {
            _ if before.contains(&Some(true)) => Some(false),
            Some(true) if before.contains(&None) => None,
            known => known,
        };
        self.directives.push(directive);
        self.holds.push(holds);
    }
}

impl<'k> ConditionReader<'k> {
    fn read_all(source: &str, known: &'k dyn KnownMacros) -> Self {
        let code = CodeBytes::of(source.as_bytes());
        let mut reader = Self {
            known,
            defined: HashMap::new(),
            open: Vec::new(),
            first: None,
            left_out: LeftOut::default(),
        };
        let mut guard = ReadOnce::default();
        for line in joined_lines(source.as_bytes(), &code) {
            let Some(place) = line.directive else {
                guard.code(code.first(source.as_bytes(), line.range).is_some());
                continue;
            };
            let text = directive_text(source, &place, &code);
            guard.directive(&text);
            reader.read(&text, place);
        }
        // The guard of a source decides about nothing in it.
        if let Some(first) = reader.first.take().filter(|_| !guard.is_plain_guard()) {
            reader.left_out.add_branches(&first.directives, &first.holds);
        }
        reader
    }

    fn read(&mut self, text: &str, place: Range<usize>) {
        let word = words_in(text).next().unwrap_or_default();
        match word {
            "if" | "ifdef" | "ifndef" => {
                let holds = self.holds(text);
                self.open.push(OpenConditional::new(place, holds));
            }
            word if word.starts_with("el") => {
                let is_decided = self.open.last().is_none_or(OpenConditional::is_decided);
                let holds = if is_decided { None } else { self.holds(text) };
                if let Some(open) = self.open.last_mut() {
                    open.begin_branch(place, holds);
                }
            }
            "endif" => {
                if let Some(mut ended) = self.open.pop() {
                    ended.directives.push(place);
                    ended.holds.push(None);
                    if self.open.is_empty() && self.first.is_none() {
                        self.first = Some(ended);
                    } else {
                        self.left_out.add_branches(&ended.directives, &ended.holds);
                    }
                }
            }
            "include" if self.is_compiled() == Some(true) => {
                let rest = text.trim_start().strip_prefix(word).unwrap_or_default();
                let behind = header(rest).map(|header| self.known.behind_include(&header));
                let behind = behind.into_iter().flatten();
                self.defined.extend(behind.map(|(name, known)| (name, Some(known))));
            }
            "define" | "undef" => {
                let rest = text.trim_start().strip_prefix(word).unwrap_or_default();
                self.define(word, rest.trim_start());
            }
            _ => {}
        }
    }

    fn holds(&self, text: &str) -> Option<bool> {
        holds(text, &|name| self.macro_of(name))
    }

    fn macro_of(&self, name: &str) -> NamedMacro<'_> {
        if BUILT_IN.iter().any(|start| name.starts_with(start)) {
            return NamedMacro::Unknown;
        }
        let known = match self.defined.get(name) {
            Some(defined) => defined.clone().unwrap_or(MacroAtStart::Unknown),
            None => self.known.at_start(name),
        };
        match known {
            MacroAtStart::Undefined => NamedMacro::Undefined,
            MacroAtStart::Text(text) => NamedMacro::Text(Cow::Owned(text)),
            MacroAtStart::WithParameters(definition) => {
                let function = MacroFunction::parse(&definition);
                function.map_or(NamedMacro::Defined, |function| {
                    NamedMacro::Function(Cow::Owned(function))
                })
            }
            MacroAtStart::Unknown | MacroAtStart::Unsettled => NamedMacro::Unknown,
        }
    }

    /// Takes in `define NAME text` or `undef NAME`.
    fn define(&mut self, word: &str, rest: &str) {
        let Some(name) = words_in(rest).next().filter(|name| rest.starts_with(name)) else {
            return;
        };
        let is_compiled = self.is_compiled();
        if is_compiled == Some(false) || self.known.at_start(name) == MacroAtStart::Unsettled {
            return;
        }
        let text = &rest[name.len()..];
        let meaning = is_compiled.map(|_| match word {
            "undef" => MacroAtStart::Undefined,
            _ if text.starts_with('(') => MacroAtStart::WithParameters(text.trim().to_owned()),
            _ => MacroAtStart::Text(text.trim().to_owned()),
        });
        self.defined.insert(name.to_owned(), meaning);
    }

    /// Whether the line that is read now is compiled.
    fn is_compiled(&self) -> Option<bool> {
        let branches = || self.open.iter().map(|open| open.is_compiled);
        if branches().any(|is_compiled| is_compiled == Some(false)) {
            return Some(false);
        }
        branches().all(|is_compiled| is_compiled == Some(true)).then_some(true)
    }
}

/// Other spellings of the sign that begins a directive.
const OTHER_SIGNS: [&str; 2] = ["%:", "??="];

/// The names and files that a source's directives are about; `None` if they may not all be found.
pub(in crate::languages::cpp) fn preprocessor_use(source: &str) -> Option<PreprocessorUse> {
    let is_spelled_otherwise = |line: &str| OTHER_SIGNS.iter().any(|sign| line.trim_start().starts_with(sign));
    if source.lines().any(is_spelled_otherwise) {
        return None;
    }
    let code = CodeBytes::of(source.as_bytes());
    let mut found = PreprocessorUse::default();
    let owned = |words: &str| -> Vec<String> { words_in(words).map(str::to_owned).collect() };
    let lines = joined_lines(source.as_bytes(), &code);
    let mut guard = ReadOnce::default();
    // Macros that are defined as something else than a header.
    let mut others = BTreeSet::new();
    for line in lines {
        let Some(place) = line.directive else {
            let has_code = code.first(source.as_bytes(), line.range).is_some();
            guard.code(has_code);
            continue;
        };
        if divides_a_word(&source.as_bytes()[place.clone()]) {
            return None;
        }
        let text = directive_text(source, &place, &code);
        guard.directive(&text);
        let word = words_in(&text).next().unwrap_or_default();
        let rest = text.trim_start().strip_prefix(word).unwrap_or_default();
        match word {
            "define" => {
                let mut words = owned(rest).into_iter();
                found.asks.extend(words.clone().skip(1));
                if let Some(name) = words.next() {
                    let text = rest.trim_start().strip_prefix(name.as_str()).unwrap_or_default();
                    match header(text) {
                        Some(header) if !others.contains(&name) => {
                            found.named_headers.entry(name.clone()).or_default().insert(header);
                        }
                        _ => {
                            found.named_headers.remove(&name);
                            others.insert(name.clone());
                        }
                    }
                    found.defines.insert(name);
                }
            }
            "undef" => found.defines.extend(owned(rest).into_iter().next()),
            "include" | "include_next" | "import" => match (header(rest), &*owned(rest)) {
                (Some(header), _) => drop(found.includes.insert(header)),
                (None, [name]) => drop(found.included_by_name.insert(name.clone())),
                (None, _) => return None,
            },
            word if word.starts_with("if") || word.starts_with("el") => found.asks.extend(owned(rest)),
            _ => {}
        }
    }
    found.is_read_once = guard.is_whole();
    found.guard = guard.guard.filter(|_| guard.is_defined && !guard.is_broken);
    found.keeps = kept_names(source.as_bytes());
    Some(found)
}

/// The header that a text names and nothing else, with the signs around its name.
fn header(text: &str) -> Option<String> {
    let text = text.trim();
    let end = match text.as_bytes().first()? {
        b'"' => '"',
        b'<' => '>',
        _ => return None,
    };
    let name = text[1..].strip_suffix(end)?;
    (!name.is_empty() && !name.contains(end)).then(|| text.to_owned())
}

/// True if a word of a directive goes on in the next line.
fn divides_a_word(directive: &[u8]) -> bool {
    memchr::memmem::find_iter(directive, b"\\\n").any(|at| {
        let [before, after] = [at.checked_sub(1), Some(at + 2)].map(|at| at.and_then(|at| directive.get(at)));
        before.is_some_and(is_part_of_word) && after.is_some_and(is_part_of_word)
    })
}

/// The names of which a source keeps the meaning, wherever it says so.
fn kept_names(source: &[u8]) -> BTreeSet<String> {
    let all = KEEPS.iter().flat_map(|word| memchr::memmem::find_iter(source, word));
    let name = |at: usize| {
        let quoted = source[at..].split(|&byte| byte == b'"').nth(1)?;
        let text = String::from_utf8_lossy(quoted);
        words_in(&text).next().map(str::to_owned)
    };
    all.filter_map(name).collect()
}

/// Whether all of a source stands in `#ifndef A`, `#define A` … `#endif`, or it says `#pragma once`.
#[derive(Default)]
struct ReadOnce {
    /// The name of the first condition; empty where the source begins in another way.
    guard: Option<String>,
    /// The name was defined behind it.
    is_defined: bool,
    /// Conditionals that are open.
    depth: usize,
    /// The first one has another branch, or something stands behind its end.
    is_broken: bool,
    is_marked: bool,
    /// The first condition is `#ifndef`.
    is_plain: bool,
    directives: usize,
}

impl ReadOnce {
    fn code(&mut self, has_code: bool) {
        if has_code && self.depth == 0 {
            self.is_broken = true;
        }
    }

    fn directive(&mut self, text: &str) {
        let mut words = words_in(text);
        let (word, name) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let is_unless = word == "ifndef" || word == "if" && name == "defined" && text.contains('!');
        let is_mark = word == "pragma" && name == "once";
        self.is_marked |= is_mark && self.depth == 0;
        match word {
            _ if is_mark => return,
            _ if self.directives == 0 && is_unless => {
                let name = if word == "ifndef" { Some(name) } else { words.next() };
                self.guard = name.map(str::to_owned);
                self.is_plain = word == "ifndef";
                self.is_broken |= words.next().is_some();
            }
            "define" if self.directives == 1 => self.is_defined = self.guard.as_deref() == Some(name),
            word if word.starts_with("el") => self.is_broken |= self.depth == 1,
            _ => self.is_broken |= self.depth == 0,
        }
        match word {
            word if word.starts_with("if") => self.depth += 1,
            "endif" => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.directives += 1;
    }

    fn is_whole(&self) -> bool {
        self.is_marked || self.is_defined && !self.is_broken && self.depth == 0
    }

    fn is_plain_guard(&self) -> bool {
        self.is_plain && self.is_defined && !self.is_broken && self.depth == 0
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::preprocessor_use;

    #[test]
    fn directives_tell_what_they_ask_for_define_and_include() {
        let found = preprocessor_use(
            "#if A && \\\n  defined(B) // C\n# define D(x) E\n#undef F\n#include <g/h.h>\n#elif I\n#endif\n\
             _Pragma(\"push_macro(\\\"J\\\")\")\n#pragma pop_macro(\"K\")\n",
        );
        let found = found.unwrap();
        assert_eq!(
            found.asks.iter().collect::<Vec<_>>(),
            ["A", "B", "E", "I", "defined", "x"]
        );
        assert_eq!(found.defines.iter().collect::<Vec<_>>(), ["D", "F"]);
        assert_eq!(found.includes.iter().collect::<Vec<_>>(), ["<g/h.h>"]);
        let named =
            preprocessor_use("#include L\n#define L \"m.h\"\n#define N <o>\n#define P <q>\n#define P 1\n").unwrap();
        assert!(named.included_by_name.contains("L"));
        assert_eq!(named.may_include().collect::<Vec<_>>(), ["\"m.h\"", "<o>"]);
        assert!(found.keeps.contains("K"));
    }

    #[test]
    fn directives_that_may_be_missed_are_not_told() {
        for source in [
            "%:define A 1\n",
            "??=define A 1\n",
            "#define A\\\nB 1\n",
            "#include A(b)\n",
        ] {
            assert_eq!(preprocessor_use(source), None, "{source}");
        }
        assert!(preprocessor_use("#define A \\\nB 1\nprintf(\"%:\");\n").is_some());
    }

    #[test]
    fn a_source_under_one_condition_is_read_once() {
        let is_read_once = |source: &str| preprocessor_use(source).unwrap().is_read_once;
        for source in [
            "// A\n#ifndef A_H\n#define A_H\n#include <b.h>\nint a;\n#if C\n#else\n#endif\n#endif // A_H\n",
            "#if !defined(A_H)\n#define A_H 1\nint a;\n#endif\n",
            "#pragma once\nint a;\n",
        ] {
            assert!(is_read_once(source), "{source}");
        }
        for source in [
            "int a;\n",
            "#include <b.h>\n#ifndef A_H\n#define A_H\n#endif\n",
            "#ifndef A_H\n#define A_H\n#endif\nint a;\n",
            "#ifndef A_H\n#define A_H\n#else\nint a;\n#endif\n",
            "#ifndef A_H\nint a;\n#endif\n",
            "#if !defined(A_H) || B\n#define A_H\n#endif\n",
            "#ifndef A_H\n#define A_H\n#endif\n#ifdef B\n#endif\n",
        ] {
            assert!(!is_read_once(source), "{source}");
        }
    }
}
