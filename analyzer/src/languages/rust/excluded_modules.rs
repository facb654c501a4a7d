//! Source files whose module no measured build has: for tests, or for other machines. Their parents' declarations say so.

use crate::sources::FileSource;
use crate::syntax::{ItemKind, ParseCache};

/// True if the module that a Rust file is, or one around it, is declared for other builds only. A file that nothing
/// declares is taken to be built.
pub(super) fn is_excluded_from_build(path: &str, tree: &dyn FileSource, parser: &ParseCache) -> bool {
    let Some((module, candidates)) = parents(path) else {
        return false;
    };
    let parent = candidates
        .into_iter()
        .find_map(|parent| Some((tree.file(&parent)?, parent)));
    let Some((blob, parent)) = parent else {
        return false;
    };
    let source = parser.get(&parent, &blob);
    let declarations = || {
        let modules = source.items.iter().filter(|item| item.kind == ItemKind::Module);
        modules.filter(|item| item.name == module)
    };
    let is_declared_elsewhere = declarations().next().is_some() && declarations().all(|item| item.test_only);
    is_declared_elsewhere || is_excluded_from_build(&parent, tree, parser)
}

/// The module that a file is, and the files that may declare it. `None` for the root of a crate.
fn parents(path: &str) -> Option<(&str, Vec<String>)> {
    let (folder, file) = path.rsplit_once('/')?;
    let (folder, module) = match file.strip_suffix(".rs")? {
        "lib" | "main" => return None,
        "mod" => folder.rsplit_once('/')?,
        module => (folder, module),
    };
    let files = ["mod.rs", "lib.rs", "main.rs"].map(|file| format!("{folder}/{file}"));
    Some((module, files.into_iter().chain([format!("{folder}.rs")]).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::TestFiles;

    #[test]
    fn a_module_for_tests_or_other_machines_is_left_out_with_all_below_it() {
        let tree = TestFiles(vec![
            (
                "src/lib.rs",
                "mod simd; #[cfg(test)] mod checks; #[cfg(target_arch = \"mos\")] mod old; \
                 #[cfg(feature = \"a\")] mod maybe; #[cfg(test)] #[path = \"x.rs\"] mod twice; mod twice;",
            ),
            ("src/simd/mod.rs", "#[cfg(target_arch = \"mos\")] mod neon; mod table;"),
            ("src/old.rs", "mod inner;"),
        ]);
        let answers = [
            ("src/checks.rs", true),
            ("src/simd/neon.rs", true),
            ("src/old/inner.rs", true),
            ("src/simd/table.rs", false),
            ("src/maybe.rs", false),
            ("src/twice.rs", false),
            ("src/undeclared.rs", false),
            ("src/lib.rs", false),
            ("build.rs", false),
        ];
        for (path, expected) in answers {
            let found = is_excluded_from_build(path, &tree, &ParseCache::default());
            assert_eq!(found, expected, "{path}");
        }
    }
}
