//! Writing stubs: new files, and lines inserted into files that list what there is.

use std::fs;

use crate::root;

/// A name as it is typed: small letters, digits and hyphens, beginning with a letter.
pub(super) fn check_name(name: &str) -> Result<(), String> {
    let is_plain = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    is_plain.then_some(()).ok_or_else(|| {
        format!(
            "new: `{name}`: a name has small letters, digits and hyphens, and begins with a letter; choose such a name"
        )
    })
}

/// `google-benchmark` → `google_benchmark`, as modules and serialized names are written.
pub(super) fn snake_case(name: &str) -> String {
    name.replace('-', "_")
}

/// `google-benchmark` → `GoogleBenchmark`, as types are written.
pub(super) fn camel_case(name: &str) -> String {
    name.split('-')
        .map(|word| word[..1].to_uppercase() + &word[1..])
        .collect()
}

/// Writes a new file; its folders are made.
pub(super) fn create_file(path: &str, text: &str) -> Result<(), String> {
    let file = root().join(path);
    if file.exists() {
        return Err(format!("new: {path}: it exists already; choose another name"));
    }
    let failed = |error: std::io::Error| format!("new: writing {path}: {error}");
    if let Some(folder) = file.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    fs::write(&file, text).map_err(failed)?;
    println!("wrote    {path}");
    Ok(())
}

/// Inserts text before the first occurrence of `marker` in a file.
pub(super) fn insert_before(path: &str, marker: &str, text: &str) -> Result<(), String> {
    let file = root().join(path);
    let old = fs::read_to_string(&file).map_err(|error| format!("new: reading {path}: {error}"))?;
    let at = old
        .find(marker)
        .ok_or_else(|| format!("new: {path}: it has no `{}`; mend this command", marker.trim()))?;
    let new = format!("{}{text}{}", &old[..at], &old[at..]);
    fs::write(&file, new).map_err(|error| format!("new: writing {path}: {error}"))?;
    println!("extended {path}");
    Ok(())
}
