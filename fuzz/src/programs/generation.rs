//! Numbers → a program that compiles and ends, and its edits.

use super::{
    ALIASES, Argument, CONSTANTS, DECORATOR, Declared, FUNCTIONS, Item, Language, MAIN, MODULES, Outcome, Program,
    TYPES, Type, Use,
};
use crate::random::Numbers;

/// Edits that make a program of the plain one; those that do not compile are left out.
const GROWTH: usize = 40;

/// The names that stand for the same kind of thing.
const KINDS: [&[&str]; 3] = [&CONSTANTS, &FUNCTIONS, &TYPES];

impl Program {
    /// A program that compiles and ends.
    pub(crate) fn new(language: &Language, numbers: &mut Numbers) -> Self {
        let mut program = Self {
            modules: [plain_module(2), plain_module(3), Vec::new()],
        };
        let imported = [(0, "work"), (1, "step"), (0, "LIMIT")];
        program.modules[MAIN].extend(imported.map(|(from, name)| {
            Declared::from(Item::Import {
                from,
                name,
                alias: name,
            })
        }));
        program.modules[MAIN].push(entry().into());
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
        match numbers.below(10) {
            0 => drop(self.modules[from].remove(at)),
            1 | 2 => self.insert(to, item(to, numbers).into(), numbers),
            3 => self.modules[from][at].item.rename(numbers),
            4 => {
                if let Some(other) = self.any_item(from, numbers) {
                    self.modules[from].swap(at, other);
                }
            }
            5 => self.modules[from][at].condition(numbers),
            6 => self.modules[from][at].item.change_head(numbers),
            _ => {
                let moved = self.modules[from].remove(at);
                self.insert(to, moved, numbers);
            }
        }
    }

    fn insert(&mut self, module: usize, item: Declared, numbers: &mut Numbers) {
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
}

/// A module that defines everything.
fn plain_module(value: u64) -> Vec<Declared> {
    let mut items: Vec<Item> = CONSTANTS
        .map(|name| Item::Constant {
            name,
            value,
            plus: None,
        })
        .into();
    items.push(Item::Type(Type {
        name: TYPES[0],
        base: None,
        stepped: Some(value),
        taken: Some(value),
        wide: Some(CONSTANTS[1]),
    }));
    items.extend(FUNCTIONS.map(|name| Item::Function {
        name,
        takes: Argument::Long,
        default: None,
        decorator: None,
        adds: 0,
        uses: vec![Use::Constant(CONSTANTS[0]), Use::Method(TYPES[0])],
    }));
    items.into_iter().map(Declared::from).collect()
}

/// The function that is executed.
fn entry() -> Item {
    let long = Argument::Long;
    Item::Function {
        name: "run",
        takes: long,
        default: None,
        decorator: None,
        adds: 1,
        uses: vec![Use::Call("work", long), Use::Call("step", long), Use::Constant("LIMIT")],
    }
}

fn item(module: usize, numbers: &mut Numbers) -> Item {
    let from = (module + 1 + numbers.below(2)) % MODULES.len();
    match numbers.below(13) {
        0 => Item::ImportAll { from },
        1 | 2 => {
            let names = KINDS[numbers.below(KINDS.len())];
            let name = one_of(names, numbers);
            let alias = if numbers.below(4) == 0 {
                one_of(names, numbers)
            } else {
                name
            };
            Item::Import { from, name, alias }
        }
        3 | 4 => {
            let base = (numbers.below(2) == 0).then(|| one_of(&TYPES, numbers));
            Item::Type(Type {
                name: one_of(&TYPES, numbers),
                base,
                stepped: own(numbers),
                taken: own(numbers),
                wide: own(numbers).map(|_| one_of(&CONSTANTS, numbers)),
            })
        }
        5 => Item::Constant {
            name: one_of(&CONSTANTS, numbers),
            value: 3 + numbers.below(20) as u64,
            plus: (numbers.below(3) == 0).then(|| one_of(&CONSTANTS, numbers)),
        },
        6 => Item::ImportModule {
            from,
            alias: one_of(&ALIASES, numbers),
        },
        7 => match numbers.below(4) {
            0 => {
                let names = KINDS[numbers.below(KINDS.len())];
                Item::Exchange {
                    alias: one_of(&ALIASES, numbers),
                    name: one_of(names, numbers),
                    with: one_of(names, numbers),
                }
            }
            1 => Item::ExchangeMethod {
                of: one_of(&TYPES, numbers),
                with: one_of(&TYPES, numbers),
            },
            2 => Item::Decorator {
                adds: 1 + numbers.below(9) as u64,
            },
            _ => Item::Inherent {
                adds: 1 + numbers.below(9) as u64,
            },
        },
        8 => Item::Bound {
            name: one_of(&FUNCTIONS, numbers),
            to: one_of(&FUNCTIONS, numbers),
        },
        _ => Item::Function {
            name: one_of(&FUNCTIONS, numbers),
            takes: match numbers.below(4) {
                0 => Argument::Any,
                _ => argument(numbers),
            },
            default: (numbers.below(3) == 0).then(|| one_of(&CONSTANTS, numbers)),
            decorator: (numbers.below(4) == 0).then_some(DECORATOR),
            // Functions with the same tokens are common.
            adds: numbers.below(2) as u64,
            uses: (0..numbers.below(3)).map(|_| statement(numbers)).collect(),
        },
    }
}

/// A number that a type adds by itself, of two types in three.
fn own(numbers: &mut Numbers) -> Option<u64> {
    (numbers.below(3) > 0).then(|| 1 + numbers.below(9) as u64)
}

fn statement(numbers: &mut Numbers) -> Use {
    match numbers.below(7) {
        0 | 1 => Use::Call(one_of(&FUNCTIONS, numbers), argument(numbers)),
        2 => Use::Through(
            one_of(&ALIASES, numbers),
            one_of(&FUNCTIONS, numbers),
            argument(numbers),
        ),
        3 => Use::Method(one_of(&TYPES, numbers)),
        4 => Use::Pattern(one_of(&CONSTANTS, numbers)),
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

/// All names of the kind of one.
fn of_kind(name: &str) -> &'static [&'static str] {
    let mut kinds = KINDS.into_iter();
    kinds.find(|names| names.contains(&name)).unwrap_or_default()
}

fn one_of(names: &[&'static str], numbers: &mut Numbers) -> &'static str {
    names[numbers.below(names.len())]
}

impl From<Item> for Declared {
    fn from(item: Item) -> Self {
        Self { only_if: None, item }
    }
}

impl Declared {
    /// Gives it a condition, or takes its condition away.
    fn condition(&mut self, numbers: &mut Numbers) {
        self.only_if = match self.only_if {
            None => Some((one_of(&CONSTANTS, numbers), 2 + numbers.below(3) as u64)),
            Some(_) => None,
        };
    }
}

impl Item {
    /// Gives it another name, or takes another one for it.
    fn rename(&mut self, numbers: &mut Numbers) {
        match self {
            Self::Constant { name, .. } => *name = one_of(&CONSTANTS, numbers),
            Self::Function { name, .. } => *name = one_of(&FUNCTIONS, numbers),
            Self::Type(Type { name, .. }) => *name = one_of(&TYPES, numbers),
            Self::Import { from, .. } | Self::ImportAll { from } | Self::ImportModule { from, .. } => {
                *from = numbers.below(MODULES.len());
            }
            Self::Bound { name, .. } => *name = one_of(&FUNCTIONS, numbers),
            Self::Exchange { with, .. } => *with = one_of(of_kind(with), numbers),
            Self::ExchangeMethod { with, .. } => *with = one_of(&TYPES, numbers),
            Self::Decorator { .. } | Self::Inherent { .. } => {}
        }
    }

    /// Changes what stands outside of the bodies of functions.
    fn change_head(&mut self, numbers: &mut Numbers) {
        match self {
            Self::Constant { plus, .. } => *plus = plus.is_none().then(|| one_of(&CONSTANTS, numbers)),
            Self::Function {
                default: Some(default), ..
            } => *default = one_of(&CONSTANTS, numbers),
            Self::Bound { to, .. } => *to = one_of(&FUNCTIONS, numbers),
            Self::Type(changed) => match numbers.below(4) {
                0 => changed.base = changed.base.is_none().then(|| one_of(&TYPES, numbers)),
                1 => changed.stepped = own(numbers),
                2 => changed.taken = own(numbers),
                _ => changed.wide = Some(one_of(&CONSTANTS, numbers)),
            },
            _ => {}
        }
    }
}
