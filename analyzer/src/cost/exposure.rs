//! How much of a benchmark's cost is at risk from a change that has no place of its own in the execution: a constant, a
//! type, a macro, a dependency, a build setting, a file that cannot be analysed.
//!
//! The functions that use a name are found in the sources of the version before.

use std::collections::BTreeSet;

use profile::ProfileFunctionId;

use super::feature_changes::exposure_of_feature;
use super::input_exposure::exposure_of_input;
use super::name_reach::{
    CarryingName, cost_decided_by, cost_reached_by, cost_reached_by_value, defining_files, functions_in_scope,
    functions_naming, has_no_value_of, is_written, is_written_between_definitions,
};
use crate::change::{ChangeKind, ChangeSubject, ItemEffect, ItemPresence, SourceChange, VersionStep};
use crate::cost::{ChangeClass, ScoringContext};
use crate::languages::{FOR_PEOPLE, follows_declarations};
use crate::sample::IndexedProfile;
use crate::sources::{FileSource, SourceContent};
use crate::syntax::{ItemKind, SourceFile, SyntaxFunction, SyntaxItem};
use crate::text_search::lines_naming;

/// The cost in one benchmark that a change without a place puts at risk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ExposedCost {
    /// Calls of the affected functions.
    pub calls: u64,
    /// The cost at risk, in the profile's unit, at most the total.
    pub cost: f64,
}

impl ExposedCost {
    /// Sums the cost of functions, with or without that of their callees.
    pub(super) fn of(ids: &[ProfileFunctionId], profile: &IndexedProfile, called: CalleeInclusion) -> Self {
        let (mut calls, mut cost, mut dearest) = (0, 0, 0);
        for &id in ids {
            let function = profile.profile().function(id);
            calls += function.calls;
            cost += function.self_cost;
            dearest = dearest.max(function.inclusive);
            if called == CalleeInclusion::Libraries {
                cost += profile
                    .sites(id)
                    .filter(|site| profile.profile().function(site.callee).external)
                    .map(|site| site.inclusive)
                    .sum::<u64>();
            }
        }
        if called == CalleeInclusion::All {
            // One often calls the other: their sum would count the shared cost twice.
            cost = cost.max(dearest);
        }
        Self {
            calls,
            cost: (cost as f64).min(profile.total()),
        }
    }
}

/// True if a word is a primitive type, which may implement the project's traits.
fn is_primitive(word: &str) -> bool {
    let is_number = word.len() > 1 && word[1..].bytes().all(|byte| byte.is_ascii_digit());
    matches!(word, "str" | "char" | "bool" | "usize" | "isize") || (is_number && word.starts_with(['u', 'i', 'f']))
}

/// Which calls of a function count towards its cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CalleeInclusion {
    None,
    Libraries,
    All,
}

/// The cost at risk from a changed item, dependency or setting, and its class. A build setting has a weight of its own
/// (`config/costs/model.toml`). Nothing for a change in a function.
#[must_use]
pub(super) fn exposures_of_change(
    change: &SourceChange,
    scene: &ScoringContext<'_>,
    profile: &IndexedProfile,
) -> Vec<(ChangeClass, ExposedCost)> {
    let reached_by = |word: &str| cost_reached_by(&CarryingName::free(word), scene, profile);
    let touched = match &change.subject {
        ChangeSubject::Function(_) => return Vec::new(),
        ChangeSubject::Item { .. } | ChangeSubject::Dependency { .. }
            if scene.scanned_files().is_left_out(&change.file) =>
        {
            return Vec::new();
        }
        // A build script sets it for the code that names it.
        ChangeSubject::Item { name, .. } if change.kind == ChangeKind::BuildSetting => {
            let reached = match is_written_between_definitions(name, scene) {
                true => everything(profile),
                false => reached_by(name),
            };
            (ChangeClass::Value, reached)
        }
        ChangeSubject::Item { .. } if change.kind == ChangeKind::Attribute => {
            (ChangeClass::FileAttribute, everything(profile))
        }
        ChangeSubject::Item {
            name,
            effect: ItemEffect::Shadowing | ItemEffect::Overriding,
            ..
        } if has_no_value_of(owner_and_name(name).0, scene, profile) => return Vec::new(),
        ChangeSubject::Item {
            name,
            effect: ItemEffect::Shadowing,
            ..
        } => (ChangeClass::Redefined, calls_shadowed_by(name, scene, profile)),
        ChangeSubject::Item {
            name,
            effect: ItemEffect::Overriding,
            ..
        } => (ChangeClass::Redefined, calls_overridden_by(name, scene, profile)),
        // Code that has a value of the type may write none of its names.
        ChangeSubject::Item { .. } if !follows_declarations(&change.file) => (ChangeClass::Type, everything(profile)),
        ChangeSubject::Item {
            name, presence, effect, ..
        } => {
            let word = crate::sample::last_segment(name);
            // Any name may be one of a glob that others see.
            if word == "*" && *effect == ItemEffect::Redefinition {
                return vec![(ChangeClass::Redefined, everything(profile))];
            }
            let (class, called) = match change.kind {
                ChangeKind::Constant => (ChangeClass::Constant, CalleeInclusion::None),
                ChangeKind::Macro => (ChangeClass::Macro, CalleeInclusion::None),
                // Types start with a capital: this imports something else. A compiler attribute on one function (a
                // hint, for example) also decides how the code inlined into it is compiled.
                _ if word.starts_with(|first: char| first.is_lowercase()) && !is_primitive(word) => {
                    (ChangeClass::ImportedFunction, CalleeInclusion::All)
                }
                _ if *presence != ItemPresence::Kept => (ChangeClass::Implementation, CalleeInclusion::Libraries),
                ChangeKind::CallAddition
                | ChangeKind::CallDeletion
                | ChangeKind::CallSwap
                | ChangeKind::CompleteChange
                | ChangeKind::LoopAddition
                | ChangeKind::LoopDeletion
                | ChangeKind::FieldValue
                | ChangeKind::ConditionalAddition
                | ChangeKind::ConditionalDeletion
                | ChangeKind::ConditionExpression
                | ChangeKind::CallScope
                | ChangeKind::Parameter
                | ChangeKind::Operation
                | ChangeKind::Attribute
                | ChangeKind::Type
                | ChangeKind::Dependency
                | ChangeKind::BuildSetting => (ChangeClass::Type, CalleeInclusion::Libraries),
            };
            let is_macro = change.kind == ChangeKind::Macro && word.starts_with(char::is_lowercase);
            let name = match effect {
                _ if is_macro => CarryingName::of_macro(word),
                ItemEffect::LocalRedefinition | ItemEffect::ScopeRedefinition => {
                    CarryingName::imported_by(&change.file, word)
                }
                ItemEffect::Layout
                | ItemEffect::Value
                | ItemEffect::Redefinition
                | ItemEffect::Shadowing
                | ItemEffect::Overriding => CarryingName::free(word),
            };
            let named = functions_naming(&name, scene, profile);
            let recompiled = (class, ExposedCost::of(&named, profile, called));
            let meant = match effect {
                ItemEffect::Layout | ItemEffect::Shadowing | ItemEffect::Overriding => return vec![recompiled],
                ItemEffect::Value => ChangeClass::Value,
                ItemEffect::Redefinition | ItemEffect::LocalRedefinition | ItemEffect::ScopeRedefinition => {
                    ChangeClass::Redefined
                }
            };
            // A trait is imported for its methods.
            let may_be_unwritten = match effect {
                ItemEffect::ScopeRedefinition => true,
                ItemEffect::LocalRedefinition => *presence == ItemPresence::Kept && !is_written(&name, scene),
                ItemEffect::Layout
                | ItemEffect::Value
                | ItemEffect::Redefinition
                | ItemEffect::Overriding
                | ItemEffect::Shadowing => false,
            };
            let unwritten = match may_be_unwritten {
                true => functions_in_scope((&change.file, word), scene, profile),
                false => Vec::new(),
            };
            let reached = cost_reached_by_value(&name, unwritten, scene, profile);
            let part = (*effect == ItemEffect::Value).then(|| scene.part_of_entries_that_differs(&change.file, word));
            return match part.flatten() {
                // A table is loaded by code that stays as it is.
                Some(part) => vec![(
                    meant,
                    ExposedCost {
                        cost: reached.cost * part,
                        ..reached
                    },
                )],
                None => vec![recompiled, (meant, reached)],
            };
        }
        ChangeSubject::Data { file, dependents } => {
            let exposed = exposure_of_input(file, dependents.as_deref(), scene, profile);
            (ChangeClass::Input, exposed)
        }
        ChangeSubject::Dependency { package, step } => {
            let exposure = match came_after_the_sample(package, &change.file, scene) {
                true => spent_where_named(package, scene, profile),
                false => spent_in(package, profile),
            };
            // The functions of a package in this repository are the project's own.
            let is_own = || exposure.cost <= 0.0 && *step == VersionStep::Incompatible;
            let exposure = match is_own() && is_in_a_folder(package, &change.file, scene) {
                true => reached_by(&package.replace('-', "_")),
                false => exposure,
            };
            let class = match step {
                VersionStep::Compatible => ChangeClass::Dependency,
                VersionStep::Incompatible => ChangeClass::ReplacedDependency,
            };
            (class, exposure)
        }
        ChangeSubject::Build { setting } if setting.starts_with("env.") => {
            let variable = setting.trim_start_matches("env.").split('.').next().unwrap_or(setting);
            (ChangeClass::Value, reached_by(variable))
        }
        ChangeSubject::Build { setting } => {
            let everything = everything(profile);
            let weighed = ExposedCost {
                cost: everything.cost * scene.costs.build_setting(setting),
                ..everything
            };
            let feature = setting.strip_prefix("features.");
            let asked = feature.and_then(|feature| exposure_of_feature(feature, &change.file, scene, profile));
            match scene.costs.is_of_optimisation(setting) {
                true => (ChangeClass::Optimisation, everything),
                false => asked.unwrap_or((ChangeClass::BuildSetting, weighed)),
            }
        }
    };
    vec![touched]
}

/// True if one of these functions is executed only by the set-up: the subject works with what it leaves behind.
pub(super) fn has_set_up(ids: &[ProfileFunctionId], profile: &IndexedProfile) -> bool {
    (ids.iter()).any(|&id| profile.profile().function(id).is_of_set_up())
}

pub(super) fn everything(profile: &IndexedProfile) -> ExposedCost {
    ExposedCost {
        calls: 1,
        cost: profile.total(),
    }
}

/// The cost that the benchmark spends in the functions of a file.
#[must_use]
pub(super) fn exposure_of_file(file: &str, profile: &IndexedProfile) -> ExposedCost {
    ExposedCost::of(&functions_of_file(file, profile), profile, CalleeInclusion::Libraries)
}

/// The cost that is at risk where the functions of a file get other values, types or code.
#[must_use]
pub(super) fn cost_decided_by_file(file: &str, profile: &IndexedProfile) -> ExposedCost {
    cost_decided_by(functions_of_file(file, profile), profile)
}

fn functions_of_file(file: &str, profile: &IndexedProfile) -> Vec<ProfileFunctionId> {
    profile
        .declared(file, 0, u32::MAX)
        .chain(profile.closures(file, 0, u32::MAX))
        .collect()
}

/// True if the version before depends on a package that the sampled version did not depend on yet: the cost spent in it
/// is not in the profile. Reads manifests only; a lock file also lists the packages that a package's tests need.
fn came_after_the_sample(package: &str, manifest: &str, scene: &ScoringContext<'_>) -> bool {
    if !manifest.ends_with("Cargo.toml") {
        return false;
    }
    let names = |tree: &dyn FileSource| {
        let bytes = tree.bytes(manifest);
        bytes.is_some_and(|bytes| !lines_naming(&bytes, package).is_empty())
    };
    names(scene.before.tree) && !names(scene.sample.tree.as_ref())
}

/// True if a manifest names the folder of a package, before the change. A lock file names none.
fn is_in_a_folder(package: &str, manifest: &str, scene: &ScoringContext<'_>) -> bool {
    let bytes = scene.before.tree.bytes(manifest);
    let Some(bytes) = bytes.filter(|_| manifest.ends_with("Cargo.toml")) else {
        return false;
    };
    let folders = lines_naming(&bytes, "path");
    // On the line of the package, or on one of the next of its table.
    (lines_naming(&bytes, package).iter()).any(|line| folders.iter().any(|folder| (*line..line + 4).contains(folder)))
}

/// The sampled cost in the files that name a package's crate before the change, and in sampled files that no longer
/// exist: this cost may now be spent in the package.
fn spent_where_named(package: &str, scene: &ScoringContext<'_>, profile: &IndexedProfile) -> ExposedCost {
    let crate_name = package.replace('-', "_");
    let names_it = |file: &&str| match scene.before.tree.file(file).map(|blob| blob.content) {
        Some(SourceContent::Bytes(bytes)) => !lines_naming(&bytes, &crate_name).is_empty(),
        Some(_) => false,
        None => true,
    };
    let spent = profile
        .files()
        .filter(names_it)
        .map(|file| exposure_of_file(file, profile));
    let sum = spent.fold((0, 0.0), |(calls, cost), one| (calls + one.calls, cost + one.cost));
    ExposedCost {
        calls: sum.0,
        cost: sum.1.min(profile.total()),
    }
}

/// The cost that the benchmark spends in a package and in the functions that the package calls. External files start
/// with the package's folder, `memchr-2.7.4/src/lib.rs`.
pub(super) fn spent_in(package: &str, profile: &IndexedProfile) -> ExposedCost {
    let is_of_package = |file: &str| {
        file.strip_prefix(package)
            .and_then(|rest| rest.strip_prefix('-'))
            .is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()))
    };
    let is_in = |id: ProfileFunctionId| {
        let function = profile.profile().function(id);
        let file = function.file.map(|file| profile.profile().file(file));
        function.external && file.is_some_and(is_of_package)
    };
    let ids = || (0..profile.profile().functions.len()).filter_map(|at| u32::try_from(at).ok());
    let (mut calls, mut own, mut entered) = (0, 0, 0);
    for id in ids().map(ProfileFunctionId) {
        if is_in(id) {
            let function = profile.profile().function(id);
            calls += function.calls;
            own += function.self_cost;
        } else {
            let into = profile.sites(id).filter(|site| is_in(site.callee));
            entered += into.map(|site| site.inclusive).sum::<u64>();
        }
    }
    ExposedCost {
        calls,
        // The callers may be unknown; then at least its self cost is known.
        cost: (own.max(entered) as f64).min(profile.total()),
    }
}

/// The cost of the functions that call a trait's method of the name of a new method, and whose file mentions the new
/// method's type.
fn calls_shadowed_by(method: &str, scene: &ScoringContext<'_>, profile: &IndexedProfile) -> ExposedCost {
    let (owner, name) = owner_and_name(method);
    let named = profile.functions_named(name);
    let is_of_library = defining_files(owner, scene).next().is_none();
    let leads_elsewhere = is_of_library || leads_to_another_type(owner, scene);
    // The trait or the type may be newer than the sample.
    let may_be_unseen = || leads_elsewhere || scene.scanned_files().has_trait_method(name, scene.before.parser);
    if named.is_empty() && may_be_unseen() || is_newer_than_the_sample(owner, scene) {
        // Nothing tells which code has a value of a type that the project does not define.
        let method = match is_of_library {
            true => CarryingName::free(name),
            false => CarryingName::method(owner, name),
        };
        return cost_reached_by(&method, scene, profile);
    }
    if has_set_up(named, profile) {
        return everything(profile);
    }
    let callers = (named.iter())
        .filter(|id| leads_elsewhere || may_be_of_trait(**id, scene, profile))
        .flat_map(|&id| profile.callers(id))
        .map(|site| site.caller);
    cost_of_users(owner, callers.collect(), scene, profile)
}

/// The cost of the functions that call the trait's own method of the name of a new method, themselves or through a
/// library, and whose file mentions the new method's type.
fn calls_overridden_by(method: &str, scene: &ScoringContext<'_>, profile: &IndexedProfile) -> ExposedCost {
    let (owner, name) = owner_and_name(method);
    let new = (scene.changes.pairs.iter())
        .filter_map(|pair| pair.after.as_ref())
        .find(|after| *after.name == *method);
    let of_trait = new.and_then(|new| new.function.of_trait.as_deref()).unwrap_or_default();
    let named = profile.functions_named(name);
    // A compiler that finds the same code twice keeps one of them, under the other's name.
    if (named.is_empty() && !owner.ends_with('!')) || is_newer_than_the_sample(owner, scene) {
        // Libraries call the methods of their own traits; nobody writes the name.
        let is_of_library =
            !FOR_PEOPLE.contains(&of_trait) && !scene.scanned_files().has_trait_method(name, scene.before.parser);
        let name = match is_of_library {
            true => CarryingName::free(owner),
            false => CarryingName::method(owner, name),
        };
        return cost_reached_by(&name, scene, profile);
    }
    if has_set_up(named, profile) {
        return everything(profile);
    }
    let all = profile.profile();
    let mut found: BTreeSet<ProfileFunctionId> = (named.iter().copied())
        .filter(|id| may_be_of_trait(*id, scene, profile))
        .collect();
    let mut waiting: Vec<ProfileFunctionId> = found.iter().copied().collect();
    let mut users = BTreeSet::new();
    while let Some(id) = waiting.pop() {
        for caller in profile.callers(id).map(|site| site.caller) {
            match all.function(caller).external {
                true if found.insert(caller) => waiting.push(caller),
                true => {}
                false => {
                    users.insert(caller);
                }
            }
        }
    }
    cost_of_users(owner, users, scene, profile)
}

fn owner_and_name(method: &str) -> (&str, &str) {
    let mut segments = method.rsplit("::");
    let name = segments.next().unwrap_or(method);
    (segments.next().unwrap_or_default(), name)
}

/// The cost of those functions of the project whose file mentions a type.
fn cost_of_users(
    owner: &str,
    callers: BTreeSet<ProfileFunctionId>,
    scene: &ScoringContext<'_>,
    profile: &IndexedProfile,
) -> ExposedCost {
    let all = profile.profile();
    let knows_owner = |caller: ProfileFunctionId| {
        let file = all.function(caller).file.map(|file| all.file(file));
        // A method that a macro writes may be one of any type.
        owner.ends_with('!') || file.is_some_and(|file| mentions(file, owner, scene))
    };
    let users = callers
        .into_iter()
        .filter(|&caller| !all.function(caller).external && knows_owner(caller));
    ExposedCost::of(&users.collect::<Vec<_>>(), profile, CalleeInclusion::All)
}

/// True if a value of a type of the project stands for one of another type, whose methods code calls on it.
fn leads_to_another_type(of_type: &str, scene: &ScoringContext<'_>) -> bool {
    let head = format!("Deref for {of_type}");
    scene.scanned_files().files.iter().any(|file| {
        let is_head = |item: &SyntaxItem| item.kind == ItemKind::Implementation && item.name == head;
        file.may_hold("Deref") && file.source(scene.before.parser).items.iter().any(is_head)
    })
}

/// True for a method of one of the project's traits, for one that implements a trait, and for an external one, of whose type
/// nothing is known.
fn may_be_of_trait(id: ProfileFunctionId, scene: &ScoringContext<'_>, profile: &IndexedProfile) -> bool {
    let function = profile.profile().function(id);
    let owner = function.name.rsplit("::").nth(1);
    let Some(owner) = owner.filter(|owner| owner.starts_with(char::is_uppercase)) else {
        return false;
    };
    let file = function.file.map(|file| profile.profile().file(file));
    let source = file.and_then(|file| scene.sample.source(file, scene.before.parser));
    // A trait's own method has the name of the type that it runs for, where the compiler knows that type.
    let is_trait = |item: &SyntaxItem| {
        let holds = item.lines.first <= function.line && function.line <= item.lines.last;
        item.kind == ItemKind::Trait && (item.name == owner || holds)
    };
    let implements = |other: &SyntaxFunction| {
        let holds = other.lines.first <= function.line && function.line <= other.lines.last;
        other.of_trait.is_some() && holds
    };
    let is_of_trait = |source: &SourceFile| {
        source.items.iter().any(is_trait) || (source.functions.iter()).any(|other| implements(other))
    };
    function.external || source.is_some_and(|source| is_of_trait(&source))
}

/// True if the version before defines a type that the sampled version did not mention there: calls of its methods are not in
/// the profile.
fn is_newer_than_the_sample(of_type: &str, scene: &ScoringContext<'_>) -> bool {
    let mut defining = defining_files(of_type, scene).peekable();
    defining.peek().is_some() && defining.all(|file| !mentions(&file.path, of_type, scene))
}

/// True if a file of the sampled version mentions a word.
fn mentions(path: &str, word: &str, scene: &ScoringContext<'_>) -> bool {
    let bytes = scene.sample.tree.bytes(path);
    bytes.is_some_and(|bytes| !lines_naming(&bytes, word).is_empty())
}
