//! A declaration that changed and that only code which writes its name depends on → the cost of a benchmark at risk.
//!
//! For languages whose declarations are not followed otherwise. Where a name may be met without being written, or where what
//! writes it is not a function, a macro or a variable, everything is at risk.

use std::collections::BTreeSet;

use super::name_reach::{CarryingName, cost_reached_by};
use super::scanned_files::ScannedFile;
use crate::change::KeptProblem;
use crate::cost::ScoringContext;
use crate::sample::IndexedProfile;
use crate::syntax::{ItemKind, LineRange, ParseProblem, REFUSAL, SyntaxItem};
use crate::text_search::{block_comments, lines_naming};

/// A name that hands its meaning on to more names than this is taken to reach everything.
const MOST_NAMES: usize = 64;

/// Makes one name of two.
const PASTE: &[u8] = b"##";

/// Starts of names that the system's headers may ask for.
const OF_THE_SYSTEM: [&str; 2] = ["_", "NDEBUG"];

/// The inclusive cost of the code that a changed declaration of a name may reach.
pub(crate) fn cost_reached_by_declaration(name: &str, scene: &ScoringContext<'_>, profile: &IndexedProfile) -> f64 {
    match scene.names.is_met_by_name_alone(name, scene) {
        true => cost_reached_by(&CarryingName::free(name), scene, profile).cost,
        false => profile.total(),
    }
}

/// True if code meets a name, and each one that takes its meaning over, only where it writes it in a function, a macro or a
/// variable.
pub(super) fn is_met_by_name_alone(name: &str, scene: &ScoringContext<'_>) -> bool {
    if !scene.scanned_files().is_complete || OF_THE_SYSTEM.iter().any(|start| name.starts_with(start)) {
        return false;
    }
    let mut names = BTreeSet::from([CarryingName::free(name)]);
    let mut waiting: Vec<CarryingName> = names.iter().cloned().collect();
    let mut is_used = false;
    while let Some(next) = waiting.pop() {
        let Some(uses) = uses_of(&next.word, scene) else {
            return false;
        };
        is_used |= uses > 0;
        for carrier in scene.names.carriers(&next, scene) {
            if names.insert(carrier.clone()) {
                waiting.push(carrier);
            }
        }
        if names.len() > MOST_NAMES {
            return false;
        }
    }
    // A name that the project never asks for may be there for the headers of others.
    is_used
}

/// How many lines write a name, its own definitions left out; `None` if one of them stands elsewhere than in a function, a
/// macro or a variable.
fn uses_of(name: &str, scene: &ScoringContext<'_>) -> Option<usize> {
    let files = &scene.scanned_files().files;
    if may_be_pasted(name, files) {
        return None;
    }
    let mut uses = 0;
    for file in files.iter().filter(|file| file.is_compiled && file.may_hold(name)) {
        let lines = lines_naming(&file.bytes, name);
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
        problem.text.is_some_and(|text| {
            let problem = KeptProblem {
                file: file.path.to_string(),
                why: String::new(),
                text,
            };
            sample.reads_in_spite_of(&problem, parser)
        })
    };
    if !source.problems.iter().all(is_harmless) {
        return None;
    }
    let of = |holds: &dyn Fn(&SyntaxItem) -> bool| -> Vec<LineRange> {
        let items = source.items.iter().filter(|item| holds(item));
        items.map(|item| item.lines).collect()
    };
    let without_meaning = of(&|item| {
        let is_own = matches!(item.kind, ItemKind::Macro | ItemKind::Constant) && item.name == name;
        is_own || item.kind == ItemKind::Attribute && item.name == REFUSAL
    });
    let mut around = of(&|item| matches!(item.kind, ItemKind::Macro | ItemKind::Constant));
    around.extend(source.functions.iter().map(|function| function.lines));
    let comments = block_comments(&file.bytes);
    let is_in = |ranges: &[LineRange], line: u32| ranges.iter().any(|range| range.first <= line && line <= range.last);
    let is_comment = |line: u32| {
        let text = file.bytes.split(|&byte| byte == b'\n').nth(line as usize - 1);
        let starts = |text: &[u8]| {
            text.trim_ascii_start()
                .starts_with(file.language.support().line_comment().as_bytes())
        };
        text.is_some_and(starts) || is_in(&comments, line)
    };
    let mut uses = 0;
    for &line in lines {
        if is_in(&without_meaning, line) || is_comment(line) {
            continue;
        }
        if !is_in(&around, line) {
            return None;
        }
        uses += 1;
    }
    Some(uses)
}

/// True if two words of the files make up a name, and some macro puts words together.
fn may_be_pasted(name: &str, files: &[ScannedFile]) -> bool {
    let pastes = |file: &ScannedFile| file.bytes.windows(PASTE.len()).any(|two| two == PASTE);
    let is_word = |word: &str| files.iter().any(|file| file.may_hold(word));
    files.iter().any(pastes)
        && (1..name.len())
            .filter(|&at| name.is_char_boundary(at))
            .any(|at| is_word(&name[..at]) && is_word(&name[at..]))
}
