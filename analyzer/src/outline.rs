//! All sources of one version in, its functions by name out: where each stands, what it says, and a digest that tells
//! whether two versions of it are the same code.
//!
//! Names are those of profiles. Does not say what changed inside of a function: see [`crate::change`].

use hashbrown::HashMap;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::languages::{Language, language_of};
use crate::layout::SourceLayout;
use crate::sources::{Blob, ContentId, FileSource, SourceContent};
use crate::syntax::{LineRange, ParseCache, TokenDigest};

/// The functions of one version.
#[derive(Debug, Clone, Default)]
pub struct SourceOutline {
    functions: BTreeMap<Arc<str>, Vec<Arc<FunctionDefinition>>>,
    by_file: BTreeMap<Arc<str>, Vec<Arc<FunctionDefinition>>>,
}

/// Other names of functions: as their source stands → as profiles call them.
pub type ProfileNames = BTreeMap<Arc<str>, Arc<str>>;

/// A function as it is written at one version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionDefinition {
    /// `crate::module::Type::method`.
    pub name: Arc<str>,
    /// Its file, relative to the repository's root.
    pub file: Arc<str>,
    /// Its lines in that file.
    pub lines: LineRange,
    /// Its source, attributes included, without the indentation that all of its lines share.
    pub text: String,
    /// Equal digests are the same code: comments, documentation and layout are not part of it.
    pub digest: TokenDigest,
    /// True if no measured build runs it.
    pub test_only: bool,
    /// Its language.
    pub language: Language,
}

/// Reads the outlines of many versions; a file that several of them have is read once.
pub struct OutlineReader<'p> {
    parser: &'p ParseCache,
    known: HashMap<OutlineKey, Arc<[Arc<FunctionDefinition>]>>,
}

/// The inputs of a file's definitions: its path, its content, and the crate that it belongs to.
type OutlineKey = (Arc<str>, ContentId, Arc<str>);

impl<'p> OutlineReader<'p> {
    /// Nothing is read yet.
    #[must_use]
    pub fn new(parser: &'p ParseCache) -> Self {
        Self {
            parser,
            known: HashMap::new(),
        }
    }

    /// The functions of one version: `files` are its sources, `tree` is asked for manifests. What is in no known
    /// language, or can't be read, has no functions.
    pub fn outline(
        &mut self,
        files: impl IntoIterator<Item = (Arc<str>, Blob)>,
        tree: &dyn FileSource,
    ) -> SourceOutline {
        let layout = SourceLayout::new(tree);
        let mut outline = SourceOutline::default();
        for (path, blob) in files {
            let Some(language) = language_of(&path) else {
                continue;
            };
            let module = layout.module(&path, language);
            let key = (Arc::clone(&path), blob.id, module.name(&[]));
            let parser = self.parser;
            let definitions = self.known.entry(key).or_insert_with(|| {
                let name = |inside: &[String]| module.name(inside);
                definitions(parser, (&path, &blob), language, name)
            });
            for definition in definitions.iter() {
                let all = outline.functions.entry(Arc::clone(&definition.name));
                all.or_default().push(Arc::clone(definition));
            }
            (outline.by_file).insert(path, definitions.to_vec());
        }
        outline
    }
}

impl SourceOutline {
    /// The definitions of a name in a profile; several where one name has several bodies, as methods of two traits. A closure
    /// is part of the function that it stands in.
    #[must_use]
    pub fn definitions_of(&self, name: &str) -> &[Arc<FunctionDefinition>] {
        let mut name = name;
        loop {
            if let Some(found) = self.functions.get(name) {
                return found;
            }
            match name.rsplit_once("::") {
                Some((outer, inner)) if inner.starts_with('{') => name = outer,
                _ => return &[],
            }
        }
    }

    /// The name by which the source has a function that debug information calls otherwise: it knows the module of a type,
    /// the source that of the implementation. `None` if both call it the same, or nothing of its name stands there.
    #[must_use]
    pub fn source_name(&self, name: &str, file: &str, line: u32) -> Option<Arc<str>> {
        if !self.definitions_of(name).is_empty() {
            return None;
        }
        let is_there = |one: &&Arc<FunctionDefinition>| (one.lines.first..=one.lines.last).contains(&line);
        let inside = self.by_file.get(file)?.iter().filter(is_there);
        let innermost = inside.max_by_key(|one| one.lines.first)?;
        let own = |name: &str| {
            let end = name.find("::{").unwrap_or(name.len());
            name[..end].rsplit("::").next().map(str::to_owned)
        };
        (own(&innermost.name) == own(name)).then(|| Arc::clone(&innermost.name))
    }

    /// Gives functions their other names, all at once: one may get the name that another one gives up.
    pub fn rename(&mut self, names: &ProfileNames) {
        let renamed: Vec<_> = (names.iter())
            .filter_map(|(written, called)| Some((called, self.functions.remove(written)?)))
            .collect();
        for (called, definitions) in renamed {
            let all = self.functions.entry(Arc::clone(called)).or_default();
            all.extend(definitions);
        }
    }

    /// All functions by name.
    pub fn functions(&self) -> impl Iterator<Item = (&Arc<str>, &[Arc<FunctionDefinition>])> {
        (self.functions.iter()).map(|(name, definitions)| (name, definitions.as_slice()))
    }

    /// The digests of all bodies of a name, sorted: equal for two versions where neither body changed.
    #[must_use]
    pub fn digests(&self, name: &str) -> Vec<TokenDigest> {
        let mut digests: Vec<TokenDigest> = self.definitions_of(name).iter().map(|one| one.digest).collect();
        digests.sort_unstable();
        digests
    }
}

fn definitions(
    parser: &ParseCache,
    (path, blob): (&Arc<str>, &Blob),
    language: Language,
    name: impl Fn(&[String]) -> Arc<str>,
) -> Arc<[Arc<FunctionDefinition>]> {
    let SourceContent::Bytes(bytes) = &blob.content else {
        return Arc::default();
    };
    let parsed = parser.get(path, blob);
    let source = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = source.lines().collect();
    let definition = |function: &Arc<crate::syntax::SyntaxFunction>| {
        Arc::new(FunctionDefinition {
            name: name(&function.path),
            file: Arc::clone(path),
            lines: function.lines,
            text: text(&lines, function.lines),
            digest: function.digest,
            test_only: function.test_only,
            language,
        })
    };
    parsed.functions.iter().map(definition).collect()
}

/// Some lines, without the indentation that they share.
fn text(all: &[&str], lines: LineRange) -> String {
    let first = (lines.first as usize).saturating_sub(1).min(all.len());
    let last = (lines.last as usize).clamp(first, all.len());
    let lines = &all[first..last];
    let is_blank = |line: &&&str| line.trim().is_empty();
    let indentation = |line: &&str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let filled = lines.iter().filter(|line| !is_blank(line));
    let shared = filled.map(indentation).min().unwrap_or(0);
    let cut = lines.iter().map(|line| line.get(shared..).unwrap_or(""));
    cut.collect::<Vec<&str>>().join("\n")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    struct ManifestOnlySource;

    impl FileSource for ManifestOnlySource {
        fn file(&self, path: &str) -> Option<Blob> {
            let text = "[package]\nname = \"my-crate\"\n";
            (path == "Cargo.toml").then(|| blob(1, text))
        }
    }

    fn blob(id: u8, text: &str) -> Blob {
        Blob {
            id: ContentId([id; 20]),
            content: SourceContent::Bytes(text.as_bytes().into()),
        }
    }

    fn outline(text: &str) -> SourceOutline {
        let parser = ParseCache::default();
        let file = ("src/scan.rs".into(), blob(2, text));
        OutlineReader::new(&parser).outline([file], &ManifestOnlySource)
    }

    const SCAN: &str = "struct Scanner;\nimpl Scanner {\n    /// Doc.\n    #[inline]\n    fn next(&self) -> u8 {\n        \
                        // comment\n        1\n    }\n}\n";

    #[test]
    fn functions_have_the_names_of_profiles_and_their_own_text() {
        let outline = outline(SCAN);
        let [next] = outline.definitions_of("my_crate::scan::Scanner::next") else {
            panic!("{:?}", outline.functions().collect::<Vec<_>>());
        };
        assert!(next.text.starts_with("#[inline]\nfn next(&self)"), "{}", next.text);
        assert!(next.text.ends_with("    1\n}"), "{}", next.text);
        assert_eq!(&*next.file, "src/scan.rs");
    }

    #[test]
    fn a_closure_is_part_of_its_function() {
        let outline = outline(SCAN);
        let named = |name: &str| outline.definitions_of(name).len();
        assert_eq!(named("my_crate::scan::Scanner::next::{closure}::{closure}"), 1);
        assert_eq!(named("my_crate::scan::Scanner::other::{closure}"), 0);
        assert_eq!(named("my_crate::scan::Scanner::next::inner"), 0);
    }

    #[test]
    fn an_implementation_in_another_module_has_the_name_that_profiles_give_it() {
        let mut outline = outline(SCAN);
        let (written, called) = ("my_crate::scan::Scanner::next", "my_crate::Scanner::next");
        let found = |name: &str, line| outline.source_name(name, "src/scan.rs", line);
        assert_eq!(found(called, 5).as_deref(), Some(written));
        assert_eq!(found("my_crate::Scanner::other", 5), None);
        assert_eq!(found(called, 1), None);
        assert_eq!(found(written, 5), None);
        outline.rename(&ProfileNames::from([(written.into(), called.into())]));
        assert_eq!(outline.definitions_of(called).len(), 1);
        assert_eq!(outline.definitions_of(written).len(), 0);
    }

    #[test]
    fn a_comment_changes_the_text_and_not_the_digest() {
        let name = "my_crate::scan::Scanner::next";
        let (one, two) = (outline(SCAN), outline(&SCAN.replace("comment", "remark")));
        let three = outline(&SCAN.replace('1', "2"));
        assert_ne!(one.definitions_of(name)[0].text, two.definitions_of(name)[0].text);
        assert_eq!(one.digests(name), two.digests(name));
        assert_ne!(one.digests(name), three.digests(name));
    }
}
