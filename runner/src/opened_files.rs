//! The paths that a program asked the system for → the files of the checkout among them.

use std::collections::BTreeSet;
use std::path::Path;

use attribution::callgrind::system_calls::RequestedPaths;
use profile::inputs::OpenedFiles;

use crate::build::repository_path;

/// The paths below a checkout, as they are there now. A path counts as it was asked for, and with its symbolic links
/// followed.
pub(crate) fn opened_below(tree: &Path, requested: &RequestedPaths) -> OpenedFiles {
    let mut opened = OpenedFiles {
        is_complete: requested.is_complete,
        ..OpenedFiles::default()
    };
    for path in &requested.paths {
        let names = names_below(tree, path);
        opened.outside |= names.is_empty();
        for name in names {
            let found = tree.join(&name);
            if found.is_dir() {
                // It sees a folder only if it lists it.
            } else if found.exists() {
                opened.files.insert(name);
            } else {
                opened.missing.insert(name);
            }
        }
    }
    opened
        .folders
        .extend(requested.listed.iter().flat_map(|folder| names_below(tree, folder)));
    opened
}

fn names_below(tree: &Path, path: &Path) -> BTreeSet<String> {
    [Some(path.to_owned()), path.canonicalize().ok()]
        .into_iter()
        .flatten()
        .filter_map(|path| Some(repository_path(path.strip_prefix(tree).ok()?)))
        .collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn only_what_is_in_the_checkout_has_a_name() {
        let folder = tempfile::tempdir().unwrap();
        let tree = folder.path().canonicalize().unwrap().join("tree");
        std::fs::create_dir_all(tree.join("data")).unwrap();
        std::fs::write(tree.join("data/a.txt"), "").unwrap();
        std::os::unix::fs::symlink(tree.join("data/a.txt"), tree.join("link")).unwrap();
        let requested = RequestedPaths {
            paths: [
                "/etc/hostname".into(),
                tree.join("link"),
                tree.join("data"),
                tree.join("gone/x"),
            ]
            .into(),
            listed: [tree.join("data"), "/tmp".into()].into(),
            is_complete: true,
        };
        let opened = opened_below(&tree, &requested);
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
        assert_eq!(opened.files, names(&["data/a.txt", "link"]));
        assert_eq!(opened.missing, names(&["gone/x"]));
        assert_eq!(opened.folders, names(&["data"]));
        assert!(opened.outside && opened.is_complete);
    }
}
