//! The sources that a benchmark loads, on one side of a version, beside the one of them that changed → who asks for a name that this
//! one binds.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::made_up_names::{MadeUpNames, TextWords};
use super::modules::{ModuleNames, loads, only_bind};
use crate::languages::{AskedNames, BoundName, ImportedClass, Language, NameHolder, module_name};
use crate::sources::FileSource;

/// The names that all loaded sources of one side ask for, by path; those outside the repository have none.
pub(super) type NamesOfSources = Vec<(Option<String>, Arc<AskedNames>)>;

/// The loaded sources of one side, as the one at `path` is seen by them.
pub(super) struct LoadedSide<'s> {
    path: &'s str,
    language: Language,
    sources: &'s NamesOfSources,
    modules: ModuleNames<'s>,
    /// The last parts of the names of modules that have all names of the source: its own, and those that take them over.
    with_its_names: BTreeSet<&'s str>,
    words_of_texts: OnceCell<TextWords<'s>>,
}

/// The code that asks for a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum WhoAsks {
    Nobody,
    /// Functions of the repository, and values that it takes over: they are found by the name.
    Functions,
    /// Code outside the repository, or what loading a source executes.
    Others,
}

impl<'s> LoadedSide<'s> {
    pub(super) fn new(
        path: &'s str,
        language: Language,
        sources: &'s NamesOfSources,
        tree: &'s dyn FileSource,
    ) -> Self {
        Self {
            path,
            language,
            sources,
            modules: ModuleNames::of(language, tree),
            with_its_names: modules_with_names_of(sources, path),
            words_of_texts: OnceCell::new(),
        }
    }

    /// The names that each of the sources asks for.
    pub(super) fn all(&self) -> impl Iterator<Item = &'s AskedNames> + Clone {
        self.sources.iter().map(|(_, names)| &**names)
    }

    /// The words in the texts of the sources.
    pub(super) fn words_of_texts(&self) -> &TextWords<'s> {
        self.words_of_texts.get_or_init(|| TextWords::of(self.sources))
    }

    /// Who may ask for a name that the source binds.
    pub(super) fn who_asks(&self, bound: &BoundName, made_up: &MadeUpNames<'_>) -> WhoAsks {
        if made_up.may_be(bound, self) {
            return WhoAsks::Others;
        }
        let reads_annotations = self.all().any(|names| names.reads_annotations);
        let asking = self.sources.iter().map(|(source, names)| {
            let is_own = source.as_deref() == Some(self.path);
            match self.asks_for((names, is_own), bound) {
                _ if names.starts.iter().any(|start| bound.name.starts_with(start)) => WhoAsks::Others,
                _ if reads_annotations && names.of_stated_types.contains(&bound.name) => WhoAsks::Others,
                false => WhoAsks::Nobody,
                true if source.is_none() || names.loading.contains(&bound.name) => WhoAsks::Others,
                true => WhoAsks::Functions,
            }
        });
        asking.max().unwrap_or(WhoAsks::Nobody)
    }

    /// True if a source with these names may ask for a name that the changed one binds, or this one itself if it `is_own`.
    fn asks_for(&self, (names, is_own): (&AskedNames, bool), bound: &BoundName) -> bool {
        let name = &bound.name;
        let is_imported = || {
            let mut from = names.imported.get(name).into_iter().flatten();
            from.any(|module| may_be_one_of(module, &self.with_its_names))
        };
        let takes_all = || takes_all_of(names, &self.with_its_names);
        let lists_it =
            || !names.lists_own_names.is_empty() && (is_own || bound.holder == NameHolder::Exported && takes_all());
        let is_written = names.texts.contains(name) || names.attributes.contains(name);
        let is_plain = || names.plain.contains(name) || names.loading.contains(name);
        is_written
            || lists_it()
            || match bound.holder {
                NameHolder::Class => is_plain(),
                NameHolder::Module => is_own && is_plain() || is_imported(),
                NameHolder::Exported => is_plain() && (is_own || takes_all()) || is_imported(),
            }
    }

    /// The words by which functions list the names of the source; `None` if other code does.
    pub(super) fn listing_words(&self) -> Option<BTreeSet<String>> {
        let mut words = BTreeSet::new();
        for (source, names) in self.sources {
            let is_own = source.as_deref() == Some(self.path);
            if !is_own && !takes_all_of(names, &self.with_its_names) || names.lists_own_names.is_empty() {
                continue;
            }
            if source.is_none() || !names.lists_own_names.is_disjoint(&names.loading) {
                return None;
            }
            words.extend(names.lists_own_names.iter().cloned());
        }
        Some(words)
    }

    /// The words of these by which functions read something of how others are written; `None` if other code does.
    pub(super) fn reading_words(&self, read: &BTreeSet<String>) -> Option<BTreeSet<String>> {
        let mut words = BTreeSet::new();
        for (source, names) in self.sources {
            let in_functions = names.reads_of_definitions.intersection(read);
            let has_other_code = source.is_none() && in_functions.clone().next().is_some();
            if has_other_code || !names.loading_reads_of_definitions.is_disjoint(read) {
                return None;
            }
            words.extend(in_functions.cloned());
        }
        Some(words)
    }

    /// True if a module is there whatever the changed source does, which writes it so.
    pub(super) fn loads_anyway(&self, module: &str) -> bool {
        self.is_standard(module) || loads(self.sources, &self.modules, (self.path, module))
    }

    /// True if a module that the changed source writes so may be one of the project.
    pub(super) fn may_have(&self, module: &str) -> bool {
        self.modules.may_have(self.path, module)
    }

    /// True if a module is one of the language.
    pub(super) fn is_standard(&self, module: &str) -> bool {
        self.language.support().is_standard_module(module)
    }

    /// The full name of a module that the changed source writes so, if it is one of its own package: no other one takes its place.
    pub(super) fn in_own_package(&self, module: &str) -> Option<Vec<String>> {
        self.modules.in_own_package(self.path, module)
    }

    /// True if loading these modules, and all that they load, does nothing but bind names.
    pub(super) fn only_bind(&self, modules: &BTreeSet<String>) -> bool {
        only_bind(self.sources, self.language, (self.path, modules))
    }

    /// True if the changed source takes a class from a module of the project, and no class of its name looks through those that are
    /// made from it.
    pub(super) fn is_silent_class(&self, class: &ImportedClass) -> bool {
        let mut seen = BTreeSet::from([(self.path, class)]);
        let mut open = vec![(self.path, class)];
        while let Some((path, class)) = open.pop() {
            let defined = self.sources.iter().filter_map(|(source, names)| {
                let made_from = names.classes.get(&class.name)?;
                Some((source.as_deref()?, made_from))
            });
            let mut defined = defined.peekable();
            if defined.peek().is_none() || !self.modules.may_have(path, &class.module) {
                return false;
            }
            for (source, made_from) in defined {
                let Some(made_from) = made_from else { return false };
                let bases = made_from.iter().map(|base| (source, base));
                open.extend(bases.filter(|base| seen.insert(*base)));
            }
        }
        true
    }
}

fn modules_with_names_of<'s>(sources: &'s NamesOfSources, path: &'s str) -> BTreeSet<&'s str> {
    let mut found = BTreeSet::from([module_name(path)]);
    loop {
        let taking = sources.iter().filter(|(_, names)| takes_all_of(names, &found));
        let more: Vec<&str> = (taking.filter_map(|(source, _)| source.as_deref().map(module_name)))
            .filter(|module| !found.contains(module))
            .collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
}

/// True if a source takes over all names of a module that may be one of these.
fn takes_all_of(names: &AskedNames, modules: &BTreeSet<&str>) -> bool {
    names.takes_all_of.iter().any(|module| may_be_one_of(module, modules))
}

/// True for a module, as it is written, of which the last part is one of these, and for the package that a source is in.
fn may_be_one_of(module: &str, modules: &BTreeSet<&str>) -> bool {
    (module.rsplit('.').next()).is_some_and(|last| last.is_empty() || modules.contains(last))
}
