//! Two texts of a Python source → the statements that importing only one of them executes, if these do nothing but bind names.
//!
//! Statements of modules and of classes are held against each other one by one: a function by its head, a class by its head
//! and by each statement in it, an import by each of its names. What both texts have may stand in another order where no
//! statement can tell.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::asked_names::{DOCUMENTATION, NAMES_OF_DEFINITIONS};
use super::bindings::TELLING;
use super::loaded_statements::{ExportedNames, LoadedStatement, SourceStatements, StatementKind, StatementTrade};
use super::loading::other_encoding;
use crate::languages::{BoundName, LoadingDifference, NameHolder};

/// Methods that functions of the language ask any value for: `dict(values)` for its `keys`, `print` to a file for its `write`.
const ASKED_METHODS: [&str; 11] = [
    "close", "fileno", "flush", "keys", "mro", "read", "readinto", "readline", "send", "throw", "write",
];

/// The key of a statement: two with the same classes and the same text are the same.
type StatementKey<'s> = (&'s [String], &'s str);

/// The difference; `None` if a statement of it may do more, or a text has syntax errors.
pub(super) fn loading_difference(before: &str, after: &str) -> Option<LoadingDifference> {
    if other_encoding(before) != other_encoding(after) {
        return None;
    }
    let [before, after] = [SourceStatements::of(before)?, SourceStatements::of(after)?];
    let (kept_before, went) = before.divided(&after);
    let (kept_after, came) = after.divided(&before);
    let mut difference = LoadingDifference {
        has_other_annotations: before.postpones_types != after.postpones_types,
        ..LoadingDifference::default()
    };
    let kept_after = in_former_order(&kept_before, &kept_after, &mut difference)?;
    let kept = kept_before.iter().zip(&kept_after);
    for (before, after) in kept.filter(|(before, after)| before.with_types != after.with_types) {
        // Who is given the function may look at its types.
        if before.binds.is_none() || after.binds.is_none() {
            return None;
        }
        difference.has_other_annotations = true;
    }
    if before.documentation != after.documentation {
        difference.of_definitions.extend(DOCUMENTATION.map(str::to_owned));
    }
    if is_renamed(&went, &came) {
        difference
            .of_definitions
            .extend(NAMES_OF_DEFINITIONS.map(str::to_owned));
    }
    let (went, came) = without_retaken((&after, went, came), &mut difference.retaken);
    let (went, came) = without_rebound((&before, went), (&after, came), &mut difference);
    difference.went = before.bound(&went, &after, &mut difference)?;
    difference.came = after.bound(&came, &before, &mut difference)?;
    Some(difference)
}

/// True if a function or class went, and another one came to where it was: it may have another name.
fn is_renamed(went: &[&LoadedStatement], came: &[&LoadedStatement]) -> bool {
    went.iter()
        .filter(|former| former.kind != StatementKind::Other)
        .any(|former| {
            let name = |statement: &LoadedStatement| statement.binds.as_ref().map(|bindings| bindings.names.clone());
            let takes_its_place = |statement: &&&LoadedStatement| {
                (statement.kind, &statement.classes) == (former.kind, &former.classes)
                    && name(statement) != name(former)
            };
            came.iter().any(|statement| takes_its_place(&statement))
        })
}

/// The statements after in the order that the same ones had before. That they have another one is a part of the difference; `None` if
/// one of them can tell that it stands elsewhere.
fn in_former_order<'s>(
    before: &[&LoadedStatement],
    after: &[&'s LoadedStatement],
    difference: &mut LoadingDifference,
) -> Option<Vec<&'s LoadedStatement>> {
    let mut places: BTreeMap<StatementKey<'_>, VecDeque<usize>> = BTreeMap::new();
    for (place, statement) in before.iter().enumerate() {
        places.entry(statement.key()).or_default().push_back(place);
    }
    let mut placed: Vec<(usize, &LoadedStatement)> = Vec::new();
    let mut farthest = 0;
    for &statement in after {
        let place = places.get_mut(&statement.key())?.pop_front()?;
        // Most stand where they stood, and need no look at each pair.
        if place < farthest {
            for (_, other) in placed.iter().filter(|(earlier, _)| *earlier > place) {
                let silent_if = [statement, other].into_iter().filter_map(|one| one.silent_if.as_ref());
                difference.silent_classes.extend(silent_if.flatten().cloned());
                match statement.classes == other.classes {
                    true if statement.classes.is_empty() => difference.has_other_order = true,
                    true => difference.has_other_members_order |= !statement.is_of_silent_classes(),
                    false => {}
                }
                match statement.trade_with(other) {
                    StatementTrade::Untold => {}
                    StatementTrade::Told => return None,
                    StatementTrade::ToldByModules(modules) => {
                        difference.reordered.extend(modules.into_iter().map(str::to_owned));
                    }
                }
            }
        }
        farthest = farthest.max(place);
        placed.push((place, statement));
    }
    placed.sort_by_key(|(place, _)| *place);
    Some(placed.into_iter().map(|(_, statement)| statement).collect())
}

/// The statements that went and those that came, without the pairs that take one name from a module which is written in two ways.
fn without_retaken<'s>(
    (after, went, came): (&SourceStatements, Vec<&'s LoadedStatement>, Vec<&'s LoadedStatement>),
    retaken: &mut BTreeMap<BoundName, [String; 2]>,
) -> (Vec<&'s LoadedStatement>, Vec<&'s LoadedStatement>) {
    let (mut went, mut left) = (went, Vec::new());
    for statement in came {
        let former = statement
            .taken_name()
            .and_then(|taken| went.iter().position(|former| former.taken_name() == Some(taken)));
        match former.map(|at| went.remove(at)) {
            Some(former) => {
                let names = statement.binds.iter().flat_map(|bindings| &bindings.names);
                for name in names {
                    let ways = [former, statement].map(|statement| statement.modules().concat());
                    retaken.insert(after.bound_name(name, statement), ways);
                }
            }
            None => left.push(statement),
        }
    }
    (went, left)
}

/// The statements that went and those that came, without the pairs of which comparing the two definitions tells the rest. The
/// values among those are rebound.
fn without_rebound<'s>(
    (before, went): (&'s SourceStatements, Vec<&'s LoadedStatement>),
    (after, came): (&'s SourceStatements, Vec<&'s LoadedStatement>),
    LoadingDifference {
        rebound,
        silent_classes,
        ..
    }: &mut LoadingDifference,
) -> (Vec<&'s LoadedStatement>, Vec<&'s LoadedStatement>) {
    let mut pairs: BTreeMap<(&[String], &str, &str), [usize; 2]> = BTreeMap::new();
    for (side, statements) in [&went, &came].into_iter().enumerate() {
        for statement in statements {
            if let Some(key) = statement.compared() {
                pairs.entry(key).or_default()[side] += 1;
            }
        }
    }
    let is_rebound = |statement: &&LoadedStatement| {
        statement.compared().is_some_and(|key| {
            let is_alone = |source: &SourceStatements| source.count_of(key.1, statement) == 1;
            pairs.get(&key) == Some(&[1, 1]) && is_alone(before) && is_alone(after)
        })
    };
    for statement in came.iter().filter(|statement| is_rebound(statement)) {
        silent_classes.extend(statement.silent_if.iter().flatten().cloned());
        let names = statement.binds.iter().flat_map(|bindings| &bindings.names);
        if !is_function(statement) {
            rebound.extend(names.map(|name| after.bound_name(name, statement)));
        }
    }
    let others = |statements: Vec<&'s LoadedStatement>| statements.into_iter().filter(|one| !is_rebound(one)).collect();
    (others(went), others(came))
}

impl SourceStatements {
    /// The statements that another source has too, and the others.
    fn divided(&self, other: &Self) -> (Vec<&LoadedStatement>, Vec<&LoadedStatement>) {
        let mut left: BTreeMap<StatementKey<'_>, usize> = BTreeMap::new();
        for statement in &other.list {
            *left.entry(statement.key()).or_default() += 1;
        }
        let (kept, others): (Vec<_>, Vec<_>) = self.list.iter().partition(|statement| {
            left.get_mut(&statement.key()).is_some_and(|count| {
                let is_left = *count > 0;
                *count -= usize::from(is_left);
                is_left
            })
        });
        // To bind a name once more to the same is no difference. Of functions, the bodies may differ.
        let is_repeated = |statement: &&LoadedStatement| {
            statement.kind == StatementKind::Other
                && left.contains_key(&statement.key())
                && (statement.binds.iter().flat_map(|bindings| &bindings.names))
                    .all(|name| [self, other].iter().all(|source| source.binds_only_by(name, statement)))
        };
        (
            kept,
            others
                .into_iter()
                .filter(|one| one.binds.is_none() || !is_repeated(one))
                .collect(),
        )
    }

    /// The names that some of the statements bind where another source has none of them; `None` if that is not all they do. The
    /// modules that they load, and the classes whose special names they bind, are added to the difference.
    fn bound(
        &self,
        statements: &[&LoadedStatement],
        other: &Self,
        difference: &mut LoadingDifference,
    ) -> Option<BTreeSet<BoundName>> {
        let mut found = BTreeSet::new();
        for statement in statements {
            let bindings = statement.binds.as_ref()?;
            difference.modules.extend(bindings.modules.iter().cloned());
            difference.taken.extend(bindings.taken.iter().cloned());
            // The statements of a class that the other source does not have are part of it.
            if Self::is_in_another_class(statement, other) {
                continue;
            }
            if !statement.classes.is_empty() && !statement.is_of_silent_classes() {
                return None;
            }
            difference
                .silent_classes
                .extend(statement.silent_if.iter().flatten().cloned());
            for name in &bindings.names {
                match statement.classes.first() {
                    None if ASKED_METHODS.contains(&&**name) => {
                        found.insert(self.bound_name(name, statement));
                    }
                    _ if !is_asked_by_the_language(name) => {
                        found.insert(self.bound_name(name, statement));
                    }
                    Some(class) => {
                        difference.classes.insert(self.of_module(class));
                    }
                    None => return None,
                }
            }
        }
        // Who takes all names gets others, also where nothing else differs.
        match (&self.exported, &other.exported) {
            (ExportedNames::All, ExportedNames::All) => {}
            (ExportedNames::Listed(names), ExportedNames::Listed(others)) => {
                found.extend(names.difference(others).map(|name| BoundName {
                    name: name.clone(),
                    holder: NameHolder::Exported,
                }));
            }
            _ => return None,
        }
        Some(found)
    }

    fn bound_name(&self, name: &str, statement: &LoadedStatement) -> BoundName {
        match statement.classes.is_empty() {
            true => self.of_module(name),
            false => BoundName {
                name: name.to_owned(),
                holder: NameHolder::Class,
            },
        }
    }

    fn of_module(&self, name: &str) -> BoundName {
        let is_exported = match &self.exported {
            ExportedNames::Listed(names) => names.contains(name),
            ExportedNames::All => !name.starts_with('_'),
            ExportedNames::Unknown => true,
        };
        BoundName {
            name: name.to_owned(),
            holder: if is_exported {
                NameHolder::Exported
            } else {
                NameHolder::Module
            },
        }
    }

    /// True for a statement of a class that another source does not have.
    fn is_in_another_class(statement: &LoadedStatement, other: &Self) -> bool {
        let mut depths = 1..=statement.classes.len();
        !depths.all(|depth| other.classes.contains(&statement.classes[..depth]))
    }
}

impl LoadedStatement {
    fn key(&self) -> StatementKey<'_> {
        (&self.classes, &self.text)
    }

    /// Its classes, its name, and what comparing its definition with another one leaves out; `None` if that does not tell all.
    fn compared(&self) -> Option<(&[String], &str, &str)> {
        let bindings = self.binds.as_ref()?;
        let [name] = &bindings.names[..] else { return None };
        let is_eligible = (self.classes.is_empty() || self.is_of_silent_classes())
            && (is_function(self) || !is_asked_by_the_language(name));
        let beside = bindings.beside_comparison.as_deref()?;
        is_eligible.then_some((&self.classes, name, beside))
    }
}

fn is_function(statement: &LoadedStatement) -> bool {
    statement.kind == StatementKind::Function
}

/// True for names like `__slots__`, and for methods that functions of the language ask for. `C[int]` asks for `__class_getitem__`, and
/// failed where there is none.
fn is_asked_by_the_language(name: &str) -> bool {
    let is_special = name.starts_with("__") && name.ends_with("__");
    is_special && !TELLING.contains(&name) && name != "__class_getitem__" || ASKED_METHODS.contains(&name)
}

#[cfg(test)]
mod tests;
