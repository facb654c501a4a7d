//! Programs of three modules in which the same names are defined more than once → what each of them computes.
//!
//! Code that keeps its tokens means something else where it moves, where the order of declarations changes, and where an
//! import does. So the value of a program is computed here, by the rules of its language for names and by nothing of lito.

mod cpp;
mod python;
mod rust;

use super::random::Numbers;

pub(crate) use cpp::CPP;
pub(crate) use python::PYTHON;
pub(crate) use rust::RUST;

/// The modules: two, and the one that is executed, which can use both.
const MODULES: [&str; 3] = ["a", "b", "main"];

/// The module that is executed.
const MAIN: usize = 2;

const CONSTANTS: [&str; 3] = ["LIMIT", "WIDTH", MACRO];

/// The constant that is a macro where the language has macros: of these, the one defined last before a place is meant.
const MACRO: &str = "SIZE";
const FUNCTIONS: [&str; 4] = ["step", "grow", "fold", "work"];
const TYPES: [&str; 2] = ["Stepped", "Stretched"];

/// Calls within each other, beyond which a program never ends.
const DEEPEST: usize = 12;

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
    modules: [Vec<Item>; 3],
}

/// The module of an item and its number there.
type Place = (usize, usize);

#[derive(Debug, Clone, PartialEq)]
enum Item {
    Constant {
        name: &'static str,
        value: u64,
    },
    Function {
        name: &'static str,
        takes: Argument,
        /// The constant that a second parameter has by default.
        default: Option<&'static str>,
        /// Added to its argument.
        adds: u64,
        uses: Vec<Use>,
    },
    /// A type or trait with one method.
    Type {
        name: &'static str,
        /// The type that it is made from.
        base: Option<&'static str>,
        /// Added by its own method; without one it has that of its base.
        adds: Option<u64>,
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
}

/// The type of a parameter, and of the argument in its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Argument {
    Long,
    Int,
}

/// A statement: each makes another number of the one before.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Use {
    Constant(&'static str),
    Call(&'static str, Argument),
    Method(&'static str),
}

/// The meaning of names, by the rules of a language.
trait Names {
    /// The definition that a name leads to in the body of a function.
    fn definition(&self, at: Place, name: &'static str, given: Argument) -> Option<Place>;

    /// The same in the head of a function or a class.
    fn in_head(&self, at: Place, name: &'static str) -> Option<Place> {
        self.definition(at, name, Argument::Long)
    }
}

/// A run of a program.
pub(crate) struct Outcome {
    /// The number that it computes.
    pub(crate) value: u64,
    /// The items of each module that were executed.
    pub(crate) executed: [Vec<usize>; 3],
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

    /// Runs a program; none if it does not compile, or never ends.
    pub(crate) fn outcome(&self, program: &Program) -> Option<Outcome> {
        let names = (self.names)(program)?;
        let mut run = Run {
            program,
            names: names.as_ref(),
            executed: [const { Vec::new() }; 3],
        };
        // Code that is never executed is to compile too.
        for (at, item) in program.items() {
            run.compiles(at, item)?;
        }
        let entry = (MAIN, program.modules[MAIN].len() - 1);
        let value = run.value(entry, 1, 0)?;
        let executed = run.executed.map(|mut items| {
            items.sort_unstable();
            items.dedup();
            items
        });
        Some(Outcome { value, executed })
    }
}

struct Run<'p> {
    program: &'p Program,
    names: &'p dyn Names,
    executed: [Vec<usize>; 3],
}

impl Run<'_> {
    fn compiles(&self, at: Place, item: &Item) -> Option<()> {
        let (default, uses) = match item {
            Item::Function { default, uses, .. } => (default, uses),
            Item::Type { base, adds, .. } => {
                let based = base.and_then(|base| self.names.in_head(at, base));
                let is_whole = base.is_none() && adds.is_some() || based.is_some_and(|based| based != at);
                return is_whole.then_some(());
            }
            _ => return Some(()),
        };
        if let Some(name) = default {
            self.constant(self.names.in_head(at, name)?)?;
        }
        for written in uses {
            let (name, given) = match *written {
                Use::Constant(name) | Use::Method(name) => (name, Argument::Long),
                Use::Call(name, given) => (name, given),
            };
            self.names.definition(at, name, given)?;
        }
        Some(())
    }

    fn constant(&self, at: Place) -> Option<u64> {
        match self.program.item(at) {
            Item::Constant { value, .. } => Some(*value),
            _ => None,
        }
    }

    /// The number that a function returns for another one.
    fn value(&mut self, at: Place, given: u64, depth: usize) -> Option<u64> {
        self.executed[at.0].push(at.1);
        let (takes, default, adds, uses) = match self.program.item(at) {
            Item::Function {
                takes,
                default,
                adds,
                uses,
                ..
            } if depth < DEEPEST => (*takes, *default, *adds, uses),
            Item::Type { adds: Some(adds), .. } => return Some(given.wrapping_add(*adds)),
            Item::Type { base: Some(base), .. } if depth < DEEPEST => {
                let base = self.names.in_head(at, base)?;
                return self.value(base, given, depth + 1);
            }
            _ => return None,
        };
        let mut value = taken(takes, given).wrapping_add(adds);
        if let Some(name) = default {
            let constant = self.constant(self.names.in_head(at, name)?)?;
            value = with_constant(value, constant);
        }
        for written in uses {
            value = match *written {
                Use::Constant(name) => {
                    let constant = self.names.definition(at, name, Argument::Long)?;
                    with_constant(value, self.constant(constant)?)
                }
                Use::Call(name, given) => {
                    let called = self.names.definition(at, name, given)?;
                    let argument = match given {
                        Argument::Long => value,
                        Argument::Int => value % SMALL,
                    };
                    self.value(called, argument, depth + 1)?
                }
                Use::Method(name) => {
                    let defined = self.names.definition(at, name, Argument::Long)?;
                    self.value(defined, value, depth + 1)?
                }
            };
        }
        Some(value)
    }
}

/// Arguments of the type `int` are below it.
const SMALL: u64 = 1000;

fn with_constant(value: u64, constant: u64) -> u64 {
    value.wrapping_mul(31).wrapping_add(constant)
}

/// A number as a parameter has it.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "as C++ converts it"
)]
fn taken(takes: Argument, given: u64) -> u64 {
    match takes {
        Argument::Long => given,
        Argument::Int => i64::from(given as u32 as i32) as u64,
    }
}

impl Program {
    /// A program that compiles and ends.
    pub(crate) fn new(language: &Language, numbers: &mut Numbers) -> Self {
        let mut program = Self {
            modules: [plain_module(2), plain_module(3), Vec::new()],
        };
        let imported = [(0, "work"), (1, "step"), (0, "LIMIT")];
        program.modules[MAIN].extend(imported.map(|(from, name)| Item::Import {
            from,
            name,
            alias: name,
        }));
        program.modules[MAIN].push(entry());
        for _ in 0..GROWTH {
            if let Some((edited, _)) = program.edited(language, numbers) {
                program = edited;
            }
        }
        program
    }

    /// The program with one to three edits, and its run, if it compiles then. No edit changes a token of a function's body.
    pub(crate) fn edited(&self, language: &Language, numbers: &mut Numbers) -> Option<(Self, Outcome)> {
        let mut edited = self.clone();
        for _ in 0..=numbers.below(3) {
            edited.edit(numbers);
        }
        let outcome = language.outcome(&edited)?;
        Some((edited, outcome))
    }

    fn edit(&mut self, numbers: &mut Numbers) {
        let (from, to) = (numbers.below(MODULES.len()), numbers.below(MODULES.len()));
        let Some(at) = self.any_item(from, numbers) else {
            return;
        };
        match numbers.below(8) {
            0 => drop(self.modules[from].remove(at)),
            1 | 2 => self.insert(to, item(to, numbers), numbers),
            3 => self.modules[from][at].rename(numbers),
            4 => {
                if let Some(other) = self.any_item(from, numbers) {
                    self.modules[from].swap(at, other);
                }
            }
            _ => {
                let moved = self.modules[from].remove(at);
                self.insert(to, moved, numbers);
            }
        }
    }

    fn insert(&mut self, module: usize, item: Item, numbers: &mut Numbers) {
        let at = numbers.below(self.movable(module) + 1);
        self.modules[module].insert(at, item);
    }

    fn any_item(&self, module: usize, numbers: &mut Numbers) -> Option<usize> {
        match self.movable(module) {
            0 => None,
            count => Some(numbers.below(count)),
        }
    }

    /// The number of a module's items but for the entry, which stays where it is.
    fn movable(&self, module: usize) -> usize {
        self.modules[module].len() - usize::from(module == MAIN)
    }

    fn item(&self, (module, at): Place) -> &Item {
        &self.modules[module][at]
    }

    fn items(&self) -> impl Iterator<Item = (Place, &Item)> {
        let modules = self.modules.iter().enumerate();
        modules.flat_map(|(module, items)| items.iter().enumerate().map(move |(at, item)| ((module, at), item)))
    }
}

/// Edits that make a program of the plain one; those that do not compile are left out.
const GROWTH: usize = 24;

/// A module that defines everything.
fn plain_module(value: u64) -> Vec<Item> {
    let mut items: Vec<Item> = CONSTANTS.map(|name| Item::Constant { name, value }).into();
    items.push(Item::Type {
        name: TYPES[0],
        base: None,
        adds: Some(value),
    });
    items.extend(FUNCTIONS.map(|name| Item::Function {
        name,
        takes: Argument::Long,
        default: None,
        adds: 0,
        uses: vec![Use::Constant(CONSTANTS[0]), Use::Method(TYPES[0])],
    }));
    items
}

/// The function that is executed.
fn entry() -> Item {
    let long = Argument::Long;
    Item::Function {
        name: "run",
        takes: long,
        default: None,
        adds: 1,
        uses: vec![Use::Call("work", long), Use::Call("step", long), Use::Constant("LIMIT")],
    }
}

fn item(module: usize, numbers: &mut Numbers) -> Item {
    let from = (module + 1 + numbers.below(2)) % MODULES.len();
    match numbers.below(8) {
        0 => Item::ImportAll { from },
        1 | 2 => {
            let names = [&CONSTANTS[..], &FUNCTIONS, &TYPES][numbers.below(3)];
            let name = one_of(names, numbers);
            let alias = if numbers.below(4) == 0 {
                one_of(names, numbers)
            } else {
                name
            };
            Item::Import { from, name, alias }
        }
        3 => {
            let base = (numbers.below(2) == 0).then(|| one_of(&TYPES, numbers));
            let has_own = base.is_none() || numbers.below(2) == 0;
            Item::Type {
                name: one_of(&TYPES, numbers),
                base,
                adds: has_own.then(|| 1 + numbers.below(9) as u64),
            }
        }
        4 => Item::Constant {
            name: one_of(&CONSTANTS, numbers),
            value: 3 + numbers.below(20) as u64,
        },
        _ => Item::Function {
            name: one_of(&FUNCTIONS, numbers),
            takes: argument(numbers),
            default: (numbers.below(3) == 0).then(|| one_of(&CONSTANTS, numbers)),
            // Functions with the same tokens are common.
            adds: numbers.below(2) as u64,
            uses: (0..numbers.below(3)).map(|_| statement(numbers)).collect(),
        },
    }
}

fn statement(numbers: &mut Numbers) -> Use {
    match numbers.below(4) {
        0 => Use::Call(one_of(&FUNCTIONS, numbers), argument(numbers)),
        1 => Use::Method(one_of(&TYPES, numbers)),
        _ => Use::Constant(one_of(&CONSTANTS, numbers)),
    }
}

fn argument(numbers: &mut Numbers) -> Argument {
    if numbers.below(3) == 0 {
        Argument::Int
    } else {
        Argument::Long
    }
}

fn one_of(names: &[&'static str], numbers: &mut Numbers) -> &'static str {
    names[numbers.below(names.len())]
}

impl Item {
    /// Its name in its module.
    fn name(&self) -> Option<&'static str> {
        match self {
            Self::Constant { name, .. } | Self::Function { name, .. } | Self::Type { name, .. } => Some(name),
            Self::Import { alias, .. } => Some(alias),
            Self::ImportAll { .. } => None,
        }
    }

    /// Gives it another name, or takes another one for it.
    fn rename(&mut self, numbers: &mut Numbers) {
        match self {
            Self::Constant { name, .. } => *name = one_of(&CONSTANTS, numbers),
            Self::Function { name, .. } => *name = one_of(&FUNCTIONS, numbers),
            Self::Type { name, .. } => *name = one_of(&TYPES, numbers),
            Self::Import { from, .. } | Self::ImportAll { from } => *from = numbers.below(MODULES.len()),
        }
    }
}

#[cfg(test)]
mod tests;
