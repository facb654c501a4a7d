//! A source → the same without what no compiler reads where lito runs: branches of the preprocessor for other systems and
//! machines, `#if 0`, and what only warnings are told.
//!
//! Every byte keeps its place. A branch is left out only if its condition is known not to hold: a name counts as undefined if
//! compilers define it for another system alone, and the file does not define it. Any other name may be anything.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::LazyLock;

use hashbrown::HashMap;

use super::super::systems::SYSTEMS;
use super::code_bytes::CodeBytes;
use super::condition_value::{NamedMacro, condition_holds, is_word};
use super::conditionals::conditionals;
use super::lines::joined_lines;

/// The names that no compiler defines here.
static UNDEFINED: LazyLock<Vec<&'static str>> =
    LazyLock::new(|| undefined_on(std::env::consts::OS, std::env::consts::ARCH));

fn undefined_on(system: &str, machine: &str) -> Vec<&'static str> {
    let others = |lists: &'static HashMap<String, Vec<String>>, is_here: &dyn Fn(&str) -> bool| -> Vec<&'static str> {
        let lists = lists.iter().filter(|(name, _)| !is_here(name));
        lists.flat_map(|(_, names)| names.iter().map(String::as_str)).collect()
    };
    let mut names = others(&SYSTEMS.systems, &|name| name == system);
    names.extend(others(&SYSTEMS.machines, &|name| {
        machine.starts_with(name) || name == "arm" && machine == "aarch64"
    }));
    names
}

/// The source without what is not compiled here.
pub(in crate::languages::cpp) fn compiled_here(source: &str) -> Cow<'_, str> {
    without(source, &UNDEFINED)
}

fn without<'s>(source: &'s str, undefined: &[&str]) -> Cow<'s, str> {
    let bytes = source.as_bytes();
    let has = |text: &str| memchr::memmem::find(bytes, text.as_bytes()).is_some();
    let mut undefined: BTreeSet<&str> = undefined.iter().copied().filter(|name| has(name)).collect();
    if undefined.is_empty() && !has("#if 0") && !has("pragma") {
        return Cow::Borrowed(source);
    }
    let code = CodeBytes::of(bytes);
    let mut left_out = LeftOut::default();
    for directive in joined_lines(bytes, &code).filter_map(|line| line.directive) {
        let text = directive_text(source, &directive, &code);
        let words: Vec<&str> = text.split_whitespace().collect();
        if let ["define" | "undef", name, ..] = *words {
            undefined.remove(name.split('(').next().unwrap_or(name));
        } else if SYSTEMS.pragmas.iter().any(|pragma| starts_with(&words, pragma)) {
            left_out.blanks.push(directive);
        }
    }
    for conditional in conditionals(bytes, &code) {
        let macro_of = |name: &str| match undefined.contains(name) {
            true => NamedMacro::Undefined,
            false => NamedMacro::Unknown,
        };
        let directives = conditional.directives.iter();
        let holds: Vec<Option<bool>> = directives
            .map(|directive| holds(&directive_text(source, directive, &code), &macro_of))
            .collect();
        left_out.add_branches(&conditional.directives, &holds);
    }
    left_out.applied_to(source)
}

/// The places of a source that are not read.
#[derive(Default)]
pub(super) struct LeftOut {
    blanks: Vec<Range<usize>>,
    /// Conditions behind branches that are left out: they begin now.
    first: Vec<Range<usize>>,
}

impl LeftOut {
    /// Adds the branches of a conditional that are not compiled, and the directives of one that needs no condition. `holds`
    /// tells of each directive whether its branch is read if none before it is.
    pub(super) fn add_branches(&mut self, directives: &[Range<usize>], holds: &[Option<bool>]) {
        let Some((end, conditions)) = directives.split_last() else {
            return;
        };
        let (mut may_hold, mut is_decided) = (false, false);
        for (index, condition) in conditions.iter().enumerate() {
            match holds[index].filter(|_| !is_decided) {
                Some(true) => {
                    is_decided = true;
                    if !may_hold {
                        self.blanks.push(condition.clone());
                    }
                }
                None if !is_decided => {
                    if index > 0 && !may_hold {
                        self.first.push(condition.clone());
                    }
                    may_hold = true;
                }
                Some(false) | None => {
                    let next = &directives[index + 1];
                    self.blanks.push(condition.start..next.start);
                }
            }
        }
        if !may_hold {
            self.blanks.push(end.clone());
        }
    }

    pub(super) fn applied_to(self, source: &str) -> Cow<'_, str> {
        if self.blanks.is_empty() && self.first.is_empty() {
            return Cow::Borrowed(source);
        }
        let mut text = source.as_bytes().to_vec();
        for condition in self.first {
            // `#elif` becomes `#  if`.
            if let Some(at) = memchr::memmem::find(&text[condition.clone()], b"el") {
                text[condition.start + at..condition.start + at + 2].fill(b' ');
            }
        }
        let mut blanks = self.blanks;
        blanks.sort_unstable_by_key(|blank| blank.start);
        let mut blanked = 0;
        // One may hold thousands of others.
        for blank in blanks {
            let kept = |byte: &&mut u8| !matches!(**byte, b'\n' | b'\r');
            let left = blank.start.max(blanked)..blank.end.max(blanked);
            blanked = left.end;
            text[left].iter_mut().filter(kept).for_each(|byte| *byte = b' ');
        }
        // Directives begin and end at whole letters.
        String::from_utf8(text).map_or(Cow::Borrowed(source), Cow::Owned)
    }
}

/// A directive behind its `#`, on one line and without comments.
pub(in crate::languages::cpp) fn directive_text(source: &str, directive: &Range<usize>, code: &CodeBytes) -> String {
    let bytes = source.as_bytes();
    let letters = directive.clone().skip(1).map(|at| match bytes[at] {
        _ if code.is_comment(at) => b' ',
        b'\\' | b'\n' | b'\r' => b' ',
        byte => byte,
    });
    String::from_utf8_lossy(&letters.collect::<Vec<u8>>()).into_owned()
}

/// Whether a directive's branch is read if none before it is; `None` if that is not known.
pub(super) fn holds<'m>(directive: &str, macro_of: &dyn Fn(&str) -> NamedMacro<'m>) -> Option<bool> {
    let directive = directive.trim();
    let word = directive
        .split(|letter: char| !letter.is_alphanumeric())
        .next()
        .unwrap_or_default();
    let rest = directive[word.len()..].trim();
    let is_defined = || match is_word(rest) {
        true => macro_of(rest).is_defined(),
        false => None,
    };
    match word {
        "if" | "elif" => condition_holds(rest, macro_of),
        "ifdef" | "elifdef" => is_defined(),
        "ifndef" | "elifndef" => is_defined().map(|is_defined| !is_defined),
        "else" => Some(true),
        _ => None,
    }
}

/// True if words begin with those of a text.
fn starts_with(words: &[&str], text: &str) -> bool {
    let mut words = words.iter();
    text.split(' ')
        .all(|word| words.next().is_some_and(|known| known.split('(').next() == Some(word)))
}

#[cfg(test)]
mod tests {
    use super::{Cow, undefined_on, without};

    /// The source as it is read on a computer with Linux, without empty lines and spaces around lines.
    fn read(source: &str) -> String {
        let text = without(source, &undefined_on("linux", "x86_64"));
        assert_eq!(text.len(), source.len());
        assert_eq!(text.lines().count(), source.lines().count());
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_branch_for_another_system_is_not_read() {
        assert_eq!(read("#ifdef _WIN32\nf();\n#else\ng();\n#endif\n"), "g();");
        assert_eq!(read("#ifndef __APPLE__\nf();\n#else\ng();\n#endif\n"), "f();");
        assert_eq!(
            read("#if defined(_MSC_VER) && \\\n  _MSC_VER >= LEAST // 2005\nf();\n#endif\ng();"),
            "g();"
        );
        assert_eq!(
            read("#if !(defined _WIN32 || defined(__aarch64__))\nf();\n#endif"),
            "f();"
        );
        assert_eq!(read("#if 0\nf();\n#if A\n#endif\n#endif\ng();"), "g();");
    }

    #[test]
    fn a_condition_that_may_hold_is_left_as_it_is() {
        for source in [
            "#ifdef FAST\nf();\n#endif",
            "#ifdef __linux__\nf();\n#else\ng();\n#endif",
            "#if defined(_WIN32) || defined(FAST)\nf();\n#endif",
            "#if defined(_WIN32) == defined(FAST)\nf();\n#endif",
            "#if CHECK(_WIN32)\nf();\n#endif",
            "#ifdef __x86_64__\nf();\n#endif",
        ] {
            assert!(
                matches!(without(source, &undefined_on("linux", "x86_64")), Cow::Borrowed(_)),
                "{source}"
            );
        }
    }

    #[test]
    fn what_is_left_of_a_condition_begins_with_the_first_that_may_hold() {
        let source = "#ifdef _WIN32\nf();\n# elif FAST\ng();\n#else\nh();\n#endif\n";
        assert_eq!(read(source), "#   if FAST\ng();\n#else\nh();\n#endif");
        let source = "#if FAST\nf();\n#elif defined(_WIN32)\ng();\n#elif 1\nh();\n#else\ni();\n#endif\n";
        assert_eq!(read(source), "#if FAST\nf();\n#elif 1\nh();\n#endif");
    }

    #[test]
    fn a_name_that_the_file_defines_is_not_one_of_a_compiler() {
        let source = "#define _WIN32 1\n#ifdef _WIN32\nf();\n#endif";
        assert_eq!(read(source), source);
    }

    #[test]
    fn what_a_compiler_warns_of_is_not_read() {
        assert_eq!(
            read("#pragma warning(disable : 6237)\n# pragma GCC diagnostic push\nf();\n#pragma GCC optimize(3)"),
            "f();\n#pragma GCC optimize(3)"
        );
    }

    #[test]
    fn each_system_reads_its_own_branch() {
        let asks = |system: &str, machine: &str, name: &str| !undefined_on(system, machine).contains(&name);
        assert!(asks("windows", "x86_64", "_MSC_VER") && !asks("linux", "x86_64", "_MSC_VER"));
        assert!(asks("linux", "aarch64", "__ARM_NEON") && !asks("linux", "x86_64", "__ARM_NEON"));
        assert!(!asks("linux", "aarch64", "__x86_64__") && asks("linux", "x86", "__i386__"));
    }
}
