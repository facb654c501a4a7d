//! C++: what is declared before counts, a name of the namespace hides one of a directive, functions are overloaded, and a
//! macro has the value that it had last.

use super::{Argument, Item, Language, MACRO, MAIN, MODULES, Names, Place, Program, Source, Use};

pub(crate) const CPP: Language = Language {
    paths: ["src/a.h", "src/b.h", "src/main.cpp"],
    between: "::",
    prefixes: ["", "", ""],
    is_loaded: false,
    write,
    names,
};

fn write(program: &Program, module: usize) -> Source {
    let mut source = Source::default();
    source.line(&match module {
        MAIN => String::from("#include \"a.h\"\n#include \"b.h\"\n"),
        other => format!("#pragma once\nnamespace {} {{\n", MODULES[other]),
    });
    for item in &program.modules[module] {
        let lines = match item {
            Item::Constant { name, value } if *name == MACRO => {
                vec![format!("#undef {name}"), format!("#define {name} {value}ul")]
            }
            Item::Constant { name, value } => vec![format!("static const unsigned long {name} = {value}ul;")],
            Item::Type { name, base, adds } => {
                let base = base.map_or(String::new(), |base| format!(" : {base}"));
                let own = adds
                    .map(|adds| format!("    unsigned long stepped(unsigned long of) const {{ return of + {adds}; }}"));
                let head = format!("struct {name}{base} {{");
                std::iter::once(head).chain(own).chain([String::from("};")]).collect()
            }
            Item::Import { from, name, .. } => vec![format!("using {}::{name};", MODULES[*from])],
            Item::ImportAll { from } => vec![format!("using namespace {};", MODULES[*from])],
            Item::Function { .. } => function(item),
        };
        source.item(&lines);
    }
    if module != MAIN {
        source.line("}");
    }
    source
}

fn function(item: &Item) -> Vec<String> {
    let Item::Function {
        name,
        takes,
        default,
        adds,
        uses,
    } = item
    else {
        return Vec::new();
    };
    let takes = match takes {
        Argument::Long => "unsigned long",
        Argument::Int => "int",
    };
    let linkage = if *name == "run" { "" } else { "static " };
    let by = default.map_or(String::new(), |default| format!(", unsigned long by = {default}"));
    let mut lines = vec![
        format!("{linkage}unsigned long {name}({takes} of{by}) {{"),
        format!("    unsigned long x = of + {adds}ul;"),
    ];
    lines.extend(default.map(|_| String::from("    x = x * 31 + by;")));
    lines.extend(uses.iter().map(|written| match written {
        Use::Constant(name) => format!("    x = x * 31 + {name};"),
        Use::Call(name, Argument::Long) => format!("    x = {name}(x);"),
        Use::Call(name, Argument::Int) => format!("    x = {name}((int)(x % 1000));"),
        Use::Method(name) => format!("    x = {name}().stepped(x);"),
    }));
    lines.extend([String::from("    return x;"), String::from("}")]);
    lines
}

fn names(program: &Program) -> Option<Box<dyn Names + '_>> {
    let names = DeclaredNames(program);
    for (place, item) in program.items() {
        match item {
            // A namespace is declared before it is used, and a function has one name.
            Item::Import { from, .. } | Item::ImportAll { from } if *from >= place.0 => return None,
            Item::Import { name, alias, .. } if name != alias || *name == MACRO => return None,
            _ => {}
        }
        names.declared(place, item)?;
    }
    Some(Box::new(names))
}

struct DeclaredNames<'p>(&'p Program);

impl DeclaredNames<'_> {
    /// Looks up the declarations of an item in its namespace; none if that conflicts with what is declared before.
    fn declared(&self, at: Place, item: &Item) -> Option<()> {
        let declared = match item {
            Item::ImportAll { .. } => return Some(()),
            Item::Constant { name, .. } if *name == MACRO => return Some(()),
            Item::Import { from, name, .. } => {
                let found = self.qualified(*from, name, at);
                (!found.is_empty()).then_some(found)?
            }
            _ => vec![at],
        };
        let before = (at.1 > 0).then(|| self.members(at.0, item.name()?, (at.0, at.1 - 1)).into());
        let before: Vec<Place> = before.flatten().unwrap_or_default();
        let conflicts = |one: &Place, other: &Place| one == other || self.signature(*one) == self.signature(*other);
        let is_conflict = before
            .iter()
            .any(|one| declared.iter().any(|other| conflicts(one, other)));
        (!is_conflict).then_some(())
    }

    /// Tells overloads apart: all else with one name is the same.
    fn signature(&self, at: Place) -> Option<(Argument, bool)> {
        match self.0.item(at) {
            Item::Function { takes, default, .. } => Some((*takes, default.is_some())),
            _ => None,
        }
    }

    /// The items of a namespace down to a place, which is one of them.
    fn items_until(&self, module: usize, until: Place) -> impl Iterator<Item = (Place, &Item)> {
        let items = self.0.items();
        items.filter(move |(place, _)| place.0 == module && *place <= until)
    }

    /// The definitions of a name in a namespace: its own declarations and those that `using` brings.
    fn members(&self, module: usize, name: &'static str, until: Place) -> Vec<Place> {
        let mut found = Vec::new();
        for (place, item) in self.items_until(module, until) {
            match item {
                Item::Import { from, name: of, .. } if *of == name => found.extend(self.qualified(*from, name, place)),
                Item::Import { .. } => {}
                _ if item.name() == Some(name) => found.push(place),
                _ => {}
            }
        }
        found
    }

    /// The same behind the name of a namespace.
    fn qualified(&self, module: usize, name: &'static str, until: Place) -> Vec<Place> {
        let found = self.members(module, name, until);
        if !found.is_empty() {
            return found;
        }
        let directives = self.directives(module, until);
        let mut found: Vec<Place> = directives
            .into_iter()
            .flat_map(|from| self.qualified(from, name, until))
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The namespaces of which all names can be used in one.
    fn directives(&self, module: usize, until: Place) -> Vec<usize> {
        let directives = self.items_until(module, until).filter_map(|(_, item)| match item {
            Item::ImportAll { from } => Some(*from),
            _ => None,
        });
        directives.collect()
    }

    fn unqualified(&self, at: Place, name: &'static str) -> Vec<Place> {
        let own = self.members(at.0, name, at);
        if at.0 != MAIN && !own.is_empty() {
            return own;
        }
        let mut opened = self.directives(at.0, at);
        let mut next = 0;
        while let Some(module) = opened.get(next) {
            opened.extend(self.directives(*module, at));
            next += 1;
        }
        let mut found = own;
        found.extend(opened.into_iter().flat_map(|module| self.members(module, name, at)));
        found.sort_unstable();
        found.dedup();
        found
    }
}

impl Names for DeclaredNames<'_> {
    fn definition(&self, at: Place, name: &'static str, given: Argument) -> Option<Place> {
        if name == MACRO {
            let defined = self
                .0
                .items()
                .filter(|(place, item)| *place < at && item.name() == Some(name));
            return defined.last().map(|(place, _)| place);
        }
        let found = self.unqualified(at, name);
        let takes_it = |place: &&Place| matches!(self.signature(**place), Some((takes, _)) if takes == given);
        let exact: Vec<Place> = found.iter().filter(takes_it).copied().collect();
        match (&exact[..], &found[..]) {
            ([one], _) | ([], [one]) => Some(*one),
            _ => None,
        }
    }
}
