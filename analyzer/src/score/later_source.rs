//! A compiled source as it was at the sample and as it is now → whether it may pull a file in that it did not pull in.
//!
//! Looks at lines and their indentation, not at the syntax, so it serves every language.

use std::sync::Arc;

use crate::languages::Language;
use crate::text_search::{indentation, line_in_context, lines_naming, places_of};

/// A compiled source that changed since the sample.
pub(super) struct LaterSource {
    /// At the sample; `None` if it was not compiled then.
    pub(super) then: Option<Arc<[u8]>>,
    /// In the version.
    pub(super) now: Arc<[u8]>,
    /// `None` for a file of no known language.
    pub(super) language: Option<Language>,
}

impl LaterSource {
    /// True if the source mentions a file's name, or that of one of its folders, in another way than at the sample: on
    /// another line, under other attributes, or in another block. Counts lines that may pull a file in.
    pub(super) fn may_pull_in(&self, name: &str) -> bool {
        self.mentions_anew(name, |_| true)
    }

    /// The same of a module in a package: the package is named on the line as well, or around it.
    pub(super) fn may_load(&self, name: &str, package: Option<&str>) -> bool {
        self.mentions_anew(name, |context| {
            package.is_none_or(|package| (context.iter()).any(|line| places_of(line, package).next().is_some()))
        })
    }

    fn mentions_anew(&self, name: &str, is_meant: impl Fn(&[&[u8]]) -> bool) -> bool {
        let mentions = |text| {
            let mut mentions = Mentions::of(text, name, self.language);
            mentions.lines.retain(|context| is_meant(context));
            mentions
        };
        let now = mentions(&self.now);
        match &self.then {
            _ if now.lines.is_empty() => false,
            Some(then) => !now.is_certain || now.lines != mentions(then).lines,
            None => true,
        }
    }

    /// True if the source has a text literal that consists of a word, and had none at the sample.
    pub(super) fn quotes_anew(&self, word: &str) -> bool {
        let quotes = |text: &[u8]| {
            places_of(text, word).any(|at| {
                let before = at.checked_sub(1).and_then(|before| text.get(before));
                matches!(before, Some(b'"' | b'\'')) && before == text.get(at + word.len())
            })
        };
        quotes(&self.now) && !self.then.as_ref().is_some_and(|then| quotes(then))
    }
}

/// The mentions of a name in a text.
struct Mentions<'t> {
    /// The lines with a mention, each with the lines that decide whether it counts.
    lines: Vec<Vec<&'t [u8]>>,
    /// False if indentation does not show which blocks the lines are in, or a macro or a comment may be around them.
    is_certain: bool,
}

impl<'t> Mentions<'t> {
    fn of(text: &'t [u8], name: &str, language: Option<Language>) -> Self {
        let lines: Vec<&[u8]> = text.split(|&byte| byte == b'\n').collect();
        let mut named = lines_naming(text, name);
        named.retain(|&line| {
            let line = lines[line as usize - 1];
            language.is_none_or(|language| language.support().may_pull_in(text, line, name))
        });
        let contexts = named.iter().map(|&line| line_in_context(&lines, line as usize - 1));
        let shows_blocks = language.is_some_and(|language| language.support().marks_blocks_by_indentation());
        let is_decided_elsewhere = |line: &&[u8]| {
            let holds = |part: &[u8]| memchr::memmem::find(line, part).is_some();
            holds(b"macro_rules!") || holds(b"/*") || holds(b"\"\"\"")
        };
        Self {
            is_certain: shows_blocks
                || (named.iter())
                    .all(|&line| is_indented_as_nested(&lines[..line as usize - 1], lines[line as usize - 1]))
                    && !lines.iter().any(is_decided_elsewhere),
            lines: contexts.collect(),
        }
    }
}

/// True for a line that is indented if and only if brackets are open before it.
fn is_indented_as_nested(above: &[&[u8]], line: &[u8]) -> bool {
    let count = |of: u8| {
        above
            .iter()
            .map(|line| line.iter().filter(|&&byte| byte == of).count())
            .sum::<usize>()
    };
    (count(b'{') > count(b'}')) == (indentation(line) > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may_pull_in(then: &str, now: &str) -> bool {
        let source = LaterSource {
            then: Some(then.as_bytes().into()),
            now: now.as_bytes().into(),
            language: None,
        };
        source.may_pull_in("extra")
    }

    #[test]
    fn a_mention_as_before_pulls_nothing_in() {
        let then = "#[cfg(feature = \"x\")]\nmod extra;\nif_std! {\n    mod extra;\n}\nfn work() {}\n";
        let now = "use std::fmt;\n\n#[cfg(feature = \"x\")]\nmod extra;\nif_std! {\n    mod other;\n    mod extra;\n}\nfn work() { more() }\n";
        assert!(!may_pull_in(then, now));
        assert!(!may_pull_in(then, "fn work() {}\n"));
    }

    #[test]
    fn another_condition_may_pull_a_file_in() {
        let then = "#[cfg(feature = \"x\")]\nmod extra;\nfn work() {}\n";
        for now in [
            "#[cfg(feature = \"y\")]\nmod extra;\nfn work() {}\n",
            "mod extra;\nfn work() {}\n",
            "#[cfg(feature = \"x\")]\nfn work() {}\nmod extra;\n",
            "#[cfg(feature = \"x\")]\nmod extra;\nfn work() { extra::run() }\n",
        ] {
            assert!(may_pull_in(then, now), "{now}");
        }
        let then = "if_std! {\n    #[a]\n    mod extra;\n}\n";
        assert!(may_pull_in(then, "if_any! {\n    #[a]\n    mod extra;\n}\n"));
        assert!(may_pull_in(then, "if_std! {\n    #[b]\n    mod extra;\n}\n"));
    }

    #[test]
    fn text_that_is_not_indented_by_its_blocks_settles_nothing() {
        let then = "if_std! {\nmod extra;\n}\n";
        assert!(may_pull_in(then, "if_std! {\nmod extra;\n}\nfn work() {}\n"));
        let then = "/*\nmod extra;\n*/\n";
        assert!(may_pull_in(then, "/* */\nmod extra;\n"));
    }
}
