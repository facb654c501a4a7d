//! Python: the last binding of a name counts once a module is loaded, and the one before a place where it is asked for
//! while the module is loaded.

use std::collections::HashMap;

use super::run::{constant, inherited};
use super::{
    Argument, DECORATED, DECORATOR, Declared, Item, Language, MAIN, MODULES, Method, Names, Place, Program, Source,
    Type, Use,
};

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
    for Declared { only_if, item } in &program.modules[module] {
        let lines = match item {
            Item::Constant { name, value, plus } => {
                let plus = plus.map_or(String::new(), |name| format!(" + {name}"));
                vec![format!("{name} = {value}{plus}")]
            }
            Item::Type(defined) => type_lines(defined),
            Item::Import { from, name, alias } if name == alias => {
                vec![format!("from k.{} import {name}", MODULES[*from])]
            }
            Item::Import { from, name, alias } => vec![format!("from k.{} import {name} as {alias}", MODULES[*from])],
            Item::ImportAll { from } => vec![format!("from k.{} import *", MODULES[*from])],
            Item::ImportModule { from, alias } => vec![format!("from k import {} as {alias}", MODULES[*from])],
            Item::Bound { name, to } => vec![format!("{name} = {to}")],
            Item::Exchange { alias, name, with } => vec![format!("{alias}.{name} = {with}")],
            Item::ExchangeMethod { of, with } => vec![format!("{of}.taken = {with}.taken")],
            Item::Decorator { adds } => vec![
                format!("def {DECORATOR}(f):"),
                format!("    def {DECORATED}(of):"),
                format!("        return (f(of) + {adds}) % {NUMBERS}"),
                format!("    return {DECORATED}"),
            ],
            Item::Function { .. } => function(item),
            Item::Inherent { .. } => Vec::new(),
        };
        source.item(&match only_if {
            None => lines,
            Some((name, value)) => {
                let head = format!("if {name} == {value}:");
                let lines = lines.iter().flat_map(|line| line.lines());
                std::iter::once(head)
                    .chain(lines.map(|line| format!("    {line}")))
                    .collect()
            }
        });
    }
    source
}

/// Numbers are smaller.
const NUMBERS: &str = "18446744073709551616";

fn function(item: &Item) -> Vec<String> {
    let Item::Function {
        name,
        default,
        decorator,
        adds,
        uses,
        ..
    } = item
    else {
        return Vec::new();
    };
    let mut lines: Vec<String> = decorator.map(|name| format!("@{name}")).into_iter().collect();
    lines.push(match default {
        Some(default) => format!("def {name}(of, by={default}):"),
        None => format!("def {name}(of):"),
    });
    lines.push(format!("    x = (of + {adds}) % {NUMBERS}"));
    lines.extend(default.map(|_| with_constant("by")));
    lines.extend(uses.iter().map(|written| match written {
        Use::Constant(name) => with_constant(name),
        Use::Call(name, given) => format!("    x = {name}({})", argument(*given)),
        Use::Through(module, name, given) => format!("    x = {module}.{name}({})", argument(*given)),
        Use::Method(name) => format!("    x = {name}().stepped(x)"),
        Use::Pattern(_) => String::new(),
    }));
    lines.push(String::from("    return x"));
    lines
}

fn argument(given: Argument) -> &'static str {
    match given {
        Argument::Int => "x % 1000",
        Argument::Long | Argument::Any => "x",
    }
}

fn with_constant(name: &str) -> String {
    format!("    x = (x * 31 + {name}) % {NUMBERS}")
}

fn type_lines(defined: &Type) -> Vec<String> {
    let base = defined.base.map_or(String::new(), |base| format!("({base})"));
    let mut lines = vec![format!("class {}{base}:", defined.name)];
    lines.extend(defined.wide.map(|name| format!("    wide = {name}")));
    let taken = defined.taken.map(|adds| format!("of * 3 + {adds}"));
    let stepped = defined
        .stepped
        .map(|adds| format!("self.taken(of) + self.wide + {adds}"));
    for (name, own) in [("taken", taken), ("stepped", stepped)] {
        lines.extend(own.map(|own| format!("    def {name}(self, of):\n        return ({own}) % {NUMBERS}")));
    }
    if lines.len() == 1 {
        lines.push(String::from("    pass"));
    }
    lines
}

fn names(program: &Program) -> Option<Box<dyn Names + '_>> {
    let mut names = LoadedNames {
        program,
        modules: [const { None }; 3],
        in_heads: HashMap::new(),
        is_taken: HashMap::new(),
        exchanged: HashMap::new(),
    };
    names.load(MAIN)?;
    Some(Box::new(names))
}

/// The names of a module, each with the last item that was bound to it.
type Bound = HashMap<&'static str, Place>;

struct LoadedNames<'p> {
    program: &'p Program,
    /// None until a module is loaded.
    modules: [Option<Bound>; 3],
    /// The names that are asked for while a module is loaded.
    in_heads: HashMap<(Place, &'static str), Place>,
    is_taken: HashMap<Place, bool>,
    /// The types whose method `taken` is that of another one.
    exchanged: HashMap<Place, Place>,
}

impl LoadedNames<'_> {
    /// Loads a module, and those that it imports. It imports from those before it: a circle of imports is left out.
    fn load(&mut self, module: usize) -> Option<()> {
        if self.modules[module].is_some() {
            return Some(());
        }
        let mut bound = Bound::new();
        let program = self.program;
        for (at, Declared { only_if, item }) in program.modules[module].iter().enumerate() {
            let place = (module, at);
            let is_taken = match only_if {
                None => true,
                Some((name, value)) => constant(program, self, *bound.get(name)?)? == *value,
            };
            self.is_taken.insert(place, is_taken);
            if is_taken {
                self.load_item(place, item, &mut bound)?;
            }
        }
        self.modules[module] = Some(bound);
        Some(())
    }

    fn load_item(&mut self, place: Place, item: &Item, bound: &mut Bound) -> Option<()> {
        let in_head = match item {
            Item::Import { from, .. } | Item::ImportAll { from } | Item::ImportModule { from, .. } => {
                (*from < place.0).then_some(())?;
                self.load(*from)?;
                [None; 2]
            }
            // Arguments are not converted, functions have no templates, and types no other methods.
            Item::Function {
                takes: Argument::Int | Argument::Any,
                ..
            }
            | Item::Inherent { .. } => return None,
            Item::Function { default, decorator, .. } => [*default, *decorator],
            Item::Type(Type { base, wide, .. }) => [*base, *wide],
            Item::Constant { plus, .. } => [*plus, None],
            Item::Bound { to, .. } => [Some(*to), None],
            Item::Exchange { alias, with, .. } => [Some(*alias), Some(*with)],
            Item::ExchangeMethod { of, with } => [Some(*of), Some(*with)],
            Item::Decorator { .. } => [None; 2],
        };
        for name in in_head.into_iter().flatten() {
            self.in_heads.insert((place, name), *bound.get(name)?);
        }
        match item {
            Item::Import { from, name, alias } => {
                bound.insert(alias, *self.modules[*from].as_ref()?.get(name)?);
            }
            Item::ImportAll { from } => bound.extend(self.modules[*from].as_ref()?),
            Item::Exchange { alias, name, with } => {
                let Item::ImportModule { from, .. } = self.program.item(*bound.get(alias)?) else {
                    return None;
                };
                self.modules[*from].as_mut()?.insert(name, *bound.get(with)?);
            }
            Item::ExchangeMethod { of, with } => {
                let taken = self.taken(*bound.get(with)?)?;
                self.exchanged.insert(*bound.get(of)?, taken);
            }
            _ => {
                bound.insert(item.name()?, place);
            }
        }
        Some(())
    }
}

impl LoadedNames<'_> {
    /// The type whose method `taken` another one has.
    fn taken(&self, of: Place) -> Option<Place> {
        let own = |at, defined: &Type| self.exchanged.get(&at).copied().or(defined.taken.map(|_| at));
        inherited(self.program, self, of, own).map(|(_, taken)| taken)
    }
}

impl Names for LoadedNames<'_> {
    fn definition(&self, (module, _): Place, name: &'static str, _: Argument) -> Option<Place> {
        self.modules[module].as_ref()?.get(name).copied()
    }

    fn in_head(&self, at: Place, name: &'static str) -> Option<Place> {
        self.in_heads.get(&(at, name)).copied()
    }

    fn through(&self, at: Place, module: &'static str, name: &'static str, given: Argument) -> Option<Place> {
        match self.program.item(self.definition(at, module, given)?) {
            Item::ImportModule { from, .. } => self.definition((*from, 0), name, given),
            _ => None,
        }
    }

    fn method(&self, of: Place) -> Option<Method> {
        let stepped = inherited(self.program, self, of, |_, defined| defined.stepped)?;
        let wide = inherited(self.program, self, of, |_, defined| defined.wide)?;
        let taken = self.taken(of)?;
        let Item::Type(Type { taken: Some(adds), .. }) = self.program.item(taken) else {
            return None;
        };
        Some(Method::of_types(self.program, stepped, (taken, *adds), wide))
    }

    fn is_taken(&self, at: Place) -> bool {
        self.is_taken.get(&at).copied().unwrap_or_default()
    }

    fn is_loaded(&self, module: usize) -> bool {
        self.modules[module].is_some()
    }
}
