//! The files of a build, on all sides of a version → the macros that are known behind a line that includes one of them.
//!
//! A macro that one file alone defines has its meaning once that file was read, whichever file included it first. Where the
//! sides give it other meanings, nobody knows it, so that a file which did not change reads the same on all of them.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use hashbrown::HashMap;

use super::known_macros::MacroKnowledge;
use crate::languages::{KnownMacros, MacroAtStart, language_of};
use crate::sources::FileSource;

/// Files that include each other more deeply are not followed.
const DEEPEST: usize = 64;

type Macros = BTreeMap<String, MacroAtStart>;

/// The macros behind each file.
pub(super) fn macros_behind_includes(
    known: &MacroKnowledge,
    sides: [&dyn FileSource; 3],
) -> BTreeMap<Arc<str>, Macros> {
    let [sample, before, after] = sides.map(|side| IncludedMacros {
        side,
        known,
        found: RefCell::default(),
    });
    let of_file = |path: &Arc<str>| {
        let [one, other] = [&before, &after].map(|side| side.behind(path, 0));
        let of_sample = sample.behind(path, 0);
        let is_same = |(name, known): &(&String, &MacroAtStart)| {
            [&one, &other].iter().all(|side| side.get(*name) == Some(*known))
        };
        let same = of_sample.iter().filter(is_same);
        same.map(|(name, known)| (name.clone(), known.clone()))
            .collect::<Macros>()
    };
    let files = known.files().map(|path| (Arc::clone(path), of_file(path)));
    files.filter(|(_, macros)| !macros.is_empty()).collect()
}

/// The macros behind the files of one side.
struct IncludedMacros<'s> {
    side: &'s dyn FileSource,
    known: &'s MacroKnowledge,
    /// None of a file that is being read.
    found: RefCell<HashMap<Arc<str>, Rc<Macros>>>,
}

impl IncludedMacros<'_> {
    fn behind(&self, path: &Arc<str>, depth: usize) -> Rc<Macros> {
        if let Some(found) = self.found.borrow().get(path) {
            return Rc::clone(found);
        }
        self.found.borrow_mut().insert(Arc::clone(path), Rc::default());
        let found = Rc::new(self.read(path, depth).unwrap_or_default());
        self.found.borrow_mut().insert(Arc::clone(path), Rc::clone(&found));
        found
    }

    fn read(&self, path: &Arc<str>, depth: usize) -> Option<Macros> {
        let bytes = self.side.bytes(path)?;
        let source = std::str::from_utf8(&bytes).ok()?;
        let known = MacrosOfSide {
            reader: self,
            path,
            depth,
        };
        let mut macros = language_of(path)?.support().macros_behind(source, &known);
        macros.retain(|name, _| self.known.is_settled_behind(name, path));
        Some(macros)
    }
}

/// The macros where a file of one side begins.
struct MacrosOfSide<'r, 's> {
    reader: &'r IncludedMacros<'s>,
    path: &'r str,
    depth: usize,
}

impl KnownMacros for MacrosOfSide<'_, '_> {
    fn at_start(&self, name: &str) -> MacroAtStart {
        let macros = self.reader.known.in_file(self.path);
        macros.map_or(MacroAtStart::Unsettled, |macros| macros.at_start(name))
    }

    fn behind_include(&self, header: &str) -> Macros {
        match self.reader.known.file_of(header) {
            Some(path) if self.depth < DEEPEST => Macros::clone(&self.reader.behind(path, self.depth + 1)),
            _ => Macros::new(),
        }
    }
}
