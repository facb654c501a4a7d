//! Rust: the order of items means nothing, a name of the module hides one of a glob, and a method is that of the trait in
//! scope.

use super::{Argument, Item, Language, MAIN, MODULES, Names, Place, Program, Source, TYPES, Use};

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
    if module == MAIN {
        source.line("pub mod a;\npub mod b;\n");
    }
    let path = |from: usize| match from {
        MAIN => String::from("crate"),
        other => format!("crate::{}", MODULES[other]),
    };
    for item in &program.modules[module] {
        let lines = match item {
            Item::Constant { name, value } => vec![format!("pub const {name}: u64 = {value};")],
            Item::Type { name, adds } => vec![
                format!("pub trait {name} {{ fn stepped(self) -> u64; }}"),
                format!("impl {name} for u64 {{"),
                String::from("    fn stepped(self) -> u64 {"),
                format!("        self.wrapping_add({adds})"),
                String::from("    }\n}"),
            ],
            Item::Import { from, name, alias } if name == alias => vec![format!("pub use {}::{name};", path(*from))],
            Item::Import { from, name, alias } => vec![format!("pub use {}::{name} as {alias};", path(*from))],
            Item::ImportAll { from } => vec![format!("pub use {}::*;", path(*from))],
            Item::Function { name, adds, uses, .. } => {
                let mut lines = vec![
                    format!("pub fn {name}(of: u64) -> u64 {{"),
                    format!("    let mut x = of.wrapping_add({adds});"),
                ];
                lines.extend(uses.iter().map(|written| match written {
                    Use::Constant(name) => format!("    x = x.wrapping_mul(31).wrapping_add({name});"),
                    Use::Call(name, Argument::Long) => format!("    x = {name}(x);"),
                    Use::Call(name, Argument::Int) => format!("    x = {name}(x % 1000);"),
                    Use::Method(_) => String::from("    x = x.stepped();"),
                }));
                lines.extend([String::from("    x\n}")]);
                lines
            }
        };
        source.item(&lines);
    }
    source
}

/// Every function takes the same, and there are no defaults: those are left out.
fn names(program: &Program) -> Option<Box<dyn Names + '_>> {
    let names = RustNames(program);
    for (module, items) in program.modules.iter().enumerate() {
        for (at, item) in items.iter().enumerate() {
            match item {
                Item::ImportAll { from } if *from == module => return None,
                Item::ImportAll { .. } => {}
                _ => {
                    let is_twice = items[..at].iter().any(|other| other.name() == item.name());
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
        if let Some(at) = items.iter().position(|item| item.name() == Some(name)) {
            return match items[at] {
                Item::Import { from, name, .. } => self.find(from, name, asked),
                _ => Ok(Some((module, at))),
            };
        }
        let mut found = None;
        for item in items {
            if let Item::ImportAll { from } = item
                && let Some(place) = self.find(*from, name, asked)?
                && found.replace(place).is_some_and(|other| other != place)
            {
                return Err(Ambiguous);
            }
        }
        Ok(found)
    }
}

impl Names for RustNames<'_> {
    fn definition(&self, (module, _): Place, name: &'static str, _: Argument) -> Option<Place> {
        let find = |name| self.find(module, name, &mut Vec::new()).ok();
        if !TYPES.contains(&name) {
            return find(name)?;
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
}
