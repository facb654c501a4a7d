//! The files that runs read, as they are now → those that may lead a run to a file that none read.
//!
//! The sample records all that a run reads. Since then a source may import a module that was not there, or open another file.
//! Whatever names the file in another way than at the sample may lead to it, and so does what leads to a source that names it.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::later_source::LaterSource;
use crate::languages::{language_of, module_name};
use crate::sources::{FileSource, file_name, folder_of};
use crate::text_search::words_in;

/// Letters that a part of a file's name has at least, to say which file is meant.
const SHORTEST_PART: usize = 3;

/// The files that runs read, or that their programs were compiled from.
pub(super) struct LaterRuns<'a> {
    now: &'a dyn FileSource,
    read: BTreeSet<&'a str>,
    /// Those that are not as they were at the sample; `None` where nothing can be searched, so that any file may be meant.
    changed: BTreeMap<&'a str, Option<LaterSource>>,
    /// The modules of those that are gone: another file may be the module now.
    gone: BTreeMap<&'a str, Vec<String>>,
    /// Sources that no run read, and that programs could load; `None` if the files can't be listed.
    unread: OnceCell<Option<Vec<UnreadSource>>>,
    loaded_since: OnceCell<Option<BTreeSet<Arc<str>>>>,
}

struct UnreadSource {
    path: Arc<str>,
    text: LaterSource,
}

impl<'a> LaterRuns<'a> {
    pub(super) fn new(read: BTreeSet<&'a str>, (then, now): (&dyn FileSource, &'a dyn FileSource)) -> Self {
        let is_changed = |path: &&&str| now.id(path).is_some_and(|id| then.id(path) != Some(id));
        let changed = read.iter().filter(is_changed).map(|path| {
            let source = now.bytes(path).map(|now| LaterSource {
                then: then.bytes(path),
                now,
                language: language_of(path),
            });
            (*path, source)
        });
        let gone = read.iter().filter(|path| now.id(path).is_none());
        Self {
            now,
            changed: changed.collect(),
            gone: gone.filter_map(|path| Some((*path, module_of(path, then)?))).collect(),
            read,
            unread: OnceCell::new(),
            loaded_since: OnceCell::new(),
        }
    }

    /// The sources that no run read at the sample, and that one may load by now; `None` if the files can't be listed.
    pub(super) fn loaded_since(&self) -> Option<&BTreeSet<Arc<str>>> {
        let found = self.loaded_since.get_or_init(|| {
            if self.changed.is_empty() && self.gone.is_empty() {
                return Some(BTreeSet::new());
            }
            let mut named: BTreeMap<&str, Vec<&UnreadSource>> = BTreeMap::new();
            for source in self.unread()? {
                named.entry(module_name(&source.path)).or_default().push(source);
            }
            let mut found: BTreeSet<Arc<str>> = BTreeSet::new();
            let mut open: Vec<(&str, &LaterSource)> = Vec::new();
            for (path, source) in &self.changed {
                open.push((path, source.as_ref()?));
            }
            let taking_a_place = self.gone.values().flat_map(|gone| {
                let named = gone.last().and_then(|name| named.get(name.as_str()));
                let is_it = move |source: &&&UnreadSource| module_of(&source.path, self.now).as_ref() == Some(gone);
                named.into_iter().flatten().filter(is_it)
            });
            for source in taking_a_place {
                if found.insert(Arc::clone(&source.path)) {
                    open.push((&source.path, &source.text));
                }
            }
            while let Some((from, source)) = open.pop() {
                let text = String::from_utf8_lossy(&source.now);
                let words: BTreeSet<&str> = words_in(&text).collect();
                for unread in words.iter().filter_map(|word| named.get(word)).flatten() {
                    let is_led_to = || FileNames::of(&unread.path, self.now).are_written_anew(from, source);
                    if !found.contains(&unread.path) && is_led_to() {
                        found.insert(Arc::clone(&unread.path));
                        open.push((&unread.path, &unread.text));
                    }
                }
            }
            Some(found)
        });
        found.as_ref()
    }

    /// The files among those that runs read which may lead one to `path`: none if it is read anyway, or if nothing changed.
    pub(super) fn leading_to(&self, path: &str) -> BTreeSet<&'a str> {
        let is_as_sampled = self.changed.is_empty() && self.gone.is_empty();
        if is_as_sampled || self.read.contains(path) || self.now.id(path).is_none() || is_description(path) {
            return BTreeSet::new();
        }
        let module = module_of(path, self.now);
        let is_that_module = |(_, gone): &(&&str, &Vec<String>)| Some(*gone) == module.as_ref();
        let mut leading: BTreeSet<&str> = (self.gone.iter())
            .filter(is_that_module)
            .map(|(path, _)| *path)
            .collect();
        let mut seen = BTreeSet::from([path.to_owned()]);
        let mut open = vec![path.to_owned()];
        while let Some(path) = open.pop() {
            let names = FileNames::of(&path, self.now);
            let may_lead = |(from, source): &(&&str, &Option<LaterSource>)| {
                (source.as_ref()).is_none_or(|source| names.are_written_anew(from, source))
            };
            leading.extend(self.changed.iter().filter(may_lead).map(|(path, _)| *path));
            let Some(unread) = self.unread() else {
                leading.extend(self.changed.keys());
                return leading;
            };
            for UnreadSource { path, text } in unread {
                if names.are_written_anew(path, text) && seen.insert(path.to_string()) {
                    open.push(path.to_string());
                }
            }
        }
        leading
    }

    fn unread(&self) -> Option<&[UnreadSource]> {
        let unread = self.unread.get_or_init(|| {
            let files = self.now.all_files()?.into_iter();
            let sources = files.filter_map(|file| {
                let is_unread = !self.read.contains(&*file.path) && !is_description(&file.path);
                let language = language_of(&file.path)?;
                let can_load = is_unread && language.support().is_loaded_by_programs();
                let text = LaterSource {
                    then: None,
                    now: can_load.then(|| self.now.bytes(&file.path)).flatten()?,
                    language: Some(language),
                };
                Some(UnreadSource { path: file.path, text })
            });
            Some(sources.collect())
        });
        unread.as_deref()
    }
}

/// True for a source that only describes a module: programs load none of that name.
fn is_description(path: &str) -> bool {
    let support = language_of(path).map(|language| language.support());
    support.is_some_and(|support| support.is_loaded_by_programs() && !support.may_be_module(file_name(path), false))
}

/// The segments of the module that a file is, in a language whose programs load modules.
fn module_of(path: &str, tree: &dyn FileSource) -> Option<Vec<String>> {
    let support = language_of(path)?.support();
    let loads = support.is_loaded_by_programs();
    loads.then(|| support.module_layout(tree).module_path(path))
}

/// The words by which a text means a file.
struct FileNames<'p> {
    name: &'p str,
    /// The name without its end, and the parts that a text may put it together from.
    parts: BTreeSet<&'p str>,
    /// For a source that programs load.
    module: Option<ModuleNames<'p>>,
}

struct ModuleNames<'p> {
    name: String,
    /// The name of the package that it is in.
    package: Option<String>,
    /// The folder of that package: its sources may leave the name of the package out.
    folder: &'p str,
}

impl<'p> FileNames<'p> {
    fn of(path: &'p str, tree: &dyn FileSource) -> Self {
        let name = file_name(path);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let parts = stem.split(|part: char| !part.is_alphanumeric());
        let module = module_of(path, tree).and_then(|mut module| {
            let name = module.pop()?;
            let folder = folder_of(path);
            Some(ModuleNames {
                folder: if name == stem { folder } else { folder_of(folder) },
                package: module.pop(),
                name,
            })
        });
        Self {
            name,
            parts: parts.filter(|part| part.len() >= SHORTEST_PART).chain([stem]).collect(),
            module,
        }
    }

    /// True if a file writes one of the names in another way than at the sample.
    fn are_written_anew(&self, from: &str, source: &LaterSource) -> bool {
        let mut parts = self.parts.iter();
        match (&self.module, source.language) {
            (Some(module), Some(_)) => {
                let package = module.package.as_deref().filter(|_| folder_of(from) != module.folder);
                source.may_load(&module.name, package)
            }
            (None, Some(_)) => source.may_pull_in(self.name) || parts.any(|part| source.quotes_anew(part)),
            (_, None) => source.may_pull_in(self.name) || parts.any(|part| source.may_pull_in(part)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::TestFiles;

    /// The files that lead to a file, of which all but those of `unread` are read at the sample.
    fn leading(then: &[(&'static str, &'static str)], now: &[(&'static str, &'static str)], to: &str) -> Vec<String> {
        let [then, now] = [then, now].map(|files| TestFiles(files.to_vec()));
        let paths = then.0.iter().map(|(path, _)| *path);
        let read = paths.filter(|path| !path.contains("unread"));
        let runs = LaterRuns::new(read.collect(), (&then, &now));
        runs.leading_to(to).into_iter().map(str::to_owned).collect()
    }

    const HEAVY: (&str, &str) = ("lib/heavy.py", "def spin(n):\n    return n\n");

    #[test]
    fn a_source_leads_to_a_module_that_it_imports_since_the_sample() {
        let new = ("lib/spinning.py", "def spin(n):\n    return n\n");
        for import in [
            "from .spinning import spin\n",
            "from lib import spinning\n",
            "import lib.spinning as heavy\n",
            "from lib import (\n    other,\n    spinning,\n)\n",
        ] {
            assert_eq!(
                leading(&[HEAVY], &[("lib/heavy.py", import), new], new.0),
                ["lib/heavy.py"],
                "{import}"
            );
        }
        let package = ("lib/spinning/__init__.py", "");
        let importing = ("lib/heavy.py", "from .spinning import spin\n");
        assert_eq!(leading(&[HEAVY], &[importing, package], package.0), ["lib/heavy.py"]);
    }

    #[test]
    fn a_source_leads_through_sources_that_no_run_read() {
        let now = [
            ("lib/heavy.py", "from .first import spin\n"),
            ("lib/first.py", "from .second import spin\n"),
            ("lib/second.py", "def spin(n):\n    return n\n"),
        ];
        assert_eq!(leading(&[HEAVY], &now, "lib/second.py"), ["lib/heavy.py"]);
    }

    #[test]
    fn a_module_that_became_a_package_is_the_same_module() {
        let package = ("heavy/__init__.py", "");
        assert_eq!(leading(&[("heavy.py", "")], &[package], package.0), ["heavy.py"]);
        assert!(
            leading(
                &[("heavy.py", "")],
                &[("weighty/__init__.py", "")],
                "weighty/__init__.py"
            )
            .is_empty()
        );
    }

    #[test]
    fn what_names_a_file_as_before_or_in_passing_does_not_lead_to_it() {
        let unread = ("lib/unread.py", "def spin(n):\n    return n\n");
        let [then, now] = [
            "try:\n    from .unread import spin\nexcept ImportError:\n    spin = None\n",
            "try:\n    from .unread import spin\nexcept ImportError:\n    spin = None\nSIZE = 2\n",
        ]
        .map(|text| ("lib/heavy.py", text));
        assert!(leading(&[then, unread], &[now, unread], unread.0).is_empty());
        let passing = (
            "lib/heavy.py",
            "def spin(n):\n    unread = n  # unread\n    return unread\n",
        );
        assert!(leading(&[HEAVY, unread], &[passing, unread], unread.0).is_empty());
        assert!(
            leading(&[HEAVY, unread], &[HEAVY, unread], unread.0).is_empty(),
            "nothing changed"
        );
    }

    #[test]
    fn a_module_of_the_same_name_in_another_package_is_another_one() {
        let other = ("lib/other/unread.py", "def spin(n):\n    return n\n");
        let package = ("lib/other/__init__.py", "");
        let now = |import| [("lib/heavy.py", import), other, package, ("lib/__init__.py", "")];
        let leading = |import| leading(&[HEAVY], &now(import), other.0);
        assert!(leading("from .unread import spin\n").is_empty());
        assert_eq!(leading("from .other.unread import spin\n"), ["lib/heavy.py"]);
        assert_eq!(leading("from .other import (\n    unread,\n)\n"), ["lib/heavy.py"]);
    }

    #[test]
    fn nothing_leads_to_a_description_of_a_module() {
        let stub = ("lib/spinning.pyi", "def spin(n): ...\n");
        let importing = ("lib/heavy.py", "from .spinning import spin\n");
        assert!(leading(&[HEAVY], &[importing, stub], stub.0).is_empty());
    }

    #[test]
    fn a_text_leads_to_a_file_that_it_writes_the_name_of_or_a_part() {
        let reading = ("lib/heavy.py", "def spin(n):\n    return open('data/fresh.txt')\n");
        assert_eq!(
            leading(&[HEAVY], &[reading, ("data/fresh.txt", "")], "data/fresh.txt"),
            ["lib/heavy.py"]
        );
        let kind = ("lib/heavy.py", "KIND = \"long\"\n");
        assert_eq!(
            leading(&[HEAVY], &[kind, ("data/unread_long.txt", "")], "data/unread_long.txt"),
            ["lib/heavy.py"]
        );
        let [before, after] = ["[\"one\"]", "[\"one\", \"two\"]"].map(|text| ("plugins.json", text));
        let plugin = ("lib/plug_two.py", "");
        assert_eq!(
            leading(&[before, HEAVY], &[after, HEAVY, plugin], plugin.0),
            ["plugins.json"]
        );
        let message = ("lib/heavy.py", "ERROR = 'unread array'\n");
        assert!(leading(&[HEAVY], &[message, ("data/array.txt", "")], "data/array.txt").is_empty());
        let compiled = ("src/run.c", "FILE *in = fopen(\"extra/input.json\", \"r\");\n");
        assert_eq!(
            leading(
                &[("src/run.c", "")],
                &[compiled, ("extra/input.json", "")],
                "extra/input.json"
            ),
            ["src/run.c"]
        );
    }
}
