//! A name and a source file of the version before → the code in it that mentions the name, and the names that take its
//! value or meaning over.

use std::sync::Arc;

use profile::ProfileFunctionId;

use super::name_reach::{CarryingName, HANDS_ON_BELOW, MentioningCode, NameKind};
use crate::change::first_line_with_attributes;
use crate::cost::ScoringContext;
use crate::cost::scanned_files::ScannedFile;
use crate::languages::is_interpreted;
use crate::sample::IndexedProfile;
use crate::syntax::{ItemKind, LineRange, ParseCache, SourceFile, SyntaxFunction, SyntaxItem};
use crate::text_search::{lines_at, lines_naming, places_of};

/// The lines of a file that mention a name, at least one.
pub(super) struct Mentions<'n> {
    name: &'n CarryingName,
    file: &'n ScannedFile,
    source: &'n SourceFile,
    word: Vec<u32>,
    owner: Vec<u32>,
    /// Where a method or field of that name is asked of a value that may be the owner's.
    of_values: Vec<u32>,
}

impl<'n> Mentions<'n> {
    pub(super) fn of(
        name: &'n CarryingName,
        file: &'n ScannedFile,
        (parser, is_defined_once): (&ParseCache, bool),
    ) -> Option<Self> {
        if !file.may_hold(&name.word) {
            return None;
        }
        let bytes = &*file.bytes;
        let mut places = places_of(bytes, &name.word).peekable();
        places.peek()?;
        let is_known_by_name_alone = file.language.support().methods_write_fields_alone();
        let word = match name.kind {
            NameKind::Field if is_known_by_name_alone => lines_at(bytes, places),
            NameKind::Field => lines_at(bytes, places.filter(|&place| is_shorthand(bytes, place, name))),
            NameKind::Macro => lines_at(bytes, places.filter(|&place| may_be_macro(bytes, place, name))),
            NameKind::Other => lines_at(bytes, places),
        };
        let owner = (name.owner.as_ref()).map_or_else(Vec::new, |owner| lines_naming(bytes, owner));
        let may_be_the_owners = match &name.owner {
            Some(_) => is_defined_once || !owner.is_empty(),
            None => name.kind == NameKind::Field,
        };
        let of_values = match may_be_the_owners {
            true => lines_asking_a_value(bytes, name),
            false => Vec::new(),
        };
        Some(Self {
            name,
            file,
            source: file.source(parser),
            word,
            owner,
            of_values,
        })
    }

    /// True if some lines, with the methods' type around them, mention the name.
    fn are_in(&self, lines: LineRange, within: Option<&str>) -> bool {
        let any = |named: &[u32]| {
            named
                .get(named.partition_point(|&line| line < lines.first))
                .is_some_and(|&line| line <= lines.last)
        };
        let names_owner = match &self.name.owner {
            Some(owner) => Some(owner.as_str()) == within || any(&self.owner),
            None if self.name.kind == NameKind::Field => {
                within.is_some() && self.file.language.support().methods_write_fields_alone()
            }
            None => true,
        };
        names_owner && any(&self.word) || any(&self.of_values)
    }

    /// An item with its attributes.
    fn with_attributes(&self, item: &SyntaxItem) -> LineRange {
        LineRange {
            first: first_line_with_attributes(&self.file.bytes, self.file.line_starts(), item.lines.first),
            last: item.lines.last,
        }
    }

    pub(super) fn add_carriers(&self, scene: &ScoringContext<'_>, code: &mut MentioningCode) {
        self.add_imported_cases(code);
        for item in &self.source.items {
            let carries = match &item.kind {
                ItemKind::Constant | ItemKind::Type { .. } | ItemKind::Macro => {
                    self.are_in(self.with_attributes(item), None)
                }
                // The functions that the macro writes get what it is given, and so does one that a macro marks.
                ItemKind::Invocation | ItemKind::Prototype => self.are_in(item.lines, None),
                ItemKind::Import { target } => target.last() == Some(&self.name.word),
                ItemKind::Trait | ItemKind::Implementation | ItemKind::Module | ItemKind::Attribute => false,
            };
            if carries && item.name != self.name.word {
                let is_macro = match item.kind {
                    ItemKind::Macro | ItemKind::Invocation => true,
                    ItemKind::Import { .. } => self.name.kind == NameKind::Macro,
                    ItemKind::Constant
                    | ItemKind::Type { .. }
                    | ItemKind::Trait
                    | ItemKind::Implementation
                    | ItemKind::Module
                    | ItemKind::Attribute
                    | ItemKind::Prototype => false,
                };
                code.carriers.insert(match is_macro {
                    true => CarryingName::of_macro(&item.name),
                    false => CarryingName::free(&item.name),
                });
            }
            if item.kind == ItemKind::Invocation && (carries || item.name == self.name.word) {
                let constants = constants_written_in(&self.file.bytes, item.lines);
                code.carriers.extend(constants.map(CarryingName::free));
            }
        }
        // A function that no benchmark executes is computed when the program is compiled, or inlined without a trace. Of an
        // interpreted one, that is all.
        let all_may = self.imports_all_cases();
        for function in &self.source.functions {
            let mentions = || all_may || self.are_in(function.lines, function.owner.as_deref());
            let is_idle =
                || is_interpreted(&self.file.path) && scene.idle_functions().has(&self.file.path, function.name());
            let is_called = !function.test_only && !self.file.language.support().starts_a_program(function);
            if is_called && mentions() && !is_executed(self.file, function, scene) && !is_idle() {
                code.carriers.insert(CarryingName::of_function_in(self.file, function));
            }
        }
    }

    /// The cases of an enumeration that are imported by themselves carry its meaning.
    fn add_imported_cases(&self, code: &mut MentioningCode) {
        for item in &self.source.items {
            if let ItemKind::Import { target } = &item.kind
                && item.name != "*"
                && self.is_inside_the_type(target)
            {
                code.carriers.insert(CarryingName::free(&item.name));
            }
        }
    }

    /// True for a path that goes on from a type of this name.
    fn is_inside_the_type(&self, target: &[String]) -> bool {
        let (word, owner) = (&self.name.word, &self.name.owner);
        owner.is_none()
            && word.starts_with(char::is_uppercase)
            && target.split_last().is_some_and(|(_, path)| path.last() == Some(word))
    }

    /// True if the file imports all cases of an enumeration: any of its functions may mention one.
    fn imports_all_cases(&self) -> bool {
        let is_all = |item: &SyntaxItem| matches!(&item.kind, ItemKind::Import { target } if item.name == "*" && self.is_inside_the_type(target));
        self.source.items.iter().any(is_all)
    }

    pub(super) fn add_functions(&self, scene: &ScoringContext<'_>, code: &mut MentioningCode) {
        let word = &self.name.word;
        let items = &self.source.items;
        // An attribute of an implementation or a trait is there for all its methods.
        let marked: Vec<LineRange> = items
            .iter()
            .filter(|item| matches!(item.kind, ItemKind::Implementation | ItemKind::Trait))
            .filter(|item| {
                let attributes = LineRange {
                    last: item.lines.first.saturating_sub(1),
                    ..self.with_attributes(item)
                };
                self.are_in(attributes, None)
            })
            .map(|item| item.lines)
            .collect();
        let all_may = self.imports_all_cases();
        for function in &self.source.functions {
            let lines = function.lines;
            let is_method = function.owner.as_ref() == Some(word);
            let is_marked = || (marked.iter()).any(|marked| marked.first <= lines.first && lines.last <= marked.last);
            let concerns = all_may
                || is_method
                || function.written_by() == Some(word)
                || is_marked()
                || self.are_in(lines, function.owner.as_deref());
            if concerns {
                code.functions.extend(scene.sampled_function(self.file, function));
            }
        }
    }

    /// Functions without a text of their own: debug information places them at the attribute that derives them, or where
    /// the macro that writes them is invoked or defined.
    pub(super) fn add_written_by_the_compiler(&self, scene: &ScoringContext<'_>, code: &mut MentioningCode) {
        let is_concerned = |item: &&SyntaxItem| match item.kind {
            ItemKind::Type { .. } | ItemKind::Macro => item.name == self.name.word,
            ItemKind::Invocation => item.name == self.name.word || self.are_in(item.lines, None),
            ItemKind::Constant
            | ItemKind::Trait
            | ItemKind::Implementation
            | ItemKind::Import { .. }
            | ItemKind::Module
            | ItemKind::Attribute
            | ItemKind::Prototype => false,
        };
        let mut concerned = self.source.items.iter().filter(is_concerned).peekable();
        if concerned.peek().is_none() {
            return;
        }
        let Some(sampled) = scene.sample.source(&self.file.path, scene.before.parser) else {
            return;
        };
        for item in concerned {
            let attributes = item.lines.first - self.with_attributes(item).first;
            let was = (sampled.items.iter()).filter(|was| was.name == item.name && was.kind.is_like(&item.kind));
            code.written.extend(was.map(|was| {
                let first = was.lines.first.saturating_sub(attributes);
                (Arc::clone(&self.file.path), first, was.lines.last)
            }));
        }
    }
}

/// True if some benchmark of the sample executes a function, and its profile tells of one that hands values on who calls it: where
/// a compiler built it into its callers, it may not.
fn is_executed(file: &ScannedFile, function: &Arc<SyntaxFunction>, scene: &ScoringContext<'_>) -> bool {
    let is_told_of = |profile: &IndexedProfile, id: ProfileFunctionId| {
        profile.callers(id).next().is_some() || profile.cost_per_call(id).is_none_or(|cost| cost > HANDS_ON_BELOW)
    };
    scene.sampled_function(file, function).is_some_and(|sampled| {
        let mut profiles = scene.sample.benchmarks.iter();
        profiles.any(|profile| {
            let ids = sampled.ids(profile);
            !sampled.closures(profile).is_empty()
                || !ids.is_empty() && (is_interpreted(&file.path) || ids.into_iter().any(|id| is_told_of(profile, id)))
        })
    })
}

/// The lines that ask a value for a method or field.
fn lines_asking_a_value(bytes: &[u8], name: &CarryingName) -> Vec<u32> {
    // Of a field that belongs to no known type, a pointer to a value tells too little.
    let is_pointer = name.owner.is_some() || name.kind != NameKind::Field;
    let asks = |&place: &usize| {
        let before = bytes[..place].trim_ascii_end();
        let after = bytes[place + name.word.len()..].trim_ascii_start();
        let is_call = after.starts_with(b"(") || after.starts_with(b"::");
        let is_set = after.starts_with(b"=") && !after.starts_with(b"==");
        let is_of_value = before.ends_with(b".") && !before.ends_with(b"..") || is_pointer && before.ends_with(b"->");
        is_of_value && is_call != (name.kind == NameKind::Field) && !is_set
    };
    lines_at(bytes, places_of(bytes, &name.word).filter(asks))
}

/// True for a field that a pattern takes out of a value: `Type { field, .. }`.
fn is_shorthand(bytes: &[u8], place: usize, name: &CarryingName) -> bool {
    let after = bytes[place + name.word.len()..].trim_ascii_start();
    after.starts_with(b",") || after.starts_with(b"}")
}

/// False where a macro's name is that of a crate or module at the start of a path.
fn may_be_macro(bytes: &[u8], place: usize, name: &CarryingName) -> bool {
    !bytes[place + name.word.len()..].trim_ascii_start().starts_with(b"::")
}

/// How many functions of a name there are.
pub(super) fn count_definitions(files: &[ScannedFile], name: &str) -> usize {
    let is_definition = |bytes: &[u8], place: usize| bytes[..place].trim_ascii_end().ends_with(b"fn");
    let named = files.iter().filter(|file| file.may_hold(name));
    let in_file = |file: &ScannedFile| {
        places_of(&file.bytes, name)
            .filter(|&place| is_definition(&file.bytes, place))
            .count()
    };
    named.map(in_file).sum()
}

/// The names of constants in the lines of an invocation, which may define them.
fn constants_written_in(bytes: &[u8], lines: LineRange) -> impl Iterator<Item = &str> {
    let skipped = lines.first.saturating_sub(1) as usize;
    let count = (lines.last.saturating_sub(lines.first) + 1) as usize;
    let text = bytes.split(|&byte| byte == b'\n').skip(skipped).take(count);
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let words = text.flat_map(move |line| line.split(move |byte| !is_part(byte)));
    let is_constant = |word: &&str| {
        let is_upper = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '_';
        word.len() > 1 && word.starts_with(|first: char| first.is_ascii_uppercase()) && word.chars().all(is_upper)
    };
    words
        .filter_map(|word| std::str::from_utf8(word).ok())
        .filter(is_constant)
}
