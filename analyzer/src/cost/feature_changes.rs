//! A feature that builds turn on or off by themselves → the cost of the code that asks for it, or of the package that gets it.

use memchr::memmem;

use crate::cost::exposure::{ExposedCost, everything, spent_in};
use crate::cost::{ChangeClass, ScoringContext};
use crate::sample::IndexedProfile;
use crate::sources::folder_of;

/// The cost at risk where a manifest turns on or off a feature of its package: `fast`, or `zlib/fast` of another one. `None` if
/// no code in reach asks for it.
pub(super) fn exposure_of_feature(
    feature: &str,
    manifest: &str,
    scene: &ScoringContext<'_>,
    profile: &IndexedProfile,
) -> Option<(ChangeClass, ExposedCost)> {
    let (package, name) = match feature.split_once('/') {
        Some((package, name)) => (Some(package.trim_end_matches('?')), name),
        None => (None, feature),
    };
    let folder = match package {
        // It may be a package of this repository, in any folder.
        Some(_) => "",
        None => folder_of(manifest),
    };
    if is_asked_for(name, folder, scene) {
        return Some((ChangeClass::Redefined, everything(profile)));
    }
    let spent = spent_in(package?, profile);
    (spent.cost > 0.0).then_some((ChangeClass::ReplacedDependency, spent))
}

/// True if a source below a folder that benchmarks may be compiled from asks for a feature, before the change or after it. Code
/// that a condition leaves out is not executed, and nor is the declaration of a module: any such source counts.
fn is_asked_for(feature: &str, folder: &str, scene: &ScoringContext<'_>) -> bool {
    let literal = format!("\"{feature}\"");
    let finder = memmem::Finder::new(literal.as_bytes());
    let is_below =
        |path: &str| folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    let scanned = scene.scanned_files();
    let mut files = scanned
        .files
        .iter()
        .filter(|file| file.is_compiled && is_below(&file.path));
    // Where not all were read, another may ask for it.
    !scanned.is_complete
        || files.any(|file| {
            let after = scene.texts_of(&file.path).map(|(_, after)| after);
            finder.find(&file.bytes).is_some() || after.is_some_and(|text| finder.find(text).is_some())
        })
}
