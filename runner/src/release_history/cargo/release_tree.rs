//! An archive of cargo → a git tree of the published sources, without the files that cargo adds when it packages or unpacks, and
//! a manifest that names only what was published.

use std::collections::BTreeSet;
use std::path::Path;

use super::unpublished::{UnpublishedPart, without_unpublished};
use crate::release_history::ReleaseTree;
use crate::release_history::archive::index_of_files;

/// Files added by cargo: the manifest before it was normalised (the normalised one builds on its own), the source
/// revision, and the marker of a finished unpacking.
const ADDED_BY_CARGO: [&[u8]; 3] = [b"Cargo.toml.orig", b".cargo_vcs_info.json", b".cargo-ok"];

/// Writes the tree of the files under `folder` in a `.crate` archive.
pub(in crate::release_history) fn write_tree(
    git: &git2::Repository,
    folder: &str,
    archive: &[u8],
) -> Result<ReleaseTree, String> {
    let mut index = index_of_files(git, archive, Some(folder), &ADDED_BY_CARGO)?;
    let write = |error: git2::Error| error.message().to_owned();
    let unpublished = edit_manifest(git, &mut index).map_err(write)?;
    let id = index.write_tree_to(git).map_err(write)?;
    Ok(ReleaseTree { id, unpublished })
}

/// Leaves out the parts of the manifest whose files are not in the index, and returns them.
fn edit_manifest(git: &git2::Repository, index: &mut git2::Index) -> Result<Vec<UnpublishedPart>, git2::Error> {
    let Some(mut manifest) = index.get_path(Path::new("Cargo.toml"), 0) else {
        return Ok(Vec::new());
    };
    let blob = git.find_blob(manifest.id)?;
    let published: BTreeSet<String> = (index.iter())
        .filter_map(|entry| String::from_utf8(entry.path).ok())
        .collect();
    let edited = std::str::from_utf8(blob.content())
        .ok()
        .and_then(|text| without_unpublished(text, &published));
    let Some((text, unpublished)) = edited else {
        return Ok(Vec::new());
    };
    manifest.id = git.blob(text.as_bytes())?;
    index.add(&manifest)?;
    Ok(unpublished)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::super::unpublished::TargetKind;
    use super::*;
    use crate::release_history::archive::tests::{packed, repository};

    #[test]
    fn what_cargo_added_is_left_out_and_the_rest_is_as_published() {
        let (_folder, git) = repository();
        let archive = packed(&[
            ("x-1.0.0/Cargo.toml", "[package]", 0o644),
            ("x-1.0.0/Cargo.toml.orig", "[package]\nversion.workspace = true", 0o644),
            ("x-1.0.0/.cargo_vcs_info.json", "{}", 0o644),
            ("x-1.0.0/ci/test.sh", "#!/bin/sh", 0o755),
            ("x-1.0.0/src/lib.rs", "//! x", 0o644),
        ]);
        let tree = git
            .find_tree(write_tree(&git, "x-1.0.0", &archive).unwrap().id)
            .unwrap();
        let mut found = Vec::new();
        tree.walk(git2::TreeWalkMode::PreOrder, |folder, entry| {
            found.push(format!("{folder}{} {:o}", entry.name().unwrap(), entry.filemode()));
            git2::TreeWalkResult::Ok
        })
        .unwrap();
        assert_eq!(
            found,
            [
                "Cargo.toml 100644",
                "ci 40000",
                "ci/test.sh 100755",
                "src 40000",
                "src/lib.rs 100644"
            ]
        );
    }

    #[test]
    fn targets_without_their_files_are_not_declared() {
        let (_folder, git) = repository();
        let manifest =
            "[package]\nname = \"x\"\nedition = \"2021\"\n\n[[bench]]\nname = \"gone\"\n\n[[test]]\nname = \"t\"\n";
        let archive = packed(&[
            ("x-1.0.0/Cargo.toml", manifest, 0o644),
            ("x-1.0.0/tests/t.rs", "", 0o644),
        ]);
        let written = write_tree(&git, "x-1.0.0", &archive).unwrap();
        let gone = UnpublishedPart::Target {
            kind: TargetKind::Bench,
            name: "gone".to_owned(),
        };
        assert_eq!(written.unpublished, [gone]);
        let tree = git.find_tree(written.id).unwrap();
        let blob = git.find_blob(tree.get_name("Cargo.toml").unwrap().id()).unwrap();
        let expected = manifest.replace("[[bench]]\nname = \"gone\"\n\n", "");
        assert_eq!(std::str::from_utf8(blob.content()).unwrap(), expected);
        let complete = packed(&[
            ("x-1.0.0/Cargo.toml", manifest, 0o644),
            ("x-1.0.0/tests/t.rs", "", 0o644),
            ("x-1.0.0/benches/gone.rs", "", 0o644),
        ]);
        let written = write_tree(&git, "x-1.0.0", &complete).unwrap();
        assert_eq!(written.unpublished, []);
        let tree = git.find_tree(written.id).unwrap();
        assert_eq!(
            tree.get_name("Cargo.toml").unwrap().id(),
            git2::Oid::hash_object(git2::ObjectType::Blob, manifest.as_bytes()).unwrap()
        );
    }
}
