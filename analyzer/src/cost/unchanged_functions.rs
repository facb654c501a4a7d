//! The functions of files that did not change, by name: what a new call of one does can be read, though no benchmark of
//! the sample executes it.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use hashbrown::HashMap;
use memchr::memmem;

use crate::change::LocatedFunction;
use crate::cost::ScoringContext;
use crate::cost::scanned_files::ScannedFile;
use crate::syntax::SourceFile;

/// A function of a file that did not change.
#[derive(Debug, Clone)]
pub(super) struct UnchangedFunction {
    pub(super) located: LocatedFunction,
    pub(super) source: Arc<SourceFile>,
}

/// The functions, looked up when a call may mean one of them.
#[derive(Debug, Default)]
pub(super) struct UnchangedFunctions {
    by_name: RefCell<HashMap<String, Rc<[UnchangedFunction]>>>,
}

impl UnchangedFunctions {
    /// The functions of a name in the files that the sample was compiled from and that are as they were before.
    pub(super) fn named(&self, name: &str, scene: &ScoringContext<'_>) -> Rc<[UnchangedFunction]> {
        if let Some(known) = self.by_name.borrow().get(name) {
            return Rc::clone(known);
        }
        let files = scene.scanned_files().files.iter();
        let unchanged = files.filter(|file| file.is_compiled && !scene.is_changed(&file.path));
        let found: Rc<[UnchangedFunction]> = unchanged.flat_map(|file| functions_of(file, name, scene)).collect();
        self.by_name.borrow_mut().insert(name.to_owned(), Rc::clone(&found));
        found
    }
}

fn functions_of(file: &ScannedFile, name: &str, scene: &ScoringContext<'_>) -> Vec<UnchangedFunction> {
    // Most files do not define the name, and need no parsing.
    if memmem::find(&file.bytes, name.as_bytes()).is_none() {
        return Vec::new();
    }
    let source = file.source(scene.before.parser);
    let functions = source.functions.iter();
    functions
        .filter(|function| !function.test_only && function.name() == name)
        .map(|function| UnchangedFunction {
            located: file.located(function),
            source: Arc::clone(source),
        })
        .collect()
}
