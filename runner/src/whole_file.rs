//! A path, a content → the file, whole or not at all, whenever the process ends and whether or not the disk is full.
//!
//! The content is written beside its final path, synced and then moved there; what a killed process left beside it is
//! removed by the next write into that folder. Nothing is written through a symbolic link: a link at the path itself is
//! refused everywhere, and one on the way to it below the checkout in which lito runs, which others may have filled. A
//! link that somebody puts there between the check and the write is not noticed. Pipes and devices are written to
//! directly.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Component, Path, PathBuf};

use crate::owned::{OwnedFolder, owned_file, remove_abandoned_once};

/// First part of the name of a file that is not finished.
pub(crate) const UNFINISHED: &str = ".lito-unfinished-";

/// Folders of the system in which each process has links to its own files.
const LINKS_OF_THE_SYSTEM: [&str; 2] = ["/dev", "/proc"];

/// Failure to write a file: on what and why. The file is as it was.
#[derive(Debug, thiserror::Error)]
pub enum FileWriteError {
    /// The path leads through a symbolic link.
    #[error(
        "{}: {} is a symbolic link to {}, and nothing is written through links; remove the link",
        path.display(), link.display(), target.display()
    )]
    Link {
        /// The file.
        path: PathBuf,
        /// The link: the file itself, or a folder on the way to it.
        link: PathBuf,
        /// Its target, as it is written in the link.
        target: PathBuf,
    },
    /// The file system refused.
    #[error("{}: {source}", path.display())]
    Refused {
        /// The file, or a folder on the way to it.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

/// Treatment of a file that exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExistingFilePolicy {
    /// Its content is replaced.
    Replace,
    /// It stays as it is.
    Keep,
}

/// Mode of a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewFileMode {
    /// As the user's settings have it; one that is replaced keeps its own.
    Usual,
    /// Everybody may run it.
    Executable,
}

/// Writes a file, replacing its previous content, and creates the folders on the way to it.
///
/// # Errors
/// The path leads through a link, or the file system refuses. The file is as it was.
pub fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<(), FileWriteError> {
    write_with(path, content.as_ref(), ExistingFilePolicy::Replace, NewFileMode::Usual).map(drop)
}

/// Like [`write()`], by these rules; false if the file exists and is kept.
///
/// # Errors
/// Those of [`write()`].
pub fn write_with(
    path: &Path,
    content: &[u8],
    existing: ExistingFilePolicy,
    mode: NewFileMode,
) -> Result<bool, FileWriteError> {
    let refused = |source| FileWriteError::Refused {
        path: path.to_owned(),
        source,
    };
    if existing == ExistingFilePolicy::Keep && path.exists() {
        return Ok(false);
    }
    if is_no_regular_file(path) {
        let written = OpenOptions::new().write(true).open(path);
        return written
            .and_then(|mut stream| stream.write_all(content))
            .map(|()| true)
            .map_err(refused);
    }
    let folder = prepare_folder(path)?;
    remove_abandoned_once(&folder, UNFINISHED);
    let written = || -> io::Result<bool> {
        let mut file = owned_file(&folder, UNFINISHED, "")?;
        file.write_all(content)?;
        let permissions = match (mode, fs::metadata(path)) {
            (NewFileMode::Executable, _) => Some(Permissions::from_mode(0o755)),
            (NewFileMode::Usual, Ok(there)) => Some(there.permissions()),
            (NewFileMode::Usual, Err(_)) => None,
        };
        if let Some(permissions) = permissions {
            file.as_file().set_permissions(permissions)?;
        }
        file.as_file().sync_all()?;
        match existing {
            ExistingFilePolicy::Replace => file.persist(path).map(|_| true).map_err(|error| error.error),
            ExistingFilePolicy::Keep => match file.persist_noclobber(path) {
                Ok(_) => Ok(true),
                Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
                Err(error) => Err(error.error),
            },
        }
    };
    written().map_err(refused)
}

/// Checks the way to a file and creates its folder, which is returned.
///
/// # Errors
/// The path leads through a link, or the file system refuses.
pub fn prepare_folder(path: &Path) -> Result<PathBuf, FileWriteError> {
    refuse_links(path)?;
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder).map_err(|source| FileWriteError::Refused {
        path: folder.to_owned(),
        source,
    })?;
    Ok(folder.to_owned())
}

/// A place beside a final path, for what another program or many steps make. Removed when dropped.
pub(crate) struct UnfinishedPath {
    folder: OwnedFolder,
    target: PathBuf,
}

impl UnfinishedPath {
    /// Prepares the place, on the same file system as `target`.
    ///
    /// # Errors
    /// Those of [`write()`].
    pub(crate) fn beside(target: &Path) -> Result<Self, FileWriteError> {
        let parent = prepare_folder(target)?;
        remove_abandoned_once(&parent, UNFINISHED);
        let folder = OwnedFolder::create(&parent, UNFINISHED).map_err(|source| FileWriteError::Refused {
            path: target.to_owned(),
            source,
        })?;
        Ok(Self {
            folder,
            target: target.to_owned(),
        })
    }

    /// Where it is made. Nothing is there yet.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("new")
    }

    /// Moves a file to its final path, synced, in the place of what was there.
    pub(crate) fn finish_file(self) -> io::Result<()> {
        fs::File::open(self.path())?.sync_all()?;
        fs::rename(self.path(), &self.target)
    }

    /// Moves a folder to its final path, in the place of the one that was there.
    pub(crate) fn finish_folder(self) -> io::Result<()> {
        if !self.target.exists() || !exchange(&self.path(), &self.target)? {
            // Where the file system cannot exchange two names, there is a moment with neither.
            if self.target.exists() {
                fs::rename(&self.target, self.folder.path().join("old"))?;
            }
            fs::rename(self.path(), &self.target)?;
        }
        Ok(())
    }
}

/// Exchanges two names at one moment; false if the system cannot.
#[cfg(target_os = "linux")]
#[allow(unsafe_code)]
fn exchange(one: &Path, other: &Path) -> io::Result<bool> {
    use std::os::unix::ffi::OsStrExt as _;
    let [one, other] = [one, other].map(|path| std::ffi::CString::new(path.as_os_str().as_bytes()));
    let (one, other) = (one?, other?);
    // SAFETY: the system call reads two strings that end with a zero and outlive it.
    let outcome = unsafe {
        libc::syscall(
            libc::SYS_renameat2,
            libc::AT_FDCWD,
            one.as_ptr(),
            libc::AT_FDCWD,
            other.as_ptr(),
            libc::RENAME_EXCHANGE,
        )
    };
    if outcome == 0 {
        return Ok(true);
    }
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        Some(libc::EINVAL | libc::ENOSYS | libc::EOPNOTSUPP) => Ok(false),
        _ => Err(error),
    }
}

#[cfg(not(target_os = "linux"))]
fn exchange(_: &Path, _: &Path) -> io::Result<bool> {
    Ok(false)
}

/// A pipe or a device: nothing can be put in its place.
fn is_no_regular_file(path: &Path) -> bool {
    LINKS_OF_THE_SYSTEM.iter().any(|folder| path.starts_with(folder))
        || fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// Refuses a path that leads through a symbolic link, as [`write()`] does.
///
/// # Errors
/// It does.
pub fn refuse_links(path: &Path) -> Result<(), FileWriteError> {
    let here = std::env::current_dir().unwrap_or_default();
    let checkout = here.ancestors().find(|folder| folder.join(".git").exists());
    // Below git's own folder is what the user's git put there.
    let is_checked = |place: &Path| {
        checkout.is_some_and(|checkout| place.starts_with(checkout) && !place.starts_with(checkout.join(".git")))
    };
    let refuse_link = |place: &Path| match fs::read_link(place) {
        Ok(target) => Err(FileWriteError::Link {
            path: path.to_owned(),
            link: place.to_owned(),
            target,
        }),
        Err(_) => Ok(()),
    };
    let mut place = PathBuf::new();
    // Each part as it comes, so that a link before `..` counts, too.
    for part in here.join(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                place.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => place.push(part),
        }
        if is_checked(&place) {
            refuse_link(&place)?;
        }
    }
    refuse_link(&place)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::os::unix::fs::symlink;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_replaced_with_its_mode_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("new/report");
        write(&file, "one").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        fs::write(folder.path().join("new/.lito-unfinished-killed"), "half").unwrap();
        write(&file, "two").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "two");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[test]
    fn the_unfinished_file_of_a_killed_process_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(".lito-unfinished-killed"), "half").unwrap();
        write(&folder.path().join("report"), "whole").unwrap();
        assert_eq!(names(folder.path()), ["report"]);
    }

    #[test]
    fn a_link_at_the_path_is_refused_and_its_target_is_as_it_was() {
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let target = outside.path().join("target");
        fs::write(&target, "kept").unwrap();
        let link = folder.path().join("report");
        symlink(&target, &link).unwrap();
        let error = write(&link, "lost").unwrap_err();
        assert!(
            matches!(error, FileWriteError::Link { .. }) && error.to_string().contains("remove the link"),
            "{error}"
        );
        assert_eq!(fs::read_to_string(&target).unwrap(), "kept");
        assert_eq!(names(folder.path()), ["report"]);
    }

    #[test]
    fn a_write_that_fails_leaves_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("folder");
        fs::create_dir(&file).unwrap();
        assert!(matches!(
            write(&file, "text").unwrap_err(),
            FileWriteError::Refused { .. }
        ));
        assert_eq!(names(folder.path()), ["folder"]);
    }

    #[test]
    fn a_file_that_is_kept_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("settings");
        let keep = |text: &str| {
            write_with(
                &file,
                text.as_bytes(),
                ExistingFilePolicy::Keep,
                NewFileMode::Executable,
            )
            .unwrap()
        };
        assert_eq!((keep("one"), keep("two")), (true, false));
        assert_eq!(fs::read_to_string(&file).unwrap(), "one");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o755);
    }

    #[test]
    fn a_device_is_written_to_and_not_replaced() {
        write(Path::new("/dev/null"), "gone").unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
    }

    #[test]
    fn a_finished_folder_takes_the_place_of_the_one_before() {
        let parent = tempfile::tempdir().unwrap();
        let target = parent.path().join("folder");
        for content in ["one", "two"] {
            let unfinished = UnfinishedPath::beside(&target).unwrap();
            fs::create_dir(unfinished.path()).unwrap();
            fs::write(unfinished.path().join(content), "").unwrap();
            unfinished.finish_folder().unwrap();
            assert_eq!(names(&target), [content]);
        }
        assert_eq!(names(parent.path()), ["folder"]);
    }
}
