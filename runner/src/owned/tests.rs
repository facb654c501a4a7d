//! Files of dead processes are removed, those of living ones stay.

#![allow(clippy::unwrap_used)]

use std::fs;

use super::*;

#[test]
fn a_folder_without_an_owner_is_removed_and_an_owned_one_stays() {
    let parent = tempfile::tempdir().unwrap();
    let owned = OwnedFolder::create(parent.path(), "lito-a-").unwrap();
    fs::write(owned.path().join("content"), "kept").unwrap();
    let abandoned = parent.path().join("lito-b-killed");
    fs::create_dir_all(abandoned.join("deeper")).unwrap();
    fs::write(abandoned.join("deeper/file"), "").unwrap();
    remove_abandoned(parent.path(), "lito-");
    assert!(!abandoned.exists());
    assert_eq!(fs::read_to_string(owned.path().join("content")).unwrap(), "kept");
    let path = owned.path().to_owned();
    drop(owned);
    assert!(!path.exists());
}

#[test]
fn a_file_without_an_owner_is_removed_and_an_owned_one_stays() {
    let parent = tempfile::tempdir().unwrap();
    let owned = owned_file(parent.path(), ".part-", "").unwrap();
    let abandoned = parent.path().join(".part-killed");
    fs::write(&abandoned, "half").unwrap();
    let other = parent.path().join("part-of-somebody-else");
    fs::write(&other, "").unwrap();
    remove_abandoned(parent.path(), ".part-");
    assert_eq!(
        (abandoned.exists(), owned.path().exists(), other.exists()),
        (false, true, true)
    );
}

#[test]
fn a_link_with_the_name_of_a_temporary_folder_is_not_followed() {
    let (parent, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let kept = elsewhere.path().join("kept");
    fs::write(&kept, "").unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), parent.path().join("lito-link")).unwrap();
    remove_abandoned(parent.path(), "lito-");
    assert!(kept.exists());
}

#[test]
fn an_owned_file_has_the_mode_of_any_new_file() {
    let parent = tempfile::tempdir().unwrap();
    let usual = parent.path().join("usual");
    fs::write(&usual, "").unwrap();
    let owned = owned_file(parent.path(), ".part-", "").unwrap();
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(owned.path()), mode(&usual));
}
