//! Sources that a program loads when it runs: what two texts of one bind differently, and which names a source may ask for.

use std::collections::{BTreeMap, BTreeSet};

use crate::sources::file_name;
use crate::text_search::words_in;

/// Statements that only one of two texts has and that do nothing but bind names, or state types.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadingDifference {
    /// Names that the text after binds and the text before does not.
    pub came: BTreeSet<BoundName>,
    /// The opposite.
    pub went: BTreeSet<BoundName>,
    /// Names of values that both texts bind once, to another value: the two definitions are compared by themselves, and followed
    /// to the functions that ask for them.
    pub rebound: BTreeSet<BoundName>,
    /// Classes of the module whose values differ in what the language asks for by itself, such as `__len__` and `__slots__`.
    pub classes: BTreeSet<BoundName>,
    /// Classes of other sources: the difference is all there is if none of them looks through the classes that are made from it.
    pub silent_classes: BTreeSet<ImportedClass>,
    /// Modules that only one of the texts loads, as they are written.
    pub modules: BTreeSet<String>,
    /// Names that only one of the texts takes from a module, and that may be modules as well: each after that module, as it is written.
    pub taken: BTreeSet<(String, String)>,
    /// Names that both texts take from a module, with that module as each of them writes it: it may be one.
    pub retaken: BTreeMap<BoundName, [String; 2]>,
    /// Modules that both texts load, in another order.
    pub reordered: BTreeSet<String>,
    /// True if names of the module are bound in another order.
    pub has_other_order: bool,
    /// The same of functions in a class that others may look through.
    pub has_other_members_order: bool,
    /// The words of code that reads what else differs of functions and classes: their names, their documentation.
    pub of_definitions: BTreeSet<String>,
    /// True if the stated types of parameters or results differ.
    pub has_other_annotations: bool,
}

/// A class that a source takes from a module.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ImportedClass {
    /// The module as the source writes it.
    pub module: String,
    /// The name of the class there.
    pub name: String,
}

/// A name that is taken from a module, as a module: `b` of `a` is `a.b`, and `b` of `.` is `.b`.
pub(crate) fn submodule(module: &str, name: &str) -> String {
    match module.ends_with('.') {
        true => format!("{module}{name}"),
        false => format!("{module}.{name}"),
    }
}

/// A name that loading a source binds.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BoundName {
    /// The name.
    pub name: String,
    /// Where it is found.
    pub holder: NameHolder,
}

/// Where a bound name is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum NameHolder {
    /// In the module, and in modules that take over all of its names.
    Exported,
    /// In the module alone.
    Module,
    /// In a class of the module.
    Class,
}

/// The names that the code of a source may ask for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AskedNames {
    /// Written alone: of the module, of a function, of the language.
    pub plain: BTreeSet<String>,
    /// The same where the types of parameters, results and variables of functions are stated, which code may look at.
    pub of_stated_types: BTreeSet<String>,
    /// Asked for by what loading the source executes and that may do more than to bind names, and by the heads of classes.
    pub loading: BTreeSet<String>,
    /// Bound by the module and its classes.
    pub bound: BTreeSet<String>,
    /// Those of classes that others may look through, such as fields of a dataclass.
    pub looked_through: BTreeSet<String>,
    /// Written as a part of something else.
    pub attributes: BTreeSet<String>,
    /// Texts that could be names.
    pub texts: BTreeSet<String>,
    /// The words of texts of several: a part of one may be a name.
    pub words_of_texts: BTreeSet<String>,
    /// Modules that are loaded, as they are written.
    pub modules: BTreeSet<String>,
    /// True if loading the source does nothing but load these and bind names.
    pub only_binds: bool,
    /// Names that are taken from modules one by one, each with the modules as they are written.
    pub imported: BTreeMap<String, BTreeSet<String>>,
    /// Modules of which all names are taken over, as they are written.
    pub takes_all_of: BTreeSet<String>,
    /// Starts of names whose ends are made up at run time.
    pub starts: BTreeSet<String>,
    /// True if names are made up at run time and asked for in a way that a run of the program can record.
    pub makes_up_names: bool,
    /// The same where a value of a class is asked: a name of a module is then none of them.
    pub makes_up_members: bool,
    /// True if names are made up otherwise or those of others are listed at run time, or classes hear of those made from them.
    pub is_dynamic: bool,
    /// True if texts are run that do not stand there: they may be any code.
    pub runs_texts: bool,
    /// The functions by which the source lists its own names.
    pub lists_own_names: BTreeSet<String>,
    /// The words of functions that read the names or the documentation of functions and classes.
    pub reads_of_definitions: BTreeSet<String>,
    /// The same of what loading the source executes.
    pub loading_reads_of_definitions: BTreeSet<String>,
    /// True if the source has classes that make classes, and may look through what these are made of.
    pub makes_classes: bool,
    /// The classes of the source, each with the classes of other sources that it is made from. If those do not look through the
    /// classes that are made from them, this one does not; `None` for one that may in any case.
    pub classes: BTreeMap<String, Option<BTreeSet<ImportedClass>>>,
    /// True if folders are listed.
    pub lists_folders: bool,
    /// True if stated types are looked at when the program runs.
    pub reads_annotations: bool,
}

/// An entry of a table, such as one of a dictionary.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TableEntry {
    /// The text by which it is looked up.
    pub key: String,
    /// The value behind it, as it is written; empty where the table holds keys alone.
    pub value: String,
}

/// The names and texts that a source's code has, word by word.
#[derive(Debug, Default)]
pub struct WordsOfCode<'s> {
    /// Of the statements that loading it executes.
    pub loading: CodeWords<'s>,
    /// Of what it imports.
    pub imports: BTreeSet<&'s str>,
    /// Of each function by its name, those of functions inside it among them.
    pub functions: Vec<(&'s str, CodeWords<'s>)>,
}

/// The words of a part of a source's code.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CodeWords<'s> {
    /// All of them.
    pub words: BTreeSet<&'s str>,
    /// Those in texts that names which are made up at run time may begin with: `visit_`.
    pub starts: BTreeSet<&'s str>,
    /// Those that such names may end with: `_item`.
    pub ends: BTreeSet<&'s str>,
}

impl<'s> CodeWords<'s> {
    /// Adds the words of a text that the code has.
    pub fn add_text(&mut self, text: &'s str) {
        for word in words_in(text) {
            self.words.insert(word);
            if word.len() > 1 && word.ends_with('_') {
                self.starts.insert(word);
            }
            // In `%s_item` the word is `s_item`.
            let end = word.find('_').map(|at| &word[at..]);
            if let Some(end) = end.filter(|end| end.len() > 1 && end.len() + 1 >= word.len()) {
                self.ends.insert(end);
            }
        }
    }

    /// Adds all words of other code.
    pub fn add(&mut self, other: &Self) {
        self.words.extend(&other.words);
        self.starts.extend(&other.starts);
        self.ends.extend(&other.ends);
    }
}

/// The last part of the name of the module that a source is.
pub(crate) fn module_name(path: &str) -> &str {
    let file = file_name(path);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    match stem {
        // It is the folder's.
        "__init__" => path.rsplit('/').nth(1).unwrap_or(stem),
        _ => stem,
    }
}
