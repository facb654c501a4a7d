//! A source of a package of procedural macros → the names of its macros.
//!
//! Such a package runs inside the compiler: no benchmark executes it, and what it changes is the code that it writes
//! where one of its macros is named.

use std::collections::BTreeSet;

use crate::sources::FileSource;

/// The macros of the package that a source belongs to; `None` if that package has none, and for what the package does
/// not compile its macros from. `trees` are both versions.
pub(super) fn macros_written_for_others(path: &str, trees: [&dyn FileSource; 2]) -> Option<BTreeSet<String>> {
    let roots: Vec<(String, &dyn FileSource)> = trees
        .into_iter()
        .filter_map(|tree| Some((macro_root(path, tree)?, tree)))
        .collect();
    (!roots.is_empty()).then(|| {
        (roots.iter())
            .filter_map(|(root, tree)| text(*tree, root))
            .flat_map(|source| exported(&source))
            .collect()
    })
}

/// The macros of the package in a folder, which ends in a slash unless it is the root; `None` if it has none.
pub(super) fn macros_of_package(
    folder: &str,
    manifest: &toml::Table,
    tree: &dyn FileSource,
) -> Option<BTreeSet<String>> {
    let library = manifest.get("lib")?;
    let root = format!("{folder}{}", root_of(library));
    is_of_macros(library).then(|| text(tree, &root).map_or_else(BTreeSet::new, |source| exported(&source)))
}

fn is_of_macros(library: &toml::Value) -> bool {
    let is_set = |key: &str| library.get(key).and_then(toml::Value::as_bool) == Some(true);
    is_set("proc-macro") || is_set("proc_macro")
}

/// The root of a library, below the folder of its package.
fn root_of(library: &toml::Value) -> &str {
    let path = library.get("path").and_then(toml::Value::as_str);
    path.unwrap_or("src/lib.rs")
}

/// The root of the crate of procedural macros that a source may belong to.
fn macro_root(path: &str, tree: &dyn FileSource) -> Option<String> {
    let mut folder = path;
    loop {
        folder = folder.rsplit_once('/').map_or("", |(parent, _)| parent);
        let join = |name: &str| match folder {
            "" => name.to_owned(),
            _ => format!("{folder}/{name}"),
        };
        let manifest = text(tree, &join("Cargo.toml")).and_then(|text| toml::from_str::<toml::Table>(&text).ok());
        if let Some(manifest) = manifest.filter(|manifest| manifest.contains_key("package")) {
            let library = manifest.get("lib")?;
            let root = root_of(library);
            let below = path.strip_prefix(folder)?.trim_start_matches('/');
            let sources = root.rsplit_once('/').map_or("", |(sources, _)| sources);
            return (is_of_macros(library) && below.starts_with(sources)).then(|| join(root));
        }
        if folder.is_empty() {
            return None;
        }
    }
}

/// The names under which a crate's root exports macros: that of the function, and for a derive the one it states.
fn exported(source: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let mut is_macro = false;
    for line in source.lines().map(str::trim) {
        if let Some((_, derive)) = line.split_once("#[proc_macro_derive(") {
            names.extend(first_name(derive));
        } else if line.contains("#[proc_macro]") || line.contains("#[proc_macro_attribute]") {
            is_macro = true;
        }
        if let (true, Some((_, function))) = (is_macro, line.split_once("fn ")) {
            names.extend(first_name(function));
            is_macro = false;
        }
    }
    names
}

fn first_name(text: &str) -> Option<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let name: String = text
        .trim_start()
        .chars()
        .take_while(|&letter| is_part(letter))
        .collect();
    (!name.is_empty()).then_some(name)
}

fn text(tree: &dyn FileSource, path: &str) -> Option<String> {
    let bytes = tree.bytes(path)?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::TestFiles;

    const ROOT: &str = "\
#[proc_macro]
pub fn rounds(input: TokenStream) -> TokenStream { parse(input) }

#[proc_macro_derive(Record, attributes(field))]
pub fn derive_record(input: TokenStream) -> TokenStream { parse(input) }

#[proc_macro_attribute]
#[doc(hidden)]
pub fn traced(_: TokenStream, item: TokenStream) -> TokenStream { item }

fn parse(input: TokenStream) -> TokenStream { input }
";

    fn macros(manifest: &'static str, path: &str) -> Option<Vec<String>> {
        let files = TestFiles(vec![
            ("Cargo.toml", "[package]\nname = \"whole\""),
            ("macros/Cargo.toml", manifest),
            ("macros/src/lib.rs", ROOT),
        ]);
        macros_written_for_others(path, [&files, &files]).map(|names| names.into_iter().collect())
    }

    #[test]
    fn a_source_of_procedural_macros_stands_for_all_macros_of_its_package() {
        let manifest = "[package]\nname = \"macros\"\n[lib]\nproc-macro = true";
        let names = ["Record", "rounds", "traced"].map(String::from).to_vec();
        assert_eq!(macros(manifest, "macros/src/parse/deep.rs"), Some(names));
        assert_eq!(macros(manifest, "macros/tests/all.rs"), None);
        assert_eq!(macros(manifest, "src/lib.rs"), None);
    }

    #[test]
    fn other_libraries_write_nothing_for_others() {
        assert_eq!(
            macros("[package]\nname = \"macros\"\n[lib]\nname = \"m\"", "macros/src/lib.rs"),
            None
        );
    }
}
