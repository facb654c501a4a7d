//! A declaration that changed and that only code which writes its name depends on → whether a benchmark executes such code.
//!
//! For languages whose declarations are not followed otherwise. Where a name may be met without being written, or where what
//! writes it is not a function, a macro or a variable, every benchmark may.

use std::collections::{BTreeMap, BTreeSet};

use super::name_reach::{CarryingName, MOST_NAMES, functions_naming};
use super::scanned_files::ScannedFile;
use crate::change::ItemPresence;
use crate::cost::ScoringContext;
use crate::languages::Language;
use crate::sample::IndexedProfile;
use crate::syntax::{ItemKind, LineRange, ParseProblem, REFUSAL, SyntaxItem, is_called_unwritten};

/// Starts of names that the system's headers may ask for, and endings of those that headers made by a build ask for.
const OF_THE_SYSTEM: [&str; 2] = ["_", "NDEBUG"];
const OF_MADE_HEADERS: [&str; 5] = ["_STATIC_DEFINE", "_EXPORTS", "_EXPORT", "_NO_DEPRECATED", "_DEPRECATED"];

/// True if something that a benchmark executes may meet a declared name. What it decides there may show anywhere: a size that
/// one function writes down decides how often another one runs. A name that comes where another file defines it already may
/// keep that file from defining it.
pub(crate) fn is_declaration_executed(
    (name, presence): (&str, ItemPresence),
    scene: &ScoringContext<'_>,
    profile: &IndexedProfile,
) -> bool {
    if presence == ItemPresence::Added && is_defined(name, scene, is_macro) {
        return true;
    }
    let is_executed = |name: &CarryingName| !functions_naming(name, scene, profile).is_empty();
    match scene.names.of_declaration(name, scene) {
        Some(names) => names.iter().any(is_executed),
        None => true,
    }
}

/// True if a compiled source asks whether something is defined that the header of a directive may define.
pub(crate) fn is_header_asked_for(directive: &str, scene: &ScoringContext<'_>) -> bool {
    let scanned = scene.scanned_files();
    let asks = |file: &ScannedFile| file.language.support().asks_for_header(&file.bytes, directive);
    let of_preprocessor = |file: &&ScannedFile| file.is_compiled && file.language.support().is_quiet_header(directive);
    !scanned.is_complete || scanned.files.iter().filter(of_preprocessor).any(asks)
}

/// A declared name with all names that take its meaning over; `None` if code may meet one of them where it is not written in a
/// function, a macro or a variable.
pub(super) fn names_of_declaration(name: &str, scene: &ScoringContext<'_>) -> Option<Vec<CarryingName>> {
    let is_of_others = OF_THE_SYSTEM.iter().any(|start| name.starts_with(start))
        || OF_MADE_HEADERS.iter().any(|end| name.ends_with(end));
    if !scene.scanned_files().is_complete || is_of_others {
        return None;
    }
    let mut names = BTreeSet::from([CarryingName::free(name)]);
    let mut waiting: Vec<CarryingName> = names.iter().cloned().collect();
    let mut is_used = false;
    while let Some(next) = waiting.pop() {
        let mut carriers = scene.names.carriers(&next, scene);
        if next.word == name || is_defined(&next.word, scene, is_macro_or_variable) {
            is_used |= uses_of(&next.word, scene)? > 0;
        } else {
            // A function is met where it is called. The type that declares it takes nothing over.
            if is_called_unwritten(&next.word) || may_be_pasted(&next.word, scene) {
                return None;
            }
            carriers.retain(|carrier| !is_defined(&carrier.word, scene, is_type));
        }
        waiting.extend(carriers.into_iter().filter(|carrier| names.insert(carrier.clone())));
        if names.len() > MOST_NAMES {
            return None;
        }
    }
    // A macro that the project never asks for, be it new or not, may be there for the headers of others.
    let may_be_macro = || is_defined(name, scene, is_macro) || !is_defined(name, scene, is_no_macro);
    let is_for_others = || may_be_macro() && !includes_only_known_headers(scene);
    (is_used || !is_for_others()).then(|| names.into_iter().collect())
}

/// True if every header that benchmarks are compiled with is one of the project, or belongs to a compiler or a system.
fn includes_only_known_headers(scene: &ScoringContext<'_>) -> bool {
    let files = &scene.scanned_files().files;
    let is_of_project = |name: &str| {
        let is_named = |file: &ScannedFile| {
            file.path
                .strip_suffix(name)
                .is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
        };
        files.iter().any(is_named)
    };
    let mut sources: BTreeMap<&str, (Language, Vec<&[u8]>)> = BTreeMap::new();
    for file in files.iter().filter(|file| file.is_of_benchmarks) {
        let name = file.language.support().name();
        let of_language = sources.entry(name).or_insert((file.language, Vec::new()));
        of_language.1.push(&file.bytes);
    }
    (sources.values()).all(|(language, sources)| language.support().include_only_known_headers(sources, &is_of_project))
}

/// How many lines write a name, its own definitions left out; `None` if one of them stands elsewhere than in a function, a
/// macro or a variable.
fn uses_of(name: &str, scene: &ScoringContext<'_>) -> Option<usize> {
    if may_be_pasted(name, scene) {
        return None;
    }
    let mut uses = 0;
    let files = scene.scanned_files().files.iter();
    for file in files.filter(|file| file.is_compiled && file.may_hold(name)) {
        let lines = file.language.support().lines_asking_for(&file.bytes, name);
        if !lines.is_empty() {
            uses += uses_in(file, name, &lines, scene)?;
        }
    }
    Some(uses)
}

fn uses_in(file: &ScannedFile, name: &str, lines: &[u32], scene: &ScoringContext<'_>) -> Option<usize> {
    let (sample, parser) = scene.sample_and_parser();
    let source = file.source(parser);
    let is_harmless = |problem: &ParseProblem| {
        problem
            .text
            .is_some_and(|text| sample.reads_in_spite_of(&file.path, text, parser))
    };
    if !source.problems.iter().all(is_harmless) {
        return None;
    }
    let of = |holds: &dyn Fn(&SyntaxItem) -> bool| -> Vec<LineRange> {
        let items = source.items.iter().filter(|item| holds(item));
        items.map(|item| item.lines).collect()
    };
    // A case of an enumeration whose number follows from another one's changes with it.
    let is_of_cases = |item: &SyntaxItem| {
        let text = || std::str::from_utf8(file.bytes.get(file.line_starts().place(item.lines))?).ok();
        is_type(&item.kind) && text().is_some_and(|text| file.language.support().is_enumeration(text))
    };
    let without_meaning = of(&|item| {
        let is_own = is_carrier(&item.kind) && item.name == name;
        is_own || item.kind == ItemKind::Attribute && item.name == REFUSAL || is_of_cases(item)
    });
    let mut around = of(&|item| is_carrier(&item.kind));
    around.extend(source.functions.iter().map(|function| function.lines));
    let is_in = |ranges: &[LineRange], line: u32| ranges.iter().any(|range| range.first <= line && line <= range.last);
    let mut uses = 0;
    for &line in lines {
        if is_in(&without_meaning, line) {
            continue;
        }
        if !is_in(&around, line) {
            return None;
        }
        uses += 1;
    }
    Some(uses)
}

/// True if a file defines an item of a name that is one of these.
fn is_defined(name: &str, scene: &ScoringContext<'_>, is_one: fn(&ItemKind) -> bool) -> bool {
    let (_, parser) = scene.sample_and_parser();
    let is_it = |item: &SyntaxItem| item.name == name && is_one(&item.kind);
    let mut files = (scene.scanned_files().files.iter()).filter(|file| file.may_hold(name));
    files.any(|file| file.source(parser).items.iter().any(is_it))
}

/// True for what hands the meaning of a name on to its own: a macro, a variable, a declaration that a macro marks.
const fn is_carrier(kind: &ItemKind) -> bool {
    is_macro_or_variable(kind) || matches!(kind, ItemKind::Prototype)
}

const fn is_macro_or_variable(kind: &ItemKind) -> bool {
    matches!(kind, ItemKind::Macro | ItemKind::Constant)
}

const fn is_macro(kind: &ItemKind) -> bool {
    matches!(kind, ItemKind::Macro)
}

const fn is_no_macro(kind: &ItemKind) -> bool {
    matches!(kind, ItemKind::Constant | ItemKind::Prototype)
}

const fn is_type(kind: &ItemKind) -> bool {
    matches!(kind, ItemKind::Type { .. })
}

/// True if two words of the files make up a name, and some macro puts such words together.
fn may_be_pasted(name: &str, scene: &ScoringContext<'_>) -> bool {
    let files = &scene.scanned_files().files;
    let is_word = |word: &str| files.iter().any(|file| file.may_hold(word));
    files
        .iter()
        .any(|file| file.language.support().may_be_pasted(&file.bytes, name, &is_word))
}
