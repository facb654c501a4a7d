//! Rust: the order of items means nothing but for macros, a name of the module hides one of a glob, and a method is that of the
//! trait in scope.

use super::{Argument, Item, Language, MACRO, MAIN, MODULES, Names, Place, Program, Source, TYPES, Use};

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
    for (at, item) in program.modules[module].iter().enumerate() {
        if (module, at) == MODULES_BEFORE {
            source.line(&modules());
        }
        let lines = match item {
            Item::Constant { name, value } if *name == MACRO => {
                vec![format!("macro_rules! {name} {{ () => {{ {value} }} }}")]
            }
            Item::Constant { name, value } => vec![format!("pub const {name}: u64 = {value};")],
            Item::Type { name, adds, .. } => vec![
                format!("pub trait {name} {{ fn stepped(self) -> u64; }}"),
                format!("impl {name} for u64 {{"),
                String::from("    fn stepped(self) -> u64 {"),
                format!("        self.wrapping_add({})", adds.unwrap_or_default()),
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
                    Use::Constant(name) if *name == MACRO => {
                        format!("    x = x.wrapping_mul(31).wrapping_add({name}!());")
                    }
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
    if module == MAIN && program.modules[MAIN].len() <= MODULES_BEFORE.1 {
        source.line(&modules());
    }
    source
}

/// Leaves out programs of what Rust does not have: types with bases, defaults, and conversions of arguments.
fn names(program: &Program) -> Option<Box<dyn Names + '_>> {
    let names = RustNames(program);
    for (module, items) in program.modules.iter().enumerate() {
        for (at, item) in items.iter().enumerate() {
            match item {
                Item::ImportAll { from } if *from == module => return None,
                Item::ImportAll { .. } => {}
                Item::Constant { name, .. } if *name == MACRO => {}
                Item::Type { base: Some(_), .. }
                | Item::Function { default: Some(_), .. }
                | Item::Function {
                    takes: Argument::Int, ..
                } => return None,
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

impl RustNames<'_> {
    /// The macro that was defined last before a place: in its module, or in the one that declares it, before it does.
    fn textual_macro(&self, (module, at): Place) -> Option<Place> {
        let last_before = |module: usize, at: usize| {
            let items = &self.0.modules[module];
            let found = items[..at.min(items.len())]
                .iter()
                .rposition(|item| item.name() == Some(MACRO));
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
