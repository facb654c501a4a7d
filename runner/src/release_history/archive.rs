//! A published archive → a git tree of the published sources, without the files that cargo adds when it packages or
//! unpacks, and a manifest that names only what was published. Nothing is written to the file system, so no path in an archive can leave it.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;

use super::unpublished::{UnpublishedPart, without_unpublished};

/// Files added by cargo: the manifest before it was normalised (the normalised one builds on its own), the source
/// revision, and the marker of a finished unpacking.
const ADDED_BY_CARGO: [&[u8]; 3] = [b"Cargo.toml.orig", b".cargo_vcs_info.json", b".cargo-ok"];

/// More than any published package contains unpacked.
const UNPACKED_LIMIT: u64 = 1 << 30;

/// Most files in one archive.
const FILES_LIMIT: usize = 200_000;

/// The tree of a release.
#[derive(Debug)]
pub(super) struct ReleaseTree {
    /// Its id.
    pub(super) id: git2::Oid,
    /// Parts that its manifest no longer has.
    pub(super) unpublished: Vec<UnpublishedPart>,
}

/// Writes the tree of the files under `folder` in a `.crate` archive.
pub(super) fn write_tree(git: &git2::Repository, folder: &str, archive: &[u8]) -> Result<ReleaseTree, String> {
    let unpacked = flate2::read::GzDecoder::new(archive).take(UNPACKED_LIMIT);
    let mut archive = tar::Archive::new(unpacked);
    let mut index = git2::Index::new().map_err(|error| error.message().to_owned())?;
    let mut files = 0;
    for entry in archive.entries().map_err(|error| error.to_string())? {
        let mut entry = entry.map_err(|error| error.to_string())?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let path = entry.path_bytes().into_owned();
        let within = path
            .strip_prefix(folder.as_bytes())
            .and_then(|path| path.strip_prefix(b"/"))
            .ok_or_else(|| format!("`{}` is not in the folder {folder}", String::from_utf8_lossy(&path)))?;
        if within
            .split(|byte| *byte == b'/')
            .any(|part| matches!(part, b"" | b"." | b".."))
        {
            return Err(format!("`{}` is not a relative path", String::from_utf8_lossy(&path)));
        }
        if ADDED_BY_CARGO.contains(&within) {
            continue;
        }
        files += 1;
        if files > FILES_LIMIT {
            return Err(format!("it contains more than {FILES_LIMIT} files"));
        }
        let mut content = Vec::new();
        entry.read_to_end(&mut content).map_err(|error| error.to_string())?;
        let executable = entry.header().mode().is_ok_and(|mode| mode & 0o111 != 0);
        let refused = |error: git2::Error| format!("`{}`: {}", String::from_utf8_lossy(within), error.message());
        let blob = git.blob(&content).map_err(refused)?;
        let mode = if executable {
            git2::FileMode::BlobExecutable
        } else {
            git2::FileMode::Blob
        };
        // Refuses paths that reach into `.git`, whatever the spelling.
        index.add(&index_entry(within, blob, mode)).map_err(refused)?;
    }
    if files == 0 {
        return Err("it contains no file".to_owned());
    }
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

fn index_entry(path: &[u8], id: git2::Oid, mode: git2::FileMode) -> git2::IndexEntry {
    let never = git2::IndexTime::new(0, 0);
    git2::IndexEntry {
        ctime: never,
        mtime: never,
        dev: 0,
        ino: 0,
        mode: u32::from(mode),
        uid: 0,
        gid: 0,
        file_size: 0,
        id,
        flags: 0,
        flags_extended: 0,
        path: path.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::io::Write;

    use super::super::unpublished::TargetKind;
    use super::*;

    fn packed(files: &[(&str, &str, u32)]) -> Vec<u8> {
        let mut builder = tar::Builder::new(Vec::new());
        for (path, content, mode) in files {
            let mut header = tar::Header::new_gnu();
            // Written unchanged: the tar crate itself refuses hostile paths.
            header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
            header.set_size(content.len() as u64);
            header.set_mode(*mode);
            header.set_cksum();
            builder.append(&header, content.as_bytes()).unwrap();
        }
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&builder.into_inner().unwrap()).unwrap();
        gzip.finish().unwrap()
    }

    fn repository() -> (tempfile::TempDir, git2::Repository) {
        let folder = tempfile::tempdir().unwrap();
        let git = git2::Repository::init_bare(folder.path()).unwrap();
        (folder, git)
    }

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

    #[test]
    fn archives_that_try_to_get_out_are_refused() {
        let (_folder, git) = repository();
        for path in [
            "x-1.0.0/../../etc/passwd",
            "x-1.0.0/.git/hooks/post-checkout",
            "/etc/passwd",
            "x-1.0.00/a",
            "x-1.0.0//a",
        ] {
            assert!(
                write_tree(&git, "x-1.0.0", &packed(&[(path, "x", 0o644)])).is_err(),
                "{path}"
            );
        }
        let whole = packed(&[("x-1.0.0/a", "content", 0o644)]);
        assert!(write_tree(&git, "x-1.0.0", &whole).is_ok());
        assert!(write_tree(&git, "x-1.0.0", &whole[..whole.len() / 2]).is_err());
        assert!(write_tree(&git, "x-1.0.0", b"not an archive").is_err());
        assert!(write_tree(&git, "x-1.0.0", &packed(&[])).is_err());
    }
}
