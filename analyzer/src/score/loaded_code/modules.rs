//! Modules as sources write them → which module of the project, or of the language, is meant, and whether loading it does more than
//! to bind names.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::side::NamesOfSources;
use crate::languages::{AskedNames, Language, language_of, module_name, submodule};
use crate::layout::ModuleLayout;
use crate::sources::FileSource;

/// The full names of modules, in one version.
pub(super) struct ModuleNames<'t> {
    layout: Box<dyn ModuleLayout + 't>,
    language: Language,
    tree: &'t dyn FileSource,
    /// The sources of the language; `None` if they can't be listed.
    sources: OnceCell<Option<Vec<Arc<str>>>>,
}

impl<'t> ModuleNames<'t> {
    pub(super) fn of(language: Language, tree: &'t dyn FileSource) -> Self {
        Self {
            layout: language.support().module_layout(tree),
            language,
            tree,
            sources: OnceCell::new(),
        }
    }

    /// True if a module that the source at `path` writes so may be one of the project.
    pub(super) fn may_have(&self, path: &str, module: &str) -> bool {
        let sources = self.sources.get_or_init(|| {
            let mut paths: Vec<_> = self.tree.all_files()?.into_iter().map(|file| file.path).collect();
            paths.retain(|path| language_of(path) == Some(self.language));
            Some(paths)
        });
        let Some(sources) = sources else {
            return true;
        };
        let asked = self.full_name(path, module);
        let last = module.rsplit('.').next();
        let mut named = (sources.iter()).filter(|source| Some(module_name(source)) == last);
        named.any(|source| {
            asked
                .as_ref()
                .is_none_or(|asked| *asked == self.layout.module_path(source))
        })
    }

    /// The full name of a module that the source at `path` writes so; `None` for a relative one that leads out of its packages.
    fn full_name(&self, path: &str, module: &str) -> Option<Vec<String>> {
        let name = module.trim_start_matches('.');
        let segments = name.split('.').filter(|segment| !segment.is_empty()).map(str::to_owned);
        let dots = module.len() - name.len();
        if dots == 0 {
            return Some(segments.collect());
        }
        let mut full = self.layout.module_path(path);
        let is_package = module_of(path).len() + "/__init__.py".len() == path.len();
        let kept = full.len().checked_sub(dots - usize::from(is_package))?;
        full.truncate(kept);
        (!full.is_empty()).then_some(())?;
        full.extend(segments);
        Some(full)
    }

    /// The same, if it is a module of the package that the source at `path` is in: no other one takes its place.
    pub(super) fn in_own_package(&self, path: &str, module: &str) -> Option<Vec<String>> {
        let own = self.layout.module_path(path);
        self.full_name(path, module).filter(|full| full.first() == own.first())
    }
}

/// True if a source of one side loads a module, as the source at `path` writes it, so that it is there whatever that one does.
pub(super) fn loads(sources: &NamesOfSources, modules: &ModuleNames<'_>, (path, module): (&str, &str)) -> bool {
    let last = |module: &str| module.rsplit('.').next().map(str::to_owned);
    let asked = modules.full_name(path, module);
    let is_asked = |source: &str, other: &str| match &asked {
        Some(asked) => {
            last(other).is_some_and(|last| last.is_empty() || asked.last() == Some(&last))
                && modules.full_name(source, other).as_ref() == Some(asked)
        }
        None => module_path(path, module) == module_path(source, other),
    };
    (sources.iter()).any(|(source, names)| {
        let taken = (names.imported.iter())
            .flat_map(|(name, modules)| modules.iter().map(move |module| submodule(module, name)));
        let mut loaded = names.modules.iter().cloned().chain(taken);
        match source {
            Some(source) => loaded.any(|other| is_asked(source, &other)),
            None => loaded.any(|other| other == module),
        }
    })
}

/// True if modules that the source at `path` asks for, and all that they load, do nothing but bind names when they are loaded, so that
/// their order tells nobody. The packages around `path` are being loaded in any order.
pub(super) fn only_bind(
    sources: &NamesOfSources,
    language: Language,
    (path, modules): (&str, &BTreeSet<String>),
) -> bool {
    let own: Vec<(&str, &AskedNames)> = (sources.iter())
        .filter_map(|(source, names)| Some((source.as_deref()?, &**names)))
        .collect();
    let mut reached: BTreeSet<&str> = BTreeSet::new();
    let mut open: Vec<(&str, &str)> = modules.iter().map(|module| (path, module.as_str())).collect();
    while let Some((asking, module)) = open.pop() {
        if language.support().is_standard_module(module) {
            continue;
        }
        let asked = module_path(asking, module);
        let (taking, others): (Vec<_>, Vec<_>) = own.iter().partition(|(source, _)| *source == asking);
        // A name that is taken from a package may be a module of it.
        let is_taken =
            |source: &str| (taking.iter()).any(|(_, names)| names.imported.contains_key(module_name(source)));
        let mut is_found = false;
        for (source, names) in others {
            let is_asked = may_be_module(&asked, module_of(source));
            is_found |= is_asked;
            let is_loaded = is_asked || is_taken(source);
            if !is_loaded || source == path || holds_path(source, path) || !reached.insert(source) {
                continue;
            }
            if !names.only_binds {
                return false;
            }
            open.extend(names.modules.iter().map(|module| (source, module.as_str())));
        }
        if !is_found {
            return false;
        }
    }
    true
}

/// The path of the module that a source is: without its end, and a package by its folder.
fn module_of(source: &str) -> &str {
    let module = source.rsplit_once('.').map_or(source, |(module, _)| module);
    module.strip_suffix("/__init__").unwrap_or(module)
}

/// True if a source is the package of a folder that holds a path.
fn holds_path(source: &str, path: &str) -> bool {
    let folder = source.strip_suffix("__init__.py");
    folder.is_some_and(|folder| path.starts_with(folder))
}

/// Where a source at `path` finds a module: a relative name is one in its folder, `a.b` is `a/b` in a folder that nobody states.
fn module_path(path: &str, module: &str) -> String {
    let name = module.trim_start_matches('.');
    let dots = module.len() - name.len();
    let mut folder = path;
    for _ in 0..dots {
        folder = folder.rsplit_once('/').map_or("", |(folder, _)| folder);
    }
    match (dots > 0 && !folder.is_empty(), name.replace('.', "/")) {
        (false, name) => name,
        (true, name) if name.is_empty() => folder.to_owned(),
        (true, name) => format!("{folder}/{name}"),
    }
}

/// True for two paths that may be of one module: one is the end of the other, and more than a name.
fn may_be_module(one: &str, other: &str) -> bool {
    let (long, short) = if one.len() < other.len() {
        (other, one)
    } else {
        (one, other)
    };
    long == short || short.contains('/') && long.strip_suffix(short).is_some_and(|folder| folder.ends_with('/'))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{ModuleNames, may_be_module, module_path};
    use crate::languages::language_of;
    use crate::layout::TestFiles;

    #[test]
    fn a_module_has_the_name_that_its_packages_give_it() {
        let packages = [
            "src/tool/__init__.py",
            "src/tool/_vendor/__init__.py",
            "src/tool/_vendor/tiny/__init__.py",
            "src/tiny/__init__.py",
        ];
        let files = TestFiles(packages.iter().map(|path| (*path, "")).collect());
        let language = language_of("a.py").unwrap();
        let modules = ModuleNames::of(language, &files);
        let name = |path: &str, module: &str| modules.full_name(path, module).map(|name| name.join("."));
        assert_eq!(name("src/tool/parse.py", "._types").unwrap(), "tool._types");
        assert_eq!(name("src/tool/parse.py", ".").unwrap(), "tool");
        assert_eq!(name("src/tool/__init__.py", "._types").unwrap(), "tool._types");
        assert_eq!(name("src/tool/_vendor/__init__.py", "..a.b").unwrap(), "tool.a.b");
        assert_eq!(name("src/tool/parse.py", "tool._types").unwrap(), "tool._types");
        assert_eq!(name("src/tool/parse.py", "...types"), None);
        assert_eq!(name("plain/parse.py", ".types"), None);
        let is_one = |path: &str, one: &str, other: &str| {
            let one = modules.in_own_package(path, one);
            one.is_some() && one == modules.in_own_package(path, other)
        };
        assert!(is_one("src/tool/parse.py", "._types", "tool._types"));
        assert!(!is_one("src/tool/parse.py", "._vendor.tiny.core", "tiny.core"));
        assert!(!is_one("src/tool/parse.py", "tiny.core", "tiny.core"));
        assert!(!is_one("plain/parse.py", ".types", "plain.types"));
    }

    #[test]
    fn a_path_may_be_of_a_module_by_its_end() {
        let at = "src/tool/parse.py";
        let is_same = |one: &str, other: &str| may_be_module(&module_path(at, one), &module_path(at, other));
        assert!(is_same("._types", "tool._types"));
        assert!(is_same("..other.types", "other.types"));
        assert!(is_same("re", "re"));
        assert!(!is_same(".types", "types"));
        assert!(!is_same("._types", "tool.more_types"));
        assert!(!is_same("._types", "ol._types"));
        assert_eq!(module_path(at, "."), "src/tool");
        assert_eq!(module_path("parse.py", ".types"), "types");
    }
}
