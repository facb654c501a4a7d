//! C++: what is declared before counts, a name of the namespace hides one of a directive, functions are overloaded, and a
//! macro has the value that it had last.

use std::collections::HashSet;

use super::run::inherited;
use super::{
    Argument, Declared, Item, Language, MACRO, MAIN, MODULES, Method, Names, Place, Program, Source, Type, Use,
};

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
    for Declared { only_if, item } in &program.modules[module] {
        let lines = match item {
            Item::Constant { name, value, .. } if *name == MACRO => {
                vec![format!("#undef {name}"), format!("#define {name} {value}ul")]
            }
            Item::Constant { name, value, plus } => {
                let plus = plus.map_or(String::new(), |name| format!(" + {name}"));
                vec![format!("static const unsigned long {name} = {value}ul{plus};")]
            }
            Item::Type(defined) => type_lines(defined),
            Item::Import { from, name, .. } => vec![format!("using {}::{name};", MODULES[*from])],
            Item::ImportAll { from } => vec![format!("using namespace {};", MODULES[*from])],
            Item::ImportModule { from, alias } => vec![format!("namespace {alias} = {};", MODULES[*from])],
            Item::Function { .. } => function(item),
            Item::Bound { name, to } => {
                vec![format!("static unsigned long (*const {name})(unsigned long) = {to};")]
            }
            Item::Inherent { .. } | Item::Decorator { .. } | Item::Exchange { .. } | Item::ExchangeMethod { .. } => {
                Vec::new()
            }
        };
        let head = only_if.map(|(name, value)| format!("#if {name} == {value}"));
        let end = only_if.map(|_| String::from("#endif"));
        source.item(&head.into_iter().chain(lines).chain(end).collect::<Vec<_>>());
    }
    if module != MAIN {
        source.line("}");
    }
    source
}

fn type_lines(defined: &Type) -> Vec<String> {
    let base = defined.base.map_or(String::new(), |base| format!(" : {base}"));
    let mut lines = vec![format!("struct {}{base} {{", defined.name)];
    lines.extend(
        defined
            .wide
            .map(|name| format!("    static const unsigned long wide = {name};")),
    );
    let of = "unsigned long of";
    lines.extend(
        (defined.taken)
            .map(|adds| format!("    virtual unsigned long taken({of}) const {{ return of * 3 + {adds}; }}")),
    );
    lines.extend(
        (defined.stepped)
            .map(|adds| format!("    unsigned long stepped({of}) const {{ return taken(of) + wide + {adds}; }}")),
    );
    lines.push(String::from("};"));
    lines
}

fn function(item: &Item) -> Vec<String> {
    let Item::Function {
        name,
        takes,
        default,
        adds,
        uses,
        ..
    } = item
    else {
        return Vec::new();
    };
    let takes = match takes {
        Argument::Long => "unsigned long",
        Argument::Int => "int",
        Argument::Any => "T",
    };
    let template = if takes == "T" { "template <class T> " } else { "" };
    let linkage = if *name == "run" { "" } else { "static " };
    let by = default.map_or(String::new(), |default| format!(", unsigned long by = {default}"));
    let mut lines = vec![
        format!("{template}{linkage}unsigned long {name}({takes} of{by}) {{"),
        format!("    unsigned long x = of + {adds}ul;"),
    ];
    lines.extend(default.map(|_| String::from("    x = x * 31 + by;")));
    lines.extend(uses.iter().map(|written| match written {
        Use::Constant(name) => format!("    x = x * 31 + {name};"),
        Use::Call(name, given) => format!("    x = {name}({});", argument(*given)),
        Use::Through(module, name, given) => format!("    x = {module}::{name}({});", argument(*given)),
        Use::Method(name) => format!("    x = {name}().stepped(x);"),
        Use::Pattern(_) => String::new(),
    }));
    lines.extend([String::from("    return x;"), String::from("}")]);
    lines
}

fn argument(given: Argument) -> &'static str {
    match given {
        Argument::Int => "(int)(x % 1000)",
        Argument::Long | Argument::Any => "x",
    }
}

/// Leaves out programs of what C++ does not have, and macros that need constants.
fn names(program: &Program) -> Option<Box<dyn Names + '_>> {
    let names = DeclaredNames {
        program,
        taken: taken(program)?,
    };
    for (place, item) in names.items() {
        match item {
            // A namespace is declared before it is used, and a function has one name.
            Item::Import { from, .. } | Item::ImportAll { from } | Item::ImportModule { from, .. }
                if *from >= place.0 =>
            {
                return None;
            }
            Item::Import { name, alias, .. } if name != alias || *name == MACRO => return None,
            Item::Constant { name, plus, .. } if *plus == Some(name) || *name == MACRO && plus.is_some() => {
                return None;
            }
            Item::Function { decorator: Some(_), .. }
            | Item::Inherent { .. }
            | Item::Decorator { .. }
            | Item::Exchange { .. }
            | Item::ExchangeMethod { .. } => return None,
            _ => {}
        }
        names.declared(place, item)?;
    }
    Some(Box::new(names))
}

/// The items that the preprocessor leaves; none where a condition needs something other than the macro.
fn taken(program: &Program) -> Option<HashSet<Place>> {
    let (mut taken, mut size) = (HashSet::new(), 0);
    for (place, item) in program.items() {
        let is_taken = match program.modules[place.0][place.1].only_if {
            None => true,
            Some((MACRO, value)) => size == value,
            Some(_) => return None,
        };
        if is_taken {
            taken.insert(place);
            if let Item::Constant { name: MACRO, value, .. } = item {
                size = *value;
            }
        }
    }
    Some(taken)
}

struct DeclaredNames<'p> {
    program: &'p Program,
    /// The items that the preprocessor leaves.
    taken: HashSet<Place>,
}

impl DeclaredNames<'_> {
    fn items(&self) -> impl Iterator<Item = (Place, &Item)> {
        self.program.items().filter(|(place, _)| self.taken.contains(place))
    }

    /// Looks up the declarations of an item in its namespace; none if that conflicts with what is declared before.
    fn declared(&self, at: Place, item: &Item) -> Option<()> {
        let declared = match item {
            Item::ImportAll { .. } => return Some(()),
            Item::Constant { name, .. } if *name == MACRO => return Some(()),
            Item::Import { from, name, .. } => {
                let found = self.qualified(*from, name, at);
                (!found.is_empty()).then_some(found)?
            }
            Item::Type(defined) => {
                // A method needs what it calls in the type or its bases.
                if defined.stepped.is_some() {
                    self.method(at)?;
                }
                vec![at]
            }
            Item::Bound { to, .. } => {
                let to = self.program.item(self.definition(at, to, Argument::Long)?);
                // It points to functions of one number.
                let is_one = match to {
                    Item::Function { takes, default, .. } => *takes != Argument::Int && default.is_none(),
                    _ => true,
                };
                is_one.then(|| vec![at])?
            }
            _ => vec![at],
        };
        let before = (at.1 > 0).then(|| self.members(at.0, item.name()?, (at.0, at.1 - 1)).into());
        let before: Vec<Place> = before.flatten().unwrap_or_default();
        let conflicts = |one: &Place, other: &Place| {
            let [one_takes, other_takes] = [one, other].map(|place| self.signature(*place));
            one == other || one_takes == other_takes || one_takes.is_none() || other_takes.is_none()
        };
        let is_conflict = before
            .iter()
            .any(|one| declared.iter().any(|other| conflicts(one, other)));
        (!is_conflict).then_some(())
    }

    /// Tells overloads apart: all else with one name is the same.
    fn signature(&self, at: Place) -> Option<(Argument, bool)> {
        match self.program.item(at) {
            Item::Function { takes, default, .. } => Some((*takes, default.is_some())),
            _ => None,
        }
    }

    /// The items of a namespace down to a place, which is one of them.
    fn items_until(&self, module: usize, until: Place) -> impl Iterator<Item = (Place, &Item)> {
        self.items()
            .filter(move |(place, _)| place.0 == module && *place <= until)
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

    /// The one of some functions that takes an argument best.
    fn chosen(&self, found: &[Place], given: Argument) -> Option<Place> {
        if found.len() > 1 && found.iter().any(|place| self.signature(*place).is_none()) {
            return None;
        }
        let that_take = |argument: Argument| {
            let takes_it = move |place: &Place| matches!(self.signature(*place), Some((takes, _)) if takes == argument);
            found.iter().copied().filter(takes_it).collect::<Vec<Place>>()
        };
        match (&that_take(given)[..], &that_take(Argument::Any)[..], found) {
            ([one], _, _) | ([], [one], _) | ([], [], [one]) => Some(*one),
            _ => None,
        }
    }
}

impl Names for DeclaredNames<'_> {
    fn definition(&self, at: Place, name: &'static str, given: Argument) -> Option<Place> {
        if name == MACRO {
            let defined = self
                .items()
                .filter(|(place, item)| *place < at && item.name() == Some(name));
            return defined.last().map(|(place, _)| place);
        }
        self.chosen(&self.unqualified(at, name), given)
    }

    fn through(&self, at: Place, module: &'static str, name: &'static str, given: Argument) -> Option<Place> {
        let [found] = self.unqualified(at, module)[..] else {
            return None;
        };
        match self.program.item(found) {
            Item::ImportModule { from, .. } => self.chosen(&self.qualified(*from, name, at), given),
            _ => None,
        }
    }

    fn method(&self, of: Place) -> Option<Method> {
        let stepped = inherited(self.program, self, of, |_, defined| defined.stepped)?;
        // Its names are those of its own type and of the bases, but for a function that is virtual.
        inherited(self.program, self, stepped.0, |_, defined| defined.taken)?;
        let taken = inherited(self.program, self, of, |_, defined| defined.taken)?;
        let wide = inherited(self.program, self, stepped.0, |_, defined| defined.wide)?;
        Some(Method::of_types(self.program, stepped, taken, wide))
    }

    fn is_taken(&self, at: Place) -> bool {
        self.taken.contains(&at)
    }
}
