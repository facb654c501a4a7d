//! What loading a changed source binds otherwise, and the sources that are loaded with it → the names by which code that stays as
//! it is can tell.
//!
//! Code tells a name that came if it asked for it before, and one that went if it asks for it after. Code that changed with them is
//! compared by itself.

use super::made_up_names::MadeUpNames;
use super::side::{LoadedSide, WhoAsks};
use crate::change::TellingNames;
use crate::languages::{BoundName, LoadingDifference, NameHolder, submodule};

/// True if code may tell by something else than names that it asks for.
pub(super) fn may_be_told_otherwise(difference: &LoadingDifference, sides: &[LoadedSide<'_>; 2]) -> bool {
    let looks = sides.iter().flat_map(LoadedSide::all).any(|names| {
        names.is_dynamic
            || difference.has_other_annotations && names.reads_annotations
            || difference.has_other_members_order && names.makes_classes
    });
    let is_loaded_anyway = |module: &str| sides.iter().all(|side| side.loads_anyway(module));
    let is_no_other_module = |(module, name): &(String, String)| {
        let taken = submodule(module, name);
        !sides.iter().any(|side| side.may_have(&taken)) || is_loaded_anyway(&taken)
    };
    // Of what modules of the language have, only what it is can matter.
    let is_known =
        |ways: &[String; 2]| is_one_module(ways, sides) || ways.iter().all(|module| sides[0].is_standard(module));
    looks
        || !difference.retaken.values().all(is_known)
        || !(difference.silent_classes.iter()).all(|class| sides.iter().all(|side| side.is_silent_class(class)))
        || !difference.modules.iter().all(|module| is_loaded_anyway(module))
        || !difference.taken.iter().all(is_no_other_module)
        || !sides.iter().all(|side| side.only_bind(&difference.reordered))
}

/// The names, if code can tell in no other way. `None` if code asks for them that is not followed.
pub(super) fn telling_names(
    difference: &LoadingDifference,
    sides: &[LoadedSide<'_>; 2],
    made_up: &MadeUpNames<'_>,
) -> Option<TellingNames> {
    let [before, after] = sides;
    let retaken = || {
        let others = difference
            .retaken
            .iter()
            .filter(|(_, ways)| !is_one_module(ways, sides));
        others.map(|(bound, _)| bound)
    };
    let of_before = difference.came.iter().chain(retaken()).map(|bound| (before, bound));
    let of_after = difference.went.iter().chain(retaken()).map(|bound| (after, bound));
    let mut told = TellingNames::default();
    for (side, bound) in of_before.chain(of_after) {
        match side.who_asks(bound, made_up) {
            WhoAsks::Nobody => {}
            WhoAsks::Functions => {
                told.names.insert(bound.name.clone());
            }
            WhoAsks::Others => return None,
        }
    }
    let is_followed = |bound: &BoundName| {
        sides
            .iter()
            .all(|side| side.who_asks(bound, made_up) != WhoAsks::Others)
    };
    if !difference.rebound.iter().chain(&difference.classes).all(is_followed) {
        return None;
    }
    let is_of_module = |bound: &BoundName| bound.holder != NameHolder::Class;
    let mut others = (difference.came.iter())
        .chain(&difference.went)
        .chain(&difference.rebound);
    let is_listed_otherwise = difference.has_other_order || others.any(is_of_module);
    for side in sides {
        if is_listed_otherwise {
            told.names.extend(side.listing_words()?);
        }
        told.read.extend(side.reading_words(&difference.of_definitions)?);
    }
    told.values_of = difference.classes.iter().map(|class| class.name.clone()).collect();
    Some(told)
}

/// True if the two sides write one module of the package that the source is in, in two ways: the modules of a package that is being
/// loaded are found in it, by whatever name.
fn is_one_module(ways: &[String; 2], sides: &[LoadedSide<'_>; 2]) -> bool {
    let [before, after] = [0, 1].map(|side: usize| sides[side].in_own_package(&ways[side]));
    before.is_some() && before == after
}
