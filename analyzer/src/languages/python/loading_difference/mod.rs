//! Two texts of a Python source → the statements that importing only one of them executes, if these do nothing but bind names.
//!
//! Statements of modules and of classes are held against each other one by one: a function by its head, a class by its head
//! and by each statement in it, an import by each of its names. What both texts have may stand in another order where no
//! statement can tell.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::bindings::TELLING;
use super::loaded_statements::{ExportedNames, LoadedStatement, SourceStatements, StatementKind, StatementTrade};
use crate::languages::{BoundName, LoadingDifference, NameHolder};

/// The key of a statement: two with the same classes and the same text are the same.
type StatementKey<'s> = (&'s [String], &'s str);

/// The difference; `None` if a statement of it may do more, or a text has syntax errors.
pub(super) fn loading_difference(before: &str, after: &str) -> Option<LoadingDifference> {
    let [before, after] = [SourceStatements::of(before)?, SourceStatements::of(after)?];
    let (kept_before, went) = before.divided(&after);
    let (kept_after, came) = after.divided(&before);
    let (kept_after, reordered) = in_former_order(&kept_before, &kept_after)?;
    let mut difference = LoadingDifference {
        has_other_annotations: before.postpones_types != after.postpones_types,
        reordered,
        ..LoadingDifference::default()
    };
    let kept = kept_before.iter().zip(&kept_after);
    for (before, after) in kept.filter(|(before, after)| before.with_types != after.with_types) {
        // Who is given the function may look at its types.
        if before.binds.is_none() || after.binds.is_none() {
            return None;
        }
        difference.has_other_annotations = true;
    }
    let (went, came) = without_rewritten_imports(went, came, &mut difference.same_modules);
    let (went, came) = without_rebound((&before, went), (&after, came), &mut difference.rebound);
    difference.went = before.bound(&went, &after, &mut difference)?;
    difference.came = after.bound(&came, &before, &mut difference)?;
    Some(difference)
}

/// The statements after in the order that the same ones had before, and the modules that they load in another order; `None` if one
/// of them can tell that it stands elsewhere.
fn in_former_order<'s>(
    before: &[&LoadedStatement],
    after: &[&'s LoadedStatement],
) -> Option<(Vec<&'s LoadedStatement>, BTreeSet<String>)> {
    let mut places: BTreeMap<StatementKey<'_>, VecDeque<usize>> = BTreeMap::new();
    for (place, statement) in before.iter().enumerate() {
        places.entry(statement.key()).or_default().push_back(place);
    }
    let mut placed: Vec<(usize, &LoadedStatement)> = Vec::new();
    let mut reordered = BTreeSet::new();
    let mut farthest = 0;
    for &statement in after {
        let place = places.get_mut(&statement.key())?.pop_front()?;
        // Most stand where they stood, and need no look at each pair.
        if place < farthest {
            for (_, other) in placed.iter().filter(|(earlier, _)| *earlier > place) {
                match statement.trade_with(other) {
                    StatementTrade::Untold => {}
                    StatementTrade::Told => return None,
                    StatementTrade::ToldByModules(modules) => reordered.extend(modules.into_iter().map(str::to_owned)),
                }
            }
        }
        farthest = farthest.max(place);
        placed.push((place, statement));
    }
    placed.sort_by_key(|(place, _)| *place);
    let statements = placed.into_iter().map(|(_, statement)| statement).collect();
    Some((statements, reordered))
}

/// The statements that went and those that came, without the pairs that take one name from a module which is written in two ways. The
/// ways are `same_modules`, if it is one.
fn without_rewritten_imports<'s>(
    went: Vec<&'s LoadedStatement>,
    came: Vec<&'s LoadedStatement>,
    same_modules: &mut BTreeSet<[String; 2]>,
) -> (Vec<&'s LoadedStatement>, Vec<&'s LoadedStatement>) {
    let (mut went, mut left) = (went, Vec::new());
    for statement in came {
        let former = statement
            .taken_name()
            .and_then(|taken| went.iter().position(|former| former.taken_name() == Some(taken)));
        match former.map(|at| went.remove(at)) {
            Some(former) => {
                let ways = [former, statement].map(|statement| statement.modules().concat());
                same_modules.insert(ways);
            }
            None => left.push(statement),
        }
    }
    (went, left)
}

/// The statements that went and those that came, without the pairs of which comparing the two definitions tells the rest. The
/// values among those are `rebound`.
fn without_rebound<'s>(
    (before, went): (&'s SourceStatements, Vec<&'s LoadedStatement>),
    (after, came): (&'s SourceStatements, Vec<&'s LoadedStatement>),
    rebound: &mut BTreeSet<BoundName>,
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
            // The statements of a class that the other source does not have are part of it.
            if Self::is_in_another_class(statement, other) {
                continue;
            }
            if !statement.classes.is_empty() && !statement.is_of_silent_classes {
                return None;
            }
            for name in &bindings.names {
                match statement.classes.first() {
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
        let is_eligible = (self.classes.is_empty() || self.is_of_silent_classes)
            && (is_function(self) || !is_asked_by_the_language(name));
        let beside = bindings.beside_comparison.as_deref()?;
        is_eligible.then_some((&self.classes, name, beside))
    }
}

fn is_function(statement: &LoadedStatement) -> bool {
    statement.kind == StatementKind::Function
}

/// True for names like `__slots__`.
fn is_asked_by_the_language(name: &str) -> bool {
    name.starts_with("__") && name.ends_with("__") && !TELLING.contains(&name)
}

#[cfg(test)]
mod tests;
