//! A path in one version → what it leads to, behind the imports of the project that hand names on; a module → the traits that
//! its code sees.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hashbrown::HashMap;

use super::raw_tokens::declared_functions;
use crate::languages::{self, Language, language_of};
use crate::layout::SourceLayout;
use crate::sources::{FileSource, SourceContent};
use crate::syntax::{ItemKind, ParseCache, SourceFile, SyntaxItem};
use crate::text_search::LineStarts;

/// A path that leads through more imports than this is taken as it stands.
const MOST_STEPS: usize = 32;

/// The modules of one version that paths lead through.
pub(super) struct ProjectModules<'t> {
    tree: &'t dyn FileSource,
    layout: SourceLayout<'t>,
    parser: &'t ParseCache,
    read: RefCell<HashMap<String, Option<Arc<ModuleFile>>>>,
}

/// Traits by their full paths, with the methods that each declares.
pub(super) type TraitScope = BTreeMap<Vec<String>, BTreeSet<String>>;

/// The file of a module.
struct ModuleFile {
    language: Language,
    /// The module's path from the top level down.
    module: Vec<String>,
    source: Arc<SourceFile>,
    text: Arc<[u8]>,
    /// The files that it may pull in.
    declared: Vec<String>,
}

impl<'t> ProjectModules<'t> {
    /// The modules of a version.
    pub(super) fn new(tree: &'t dyn FileSource, parser: &'t ParseCache) -> Self {
        Self {
            tree,
            layout: SourceLayout::new(tree),
            parser,
            read: RefCell::default(),
        }
    }

    pub(super) fn layout(&self) -> &SourceLayout<'t> {
        &self.layout
    }

    /// Follows a path that a file writes: to more than one end where the build chooses between imports.
    pub(super) fn behind_imports(&self, file: (&str, Language), path: &[String]) -> BTreeSet<Vec<String>> {
        self.behind_imports_of(file, &[], path)
    }

    /// Follows a path that is written in one of the modules inside a file.
    pub(super) fn behind_imports_of(
        &self,
        (file, language): (&str, Language),
        inside: &[String],
        path: &[String],
    ) -> BTreeSet<Vec<String>> {
        let module = self.layout.module(file, language).segments;
        let inner = [&module[..], inside].concat();
        let mut waiting = vec![path.to_vec()];
        let mut seen = BTreeSet::new();
        let mut found = BTreeSet::new();
        while let Some(path) = waiting.pop() {
            if seen.len() >= MOST_STEPS {
                found.insert(path);
                continue;
            }
            // Imports in a circle lead to nothing.
            if !seen.insert(path.clone()) {
                continue;
            }
            // A path begins at the top level, in the module that writes it, or in its crate.
            let starts = [&module[..0], &inner[..], &module[..], &module[..module.len().min(1)]];
            let step = starts.into_iter().find_map(|start| {
                let full: Vec<String> = start.iter().chain(&path).cloned().collect();
                match self.step(file, &full, start.len().max(1))? {
                    // Those of the modules that everything is imported from that have the name.
                    PathStep::AmongOthers(mut paths) => {
                        paths.retain(|path| self.is_known(file, path, &mut BTreeSet::new()));
                        (!paths.is_empty()).then_some(PathStep::AmongOthers(paths))
                    }
                    step => Some(step),
                }
            });
            match step {
                Some(PathStep::Defined(path)) => {
                    found.insert(path);
                }
                // The path itself is among them where the build chooses between imports and a definition.
                Some(PathStep::HandedOn(paths)) => {
                    let (own, others): (Vec<_>, Vec<_>) = paths.into_iter().partition(|next| *next == path);
                    found.extend(own);
                    waiting.extend(others);
                }
                Some(PathStep::AmongOthers(paths)) => waiting.extend(paths.into_iter().map(|(_, path)| path)),
                None => {
                    found.insert(path);
                }
            }
        }
        if found.is_empty() {
            found.insert(path.to_vec());
        }
        found
    }

    /// False if a module of the project, from which a file imports everything, has nothing of a name: `path` is the
    /// module's, and the name.
    pub(super) fn may_hold(&self, file: &str, path: &[String]) -> bool {
        let Some(module) = path.len().checked_sub(1).filter(|&module| module > 0) else {
            return true;
        };
        let files = self.files_on(file, path);
        let mut parts = files.iter().filter(|file| file.module.len() <= module).filter(|file| {
            let inside = &path[file.module.len()..module];
            let is_inside = |place: &[String]| place.starts_with(inside);
            inside.is_empty()
                || file.source.items.iter().any(|item| is_inside(&item.path))
                || file.source.functions.iter().any(|function| is_inside(&function.path))
        });
        // An invocation may write anything.
        let has_invocation = |file: &Arc<ModuleFile>| {
            let inside = &path[file.module.len()..module];
            let mut items = file.source.items.iter();
            items.any(|item| item.kind == ItemKind::Invocation && item.path == inside)
        };
        let is_known = parts.clone().next().is_some() && !parts.any(has_invocation);
        !is_known || self.step(file, path, module).is_some()
    }

    /// The traits of the project that the code of a module sees. A path is the module's, from the top level down.
    pub(super) fn traits_in_scope(&self, (file, language): (&str, Language), module: &[String]) -> TraitScope {
        let mut scope = TraitScope::new();
        let mut waiting = vec![(module.to_vec(), BTreeSet::new())];
        let mut seen = BTreeSet::new();
        while let Some((module, hidden)) = waiting.pop() {
            if seen.len() >= MOST_STEPS || !seen.insert(module.clone()) {
                continue;
            }
            let parts = self.files_on(file, &module);
            let items = parts
                .iter()
                .flat_map(|part| part.items_of(&module).map(move |item| (part, item)));
            let items: Vec<_> = items.collect();
            // A name of the module hides one of a module that it imports everything from.
            let names = items
                .iter()
                .filter(|(_, item)| !is_unnamed(item))
                .map(|(_, item)| item.name.clone());
            let hidden_below: BTreeSet<String> = hidden.iter().cloned().chain(names).collect();
            for (part, item) in items.iter().filter(|(_, item)| !hidden.contains(&item.name)) {
                match &item.kind {
                    ItemKind::Trait => {
                        let path = module.iter().chain([&item.name]).cloned().collect();
                        scope.insert(path, part.methods(item));
                    }
                    ItemKind::Import { target } => {
                        let mut target = part.resolved(&module, target);
                        if item.name == "*" {
                            target.pop();
                            waiting.push((target, hidden_below.clone()));
                            continue;
                        }
                        let ends = self.behind_imports((file, language), &target).into_iter();
                        scope.extend(ends.filter_map(|end| Some((end.clone(), self.methods_of_trait(file, &end)?))));
                    }
                    _ => {}
                }
            }
        }
        scope
    }

    /// The methods of a trait of the project; `None` for what is none.
    pub(super) fn methods_of_trait(&self, file: &str, path: &[String]) -> Option<BTreeSet<String>> {
        let (name, module) = path.split_last()?;
        self.files_on(file, module).iter().find_map(|part| {
            let mut items = part.items_of(module);
            let found = items.find(|item| item.kind == ItemKind::Trait && item.name == *name)?;
            Some(part.methods(found))
        })
    }

    /// True for a path that leads to something, be it through modules that each import everything from the next one; also for one
    /// of which that is not known after many steps. `asked` are the paths on the way.
    fn is_known(&self, file: &str, (at, path): &(usize, Vec<String>), asked: &mut BTreeSet<Vec<String>>) -> bool {
        if asked.len() >= MOST_STEPS {
            return true;
        }
        if !asked.insert(path.clone()) {
            return false;
        }
        match self.step(file, path, *at) {
            Some(PathStep::Defined(_) | PathStep::HandedOn(_)) => true,
            Some(PathStep::AmongOthers(paths)) => paths.iter().any(|path| self.is_known(file, path, asked)),
            None => false,
        }
    }

    /// Follows a path from the top level down to the first import that stands in its way, after its first segments.
    fn step(&self, file: &str, path: &[String], first: usize) -> Option<PathStep> {
        let mut files = self.files_on(file, path);
        // The file of a module says more of what is in it than the one that declares it.
        files.sort_by_key(|file| file.module.len());
        let mut step: Option<(usize, PathStep)> = None;
        for file in files {
            let Some(found) = file.step(path, first) else {
                continue;
            };
            let depth = file.module.len();
            match (&step, &found) {
                (_, PathStep::HandedOn(_)) => return Some(found),
                (Some((other, PathStep::Defined(_))), PathStep::AmongOthers(_)) if *other == depth => {}
                _ => step = Some((depth, found)),
            }
        }
        step.map(|(_, found)| found)
    }

    /// The files whose modules a path leads through.
    fn files_on(&self, file: &str, path: &[String]) -> Vec<Arc<ModuleFile>> {
        let mut waiting: Vec<String> = languages::entry_points(std::iter::once(&file.to_owned()))
            .into_iter()
            .chain([file.to_owned()])
            .collect();
        let mut seen: BTreeSet<String> = waiting.iter().cloned().collect();
        let mut found = Vec::new();
        while let Some(next) = waiting.pop() {
            let Some(file) = self.file(&next).filter(|file| path.starts_with(&file.module)) else {
                continue;
            };
            let declared = file.declared.iter().filter(|declared| seen.insert((*declared).clone()));
            waiting.extend(declared.cloned());
            found.push(file);
        }
        found
    }

    fn file(&self, path: &str) -> Option<Arc<ModuleFile>> {
        if let Some(known) = self.read.borrow().get(path) {
            return known.clone();
        }
        let read = self.read(path).map(Arc::new);
        self.read.borrow_mut().insert(path.to_owned(), read.clone());
        read
    }

    fn read(&self, path: &str) -> Option<ModuleFile> {
        let language = language_of(path)?;
        let blob = self.tree.file(path)?;
        let SourceContent::Bytes(bytes) = &blob.content else {
            return None;
        };
        Some(ModuleFile {
            language,
            module: self.layout.module(path, language).segments,
            declared: language.support().declared_files(path, bytes),
            source: self.parser.get(path, &blob),
            text: bytes.clone(),
        })
    }
}

/// True for an import without a name: of everything, or of a trait for its methods.
pub(super) fn is_unnamed(item: &SyntaxItem) -> bool {
    matches!(item.name.as_str(), "*" | "_")
}

/// A place of a path: a definition, or imports.
enum PathStep {
    /// A definition: the path ends here, or goes on inside it.
    Defined(Vec<String>),
    /// Imports, and where the path goes on from each.
    HandedOn(Vec<Vec<String>>),
    /// Imports of everything from some modules: from which segment on the path goes on in each, and the whole path.
    AmongOthers(Vec<(usize, Vec<String>)>),
}

impl ModuleFile {
    /// The items of a module that is this one, or inside it.
    fn items_of<'m>(&'m self, module: &'m [String]) -> impl Iterator<Item = &'m SyntaxItem> {
        let inside = module.get(self.module.len()..);
        let items = self.source.items.iter();
        items.filter(move |item| !item.test_only && Some(&item.path[..]) == inside)
    }

    /// True if a module inside this one holds something.
    fn has_module(&self, inside: &[String]) -> bool {
        let mut items = self.source.items.iter();
        let mut functions = self.source.functions.iter();
        items.any(|item| item.path.starts_with(inside))
            || functions.any(|function| function.path.len() > inside.len() && function.path.starts_with(inside))
    }

    /// The target of an import in a module that is this one, or inside it. A path may begin with a module or type that stands
    /// beside the import.
    fn resolved(&self, module: &[String], target: &[String]) -> Vec<String> {
        let resolved = self.language.support().resolve_import(module, target);
        let is_here = |inside: &[String], first: &String| {
            let mut types = self.items_of(module);
            types.any(|item| item.name == *first && matches!(item.kind, ItemKind::Module | ItemKind::Type { .. }))
                || self.has_module(&[inside, std::slice::from_ref(first)].concat())
        };
        let is_relative = resolved.get(1..) == target.get(1..) && resolved.first() != module.first();
        match (module.get(self.module.len()..), target) {
            (Some(inside), [first, _, ..]) if is_relative && is_here(inside, first) => [module, target].concat(),
            _ => resolved,
        }
    }

    /// The methods that a trait declares.
    fn methods(&self, of_trait: &SyntaxItem) -> BTreeSet<String> {
        let lines = LineStarts::of(&self.text).place(of_trait.lines);
        let text = self.text.get(lines).unwrap_or_default();
        let text = String::from_utf8_lossy(text);
        declared_functions(&text).into_iter().map(str::to_owned).collect()
    }

    /// The first segment of a path that something in this module has the name of.
    fn step(&self, path: &[String], first: usize) -> Option<PathStep> {
        let below = self.module.len();
        (first.max(below)..path.len()).find_map(|at| {
            let mut handed_on: Vec<Vec<String>> = Vec::new();
            let mut is_defined =
                (self.source.functions.iter()).any(|function| !function.test_only && function.path == path[below..=at]);
            let items = self.source.items.iter();
            for item in items.filter(|item| !item.test_only && item.path == path[below..at] && item.name == path[at]) {
                match &item.kind {
                    ItemKind::Import { target } => {
                        let target = self.resolved(&path[..at], target);
                        handed_on.push(target.into_iter().chain(path[at + 1..].iter().cloned()).collect());
                    }
                    ItemKind::Constant
                    | ItemKind::Type { .. }
                    | ItemKind::Trait
                    | ItemKind::Macro
                    | ItemKind::Module => is_defined = true,
                    ItemKind::Implementation | ItemKind::Invocation | ItemKind::Attribute | ItemKind::Prototype => {}
                }
            }
            match (handed_on.is_empty(), is_defined) {
                (true, false) if at + 1 < path.len() && self.has_module(&path[below..=at]) => None,
                (true, false) => self.among_others(path, at),
                (true, true) => Some(PathStep::Defined(path.to_vec())),
                // The build chooses between the two.
                (false, true) => Some(PathStep::HandedOn([handed_on, vec![path.to_vec()]].concat())),
                (false, false) => Some(PathStep::HandedOn(handed_on)),
            }
        })
    }

    /// Where a path goes on from the modules that everything is imported from, at one of its segments.
    fn among_others(&self, path: &[String], at: usize) -> Option<PathStep> {
        let inside = &path[self.module.len()..at];
        let all = self
            .source
            .items
            .iter()
            .filter(|item| !item.test_only && item.path == inside && item.name == "*");
        let paths = all.filter_map(|item| match &item.kind {
            ItemKind::Import { target } => {
                let mut target = self.resolved(&path[..at], target);
                target.pop();
                let length = target.len();
                Some((length, target.into_iter().chain(path[at..].iter().cloned()).collect()))
            }
            _ => None,
        });
        let paths: Vec<(usize, Vec<String>)> = paths.collect();
        (!paths.is_empty()).then_some(PathStep::AmongOthers(paths))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::TestFiles;

    fn path(text: &str) -> Vec<String> {
        text.split("::").map(str::to_owned).collect()
    }

    fn behind(files: &[(&'static str, &'static str)], file: &str, written: &str) -> Vec<String> {
        let tree = TestFiles(files.to_vec());
        let parser = ParseCache::default();
        let modules = ProjectModules::new(&tree, &parser);
        let language = language_of(file).expect("a source");
        let found = modules.behind_imports((file, language), &path(written));
        found.iter().map(|path| path.join("::")).collect()
    }

    const LIBRARY: &str = "extern crate alloc as heap;\npub use std::vec;\npub mod row;\n\
        #[cfg(a)]\nuse fast::Map;\n#[cfg(not(a))]\nstruct Map;\n";

    #[test]
    fn a_path_leads_through_what_modules_above_hand_on() {
        let files = [
            ("src/lib.rs", LIBRARY),
            ("src/row.rs", "mod cell;\npub use self::cell::Cell;\n"),
            ("src/row/cell.rs", "pub struct Cell;\n"),
        ];
        let behind = |written: &str| behind(&files, "src/row/cell.rs", written);
        assert_eq!(behind("crate::vec::Vec"), ["std::vec::Vec"]);
        assert_eq!(behind("heap::vec::Vec"), ["std::vec::Vec"]);
        assert_eq!(behind("crate::row::Cell"), ["crate::row::cell::Cell"]);
        assert_eq!(behind("other::Cell"), ["other::Cell"]);
        assert_eq!(behind("crate::row::Gone"), ["crate::row::Gone"]);
    }

    #[test]
    fn the_build_may_choose_between_an_import_and_a_definition() {
        let files = [("src/lib.rs", LIBRARY), ("src/row.rs", "")];
        assert_eq!(behind(&files, "src/row.rs", "crate::Map"), ["crate::Map", "fast::Map"]);
    }

    #[test]
    fn a_path_leads_through_modules_that_everything_is_imported_from() {
        let files = [
            (
                "src/lib.rs",
                "mod map;\npub mod by_hash {\n    pub use other::*;\n    pub use crate::map::*;\n}\n",
            ),
            ("src/map.rs", "pub struct Map;\n"),
        ];
        assert_eq!(behind(&files, "src/map.rs", "crate::by_hash::Map"), ["crate::map::Map"]);
        assert_eq!(
            behind(&files, "src/map.rs", "crate::by_hash::Set"),
            ["crate::by_hash::Set"]
        );
    }

    #[test]
    fn a_module_of_the_project_is_known_not_to_have_a_name() {
        let tree = TestFiles(vec![
            ("src/lib.rs", "mod map;\npub mod inner {\n    pub struct Row;\n}\n"),
            ("src/map.rs", "pub struct Map;\nmod written {\n    rows!();\n}\n"),
        ]);
        let parser = ParseCache::default();
        let modules = ProjectModules::new(&tree, &parser);
        let may_hold = |written: &str| modules.may_hold("src/map.rs", &path(written));
        for known in [
            "crate::map::Map",
            "crate::inner::Row",
            "crate::map::written::Vec",
            "other::Vec",
            "crate::gone::Vec",
        ] {
            assert!(may_hold(known), "{known}");
        }
        for absent in ["crate::map::Vec", "crate::inner::Vec", "crate::Vec"] {
            assert!(!may_hold(absent), "{absent}");
        }
    }

    #[test]
    fn a_path_leads_through_the_globs_of_the_file_of_a_module_and_not_in_circles() {
        let files = [
            ("src/lib.rs", "pub mod a;\npub mod b;\npub use b::step;\n"),
            ("src/a.rs", "pub fn step() {}\n"),
            ("src/b.rs", "pub use crate::*;\npub use crate::a::*;\n"),
        ];
        assert_eq!(behind(&files, "src/b.rs", "crate::b::step"), ["crate::a::step"]);
    }

    #[test]
    fn imports_in_a_circle_end() {
        let files = [
            ("src/lib.rs", "mod a;\nmod b;\n"),
            ("src/a.rs", "pub use crate::b::X;\n"),
            ("src/b.rs", "pub use crate::a::X;\n"),
        ];
        assert_eq!(behind(&files, "src/a.rs", "crate::b::X").len(), 1);
    }
}
