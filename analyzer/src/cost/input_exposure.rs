//! A changed file that is read as a whole, and who depends on it by the records → the cost of a benchmark at risk.

use std::collections::BTreeSet;

use profile::ProfileFunctionId;
use profile::inputs::{CompilationUnit, UnitKind};

use super::exposure::{CalleeInclusion, ExposedCost, everything, exposure_of_file};
use super::name_reach::{CarryingName, cost_of_readers, cost_reached_by};
use crate::change::{InputDependents, TellingNames};
use crate::cost::ScoringContext;
use crate::sample::IndexedProfile;
use crate::text_search::{FileMention, mention_of_file};

/// The cost at risk in one benchmark. What the benchmark reads when it runs decides all that it does; what is compiled
/// in, the code that mentions it.
pub(super) fn exposure_of_input(
    file: &str,
    dependents: Option<&InputDependents>,
    scene: &ScoringContext<'_>,
    profile: &IndexedProfile,
) -> ExposedCost {
    let benchmark = &*profile.profile().benchmark;
    let record = scene
        .sample
        .inputs
        .of(benchmark)
        .filter(|record| record.compiled.is_complete);
    let (Some(dependents), Some(record)) = (dependents, record) else {
        return by_name(file, scene, profile);
    };
    if dependents.read_by.contains(benchmark) {
        return match dependents.told_by.get(benchmark) {
            Some(names) => told_by(names, scene, profile),
            None => everything(profile),
        };
    }
    let units: Vec<&CompilationUnit> = record.compiled.units_with(file).collect();
    // A script, or what one reads: nobody knows what it decides.
    if units.iter().any(|unit| unit.kind.is_of_a_command()) {
        return everything(profile);
    }
    let exposed = match dependents.compiled_into.is_empty() || units.is_empty() {
        true => NOTHING,
        false => compiled_in(file, &units, &record.compiled.units, (scene, profile)),
    };
    match dependents.unsettled.contains(benchmark) {
        true => larger(exposed, by_name(file, scene, profile)),
        false => exposed,
    }
}

/// The cost of the code that can tell. The code of two names may be the same, which counts twice.
fn told_by(telling: &TellingNames, scene: &ScoringContext<'_>, profile: &IndexedProfile) -> ExposedCost {
    let reached = |name: &String| cost_reached_by(&CarryingName::free(name), scene, profile);
    if telling.values_of.iter().any(|class| reached(class).cost > 0.0) {
        return everything(profile);
    }
    let read = telling.read.iter().map(|word| cost_of_readers(word, scene, profile));
    (telling.names.iter().map(reached).chain(read)).fold(NOTHING, |sum, one| ExposedCost {
        calls: sum.calls + one.calls,
        cost: (sum.cost + one.cost).min(profile.total()),
    })
}

const NOTHING: ExposedCost = ExposedCost { calls: 0, cost: 0.0 };

/// Without a record: the functions that write the file's name, and those that stand in it.
fn by_name(file: &str, scene: &ScoringContext<'_>, profile: &IndexedProfile) -> ExposedCost {
    let name = CarryingName::free(file.rsplit('/').next().unwrap_or(file));
    larger(inside(file, profile), cost_reached_by(&name, scene, profile))
}

/// Code that is compiled in from a file of any name.
fn inside(file: &str, profile: &IndexedProfile) -> ExposedCost {
    let ids: Vec<ProfileFunctionId> = profile.declared(file, 0, u32::MAX).collect();
    ExposedCost::of(&ids, profile, CalleeInclusion::All)
}

/// A file among the inputs of these units, of all units of a program.
fn compiled_in(
    file: &str,
    units: &[&CompilationUnit],
    all: &[CompilationUnit],
    (scene, profile): (&ScoringContext<'_>, &IndexedProfile),
) -> ExposedCost {
    let name = file.rsplit('/').next().unwrap_or(file);
    let sources: BTreeSet<&String> = units.iter().flat_map(|unit| &unit.files).collect();
    let mentions = sources.into_iter().filter_map(|source| scene.before.tree.bytes(source));
    let strongest = mentions.map(|text| mention_of_file(&text, name)).max();
    let runs_in_the_build = |unit: &&CompilationUnit| match unit.kind {
        UnitKind::BuildScript | UnitKind::ProceduralMacro | UnitKind::Command | UnitKind::LookedAt | UnitKind::Tool => {
            true
        }
        UnitKind::Library | UnitKind::Program => false,
    };
    let linked: Vec<&CompilationUnit> = units.iter().copied().filter(|unit| !runs_in_the_build(unit)).collect();
    let used_by_the_code = match strongest.unwrap_or(FileMention::None) {
        _ if linked.is_empty() => NOTHING,
        FileMention::Documentation => NOTHING,
        FileMention::Code => cost_reached_by(&CarryingName::free(name), scene, profile),
        FileMention::None => share_of_packages(&linked, all, profile),
    };
    // A build script writes for its package, a procedural macro for whoever names it.
    let scripts: Vec<&CompilationUnit> = (units.iter().copied())
        .filter(|unit| unit.kind == UnitKind::BuildScript)
        .collect();
    let used_by_the_build = match units.iter().any(|unit| unit.kind == UnitKind::ProceduralMacro) {
        true => share_of_packages(&all.iter().collect::<Vec<_>>(), all, profile),
        false => share_of_packages(&scripts, all, profile),
    };
    [inside(file, profile), used_by_the_build]
        .into_iter()
        .fold(used_by_the_code, larger)
}

/// The cost of everything that the packages of these units compile.
fn share_of_packages(units: &[&CompilationUnit], all: &[CompilationUnit], profile: &IndexedProfile) -> ExposedCost {
    let packages: BTreeSet<&str> = units.iter().map(|unit| &*unit.package).collect();
    let of_packages = all.iter().filter(|unit| packages.contains(&*unit.package));
    let files: BTreeSet<&String> = of_packages.flat_map(|unit| &unit.files).collect();
    let sum = files.into_iter().map(|file| exposure_of_file(file, profile));
    let sum = sum.fold(NOTHING, |sum, one| ExposedCost {
        calls: sum.calls + one.calls,
        cost: sum.cost + one.cost,
    });
    ExposedCost {
        cost: sum.cost.min(profile.total()),
        ..sum
    }
}

fn larger(one: ExposedCost, other: ExposedCost) -> ExposedCost {
    if other.cost > one.cost { other } else { one }
}
