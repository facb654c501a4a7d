//! Python: the last binding of a name counts once a module is loaded, and the one before it for a default.

use std::collections::HashMap;

use super::{Argument, Item, Language, MODULES, Names, Place, Program, Source, Use};

pub(crate) const PYTHON: Language = Language {
    paths: ["k/a.py", "k/b.py", "k/main.py"],
    between: ".",
    prefixes: ["k.a.", "k.b.", "k.main."],
    is_loaded: true,
    write,
    names,
};

fn write(program: &Program, module: usize) -> Source {
    let mut source = Source::default();
    for item in &program.modules[module] {
        let lines = match item {
            Item::Constant { name, value } => vec![format!("{name} = {value}")],
            Item::Type { name, base, adds } => {
                let base = base.map_or(String::new(), |base| format!("({base})"));
                let own = adds.map(|adds| {
                    format!("    def stepped(self, of):\n        return (of + {adds}) % 18446744073709551616")
                });
                vec![
                    format!("class {name}{base}:"),
                    own.unwrap_or_else(|| String::from("    pass")),
                ]
            }
            Item::Import { from, name, alias } if name == alias => {
                vec![format!("from k.{} import {name}", MODULES[*from])]
            }
            Item::Import { from, name, alias } => vec![format!("from k.{} import {name} as {alias}", MODULES[*from])],
            Item::ImportAll { from } => vec![format!("from k.{} import *", MODULES[*from])],
            Item::Function {
                name,
                default,
                adds,
                uses,
                ..
            } => {
                let head = match default {
                    Some(default) => format!("def {name}(of, by={default}):"),
                    None => format!("def {name}(of):"),
                };
                let mut lines = vec![head, format!("    x = (of + {adds}) % 18446744073709551616")];
                lines.extend(default.map(|_| with_constant("by")));
                lines.extend(uses.iter().map(|written| match written {
                    Use::Constant(name) => with_constant(name),
                    Use::Call(name, Argument::Long) => format!("    x = {name}(x)"),
                    Use::Call(name, Argument::Int) => format!("    x = {name}(x % 1000)"),
                    Use::Method(name) => format!("    x = {name}().stepped(x)"),
                }));
                lines.push(String::from("    return x"));
                lines
            }
        };
        source.item(&lines);
    }
    source
}

fn with_constant(name: &str) -> String {
    format!("    x = (x * 31 + {name}) % 18446744073709551616")
}

/// Loads the modules. A module imports from those before it: a circle of imports is left out.
fn names(program: &Program) -> Option<Box<dyn Names + '_>> {
    let mut names = LoadedNames::default();
    for (module, items) in program.modules.iter().enumerate() {
        let mut bound: HashMap<&'static str, Place> = HashMap::new();
        for (at, item) in items.iter().enumerate() {
            match item {
                Item::Import { from, .. } | Item::ImportAll { from } if *from >= module => return None,
                Item::Import { from, name, alias } => {
                    bound.insert(alias, *names.bound[*from].get(name)?);
                }
                Item::ImportAll { from } => {
                    bound.extend(&names.bound[*from]);
                }
                // Arguments are not converted.
                Item::Function {
                    takes: Argument::Int, ..
                } => return None,
                Item::Function { name, default, .. } => {
                    if let Some(default) = default {
                        names.in_heads.insert((module, at), *bound.get(default)?);
                    }
                    bound.insert(name, (module, at));
                }
                Item::Type { name, base, .. } => {
                    if let Some(base) = base {
                        names.in_heads.insert((module, at), *bound.get(base)?);
                    }
                    bound.insert(name, (module, at));
                }
                Item::Constant { name, .. } => {
                    bound.insert(name, (module, at));
                }
            }
        }
        names.bound[module] = bound;
    }
    Some(Box::new(names))
}

#[derive(Default)]
struct LoadedNames {
    bound: [HashMap<&'static str, Place>; 3],
    /// The defaults of functions and the bases of classes.
    in_heads: HashMap<Place, Place>,
}

impl Names for LoadedNames {
    fn definition(&self, (module, _): Place, name: &'static str, _: Argument) -> Option<Place> {
        self.bound[module].get(name).copied()
    }

    fn in_head(&self, at: Place, _: &'static str) -> Option<Place> {
        self.in_heads.get(&at).copied()
    }
}
