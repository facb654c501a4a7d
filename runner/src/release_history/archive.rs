//! A published archive, a gzipped tar file → a git index of its files. Nothing is written to the file system, so no path in an
//! archive can leave it.

use std::io::Read;

/// More than any published package contains unpacked.
const UNPACKED_LIMIT: u64 = 1 << 30;

/// Most files in one archive.
const FILES_LIMIT: usize = 200_000;

/// The files below the one folder of an archive, without those that its packager added. `folder` is the name of that folder; `None`
/// takes any.
pub(super) fn index_of_files(
    git: &git2::Repository,
    archive: &[u8],
    folder: Option<&str>,
    added: &[&[u8]],
) -> Result<git2::Index, String> {
    let unpacked = flate2::read::GzDecoder::new(archive).take(UNPACKED_LIMIT);
    let mut archive = tar::Archive::new(unpacked);
    let mut index = git2::Index::new().map_err(|error| error.message().to_owned())?;
    let mut files = 0;
    let mut folder = folder.map(|folder| folder.as_bytes().to_vec());
    for entry in archive.entries().map_err(|error| error.to_string())? {
        let mut entry = entry.map_err(|error| error.to_string())?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        let path = entry.path_bytes().into_owned();
        let folder = folder.get_or_insert_with(|| path.split(|byte| *byte == b'/').next().unwrap_or_default().to_vec());
        let within = path
            .strip_prefix(folder.as_slice())
            .and_then(|path| path.strip_prefix(b"/"))
            .ok_or_else(|| {
                let [path, folder] = [&path, &*folder].map(|name| String::from_utf8_lossy(name).into_owned());
                format!("`{path}` is not in the folder {folder}")
            })?;
        if within
            .split(|byte| *byte == b'/')
            .any(|part| matches!(part, b"" | b"." | b".."))
        {
            return Err(format!("`{}` is not a relative path", String::from_utf8_lossy(&path)));
        }
        if added.contains(&within) {
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
    Ok(index)
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
pub(super) mod tests {
    #![allow(clippy::unwrap_used)]

    use std::io::Write;

    use super::*;

    /// An archive of files: path, content and mode.
    pub(in crate::release_history) fn packed(files: &[(&str, &str, u32)]) -> Vec<u8> {
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

    pub(in crate::release_history) fn repository() -> (tempfile::TempDir, git2::Repository) {
        let folder = tempfile::tempdir().unwrap();
        let git = git2::Repository::init_bare(folder.path()).unwrap();
        (folder, git)
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
                index_of_files(&git, &packed(&[(path, "x", 0o644)]), Some("x-1.0.0"), &[]).is_err(),
                "{path}"
            );
        }
        let whole = packed(&[("x-1.0.0/a", "content", 0o644)]);
        let read = |archive: &[u8]| index_of_files(&git, archive, Some("x-1.0.0"), &[]);
        assert!(read(&whole).is_ok());
        assert!(read(&whole[..whole.len() / 2]).is_err());
        assert!(read(b"not an archive").is_err());
        assert!(read(&packed(&[])).is_err());
    }

    #[test]
    fn the_one_folder_of_an_archive_may_have_any_name() {
        let (_folder, git) = repository();
        let read = |files: &[(&str, &str, u32)]| index_of_files(&git, &packed(files), None, &[]);
        let index = read(&[("X_y-1.0/a/b.py", "1", 0o644), ("X_y-1.0/c.py", "2", 0o644)]).unwrap();
        let paths: Vec<_> = index
            .iter()
            .map(|entry| String::from_utf8(entry.path).unwrap())
            .collect();
        assert_eq!(paths, ["a/b.py", "c.py"]);
        assert!(read(&[("x/a.py", "1", 0o644), ("y/a.py", "1", 0o644)]).is_err());
    }
}
