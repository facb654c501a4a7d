//! Rust: the order of items means nothing but for macros, a name of the module hides one of a glob, and a method is that of the
//! trait in scope.

use super::run::REMAINDERS;
use super::{
    Argument, Code, Declared, Item, Language, MACRO, MAIN, MODULES, Method, Names, Place, Program, Source, TYPES, Type,
    Use,
};

pub(crate) const RUST: Language = Language {
    paths: ["src/a.rs", "src/b.rs", "src/lib.rs"],
    between: "::",
    prefixes: ["k::a::", "k::b::", "k::"],
    is_loaded: false,
    write,
    names,
};

fn write(program: &Program, module: usize) -> Source {
    let mut source = Source::default();
    let path = |from: usize| match from {
        MAIN => String::from("crate"),
        other => format!("crate::{}", MODULES[other]),
    };
    let modules = || String::from("pub mod a;\npub mod b;\n");
    if module == MAIN {
        source.line(NUMBER);
    }
    for (at, Declared { item, .. }) in program.modules[module].iter().enumerate() {
        if (module, at) == MODULES_BEFORE {
            source.line(&modules());
        }
        let lines = match item {
            Item::Constant { name, value, plus } => {
                let plus = plus.map_or(String::new(), |name| format!(" + {}", constant(name)));
                vec![if *name == MACRO {
                    format!("macro_rules! {name} {{ () => {{ {value} }} }}")
                } else {
                    format!("pub const {name}: u64 = {value}{plus};")
                }]
            }
            Item::Type(defined) => type_lines(defined),
            Item::Import { from, name, alias } if name == alias => vec![format!("pub use {}::{name};", path(*from))],
            Item::Import { from, name, alias } => vec![format!("pub use {}::{name} as {alias};", path(*from))],
            Item::ImportAll { from } => vec![format!("pub use {}::*;", path(*from))],
            Item::ImportModule { from, alias } => vec![format!("pub use {} as {alias};", path(*from))],
            Item::Function { name, adds, uses, .. } => {
                let mut lines = vec![
                    format!("pub fn {name}(of: u64) -> u64 {{"),
                    format!("    let mut x = of.wrapping_add({adds});"),
                ];
                lines.extend(uses.iter().map(|written| match written {
                    Use::Constant(name) => format!("    x = x.wrapping_mul(31).wrapping_add({});", constant(name)),
                    Use::Call(name, given) => format!("    x = {name}({});", argument(*given)),
                    Use::Through(module, name, given) => format!("    x = {module}::{name}({});", argument(*given)),
                    Use::Method(_) => String::from("    x = crate::Number(x).stepped();"),
                    Use::Pattern(name) => {
                        format!("    x = match x % {REMAINDERS} {{ {name} => x.wrapping_add(1), other => other }};")
                    }
                }));
                lines.extend([String::from("    x\n}")]);
                lines
            }
            Item::Inherent { adds } => vec![
                String::from("impl crate::Number {\n    pub fn stepped(self) -> u64 {"),
                format!("        self.0.wrapping_add({adds})\n    }}\n}}"),
            ],
            Item::Bound { name, to } => vec![format!("pub const {name}: fn(u64) -> u64 = {to};")],
            Item::Decorator { .. } | Item::Exchange { .. } | Item::ExchangeMethod { .. } => Vec::new(),
        };
        source.item(&lines);
    }
    if module == MAIN && program.modules[MAIN].len() <= MODULES_BEFORE.1 {
        source.line(&modules());
    }
    source
}

fn constant(name: &str) -> String {
    if name == MACRO {
        format!("{name}!()")
    } else {
        name.to_owned()
    }
}

fn argument(given: Argument) -> &'static str {
    match given {
        Argument::Int => "x % 1000",
        Argument::Long | Argument::Any => "x",
    }
}

/// The type that all traits are for.
const NUMBER: &str = "#[derive(Clone, Copy)]\npub struct Number(pub u64);\nimpl From<Number> for u64 {\n    \
                      fn from(of: Number) -> Self {\n        of.0\n    }\n}\n";

/// A trait, with the code that a type has without its own, and what the number has of its own.
fn type_lines(defined: &Type) -> Vec<String> {
    let name = defined.name;
    let mut lines = vec![
        format!("pub trait {name}: Copy + Into<u64> {{"),
        String::from("    const WIDE: u64 = 0;"),
        format!(
            "    fn taken(self) -> u64 {{\n        Into::<u64>::into(self).wrapping_mul(3).wrapping_add({PROVIDED})\n    }}"
        ),
        format!(
            "    fn stepped(self) -> u64 {{\n        self.taken().wrapping_add(Self::WIDE).wrapping_add({PROVIDED})\n    }}"
        ),
        format!("}}\nimpl {name} for crate::Number {{"),
    ];
    lines.extend(
        defined
            .wide
            .map(|name| format!("    const WIDE: u64 = {};", constant(name))),
    );
    let taken = defined
        .taken
        .map(|adds| format!("self.0.wrapping_mul(3).wrapping_add({adds})"));
    let stepped = defined.stepped.map(|adds| format!("self.0.wrapping_add({adds})"));
    for (name, own) in [("taken", taken), ("stepped", stepped)] {
        lines.extend(own.map(|own| format!("    fn {name}(self) -> u64 {{\n        {own}\n    }}")));
    }
    lines.push(String::from("}"));
    lines
}

/// Added by the methods that a trait provides.
const PROVIDED: u64 = 1;

/// Leaves out programs of what Rust does not have: types with bases, defaults, overloads, and functions in others' place.
fn names(program: &Program) -> Option<Box<dyn Names + '_>> {
    let names = RustNames(program);
    for (module, items) in program.modules.iter().enumerate() {
        for (at, declared) in items.iter().enumerate() {
            match &declared.item {
                _ if declared.only_if.is_some() => return None,
                Item::ImportAll { from } if *from == module => return None,
                // The root of a crate has no other public name.
                Item::ImportModule { from: MAIN, .. } => return None,
                Item::Constant { name: MACRO, plus, .. } if plus.is_none() => {}
                Item::Constant { name: MACRO, .. }
                | Item::Type(Type { base: Some(_), .. })
                | Item::Function { default: Some(_), .. }
                | Item::Function { decorator: Some(_), .. }
                | Item::Function {
                    takes: Argument::Int | Argument::Any,
                    ..
                } => return None,
                // Two of one name do not compile.
                Item::Inherent { .. } => (names.inherent() == Some((module, at))).then_some(())?,
                Item::ImportAll { .. } => {}
                item => {
                    let is_twice = items[..at].iter().any(|other| other.item.name() == item.name());
                    // An import that leads to nothing does not compile.
                    names.find(module, item.name()?, &mut Vec::new()).ok()??;
                    if is_twice {
                        return None;
                    }
                }
            }
        }
    }
    Some(Box::new(names))
}

/// The item before which the other modules are declared.
const MODULES_BEFORE: Place = (MAIN, 2);

struct RustNames<'p>(&'p Program);

/// More than one definition for a name.
struct Ambiguous;

impl RustNames<'_> {
    fn find(
        &self,
        module: usize,
        name: &'static str,
        asked: &mut Vec<(usize, &'static str)>,
    ) -> Result<Option<Place>, Ambiguous> {
        if asked.contains(&(module, name)) {
            return Ok(None);
        }
        asked.push((module, name));
        let found = self.find_in(module, name, asked);
        asked.pop();
        found
    }

    fn find_in(
        &self,
        module: usize,
        name: &'static str,
        asked: &mut Vec<(usize, &'static str)>,
    ) -> Result<Option<Place>, Ambiguous> {
        let items = &self.0.modules[module];
        // No path leads to a macro.
        if name == MACRO {
            return Ok(None);
        }
        if let Some(at) = items.iter().position(|declared| declared.item.name() == Some(name)) {
            return match items[at].item {
                Item::Import { from, name, .. } => self.find(from, name, asked),
                _ => Ok(Some((module, at))),
            };
        }
        let mut found = None;
        for declared in items {
            if let Item::ImportAll { from } = &declared.item
                && let Some(place) = self.find(*from, name, asked)?
                && found.replace(place).is_some_and(|other| other != place)
            {
                return Err(Ambiguous);
            }
        }
        Ok(found)
    }
}

impl RustNames<'_> {
    /// The method that the type has by itself; the last one of several.
    fn inherent(&self) -> Option<Place> {
        let items = self.0.items().filter(|(_, item)| matches!(item, Item::Inherent { .. }));
        items.last().map(|(place, _)| place)
    }

    /// The macro that was defined last before a place: in its module, or in the one that declares it, before it does.
    fn textual_macro(&self, (module, at): Place) -> Option<Place> {
        let last_before = |module: usize, at: usize| {
            let items = &self.0.modules[module];
            let found = items[..at.min(items.len())]
                .iter()
                .rposition(|declared| declared.item.name() == Some(MACRO));
            found.map(|at| (module, at))
        };
        let of_declaring = || (module != MAIN).then(|| last_before(MAIN, MODULES_BEFORE.1)).flatten();
        last_before(module, at).or_else(of_declaring)
    }
}

impl Names for RustNames<'_> {
    fn definition(&self, (module, at): Place, name: &'static str, _: Argument) -> Option<Place> {
        if name == MACRO {
            return self.textual_macro((module, at));
        }
        let find = |name| self.find(module, name, &mut Vec::new()).ok();
        if !TYPES.contains(&name) {
            return find(name)?;
        }
        // It hides those of traits.
        if let Some(own) = self.inherent() {
            return Some(own);
        }
        let mut traits = Vec::new();
        for name in TYPES {
            traits.extend(find(name)?);
        }
        traits.dedup();
        match traits[..] {
            [one] => Some(one),
            _ => None,
        }
    }
    fn through(&self, (at, _): Place, module: &'static str, name: &'static str, _: Argument) -> Option<Place> {
        let module = self.find(at, module, &mut Vec::new()).ok()??;
        match self.0.item(module) {
            Item::ImportModule { from, .. } => self.find(*from, name, &mut Vec::new()).ok()?,
            _ => None,
        }
    }

    fn pattern(&self, at: Place, name: &'static str) -> Option<Option<Place>> {
        self.find(at.0, name, &mut Vec::new()).ok()
    }

    fn method(&self, of: Place) -> Option<Method> {
        let defined = match self.0.item(of) {
            Item::Inherent { adds } => {
                let code = Code {
                    at: of,
                    owner: Some("Number"),
                    name: "stepped",
                };
                return Some(Method {
                    stepped: (code, *adds),
                    taken: None,
                    wide: None,
                });
            }
            Item::Type(defined) => defined,
            _ => return None,
        };
        let code = |name: &'static str, own: Option<u64>| {
            let owner = own.map_or(defined.name, |_| "Number");
            let owner = Some(owner);
            (Code { at: of, owner, name }, own.unwrap_or(PROVIDED))
        };
        let is_provided = defined.stepped.is_none();
        Some(Method {
            stepped: code("stepped", defined.stepped),
            taken: is_provided.then(|| code("taken", defined.taken)),
            wide: defined.wide.filter(|_| is_provided).map(|name| (of, name)),
        })
    }
}
