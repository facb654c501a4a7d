//! Two sources in a language in which what stands earlier decides what is meant later → what stands in another order, where the
//! order can be told.
//!
//! A macro is what was defined last before it is asked for; a header sees the macros before it; `#pragma` holds from its line
//! on; and of several functions of one name only those before a call are looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};

use super::changed_sources::{ChangedSources, SourceSide};
use super::model::{ChangedDeclaration, ItemPresence};
use super::raw_tokens;
use super::sequence_alignment::align_by_hash;
use crate::languages::DirectiveRole;
use crate::syntax::{ItemKind, LineRange};
use crate::text_search::holds_word;

/// So many pairs that stand in another order are looked at; more are at risk without a look.
const MOST_PAIRS: usize = 200_000;

/// A function or a declaration at its place.
struct PlacedDeclaration<'a> {
    role: DeclarationRole<'a>,
    /// Stands for the same on both sides.
    key: u64,
    side: SourceSide,
    lines: LineRange,
}

/// The part that a declaration plays for what stands behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DeclarationRole<'a> {
    /// Defines a macro of this name, or ends one.
    Macro(&'a str),
    /// Includes a file.
    Header {
        /// It comes with a compiler or a system.
        is_known: bool,
    },
    /// A condition around others. These ask for what it asks for.
    Condition,
    /// Any other directive.
    Directive,
    /// A variable, a constant, or a function without a body.
    Value(&'a str),
    /// A type: what uses it has it from here, unless a line before says that there is one, or means another of its name.
    Type(&'a str),
    Function {
        name: &'a str,
        /// Of a type, so that it is looked up there.
        is_method: bool,
    },
}

/// The thing that the order decides.
enum OrderEffect<'a> {
    /// The meaning of a macro where it is asked for.
    OfMacro(&'a str),
    /// Nobody says which.
    OfAnything,
}

/// The declarations of a file whose order changed, and may matter.
pub(super) fn reordered_declarations(sources: &ChangedSources<'_>, file: usize) -> Vec<ChangedDeclaration> {
    if sources.follows_declarations(file) {
        return Vec::new();
    }
    let [before, after] =
        [SourceSide::Before, SourceSide::After].map(|side| placed_declarations(sources, (side, file)));
    let places: BTreeMap<u64, usize> = before.iter().enumerate().map(|(place, one)| (one.key, place)).collect();
    let kept: Vec<(usize, &PlacedDeclaration<'_>)> = after
        .iter()
        .filter_map(|one| Some((*places.get(&one.key)?, one)))
        .collect();
    if kept.is_sorted_by_key(|(place, _)| *place) {
        return Vec::new();
    }
    let keys_after: Vec<u64> = kept.iter().map(|(_, one)| one.key).collect();
    let known: BTreeSet<u64> = keys_after.iter().copied().collect();
    let keys_before: Vec<u64> = before
        .iter()
        .map(|one| one.key)
        .filter(|key| known.contains(key))
        .collect();
    let at_their_places: BTreeSet<usize> = align_by_hash(&keys_before, &keys_after)
        .into_iter()
        .map(|(_, after)| after)
        .collect();
    let moved: Vec<usize> = (0..kept.len()).filter(|at| !at_their_places.contains(at)).collect();

    let declaration = |line: u32, name: String, is_used_by_name: bool| ChangedDeclaration {
        file: sources.file(file).clone(),
        line,
        name,
        is_value: false,
        is_used_by_name,
        is_definition: false,
        has_effects: false,
        presence: ItemPresence::Kept,
        is_layout_alone: false,
        is_guard: false,
    };
    let of_anything = |line: u32| declaration(line, "the order of declarations".to_owned(), false);
    if moved.len() * kept.len() > MOST_PAIRS {
        return vec![of_anything(kept[moved[0]].1.lines.first)];
    }
    let order = DeclarationOrder::new(sources, file, [&before, &after]);
    let mut found = BTreeMap::new();
    for at in moved {
        let (place, one) = kept[at];
        let passed = kept
            .iter()
            .enumerate()
            .filter(|(other_at, (other_place, _))| (*other_at < at) != (*other_place < place) && *other_at != at);
        for (_, (_, other)) in passed {
            match order.effect(one, other) {
                Some(OrderEffect::OfMacro(name)) => {
                    found
                        .entry(Some(name))
                        .or_insert_with(|| declaration(one.lines.first, name.to_owned(), true));
                }
                Some(OrderEffect::OfAnything) => {
                    found.entry(None).or_insert_with(|| of_anything(one.lines.first));
                }
                None => {}
            }
        }
    }
    found.into_values().collect()
}

/// The functions and declarations of a source, in its order.
fn placed_declarations<'a>(
    sources: &'a ChangedSources<'_>,
    (side, file): (SourceSide, usize),
) -> Vec<PlacedDeclaration<'a>> {
    let language = sources.language(file).support();
    let of_items = sources.declarations(side, file).iter().map(|item| {
        let role = match &item.kind {
            ItemKind::Macro => DeclarationRole::Macro(&item.name),
            ItemKind::Constant | ItemKind::Prototype => DeclarationRole::Value(&item.name),
            ItemKind::Type { .. } => DeclarationRole::Type(&item.name),
            _ => match language.role_of_directive(&item.name) {
                DirectiveRole::Undefines(name) => DeclarationRole::Macro(name),
                DirectiveRole::Includes { is_known } => DeclarationRole::Header { is_known },
                DirectiveRole::Condition | DirectiveRole::ReadsOnce => DeclarationRole::Condition,
                DirectiveRole::Other => DeclarationRole::Directive,
            },
        };
        (
            role,
            hash_of(&(std::mem::discriminant(&item.kind), &item.path, &item.name, item.digest)),
            item.lines,
        )
    });
    let of_functions = sources.functions(side, file).iter().map(|function| {
        let role = DeclarationRole::Function {
            name: function.name(),
            is_method: function.owner.is_some(),
        };
        (role, hash_of(&(&function.path, function.signature)), function.lines)
    });
    let mut placed: Vec<_> = of_items.chain(of_functions).collect();
    placed.sort_by_key(|(_, _, lines)| (lines.first, lines.last));
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    let numbered = placed.into_iter().map(|(role, key, lines)| {
        let count = counts.entry(key).or_default();
        *count += 1;
        PlacedDeclaration {
            role,
            key: hash_of(&(key, *count)),
            side,
            lines,
        }
    });
    numbered.collect()
}

fn hash_of(key: &impl std::hash::Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(key)
}

/// A file, by all that tells whether an order in it matters.
struct DeclarationOrder<'a> {
    sources: &'a ChangedSources<'a>,
    file: usize,
    /// The texts of conditions with the lines around which they stand, for each side.
    conditions: [Vec<(LineRange, String)>; 2],
    /// Each macro of the file, with the others that its definitions ask for.
    macros: BTreeMap<&'a str, BTreeSet<&'a str>>,
}

impl<'a> DeclarationOrder<'a> {
    fn new(sources: &'a ChangedSources<'a>, file: usize, sides: [&[PlacedDeclaration<'a>]; 2]) -> Self {
        let language = sources.language(file).support();
        let conditions = [SourceSide::Before, SourceSide::After]
            .map(|side| language.conditions_around(sources.whole_text(side, file)));
        let mut order = Self {
            sources,
            file,
            conditions,
            macros: BTreeMap::new(),
        };
        let definitions = || {
            let all = sides.into_iter().flatten();
            all.filter_map(|one| match one.role {
                DeclarationRole::Macro(name) => Some((name, one)),
                _ => None,
            })
        };
        let names: BTreeSet<&str> = definitions().map(|(name, _)| name).collect();
        for (name, definition) in definitions() {
            let asked = names.iter().copied();
            let asked: Vec<&str> = asked
                .filter(|other| *other != name && order.asks(definition, other))
                .collect();
            order.macros.entry(name).or_default().extend(asked);
        }
        order
    }

    /// Decided by the order of two declarations, whichever comes first.
    fn effect(&self, one: &PlacedDeclaration<'a>, other: &PlacedDeclaration<'a>) -> Option<OrderEffect<'a>> {
        self.effect_on(one, other).or_else(|| self.effect_on(other, one))
    }

    /// Decided for `user` by whether `early` stands before it.
    fn effect_on(&self, early: &PlacedDeclaration<'a>, user: &PlacedDeclaration<'a>) -> Option<OrderEffect<'a>> {
        use DeclarationRole::{Condition, Directive, Function, Header, Macro, Type, Value};

        let anything_if = |is_so: bool| is_so.then_some(OrderEffect::OfAnything);
        match (early.role, user.role) {
            (Macro(name), Header { .. }) => Some(OrderEffect::OfMacro(name)),
            (Macro(name), _) => self.asks_for_macro(user, name).then_some(OrderEffect::OfMacro(name)),
            (Header { is_known: true }, Header { is_known: true }) => None,
            (Header { .. } | Directive, _) => Some(OrderEffect::OfAnything),
            // When the program starts, one is computed after the other.
            (Value(name), Value(_)) => {
                let language = self.sources.language(self.file).support();
                let path = self.sources.file(self.file);
                let is_computed = |one: &PlacedDeclaration<'_>| {
                    let text = self.text(one);
                    text.contains('(') || language.may_have_effects(path, text)
                };
                anything_if(is_computed(early) && is_computed(user) || self.asks(user, name))
            }
            (Value(name) | Function { name, is_method: false }, Function { .. } | Value(_)) => {
                anything_if(self.asks(user, name))
            }
            (Type(name), Function { .. } | Type(_) | Value(_)) => {
                anything_if(self.asks(user, name) && !self.is_announced(name))
            }
            (Condition | Type(_) | Function { .. } | Value(_), _) => None,
        }
    }

    /// True if a declaration, or a condition around it, asks for a macro, or for one that does.
    fn asks_for_macro(&self, user: &PlacedDeclaration<'_>, name: &str) -> bool {
        let asking = self.macros_asking_for(name);
        asking
            .iter()
            .any(|name| self.asks(user, name) || self.is_under_condition_on(user, name))
    }

    /// A macro, and those of the file that ask for it.
    fn macros_asking_for<'n>(&self, name: &'n str) -> BTreeSet<&'n str>
    where
        'a: 'n,
    {
        let mut asking = BTreeSet::from([name]);
        loop {
            let others = self.macros.iter().filter(|(name, _)| !asking.contains(*name));
            let more: Vec<&str> = others
                .filter(|(_, asked)| asked.iter().any(|asked| asking.contains(asked)))
                .map(|(name, _)| *name)
                .collect();
            if more.is_empty() {
                return asking;
            }
            asking.extend(more);
        }
    }

    fn is_under_condition_on(&self, declaration: &PlacedDeclaration<'_>, name: &str) -> bool {
        let lines = declaration.lines;
        let mut around = (self.conditions[declaration.side as usize].iter())
            .filter(|(range, _)| range.first <= lines.first && lines.last <= range.last);
        around.any(|(_, condition)| holds_word(condition.as_bytes(), name))
    }

    /// True if a file names a type without its definition before anything else does: what stands behind that means this type.
    fn is_announced(&self, name: &str) -> bool {
        let announces = |side: SourceSide| {
            let words: Vec<&str> = raw_tokens::words(self.sources.whole_text(side, self.file)).collect();
            let mut windows = words.windows(3);
            windows.find(|window| window[1] == name).is_some_and(|window| {
                let is_type = matches!(window[0], "struct" | "class" | "enum" | "union");
                is_type && !matches!(window[2], "{" | ":" | "final")
            })
        };
        announces(SourceSide::Before) && announces(SourceSide::After)
    }

    fn asks(&self, declaration: &PlacedDeclaration<'_>, name: &str) -> bool {
        let language = self.sources.language(self.file).support();
        !language
            .lines_asking_for(self.text(declaration).as_bytes(), name)
            .is_empty()
    }

    fn text(&self, declaration: &PlacedDeclaration<'_>) -> &'a str {
        self.sources
            .text_of_lines(declaration.side, self.file, declaration.lines)
    }
}
