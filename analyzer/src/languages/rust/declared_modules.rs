//! A Rust file → where the modules may be that it declares, and a path → where its crate may start. Looks at lines, not
//! at the syntax: a wrong guess names a file that does not exist.

/// The roots of the crates that a path may belong to.
pub(super) fn entry_points(path: &str) -> Vec<String> {
    let Some((package, _)) = path.rsplit_once("src/") else {
        return Vec::new();
    };
    ["lib.rs", "main.rs"].map(|root| format!("{package}src/{root}")).into()
}

/// The files that may hold the modules that a file declares (`mod name;`).
pub(super) fn declared_files(path: &str, bytes: &[u8]) -> Vec<String> {
    let Some(stem) = path.strip_suffix(".rs") else {
        return Vec::new();
    };
    let (folder, name) = stem.rsplit_once('/').unwrap_or(("", stem));
    let folder = match name {
        "lib" | "main" | "mod" => folder.to_owned(),
        _ => stem.to_owned(),
    };
    let text = String::from_utf8_lossy(bytes);
    text.lines()
        .filter_map(|line| {
            let line = line.trim();
            let declared = line
                .strip_prefix("mod ")
                .or_else(|| line.split_once(" mod ").map(|(_, declared)| declared))?;
            declared.split_once(';').map(|(name, _)| name.trim())
        })
        .flat_map(|name| [format!("{folder}/{name}.rs"), format!("{folder}/{name}/mod.rs")])
        .map(|path| path.trim_start_matches('/').to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_looked_for_where_their_declarations_put_them() {
        let text = b"pub mod a;\n    mod b;\nmod inline { }\n#[cfg(x)] pub(crate) mod c;\n";
        assert_eq!(
            declared_files("src/lib.rs", text),
            [
                "src/a.rs",
                "src/a/mod.rs",
                "src/b.rs",
                "src/b/mod.rs",
                "src/c.rs",
                "src/c/mod.rs"
            ]
        );
        assert_eq!(
            declared_files("src/x/y.rs", b"mod z;"),
            ["src/x/y/z.rs", "src/x/y/z/mod.rs"]
        );
        assert_eq!(declared_files("m.py", b"mod z;"), Vec::<String>::new());
    }

    #[test]
    fn a_crate_starts_at_the_root_of_the_nearest_source_folder() {
        assert_eq!(
            entry_points("crates/a/src/m.rs"),
            ["crates/a/src/lib.rs", "crates/a/src/main.rs"]
        );
        assert_eq!(entry_points("benches/m.rs"), Vec::<String>::new());
    }
}
