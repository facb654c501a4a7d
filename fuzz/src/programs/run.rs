//! A program and the meaning of its names → the number that it computes, and the code that is executed.

use std::collections::BTreeSet;

use super::{Argument, DECORATED, Item, Language, MAIN, Names, Place, Program, Type, Use};

/// Calls within each other, beyond which a program never ends.
const DEEPEST: usize = 12;

/// A function of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Code {
    /// The item that it is a part of.
    pub(crate) at: Place,
    /// The type, trait or implemented type whose method it is.
    pub(crate) owner: Option<&'static str>,
    pub(crate) name: &'static str,
}

/// A run of a program.
pub(crate) struct Outcome {
    /// The number that it computes.
    pub(crate) value: u64,
    /// The functions that were executed.
    pub(crate) executed: BTreeSet<Code>,
    /// Each of them with those that it called.
    pub(crate) calls: BTreeSet<(Code, Code)>,
    /// Whether each module was loaded.
    pub(crate) loaded: [bool; 3],
}

impl Language {
    /// Runs a program; none if it does not compile, or never ends.
    pub(crate) fn outcome(&self, program: &Program) -> Option<Outcome> {
        let names = (self.names)(program)?;
        let mut run = Run {
            program,
            names: names.as_ref(),
            executed: BTreeSet::new(),
            calls: BTreeSet::new(),
        };
        // Code that is never executed is to compile too.
        for (at, item) in program.items().filter(|(at, _)| run.names.is_taken(*at)) {
            run.compiles(at, item)?;
        }
        let entry = (MAIN, program.modules[MAIN].len() - 1);
        let value = run.value(entry, 1, &[])?;
        Some(Outcome {
            value,
            executed: run.executed,
            calls: run.calls,
            loaded: [0, 1, MAIN].map(|module| names.is_loaded(module)),
        })
    }
}

/// The code that a call of `stepped` executes: `taken` and `wide` only if it uses them.
pub(super) struct Method {
    pub(super) stepped: (Code, u64),
    pub(super) taken: Option<(Code, u64)>,
    /// The type that has the constant, and its value.
    pub(super) wide: Option<(Place, &'static str)>,
}

impl Method {
    /// That of a type, each from the type that has it.
    pub(super) fn of_types(
        program: &Program,
        stepped: (Place, u64),
        taken: (Place, u64),
        wide: (Place, &'static str),
    ) -> Self {
        let code = |(at, adds): (Place, u64), name| {
            let owner = program.item(at).name();
            (Code { at, owner, name }, adds)
        };
        Self {
            stepped: code(stepped, "stepped"),
            taken: Some(code(taken, "taken")),
            wide: Some(wide),
        }
    }
}

/// The part that a type has, or the first of its bases that has it.
pub(super) fn inherited<T>(
    program: &Program,
    names: &dyn Names,
    of: Place,
    own: impl Fn(Place, &Type) -> Option<T>,
) -> Option<(Place, T)> {
    let mut at = of;
    for _ in 0..DEEPEST {
        let Item::Type(defined) = program.item(at) else {
            return None;
        };
        if let Some(found) = own(at, defined) {
            return Some((at, found));
        }
        at = names.in_head(at, defined.base?)?;
    }
    None
}

/// The value of a constant; none for one that needs itself.
pub(super) fn constant(program: &Program, names: &dyn Names, at: Place) -> Option<u64> {
    let (mut value, mut at) = (0, at);
    for _ in 0..DEEPEST {
        let Item::Constant { value: own, plus, .. } = program.item(at) else {
            return None;
        };
        value += own;
        match plus {
            None => return Some(value),
            Some(name) => at = names.in_head(at, name)?,
        }
    }
    None
}

struct Run<'p> {
    program: &'p Program,
    names: &'p dyn Names,
    executed: BTreeSet<Code>,
    calls: BTreeSet<(Code, Code)>,
}

impl Run<'_> {
    fn compiles(&self, at: Place, item: &Item) -> Option<()> {
        match item {
            Item::Constant { .. } => {
                constant(self.program, self.names, at)?;
            }
            Item::Type(Type { base, wide, .. }) => {
                if let Some(name) = base {
                    self.names.in_head(at, name).filter(|base| *base != at)?;
                }
                if let Some(name) = wide {
                    self.constant_in_head(at, name)?;
                }
            }
            Item::Function {
                default,
                decorator,
                uses,
                ..
            } => {
                if let Some(name) = default {
                    self.constant_in_head(at, name)?;
                }
                if let Some(name) = decorator {
                    self.names.in_head(at, name)?;
                }
                for written in uses {
                    match written {
                        Use::Pattern(name) => drop(self.names.pattern(at, name)?),
                        _ => drop(self.meaning(at, written)?),
                    }
                }
            }
            Item::Bound { .. } => {
                self.function(at)?;
            }
            _ => {}
        }
        Some(())
    }

    /// The definition that a statement uses.
    fn meaning(&self, at: Place, written: &Use) -> Option<Place> {
        match *written {
            Use::Constant(name) | Use::Method(name) => self.names.definition(at, name, Argument::Long),
            Use::Call(name, given) => self.names.definition(at, name, given),
            Use::Through(module, name, given) => self.names.through(at, module, name, given),
            Use::Pattern(name) => self.names.pattern(at, name)?,
        }
    }

    /// A number after a comparison of its remainder.
    fn compared(&self, at: Place, name: &'static str, value: u64) -> Option<u64> {
        let remainder = value % REMAINDERS;
        let is_equal = match self.names.pattern(at, name)? {
            Some(place) => constant(self.program, self.names, place)? == remainder,
            None => true,
        };
        Some(if is_equal { value.wrapping_add(1) } else { remainder })
    }

    /// The function that a definition stands for.
    fn function(&self, mut at: Place) -> Option<Place> {
        for _ in 0..DEEPEST {
            match self.program.item(at) {
                Item::Function { .. } => return Some(at),
                Item::Bound { to, .. } => at = self.names.in_head(at, to)?,
                _ => return None,
            }
        }
        None
    }

    fn constant_in_head(&self, at: Place, name: &'static str) -> Option<u64> {
        constant(self.program, self.names, self.names.in_head(at, name)?)
    }

    /// Notes that code is executed, and which code called it.
    fn enter(&mut self, code: Code, callers: &[Code]) {
        self.executed.insert(code);
        self.calls.extend(callers.last().map(|caller| (*caller, code)));
    }

    /// The number that a function returns for another one.
    fn value(&mut self, at: Place, given: u64, callers: &[Code]) -> Option<u64> {
        let at = self.function(at)?;
        let Item::Function {
            name,
            takes,
            default,
            decorator,
            adds,
            uses,
        } = self.program.item(at)
        else {
            return None;
        };
        if callers.len() >= DEEPEST {
            return None;
        }
        let mut callers = callers.to_vec();
        let mut added = 0;
        if let Some(decorator) = decorator {
            let at = self.names.in_head(at, decorator)?;
            let Item::Decorator { adds } = self.program.item(at) else {
                return None;
            };
            added = *adds;
            let inner = Code {
                at,
                owner: None,
                name: DECORATED,
            };
            self.enter(inner, &callers);
            callers.push(inner);
        }
        let code = Code { at, owner: None, name };
        self.enter(code, &callers);
        callers.push(code);
        let mut value = taken(*takes, given).wrapping_add(*adds);
        if let Some(name) = default {
            value = with_constant(value, self.constant_in_head(at, name)?);
        }
        for written in uses {
            value = match *written {
                Use::Pattern(name) => self.compared(at, name, value)?,
                Use::Constant(_) => {
                    with_constant(value, constant(self.program, self.names, self.meaning(at, written)?)?)
                }
                Use::Call(_, given) | Use::Through(_, _, given) => {
                    let given = if given == Argument::Int { value % SMALL } else { value };
                    self.value(self.meaning(at, written)?, given, &callers)?
                }
                Use::Method(_) => self.stepped(self.meaning(at, written)?, value, &callers)?,
            };
        }
        Some(value.wrapping_add(added))
    }

    /// The number that the method of a type returns for another one.
    fn stepped(&mut self, of: Place, given: u64, callers: &[Code]) -> Option<u64> {
        let method = self.names.method(of)?;
        let (stepped, adds) = method.stepped;
        self.enter(stepped, callers);
        let mut value = given;
        if let Some((taken, adds)) = method.taken {
            self.enter(taken, &[stepped]);
            value = value.wrapping_mul(3).wrapping_add(adds);
        }
        if let Some((at, name)) = method.wide {
            value = value.wrapping_add(self.constant_in_head(at, name)?);
        }
        Some(value.wrapping_add(adds))
    }
}

/// Arguments of the type `int` are below it.
const SMALL: u64 = 1000;

/// Remainders that are compared with constants are below it.
pub(super) const REMAINDERS: u64 = 8;

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
        Argument::Long | Argument::Any => given,
        Argument::Int => i64::from(given as u32 as i32) as u64,
    }
}
