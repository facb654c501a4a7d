//! The sources that a command compiled, some of which changed since the sample → whether a preprocessor may include a file by
//! now that it did not include then.
//!
//! A file is included by its name, under conditions, by sources that are included themselves. It was not then, so that one of
//! these has changed: a directive that includes something on the way to the file, or the definition of a word that decides
//! about one.

use std::collections::{BTreeMap, BTreeSet};

use crate::languages::{DirectiveEffect, InclusionDirective, Language, language_of};
use crate::sources::{FileSource, file_name};

/// Sources that are looked at: more than the largest projects compile for one program.
const MOST_SOURCES: usize = 10_000;

/// The directives of all sources that may be included.
#[derive(Debug, Default)]
pub(super) struct LaterInclusions {
    sources: Vec<SourceDirectives>,
    has_other_options: bool,
}

/// The directives of a source at the sample and in the version; none where there is no such file.
#[derive(Debug)]
struct SourceDirectives {
    /// Of the file, without its folder.
    name: String,
    then: Vec<InclusionDirective>,
    now: Vec<InclusionDirective>,
}

impl LaterInclusions {
    /// Reads the compiled sources, and what they may include. `None` if it can't all be read. `has_other_options` tells that the
    /// compiler may be given other definitions than then.
    pub(super) fn new<'p>(
        compiled: impl Iterator<Item = &'p str>,
        (then, now): (&dyn FileSource, &dyn FileSource),
        has_other_options: bool,
    ) -> Option<Self> {
        let files = now.all_files()?;
        let mut by_name: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for file in &files {
            by_name.entry(file_name(&file.path)).or_default().push(&file.path);
        }
        let mut open: Vec<(&str, Language)> = compiled.filter_map(|path| Some((path, language_of(path)?))).collect();
        let mut seen: BTreeSet<&str> = open.iter().map(|(path, _)| *path).collect();
        let mut sources = Vec::new();
        while let Some((path, language)) = open.pop() {
            if sources.len() == MOST_SOURCES {
                return None;
            }
            let read = |tree: &dyn FileSource| match (tree.id(path), tree.bytes(path)) {
                (None, _) => Some(Vec::new()),
                (Some(_), text) => Some(language.support().inclusion_directives(&text?)),
            };
            let source = SourceDirectives {
                name: file_name(path).to_owned(),
                then: read(then)?,
                now: read(now)?,
            };
            for directive in source.all() {
                if let DirectiveEffect::Includes(name) = &directive.effect {
                    let named = by_name.get(name.as_str()).into_iter().flatten();
                    open.extend(named.filter(|path| seen.insert(path)).map(|path| (*path, language)));
                }
            }
            sources.push(source);
        }
        Some(Self {
            sources,
            has_other_options,
        })
    }

    /// True if a file that was not included at the sample may be by now.
    pub(super) fn may_include(&self, path: &str) -> bool {
        let name = file_name(path);
        let includes = |directive: &InclusionDirective| match &directive.effect {
            DirectiveEffect::Includes(included) => included == name,
            DirectiveEffect::IncludesByMacro => true,
            DirectiveEffect::Defines(_) => false,
        };
        if !self.sources.iter().flat_map(|source| &source.now).any(includes) {
            return false;
        }
        let on_the_way = WayToFile::to(name, &self.sources);
        self.has_other_options || self.sources.iter().any(|source| on_the_way.differs(source))
    }
}

impl SourceDirectives {
    fn all(&self) -> impl Iterator<Item = &InclusionDirective> {
        self.then.iter().chain(&self.now)
    }
}

/// The files on the way to an included file, and the words that decide whether it is included.
struct WayToFile<'s> {
    files: BTreeSet<&'s str>,
    words: BTreeSet<&'s str>,
}

impl<'s> WayToFile<'s> {
    fn to(name: &'s str, sources: &'s [SourceDirectives]) -> Self {
        let mut way = Self {
            files: [name].into(),
            words: BTreeSet::new(),
        };
        let mut known = 0;
        while known < way.files.len() + way.words.len() {
            known = way.files.len() + way.words.len();
            for source in sources {
                for directive in source.all() {
                    if way.has(directive) {
                        way.files.insert(&source.name);
                        way.words.extend(directive.deciding_words());
                    }
                }
            }
        }
        way
    }

    fn has(&self, directive: &InclusionDirective) -> bool {
        match &directive.effect {
            DirectiveEffect::Includes(name) => self.files.contains(name.as_str()),
            DirectiveEffect::IncludesByMacro => true,
            DirectiveEffect::Defines(word) => self.words.contains(word.as_str()),
        }
    }

    /// True if the directives of a source that are on the way are not those of the sample.
    fn differs(&self, source: &SourceDirectives) -> bool {
        let on_the_way = |directive: &&InclusionDirective| self.has(directive);
        !source
            .then
            .iter()
            .filter(on_the_way)
            .eq(source.now.iter().filter(on_the_way))
    }
}
