//! Programs of three modules in which the same names are defined more than once → what each of them computes.
//!
//! Code that keeps its tokens means something else where it moves, where the order of declarations changes, and where an
//! import does. So the value of a program is computed here, by the rules of its language for names and by nothing of lito.

mod cpp;
mod generation;
mod python;
mod run;
mod rust;

pub(crate) use cpp::CPP;
pub(crate) use python::PYTHON;
pub(crate) use run::{Code, Outcome};
pub(crate) use rust::RUST;

use run::Method;

/// The modules: two, and the one that is executed, which can use both.
const MODULES: [&str; 3] = ["a", "b", "main"];

/// The module that is executed.
const MAIN: usize = 2;

const CONSTANTS: [&str; 3] = ["LIMIT", "WIDTH", MACRO];

/// The constant that is a macro where the language has macros: of these, the one defined last before a place is meant.
const MACRO: &str = "SIZE";
const FUNCTIONS: [&str; 4] = ["step", "grow", "fold", "work"];
const TYPES: [&str; 2] = ["Stepped", "Stretched"];

/// Other names of modules.
const ALIASES: [&str; 2] = ["near", "far"];

/// The function that takes another one and returns one in its place.
const DECORATOR: &str = "noted";

/// The one that it returns.
const DECORATED: &str = "inner";

/// The rules of a language.
pub(crate) struct Language {
    /// The path of each module in the repository.
    pub(crate) paths: [&'static str; 3],
    /// Stands between the segments of a function's name in a profile.
    between: &'static str,
    /// Stands before all of them, in each module.
    prefixes: [&'static str; 3],
    /// Whether sources are executed from their text.
    pub(crate) is_loaded: bool,
    /// The text of a module, with the first line of each item.
    write: fn(&Program, usize) -> Source,
    /// The meaning of all names; none for a program that no compiler takes.
    names: fn(&Program) -> Option<Box<dyn Names + '_>>,
}

impl Language {
    /// The source of a module.
    pub(crate) fn source(&self, program: &Program, module: usize) -> Source {
        (self.write)(program, module)
    }

    /// A module's name in a profile.
    pub(crate) fn module(&self, module: usize) -> &'static str {
        self.prefixes[module].trim_end_matches(self.between)
    }

    /// A function's name in a profile.
    pub(crate) fn name(&self, module: usize, path: &[String]) -> String {
        self.prefixes[module].to_owned() + &path.join(self.between)
    }
}

/// A text and the lines at which its items begin, counted from 1.
#[derive(Default)]
pub(crate) struct Source {
    pub(crate) text: String,
    pub(crate) items: Vec<u32>,
}

impl Source {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn item(&mut self, lines: &[String]) {
        let line = self.text.lines().count() + 1;
        self.items.push(u32::try_from(line).unwrap_or(u32::MAX));
        lines.iter().for_each(|line| self.line(line));
        self.line("");
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Program {
    modules: [Vec<Declared>; 3],
}

/// The module of an item and its number there.
type Place = (usize, usize);

/// An item, and the condition for it.
#[derive(Debug, Clone, PartialEq)]
struct Declared {
    /// A constant and the value that it must have.
    only_if: Option<(&'static str, u64)>,
    item: Item,
}

#[derive(Debug, Clone, PartialEq)]
enum Item {
    Constant {
        name: &'static str,
        value: u64,
        /// A constant that is added to it.
        plus: Option<&'static str>,
    },
    Function {
        name: &'static str,
        takes: Argument,
        /// The constant that a second parameter has by default.
        default: Option<&'static str>,
        /// The function that takes this one and returns another.
        decorator: Option<&'static str>,
        /// Added to its argument.
        adds: u64,
        uses: Vec<Use>,
    },
    /// A function that takes another one, and returns one that adds a number to its result.
    Decorator {
        adds: u64,
    },
    /// A type with one method that counts, `stepped`. It uses a method `taken` and a constant `wide`.
    Type(Type),
    /// A method `stepped` that a type has beside those of traits.
    Inherent {
        adds: u64,
    },
    Import {
        from: usize,
        name: &'static str,
        /// Its name here.
        alias: &'static str,
    },
    ImportAll {
        from: usize,
    },
    /// A module under another name.
    ImportModule {
        from: usize,
        alias: &'static str,
    },
    /// A function under another name.
    Bound {
        name: &'static str,
        to: &'static str,
    },
    /// The meaning of a name of another module is exchanged while this one is loaded.
    Exchange {
        alias: &'static str,
        name: &'static str,
        with: &'static str,
    },
    /// The method `taken` of a type is exchanged for that of another one.
    ExchangeMethod {
        of: &'static str,
        with: &'static str,
    },
}

/// A type or trait.
#[derive(Debug, Clone, PartialEq)]
struct Type {
    name: &'static str,
    /// The type that it is made from.
    base: Option<&'static str>,
    /// Added by its own `stepped`.
    stepped: Option<u64>,
    /// Added by its own `taken`.
    taken: Option<u64>,
    /// The value of its own `wide`.
    wide: Option<&'static str>,
}

/// The type of a parameter, and of the argument in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Argument {
    Long,
    Int,
    /// That of the argument: only of a parameter.
    Any,
}

/// A statement: each makes another number of the one before.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Use {
    Constant(&'static str),
    Call(&'static str, Argument),
    /// A call behind the name of a module.
    Through(&'static str, &'static str, Argument),
    Method(&'static str),
    /// A comparison with a constant, or a new variable where there is no constant of this name.
    Pattern(&'static str),
}

/// The meaning of names, by the rules of a language.
trait Names {
    /// The definition that a name leads to in the body of a function.
    fn definition(&self, at: Place, name: &'static str, given: Argument) -> Option<Place>;

    /// The same in the head of a function, in a class, and in the value of a constant.
    fn in_head(&self, at: Place, name: &'static str) -> Option<Place> {
        self.definition(at, name, Argument::Long)
    }

    /// The same behind the name of a module, in the body of a function.
    fn through(&self, at: Place, module: &'static str, name: &'static str, given: Argument) -> Option<Place>;

    /// The constant that a pattern leads to, or that it is a new variable; none where patterns are none of the language.
    fn pattern(&self, _at: Place, _name: &'static str) -> Option<Option<Place>> {
        None
    }

    /// The code that a call of a type's method executes.
    fn method(&self, of: Place) -> Option<Method>;

    /// Whether the condition of an item holds.
    fn is_taken(&self, _: Place) -> bool {
        true
    }

    /// Whether a module is loaded.
    fn is_loaded(&self, _: usize) -> bool {
        true
    }
}

impl Program {
    fn item(&self, (module, at): Place) -> &Item {
        &self.modules[module][at].item
    }

    fn items(&self) -> impl Iterator<Item = (Place, &Item)> {
        let modules = self.modules.iter().enumerate();
        modules.flat_map(|(module, items)| {
            let items = items.iter().enumerate();
            items.map(move |(at, declared)| ((module, at), &declared.item))
        })
    }
}

impl Item {
    /// Its name in its module.
    fn name(&self) -> Option<&'static str> {
        match self {
            Self::Constant { name, .. }
            | Self::Function { name, .. }
            | Self::Bound { name, .. }
            | Self::Type(Type { name, .. }) => Some(name),
            Self::Import { alias, .. } | Self::ImportModule { alias, .. } => Some(alias),
            Self::Decorator { .. } => Some(DECORATOR),
            Self::Inherent { .. } | Self::ImportAll { .. } | Self::Exchange { .. } | Self::ExchangeMethod { .. } => {
                None
            }
        }
    }
}

#[cfg(test)]
mod tests;
